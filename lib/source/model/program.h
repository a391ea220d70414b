/* SPDX-License-Identifier: Apache-2.0 */
/* What the model needs to know about a program before it runs. */
#ifndef SOURCE_MODEL_PROGRAM_H
#define SOURCE_MODEL_PROGRAM_H

#include <limits.h>
#include <plumb/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_LIBRARIES 4096

struct program {
	char interpreter[PATH_MAX]; /* the dynamic loader that it requests; empty: it is static */
	/* The libraries that it needs, each with its NUL, and an empty one; those that have no room
	 * are left out. */
	char libraries[PROGRAM_LIBRARIES];
	uint64_t inode;
	uint64_t begins;  /* where its own code begins in the file: at main(), or at its entry point
			   */
	bool begins_main; /* it is main(), which a symbol names */
};

/*
 * Opens `path` for reading. Returns NO_PROGRAM, EXEC (not readable), BUSY (no descriptors left) or
 * NO_MEMORY.
 */
int program_open(const char *path, int *fd, struct plumb_diagnostics *diagnostics);

/* Reads `path`. Returns the errors of plumb_model_check_program() about the program itself. */
int program_inspect(const char *path, struct program *program,
		    struct plumb_diagnostics *diagnostics);

/*
 * Returns which of these folders has the program's loader and most of its libraries, the first of
 * several; NULL if none has the loader.
 */
const char *program_best_sysroot(const struct program *program, const char *const *folders,
				 size_t count);

/*
 * Finds the folder for qemu-aarch64 -L in which `interpreter` exists: `wanted` if given, otherwise
 * the better one of the host itself and the sysroot of Debian's cross packages. Returns MACHINE if
 * there is none.
 */
int program_find_sysroot(const struct program *program, const char *wanted, const char **sysroot,
			 struct plumb_diagnostics *diagnostics);

#endif
