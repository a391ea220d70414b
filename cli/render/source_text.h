/* SPDX-License-Identifier: Apache-2.0 */
/* The text of source files, line by line. */
#ifndef RENDER_SOURCE_TEXT_H
#define RENDER_SOURCE_TEXT_H

#include <stddef.h>

struct source_text;

/* Never returns NULL. */
struct source_text *source_text_new(void);
void source_text_free(struct source_text *texts);

/*
 * Returns a line of a file (1-based) without its end, and sets `*length`; NULL: the file cannot be
 * read, is larger than 16 MiB, or has no such line. Valid until a line of another file is asked
 * for.
 */
const char *source_text_line(struct source_text *texts, const char *path, unsigned line,
			     size_t *length);

#endif
