/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings made byte by byte, of either byte order, as a file or as a pipe: written from
 * perf.data-file-format.txt and <linux/perf_event.h>, and sharing nothing with the library.
 */
#ifndef TEST_RECORDING_BUILDER_H
#define TEST_RECORDING_BUILDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <plumb/recording.h>

#include "recording/access.h"

/* PERF_SAMPLE_*: what a sample has, in sample_type. */
enum {
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	ADDR = 1 << 3,
	READ = 1 << 4,
	CALLCHAIN = 1 << 5,
	ID = 1 << 6,
	CPU = 1 << 7,
	PERIOD = 1 << 8,
	STREAM = 1 << 9,
	RAW = 1 << 10,
	BRANCHES = 1 << 11,
	REGS_USER = 1 << 12,
	STACK_USER = 1 << 13,
	WEIGHT = 1 << 14,
	DATA_SRC = 1 << 15,
	IDENTIFIER = 1 << 16,
	TRANSACTION = 1 << 17,
	REGS_INTR = 1 << 18,
	PHYS_ADDR = 1 << 19,
	AUX = 1 << 20,
	CGROUP = 1 << 21,
	DATA_PAGE = 1 << 22,
	CODE_PAGE = 1 << 23,
};

struct build {
	uint8_t bytes[1 << 19];
	size_t size;
	bool big, pipe;
	size_t record;            /* where the record that is being built begins */
	uint64_t data;            /* where the file's data begin */
	uint64_t features[4];     /* bits */
	size_t feature_at[256];   /* in `kept` */
	size_t feature_size[256]; /* ... */
	uint8_t kept[1 << 16];
	size_t kept_size;
};

/* An event's attribute; what is left out is 0. */
struct built_attr {
	uint32_t type, size;
	uint64_t config, period, sample_type, read_format, flags, precise;
	uint64_t config1, config2, config3, config4, branches, regs_user, regs_intr;
	uint32_t stack_user;
	int32_t clockid;
	uint64_t ids[4];
	size_t id_count;
	uint8_t beyond; /* what bytes past those known are */
};

static inline void put_bytes(struct build *b, const void *bytes, size_t size)
{
	assert_true(size <= sizeof(b->bytes) - b->size);
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
}

static inline void put_number(struct build *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		const uint8_t byte = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));

		put_bytes(b, &byte, 1);
	}
}

static inline void put8(struct build *b, uint8_t value)
{
	put_number(b, value, 1);
}

static inline void put16(struct build *b, uint16_t value)
{
	put_number(b, value, 2);
}

static inline void put32(struct build *b, uint32_t value)
{
	put_number(b, value, 4);
}

static inline void put64(struct build *b, uint64_t value)
{
	put_number(b, value, 8);
}

static inline void put_zeros(struct build *b, size_t count)
{
	for (; count > 0; count--)
		put8(b, 0);
}

/* With its NUL, and more up to a multiple of `align` bytes. */
static inline void put_text(struct build *b, const char *text, size_t align)
{
	const size_t size = strlen(text) + 1;

	put_bytes(b, text, size);
	put_zeros(b, (align - size % align) % align);
}

/* A number that is already there. */
static inline void patch_number(struct build *b, size_t at, uint64_t value, unsigned size)
{
	const size_t end = b->size;

	b->size = at;
	put_number(b, value, size);
	b->size = end;
}

static inline void begin(struct build *b, uint32_t type, uint16_t misc)
{
	b->record = b->size;
	put32(b, type);
	put16(b, misc);
	put16(b, 0);
}

static inline void end(struct build *b)
{
	patch_number(b, b->record + 6, b->size - b->record, 2);
}

/* Bit-fields begin at the other end on big-endian machines. */
static inline void put_flags(struct build *b, uint64_t flags, uint64_t precise)
{
	uint64_t value = 0;

	if (!b->big) {
		put64(b, flags | precise << 15);
		return;
	}
	for (unsigned i = 0; i < 64; i++)
		value |= (flags >> i & 1) << (63 - i);
	put64(b, value | precise << 47);
}

static inline void put_attr(struct build *b, const struct built_attr *attr)
{
	const size_t at = b->size;
	const uint32_t size = attr->size ? attr->size : 136;

	put32(b, attr->type);
	put32(b, size);
	put64(b, attr->config);
	put64(b, attr->period);
	put64(b, attr->sample_type);
	put64(b, attr->read_format);
	put_flags(b, attr->flags, attr->precise);
	put32(b, 1); /* wakeup_events */
	put32(b, 0); /* bp_type */
	put64(b, attr->config1);
	put64(b, attr->config2);
	put64(b, attr->branches);
	put64(b, attr->regs_user);
	put32(b, attr->stack_user);
	put32(b, (uint32_t)attr->clockid);
	put64(b, attr->regs_intr);
	put32(b, 0x1000); /* aux_watermark */
	put16(b, 127);    /* sample_max_stack */
	put16(b, 0);
	put64(b, 0); /* aux_sample_size */
	put64(b, 0); /* sig_data */
	put64(b, attr->config3);
	put64(b, attr->config4);
	if (b->size - at > size)
		b->size = at + size;
	while (b->size - at < size)
		put8(b, attr->beyond);
}

static inline void put_header(struct build *b)
{
	put64(b, UINT64_C(0x32454c4946524550));
	put64(b, b->pipe ? 16 : 104);
	if (!b->pipe)
		put_zeros(b, 88);
}

