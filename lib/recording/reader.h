/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of the reader share. */
#ifndef RECORDING_READER_H
#define RECORDING_READER_H

#include <pthread.h>

#include <plumb/recording.h>

#include "base/arena.h"
#include "recording/bytes.h"
#include "recording/order.h"
#include "recording/source.h"
#include "recording/tasks.h"

#define FEATURE_COUNT 256
/* The maximum bytes of all features kept, and of one of them. */
#define FEATURES_LIMIT ((size_t)64 << 20)
#define FEATURE_LIMIT  ((size_t)16 << 20)
#define EVENTS_LIMIT   (64u << 10)
#define IDS_LIMIT      (4u << 20)
#define CHUNKS_LIMIT   (1u << 20)
/* struct perf_event_header, and the maximum size of a record. */
#define RECORD_HEADER    8u
#define RECORD_SIZE_MAX  65535u
#define AUXTRACE_SIZE    48u /* struct perf_record_auxtrace */
#define AUXTRACE_ARM_SPE 4u  /* the type of the AUX data, from AUXTRACE_INFO */

/* An event, and where its samples and trailers have the values needed before parsing. */
struct known_event {
	struct plumb_recorded_event event; /* must be first: callers hold pointers to it */
	bool has_id, has_time;
	size_t sample_id, sample_time;   /* bytes from the record's start */
	size_t trailer_id, trailer_time; /* bytes from its end */
	size_t trailer;                  /* its size; 0: records other than samples have none */
};

/* An open-addressed table from id to event. */
struct id_table {
	struct {
		uint64_t id;
		const struct known_event *event; /* NULL: free */
		uint64_t count;                  /* the value in its last sample */
	} * slots;
	size_t count, room;
};

/* Counts of the threads that inherited an event, all with its id, in their last samples. */
struct inherited {
	struct {
		uint64_t id, count;
		int32_t tid;
		bool used;
	} * slots;
	size_t count, room; /* a power of two */
};

struct kept_feature {
	uint8_t *bytes;
	size_t size;
};

struct build_ids {
	struct build_id_entry **slots; /* open-addressed, by path */
	size_t count, room;
};

/* Kinds of findings; each is reported a few times, then only counted. */
enum complaint_kind {
	COMPLAINT_CUT_OFF,
	COMPLAINT_DAMAGED,
	COMPLAINT_UNKNOWN_ID,
	COMPLAINT_FEATURE,
	COMPLAINT_ATTRIBUTE,
	COMPLAINT_AUX,
	COMPLAINT_ORDER,
	COMPLAINT_KINDS,
};

struct plumb_recording {
	char *name;
	int fd;
	uint64_t file_size; /* 0 for a pipe */
	bool pipe_format, in_file_order;
	bool lacks_end;        /* of a pipe: its recorder has not said that it finished */
	bool swap, big_endian; /* the file's byte order: not this machine's; big-endian */
	struct plumb_recording_options options;
	uint64_t next_progress;
	struct plumb_diagnostics *diagnostics;
	pthread_mutex_t found_lock;
	unsigned complaints[COMPLAINT_KINDS];

	struct tasks *tasks; /* as of the record last given ... */
	bool has_stream;     /* ... by the stream of samples, which then keeps them */

	struct arena arena;
	struct known_event **events;
	size_t event_count, event_room, id_count;
	bool uniform; /* all events' records have the same layout */
	struct id_table ids;
	struct inherited inherited;

	struct kept_feature features[FEATURE_COUNT];
	size_t features_size;
	struct plumb_recording_info info;
	struct build_ids build_ids;

	struct plumb_auxtrace_info auxtrace_info;
	struct plumb_time_conv time_conv;
	bool has_auxtrace_info, has_time_conv;
	struct plumb_aux_chunk *chunks;
	size_t chunk_count, chunk_room;
	bool chunks_indexed;
	int spool; /* for a pipe's AUX data; -1: none yet */
	uint64_t spooled;

