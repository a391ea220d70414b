/* SPDX-License-Identifier: Apache-2.0 */
/* Which events of a recording to use: -e, and those that a view of an exact profile shows. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/memory.h"

int report_counted(const struct report_options *options)
{
	if (!options->exact)
		return -1;
	return options->branch ? PROFILE_BRANCHES
	       : options->mem  ? PROFILE_MEMORY
	       : options->mix  ? PROFILE_MIX
			       : -1;
}

/* The name within "exact/NAME/", or the whole name. Returns its length. */
static size_t short_name(const char **name)
{
	const bool exact = strncmp(*name, "exact/", 6) == 0;

	*name += exact ? 6 : 0;
	return exact ? strcspn(*name, "/") : strlen(*name);
}

/* Tells whether a word, which may have * and ?, is an event's name, with or without its PMU. */
static bool is_name(const char *word, const char *name)
{
	char text[128];
	const char *part = name;
	const size_t length = short_name(&part);

	if (fnmatch(word, name, FNM_CASEFOLD) == 0)
		return true;
	if (length >= sizeof(text))
		return false;
	memcpy(text, part, length);
	text[length] = '\0';
	return fnmatch(word, text, FNM_CASEFOLD) == 0;
}

static bool any_name(const char *word, const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->name && is_name(word, event->name))
			return true;
	return false;
}

/* Calls `take` for each name in the lists of -e until it returns false. */
static bool each_name(const struct option_words *words, bool (*take)(void *user, const char *word),
		      void *user)
{
	bool goes_on = true;

	for (unsigned i = 0; goes_on && i < words->count; i++) {
		char *text = memory_copy(words->at[i], strlen(words->at[i])), *next = text;

		while (goes_on && next) {
			const char *word = strsep(&next, ",");

			goes_on = !*word || take(user, word);
		}
		free(text);
	}
	return goes_on;
}

struct search {
	const struct plumb_recording *recording;
	const char *name;
};

static bool find_missing(void *user, const char *word)
{
	struct search *search = user;
	struct near near = near_to(word);
	const struct plumb_recorded_event *event;
	char text[128];

	if (any_name(word, search->recording))
		return true;
	complain("this recording has no event '%s'", word);
	for (size_t i = 0; (event = plumb_recording_event(search->recording, i)); i++) {
		const char *part = event->name;
		size_t length;

		if (!part)
			continue;
		near_offer(&near, part, event->name);
		length = short_name(&part);
		if (length >= sizeof(text))
			continue;
		memcpy(text, part, length);
		text[length] = '\0';
		near_offer(&near, text, event->name);
	}
	if (!advise_near(&near))
		advise("plumb script --header lists its events");
	return false;
}

int report_check_events(const struct report_options *options,
			const struct plumb_recording *recording)
{
	struct search search = {.recording = recording};

	return each_name(&options->events, find_missing, &search) ? EXIT_FINE : EXIT_USAGE;
}

/* Returns false for the wanted name: the search ends there. */
static bool is_other(void *user, const char *word)
{
	const struct search *search = user;

	return !search->name || !is_name(word, search->name);
}

bool report_takes(const struct report_options *options, const struct plumb_recorded_event *event)
{
	const int counted = report_counted(options);
	struct search search = {.name = event->name};

	if (counted >= 0 && !profile_counts_has((enum profile_counted)counted, event->name))
		return false;
	return !options->events.count || !each_name(&options->events, is_other, &search);
}

bool report_selects(const struct report_options *options)
{
	return options->events.count || report_counted(options) >= 0;
}
