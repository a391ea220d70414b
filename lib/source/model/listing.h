/* SPDX-License-Identifier: Apache-2.0 */
/* What model/cores/generate.py writes for listing the model's cores. */
#ifndef SOURCE_MODEL_LISTING_H
#define SOURCE_MODEL_LISTING_H

#include <plumb/model.h>

struct model_listing {
	const struct plumb_model_parameter *parameters;
	size_t count;
};

/* All three are in the order of model_cores. */
extern const struct plumb_model_core model_listed_cores[];
extern const struct model_listing model_listings[];
extern const size_t model_listed_count;

#endif
