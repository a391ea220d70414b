/* SPDX-License-Identifier: Apache-2.0 */
/* Top-down shares of functions from strobed windows, whose counts may be of their neighbours. */
#include "check.h"

#include <math.h>
#include <plumb/profile.h>

#include "folder.h"
#include "profile/profile.h"
#include "recording/access.h"

#define N3        UINT32_C(0x410fd8e0)
#define TYPE_RAW  4
#define PERIOD    1000
#define CALLER    UINT64_C(0x10000) /* where the two functions are */
#define CALLEE    UINT64_C(0x20000)
#define CALLS     64
#define TOLERANCE 1e-9
#define EVENTS    7
#define STEADY    3 /* windows in a call that are all alike */
#define BACKLOG   334

static const struct {
	uint16_t code;
	const char *name;
} counted[EVENTS] = {{0x11, "CPU_CYCLES"},
		     {0x3a, "OP_RETIRED"},
		     {0x3b, "OP_SPEC"},
		     {0x3f, "STALL_SLOT"},
		     {0x8162, "STALL_FRONTEND_FLUSH"},
		     {0x3e, "STALL_SLOT_FRONTEND"},
		     {0x3d, "STALL_SLOT_BACKEND"}};

/* What a window counts, in the order of `counted`. */
struct window {
	uint64_t counts[EVENTS];
};

/* Half of the slots of each cycle retire, the others wait for the backend. */
static const struct window steady_far = {{800, 2000, 2000, 2000, 0, 0, 2000}};
static const struct window steady = {{200, 500, 500, 500, 0, 0, 500}};
/* The next function begins with a barrier, which is sent once this one's backlog has retired. */
static const struct window backlog = {{400, 165, 165, 1835, BACKLOG, 1670, 165}};
/* All slots wait for the frontend. */
static const struct window next_far = {{600, 0, 0, 3000, 0, 3000, 0}};
static const struct window next = {{200, 0, 0, 1000, 0, 1000, 0}};

struct fixture {
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct plumb_profile *profile;
	const struct plumb_task *task;
	uint64_t offset;
};

static void map(struct fixture *f, const char *file, uint64_t address)
{
	const struct plumb_record record = {.type = PLUMB_RECORD_MMAP2,
					    .misc = PLUMB_MODE_USER,
					    .mmap = {.path = file,
						     .pid = 10,
						     .tid = 10,
						     .address = address,
						     .length = 0x1000,
						     .protection = 4}};
	const struct plumb_samples_item item = {.record = &record};

	assert_int_equal(profile_add_item(f->profile, &item), 0);
}

static void begin(struct fixture *f)
{
	static const uint8_t by_file[] = {PLUMB_KEY_DSO};
	static const struct plumb_profile_options options = {.size = sizeof(options),
							     .keys = by_file,
							     .key_count = 1,
							     .batches = true,
							     .midr = N3};
	struct plumb_recorded_event events[EVENTS];
	uint64_t ids[EVENTS];
	struct plumb_recording_setup setup = {.size = sizeof(setup),
					      .events = events,
					      .event_count = EVENTS,
					      .arch = "aarch64",
					      .clockid = -1};
	struct plumb_recording_writer *writer;
	struct plumb_record ignored;

	*f = (struct fixture){0};
	for (size_t i = 0; i < EVENTS; i++) {
		ids[i] = 1 + i;
		events[i] = (struct plumb_recorded_event){
			.attr = {.type = TYPE_RAW,
				 .size = 128,
				 .config = counted[i].code,
				 .sample_period = i ? 0 : PERIOD,
				 .sample_type = 7 | PLUMB_SAMPLE_READ | PLUMB_SAMPLE_PERIOD,
				 .read_format = PLUMB_FORMAT_GROUP | PLUMB_FORMAT_ID},
			.ids = &ids[i],
			.id_count = 1,
			.name = counted[i].name,
		};
	}
	assert_int_equal(plumb_recording_create(path, &setup, &writer, NULL), 0);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	assert_int_equal(plumb_recording_open(path, NULL, &f->recording, NULL), 0);
	unlink(path);
	while (recording_next(f->recording, &ignored) > 0)
		;
	assert_int_equal(plumb_symbolizer_new(NULL, &f->symbolizer), 0);
	f->task = plumb_symbolizer_task(f->symbolizer, 10, 10);
	assert_non_null(f->task);
	assert_int_equal(plumb_profile_new(&options, f->recording, f->symbolizer, &f->profile), 0);
	map(f, "/nowhere/caller", CALLER);
	map(f, "/nowhere/callee", CALLEE);
}

