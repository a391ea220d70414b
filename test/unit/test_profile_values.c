/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many operations a row's SPE records stand for, with and without a filter of the unit, against
 * a program all of whose operations are known; and top-down shares against sums made by hand.
 */
#include "check.h"

#include <math.h>
#include <plumb/profile.h>

#include "folder.h"
#include "profile/profile.h"
#include "recording/access.h"

#define PMU    11
#define EXACT  12
#define JITTER (UINT64_C(1) << 16)
#define LOADS  (UINT64_C(1) << 33)
#define PERIOD 1024

enum { SPE, CLOCK, RETIRED, MEMORY, DIVIDER, FLUSH, EMPTY, EVENTS };

static const uint64_t ids[EVENTS] = {1, 2, 3, 4, 5, 6, 7};
#define EXACT_EVENT(i, text)                                                                  \
	{                                                                                     \
		.attr = {.type = EXACT, .size = 128, .sample_type = 7 | PLUMB_SAMPLE_PERIOD}, \
		.ids = &ids[i], .id_count = 1, .name = "exact/" text "/"                      \
	}

struct fixture {
	struct plumb_recorded_event events[EVENTS];
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct plumb_profile *profile;
	const struct plumb_task *task;
	uint64_t state;
};

/* Returns a number below `limit`. */
static uint64_t chance(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % limit;
}

/* Begins a profile of a recording whose SPE unit was set to these. */
static void begin(struct fixture *f, uint64_t config, uint64_t config2, uint64_t period)
{
	static const uint64_t values[] = {PMU, 1}, nothing[1];
	static const uint8_t by_symbol[] = {PLUMB_KEY_SYMBOL};
	static const struct plumb_profile_options options = {
		.size = sizeof(options), .keys = by_symbol, .key_count = 1};
	const struct plumb_auxtrace_info info = {.type = 4, .values = values, .count = 2};
	const struct plumb_recorded_event events[EVENTS] = {
		[SPE] = {.attr = {.type = PMU,
				  .size = 128,
				  .sample_type = 7,
				  .sample_period = period,
				  .config = config,
				  .config2 = config2},
			 .ids = &ids[SPE],
			 .id_count = 1,
			 .name = "arm_spe_0//"},
		[CLOCK] = {.attr = {.type = 1, .size = 128, .sample_type = 7 | PLUMB_SAMPLE_PERIOD},
			   .ids = &ids[CLOCK],
			   .id_count = 1,
			   .name = "cpu-clock"},
		[RETIRED] = EXACT_EVENT(RETIRED, "OP_RETIRED"),
		[MEMORY] = EXACT_EVENT(MEMORY, "slots_backend_mem"),
		[DIVIDER] = EXACT_EVENT(DIVIDER, "slots_backend_divider"),
		[FLUSH] = EXACT_EVENT(FLUSH, "slots_frontend_flush"),
		[EMPTY] = EXACT_EVENT(EMPTY, "slots_frontend_l1i"),
	};
	const struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = f->events,
		.event_count = EVENTS,
		.auxtrace_info = &info,
		.arch = "aarch64",
		.pmus = {{EXACT, "exact"}},
		.pmu_count = 1,
		.clockid = -1,
	};
	struct plumb_recording_writer *writer;
	struct plumb_record ignored;

	*f = (struct fixture){.state = 1};
	memcpy(f->events, events, sizeof(events));
	assert_int_equal(plumb_recording_create(path, &setup, &writer, NULL), 0);
	/* What the unit is comes with its first data, which is nothing but padding here. */
	assert_int_equal(plumb_recording_write_aux(writer, &(struct plumb_aux_chunk){0}, nothing,
						   sizeof(nothing), NULL, 0),
			 0);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	assert_int_equal(plumb_recording_open(path, NULL, &f->recording, NULL), 0);
	unlink(path);
	while (recording_next(f->recording, &ignored) > 0)
		;
	assert_int_equal(plumb_symbolizer_new(NULL, &f->symbolizer), 0);
	f->task = plumb_symbolizer_task(f->symbolizer, 10, 11);
	assert_non_null(f->task);
	assert_int_equal(plumb_profile_new(&options, f->recording, f->symbolizer, &f->profile), 0);
}

