/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses libiberty's demangler, as perf does, so both print the same names. cplus_demangle() ends the
 * process when memory is short; so this does what it would do with a name of unknown origin.
 */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <libiberty/safe-ctype.h>

/*
 * libiberty's demangler of Rust names needs a table of character classes from its safe-ctype.c,
 * which is under the LGPL, without the permission to link freely that its demanglers have
 * (doc/dependencies.md). The linker uses this table and leaves that file out.
 */
#define PUNCTUATION (_sch_isprint | _sch_ispunct)
#define DIGIT       (_sch_isprint | _sch_isdigit | _sch_isxdigit)
#define UPPER       (_sch_isprint | _sch_isupper | _sch_isidst)
#define LOWER       (_sch_isprint | _sch_islower | _sch_isidst)
#define LINE_END    (_sch_iscntrl | _sch_isspace | _sch_isvsp)
#define LINE_SPACE  (_sch_iscntrl | _sch_isspace | _sch_isnvsp)

/* Indexed by byte; only ASCII characters are in a class. */
const unsigned short _sch_istable[256] = {
	['\0'] = _sch_iscntrl | _sch_isnvsp,
	['\1' ... '\b'] = _sch_iscntrl,
	['\t'] = LINE_SPACE | _sch_isblank,
	['\n'] = LINE_END,
	['\v' ... '\f'] = LINE_SPACE,
	['\r'] = LINE_END,
	['\16' ... '\37'] = _sch_iscntrl,
	[' '] = _sch_isprint | _sch_isspace | _sch_isnvsp | _sch_isblank,
	['!' ... '/'] = PUNCTUATION,
	['0' ... '9'] = DIGIT,
	[':' ... '@'] = PUNCTUATION,
	['A' ... 'F'] = UPPER | _sch_isxdigit,
	['G' ... 'Z'] = UPPER,
	['[' ... '^'] = PUNCTUATION,
	['_'] = PUNCTUATION | _sch_isidst,
	['`'] = PUNCTUATION,
	['a' ... 'f'] = LOWER | _sch_isxdigit,
	['g' ... 'z'] = LOWER,
	['{' ... '~'] = PUNCTUATION,
	['\177'] = _sch_iscntrl,
};

char *demangle(const char *name, bool signature)
{
	int options = DMGL_AUTO | (signature ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS);
	char *plain = rust_demangle(name, options);

	return plain ? plain : cplus_demangle_v3(name, options);
}
