/* SPDX-License-Identifier: Apache-2.0 */
/* What else the library itself asks an open recording. */
#ifndef RECORDING_ACCESS_H
#define RECORDING_ACCESS_H

#include <time.h>

#include <plumb/recording.h>

/* Opens a descriptor as plumb_recording_open() opens a path, and takes ownership of it. `name` is
 * used in findings. */
int recording_open_fd(int fd, const char *name, const struct plumb_recording_options *options,
		      struct plumb_recording **recording, struct plumb_diagnostics *diagnostics);

/* Reads the next record as recording_next() does, into the caller's struct. */
int recording_next(struct plumb_recording *recording, struct plumb_record *record);

/* Returns the build-id of `path`, from the feature or HEADER_BUILD_ID records; NULL: unknown. */
const uint8_t *recording_build_id(const struct plumb_recording *recording, const char *path,
				  size_t *size);

/*
 * Sets `*time` to when the file was written last, so that it is no older than what it recorded.
 * Returns false if that is unknown, as of a pipe.
 */
bool recording_written(const struct plumb_recording *recording, struct timespec *time);

/* Return AUXTRACE_INFO and TIME_CONV, or NULL before they have been read. */
const struct plumb_auxtrace_info *recording_auxtrace_info(const struct plumb_recording *recording);
const struct plumb_time_conv *recording_time_conv(const struct plumb_recording *recording);

/*
 * Returns the time in nanoseconds of perf's clock: zero + quotient * mult + (remainder * mult >>
 * shift), with the quotient and remainder of ticks / 2^shift.
 */
uint64_t time_from_ticks(const struct plumb_time_conv *conv, uint64_t ticks);

/*
 * Returns the i-th chunk of AUX data known so far, in file order; NULL past the end. In a file with
 * an index (feature AUXTRACE) all chunks are known from the start, in others once they are read.
 */
const struct plumb_aux_chunk *recording_aux_chunk(const struct plumb_recording *recording,
						  size_t i);

/* As plumb_recording_read_aux(), but without a finding. Any thread may call it. */
int recording_try_aux(const struct plumb_recording *recording, const struct plumb_aux_chunk *chunk,
		      uint64_t from, void *bytes, size_t size);

#endif
