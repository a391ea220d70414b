/* SPDX-License-Identifier: Apache-2.0 */
/* What the model counted. */
#ifndef SOURCE_MODEL_COUNTS_H
#define SOURCE_MODEL_COUNTS_H

/* The model's events.h; in quotes, the compiler would look beside this file first. */
#include <events.h>

#include "shared.h"

/* The value of a count that this run's engine does not let the model count. */
#define MODEL_NOT_COUNTED UINT64_MAX

/* Counts since the program began, by the model's own numbers of events. */
struct model_counts {
	uint64_t counts[MODEL_COUNTS];
	double seconds; /* the model's time */
};

#endif
