/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events of a recording to use: -e, and those that a view of an exact profile shows. An exact
 * profile has only the parts of some events, which add up.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <plumb/profile.h>

#include "base/near.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"

/* Longer names are no event's. */
#define NAME_SIZE 128

/* How many characters of names are listed, with some more: about three lines. */
#define LISTED 200

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

/* Copies the short name. Returns false if it is longer than any event's. */
static bool copy_short_name(const char *name, char text[NAME_SIZE])
{
	const size_t length = short_name(&name);

	if (length >= NAME_SIZE)
		return false;
	memcpy(text, name, length);
	text[length] = '\0';
	return true;
}

/* Returns the parts of the event that a word names, or NULL. */
static const char *parts_of(const char *word)
{
	char text[NAME_SIZE];

	return copy_short_name(word, text) ? plumb_profile_parts(text) : NULL;
}

/* Tells whether a word, which may have * and ?, is an event's name, with or without its PMU. */
static bool is_name(const char *word, const char *name)
{
	char text[NAME_SIZE];

	if (fnmatch(word, name, FNM_CASEFOLD) == 0)
		return true;
	return copy_short_name(name, text) && fnmatch(word, text, FNM_CASEFOLD) == 0;
}

/* Tells whether a word names an event, or one that it is a part of. */
static bool is_meant(const char *word, const char *name)
{
	const char *parts = parts_of(word);

	return is_name(word, name) || (parts && plumb_profile_is_named(parts, name));
}

static bool any_name(const char *word, const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->name && is_meant(word, event->name))
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
	const char *found, *second; /* words that mean it */
};

/* Offers names like that of an event that the recording lacks. */
static void offer_names(const struct search *search, struct near *near)
{
	const struct plumb_recorded_event *event;
	const char *total;
	char text[NAME_SIZE];

	for (size_t i = 0; (event = plumb_recording_event(search->recording, i)); i++) {
		if (!event->name)
			continue;
		near_offer(near, event->name, event->name);
		if (copy_short_name(event->name, text))
			near_offer(near, text, event->name);
	}
	for (size_t i = 0; (total = plumb_profile_total(i)); i++)
		if (any_name(total, search->recording))
			near_offer(near, total, total);
}

/* Offers the event of an exact profile that perf has another name for. Returns whether there is
 * one.
 */
static bool advise_perf_name(const struct search *search, const char *word)
{
	static const char *const names[][2] = {
		{"cycles", "CPU_CYCLES"},
		{"cpu-cycles", "CPU_CYCLES"},
		{"instructions", "INST_RETIRED"},
		{"branches", "BR_RETIRED"},
		{"branch-instructions", "BR_RETIRED"},
		{"branch-misses", "BR_MIS_PRED_RETIRED"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcasecmp(word, names[i][0]) != 0 || !any_name(names[i][1], search->recording))
			continue;
		advise("it has %s", names[i][1]);
		return true;
	}
	return false;
}

/* Adds a name to the list, or counts it if the list is long enough. */
static void list_name(struct join *names, const char *name, size_t *more)
{
	if (names->length < LISTED && strlen(name) <= LISTED)
		join_add(names, name);
	else
		++*more;
}

/* Lists the recording's first events as -e takes them, those of an exact profile by their short
 * names; an exact profile has some 150. */
static void list_names(const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;
	struct join names = {0};
	const char *total;
	char text[NAME_SIZE];
	size_t more = 0;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)) && event->name; i++)
		/* perf records that one for its other records. */
		if (strncmp(event->name, "dummy", 5) != 0)
			list_name(&names, copy_short_name(event->name, text) ? text : event->name,
				  &more);
	for (size_t i = 0; (total = plumb_profile_total(i)); i++)
		if (any_name(total, recording))
			list_name(&names, total, &more);
	if (more && !names.length)
		advise("plumb script --header-only lists its events");
	else if (more)
		advise("it has %s and %zu more: see plumb script --header-only", names.text, more);
	else if (names.length)
		advise("its events are %s", names.text);
	else
		advise("it has no events");
	free(join_take(&names));
}

