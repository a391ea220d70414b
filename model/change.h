/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of a core's parameters: a core file gives the figures in which its core differs from one
 * that is compiled in. They are found by name, as `plumb list parameters` shows them, and go to the
 * plugin as offsets, so that it need not know names.
 */
#ifndef MODEL_CHANGE_H
#define MODEL_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "params.h"

#define CORE_CHANGES_MAX  512
#define CORE_CHANGE_PARTS QUEUES_MAX /* changes that one parameter needs, at most */

/* Sets the `size` bytes at `offset` of struct core_params to `value`. */
struct core_change {
	uint32_t offset;
	uint32_t size; /* 1, 2 or 4 */
	uint32_t value;
};

enum core_change_error {
	CORE_CHANGE_OK,
	CORE_CHANGE_UNKNOWN, /* no such parameter, or one that cannot be changed */
	CORE_CHANGE_RANGE,   /* the value is out of range: `least` to `most` */
	CORE_CHANGE_WHOLE,   /* the value is not a whole number */
};

struct core_range {
	double least, most;
};

/*
 * Makes the changes that set parameter `name` ("l2.latency", "queues.SX.entries",
 * "classes.INT_MUL.latency") of a core like `base` to `value`; their number goes to `*count`. On
 * CORE_CHANGE_RANGE, `*range` has the values that are possible.
 */
enum core_change_error core_change_find(const struct core_params *base, const char *name,
					double value, struct core_change changes[CORE_CHANGE_PARTS],
					unsigned *count, struct core_range *range);

/* Changes a copy of a core's parameters. Returns false if a change lies outside of them. */
bool core_change_apply(struct core_params *params, const struct core_change *changes,
		       unsigned count);

/* Returns the value that `change` would replace. */
uint32_t core_change_old(const struct core_params *params, const struct core_change *change);

/* A size as it is given, and what the model has of it: whole sets, some powers of two. */
struct core_size {
	const char *name; /* of the parameter */
	uint32_t given, used;
};

/* Gets the i-th size that may be rounded. Returns false past the end. */
bool core_change_size(const struct core_params *params, unsigned i, struct core_size *size);

/* Returns why no core can have such parameters, or NULL. */
const char *core_change_refusal(const struct core_params *params);

#endif
