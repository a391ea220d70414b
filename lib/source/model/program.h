/* SPDX-License-Identifier: Apache-2.0 */
/* What the model needs to know of a program before it runs it. */
#ifndef SOURCE_MODEL_PROGRAM_H
#define SOURCE_MODEL_PROGRAM_H

#include <limits.h>
#include <plumb/error.h>

struct program {
	char interpreter[PATH_MAX]; /* dynamic loader that it asks for; empty: static */
};

/* Reads `path`. Errors as plumb_model_check_program(), for the program itself. */
int program_inspect(const char *path, struct program *program, struct plumb_diagnostics *found);

/*
 * The folder to pass to qemu-aarch64 -L, so that `interpreter` is found below it: `wanted` if
 * given, else the host itself, else the sysroot of Debian's cross packages. NOT_FOUND if none.
 */
int program_find_sysroot(const struct program *program, const char *wanted, const char **sysroot,
			 struct plumb_diagnostics *found);

#endif
