/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the model's cores and their parameters. */
#include <string.h>

#include "source/model/listing.h"

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
