/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records in the layout of <linux/perf_event.h>, PERF_RECORD_*. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "source/model/record_setup.h"

#define FLUSH_BYTES (1u << 17)

/* Makes room for so many bytes more; false after an error. */
static bool reserve(struct record_writer *out, size_t size)
{
	size_t room = 2 * (out->room + size) + FLUSH_BYTES;
	char *grown;

	if (out->error)
		return false;
	if (out->room - out->size >= size)
		return true;
	grown = realloc(out->bytes, room);
	if (!grown) {
		out->error = PLUMB_ERR_NO_MEMORY;
		return false;
	}
	out->bytes = grown;
	out->room = room;
	return true;
}

void record_bytes(struct record_writer *out, const void *bytes, size_t size)
{
	if (!reserve(out, size))
		return;
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

void *record_room(struct record_writer *out, size_t size)
{
	if (out->size >= FLUSH_BYTES)
		record_flush(out);
	if (!reserve(out, size))
		return NULL;
	out->begin = out->size;
	out->size += size;
	return out->bytes + out->begin;
}

void record_begin(struct record_writer *out, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};

	out->begin = out->size;
	record_bytes(out, &header, sizeof(header));
}

void record_whole(struct record_writer *out, const void *sample, size_t size)
{
	out->begin = out->size;
	record_bytes(out, sample, size);
	if (out->size >= FLUSH_BYTES)
		record_flush(out);
}

void record_string(struct record_writer *out, const char *text, size_t length)
{
	static const char zeroes[8];

	record_bytes(out, text, length);
	record_bytes(out, zeroes, 8 - length % 8);
}

/* Now its size is known. */
void record_close(struct record_writer *out)
{
	uint16_t size = (uint16_t)(out->size - out->begin);

	if (out->error)
		return;
	memcpy(out->bytes + out->begin + offsetof(struct perf_event_header, size), &size,
	       sizeof(size));
	if (out->size >= FLUSH_BYTES)
		record_flush(out);
}

void record_end(struct record_writer *out, const struct record_setup *setup,
		const struct model_frame *frame, unsigned slot)
{
	bool aux = false;
	size_t event = setup->tracking;
	uint64_t type;
	uint32_t kind;

	if (!out->error) {
		memcpy(&kind, out->bytes + out->begin, sizeof(kind));
		aux = kind == PERF_RECORD_AUX || kind == PERF_RECORD_ITRACE_START;
	}
	if (aux)
		event = setup->spe;
	type = setup->events[event].attr.sample_type;
	if (type & PERF_SAMPLE_TID) {
		record_u32(out, frame->pid);
		record_u32(out, frame->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		record_u64(out, frame->time);
	if (type & PERF_SAMPLE_STREAM_ID)
		record_u64(out, 0);
	if (type & PERF_SAMPLE_CPU)
		record_u64(out, slot);
	if (type & PERF_SAMPLE_IDENTIFIER)
		record_u64(out, setup->ids[event]);
	record_close(out);
}

/* PERF_FORMAT_GROUP and PERF_FORMAT_ID. */
static void write_group(struct record_writer *out, const struct record_setup *setup,
			unsigned counter, uint32_t count, const uint64_t *values)
{
	record_u64(out, count);
	for (unsigned c = 0; c < setup->counter_count; c++)
		if (setup->asked[c].leader == setup->asked[counter].leader) {
			record_u64(out, *values++);
			record_u64(out, setup->ids[setup->counters[c]]);
		}
}

void record_sample(struct record_writer *out, const struct record_setup *setup,
		   const struct model_frame *frame, const struct model_frame_sample *sample,
		   unsigned slot, const uint64_t *values)
{
	size_t event = setup->counters[sample->counter];
	uint64_t type = setup->events[event].attr.sample_type;

	record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_u64(out, setup->ids[event]);
	record_u64(out, sample->ip);
	record_u32(out, frame->pid);
	record_u32(out, frame->tid);
	if (type & PERF_SAMPLE_TIME)
		record_u64(out, frame->time);
	if (type & PERF_SAMPLE_ADDR)
		record_u64(out, sample->has_address ? sample->address : 0);
	if (type & PERF_SAMPLE_CPU)
		record_u64(out, slot);
	if (type & PERF_SAMPLE_PERIOD)
		record_u64(out, sample->period);
	if (type & PERF_SAMPLE_READ)
		write_group(out, setup, sample->counter, sample->reads, values);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		record_u64(out, sample->chain);
		record_bytes(out, values + sample->reads, sample->chain * sizeof(*values));
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		record_u64(out, sample->link ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
		if (sample->link)
			record_u64(out, sample->link);
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		record_u64(out, sample->has_address ? sample->physical : 0);
	record_close(out);
}

void record_flush(struct record_writer *out)
{
	if (out->size && !out->error && out->records)
		out->error = out->records(out->user, out->bytes, out->size);
	out->size = 0;
}

void record_writer_clean_up(struct record_writer *out)
{
	free(out->bytes);
}
