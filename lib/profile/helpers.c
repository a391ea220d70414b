/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/helpers.h"

#include <string.h>

bool helper_is_named(const char *name)
{
	static const char start[] = "__aarch64_";
	static const char *const kinds[] = {"cas", "swp", "ldadd", "ldclr", "ldeor", "ldset"};

	if (strncmp(name, start, sizeof(start) - 1) != 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(name + sizeof(start) - 1, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

bool helper_is(const struct plumb_location *location)
{
	return location->symbol && helper_is_named(plumb_symbol_name(location->symbol));
}

bool helper_leave(struct plumb_symbolizer *symbolizer, const struct plumb_samples_item *item,
		  struct plumb_location *location)
{
	const struct plumb_record *record = item->record;
	struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
	struct plumb_location caller;
	const size_t depth = plumb_symbolizer_callchain(symbolizer, item->task, record, frames);
	size_t i = 0;

	while (i < depth && frames[i].ip == record->sample.ip)
		i++;
	if (i == depth ||
	    !plumb_symbolizer_locate(symbolizer, item->task, frames[i].mode,
				     frames[i].ip - frames[i].returns, &caller) ||
	    !caller.symbol)
		return false;
	*location = caller;
	return true;
}

void helpers_note(struct helpers *helpers, struct plumb_symbolizer *symbolizer,
		  const struct plumb_samples_item *item)
{
	const struct plumb_record *record = item->record;
	struct plumb_location location;
	const struct plumb_symbol *helper;
	size_t i = 0;

	if (!plumb_symbolizer_locate(symbolizer, item->task, plumb_record_mode(record),
				     record->sample.ip, &location) ||
	    !helper_is(&location))
		return;
	helper = location.symbol;
	if (!helper_leave(symbolizer, item, &location))
		return;
	while (i < helpers->count && (helpers->at[i].helper != helper ||
				      helpers->at[i].caller.address != location.address ||
				      helpers->at[i].caller.file != location.file))
		i++;
	if (i == HELPER_CALLS_MAX)
		return;
	if (i == helpers->count)
		helpers->at[helpers->count++] =
			(struct helper_call){.helper = helper, .caller = location};
	helpers->at[i].weight += (double)record->sample.period;
}

double helpers_weight(const struct helpers *helpers, const struct plumb_location *location)
{
	double sum = 0;

	for (size_t i = 0; i < helpers->count; i++)
		if (helpers->at[i].helper == location->symbol)
			sum += helpers->at[i].weight;
	return sum;
}
