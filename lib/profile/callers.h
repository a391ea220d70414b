/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the line of a program's own source that is responsible for code: where the code is in a
 * function without lines, such as a C library's, or in a header of the toolchain, such as a
 * container's, that is the line that called it.
 */
#ifndef PROFILE_CALLERS_H
#define PROFILE_CALLERS_H

#include <plumb/samples.h>
#include <plumb/symbol.h>

/* Tells whether a source file is no header of the compiler, of a language's library or the system.
 */
bool callers_is_own(const char *file);

/*
 * Tells whether the innermost line at a location is own; code in the system's libraries never is,
 * even if its source is known.
 */
bool callers_is_own_code(struct plumb_symbolizer *symbolizer,
			 const struct plumb_location *location);

/*
 * Finds the innermost own line at a location; the function that has it may be inlined there. If
 * there is none, `*frame` is the innermost line of any source. Returns whether it is own.
 */
bool callers_own_line(struct plumb_symbolizer *symbolizer, const struct plumb_location *location,
		      struct plumb_source_frame *frame);

/*
 * Finds the place nearest to a sample's code, which is at `location`, that has an own line: the
 * code itself, or one of its callers; if none has, the nearest caller with any line. Returns false
 * if there is none.
 */
bool callers_find(struct plumb_symbolizer *symbolizer, const struct plumb_samples_item *item,
		  const struct plumb_location *location, struct plumb_location *caller);

#endif
