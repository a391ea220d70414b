/* SPDX-License-Identifier: Apache-2.0 */
/* What model/cores/generate.py writes for listing the model's cores. */
#ifndef SOURCE_MODEL_LISTING_H
#define SOURCE_MODEL_LISTING_H

#include <plumb/model.h>

#include <stdatomic.h>

/* A parameter as offsets into model_listing_text: pointers would be relocated at each start. */
struct packed_parameter {
	uint32_t name, value, source, basis;
};

/* A core's part of model_parameters. */
struct model_listing {
	size_t first;
	size_t count;
};

/* All three are in the order of model_cores. */
extern const struct plumb_model_core model_listed_cores[];
extern const struct model_listing model_listings[];
extern atomic_bool model_listing_is_made[]; /* whether the room below has its parameters */
extern const size_t model_listed_count;

extern const char model_listing_text[];
extern const struct packed_parameter model_parameters[];
extern struct plumb_model_parameter model_parameter_room[];

#endif
