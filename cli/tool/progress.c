/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define AFTER 1.0 /* seconds of the run; shorter ones need no progress */
#define QUIET 1.0 /* seconds without output of the program */

/* DECSC and DECRC: they keep the cursor's place, and what the program was about to do there. */
#define SAVE_CURSOR    "\0337"
#define RESTORE_CURSOR "\0338"
#define GO_TO_COLUMN   "\033[%zuG"
#define ERASE_REST     "\033[K"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void progress_begin(struct progress *progress, bool wanted)
{
	*progress = (struct progress){.wanted = wanted && isatty(STDERR_FILENO), .began = now()};
}

void progress_program(struct progress *progress, pid_t program)
{
	progress->program = program;
	progress->written = 0;
}

double progress_seconds(const struct progress *progress)
{
	return now() - progress->began;
}

/* Returns how many bytes the program has passed to write() and the like; 0 if unknown. */
static uint64_t bytes_written(pid_t program)
{
	char line[128];
	uint64_t bytes = 0;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/io", (int)program);
	file = program > 0 ? fopen(line, "re") : NULL;
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, "wchar: ", 7) == 0)
			bytes = strtoull(line + 7, NULL, 10);
	fclose(file);
	return bytes;
}

bool progress_is_due(struct progress *progress)
{
	const double time = now();
	uint64_t written;

	if (!progress->wanted)
		return false;
	written = bytes_written(progress->program);
	if (written != progress->written) {
		progress->written = written;
		progress->silent_since = time;
		progress_erase(progress);
	}
	return time - progress->began >= AFTER && time - progress->silent_since >= QUIET;
}

/* Returns the terminal's width, or 80 if it is unknown. */
static size_t columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* Cuts the last parts off until the text takes no more than three quarters of the line. */
static bool fit(char *text, size_t width)
{
	while (strlen(text) > width - width / 4) {
		char *last = NULL;

		for (char *at = strstr(text, "; "); at; at = strstr(at + 1, "; "))
			last = at;
		if (!last)
			return false;
		*last = '\0';
	}
	return true;
}

void progress_show(struct progress *progress, const char *format, ...)
{
	const size_t width = columns();
	va_list arguments;
	char text[256];
	size_t column;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!fit(text, width))
		return;
	/* Leaves the last column free, where some terminals wrap. */
	column = width - strlen(text);
	if (progress->shown && column > progress->column)
		progress_erase(progress);
	fprintf(stderr, SAVE_CURSOR GO_TO_COLUMN "%s" ERASE_REST RESTORE_CURSOR, column, text);
	fflush(stderr);
	progress->column = column;
	progress->shown = true;
}

/* A line of spaces ends in the next line, except from the first column: terminals wrap late. */
void progress_new_line(struct progress *progress)
{
	progress_erase(progress);
	if (progress->written)
		fprintf(stderr, "%*s\r", (int)columns(), "");
}

void progress_erase(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, SAVE_CURSOR GO_TO_COLUMN ERASE_REST RESTORE_CURSOR,
			progress->column);
	progress->shown = false;
}
