/* SPDX-License-Identifier: Apache-2.0 */
/* libiberty's demangler, which is also perf's: both write the same names. */
#include <plumb/symbol.h>

#include <libiberty/demangle.h>

char *plumb_demangle(const char *name, bool signature)
{
	return cplus_demangle(name, signature ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS);
}