static void end(struct fixture *f)
{
	plumb_profile_free(f->profile);
	plumb_symbolizer_free(f->symbolizer);
	plumb_recording_close(f->recording);
}

/* Adds the sample at the end of a window, which a member of the group may have taken. */
static void add(struct fixture *f, const struct window *window, uint64_t ip, bool by_member)
{
	f->offset += 64;
	for (size_t i = 0; i < EVENTS; i++) {
		const struct plumb_record record = {
			.type = PLUMB_RECORD_SAMPLE,
			.misc = PLUMB_MODE_USER,
			.offset = f->offset,
			.has = PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_TIME,
			.time = 12345678901 + f->offset,
			.pid = 10,
			.tid = 10,
			.event = plumb_recording_event(f->recording, i),
			.sample = {.ip = ip, .period = window->counts[i], .by_member = by_member},
		};
		const struct plumb_samples_item item = {.record = &record, .task = f->task};

		/* Events that counted nothing have no sample. */
		if (window->counts[i])
			assert_int_equal(profile_add_item(f->profile, &item), 0);
	}
}

/* Adds a call of each function: of the first, `steady_windows` pairs and the backlog. */
static void add_calls(struct fixture *f, unsigned steady_windows)
{
	add(f, &steady_far, CALLER, false);
	for (unsigned i = 0; i < steady_windows; i++) {
		add(f, &steady, CALLER, true);
		add(f, &steady_far, CALLER, false);
	}
	add(f, &backlog, CALLER, true);
	add(f, &next_far, CALLEE, false);
	add(f, &next, CALLEE, true);
}

/* Reports the shares of the function at CALLER, which has more cycles. */
static struct plumb_profile_topdown report(struct fixture *f)
{
	struct plumb_profile_topdown *rows, first;
	size_t count;

	assert_int_equal(plumb_profile_finish(f->profile, NULL), 0);
	assert_int_equal(plumb_profile_topdown(f->profile, &rows, &count), 0);
	assert_int_equal(count, 2);
	first = rows[0];
	free(rows);
	return first;
}

static void leaves_backlogs_out(void **state)
{
	struct plumb_profile_topdown slots;
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned call = 0; call < CALLS; call++)
		add_calls(&f, STEADY);
	slots = report(&f);
	/* All samples around the steady windows are in the function. */
	assert_true(fabs(slots.retiring.value - 0.5) < TOLERANCE);
	assert_true(fabs(slots.backend_bound.value - 0.5) < TOLERANCE);
	assert_true(fabs(slots.bad_speculation.value) < TOLERANCE);
	/* What the others counted may be its own as well. */
	assert_true(slots.bad_speculation.high >
		    (double)BACKLOG / (double)(steady.counts[0] * STEADY + backlog.counts[0]));
	assert_true(slots.retiring.low < 0.4 && slots.retiring.high > 0.5);
	end(&f);
}

static void takes_what_there_is(void **state)
{
	struct plumb_profile_topdown slots;
	struct fixture f;

	(void)state;
	begin(&f);
	/* Next to no call lasts for another sample. */
	for (unsigned call = 0; call < CALLS; call++)
		add_calls(&f, call % 16 == 0);
	slots = report(&f);
	assert_true(slots.bad_speculation.value >
		    (double)BACKLOG / (double)(steady.counts[0] + backlog.counts[0]));
	assert_true(slots.bad_speculation.low <= slots.bad_speculation.value &&
		    slots.bad_speculation.value <= slots.bad_speculation.high);
	end(&f);
}

/* No way to charge windows that crossed lets more operations retire than were sent. */
static void retires_what_was_sent(void **state)
{
	static const struct window crossing_far = {{800, 3000, 100, 900, 0, 0, 900}};
	struct plumb_profile_topdown slots;
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned call = 0; call < CALLS; call++) {
		add(&f, &crossing_far, CALLER, false);
		for (unsigned i = 0; i < STEADY; i++) {
			add(&f, &steady, CALLER, true);
			add(&f, &steady_far, CALLER, false);
		}
		add(&f, &crossing_far, CALLEE, false);
		add(&f, &next, CALLEE, true);
	}
	slots = report(&f);
	assert_true(fabs(slots.retiring.value - 0.5) < TOLERANCE);
	assert_true(slots.retiring.high > 0.5 && slots.retiring.high < 0.6);
	assert_true(slots.bad_speculation.low < TOLERANCE);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_backlogs_out),
		cmocka_unit_test(takes_what_there_is),
		cmocka_unit_test(retires_what_was_sent),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
