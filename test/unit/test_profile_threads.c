/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles and totals added up by several threads equal those of one. Other kinds of recordings are
 * compared by test/interop/report_threads.py.
 */
#include "spe/encode.h"

#include "check.h"

#include <plumb/profile.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"

#define SPE_ID  101
#define PMU     11
#define RINGS   4
#define RECORDS 6000 /* of each ring: more than a MiB together */
#define CHUNK   250
#define CHUNKS  ((size_t)RINGS * RECORDS / CHUNK)

static uint64_t state;
static size_t rows_max = 20000;

static uint64_t chance(uint64_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % limit;
}

static struct plumb_recording_writer *create(struct plumb_diagnostics *diagnostics)
{
	static const uint64_t ids[] = {SPE_ID}, values[] = {PMU, 1};
	const struct plumb_auxtrace_info info = {.type = 4, .values = values, .count = 2};
	const struct plumb_time_conv clock = {.mult = 1, .mask = UINT64_MAX};
	const struct plumb_recorded_event event = {
		.attr = {.type = PMU,
			 .size = 128,
			 .sample_type = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 16,
			 .sample_period = 1024,
			 .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL)},
		.ids = ids,
		.id_count = 1,
		.name = "arm_spe_0//",
	};
	const struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = &event,
		.event_count = 1,
		.auxtrace_info = &info,
		.time_conv = &clock,
		.cpuid = "0x00000000413fd0c1",
		.arch = "aarch64",
		.clockid = -1,
	};
	struct plumb_recording_writer *writer;

	assert_int_equal(plumb_recording_create(path, &setup, &writer, diagnostics), 0);
	return writer;
}

static struct plumb_spe_record make_record(uint64_t code, bool contexts, uint64_t ticks)
{
	struct plumb_spe_record record = {
		.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_EVENTS |
		       PLUMB_SPE_HAS_TOTAL_LATENCY | PLUMB_SPE_HAS_DATA_SOURCE |
		       PLUMB_SPE_HAS_TIMESTAMP,
		.addresses = {UINT64_C(0x8000000000400000) + 4 * chance(code)},
		.op_class = PLUMB_SPE_LOAD_STORE,
		.events = 2 | chance(4) << PLUMB_SPE_EV_L1D_ACCESS,
		.counters = {(uint16_t)chance(3000)},
		.data_source = chance(4),
		.timestamp = ticks,
	};

	if (contexts) {
		record.has |= PLUMB_SPE_HAS_CONTEXT_EL1;
		record.contexts[0] = 1000 + (uint32_t)chance(3);
	}
	return record;
}

struct kind {
	uint64_t code;         /* addresses that it is at */
	uint32_t contexts;     /* the rings from this one on have context packets ... */
	size_t contexts_since; /* ... from this chunk on */
	unsigned switches;     /* context switches while a chunk was written */
	bool unknown;          /* the first switch to a thread is the first that tells of it */
	bool late;             /* chunks are in the file behind much younger switches ... */
	bool cut;              /* ... and none is known before, as the file has lost its end */
	size_t renamed_at;     /* the chunk behind which a thread gets another name */
};

/* Writes a record of the kernel at `ticks`, on `cpu` if that is not -1. */
static void write_record(struct plumb_recording_writer *writer, uint32_t type, uint16_t misc,
			 const void *body, uint16_t size, uint64_t ticks, int32_t cpu)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
		uint8_t bytes[64];
	} made = {type, misc, (uint16_t)(8 + size + 32), {0}};
	const uint64_t id[] = {1000 | UINT64_C(1000) << 32, ticks, (uint32_t)cpu, SPE_ID};

	memcpy(made.bytes, body, size);
	memcpy(made.bytes + size, id, sizeof(id));
	assert_int_equal(plumb_recording_write(writer, &made, made.size), 0);
}

