/* SPDX-License-Identifier: Apache-2.0 */
#include <plumb/error.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diagnostics.h"

struct plumb_diagnostics {
	struct arena strings;
	struct plumb_diagnostic *list;
	size_t count;
	size_t room;
	size_t errors;
	size_t warnings;
};

const char *plumb_error_name(int error)
{
	switch (error) {
	case PLUMB_OK:
		return "no error";
	case PLUMB_ERR_NO_MEMORY:
		return "out of memory";
	case PLUMB_ERR_IO:
		return "input/output error";
	case PLUMB_ERR_SYNTAX:
		return "malformed input";
	case PLUMB_ERR_INVALID:
		return "invalid input";
	case PLUMB_ERR_UNSUPPORTED:
		return "not supported";
	case PLUMB_ERR_NOT_FOUND:
		return "not found";
	case PLUMB_ERR_AMBIGUOUS:
		return "ambiguous";
	case PLUMB_ERR_LIMIT:
		return "limit exceeded";
	case PLUMB_ERR_ARGUMENT:
		return "invalid argument";
	case PLUMB_ERR_PERMISSION:
		return "not permitted";
	case PLUMB_ERR_MACHINE:
		return "not supported on this machine";
	case PLUMB_ERR_BUSY:
		return "in use by another process";
	case PLUMB_ERR_INTERRUPTED:
		return "interrupted";
	case PLUMB_ERR_NO_PROGRAM:
		return "no such program";
	case PLUMB_ERR_EXEC:
		return "the program cannot be run";
	default:
		return "unknown error";
	}
}

struct plumb_diagnostics *plumb_diagnostics_new(void)
{
	return calloc(1, sizeof(struct plumb_diagnostics));
}

void plumb_diagnostics_free(struct plumb_diagnostics *list)
{
	if (!list)
		return;
	arena_free(&list->strings);
	free(list->list);
	free(list);
}

size_t plumb_diagnostics_count(const struct plumb_diagnostics *list)
{
	return list->count;
}

const struct plumb_diagnostic *plumb_diagnostics_get(const struct plumb_diagnostics *list, size_t i)
{
	return i < list->count ? &list->list[i] : NULL;
}

size_t plumb_diagnostics_errors(const struct plumb_diagnostics *list)
{
	return list->errors;
}

size_t plumb_diagnostics_warnings(const struct plumb_diagnostics *list)
{
	return list->warnings;
}

/* Formats text into memory owned by the list; NULL if out of memory. */
static PLUMB_PRINTF(2, 0) const
	char *format_string(struct arena *strings, const char *format, va_list args)
{
	va_list again;
	int length;
	char *text;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		return NULL;
	text = arena_alloc(strings, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

static struct plumb_diagnostic *append(struct plumb_diagnostics *list)
{
	if (list->count == PLUMB_DIAGNOSTICS_MAX)
		return NULL;
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct plumb_diagnostic *grown = realloc(list->list, room * sizeof(*grown));

		if (!grown)
			return NULL;
		list->list = grown;
		list->room = room;
	}
	return &list->list[list->count];
}

void diagnostics_vadd(struct plumb_diagnostics *list, enum plumb_severity severity, const char *id,
		      const struct place *where, const char *format, va_list args)
{
	struct plumb_diagnostic *d;

	if (!list)
		return;
	if (severity == PLUMB_ERROR)
		list->errors++;
	else
		list->warnings++;
	d = append(list);
	if (!d)
		return;
	*d = (struct plumb_diagnostic){.severity = severity, .id = id};
	if (where) {
		d->file = where->file ? arena_strdup(&list->strings, where->file) : NULL;
		d->path = where->path ? arena_strdup(&list->strings, where->path) : NULL;
		d->line = where->line;
		d->column = where->column;
	}
	d->message = format_string(&list->strings, format, args);
	if (d->message)
		list->count++;
}

void diagnostics_add(struct plumb_diagnostics *list, enum plumb_severity severity, const char *id,
		     const struct place *where, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diagnostics_vadd(list, severity, id, where, format, args);
	va_end(args);
}

void plumb_diagnostics_add(struct plumb_diagnostics *list, enum plumb_severity severity,
			   const char *id, const char *file, const char *format, ...)
{
	const struct place where = {.file = file};
	va_list args;

	va_start(args, format);
	diagnostics_vadd(list, severity, id, &where, format, args);
	va_end(args);
}

/* Returns the finding that a hint belongs to, or NULL if it was not kept. */
static struct plumb_diagnostic *last_of(struct plumb_diagnostics *list)
{
	if (!list || !list->count || list->errors + list->warnings > list->count)
		return NULL;
	return &list->list[list->count - 1];
}

void plumb_diagnostics_hint(struct plumb_diagnostics *list, const char *format, ...)
{
	struct plumb_diagnostic *last = last_of(list);
	va_list args;

	if (!last)
		return;
	va_start(args, format);
	last->hint = format_string(&list->strings, format, args);
	va_end(args);
}

void diagnostics_remedy(struct plumb_diagnostics *list, const char *remedy, const char *subject,
			const char *format, ...)
{
	struct plumb_diagnostic *last = last_of(list);
	va_list args;

	if (!last)
		return;
	va_start(args, format);
	last->hint = format_string(&list->strings, format, args);
	va_end(args);
	last->subject = subject ? arena_strdup(&list->strings, subject) : NULL;
	last->remedy = !subject || last->subject ? remedy : NULL;
}
