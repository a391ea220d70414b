/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgcc's helpers for atomics (-moutline-atomics): each is one atomic operation, and of interest
 * only by its caller.
 */
#ifndef PROFILE_HELPERS_H
#define PROFILE_HELPERS_H

#include <plumb/samples.h>
#include <plumb/symbol.h>

#define HELPER_CALLS_MAX 256 /* further ones are not known */

struct helper_call {
	const struct plumb_symbol *helper;
	struct plumb_location caller;
	double weight; /* the periods of its samples */
};

struct helpers {
	struct helper_call at[HELPER_CALLS_MAX];
	size_t count;
};

/* Returns whether a function's name is a helper's. */
bool helper_is_named(const char *name);
/* Returns whether a location is in a helper. */
bool helper_is(const struct plumb_location *location);

/* Moves the location of a sample in a helper to its caller. Returns whether that is known. */
bool helper_leave(struct plumb_symbolizer *symbolizer, const struct plumb_samples_item *item,
		  struct plumb_location *location);

/* Remembers who called, if a sample is in a helper. */
void helpers_note(struct helpers *helpers, struct plumb_symbolizer *symbolizer,
		  const struct plumb_samples_item *item);

/* Returns the sum of the weights of all known calls of the helper at `location`. */
double helpers_weight(const struct helpers *helpers, const struct plumb_location *location);

#endif
