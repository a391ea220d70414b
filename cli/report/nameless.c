/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "profile/row_parts.h"
#include "tool/complain.h"

#define FILES_MAX    32
#define ENOUGH_SHARE 0.05 /* fewer names are not missed */

/* Files, with the shares of their functions that have no names. */
struct nameless {
	char *names[FILES_MAX];
	double shares[FILES_MAX];
	size_t count;
};

/* Returns the length of the file's name in "libc.so.6+0x3e440"; 0: the function has a name. */
static size_t file_length(const char *function)
{
	const char *offset = strrchr(function, '+');

	/* Generated code, the kernel's modules, memory without a file. */
	if (*function == '[' || *function == '/')
		return 0;
	if (!offset || strncmp(offset, "+0x", 3) != 0 || !offset[3] ||
	    offset[3 + strspn(offset + 3, "0123456789abcdef")])
		return 0;
	return (size_t)(offset - function);
}

static void add(struct nameless *files, const char *function, double share)
{
	const size_t length = function ? file_length(function) : 0;
	size_t i = 0;

	if (!length)
		return;
	while (i < files->count &&
	       (strncmp(files->names[i], function, length) != 0 || files->names[i][length]))
		i++;
	if (i == FILES_MAX)
		return;
	if (i == files->count) {
		files->names[i] = strndup(function, length);
		if (!files->names[i])
			return;
		files->shares[i] = 0;
		files->count++;
	}
	files->shares[i] += share;
}

static void add_slots(struct nameless *files, const struct profile_view *view, size_t key)
{
	struct plumb_profile_topdown *rows;
	char room[PLUMB_PROFILE_TEXT];
	size_t count;

	if (plumb_profile_topdown(view->profile, &rows, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++)
		add(files, plumb_profile_text(view->profile, rows[i].event, rows[i].row, key, room),
		    rows[i].share.value);
	free(rows);
}

/* Adds the rows of the first event that is shown. */
static void add_samples(struct nameless *files, const struct profile_view *view, size_t key)
{
	struct plumb_profile_event event;
	struct plumb_profile_row row;
	struct row_share last = {0};
	char room[PLUMB_PROFILE_TEXT];
	size_t e = 0;

	while (plumb_profile_event(view->profile, e, &event) && !profile_prints(view, &event))
		e++;
	if (!plumb_profile_event(view->profile, e, &event))
		return;
	for (size_t i = 0; i < event.row_count; i++) {
		const char *function = plumb_profile_text(view->profile, e, i, key, room);

		/* The estimates of a row take longer than its name. */
		if (function && file_length(function) &&
		    profile_row_parts(view->profile, e, i, 0, &last, &row))
			add(files, function, row.share.value);
	}
}

void report_nameless(const struct report_options *options, const struct profile_view *view)
{
	struct nameless files = {.count = 0};
	const char *servers = getenv("DEBUGINFOD_URLS");
	size_t key = 0, most = 0;

	while (key < view->key_count && view->keys[key] != PLUMB_KEY_SYMBOL)
		key++;
	if (key == view->key_count)
		return;
	if (options->topdown)
		add_slots(&files, view, key);
	else
		add_samples(&files, view, key);
	for (size_t i = 1; i < files.count; i++)
		if (files.shares[i] > files.shares[most])
			most = i;
	if (files.count && files.shares[most] >= ENOUGH_SHARE) {
		complain("%.0f %% of the total is in functions of %s whose names are unknown",
			 100 * files.shares[most], files.names[most]);
		advise("%s%s",
		       strstr(files.names[most], ".so")
			       ? "install its debug symbols, such as the package libc6-dbg"
			       : "use --symfs to name a folder with the unstripped program",
		       servers && servers[0] ? "; the servers in DEBUGINFOD_URLS gave none"
					     : ", or set DEBUGINFOD_URLS");
	}
	for (size_t i = 0; i < files.count; i++)
		free(files.names[i]);
}
