/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the model's cores and their parameters. */
#include <string.h>

#include "source/model/listing.h"
#include "ties.h"
#include "what_if.h"

const struct plumb_model_core *plumb_model_core(size_t i)
{
	return i < model_listed_count ? &model_listed_cores[i] : NULL;
}

const struct plumb_model_parameter *plumb_model_parameter(const char *core, size_t i)
{
	for (size_t c = 0; c < model_listed_count; c++) {
		if (strcmp(model_listed_cores[c].name, core) != 0)
			continue;
		return i < model_listings[c].count ? &model_listings[c].parameters[i] : NULL;
	}
	return NULL;
}

const struct plumb_what_if *plumb_model_what_if(size_t i)
{
	static const struct plumb_what_if parts[WHAT_IF_COUNT] = {
#define WHAT_IF(name, word, text) [WHAT_IF_##name] = {word, text},
#include "what_if.def"
#undef WHAT_IF
		[WHAT_IF_TOGETHER] = {"together", "all of these"},
	};

	_Static_assert(WHAT_IF_COUNT <= PLUMB_WHAT_IF_MAX, "room in struct plumb_count_run");
	_Static_assert(LIMIT_SETS == PLUMB_LIMIT_SETS && 1 << LIMIT_PORTS == PLUMB_LIMIT_PORTS &&
			       1 << LIMIT_BANDWIDTH == PLUMB_LIMIT_BANDWIDTH,
		       "the same limits");
	return i < WHAT_IF_COUNT ? &parts[i] : NULL;
}
