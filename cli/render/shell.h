/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a command line to copy into a shell: quoted where necessary, and continued with "\\" if it
 * is long. */
#ifndef RENDER_SHELL_H
#define RENDER_SHELL_H

#include "render/output.h"

struct shell_line {
	struct output *out;
	size_t column, indent;
	bool begun;
};

/* Begins a line in `column`, where the cursor is; further lines are indented. */
struct shell_line shell_line(struct output *out, size_t column, size_t indent);

/* Adds a word, or several that stay on one line, as it is. */
void shell_word(struct shell_line *line, const char *word);
/* Returns any string as one word, quoted if necessary; free it. */
char *shell_quote(const char *text);
/* Adds any string as one word. */
void shell_quoted(struct shell_line *line, const char *text);
void shell_end(struct shell_line *line);

#endif
