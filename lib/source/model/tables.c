/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the model's cores and their parameters. */
#include <pthread.h>
#include <string.h>

#include "source/model/listing.h"
#include "ties.h"
#include "what_if.h"

const struct plumb_model_core *plumb_model_core(size_t i)
{
	return i < model_listed_count ? &model_listed_cores[i] : NULL;
}

/* Makes the parameters of a core, once; any thread may ask. */
static const struct plumb_model_parameter *parameters(size_t core)
{
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	struct model_listing of = model_listings[core];

	if (!atomic_load_explicit(&model_listing_is_made[core], memory_order_acquire)) {
		pthread_mutex_lock(&making);
		/* Another thread may read them by now. */
		if (atomic_load_explicit(&model_listing_is_made[core], memory_order_relaxed))
			of.count = 0;
		for (size_t i = of.first; i < of.first + of.count; i++) {
			const struct packed_parameter *packed = &model_parameters[i];

			model_parameter_room[i] = (struct plumb_model_parameter){
				.name = model_listing_text + packed->name,
				.value = model_listing_text + packed->value,
				.source = model_listing_text + packed->source,
				.basis = model_listing_text + packed->basis,
			};
		}
		atomic_store_explicit(&model_listing_is_made[core], true, memory_order_release);
		pthread_mutex_unlock(&making);
	}
	return model_parameter_room + of.first;
}

const struct plumb_model_parameter *plumb_model_parameter(const char *core, size_t i)
{
	for (size_t c = 0; c < model_listed_count; c++)
		if (strcmp(model_listed_cores[c].name, core) == 0)
			return i < model_listings[c].count ? &parameters(c)[i] : NULL;
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
			       1 << LIMIT_BANDWIDTH == PLUMB_LIMIT_BANDWIDTH &&
			       1 << LIMIT_STORE == PLUMB_LIMIT_STORE &&
			       1 << LIMIT_STORE_BUFFER == PLUMB_LIMIT_STORE_BUFFER,
		       "the same limits");
	return i < WHAT_IF_COUNT ? &parts[i] : NULL;
}
