/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/decoding.h"

#include <string.h>

#include "recording/access.h"
#include "recording/spe_auxtrace.h"
#include "spe/data_source_perf.h"
#include "spe/filter.h"
#include "spe/itrace.h"
#include "spe/perf_version.h"

#define EVERY      PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_INSTRUCTIONS)
#define ALL_GROUPS (PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUPS) - 1)

void decoding_begin(struct decoding *decoding, struct plumb_recording *recording,
		    const struct plumb_samples_options *options,
		    struct plumb_diagnostics *diagnostics)
{
	struct plumb_itrace usual;
	const struct plumb_itrace *itrace = &usual;

	*decoding = (struct decoding){.recording = recording, .diagnostics = diagnostics};
	itrace_default(&usual, options->like_perf);
	if (options->itrace)
		itrace = options->itrace;
	decoding->synthesis.groups = itrace_groups(itrace, options->like_perf);
	decoding->synthesis.period = itrace->period;
	/* perf's period is 0 if none was given. */
	if (!itrace->period && !perf_is_exact(options->like_perf))
		decoding->synthesis.period = 1;
	decoding->synthesis.version = options->like_perf;
	spe_group_tables_fill(&decoding->synthesis.tables, options->like_perf);
	if (itrace->last_branch && perf_is_newer(options->like_perf))
		decoding->synthesis.branch_entries = itrace->last_branch_size;
	decoding->midr = options->midr;
	decoding->each_record_once = options->each_record_once;
	if (options->each_record_once) {
		decoding->synthesis.groups |= options->itrace ? EVERY : ALL_GROUPS;
		decoding->synthesis.period = 1;
	}
	if (options->filter) {
		decoding->filter = *options->filter;
		decoding->has_filter = true;
		spe_operations_list(&decoding->operations, options->filter);
	}
}

/* As in perf, one event with times is enough. */
static bool has_times(const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->attr.sample_type & PLUMB_SAMPLE_TIME)
			return true;
	return false;
}

/* Returns SPE's event, or NULL if no event is its PMU's. */
static const struct plumb_recorded_event *spe_event(const struct plumb_recording *recording,
						    uint32_t pmu_type)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->attr.type == pmu_type)
			return event;
	return NULL;
}

static void take_clock(struct decoding *decoding)
{
	const struct plumb_time_conv *clock = recording_time_conv(decoding->recording);

	decoding->has_clock = clock && clock->mult && clock->shift < 64;
	if (decoding->has_clock) {
		decoding->clock = *clock;
	} else if (!decoding->synthesis.timeless) {
		plumb_diagnostics_add(decoding->diagnostics, PLUMB_WARNING, "spe-no-clock", NULL,
				      "the recording has no TIME_CONV, so the times of SPE records "
				      "are unknown");
		decoding->synthesis.timeless = true;
	}
}

void decoding_decide(struct decoding *decoding)
{
	static const struct plumb_recorded_event unknown;
	const struct plumb_auxtrace_info *info = recording_auxtrace_info(decoding->recording);
	const struct plumb_recorded_event *event;
	struct spe_auxtrace spe;

	decoding->decided = true;
	if (!info || spe_auxtrace_read(info, &spe)) {
		plumb_diagnostics_add(decoding->diagnostics, PLUMB_WARNING, "aux-unknown", NULL,
				      "the recording's AUX data is not Arm SPE's, and is left out");
		return;
	}
	decoding->is_spe = true;
	decoding->synthesis.timeless = !has_times(decoding->recording);
	take_clock(decoding);
	event = spe_event(decoding->recording, spe.pmu_type);
	synthesis_make_events(&decoding->synthesis, event ? event : &unknown);
}

struct spe_core decoding_core(const struct decoding *decoding, int32_t cpu)
{
	struct spe_core core = spe_core(decoding->recording, cpu);

	/* perf uses what AUXTRACE_INFO says about each core since 6.13. */
	if (!perf_is_newer(decoding->synthesis.version))
		core = (struct spe_core){.midr = spe_cpuid_midr(decoding->recording)};
	if (decoding->midr)
		core.midr = decoding->midr;
	return core;
}

/* The inverse of time_from_ticks(), as in perf. */
uint64_t decoding_ticks(const struct decoding *decoding, uint64_t time)
{
	const struct plumb_time_conv *clock = &decoding->clock;
	uint64_t since = time - clock->zero, whole, rest;

	if (!decoding->has_clock || time == 0 || time == UINT64_MAX)
		return 0;
	whole = since / clock->mult;
	rest = since % clock->mult;
	return (whole << clock->shift) + (rest << clock->shift) / clock->mult;
}

/* Returns the exception levels that a mode may stand for, one bit each. */
static uint8_t levels_of(enum plumb_cpu_mode mode)
{
	switch (mode) {
	case PLUMB_MODE_KERNEL:
		return 1 << 1 | 1 << 2;
	case PLUMB_MODE_USER:
		return 1 << 0;
	case PLUMB_MODE_HYPERVISOR:
		return 1 << 2;
	default:
		return 0;
	}
}

bool decoding_takes_sample(const struct decoding *decoding, const struct plumb_record *record)
{
	/* A record with what a PMU sample knows, and the filter without conditions checked before.
	 */
	struct plumb_spe_record as_spe = {.has = PLUMB_SPE_HAS_PC};
	struct plumb_spe_filter filter = decoding->filter;
	struct spe_origin origin = {.pid = -1, .tid = -1, .cpu = -1};
	struct spe_ranges *pc = &filter.addresses[PLUMB_SPE_PC];
	bool in = pc->count == 0;

	if (!decoding->has_filter)
		return true;
	if (filter.levels && !(filter.levels & levels_of(plumb_record_mode(record))))
		return false;
	for (uint32_t i = 0; i < pc->count && i < SPE_RANGES_MAX; i++)
		in = in ||
		     (record->sample.ip >= pc->at[i].first && record->sample.ip <= pc->at[i].last);
	filter.levels = 0;
	pc->count = 0;
	if (decoding->operations_left && record->event &&
	    record->event->attr.type == decoding->operations_type)
		filter.kinds = filter.flags = 0;
	if (record->has & PLUMB_RECORD_HAS_PID) {
		origin.pid = record->pid;
		origin.tid = record->tid;
	}
	if (record->has & PLUMB_RECORD_HAS_CPU)
		origin.cpu = (int32_t)record->cpu;
	origin.has_time = record->has & PLUMB_RECORD_HAS_TIME;
	origin.time = record->time;
	return in && spe_filter_matches(&filter, &as_spe, &origin);
}