static bool find_missing(void *user, const char *word)
{
	struct search *search = user;
	struct near near = near_to(word);

	if (any_name(word, search->recording))
		return true;
	complain("this recording has no event '%s'", word);
	offer_names(search, &near);
	if (!advise_perf_name(search, word) && !advise_near(&near))
		list_names(search->recording);
	return false;
}

/* Notes the first two words that mean an event. */
static bool note_meaning(void *user, const char *word)
{
	struct search *search = user;

	if (!is_meant(word, search->name))
		return true;
	if (search->found)
		search->second = memory_copy(word, strlen(word));
	else
		search->found = memory_copy(word, strlen(word));
	return !search->second;
}

/* Checks that no event is a part of one and also named by itself: it is added up once. */
static int check_meanings(const struct report_options *options, struct search *search)
{
	const struct plumb_recorded_event *event;
	int status = EXIT_FINE;

	for (size_t i = 0;
	     status == EXIT_FINE && (event = plumb_recording_event(search->recording, i)); i++) {
		search->name = event->name;
		search->found = search->second = NULL;
		if (event->name)
			each_name(&options->events, note_meaning, search);
		if (search->second && (parts_of(search->found) || parts_of(search->second)) &&
		    strcasecmp(search->found, search->second) != 0) {
			complain("--event: '%s' and '%s' cannot be combined: both count %s",
				 search->found, search->second, event->name);
			status = EXIT_USAGE;
		}
		free((void *)(uintptr_t)search->found);
		free((void *)(uintptr_t)search->second);
	}
	return status;
}

int report_check_events(const struct report_options *options,
			const struct plumb_recording *recording)
{
	struct search search = {.recording = recording};

	if (!each_name(&options->events, find_missing, &search))
		return EXIT_USAGE;
	return check_meanings(options, &search);
}

/* The words of -e for which a profile has samples, and those for which it has none. */
struct sampled {
	const struct plumb_profile *profile;
	struct join without;
	bool any;
};

static bool sort_by_samples(void *user, const char *word)
{
	struct sampled *sampled = user;
	struct plumb_profile_event event;
	bool found = false;

	for (size_t i = 0; !found && plumb_profile_event(sampled->profile, i, &event); i++)
		found = event.row_count && event.event->name && is_meant(word, event.event->name);
	if (!found)
		join_add(&sampled->without, word);
	sampled->any |= found;
	return true;
}

bool report_say_unsampled(const struct report_options *options, const struct profile_view *view)
{
	struct sampled sampled = {.profile = view->profile};
	char *without;

	each_name(&options->events, sort_by_samples, &sampled);
	if (!sampled.without.length)
		return false;
	without = join_take(&sampled.without);
	if (view->selected)
		complain("%s: no samples of %s match", options->from.input, without);
	else if (options->exact && !view->incomplete)
		complain("%s: %s did not happen in this recording", options->from.input, without);
	else
		complain("%s: no samples of %s in this recording", options->from.input, without);
	free(without);
	return true;
}

/* Returns false for the wanted name: the search ends there. */
static bool is_other(void *user, const char *word)
{
	struct search *search = user;

	if (!search->name || !is_meant(word, search->name))
		return true;
	search->second = is_name(word, search->name) ? NULL : parts_of(word);
	return false;
}

bool report_takes(const struct report_options *options, const struct plumb_recorded_event *event)
{
	const int counted = report_counted(options);
	struct search search = {.name = event->name};

	if (counted >= 0 && !profile_counts_has((enum profile_counted)counted, event->name))
		return false;
	return !options->events.count || !each_name(&options->events, is_other, &search);
}

const char *report_counts_as(const struct report_options *options,
			     const struct plumb_recorded_event *event, char name[REPORT_EVENT_SIZE])
{
	struct search search = {.name = event->name};
	const char *total;

	if (!options->events.count || each_name(&options->events, is_other, &search) ||
	    !search.second)
		return NULL;
	for (size_t i = 0; (total = plumb_profile_total(i)); i++) {
		if (plumb_profile_parts(total) != search.second)
			continue;
		snprintf(name, REPORT_EVENT_SIZE, "exact/%s/", total);
		return name;
	}
	return NULL;
}

bool report_selects(const struct report_options *options)
{
	return options->events.count || report_counted(options) >= 0;
}