static void end(struct fixture *f)
{
	plumb_profile_free(f->profile);
	plumb_symbolizer_free(f->symbolizer);
	plumb_recording_close(f->recording);
}

static void add(struct fixture *f, unsigned event, uint64_t ip, uint64_t period)
{
	static const struct plumb_spe_record spe = {
		.has = PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION,
		.op_class = PLUMB_SPE_LOAD_STORE,
		.events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED),
	};
	const struct plumb_record record = {
		.type = PLUMB_RECORD_SAMPLE,
		.misc = PLUMB_MODE_USER,
		.has = PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_CPU | PLUMB_RECORD_HAS_TIME,
		.time = 12345678901,
		.pid = f->task->pid,
		.tid = f->task->tid,
		.event = &f->events[event],
		.sample = {.ip = ip, .period = period},
	};
	const struct plumb_samples_item item = {
		.record = &record, .task = f->task, .spe = event == SPE ? &spe : NULL};

	assert_int_equal(profile_add_item(f->profile, &item), 0);
}

/* Returns the row at this address, or the number of rows. */
static size_t row_at(const struct fixture *f, size_t event, uint64_t ip)
{
	struct plumb_profile_row row;
	char room[PLUMB_PROFILE_TEXT];
	size_t i = 0;

	while (plumb_profile_row(f->profile, event, i, &row) &&
	       strtoull(plumb_profile_text(f->profile, event, i, 0, room), NULL, 16) != ip)
		i++;
	return i;
}

/* ---- Operations -------------------------------------------------------------------------------
 */

static void counts_operations(void **state)
{
	struct plumb_profile_estimate operations, least;
	struct plumb_profile_event event;
	struct fixture f;

	(void)state;
	begin(&f, JITTER, 0, PERIOD);
	for (int i = 0; i < 400; i++)
		add(&f, SPE, i % 4 ? 0x10 : 0x20, 1);
	add(&f, CLOCK, 0x10, 1000);
	operations = plumb_profile_operations(f.profile, 0, 0);
	assert_true(isnan(operations.value)); /* not finished */
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_true(plumb_profile_event(f.profile, 0, &event));
	assert_true(event.spe);
	assert_false(event.filtered);
	operations = plumb_profile_operations(f.profile, 0, row_at(&f, 0, 0x10));
	assert_true(fabs(operations.value - 300 * (PERIOD + 127.5)) < 1e-6);
	least = plumb_profile_operations(f.profile, 0, row_at(&f, 0, 0x20));
	assert_true(fabs(least.value - 100 * (PERIOD + 127.5)) < 1e-6);
	assert_true(0 < least.low && least.low < least.value && least.value < least.high);
	/* No SPE records, no row, no event. */
	assert_true(isnan(plumb_profile_operations(f.profile, 1, 0).value));
	assert_true(isnan(plumb_profile_operations(f.profile, 0, 2).value));
	assert_true(isnan(plumb_profile_operations(f.profile, 2, 0).value));
	end(&f);

	/* Without jitter, the interval is the period. */
	begin(&f, 0, 0, PERIOD);
	for (int i = 0; i < 10; i++)
		add(&f, SPE, 0x10, 1);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	operations = plumb_profile_operations(f.profile, 0, 0);
	assert_true(fabs(operations.value - 10.0 * PERIOD) < 1e-6);
	end(&f);
}

static void needs_an_interval(void **state)
{
	struct plumb_profile_estimate operations;
	struct fixture f;

	(void)state;
	begin(&f, 0, 0, 0);
	for (int i = 0; i < 10; i++)
		add(&f, SPE, 0x10, 1);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	operations = plumb_profile_operations(f.profile, 0, 0);
	assert_true(isnan(operations.value) && isnan(operations.low) && isnan(operations.high));
	end(&f);
	/* One record tells how many it stands for, but not how many there could have been. */
	begin(&f, JITTER, 0, PERIOD);
	add(&f, SPE, 0x10, 1);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	operations = plumb_profile_operations(f.profile, 0, 0);
	assert_true(fabs(operations.value - (PERIOD + 127.5)) < 1e-6);
	assert_true(isnan(operations.low) && isnan(operations.high));
	end(&f);
}

