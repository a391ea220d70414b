/* SPDX-License-Identifier: Apache-2.0 */
#include "render/shell.h"

#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "tool/memory.h"
#include "tool/wrap.h"

#define CONTINUED " \\"

struct shell_line shell_line(struct output *out, size_t column, size_t indent)
{
	return (struct shell_line){out, column, indent, false};
}

void shell_word(struct shell_line *line, const char *word)
{
	size_t columns = wrap_columns(word, strlen(word));

	/* Leave room for the continuation, too. */
	if (line->begun && line->column + 1 + columns + strlen(CONTINUED) > line->out->width) {
		fputs(CONTINUED "\n", line->out->stream);
		output_spaces(line->out, line->indent);
		line->column = line->indent;
	} else if (line->begun) {
		fputc(' ', line->out->stream);
		line->column++;
	}
	output_text(line->out, STYLE_PLAIN, word);
	line->column += columns;
	line->begun = true;
}

static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	return *text && text[strspn(text, plain)] == '\0';
}

/* Returns whether it contains anything that a terminal must not get as it is. */
static bool has_controls(const char *text)
{
	size_t length = strlen(text);

	return visible_length(text, length) < length;
}

/* $'...', which bash, zsh, ksh and the newest POSIX support: the only way to write control
 * characters.
 */
static char *escaped(const char *text)
{
	char *quoted = memory_alloc(4 * strlen(text) + 4), *at = quoted;

	at = stpcpy(at, "$'");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\'' || c == '\\')
			at += sprintf(at, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			at += sprintf(at, "\\%03o", c);
		else
			*at++ = *text;
	}
	memcpy(at, "'", 2);
	return quoted;
}

/* '...', in which only ' itself is special. */
static char *quoted(const char *text)
{
	char *quoted = memory_alloc(4 * strlen(text) + 3), *at = quoted;

	*at++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			at = stpcpy(at, "'\\''");
		else
			*at++ = *text;
	}
	memcpy(at, "'", 2);
	return quoted;
}

char *shell_quote(const char *text)
{
	return is_plain(text)       ? memory_copy(text, strlen(text))
	       : has_controls(text) ? escaped(text)
				    : quoted(text);
}

void shell_quoted(struct shell_line *line, const char *text)
{
	char *word = shell_quote(text);

	shell_word(line, word);
	free(word);
}

void shell_end(struct shell_line *line)
{
	fputc('\n', line->out->stream);
}
