/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the writer of recordings share. */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include <plumb/recording.h>
#include <sys/uio.h>

#include "base/arena.h"

/* ---- bytes: write_bytes.c -------------------------------------------------------------------- */

/* A growing run of bytes. If memory is short it stays as it was, and `failed`. */
struct bytes {
	uint8_t *at;
	size_t size, room;
	bool failed;
};

void bytes_add(struct bytes *bytes, const void *from, size_t size);
void bytes_u32(struct bytes *bytes, uint32_t value);
void bytes_u64(struct bytes *bytes, uint64_t value);
void bytes_zero(struct bytes *bytes, size_t size);
/* As features hold strings: their length in 32 bits, then they with NULs up to a multiple of 64. */
void bytes_text(struct bytes *bytes, const char *text);
void bytes_free(struct bytes *bytes);

/* ---- the writer ------------------------------------------------------------------------------ */

/* Records come in runs of this size to the file; longer ones and AUX data by themselves. */
#define WRITER_BUFFER (256u << 10)

/* What one COMPRESSED record holds at most, once it is decompressed. */
#define WRITER_COMPRESSED 49152u

struct aux_entry {
	uint64_t offset, size;
};

struct plumb_recording_writer {
	struct arena arena; /* for `setup` and `path` */
	struct plumb_recording_setup setup;
	struct plumb_diagnostics *diagnostics; /* the caller's */
	const char *path;
	int fd;
	int read_fd; /* of the same file, to change what was written; 0: none yet, -1: none */
	bool pipe;
	int error;          /* that ended it; 0: none */
	uint32_t attr_size; /* in the file */

	/* Where the data is in the file, and whether the header says that features follow it. Of a
	 * pipe the end is all that was written. */
	uint64_t data_begin, data_end;
	bool has_features;
	uint64_t features_size; /* of those that were written last */
	uint64_t settled_end;   /* data_end when the features were written last */
	bool finished;          /* nothing will be added: the header need not warn of that */
	bool incomplete;        /* not everything could be written */

	uint8_t *held; /* records not yet written, whole ones */
	size_t held_size;

	struct aux_entry *index;
	size_t index_count, index_room;
	struct bytes build_ids; /* the feature's content */

	uint64_t clock_resolution, wall_time, clock_time; /* of setup.clockid, in ns */

	int time_offset; /* in samples; -1: not the same in all, or none */
	uint64_t first_time, last_time;

	struct compressor *compressor; /* NULL: not compressed, or not yet */
	uint64_t plain_end;            /* then: where in the file that begins; 0: with the data */
};

/* ---- attributes and features: write_features.c ----------------------------------------------- */

#define RECORD_HEADER 8u /* bytes */

/* As large as perf 6.1 knows it, or as what it holds needs. */
#define ATTR_SIZE_VER7 128u
#define ATTR_SIZE_VER8 136u /* with config3 */
#define ATTR_SIZE_VER9 144u /* with config4 */
void write_attr(struct bytes *bytes, const struct plumb_event_attr *attr, uint32_t size);

/*
 * The features' table and their content, for a file in which they begin at `at`. `bits` becomes
 * the set of those there are. `index`: that of AUX chunks, too.
 */
void write_features(const struct plumb_recording_writer *writer, uint64_t at, bool index,
		    struct bytes *bytes, uint64_t bits[4]);

/* The same as records of a pipe. */
void write_feature_records(const struct plumb_recording_writer *writer, struct bytes *bytes);

/* Of them only how the data is compressed, if it is. */
void write_compression_record(const struct plumb_recording_writer *writer, struct bytes *bytes);

/* The content of a BUILD_ID entry, or a record of that `type`. */
void write_build_id(struct bytes *bytes, uint32_t type, int32_t pid, bool kernel, const uint8_t *id,
		    size_t id_size, const char *path);

/* ---- what is known at the beginning: write_setup.c --------------------------------------------
 */

/* Copies the setup into the writer's memory. Returns false if that is short. */
bool setup_copy(struct plumb_recording_writer *writer, const struct plumb_recording_setup *setup);
/* Chooses the size of attributes. Returns 0, or ARGUMENT with a finding on what cannot be written.
 */
int setup_check(struct plumb_recording_writer *writer, const struct plumb_recording_setup *setup);
/* Returns the offset of the time in samples, if it is the same in all that have one; otherwise -1.
 */
int setup_time_offset(const struct plumb_recording_setup *setup);
/* Reads the setup's clock and the time of day, which belong together. */
void setup_read_clock(struct plumb_recording_writer *writer);

/* ---- the file: write_file.c ------------------------------------------------------------------ */

/* The attributes with their ids, and room for the header, which comes with the first record. */
int file_begin(struct plumb_recording_writer *writer);

/*
 * Appends the parts, which are `size` bytes in all, to the data, and then says so in the header.
 * When that fails, of `records` as many are kept as are there whole, and of anything else none.
 */
int file_append(struct plumb_recording_writer *writer, struct iovec *parts, int count, size_t size,
		bool records);

/* Changes parts of the data, in ascending order. */
int file_change(struct plumb_recording_writer *writer, const struct plumb_recording_change *changes,
		size_t count);

/* Puts the features behind the data. */
int file_features(struct plumb_recording_writer *writer, bool index);

/* "no space left on tmpfs, mounted at /mnt": what `number`, an errno, means for the file. */
void disk_failure(int fd, const char *path, int number, char *text, size_t size);

/* ---- compression: write_compressed.c ----------------------------------------------------------
 */

int compressor_new(int level, struct compressor **compressor);
void compressor_free(struct compressor *compressor);
/* How much less it became so far, rounded; 1 while nothing was compressed. */
uint32_t compressor_ratio(const struct compressor *compressor);
/*
 * The records as COMPRESSED ones; valid until the next call. Returns 0, PLUMB_ERR_NO_MEMORY, or
 * PLUMB_ERR_UNSUPPORTED.
 */
int compressor_run(struct compressor *compressor, const uint8_t *records, size_t size,
		   const uint8_t **out, size_t *out_size);

#endif