	struct folder *folder; /* NULL: a single file; else .fd is that of its first one */
	struct source source;  /* of the file that is read */
	struct decompressor *decompressor;
	struct order order;
	uint64_t due;              /* records up to this time are returned now; 0: none */
	uint64_t round_end;        /* ... after the next round */
	uint64_t given_time;       /* of the last record returned in order */
	bool ended;                /* nothing more is read */
	int failure;               /* ... because of this error, which is still to be returned */
	bool has_pending;          /* a record that comes after its round */
	struct raw_record pending; /* its bytes are the source's */
	struct raw_record *early;  /* those that opening a pipe has passed */
	size_t early_count, early_room, early_next, early_bytes;

	struct plumb_record given; /* by plumb_recording_next() */
	/* Members of the last record that differ from those in the file. */
	uint8_t *scratch, *carried;
	size_t scratch_used;
	int32_t *cpus;

	struct plumb_recording_losses losses;
};

/* ---- The file's byte order, which nothing else looks at ---- */

static inline struct cursor cursor_over(const struct plumb_recording *r, const uint8_t *bytes,
					size_t size)
{
	return (struct cursor){.at = bytes, .end = bytes + size, .swap = r->swap};
}

static inline uint16_t read16(const struct plumb_recording *r, const uint8_t *at)
{
	return load16(at, r->swap);
}

static inline uint32_t read32(const struct plumb_recording *r, const uint8_t *at)
{
	return load32(at, r->swap);
}

static inline uint64_t read64(const struct plumb_recording *r, const uint8_t *at)
{
	return load64(at, r->swap);
}

static inline struct cursor cursor_over_feature(const struct plumb_recording *r, unsigned number)
{
	return cursor_over(r, r->features[number].bytes, r->features[number].size);
}

/*
 * Reads a feature's string: its length in 32 bits, then that many bytes, in which the text ends
 * with NUL. NULL if it does not.
 */
static inline const char *take_counted_string(struct cursor *in)
{
	const uint32_t size = take32(in);
	const char *text = (const char *)take_bytes(in, size);

	return text && strnlen(text, size) < size ? text : NULL;
}

/* Returns a record's members, after its header. */
static inline struct cursor cursor_over_record(const struct plumb_recording *r,
					       const struct raw_record *raw)
{
	return cursor_over(r, raw->bytes + RECORD_HEADER, raw->size - RECORD_HEADER);
}

/* ---- complaints.c ---- */

/* Adds a finding with its place in the file. Reports only a few warnings of each kind. */
void reader_complain(struct plumb_recording *r, enum complaint_kind kind, uint64_t offset,
		     const char *format, ...) PLUMB_PRINTF(4, 5);
/* Does the same for a record that was read a while ago. */
void reader_complain_of(struct plumb_recording *r, enum complaint_kind kind,
			const struct raw_record *raw, const char *format, ...) PLUMB_PRINTF(4, 5);
/* Does the same for an error; returns `error`. */
int refuse(const struct plumb_recording *r, int error, const char *id, const char *format, ...)
	PLUMB_PRINTF(4, 5);
int out_of_memory(const struct plumb_recording *r);
/* Does the same for a failed read from the file; errno tells why. */
int reader_failed(const struct plumb_recording *r);

/* ---- next_record.c ---- */

/* Reads the next record and takes in what it means: 1, 0 at the end, or an error. */
int read_record(struct plumb_recording *r, struct raw_record *raw);
/* Copies a record's bytes to where the next read does not move them. */
void carry_record(struct plumb_recording *r, struct raw_record *raw);

/* ---- header.c: a file's or a pipe's header, attributes and features ---- */

int header_read(struct plumb_recording *r);
/* Returns whether 8 bytes are what a recording begins with, in either byte order. */
bool header_has_magic(const uint8_t *bytes);

/* ---- attr.c ---- */

/* Reads an attribute of at most `size` bytes. attr->size is the size that the attribute itself
 * gives. */
int attr_parse(struct plumb_recording *r, const uint8_t *bytes, size_t size, uint64_t offset,
	       struct plumb_event_attr *attr);

/* ---- events.c ---- */

/* `ids` are in the file's byte order. */
int events_add(struct plumb_recording *r, const struct plumb_event_attr *attr, const uint8_t *ids,
	       size_t count);
void events_name(struct plumb_recording *r, const struct known_event *event, const char *name,
		 size_t length);
