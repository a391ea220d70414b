/* SPDX-License-Identifier: Apache-2.0 */
#include "render/fit.h"

#include <stdlib.h>
#include <string.h>

#include "render/pen.h"
#include "tool/memory.h"
#include "tool/wrap.h"

/* Returns where the last characters of a name begin that take at most `columns` columns. */
static size_t tail_of(const char *name, size_t length, size_t columns)
{
	size_t at = length;

	while (at > 0) {
		size_t start = at - 1;

		for (int i = 0; i < 3 && start > 0 && ((unsigned char)name[start] & 0xc0) == 0x80;
		     i++)
			start--;
		if (wrap_columns(name + start, at - start) > columns)
			break;
		columns -= wrap_columns(name + start, at - start);
		at = start;
	}
	return at;
}

/*
 * Returns where a C++ name may begin so that it takes at most `columns` columns: behind one of the
 * scopes that qualify it. NULL if it has none, or loses so much that its beginning tells more.
 */
static const char *unqualified(const char *name, size_t columns)
{
	size_t depth = 0, left;

	for (const char *at = name; *at; at++) {
		depth += *at == '<' || *at == '(';
		depth -= (*at == '>' || *at == ')') && depth;
		if (depth || strncmp(at, "::", 2) != 0)
			continue;
		at++;
		left = wrap_columns(at + 1, strlen(at + 1));
		if (left <= columns)
			return 5 * left >= 3 * columns ? at + 1 : NULL;
	}
	return NULL;
}

char *fit_short_name(const struct output *out, const char *name, size_t columns)
{
	const char *mark = pen_for(out)->omitted;
	const size_t length = strlen(name), taken = wrap_columns(mark, strlen(mark));
	const char *scope;
	size_t head, tail;

	if (wrap_columns(name, length) <= columns || columns <= taken)
		return memory_copy(name, length);
	columns -= taken;
	scope = unqualified(name, columns);
	if (scope)
		return memory_format("%s%s", mark, scope);
	head = wrap_fit(name, length, columns - columns / 2);
	tail = tail_of(name, length, columns - wrap_columns(name, head));
	/* One mark is enough for what a template has lost, too. */
	if (strncmp(name + tail, mark, strlen(mark)) == 0)
		tail += strlen(mark);
	return memory_format("%.*s%s%s", (int)head, name, mark, name + tail);
}

static size_t count_lines(const char *text, size_t width)
{
	struct wrap_line line;
	size_t count = 0;

	while (wrap_next(&text, width, &line))
		count++;
	return count;
}

char *fit_tall_name(const struct output *out, const char *name, size_t width)
{
	size_t columns = FIT_NAME_LINES * width;
	char *text = memory_copy(name, strlen(name));

	/* Lines end between words, so not all are full. */
	while (count_lines(text, width) > FIT_NAME_LINES && columns > width) {
		free(text);
		text = fit_short_name(out, name, columns);
		columns -= (width + 1) / 2;
	}
	return text;
}

/* Does what fit_flow() does on a terminal. */
static size_t flow(struct output *out, enum style style, size_t column, size_t indent,
		   const char *text)
{
	struct wrap_line line = {0};

	if (column >= indent)
		return output_flow(out, style, column, indent, text);
	/* The first line hangs out. */
	if (!wrap_next(&text, output_prose_width(out) - column, &line))
		return column;
	output_bytes(out, style, line.at, line.length);
	if (!*text)
		return column + line.columns;
	fputc('\n', out->stream);
	return output_flow(out, style, 0, indent, text);
}

size_t fit_flow(struct output *out, enum style style, size_t column, size_t indent,
		const char *text)
{
	if (out->terminal)
		return flow(out, style, column, indent, text);
	output_text(out, style, text);
	return column + wrap_columns(text, strlen(text));
}

void fit_prose(struct output *out, enum style style, size_t column, size_t indent, const char *text)
{
	/* The browser's pages are as wide as its screen, but may have longer lines of code. */
	if (output_is_narrow(out))
		flow(out, style, column, indent, text);
	else
		output_text(out, style, text);
	fputc('\n', out->stream);
}

void fit_name(struct output *out, enum style style, size_t column, size_t indent, const char *name)
{
	const size_t from = column > indent ? column : indent;
	char *text;

	if (!out->terminal) {
		fit_prose(out, style, column, indent, name);
		return;
	}
	text = fit_tall_name(out, name, out->width > from ? out->width - from : 1);
	fit_prose(out, style, column, indent, text);
	free(text);
}

void fit_line_name(struct output *out, enum style style, size_t column, const char *name)
{
	const size_t room = out->width > column ? out->width - column : 1;
	char *text = output_is_narrow(out) ? fit_short_name(out, name, room) : NULL;

	output_text(out, style, text ? text : name);
	fputc('\n', out->stream);
	free(text);
}

size_t fit_cut(struct output *out, enum style style, size_t column, const char *text, size_t length)
{
	const char *mark = pen_for(out)->omitted;
	const size_t room = out->width > column ? out->width - column : 0;
	const size_t columns = wrap_columns(text, length), taken = wrap_columns(mark, strlen(mark));

	if (!out->terminal || columns <= room) {
		output_bytes(out, style, text, length);
		return column + columns;
	}
	if (room >= taken) {
		output_bytes(out, style, text, wrap_fit(text, length, room - taken));
		output_text(out, style, mark);
	}
	return out->width;
}