static void write_name(struct plumb_recording_writer *writer, uint32_t tid, const char *name,
		       uint64_t ticks)
{
	struct {
		uint32_t pid, tid;
		char name[8];
	} comm = {tid, tid, ""};

	strncpy(comm.name, name, sizeof(comm.name) - 1);
	write_record(writer, PLUMB_RECORD_COMM, 0, &comm, sizeof(comm), ticks, -1);
}

/* Writes that CPUs run other threads, at times from `ticks` on. */
static void write_switches(struct plumb_recording_writer *writer, const struct kind *kind,
			   uint64_t ticks)
{
	for (unsigned i = 0; i < kind->switches; i++) {
		const uint32_t tid = 1000 + (uint32_t)chance(ticks < 5000 ? 3 : 6);
		const uint32_t next[] = {tid, tid};

		write_record(writer, PLUMB_RECORD_SWITCH_CPU_WIDE, 1 << 13, next, sizeof(next),
			     ticks + i * CHUNK / kind->switches, (int32_t)chance(RINGS));
	}
}

static void write_chunk(struct plumb_recording_writer *writer, const struct kind *kind, size_t i)
{
	const struct plumb_aux_chunk chunk = {
		.index = i % RINGS, .tid = -1, .cpu = (int32_t)(i % RINGS)};
	const bool contexts = i % RINGS >= kind->contexts && i >= kind->contexts_since;
	uint8_t bytes[CHUNK * 64];

	for (size_t j = 0; j < CHUNK; j++) {
		const struct plumb_spe_record made =
			make_record(kind->code, contexts, 1000 + i * CHUNK + j);

		assert_int_equal(spe_encode_record(&made, SPE_LAYOUT_NEOVERSE, bytes + j * 64, 64),
				 64);
	}
	assert_int_equal(plumb_recording_write_aux(writer, &chunk, bytes, sizeof(bytes), NULL, 0),
			 0);
}

static void record_kind(const struct kind *kind)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording_writer *writer = create(diagnostics);
	const size_t late = kind->late ? 3 * CHUNKS / 8 : 0;

	state = 1;
	for (uint32_t tid = 1000; kind->switches && !kind->unknown && tid < 1006; tid++)
		write_name(writer, tid, "thread", 1);
	for (size_t i = 0; i < CHUNKS + late; i++) {
		if (i < CHUNKS)
			write_switches(writer, kind, 1000 + i * CHUNK);
		if (i >= late)
			write_chunk(writer, kind, i - late);
		if (kind->renamed_at && i == kind->renamed_at)
			write_name(writer, 1001, "other", 1000 + i * CHUNK);
		if (i % 8 == 7)
			assert_int_equal(plumb_recording_finish_round(writer), 0);
	}
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	if (kind->cut) {
		struct stat status;

		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(truncate(path, status.st_size - 64), 0);
	}
	plumb_diagnostics_free(diagnostics);
}

/* Writes a recording of code at so many addresses; the rings from `first` on have contexts. */
static void record(uint64_t code, uint32_t first)
{
	record_kind(&(struct kind){.code = code, .contexts = first});
}

/* What a profile leaves out, and what it says that it looks at. */
struct choosing {
	bool (*wants)(void *user, const struct plumb_samples_item *item,
		      const struct plumb_location *location);
	bool (*shows)(void *user, const struct plumb_samples_item *item,
		      const struct plumb_location *location);
	unsigned by;
};

static bool wants_a_thread(void *user, const struct plumb_samples_item *item,
			   const struct plumb_location *location)
{
	(void)user, (void)location;
	return item->task->tid != 1001 || item->record->cpu == 2;
}

static bool wants_a_time(void *user, const struct plumb_samples_item *item,
			 const struct plumb_location *location)
{
	return wants_a_thread(user, item, location) && item->record->has & PLUMB_RECORD_HAS_TIME &&
	       item->record->time / 700 % 3 != 1;
}

static bool wants_a_place(void *user, const struct plumb_samples_item *item,
			  const struct plumb_location *location)
{
	return wants_a_time(user, item, location) && location->ip % 16 != 4;
}

