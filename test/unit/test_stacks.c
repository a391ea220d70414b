/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of recordings that are made here; all expected values are worked out by hand.
 * test/cli/export_viewers.bats compares those of programs with plumb report.
 */
#include "check.h"

#include <plumb/samples.h>

#include "profile/stacks.h"
#include "recording_builder.h"

#define KERNEL 1 /* the mode of a record */
#define CONTEXT                                                                           \
	UINT64_C(0xffffffffffffff80) /* PERF_CONTEXT_KERNEL: what follows is the kernel's \
				      */
#define ALPHA   UINT64_C(0xffffffff81000000)
#define BETA    UINT64_C(0xffffffff81002000)
#define COMM    3
#define SAMPLE  9
#define KSYMBOL 17
#define NAMES   12 /* the feature with the events' names */

enum event { EV, UNTIMED, EV_AGAIN, EVENTS };

static const char *const names[EVENTS] = {"ev", "untimed", "ev"};
static const struct built_attr attrs[EVENTS] = {
	{.sample_type = IDENTIFIER | IP | TID | TIME | PERIOD | CALLCHAIN,
	 .ids = {1},
	 .id_count = 1},
	{.sample_type = IDENTIFIER | IP | TID | PERIOD | CALLCHAIN, .ids = {2}, .id_count = 1},
	{.config = 1,
	 .sample_type = IDENTIFIER | IP | TID | TIME | PERIOD | CALLCHAIN,
	 .ids = {3},
	 .id_count = 1},
};

static void put_comm(struct build *b, uint32_t tid, const char *name)
{
	begin(b, COMM, 0);
	put32(b, 10);
	put32(b, tid);
	put_text(b, name, 8);
	end(b);
}

static void put_symbol(struct build *b, uint64_t start, const char *name)
{
	begin(b, KSYMBOL, KERNEL);
	put64(b, start);
	put32(b, 0x100);
	put16(b, 1);
	put16(b, 0);
	put_text(b, name, 8);
	end(b);
}

/* A sample at `ip`; its callers return to those addresses, the innermost first. */
static void put_sample(struct build *b, enum event event, uint32_t tid, uint64_t time,
		       uint64_t period, uint64_t ip, const uint64_t *callers, size_t count)
{
	begin(b, SAMPLE, KERNEL);
	put64(b, event + UINT64_C(1));
	put64(b, ip);
	put32(b, 10);
	put32(b, tid);
	if (attrs[event].sample_type & TIME)
		put64(b, time);
	put64(b, period);
	put64(b, count + 2);
	put64(b, CONTEXT);
	put64(b, ip);
	for (size_t i = 0; i < count; i++)
		put64(b, callers[i]);
	end(b);
}

static struct build *start(void)
{
	struct build *b = build_new(false, false);

	build_begin(b, attrs, EVENTS);
	put_symbol(b, ALPHA, "alpha");
	put_symbol(b, BETA, "beta");
	put_comm(b, 11, "one");
	return b;
}

static void put_names(struct build *b)
{
	const size_t from = feature_begin(b, NAMES);

	put32(b, EVENTS);
	put32(b, 136);
	for (size_t i = 0; i < EVENTS; i++) {
		put_attr(b, &attrs[i]);
		put32(b, 1);
		put_string(b, names[i]);
		put64(b, attrs[i].ids[0]);
	}
	feature_end(b, NAMES, from);
}

struct added {
	struct opened opened;
	struct plumb_symbolizer *symbolizer;
	struct stacks *stacks;
	int status;
};

static size_t details_most = STACKS_DETAILS_MOST;

/* Adds what was built. At most `nodes` nodes and `rows` rows may be made; 0: any number. */
static struct added add(struct build *b, unsigned by, size_t nodes, size_t rows)
{
	const struct plumb_samples_options options = {
		.size = sizeof(options), .order = PLUMB_ORDER_TASKS, .each_record_once = true};
	struct plumb_samples *samples;
	struct added added = {0};

	put_names(b);
	added.opened = open_built(b);
	free(b);
	assert_int_equal(plumb_symbolizer_new(NULL, &added.symbolizer), 0);
	assert_int_equal(stacks_new(added.opened.recording, added.symbolizer, by, &added.stacks),
			 0);
	added.stacks->details_most = details_most;
	if (nodes)
		added.stacks->by_node.most = nodes;
	if (rows)
		added.stacks->by_row.most = rows;
	assert_int_equal(plumb_samples_begin(added.opened.recording, &options, &samples, NULL), 0);
	added.status = stacks_add(added.stacks, samples);
	plumb_samples_end(samples);
	return added;
}