const struct known_event *events_find(const struct plumb_recording *r, uint64_t id);
/*
 * Returns how much the event's count has grown since the last call for this id, and for this thread
 * if threads inherit the event; 0 for an unknown event, or if it has become less, which is reported
 * of the record at `offset`.
 */
uint64_t events_count(struct plumb_recording *r, uint64_t id, int32_t tid, uint64_t count,
		      uint64_t offset, const struct plumb_recorded_event **event);
/* Sets .layout, .identified and .time (0: none). */
void events_locate(struct plumb_recording *r, struct raw_record *raw);
void events_free(struct plumb_recording *r);

/* ---- features.c ---- */

/* Copies and uses a feature. Fails only if out of memory. */
int feature_keep(struct plumb_recording *r, unsigned number, const uint8_t *bytes, size_t size);
/* Handles a record HEADER_BUILD_ID, the form of that feature in a pipe. */
int build_id_keep(struct plumb_recording *r, const uint8_t *record, size_t size);
void features_free(struct plumb_recording *r);

/* ---- info.c ---- */

/* Decodes a feature into r->info. Returns NO_MEMORY, or 0; `*whole` is false if it is damaged. */
int info_decode(struct plumb_recording *r, unsigned number, bool *whole);

/* ---- record.c, perf_record.c, sample.c: one record ---- */

/* Parses the members from the record's bytes. Returns false if they do not fit. */
bool record_parse(struct plumb_recording *r, const struct raw_record *raw,
		  struct plumb_record *record);
bool kernel_record_parse(struct plumb_recording *r, struct cursor *in,
			 const struct known_event *layout, struct plumb_record *record);
bool perf_record_parse(struct plumb_recording *r, struct cursor *in, const struct raw_record *raw,
		       struct plumb_record *record);
void time_conv_parse(struct cursor *in, struct plumb_time_conv *conv);
bool sample_parse(struct plumb_recording *r, struct cursor *in, const struct known_event *layout,
		  struct plumb_record *record);
/* Reads the values of PLUMB_SAMPLE_READ and READ. */
struct read_values {
	const struct plumb_read_value *values;
	size_t count;
	uint64_t time_enabled, time_running;
};
bool read_values_parse(struct plumb_recording *r, struct cursor *in, uint64_t format,
		       struct read_values *read);
/* Reads `count` numbers into this machine's byte order; NULL if there are fewer. */
const uint64_t *numbers_parse(struct plumb_recording *r, struct cursor *in, uint64_t count);
/* Reads a string up to its NUL; without a NUL, takes all of `in`. */
const char *string_parse(struct plumb_recording *r, struct cursor *in);
/* Returns room for members, or NULL if there is not enough. */
void *scratch_take(struct plumb_recording *r, size_t size);
/* Reads both forms of PERF_RECORD_CPU_MAP. */
bool cpu_map_parse(struct plumb_recording *r, struct cursor *in, struct plumb_record *record);

/* ---- compressed.c ---- */

/* Passes the contents of a record COMPRESSED to the decompressor. */
int decompressor_feed(struct plumb_recording *r, const struct raw_record *raw);
/* Returns the next decompressed record, at least its bytes: 1, 0 if more input is required, or an
 * error. */
int decompressor_next(struct plumb_recording *r, struct raw_record *raw);
void decompressor_free(struct plumb_recording *r);

/* ---- auxtrace.c ---- */

/* Reads the feature AUXTRACE: the chunks of a file. */
int chunks_read_index(struct plumb_recording *r);
/* Handles a record AUXTRACE that was skipped, and skips its data. */
int chunks_take(struct plumb_recording *r, struct raw_record *raw);
bool chunk_parse(struct cursor *in, struct plumb_aux_chunk *chunk);
void chunks_free(struct plumb_recording *r);
/* Treats a file of bare SPE data as a recording with one chunk, and makes its record. */
int bare_read(struct plumb_recording *r);
void bare_record(const struct plumb_recording *r, uint8_t bytes[AUXTRACE_SIZE],
		 struct raw_record *raw);
/* Keep the first AUXTRACE_INFO and TIME_CONV. */
int auxtrace_info_keep(struct plumb_recording *r, const struct raw_record *raw);

#endif
