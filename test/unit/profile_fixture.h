/* SPDX-License-Identifier: Apache-2.0 */
/* A profile of samples that a test makes. */
#ifndef UNIT_PROFILE_FIXTURE_H
#define UNIT_PROFILE_FIXTURE_H

#include "check.h"

#include <math.h>
#include <plumb/profile.h>

#include "folder.h"
#include "profile/estimate.h"
#include "profile/profile.h"
#include "recording/access.h"

#define PMU   11
#define EXACT 12
#define LANES 3

static const uint64_t ids[] = {1, 2, 3};
static const struct plumb_recorded_event events[] = {
	{.attr = {.type = PMU, .size = 128, .sample_type = 7, .sample_period = 1024},
	 .ids = &ids[0],
	 .id_count = 1,
	 .name = "arm_spe_0//"},
	{.attr = {.type = 1, .size = 128, .sample_type = 7 | PLUMB_SAMPLE_PERIOD},
	 .ids = &ids[1],
	 .id_count = 1,
	 .name = "cpu-clock"},
	{.attr = {.type = EXACT, .size = 128, .sample_type = 7 | PLUMB_SAMPLE_PERIOD},
	 .ids = &ids[2],
	 .id_count = 1,
	 .name = "exact/CPU_CYCLES/"},
	/* Of a sampled run; not in the recording. */
	{.attr = {.type = EXACT,
		  .size = 128,
		  .sample_type = 7 | PLUMB_SAMPLE_PERIOD | PLUMB_SAMPLE_STREAM_ID},
	 .name = "exact/OP_RETIRED/"},
};

struct fixture {
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct plumb_profile *profile;
	struct plumb_record record;
	struct plumb_spe_record spe;
	const struct plumb_task *task;
	struct plumb_samples_item item;
	uint64_t chain[200];
	uint64_t state;
	uint32_t groups;
	uint64_t stream; /* of the samples */
};

static inline uint64_t chance(struct fixture *f, uint64_t limit)
{
	f->state = f->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (f->state >> 33) % limit;
}

static inline void begin(struct fixture *f, const struct plumb_profile_options *options)
{
	static const uint64_t values[] = {PMU, 1};
	const struct plumb_auxtrace_info info = {.type = 4, .values = values, .count = 2};
	const struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = events,
		.event_count = 3,
		.auxtrace_info = &info,
		.arch = "aarch64",
		.pmus = {{EXACT, "exact"}},
		.pmu_count = 1,
		.clockid = -1,
	};
	struct plumb_recording_writer *writer;
	struct plumb_record ignored;

	*f = (struct fixture){0};
	assert_int_equal(plumb_recording_create(path, &setup, &writer, NULL), 0);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	assert_int_equal(plumb_recording_open(path, NULL, &f->recording, NULL), 0);
	unlink(path);
	while (recording_next(f->recording, &ignored) > 0)
		;
	assert_int_equal(plumb_symbolizer_new(NULL, &f->symbolizer), 0);
	f->task = plumb_symbolizer_task(f->symbolizer, 10, 11);
	assert_non_null(f->task);
	assert_int_equal(plumb_profile_new(options, f->recording, f->symbolizer, &f->profile), 0);
}

static inline void end(struct fixture *f)
{
	plumb_profile_free(f->profile);
	plumb_symbolizer_free(f->symbolizer);
	plumb_recording_close(f->recording);
}

/* Adds a sample of `event` at `ip`, whose callers are in f->chain. */
static inline void add(struct fixture *f, const struct plumb_recorded_event *event, uint64_t ip,
		       uint64_t period, uint32_t cpu, size_t callers)
{
	f->record = (struct plumb_record){
		.type = PLUMB_RECORD_SAMPLE,
		.misc = PLUMB_MODE_USER,
		.has = PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_CPU | PLUMB_RECORD_HAS_TIME,
		.time = 12345678901,
		.pid = f->task->pid,
		.tid = f->task->tid,
		.cpu = cpu,
		.event = event,
		.stream_id = f->stream,
		.sample = {.ip = ip,
			   .period = period,
			   .callchain = f->chain,
			   .callchain_length = callers},
	};
	f->item = (struct plumb_samples_item){
		.record = &f->record, .task = f->task, .groups = f->groups, .ring = cpu};
	if (event == &events[0])
		f->item.spe = &f->spe;
	assert_int_equal(profile_add_item(f->profile, &f->item), 0);
}

static const uint8_t by_symbol[] = {PLUMB_KEY_SYMBOL};
static const struct plumb_profile_options plain = {
	.size = sizeof(plain), .keys = by_symbol, .key_count = 1};

static inline void assert_estimate(struct plumb_profile_estimate got, struct estimate wanted)
{
	assert_true(fabs(got.value - wanted.value) <= 1e-9 * fabs(wanted.value));
	assert_true(fabs(got.low - wanted.low) <= 1e-9 * (1 + fabs(wanted.low)));
	assert_true(fabs(got.high - wanted.high) <= 1e-9 * (1 + fabs(wanted.high)));
}

#endif
