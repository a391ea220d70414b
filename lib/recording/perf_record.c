/* SPDX-License-Identifier: Apache-2.0 */
/* The members of the kinds of records that perf itself writes. */
#include "recording/reader.h"

#include <stdlib.h>

enum cpu_map_form {
	CPU_MAP_LIST,
	CPU_MAP_MASK,
	CPU_MAP_RANGE,
};

static bool parse_auxtrace_info(struct plumb_recording *r, struct cursor *in,
				struct plumb_record *record)
{
	record->auxtrace_info.type = take32(in);
	(void)take32(in);
	record->auxtrace_info.count = cursor_left(in) / 8;
	record->auxtrace_info.values = numbers_parse(r, in, record->auxtrace_info.count);
	return !in->short_of && record->auxtrace_info.values;
}

/* Whether there is a time depends on the format's number: the first had none. */
static void parse_auxtrace_error(struct plumb_recording *r, struct cursor *in,
				 struct plumb_record *record)
{
	struct cursor text;
	uint32_t format;

	record->auxtrace_error.type = take32(in);
	record->auxtrace_error.code = take32(in);
	record->auxtrace_error.cpu = take32(in);
	record->auxtrace_error.pid = (int32_t)take32(in);
	record->auxtrace_error.tid = (int32_t)take32(in);
	format = take32(in);
	record->auxtrace_error.ip = take64(in);
	if (format > 0)
		(void)take64(in);
	text = *in;
	if (cursor_left(in) > 64)
		text.end = text.at + 64;
	record->auxtrace_error.message = string_parse(r, &text);
}

void time_conv_parse(struct cursor *in, struct plumb_time_conv *conv)
{
	const uint8_t *can;

	*conv = (struct plumb_time_conv){0};
	conv->shift = take64(in);
	conv->mult = take64(in);
	conv->zero = take64(in);
	/* It ended here until Linux 5.10. */
	if (in->short_of || cursor_left(in) < 18)
		return;
	conv->cycles = take64(in);
	conv->mask = take64(in);
	can = take_bytes(in, 2);
	if (!can)
		return;
	conv->cap_user_time_zero = can[0] & 1;
	conv->cap_user_time_short = can[1] & 1;
}

static bool parse_thread_map(struct plumb_recording *r, struct cursor *in,
			     struct plumb_record *record)
{
	const uint64_t count = take64(in);
	int32_t *tids;

	if (in->short_of || count > cursor_left(in) / 24)
		return false;
	tids = scratch_take(r, count * sizeof(*tids));
	if (!tids)
		return false;
	for (size_t i = 0; i < count; i++) {
		tids[i] = (int32_t)take64(in);
		(void)take_bytes(in, 16); /* its name */
	}
	record->thread_map.tids = tids;
	record->thread_map.count = count;
	return true;
}

/* ---- CPU_MAP --------------------------------------------------------------------------------- */

/* One list at a time: it can be larger than the record by far. */
static int32_t *cpus_reserve(struct plumb_recording *r, size_t count)
{
	free(r->cpus);
	r->cpus = malloc((count + 1) * sizeof(*r->cpus));
	return r->cpus;
}

static bool parse_cpu_list(struct plumb_recording *r, struct cursor *in,
			   struct plumb_record *record)
{
	const size_t count = take16(in);
	int32_t *cpus = cpus_reserve(r, count);

	if (!cpus)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint16_t cpu = take16(in);

		cpus[i] = cpu == UINT16_MAX ? -1 : cpu;
	}
	record->cpu_map.cpus = cpus;
	record->cpu_map.count = count;
	return !in->short_of;
}

static bool parse_cpu_mask(struct plumb_recording *r, struct cursor *in,
			   struct plumb_record *record)
{
	const size_t words = take16(in), word_size = take16(in), bits = 8 * word_size;
	int32_t *cpus;

	if (word_size == 8)
		(void)take32(in); /* padding */
	else if (word_size != 4)
		return false;
	if (in->short_of || words > cursor_left(in) / word_size)
		return false;
	cpus = cpus_reserve(r, words * bits);
	if (!cpus)
		return false;
	for (size_t i = 0; i < words; i++) {
		const uint64_t word = word_size == 8 ? take64(in) : take32(in);

		for (size_t bit = 0; bit < bits; bit++) {
			if (word >> bit & 1)
				cpus[record->cpu_map.count++] = (int32_t)(i * bits + bit);
		}
	}
	record->cpu_map.cpus = cpus;
	return true;
}

static bool parse_cpu_range(struct plumb_recording *r, struct cursor *in,
			    struct plumb_record *record)
{
	const uint8_t *any = take_bytes(in, 2);
	const int32_t first = take16(in), last = take16(in);
	int32_t *cpus;

	if (in->short_of || last < first)
		return false;
	cpus = cpus_reserve(r, (size_t)(last - first) + 2);
	if (!cpus)
		return false;
	if (any && any[0])
		cpus[record->cpu_map.count++] = -1;
	for (int32_t cpu = first; cpu <= last; cpu++)
		cpus[record->cpu_map.count++] = cpu;
	record->cpu_map.cpus = cpus;
	return true;
}

bool cpu_map_parse(struct plumb_recording *r, struct cursor *in, struct plumb_record *record)
{
	switch (take16(in)) {
	case CPU_MAP_LIST:
		return parse_cpu_list(r, in, record);
	case CPU_MAP_MASK:
		return parse_cpu_mask(r, in, record);
	case CPU_MAP_RANGE:
		return parse_cpu_range(r, in, record);
	default:
		return false;
	}
}

bool perf_record_parse(struct plumb_recording *r, struct cursor *in, const struct raw_record *raw,
		       struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_AUXTRACE_INFO:
		return parse_auxtrace_info(r, in, record);
	case PLUMB_RECORD_AUXTRACE:
		if (!chunk_parse(in, &record->auxtrace))
			return false;
		/* As much as is there, which reading past it has shown. */
		record->auxtrace.size = raw->aux_size;
		record->auxtrace.place = raw->aux_place;
		return true;
	case PLUMB_RECORD_AUXTRACE_ERROR:
		parse_auxtrace_error(r, in, record);
		break;
	case PLUMB_RECORD_TIME_CONV:
		time_conv_parse(in, &record->time_conv);
		break;
	case PLUMB_RECORD_THREAD_MAP:
		return parse_thread_map(r, in, record);
	case PLUMB_RECORD_CPU_MAP:
		return cpu_map_parse(r, in, record);
	default:
		break;
	}
	return !in->short_of;
}
