/* SPDX-License-Identifier: Apache-2.0 */
/* What the model has, for those who choose from it: cores, their parameters, events. */
#include <string.h>

/* The model's own; between quotes, it would be the header beside this file. */
#include <events.h>

#include "source/model/listing.h"

const struct plumb_model_core *plumb_model_core(size_t i)
{
	return i < model_listed_count ? &model_listed_cores[i] : NULL;
}

size_t plumb_model_event_count(void)
{
	return EVENT_COUNT;
}

uint16_t plumb_model_event(size_t i)
{
	return i < EVENT_COUNT ? model_event_codes[i] : 0;
}

const char *plumb_model_event_name(size_t i)
{
	return i < EVENT_COUNT ? model_event_names[i] : NULL;
}

bool plumb_model_counts_event(uint16_t code)
{
	for (size_t i = 0; i < EVENT_COUNT; i++)
		if (model_event_codes[i] == code)
			return true;
	return false;
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