static void end_of(struct added *added)
{
	stacks_free(added->stacks);
	plumb_symbolizer_free(added->symbolizer);
	opened_close(&added->opened);
}

static void assert_type(const struct stacks *s, size_t type, const char *name, uint64_t total)
{
	assert_string_equal(s->types[type].name, name);
	assert_int_equal(s->types[type].total, total);
}

/* Checks the functions from a row's node on, the innermost first. */
static void assert_path(const struct stacks *s, size_t row, const char *const *path, size_t length)
{
	uint32_t node = s->rows[row].node;

	for (size_t i = 0; i < length; i++) {
		assert_int_not_equal(node, STACKS_NONE);
		assert_string_equal(s->functions[s->nodes[node].item].name, path[i]);
		assert_true(s->nodes[node].parent == STACKS_NONE || s->nodes[node].parent < node);
		node = s->nodes[node].parent;
	}
	assert_int_equal(node, STACKS_NONE);
}

static struct build *four_samples(void)
{
	static const uint64_t beta[] = {BETA + 0x20};
	struct build *b = start();

	put_sample(b, EV, 11, 100, 5, ALPHA + 0x10, beta, 1);
	put_sample(b, EV, 11, 200, 7, ALPHA + 0x30, beta, 1);
	put_sample(b, EV, 11, 300, 11, BETA + 0x20, NULL, 0);
	put_sample(b, EV_AGAIN, 11, 400, 100, ALPHA + 0x10, beta, 1);
	return b;
}

/* The same functions are one stack, whatever their addresses; a caller's node is its own, too. */
static void sums_functions(void **state)
{
	static const char *const path[] = {"alpha", "beta"};
	struct added added = add(four_samples(), 0, 0, 0);
	const struct stacks *s = added.stacks;

	(void)state;
	assert_int_equal(added.status, 0);
	assert_int_equal(s->samples, 4);
	assert_int_equal(s->function_count, 2);
	assert_int_equal(s->node_count, 2);
	assert_int_equal(s->row_count, 2);
	assert_int_equal(s->thread_count, 1);
	assert_string_equal(s->threads[0].comm, "one");
	assert_int_equal(s->threads[0].tid, -1);
	assert_path(s, 0, path, 2);
	assert_path(s, 1, path + 1, 1);
	/* Two events have one name. */
	assert_int_equal(s->type_count, 4);
	assert_type(s, 0, "ev", 23);
	assert_type(s, 1, "ev samples", 3);
	assert_type(s, 2, "ev#2", 100);
	assert_type(s, 3, "ev samples#2", 1);
	assert_int_equal(stacks_value(s, 0, 0), 12);
	assert_int_equal(stacks_value(s, 0, 1), 2);
	assert_int_equal(stacks_value(s, 0, 2), 100);
	assert_int_equal(stacks_value(s, 0, 3), 1);
	assert_int_equal(stacks_value(s, 1, 0), 11);
	assert_int_equal(stacks_value(s, 1, 1), 1);
	assert_int_equal(stacks_value(s, 1, 2), 0);
	assert_int_equal(stacks_value(s, 1, 3), 0);
	assert_int_equal(s->moment_count, 0);
	end_of(&added);
}

/* By address, a call and the sample at the address it returns to are different. */
static void sums_addresses(void **state)
{
	struct added added = add(four_samples(), STACKS_BY_ADDRESS | STACKS_BY_THREAD, 0, 0);
	const struct stacks *s = added.stacks;
	static const uint64_t addresses[] = {BETA + 0x1f, ALPHA + 0x10, ALPHA + 0x30, BETA + 0x20};

	(void)state;
	assert_int_equal(added.status, 0);
	assert_int_equal(s->code_count, 4);
	assert_int_equal(s->node_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct stacks_code *code = &s->codes[s->nodes[i].item];

		assert_int_equal(code->address, addresses[i]);
		assert_int_equal(code->lines, 1);
		assert_true(code->kernel);
	}
	assert_int_equal(s->nodes[1].parent, 0);
	assert_int_equal(s->nodes[2].parent, 0);
	assert_int_equal(s->nodes[3].parent, STACKS_NONE);
	assert_int_equal(s->row_count, 3);
	assert_int_equal(stacks_value(s, 0, 0), 5);
	assert_int_equal(stacks_value(s, 0, 2), 100);
	assert_int_equal(stacks_value(s, 1, 0), 7);
	assert_int_equal(stacks_value(s, 2, 0), 11);
	assert_int_equal(s->threads[0].pid, 10);
	assert_int_equal(s->threads[0].tid, 11);
	end_of(&added);
}

