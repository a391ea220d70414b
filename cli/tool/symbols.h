/* SPDX-License-Identifier: Apache-2.0 */
/* Where the commands look for the symbols of a recording. */
#ifndef TOOL_SYMBOLS_H
#define TOOL_SYMBOLS_H

#include <plumb/symbol.h>

/* The options' values. */
struct symbols_options {
	const char *symfs, *kallsyms, *vmlinux; /* NULL: not given */
	bool raw_names;                         /* --no-demangle */
	bool signatures;                        /* names with parameters */
};

/*
 * Makes a symbolizer for a recording, which searches the usual places of this machine. Warns of
 * places among the options that cannot be read.
 */
struct plumb_symbolizer *symbols_open(const struct symbols_options *options,
				      const struct plumb_recording *recording);

/*
 * Says which files cannot be read, so that their functions are unknown. `root` is the folder of
 * --symfs, or NULL. Returns whether there are any.
 */
bool symbols_report_gone(const struct plumb_symbolizer *symbols, const char *root);

/*
 * Frees a symbolizer, after complaining about files that could not be used. Returns `status`, or
 * EXIT_OTHER if memory ran out while symbols were read. Accepts NULL.
 */
int symbols_close(struct plumb_symbolizer *symbols, int status);

#endif