/* A program: which function each operation is of, and whether it is a load. */
#define OPERATIONS (1 << 20)
#define SEEDS      300
static uint8_t in_second[OPERATIONS], is_load[OPERATIONS];

/* Samples the program, and returns whether the interval of the second function has `truth`. */
static bool holds(uint64_t config, uint64_t seed, double truth, double *sum)
{
	struct plumb_profile_estimate operations = {0};
	struct plumb_profile_event event;
	struct fixture f;
	uint64_t state = seed;
	size_t row;

	begin(&f, config, 0, PERIOD);
	for (uint64_t at = chance(&state, PERIOD + 128); at < OPERATIONS;
	     at += PERIOD + chance(&state, 256))
		if (is_load[at] || !(config & LOADS))
			add(&f, SPE, in_second[at] ? 0x20 : 0x10, 1);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_true(plumb_profile_event(f.profile, 0, &event));
	assert_int_equal(event.filtered, (config & LOADS) != 0);
	row = row_at(&f, 0, 0x20);
	assert_true(row < event.row_count);
	operations = plumb_profile_operations(f.profile, 0, row);
	end(&f);
	*sum += operations.value;
	return operations.low <= truth && truth <= operations.high;
}

/*
 * A filter discards samples after the unit took them at the same intervals as ever. Those left
 * stand for as many operations each, of those that pass.
 */
static void allows_for_the_units_filter(void **state)
{
	static const uint64_t configs[] = {JITTER, JITTER | LOADS};
	uint64_t random = 7;

	(void)state;
	for (int i = 0; i < OPERATIONS; i++) {
		in_second[i] = chance(&random, 10) < 3;
		is_load[i] = chance(&random, 10) < (in_second[i] ? 4 : 1);
	}
	for (size_t c = 0; c < 2; c++) {
		double truth = 0, sum = 0;
		int held = 0;

		for (int i = 0; i < OPERATIONS; i++)
			truth += in_second[i] && (is_load[i] || c == 0);
		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			held += holds(configs[c], seed, truth, &sum);
		/* Of 300 intervals of 95 %, 285 are expected to hold; three standard errors are 11.
		 */
		assert_in_range(held, 274, SEEDS);
		/* The mean of the estimates: the interval's half is some 15 % of one. */
		assert_true(fabs(sum / SEEDS / truth - 1) < 0.02);
	}
}

static void tells_filters(void **state)
{
	static const struct {
		uint64_t config, config2;
		bool filtered;
	} units[] = {
		{0, 0, false},
		{JITTER | 7, 0, false}, /* times and physical addresses */
		{UINT64_C(1) << 32, 0, true},
		{LOADS, 0, true},
		{UINT64_C(1) << 34, 0, true},
		{0, 20, true}, /* a latency */
	};
	struct plumb_profile_event event;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		begin(&f, units[i].config, units[i].config2, PERIOD);
		add(&f, SPE, 0x10, 1);
		add(&f, CLOCK, 0x10, 1);
		assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
		assert_true(plumb_profile_event(f.profile, 0, &event));
		assert_int_equal(event.filtered, units[i].filtered);
		assert_true(plumb_profile_event(f.profile, 1, &event));
		assert_false(event.filtered);
		end(&f);
	}
}

/* ---- Slots ------------------------------------------------------------------------------------
 */

static bool near(double got, double wanted)
{
	return fabs(got - wanted) < 1e-12;
}

