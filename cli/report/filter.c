/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What filters do to views: that of a view which shows some kinds of operations only, with the
 * terms of --filter; and which samples shares are of, with --percentage.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/report.h"
#include "tool/complain.h"
#include "tool/memory.h"

enum { LOAD = 1, STORE = 2, BRANCH = 4, OTHER = 8 };

/* Returns the kinds of operations that a term names: 0, if it is of something else. */
static unsigned kinds_of(const char *term, size_t length)
{
	static const struct {
		const char *name;
		unsigned kinds;
	} kinds[] = {
		{"load", LOAD},     {"store", STORE}, {"memory", LOAD | STORE},
		{"branch", BRANCH}, {"other", OTHER},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i].name) == length &&
		    strncasecmp(term, kinds[i].name, length) == 0)
			return kinds[i].kinds;
	return 0;
}

static unsigned all_kinds(const char *terms)
{
	unsigned kinds = 0;

	for (size_t length; *terms; terms += length + (terms[length] == ',')) {
		length = strcspn(terms, ",");
		kinds |= kinds_of(terms, length);
	}
	return kinds;
}

char *report_both_filters(const char *of_view, const char *given)
{
	const unsigned shown = all_kinds(of_view), wanted = all_kinds(given);
	char *terms, *end;

	if (wanted && !(wanted & shown))
		return NULL;
	terms = end = memory_given(malloc(strlen(given) + strlen(of_view) + 2));
	/* Terms of kinds are alternatives: those that the view does not show must go. */
	for (size_t length; *given; given += length + (given[length] == ',')) {
		const unsigned kinds = kinds_of(given, length = strcspn(given, ","));

		if (!length || (kinds && !(kinds & shown)))
			continue;
		memcpy(end, given, length);
		end += length;
		*end++ = ',';
	}
	if (!wanted)
		memcpy(end, of_view, strlen(of_view) + 1);
	else
		end[-1] = '\0'; /* the last comma: a term of a kind is there */
	return terms;
}

/* ---- Shares -----------------------------------------------------------------------------------
 */

/* Returns a view whose shares are of what matches only, because it has others or counts; NULL. */
static const char *relative_view(const struct report_options *options)
{
	return options->topdown                    ? "topdown"
	       : options->sharing                  ? "sharing"
	       : options->histogram                ? "latency-histogram"
	       : options->folded                   ? "folded"
	       : options->html                     ? "html"
	       : options->stacked                  ? "branch"
	       : options->exact && options->mem    ? "mem"
	       : options->exact && options->branch ? "branch"
	       : options->exact && options->mix    ? "mix"
						   : NULL;
}

bool report_check_percentage(const struct report_options *options)
{
	const char *text = options->percentage, *view = relative_view(options);

	if (text && strcmp(text, "absolute") != 0 && strcmp(text, "relative") != 0) {
		complain("invalid value '%s' for --percentage", text);
		advise("use absolute or relative");
		return false;
	}
	if (!text || !view || strcmp(text, "relative") == 0)
		return true;
	complain("--percentage absolute cannot be combined with --%s", view);
	return false;
}

bool report_is_relative(const struct report_options *options)
{
	return relative_view(options) ||
	       (options->percentage && strcmp(options->percentage, "relative") == 0);
}

static bool has_key(const struct profile_view *view, unsigned key)
{
	return memchr(view->keys, (int)key, view->key_count);
}

bool report_shows_callers(const struct report_options *options, const struct profile_view *view)
{
	const struct choice_options *chosen = &options->from.chosen;
	const bool functions = has_key(view, PLUMB_KEY_SYMBOL) || has_key(view, PLUMB_KEY_INLINE) ||
			       has_key(view, PLUMB_KEY_SRCLINE) || has_key(view, PLUMB_KEY_IP);

	/* Rows that have both samples that match and others would tell nothing of the first. */
	return !report_is_relative(options) && view->children && !view->function &&
	       (!chosen->symbols || functions) &&
	       (!chosen->dsos || functions || has_key(view, PLUMB_KEY_DSO)) &&
	       (!chosen->comms || has_key(view, PLUMB_KEY_COMM)) &&
	       (!chosen->pids || has_key(view, PLUMB_KEY_PID)) &&
	       (!chosen->tids || has_key(view, PLUMB_KEY_TID));
}
