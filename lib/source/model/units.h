/* SPDX-License-Identifier: Apache-2.0 */
/* What a sampled run with intervals left beside its windows, by unit: struct model_timeline. */
#ifndef SOURCE_MODEL_UNITS_H
#define SOURCE_MODEL_UNITS_H

#include "shared.h"

/* Of struct model_timeline, the units that there were. */
struct model_units {
	uint32_t count;
	uint64_t (*counts)[EVENT_COUNT];
	uint32_t (*code)[SAMPLED_CODE];
	uint32_t first_code[SAMPLED_CODE];
};

/* Copies what a run left; free it with units_free(). Returns NULL if out of memory. */
struct model_units *units_copy(const struct model_shared *shared);
void units_free(struct model_units *units);

#endif
