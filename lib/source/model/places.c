/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/places.h"

#include <math.h>
#include <stdlib.h>

#include "shared.h"
#include "source/model/counted.h"

int model_places_make(struct model_places *places, const struct plumb_plan *plan)
{
	places->plan = plan;
	places->indexes = calloc(plan->place_count + 1, sizeof(*places->indexes));
	places->interval = calloc(plan->place_count + 1, sizeof(*places->interval));
	if (!places->indexes || !places->interval)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t g = 0; g < plan->group_count; g++)
		for (uint16_t i = 0; i < plan->groups[g].count; i++)
			places->indexes[plan->groups[g].first + i] =
				model_index_of(plan->events[plan->groups[g].events[i]]);
	return 0;
}

void model_places_clean_up(struct model_places *places)
{
	free(places->indexes);
	free(places->interval);
}

void model_places_lay_out(const struct model_places *places, const struct model_counts *from,
			  const struct model_counts *to, struct plumb_count *out)
{
	double seconds = to->seconds - (from ? from->seconds : 0);
	uint64_t ns = seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
	uint64_t before = from ? from->counts[EVENT_INST_RETIRED] : 0;
	/* If nothing ran, 0 would look like a measurement. */
	bool ran = seconds > 0 || to->counts[EVENT_INST_RETIRED] != before;

	for (size_t i = 0; i < places->plan->place_count; i++) {
		size_t index = places->indexes[i];

		out[i] = (struct plumb_count){NAN, ns, ns};
		if (ran && index < EVENT_COUNT && to->counts[index] != MODEL_NOT_COUNTED)
			out[i].count =
				(double)(to->counts[index] - (from ? from->counts[index] : 0));
	}
}

const struct plumb_count *model_places_interval(struct model_places *places,
						const struct model_counts *counts)
{
	model_places_lay_out(places, &places->before, counts, places->interval);
	places->before = *counts;
	return places->interval;
}
