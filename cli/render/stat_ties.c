/* SPDX-License-Identifier: Apache-2.0 */
/* Tells where limits of the core coincide, so that removing one of them would gain nothing. */
#include <stdlib.h>
#include <string.h>

#include "render/report.h"
#include "tool/join.h"
#include "tool/memory.h"

static const struct {
	const char *name, *text;
} limits[] = {
	{"fetch", "fetching code"},
	{"slots", "the slots of dispatch"},
	{"chain", "operations that wait for each other"},
	{"ports", "busy ports"},
	{"walks", "page table walks"},
	{"misses", "the cache misses that the core can have at a time"},
	{"bandwidth", "the lines that caches and memory deliver"},
	{"translation", "translations"},
	{"store", "stores that cannot forward their data"},
	{"store_buffer", "the entries of the store buffer"},
};
#define LIMITS (sizeof(limits) / sizeof(limits[0]))

_Static_assert(1 << LIMITS == PLUMB_LIMIT_SETS, "a name for each limit");

const char *report_limit(unsigned limit)
{
	return limit < LIMITS ? limits[limit].name : NULL;
}

size_t report_ties(const double cycles[PLUMB_LIMIT_SETS], struct report_tie ties[PLUMB_LIMIT_SETS])
{
	double all = 0;
	size_t count = 0;

	for (unsigned set = 0; set < PLUMB_LIMIT_SETS; set++)
		all += cycles[set];
	for (unsigned set = 0; set < PLUMB_LIMIT_SETS; set++) {
		const struct report_tie tie = {set, 100 * cycles[set] / all};
		size_t at = count;

		if (!(set & (set - 1)) || !(tie.percent >= REPORT_TIE_PERCENT))
			continue;
		for (; at && ties[at - 1].percent < tie.percent; at--)
			ties[at] = ties[at - 1];
		ties[at] = tie;
		count++;
	}
	return count;
}

bool report_ties_have_shares(const double cycles[PLUMB_LIMIT_SETS])
{
	double all = 0;

	for (unsigned set = 0; set < PLUMB_LIMIT_SETS; set++)
		all += cycles[set];
	return all >= REPORT_TIE_CYCLES;
}

/* What else about half of a chain is, among its limits; NULL: nothing. */
static const char *half_of(unsigned set)
{
	if (set & PLUMB_LIMIT_TRANSLATION)
		return limits[__builtin_ctz(PLUMB_LIMIT_TRANSLATION)].text;
	return set & PLUMB_LIMIT_STORE ? limits[__builtin_ctz(PLUMB_LIMIT_STORE)].text : NULL;
}

#define FEW_LOOKS "where the model looked, a few times in so short a run"

char *report_tie_text(const double cycles[PLUMB_LIMIT_SETS])
{
	struct report_tie ties[PLUMB_LIMIT_SETS];
	struct join names = {0};
	char *where, *list, *text;

	if (!report_ties(cycles, ties))
		return NULL;
	where = report_ties_have_shares(cycles)
			? memory_format("in about %.0f %% of the cycles", ties[0].percent)
			: memory_copy(FEW_LOOKS, strlen(FEW_LOOKS));
	if (half_of(ties[0].limits)) {
		text = memory_format("%s, operations that wait for each other set the pace, and "
				     "about half of that is waiting for %s; improve both halves, "
				     "since improving one leaves the other",
				     where, half_of(ties[0].limits));
		free(where);
		return text;
	}
	for (unsigned i = 0; i < LIMITS; i++)
		if (ties[0].limits >> i & 1)
			join_add(&names, limits[i].text);
	list = join_take(&names);
	text = memory_format("%s, these take equally long: %s; improve all of them, since "
			     "improving one gains nothing",
			     where, list);
	free(where);
	free(list);
	return text;
}
