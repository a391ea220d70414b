/* SPDX-License-Identifier: Apache-2.0 */
#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/near.h"
#include "render/wrap.h"

/* Of the findings in a file that was to be used, not checked, this many are worth a line each. */
#define FINDINGS_SHOWN 3

static PLUMB_PRINTF(2, 0) void say(const char *prefix, const char *format, va_list arguments)
{
	char line[4096];

	if (vsnprintf(line, sizeof(line), format, arguments) < 0)
		return;
	fputs(prefix, stderr);
	wrap_put(stderr, line, wrap_complete(line));
	fputc('\n', stderr);
}

void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("plumb: ", format, arguments);
	va_end(arguments);
}

void advise(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("       ", format, arguments);
	va_end(arguments);
}

bool advise_near(const struct near *near)
{
	if (near->best)
		advise("did you mean %s?", near->best);
	return near->best;
}

int complain_status(int error)
{
	switch (error) {
	case PLUMB_OK:
		return EXIT_FINE;
	case PLUMB_ERR_NO_MEMORY:
		return EXIT_OTHER;
	default:
		return EXIT_USAGE;
	}
}

void complain_findings(const struct plumb_diagnostics *found, const char *file, int error)
{
	size_t shown = 0, errors = plumb_diagnostics_errors(found);

	for (size_t i = 0; shown < FINDINGS_SHOWN && i < plumb_diagnostics_count(found); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(found, i);
		char line[32] = "";

		if (d->severity != PLUMB_ERROR)
			continue;
		if (d->line)
			snprintf(line, sizeof(line), ":%u", d->line);
		complain("%s%s: %s", d->file ? d->file : file, line, d->message);
		if (d->mend)
			advise("%s", d->mend);
		shown++;
	}
	if (shown == 0)
		complain("cannot use %s: %s", file, plumb_error_name(error));
	else if (errors > shown)
		advise("%zu more: plumb spec validate %s", errors - shown, file);
}