/* Each call of a recursion is a frame; one that is as deep as before makes none. */
static void recursion(void **state)
{
	static const uint64_t callers[] = {ALPHA + 0x20, ALPHA + 0x20, BETA + 0x20};
	static const char *const path[] = {"alpha", "alpha", "alpha", "beta"};
	struct build *b = start();
	struct added added;

	(void)state;
	put_sample(b, EV, 11, 100, 1, ALPHA + 0x10, callers, 3);
	put_sample(b, EV, 11, 200, 2, ALPHA + 0x14, callers, 3);
	put_sample(b, EV, 11, 300, 4, ALPHA + 0x10, callers + 1, 2);
	added = add(b, 0, 0, 0);
	assert_int_equal(added.status, 0);
	assert_int_equal(added.stacks->node_count, 4);
	assert_int_equal(added.stacks->row_count, 2);
	assert_path(added.stacks, 0, path, 4);
	assert_path(added.stacks, 1, path + 1, 3);
	assert_int_equal(stacks_value(added.stacks, 0, 0), 3);
	assert_int_equal(stacks_value(added.stacks, 1, 0), 4);
	assert_type(added.stacks, 1, "samples", 3);
	end_of(&added);
}

/* Sums do not wrap; tables that are full give an error; a sample without a value is one. */
static void limits(void **state)
{
	struct build *b = start();
	struct added added;

	(void)state;
	put_sample(b, EV, 11, 100, UINT64_MAX, ALPHA + 0x10, NULL, 0);
	put_sample(b, EV, 11, 200, 2, ALPHA + 0x10, NULL, 0);
	put_sample(b, EV, 11, 300, 0, BETA + 0x10, NULL, 0);
	added = add(b, STACKS_TIMES, 0, 0);
	assert_int_equal(added.status, 0);
	assert_true(stacks_value(added.stacks, 0, 0) == UINT64_MAX);
	assert_true(added.stacks->types[0].total == UINT64_MAX);
	assert_int_equal(stacks_value(added.stacks, 1, 0), 0);
	assert_int_equal(stacks_value(added.stacks, 1, 1), 1);
	assert_int_equal(added.stacks->moment_count, 5);
	end_of(&added);

	/* Two nodes and two rows are just enough. */
	added = add(four_samples(), 0, 2, 2);
	assert_int_equal(added.status, 0);
	end_of(&added);
	added = add(four_samples(), 0, 1, 0);
	assert_int_equal(added.status, PLUMB_ERR_NO_MEMORY);
	end_of(&added);
	added = add(four_samples(), 0, 0, 1);
	assert_int_equal(added.status, PLUMB_ERR_NO_MEMORY);
	end_of(&added);

	added = add(start(), 0, 0, 0);
	assert_int_equal(added.status, 0);
	assert_int_equal(added.stacks->samples, 0);
	end_of(&added);
}

/*
 * Threads whose times are out of order, one that changes its name, and samples without times. The
 * stream sorts by time; what has none, as names here, comes first. It gets the first time there is.
 */
static void threads_and_times(void **state)
{
	static const struct {
		uint64_t value, time;
		uint32_t tid;
		const char *comm;
	} wanted[] = {
		{1, 100, 11, "one"}, {4, 100, 12, "two"}, {3, 100, 12, "two"},
		{5, 200, 11, "new"}, {2, 300, 11, "new"},
	};
	struct build *b = start();
	struct added added;
	const struct stacks *s;

	(void)state;
	put_comm(b, 12, "two");
	put_sample(b, UNTIMED, 11, 0, 1, ALPHA + 0x10, NULL, 0);
	put_sample(b, EV, 11, 300, 2, ALPHA + 0x10, NULL, 0);
	put_sample(b, EV, 12, 100, 3, ALPHA + 0x10, NULL, 0);
	put_sample(b, UNTIMED, 12, 0, 4, ALPHA + 0x10, NULL, 0);
	put_comm(b, 11, "new");
	put_sample(b, EV, 11, 200, 5, ALPHA + 0x10, NULL, 0);
	added = add(b, STACKS_BY_THREAD | STACKS_TIMES, 0, 0);
	s = added.stacks;
	assert_int_equal(added.status, 0);
	assert_true(s->timed);
	assert_int_equal(s->row_count, 3);
	/* Each sample has a period and counts as one. */
	assert_int_equal(s->moment_count, 10);
	for (size_t i = 0; i < 5; i++) {
		const struct stacks_moment *moment = &s->moments[2 * i];
		const struct stacks_thread *thread = &s->threads[s->rows[moment->row].thread];

		assert_int_equal(moment->value, wanted[i].value);
		assert_int_equal(moment->time, wanted[i].time);
		assert_int_equal(thread->tid, wanted[i].tid);
		assert_string_equal(thread->comm, wanted[i].comm);
		assert_int_equal(moment[1].value, 1);
		assert_int_equal(moment[1].time, wanted[i].time);
	}
	end_of(&added);
}