struct reading {
	struct plumb_diagnostics *diagnostics;
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct plumb_samples *samples;
	struct plumb_profile *profile;
};

static void begin(struct reading *r, unsigned threads, const struct choosing *choosing)
{
	static const uint8_t keys[] = {PLUMB_KEY_PID, PLUMB_KEY_TID, PLUMB_KEY_COMM,
				       PLUMB_KEY_SYMBOL, PLUMB_KEY_DATA_SOURCE};
	const struct plumb_samples_options how = {
		.size = sizeof(how), .order = PLUMB_ORDER_TASKS, .each_record_once = true};
	const struct plumb_profile_options options = {
		.size = sizeof(options),
		.keys = keys,
		.key_count = sizeof(keys),
		.rows_max = rows_max,
		.latencies = 1 << PLUMB_SPE_TOTAL_LATENCY,
		.threads = threads,
		.wants = choosing->wants,
		.wants_by = choosing->by,
		.shows = choosing->shows,
		.shows_by = choosing->by,
	};

	r->diagnostics = plumb_diagnostics_new();
	assert_int_equal(plumb_recording_open(path, NULL, &r->recording, r->diagnostics), 0);
	assert_int_equal(plumb_symbolizer_new(NULL, &r->symbolizer), 0);
	plumb_symbolizer_origin(r->symbolizer, r->recording);
	assert_int_equal(plumb_samples_begin(r->recording, &how, &r->samples, r->diagnostics), 0);
	assert_int_equal(plumb_profile_new(&options, r->recording, r->symbolizer, &r->profile), 0);
	assert_int_equal(plumb_profile_add(r->profile, r->samples), 0);
	assert_int_equal(plumb_profile_finish(r->profile, plumb_samples_totals(r->samples)), 0);
	assert_int_equal(plumb_samples_totals(r->samples)->records, RINGS * RECORDS);
}

static void end(struct reading *r)
{
	plumb_profile_free(r->profile);
	plumb_samples_end(r->samples);
	plumb_symbolizer_free(r->symbolizer);
	plumb_recording_close(r->recording);
	plumb_diagnostics_free(r->diagnostics);
}

static void compare_rows(const struct reading *a, const struct reading *b, size_t row)
{
	struct plumb_profile_row rows[2];
	struct plumb_profile_latency latencies[2];
	char rooms[2][PLUMB_PROFILE_TEXT];

	memset(rows, 0, sizeof(rows));
	memset(latencies, 0, sizeof(latencies));
	assert_true(plumb_profile_row(a->profile, 0, row, &rows[0]));
	assert_true(plumb_profile_row(b->profile, 0, row, &rows[1]));
	assert_int_equal(rows[0].samples, rows[1].samples);
	assert_memory_equal(&rows[0].share, &rows[1].share, sizeof(rows[0].share));
	assert_memory_equal(&rows[0].latency, &rows[1].latency, sizeof(rows[0].latency));
	assert_memory_equal(&rows[0].l1d_misses, &rows[1].l1d_misses, sizeof(rows[0].l1d_misses));
	assert_int_equal(plumb_profile_latency(a->profile, 0, row, 0, &latencies[0]),
			 plumb_profile_latency(b->profile, 0, row, 0, &latencies[1]));
	assert_memory_equal(&latencies[0], &latencies[1], sizeof(latencies[0]));
	for (size_t k = 0; k < 5; k++) {
		const char *texts[] = {plumb_profile_text(a->profile, 0, row, k, rooms[0]),
				       plumb_profile_text(b->profile, 0, row, k, rooms[1])};

		assert_int_equal(!texts[0], !texts[1]);
		if (texts[0])
			assert_string_equal(texts[0], texts[1]);
	}
}

