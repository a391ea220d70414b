/* SPDX-License-Identifier: Apache-2.0 */
/* For harnesses whose input is a recording. */
#ifndef FUZZ_OPEN_BYTES_H
#define FUZZ_OPEN_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/access.h"

/* Unlike assert(), there in every build. */
static inline void require(bool promise)
{
	if (!promise)
		abort();
}

/* Opens a recording of these bytes; NULL: it is refused. */
static inline struct plumb_recording *open_bytes(const uint8_t *data, size_t size,
						 struct plumb_diagnostics *diagnostics)
{
	struct plumb_recording *recording = NULL;
	int fd = memfd_create("recording", 0);

	require(fd >= 0);
	require(write(fd, data, size) == (ssize_t)size);
	require(lseek(fd, 0, SEEK_SET) == 0);
	return recording_open_fd(fd, "fuzz", NULL, &recording, diagnostics) ? NULL : recording;
}

#endif