static void shares_slots(void **state)
{
	struct plumb_profile_topdown slots;
	struct fixture f;

	(void)state;
	begin(&f, 0, 0, PERIOD);
	add(&f, RETIRED, 0x10, 40);
	add(&f, MEMORY, 0x10, 30);
	add(&f, DIVIDER, 0x10, 10);
	add(&f, FLUSH, 0x10, 15); /* lost to the speculation before it */
	add(&f, EMPTY, 0x10, 5);
	add(&f, RETIRED, 0x20, 100);
	add(&f, CLOCK, 0x10, 7);
	add(&f, CLOCK, 0x30, 7);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	/* The slots of a function are those of all events, whichever asks. */
	for (size_t e = 0; e < 5; e++) {
		assert_int_equal(
			plumb_profile_topdown_of(f.profile, e, row_at(&f, e, 0x10), &slots), 0);
		assert_true(slots.exact);
		assert_int_equal(slots.slots, 100);
		assert_true(near(slots.share.value, 0.5) && isnan(slots.share.low));
		assert_true(near(slots.retiring.value, 0.4) && isnan(slots.retiring.high));
		assert_true(near(slots.bad_speculation.value, 0.15));
		assert_true(near(slots.frontend_bound.value, 0.05));
		assert_true(near(slots.backend_bound.value, 0.4));
		assert_string_equal(slots.cause, "slots_backend_mem/");
		assert_true(near(slots.cause_share, 0.3));
		assert_null(slots.other_cause);
	}
	assert_int_equal(plumb_profile_topdown_of(f.profile, 0, row_at(&f, 0, 0x20), &slots), 0);
	assert_true(near(slots.retiring.value, 1) && near(slots.backend_bound.value, 0));
	assert_null(slots.cause);
	/* cpu-clock saw another function that has no slots; there is no further row or event. */
	assert_int_equal(plumb_profile_topdown_of(f.profile, 5, row_at(&f, 5, 0x30), &slots),
			 PLUMB_ERR_NOT_FOUND);
	assert_int_equal(plumb_profile_topdown_of(f.profile, 0, 2, &slots), PLUMB_ERR_NOT_FOUND);
	assert_int_equal(plumb_profile_topdown_of(f.profile, 6, 0, &slots), PLUMB_ERR_NOT_FOUND);
	end(&f);
}

static void names_ties(void **state)
{
	struct plumb_profile_topdown slots;
	struct fixture f;

	(void)state;
	begin(&f, 0, 0, PERIOD);
	add(&f, MEMORY, 0x10, 100);
	add(&f, DIVIDER, 0x10, 90); /* nine tenths: as important */
	add(&f, MEMORY, 0x20, 100);
	add(&f, DIVIDER, 0x20, 89);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_int_equal(plumb_profile_topdown_of(f.profile, 0, row_at(&f, 0, 0x10), &slots), 0);
	assert_string_equal(slots.cause, "slots_backend_mem/");
	assert_string_equal(slots.other_cause, "slots_backend_divider/");
	assert_true(near(slots.other_cause_share, 90.0 / 190));
	assert_int_equal(plumb_profile_topdown_of(f.profile, 0, row_at(&f, 0, 0x20), &slots), 0);
	assert_string_equal(slots.cause, "slots_backend_mem/");
	assert_null(slots.other_cause);
	end(&f);
}

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

/* Compares each two of many places without a symbol, some of another file, with their texts. */
static void orders_places_by_text(void **state)
{
	static const uint8_t keys[] = {PLUMB_KEY_SYMBOL, PLUMB_KEY_SYMBOL_TO, PLUMB_KEY_IP};
	static const char unknown[] __attribute__((aligned(2))) = "[unknown]";
	static const char file[] __attribute__((aligned(2))) = "a.out";
	const struct plumb_profile profile = {.unknown = unknown};
	enum { PLACES = 150 };
	uint64_t places[PLACES][2], number = 1;

	(void)state;
	for (size_t i = 0; i < PLACES; i++) {
		number = number * UINT64_C(6364136223846793005) + 1442695040888963407;
		places[i][0] = i < 40 ? i : number >> (number >> 58);
		places[i][1] = (uintptr_t)(i % 5 ? file : unknown) | 1;
	}
	for (size_t k = 0; k < sizeof(keys); k++)
		for (size_t i = 0; i < PLACES; i++)
			for (size_t j = 0; j < PLACES; j++) {
				char rooms[2][PLUMB_PROFILE_TEXT];
				const int wanted =
					strcmp(key_text(&profile, keys[k], places[i], rooms[0]),
					       key_text(&profile, keys[k], places[j], rooms[1]));

				assert_int_equal(
					sign(key_compare(&profile, keys[k], places[i], places[j])),
					sign(wanted));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_operations),
		cmocka_unit_test(needs_an_interval),
		cmocka_unit_test(allows_for_the_units_filter),
		cmocka_unit_test(tells_filters),
		cmocka_unit_test(shares_slots),
		cmocka_unit_test(names_ties),
		cmocka_unit_test(orders_places_by_text),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
