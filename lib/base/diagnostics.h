/* SPDX-License-Identifier: Apache-2.0 */
/* What other files of lib/ may do with diagnostics beside <plumb/error.h>. */
#ifndef BASE_DIAGNOSTICS_H
#define BASE_DIAGNOSTICS_H

#include <stdarg.h>

#include <plumb/error.h>

/* plumb_diagnostics_add() with its arguments in a list. */
void diagnostics_vadd(struct plumb_diagnostics *list, enum plumb_severity severity, const char *id,
		      const struct plumb_place *where, const char *format, va_list args)
	PLUMB_PRINTF(5, 0);

#endif
