/* SPDX-License-Identifier: Apache-2.0 */
/* Takes over what a recording's writer is told at the beginning: copies and checks it. */
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/diagnostics.h"
#include "recording/writer.h"

static bool copy_events(struct plumb_recording_writer *writer,
			const struct plumb_recording_setup *setup)
{
	struct plumb_recorded_event *events =
		arena_alloc_array(&writer->arena, setup->event_count, sizeof(*events));

	for (size_t i = 0; events && i < setup->event_count; i++) {
		const struct plumb_recorded_event *from = &setup->events[i];
		uint64_t *ids = arena_alloc_array(&writer->arena, from->id_count + 1, sizeof(*ids));

		events[i] = *from;
		if (from->name)
			events[i].name = arena_strdup(&writer->arena, from->name);
		if (!ids || (from->name && !events[i].name))
			return false;
		if (from->id_count)
			memcpy(ids, from->ids, from->id_count * sizeof(*ids));
		events[i].ids = ids;
	}
	writer->setup.events = events;
	return events;
}

static bool copy_auxtrace_info(struct plumb_recording_writer *writer,
			       const struct plumb_auxtrace_info *from)
{
	struct plumb_auxtrace_info *info = arena_alloc(&writer->arena, sizeof(*info));
	uint64_t *values = arena_alloc_array(&writer->arena, from->count + 1, sizeof(*values));

	if (!info || !values)
		return false;
	if (from->count)
		memcpy(values, from->values, from->count * sizeof(*values));
	*info = *from;
	info->values = values;
	writer->setup.auxtrace_info = info;
	return true;
}

static bool copy_time_conv(struct plumb_recording_writer *writer,
			   const struct plumb_time_conv *from)
{
	struct plumb_time_conv *conv = arena_alloc(&writer->arena, sizeof(*conv));

	writer->setup.time_conv = conv;
	if (conv)
		*conv = *from;
	return conv;
}

static bool copy_text(struct plumb_recording_writer *writer, const char **text)
{
	const char *copy = *text ? arena_strdup(&writer->arena, *text) : NULL;
	bool fine = copy || !*text;

	*text = copy;
	return fine;
}

static bool copy_command(struct plumb_recording_writer *writer, const char *const *from)
{
	const char **words;
	size_t count = 0;

	while (from[count])
		count++;
	words = arena_alloc_array(&writer->arena, count + 1, sizeof(*words));
	for (size_t i = 0; words && i < count; i++) {
		words[i] = from[i];
		if (!copy_text(writer, &words[i]))
			return false;
	}
	writer->setup.command = words;
	return words;
}

bool setup_copy(struct plumb_recording_writer *writer, const struct plumb_recording_setup *setup)
{
	struct plumb_recording_setup *copy = &writer->setup;
	const char **const texts[] = {&copy->hostname, &copy->osrelease, &copy->version,
				      &copy->arch,     &copy->cpudesc,   &copy->cpuid};
	bool fine;

	*copy = *setup;
	fine = copy_events(writer, setup);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		fine = fine && copy_text(writer, texts[i]);
	for (size_t i = 0; i < copy->pmu_count; i++)
		fine = fine && copy_text(writer, &copy->pmus[i].name);
	for (size_t i = 0; i < copy->core_pmu_count; i++)
		fine = fine && copy_text(writer, &copy->core_pmus[i].name) &&
		       copy_text(writer, &copy->core_pmus[i].cpus);
	if (setup->command)
		fine = fine && copy_command(writer, setup->command);
	if (setup->auxtrace_info)
		fine = fine && copy_auxtrace_info(writer, setup->auxtrace_info);
	if (setup->time_conv)
		fine = fine && copy_time_conv(writer, setup->time_conv);
	return fine;
}

static int bad_setup(struct plumb_recording_writer *writer, const char *what)
{
	struct place where = {.file = writer->path};

	diagnostics_add(writer->diagnostics, PLUMB_ERROR, "no-recording", &where,
			"cannot write this to a recording: %s", what);
	return PLUMB_ERR_ARGUMENT;
}

int setup_check(struct plumb_recording_writer *writer, const struct plumb_recording_setup *setup)
{
	const size_t record_ids = (UINT16_MAX - RECORD_HEADER - ATTR_SIZE_VER9) / sizeof(uint64_t);
	const size_t record_values = (UINT16_MAX - 2 * RECORD_HEADER) / sizeof(uint64_t);

	if (!setup->event_count)
		return bad_setup(writer, "no events");
	if (setup->pmu_count > sizeof(setup->pmus) / sizeof(*setup->pmus))
		return bad_setup(writer, "too many PMUs");
	if (setup->core_pmu_count > sizeof(setup->core_pmus) / sizeof(*setup->core_pmus))
		return bad_setup(writer, "too many PMUs of cores");
	if (setup->auxtrace_info && setup->auxtrace_info->count > record_values)
		return bad_setup(writer, "the AUXTRACE_INFO record is too long");
	for (size_t i = 0; i < setup->event_count; i++) {
		if (writer->pipe && setup->events[i].id_count > record_ids)
			return bad_setup(writer, "too many IDs of one event for a pipe");
		/* Older readers reject larger attributes, so use them only if necessary. */
		if (setup->events[i].attr.config4)
			writer->attr_size = ATTR_SIZE_VER9;
		else if (setup->events[i].attr.config3 && writer->attr_size < ATTR_SIZE_VER8)
			writer->attr_size = ATTR_SIZE_VER8;
	}
	return 0;
}

int setup_time_offset(const struct plumb_recording_setup *setup)
{
	int place = -1;

	for (size_t i = 0; i < setup->event_count; i++) {
		uint64_t type = setup->events[i].attr.sample_type;
		int at = (int)RECORD_HEADER;

		for (uint64_t before =
			     type & (PLUMB_SAMPLE_IDENTIFIER | PLUMB_SAMPLE_IP | PLUMB_SAMPLE_TID);
		     before; before &= before - 1)
			at += 8;
		if (!(type & PLUMB_SAMPLE_TIME) || (place >= 0 && place != at))
			return -1;
		place = at;
	}
	return place;
}

static uint64_t clock_ns(int clock)
{
	struct timespec time = {0};

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void setup_read_clock(struct plumb_recording_writer *writer)
{
	struct timespec resolution = {0};

	if (writer->setup.clockid < 0)
		return;
	clock_getres(writer->setup.clockid, &resolution);
	writer->clock_resolution =
		(uint64_t)resolution.tv_sec * 1000000000u + (uint64_t)resolution.tv_nsec;
	writer->clock_time = clock_ns(writer->setup.clockid);
	writer->wall_time = clock_ns(CLOCK_REALTIME);
}
