/* SPDX-License-Identifier: Apache-2.0 */
/* What other files of lib/ may do with diagnostics beside <plumb/error.h>. */
#ifndef BASE_DIAGNOSTICS_H
#define BASE_DIAGNOSTICS_H

#include <stdarg.h>

#include <plumb/error.h>

/* The place of a finding. Unknown members stay zero; strings are copied. */
struct place {
	const char *file;
	unsigned line;
	unsigned column;
	const char *path;
};

/* Adds a finding as plumb_diagnostics_add() does, with its whole place; NULL: unknown. */
void diagnostics_add(struct plumb_diagnostics *list, enum plumb_severity severity, const char *id,
		     const struct place *where, const char *format, ...) PLUMB_PRINTF(5, 6);
/* Does the same with its arguments in a list. */
void diagnostics_vadd(struct plumb_diagnostics *list, enum plumb_severity severity, const char *id,
		      const struct place *where, const char *format, va_list args)
	PLUMB_PRINTF(5, 0);

/*
 * Sets the hint of the last finding as plumb_diagnostics_hint() does, where a program does better
 * by naming its options. It finds its own text by `remedy`, a string literal, and puts a copy of
 * `subject`, which may be NULL, into it.
 */
void diagnostics_remedy(struct plumb_diagnostics *list, const char *remedy, const char *subject,
			const char *format, ...) PLUMB_PRINTF(4, 5);

#endif