/* A recording's begin, up to its data. */
static inline void build_begin(struct build *b, const struct built_attr *attrs, size_t count)
{
	const size_t attr_size = count && attrs[0].size ? attrs[0].size : 136;
	size_t ids;

	put_header(b);
	if (b->pipe) {
		for (size_t i = 0; i < count; i++) {
			begin(b, 64, 0);
			put_attr(b, &attrs[i]);
			for (size_t k = 0; k < attrs[i].id_count; k++)
				put64(b, attrs[i].ids[k]);
			end(b);
		}
		return;
	}
	ids = b->size;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < attrs[i].id_count; k++)
			put64(b, attrs[i].ids[k]);
	}
	patch_number(b, 16, attr_size + 16, 8);
	patch_number(b, 24, b->size, 8);
	patch_number(b, 32, count * (attr_size + 16), 8);
	for (size_t i = 0; i < count; i++) {
		put_attr(b, &attrs[i]);
		put64(b, ids);
		put64(b, 8 * attrs[i].id_count);
		ids += 8 * attrs[i].id_count;
	}
	b->data = b->size;
	patch_number(b, 40, b->data, 8);
}

/* A feature: what `b` holds from `from` on, taken back. In a pipe it stays, as a record. */
static inline size_t feature_begin(struct build *b, unsigned number)
{
	if (b->pipe) {
		begin(b, 80, 0);
		put64(b, number);
	}
	return b->size;
}

static inline void feature_end(struct build *b, unsigned number, size_t from)
{
	if (b->pipe) {
		put_zeros(b, (8 - b->size % 8) % 8);
		end(b);
		return;
	}
	b->features[number / 64] |= UINT64_C(1) << number % 64;
	b->feature_at[number] = b->kept_size;
	b->feature_size[number] = b->size - from;
	assert_true(b->size - from <= sizeof(b->kept) - b->kept_size);
	memcpy(b->kept + b->kept_size, b->bytes + from, b->size - from);
	b->kept_size += b->size - from;
	b->size = from;
}

static inline void put_string(struct build *b, const char *text)
{
	put32(b, (uint32_t)((strlen(text) + 1 + 63) / 64 * 64));
	put_text(b, text, 64);
}

static inline void text_feature(struct build *b, unsigned number, const char *text)
{
	const size_t from = feature_begin(b, number);

	put_string(b, text);
	feature_end(b, number, from);
}

/* Says how much data there is, and adds the features. */
static inline void build_end(struct build *b)
{
	size_t sections = 0, at;

	if (b->pipe)
		return;
	/* No data at all would look like the file of a killed recorder. */
	if (b->size == b->data) {
		begin(b, 68, 0);
		end(b);
	}
	patch_number(b, 48, b->size - b->data, 8);
	for (unsigned i = 0; i < 4; i++) {
		patch_number(b, 72 + 8 * i, b->features[i], 8);
		sections += (size_t)__builtin_popcountll(b->features[i]);
	}
	at = b->size + 16 * sections;
	for (unsigned i = 0; i < 256; i++) {
		if (!(b->features[i / 64] >> i % 64 & 1))
			continue;
		put64(b, at + b->feature_at[i]);
		put64(b, b->feature_size[i]);
	}
	put_bytes(b, b->kept, b->kept_size);
}

static inline struct build *build_new(bool big, bool pipe)
{
	struct build *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->big = big;
	b->pipe = pipe;
	return b;
}

/* ---- Reading it ------------------------------------------------------------------------------ */

struct opened {
	struct plumb_recording *recording;
	struct plumb_diagnostics *diagnostics;
	int error;
};

static inline int as_file(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

/* Write no more than a pipe can hold: nobody reads yet. */
static inline int as_pipe(const uint8_t *bytes, size_t size)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (size > 65536)
		assert_true(fcntl(ends[1], F_SETPIPE_SZ, (int)size) >= (int)size);
	assert_int_equal(write(ends[1], bytes, size), size);
	assert_int_equal(close(ends[1]), 0);
	return ends[0];
}

static inline struct opened open_bytes(const uint8_t *bytes, size_t size, bool through_pipe,
				       const struct plumb_recording_options *options)
{
	struct opened opened = {.diagnostics = plumb_diagnostics_new()};
	int fd = through_pipe ? as_pipe(bytes, size) : as_file(bytes, size);

	opened.error =
		recording_open_fd(fd, "built", options, &opened.recording, opened.diagnostics);
	return opened;
}

static inline void opened_close(struct opened *opened)
{
	plumb_recording_close(opened->recording);
	plumb_diagnostics_free(opened->diagnostics);
}

/* Opens what was built, which must succeed. */
static inline struct opened open_built(struct build *b)
{
	struct opened opened;

	build_end(b);
	opened = open_bytes(b->bytes, b->size, b->pipe, NULL);
	assert_int_equal(opened.error, 0);
	return opened;
}

static inline bool has_finding(const struct plumb_diagnostics *diagnostics, const char *id)
{
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		if (strcmp(plumb_diagnostics_get(diagnostics, i)->id, id) == 0)
			return true;
	}
	return false;
}

/* The next record of a kind, those of the preface passed over. */
static inline struct plumb_record next_of(struct opened *opened, uint32_t type)
{
	struct plumb_record record;

	do
		assert_int_equal(recording_next(opened->recording, &record), 1);
	while (record.type != type && (record.type == 64 || record.type == 80));
	assert_int_equal(record.type, type);
	return record;
}

static inline void no_more(struct opened *opened)
{
	struct plumb_record record;

	assert_int_equal(recording_next(opened->recording, &record), 0);
}

/* Runs a test for files and pipes, of both byte orders. */
#define FOR_EACH_FORM(b)                          \
	for (unsigned form = 0; form < 4; form++) \
		for (struct build *b = build_new(form & 1, form & 2); b; free(b), (b) = NULL)

#endif
