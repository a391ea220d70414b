/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which function code belongs to, where builds differ in what they inline or copy.
 *
 * A function that one build calls, and the other inlines, has no code of its own there. By the
 * debug information, the inlined code is still known. So wherever what a function is inlined into
 * differs between the sides, its inlined code belongs to it on all of them. Likewise, if the sides
 * differ in the parts and copies of a function that the compiler made (f.part.0, f.cold,
 * f.constprop.0), they all belong to f. Otherwise code belongs to its symbol.
 */
#ifndef DIFF_NAMES_H
#define DIFF_NAMES_H

#include "diff/side.h"

/*
 * Decides for these sides, whose recordings were read once. They must live as long. Free the result
 * with diff_names_free(). Returns 0 or NO_MEMORY.
 */
int diff_names_new(struct diff_side *const *sides, size_t count, struct diff_names **result);
void diff_names_free(struct diff_names *names); /* accepts NULL */

/*
 * Returns the function that code of a symbol, or an inlined function, belongs to; NULL if the
 * function that it is inlined into decides.
 */
const char *diff_names_function(const struct diff_names *names, const char *name, bool inlined);

/* Tells whether the inlined code of a function belongs to it. `names` may be NULL: it does not. */
bool diff_names_inlined(const struct diff_names *names, const char *name);
/* Tells whether a function's parts and copies belong to it. Likewise. */
bool diff_names_joined(const struct diff_names *names, const char *name);

#endif