/* Compares two profiles, the second one added by `threads`. */
static void compare_choosing(unsigned threads, const struct choosing *first,
			     const struct choosing *second)
{
	struct plumb_profile_event events[2];
	struct reading one, several;
	uint64_t periods[2];

	begin(&one, 1, first);
	begin(&several, threads, second);
	assert_true(plumb_profile_event(one.profile, 0, &events[0]));
	assert_true(plumb_profile_event(several.profile, 0, &events[1]));
	assert_true(events[0].row_count > 10);
	assert_int_equal(events[0].row_count, events[1].row_count);
	assert_int_equal(events[0].samples, events[1].samples);
	assert_int_equal(events[0].given_up, events[1].given_up);
	assert_int_equal(events[0].left_out, events[1].left_out);
	assert_int_equal(events[0].left_out_period, events[1].left_out_period);
	assert_int_equal(events[0].left_out > 0, first->wants != NULL);
	assert_int_equal(plumb_profile_not_shown(one.profile, 0, &periods[0]),
			 plumb_profile_not_shown(several.profile, 0, &periods[1]));
	assert_int_equal(periods[0], periods[1]);
	assert_int_equal(periods[0] > 0, first->shows != NULL);
	for (size_t row = 0; row < events[0].row_count; row++)
		compare_rows(&one, &several, row);
	end(&one);
	end(&several);
}

/* Reads everything, in batches or only counting by `threads`. Returns the totals without losses. */
static struct plumb_samples_totals count(const struct plumb_samples_options *options,
					 unsigned threads)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_samples_batch *batch;
	const struct plumb_record *file_record;
	struct plumb_recording *recording;
	struct plumb_samples *samples;
	struct plumb_samples_totals totals;
	int status;

	assert_int_equal(plumb_recording_open(path, NULL, &recording, diagnostics), 0);
	assert_int_equal(plumb_samples_begin(recording, options, &samples, diagnostics), 0);
	do
		status = threads ? plumb_samples_next_record(samples, threads, &file_record)
				 : plumb_samples_next_batch(samples, &batch);
	while (status > 0);
	assert_int_equal(status, 0);
	totals = *plumb_samples_totals(samples);
	totals.lost = NULL;
	plumb_samples_end(samples);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
	return totals;
}

static void compare_counts(unsigned threads)
{
	struct plumb_samples_options options = {.size = sizeof(options),
						.order = PLUMB_ORDER_TASKS};
	struct plumb_spe_filter *filter;
	struct plumb_itrace *itrace;

	assert_int_equal(plumb_itrace_parse("i3ifmtbaMl", PLUMB_PERF_NEWEST, &itrace, NULL), 0);
	assert_int_equal(plumb_spe_filter_parse("load,latency>9", 0, &filter, NULL), 0);
	for (unsigned how = 0; how < 4; how++) {
		struct plumb_samples_totals one, several;

		options.itrace = how & 1 ? itrace : NULL;
		options.filter = how & 2 ? filter : NULL;
		one = count(&options, 0);
		several = count(&options, threads);
		assert_int_equal(one.records, RINGS * RECORDS);
		assert_memory_equal(&one, &several, sizeof(one));
	}
	plumb_spe_filter_free(filter);
	plumb_itrace_free(itrace);
}

static void compare(unsigned threads)
{
	const struct choosing all = {0};

	compare_choosing(threads, &all, &all);
	compare_counts(threads);
}

static void threads_add_the_same(void **user)
{
	(void)user;
	record(100, 0);
	compare(2);
	compare(3);
	compare(64);
	assert_int_equal(unlink(path), 0);
}

static void without_contexts(void **user)
{
	(void)user;
	record(100, RINGS);
	compare(4);
	assert_int_equal(unlink(path), 0);
}

/* Only the whole stream knows which rings come after the first context packet. */
static void first_context_in_a_later_ring(void **user)
{
	(void)user;
	record(100, 2);
	compare(4);
	assert_int_equal(unlink(path), 0);
}

static void more_rows_than_are_kept(void **user)
{
	(void)user;
	record(60000, 0);
	compare(4);
	assert_int_equal(unlink(path), 0);
}

