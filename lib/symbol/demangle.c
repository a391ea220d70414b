/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libiberty's demangler, which is also perf's: both write the same names. What cplus_demangle()
 * would do with a name of unknown origin is done here, since that ends the process when memory is
 * short.
 */
#include <plumb/symbol.h>

#include <libiberty/demangle.h>

char *plumb_demangle(const char *name, bool signature)
{
	int options = DMGL_AUTO | (signature ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS);
	char *plain = rust_demangle(name, options);

	return plain ? plain : cplus_demangle_v3(name, options);
}
