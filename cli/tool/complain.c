/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/complain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/near.h"
#include "base/number.h"
#include "tool/hints.h"
#include "tool/wrap.h"

/* How many findings to print for a file that is used, not checked. */
#define FINDINGS_SHOWN 3

#define PREFIX "plumb: "
#define INDENT "       "

/* What complain_collect() asked for. */
static FILE *collector;

void complain_collect(FILE *instead)
{
	collector = instead;
}

/* Returns the columns after the prefix, or 0 if standard error is not a terminal. Then lines are
 * not wrapped. */
static size_t room(void)
{
	struct winsize size;

	if (collector || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 ||
	    size.ws_col < 4 * strlen(PREFIX))
		return 0;
	return size.ws_col - strlen(PREFIX);
}

static PLUMB_PRINTF(2, 0) void say(const char *prefix, const char *format, va_list arguments)
{
	const size_t columns = room();
	struct wrap_line part;
	const char *rest;
	char line[4096];
	FILE *stream = collector ? collector : stderr;

	if (vsnprintf(line, sizeof(line), format, arguments) < 0)
		return;
	line[wrap_complete(line)] = '\0';
	fputs(prefix, stream);
	if (columns == 0)
		wrap_put(stream, line, strlen(line));
	rest = line;
	for (bool first = true; columns > 0 && wrap_next(&rest, columns, &part); first = false) {
		fputs(first ? "" : "\n" INDENT, stream);
		wrap_put(stream, part.at, part.length);
	}
	fputc('\n', stream);
}

void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(PREFIX, format, arguments);
	va_end(arguments);
}

void advise(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(INDENT, format, arguments);
	va_end(arguments);
}

/* As say(), of text that may have a prefix already. */
static PLUMB_PRINTF(2, 3) void say_again(const char *prefix, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(prefix, format, arguments);
	va_end(arguments);
}

void complain_again(const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, "\n");
		const char *prefix = strncmp(text, PREFIX, strlen(PREFIX)) == 0   ? PREFIX
				     : strncmp(text, INDENT, strlen(INDENT)) == 0 ? INDENT
										  : "";
		const size_t begin = strlen(prefix);

		say_again(prefix, "%.*s", (int)(length - begin), text + begin);
		text += length + (text[length] == '\n');
	}
}

bool advise_near(const struct near *near)
{
	if (near->best)
		advise("did you mean %s?", near->best);
	return near->best;
}

void advise_on(const struct plumb_diagnostic *finding)
{
	char room[512];
	const char *hint = hint_of(finding, room, sizeof(room));

	if (hint)
		advise("%s", hint);
}

bool complain_value(const char *option, const char *value, uint64_t most, const char *allowed)
{
	if (number_too_large(value, most)) {
		complain("invalid value '%s' for --%s: too large: at most %" PRIu64, value, option,
			 most);
		return false;
	}
	complain("invalid value '%s' for --%s", value, option);
	if (allowed)
		advise("%s", allowed);
	return false;
}

int complain_status(int error)
{
	switch (error) {
	case PLUMB_OK:
		return EXIT_FINE;
	case PLUMB_ERR_NO_MEMORY:
		return EXIT_OTHER;
	case PLUMB_ERR_EXEC:
		return EXIT_CANNOT_RUN;
	case PLUMB_ERR_NO_PROGRAM:
		return EXIT_NO_PROGRAM;
	case PLUMB_ERR_MACHINE:
	case PLUMB_ERR_PERMISSION:
	case PLUMB_ERR_BUSY:
		return EXIT_UNABLE;
	default:
		return EXIT_USAGE;
	}
}

void complain_findings(const struct plumb_diagnostics *diagnostics, const char *file, int error)
{
	size_t shown = 0, errors = plumb_diagnostics_errors(diagnostics);

	for (size_t i = 0; shown < FINDINGS_SHOWN && i < plumb_diagnostics_count(diagnostics);
	     i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);
		char line[32] = "";

		if (d->severity != PLUMB_ERROR)
			continue;
		if (d->line)
			snprintf(line, sizeof(line), ":%u", d->line);
		complain("%s%s: %s", d->file ? d->file : file, line, d->message);
		advise_on(d);
		shown++;
	}
	if (shown == 0)
		complain("cannot use %s: %s", file, plumb_error_name(error));
	else if (errors > shown)
		advise("%zu more: plumb spec validate %s", errors - shown, file);
}

/* Returns whether someone writes to standard input while `path` is only the default. */
static bool reads_pipe(const char *path)
{
	struct stat status;

	return strcmp(path, "perf.data") == 0 && fstat(STDIN_FILENO, &status) == 0 &&
	       S_ISFIFO(status.st_mode);
}

void complain_recording(const struct plumb_diagnostics *diagnostics, const char *path, int error,
			bool raw)
{
	const struct plumb_diagnostic *first = plumb_diagnostics_get(diagnostics, 0);
	const bool empty = first && strcmp(first->id, "empty") == 0;
	const bool folder = first && strcmp(first->id, "directory") == 0;

	complain_findings(diagnostics, path, error);
	if (error == PLUMB_ERR_IO && strcmp(path, "-") != 0 && access(path, F_OK) != 0)
		advise(reads_pipe(path) ? "use -i - to read standard input"
					: "make a recording with plumb record PROGRAM");
	else if (error == PLUMB_ERR_SYNTAX && !empty && raw && !folder)
		advise("use --raw to read bare SPE data without a perf.data file around it");
}

void complain_warnings(const struct plumb_diagnostics *diagnostics)
{
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		if (d->severity != PLUMB_WARNING)
			continue;
		if (d->file)
			complain("%s: %s", d->file, d->message);
		else
			complain("%s", d->message);
		advise_on(d);
	}
}