/* Returns the text of a key of the i-th detail's code. */
static const char *code_text(const struct stacks *s, size_t i, unsigned key)
{
	size_t keys = 0, wanted = 0;

	for (; stacks_part_key(STACKS_CODE, keys) >= 0; keys++)
		if (stacks_part_key(STACKS_CODE, keys) == (int)key)
			wanted = keys;
	return s->values[STACKS_CODE].texts[s->details[i].parts[STACKS_CODE] * keys + wanted];
}

static struct build *three_details(void)
{
	struct build *b = start();

	put_comm(b, 12, "two");
	put_sample(b, UNTIMED, 12, 0, 4, BETA + 0x20, NULL, 0);
	put_sample(b, EV, 11, 300, 2, ALPHA + 0x10, NULL, 0);
	put_sample(b, EV, 11, 400, 3, ALPHA + 0x10, NULL, 0);
	return b;
}

/* What comes before the first time has that time. What has the same keys is kept once. */
static void details(void **state)
{
	static const struct {
		uint64_t time, period, linked;
		const char *symbol, *comm, *tid, *ip;
	} wanted[] = {
		{300, 4, BETA + 0x20, "beta", "two", "12", "0xffffffff81002020"},
		{300, 2, ALPHA + 0x10, "alpha", "one", "11", "0xffffffff81000010"},
		{400, 3, ALPHA + 0x10, "alpha", "one", "11", "0xffffffff81000010"},
	};
	struct added added =
		add(three_details(), STACKS_BY_THREAD | STACKS_TIMES | STACKS_DETAILS, 0, 0);
	const struct stacks *s = added.stacks;

	(void)state;
	assert_int_equal(added.status, 0);
	assert_int_equal(s->detail_count, 3);
	assert_int_equal(s->values[STACKS_CODE].count, 2);
	assert_int_equal(s->values[STACKS_DATA].count, 1);
	for (size_t i = 0; i < 3; i++) {
		const struct stacks_detail *detail = &s->details[i];

		assert_int_equal(detail->time, wanted[i].time);
		assert_int_equal(detail->period, wanted[i].period);
		assert_int_equal(detail->latencies[PLUMB_SPE_TOTAL_LATENCY], STACKS_NO_LATENCY);
		assert_int_equal(s->values[STACKS_CODE].linked[detail->parts[STACKS_CODE]],
				 wanted[i].linked);
		assert_string_equal(code_text(s, i, PLUMB_KEY_SYMBOL), wanted[i].symbol);
		assert_string_equal(code_text(s, i, PLUMB_KEY_COMM), wanted[i].comm);
		assert_string_equal(code_text(s, i, PLUMB_KEY_TID), wanted[i].tid);
		assert_string_equal(code_text(s, i, PLUMB_KEY_IP), wanted[i].ip);
	}
	end_of(&added);
}

/* A part of them would mislead. */
static void too_many_details_are_none(void **state)
{
	struct added added;

	(void)state;
	details_most = 2;
	added = add(three_details(), STACKS_TIMES | STACKS_DETAILS, 0, 0);
	details_most = STACKS_DETAILS_MOST;
	assert_int_equal(added.status, 0);
	assert_int_equal(added.stacks->samples, 3);
	assert_int_equal(added.stacks->detail_count, 0);
	assert_int_equal(added.stacks->values[STACKS_CODE].count, 0);
	end_of(&added);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_functions),
		cmocka_unit_test(sums_addresses),
		cmocka_unit_test(recursion),
		cmocka_unit_test(limits),
		cmocka_unit_test(threads_and_times),
		cmocka_unit_test(details),
		cmocka_unit_test(too_many_details_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
