/* SPDX-License-Identifier: Apache-2.0 */
/* What the model needs to know of a program before it runs it. */
#ifndef SOURCE_MODEL_PROGRAM_H
#define SOURCE_MODEL_PROGRAM_H

#include <limits.h>
#include <plumb/error.h>
#include <stdbool.h>
#include <stdint.h>

struct program {
	char interpreter[PATH_MAX]; /* dynamic loader that it asks for; empty: static */
	uint64_t inode;
	uint64_t
		begins; /* where in the file its own code does: at main(), or where it is entered */
	bool begins_main; /* at main(), which its symbols name */
};

/*
 * Opens `path` for reading. NO_PROGRAM, EXEC if it may not be read, BUSY for want of descriptors,
 * or NO_MEMORY.
 */
int program_open(const char *path, int *fd, struct plumb_diagnostics *found);

/* Reads `path`. Errors as plumb_model_check_program(), for the program itself. */
int program_inspect(const char *path, struct program *program, struct plumb_diagnostics *found);

/*
 * The folder to pass to qemu-aarch64 -L, so that `interpreter` is found below it: `wanted` if
 * given, else the host itself, else the sysroot of Debian's cross packages. MACHINE if none.
 */
int program_find_sysroot(const struct program *program, const char *wanted, const char **sysroot,
			 struct plumb_diagnostics *found);

#endif