/* ---- Which rows are kept --------------------------------------------------------------------- */

/* A row of records that a test adds one by one, in the simplest way. */
struct plain_row {
	uint64_t address, samples, latency;
	uint64_t thread, source;
};

static int by_size(const void *a, const void *b)
{
	const struct plain_row *rows[] = {a, b};

	if (rows[0]->samples != rows[1]->samples)
		return rows[0]->samples < rows[1]->samples ? 1 : -1;
	return (rows[0]->latency < rows[1]->latency) - (rows[0]->latency > rows[1]->latency);
}

/* Keeps the rows that are larger than the middle one. Returns how many. */
static size_t keep_large(struct plain_row *rows, size_t count, uint64_t *given_up)
{
	uint64_t middle;
	size_t kept = 0;

	qsort(rows, count, sizeof(*rows), by_size);
	middle = rows[count - 1 - count / 2].samples;
	for (; kept < count && rows[kept].samples > middle; kept++)
		;
	for (size_t i = kept; i < count; i++)
		*given_up += rows[i].samples;
	return kept;
}

static size_t add_plainly(struct plain_row *rows, size_t count,
			  const struct plumb_spe_record *record, uint64_t *given_up)
{
	const struct plain_row row = {record->addresses[0], 1, record->counters[0],
				      record->contexts[0], record->data_source};

	for (size_t i = 0; i < count; i++) {
		if (rows[i].address != row.address || rows[i].thread != row.thread ||
		    rows[i].source != row.source)
			continue;
		rows[i].samples++;
		rows[i].latency += row.latency;
		return count;
	}
	if (count == rows_max)
		count = keep_large(rows, count, given_up);
	rows[count] = row;
	return count + 1;
}

/* Makes the recording's records again, and adds ring after ring. Returns the number of rows. */
static size_t add_all_plainly(const struct kind *kind, struct plain_row *rows, uint64_t *given_up)
{
	struct plumb_spe_record *records = calloc((size_t)RINGS * RECORDS, sizeof(*records));
	size_t count = 0;

	assert_non_null(records);
	state = 1;
	for (size_t i = 0; i < CHUNKS; i++)
		for (size_t j = 0; j < CHUNK; j++)
			records[i % RINGS * RECORDS + i / RINGS * CHUNK + j] =
				make_record(kind->code, kind->contexts == 0, 0);
	for (size_t i = 0; i < (size_t)RINGS * RECORDS; i++)
		count = add_plainly(rows, count, &records[i], given_up);
	free(records);
	qsort(rows, count, sizeof(*rows), by_size);
	return count;
}

/* Compares a profile with one that was added in the simplest way. */
static void compare_plainly(const struct kind *kind, unsigned threads)
{
	struct plain_row *rows = calloc(rows_max, sizeof(*rows));
	struct plain_row *found = calloc(rows_max, sizeof(*found));
	const struct choosing all = {0};
	struct plumb_profile_event event;
	struct reading r;
	uint64_t given_up = 0;
	size_t count;

	assert_non_null(rows);
	assert_non_null(found);
	begin(&r, threads, &all);
	count = add_all_plainly(kind, rows, &given_up);
	assert_true(given_up > 0);
	assert_true(plumb_profile_event(r.profile, 0, &event));
	assert_int_equal(event.samples, RINGS * RECORDS);
	assert_int_equal(event.given_up, given_up);
	assert_int_equal(event.row_count, count);
	for (size_t i = 0; i < count; i++) {
		struct plumb_profile_latency latency;
		struct plumb_profile_row row;

		assert_true(plumb_profile_row(r.profile, 0, i, &row));
		assert_true(plumb_profile_latency(r.profile, 0, i, 0, &latency));
		assert_int_equal(latency.samples, row.samples);
		found[i] = (struct plain_row){
			.samples = row.samples,
			.latency = (uint64_t)(latency.mean * (double)latency.samples + 0.5)};
		assert_int_equal(found[i].latency,
				 (uint64_t)(row.latency.value * (double)latency.samples + 0.5));
	}
	qsort(found, count, sizeof(*found), by_size);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(found[i].samples, rows[i].samples);
		assert_int_equal(found[i].latency, rows[i].latency);
	}
	end(&r);
	free(rows);
	free(found);
}

