/* SPDX-License-Identifier: Apache-2.0 */
/* How the lines of a tree are drawn; all of a kind are equally wide. */
#ifndef RENDER_PEN_H
#define RENDER_PEN_H

#include "render/output.h"

struct pen {
	const char *branch, *last, *through, *none; /* before a child, and before its children */
	const char *leads;                          /* before a metric group; between steps */
	const char *marked;                         /* before a line that matters */
	const char *bar[8];  /* a block, filled from an eighth to all of it */
	const char *missing; /* of a value that there is not */
};

/* Lines where the terminal's text is UTF-8, else ASCII. */
const struct pen *pen_for(const struct output *out);

#endif
