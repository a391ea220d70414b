/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job means for the model: the recording's events as Linux's perf would open them, what to
 * ask the plugin for, and records in the kernel's layout.
 */
#ifndef SOURCE_MODEL_RECORD_SETUP_H
#define SOURCE_MODEL_RECORD_SETUP_H

#include "exact_events.h"
#include "sampling.h"
#include "source/source.h"

/* Events of exact profiles after those that are charged to instructions: exact.h. */
enum { EXACT_LINE_ACCESSES = EXACT_COUNT, EXACT_LINE_MOVES, EXACT_TOGETHER, EXACT_EVENTS };

#define RECORD_EVENTS_MAX \
	(EXACT_EVENTS > OVERFLOW_COUNTERS ? EXACT_EVENTS + 2 : OVERFLOW_COUNTERS + 2)

#define RECORD_MISC_USER      2
#define RECORD_MISC_COMM_EXEC (1 << 13)

struct record_setup {
	const struct core_params *core;
	struct plumb_recording_setup recording;
	struct plumb_recorded_event events[RECORD_EVENTS_MAX];
	uint64_t ids[RECORD_EVENTS_MAX];
	unsigned counters[OVERFLOW_COUNTERS]; /* for each of the plugin's counters: index of its
						 event */
	struct model_sampled_counter asked[OVERFLOW_COUNTERS];
	unsigned counter_count;
	size_t tracking; /* index of the event that mappings and other side-band records belong to
			  */
	size_t spe;      /* and that of the SPE unit's event; SIZE_MAX: none */
	struct spe_control control;
	uint32_t window_interval; /* of a sampled run, as in struct model_sampling */
	uint64_t unit;
	struct plumb_auxtrace_info auxtrace;
	uint64_t auxtrace_values[2];
	struct plumb_time_conv time_conv;
	char cpuid[32], cpudesc[256];
};

/*
 * Returns UNSUPPORTED, NOT_FOUND or ARGUMENT, with a finding that says what the model cannot
 * sample.
 */
int record_setup_make(struct record_setup *setup, const struct source_record_job *job,
		      struct plumb_diagnostics *diagnostics);
/* Names the QEMU that runs the model, beside the core. */
void record_setup_name_engine(struct record_setup *setup, const char *version);
/* What to ask the plugin for. */
void record_setup_fill(const struct record_setup *setup, const struct source_record_job *job,
		       struct model_sampling *sampling);

/* Records being written, one after another. */
struct record_writer {
	int (*records)(void *user, const void *records, size_t size);
	void *user;
	char *bytes;
	size_t size, room;
	size_t begin; /* of the record at hand */
	int error;    /* the first one; nothing is written after it */
};

void record_begin(struct record_writer *out, uint32_t type, uint16_t misc);
void record_bytes(struct record_writer *out, const void *bytes, size_t size);

static inline void record_u32(struct record_writer *out, uint32_t value)
{
	record_bytes(out, &value, sizeof(value));
}

static inline void record_u64(struct record_writer *out, uint64_t value)
{
	if (out->error || out->room - out->size < sizeof(value)) {
		record_bytes(out, &value, sizeof(value));
		return;
	}
	memcpy(out->bytes + out->size, &value, sizeof(value));
	out->size += sizeof(value);
}

/* Appends a text with its NUL, padded to a multiple of eight bytes. */
void record_string(struct record_writer *out, const char *text, size_t length);
/* Returns where to write a sample of `size` bytes, a multiple of eight; NULL after an error. */
void *record_room(struct record_writer *out, size_t size);
/* Appends a sample whose size is in its header. */
void record_whole(struct record_writer *out, const void *sample, size_t size);
/* Ends a sample. */
void record_close(struct record_writer *out);
/* Ends a record other than a sample with its thread, time and CPU. */
void record_end(struct record_writer *out, const struct record_setup *setup,
		const struct model_frame *frame, unsigned slot);
/* Writes a whole sample. `values` are those in the frame. */
void record_sample(struct record_writer *out, const struct record_setup *setup,
		   const struct model_frame *frame, const struct model_frame_sample *sample,
		   unsigned slot, const uint64_t *values);
/* Hands over what there is. */
void record_flush(struct record_writer *out);
void record_writer_clean_up(struct record_writer *out);

#endif
