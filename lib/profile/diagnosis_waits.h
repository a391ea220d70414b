/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a side of the modelled core waits for, where the core's own tree ends. `root`: the name of
 * the side's root in that tree.
 */
#ifndef PROFILE_DIAGNOSIS_WAITS_H
#define PROFILE_DIAGNOSIS_WAITS_H

#include <stdbool.h>

#include <plumb/count.h>
#include <plumb/diagnosis.h>

/* Returns the percentage of all cycles in which the side is stalled; NaN: unknown. */
double waits_stalled(const struct plumb_core_waits *waits, const char *root);

/* Tells whether the root is that of a side whose waits are known. */
bool waits_known(const struct plumb_core_waits *waits, const char *root);

/* Finds what the side waits for, the largest share first. Returns how many there are. */
unsigned waits_find(const struct plumb_core_waits *waits, const char *root,
		    struct plumb_wait found[PLUMB_WAITS_MAX]);

/* Returns advice on the wait that stands out, as a child in a tree would; NULL: none does. */
const struct plumb_advice *waits_dominant(const struct plumb_core_waits *waits, const char *root,
					  double last_level_hits);

/* Returns advice on flushes, if most of them are none of branches; or NULL. */
const struct plumb_advice *waits_flushes(const struct plumb_core_waits *waits);

#endif
