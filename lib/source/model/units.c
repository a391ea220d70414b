/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/units.h"

#include <stdlib.h>
#include <string.h>

#include "source/model/sampled.h"

struct model_units *units_copy(const struct model_shared *shared)
{
	const struct model_timeline *timeline = &shared->timeline;
	struct model_units *units = calloc(1, sizeof(*units));
	uint32_t count = (uint32_t)sampled_window_count(&shared->sampled);

	if (!units)
		return NULL;
	/* The last unit may have code, and no window. */
	count = count < SAMPLED_MAX ? count + 1 : SAMPLED_MAX;
	units->count = sampled_is_partial(&shared->sampled) ? count : 0;
	units->counts = calloc(units->count + 1u, sizeof(*units->counts));
	units->code = calloc(units->count + 1u, sizeof(*units->code));
	if (!units->counts || !units->code) {
		units_free(units);
		return NULL;
	}
	memcpy(units->counts, timeline->counts, units->count * sizeof(*units->counts));
	memcpy(units->code, timeline->code, units->count * sizeof(*units->code));
	memcpy(units->first_code, timeline->first_code, sizeof(units->first_code));
	return units;
}

void units_free(struct model_units *units)
{
	if (!units)
		return;
	free(units->counts);
	free(units->code);
	free(units);
}
