/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the program to run: finds out what they are, within their bounds. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/model/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static int fd = -1;
	char path[64];
	struct program program;
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	if (ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		__builtin_trap();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* Refused with a reason, or accepted with a loader's name that is terminated. */
	if (program_inspect(path, &program, diagnostics)) {
		if (!plumb_diagnostics_errors(diagnostics))
			__builtin_trap();
	} else if (!memchr(program.interpreter, '\0', sizeof(program.interpreter))) {
		__builtin_trap();
	}
	plumb_diagnostics_free(diagnostics);
	return 0;
}