static void rows_that_are_kept(void **user)
{
	static const size_t limits[] = {5000, 600};
	const struct kind kinds[] = {{.code = 2000}, {.code = 5000, .contexts = RINGS}};

	(void)user;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		rows_max = limits[i];
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			record_kind(&kinds[k]);
			compare_plainly(&kinds[k], 1);
			compare_plainly(&kinds[k], 4);
			assert_int_equal(unlink(path), 0);
		}
	}
	rows_max = 20000;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* What is left out one by one is left out of batches, too. */
static void choosing(void **user)
{
	static const struct choosing ways[] = {
		{wants_a_thread, NULL, PLUMB_WANTS_THREAD},
		{wants_a_time, NULL, PLUMB_WANTS_THREAD | PLUMB_WANTS_TIME},
		{wants_a_place, NULL, PLUMB_WANTS_THREAD | PLUMB_WANTS_TIME | PLUMB_WANTS_LOCATION},
	};
	const struct kind kinds[] = {{.code = 100},
				     {.code = 100, .contexts = RINGS, .switches = 16}};

	(void)user;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		record_kind(&kinds[k]);
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			const struct choosing one_by_one = {ways[i].wants, NULL, 0};
			const struct choosing shown = {NULL, ways[i].wants, ways[i].by};
			const struct choosing shown_one_by_one = {NULL, ways[i].wants, 0};

			compare_choosing(1, &one_by_one, &ways[i]);
			compare_choosing(4, &one_by_one, &ways[i]);
			compare_choosing(1, &shown_one_by_one, &shown);
			compare_choosing(4, &shown_one_by_one, &shown);
		}
		assert_int_equal(unlink(path), 0);
	}
}

static void compare_switches(struct kind kind)
{
	kind.code = 100;
	record_kind(&kind);
	compare(2);
	compare(4);
	assert_int_equal(unlink(path), 0);
}

static void context_switches(void **user)
{
	(void)user;
	compare_switches((struct kind){.contexts = RINGS, .switches = 16});
	compare_switches((struct kind){.contexts = RINGS, .switches = 3});
}

/* These threads have no names and no processes before. */
static void switches_to_unknown_threads(void **user)
{
	(void)user;
	compare_switches((struct kind){.contexts = RINGS, .switches = 16, .unknown = true});
}

static void switches_before_their_chunks(void **user)
{
	(void)user;
	compare_switches((struct kind){.contexts = RINGS, .switches = 16, .late = true});
	compare_switches(
		(struct kind){.contexts = RINGS, .switches = 16, .late = true, .cut = true});
}

static void switches_around_a_name(void **user)
{
	(void)user;
	compare_switches((struct kind){.contexts = RINGS, .switches = 16, .renamed_at = 80});
}

/* What was read ahead is read again, one by one. */
static void contexts_behind_switches(void **user)
{
	(void)user;
	compare_switches((struct kind){.contexts = 1, .contexts_since = 60, .switches = 16});
	compare_switches((struct kind){
		.contexts = 1, .contexts_since = 60, .switches = 16, .late = true, .cut = true});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_add_the_same),
		cmocka_unit_test(without_contexts),
		cmocka_unit_test(first_context_in_a_later_ring),
		cmocka_unit_test(more_rows_than_are_kept),
		cmocka_unit_test(rows_that_are_kept),
		cmocka_unit_test(choosing),
		cmocka_unit_test(context_switches),
		cmocka_unit_test(switches_to_unknown_threads),
		cmocka_unit_test(switches_before_their_chunks),
		cmocka_unit_test(switches_around_a_name),
		cmocka_unit_test(contexts_behind_switches),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
