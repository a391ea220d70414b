/* SPDX-License-Identifier: Apache-2.0 */
/* Advice on a node that depends on the counts. NULL: there is none beyond plumb_advice(). */
#ifndef PROFILE_ADVICE_H
#define PROFILE_ADVICE_H

#include <plumb/diagnosis.h>
#include <stdbool.h>

/* Returns advice on a root whose slots are lost a few per cycle. */
const struct plumb_advice *advice_partly(const char *metric);

/* Tells whether the node counts waits for what L2 missed. */
bool advice_is_beyond_l2(const char *metric);

/* Returns advice on such a node, given the percentage of the reads beyond L2 that the last-level
 * cache served (NaN: unknown). */
const struct plumb_advice *advice_beyond_l2(const char *metric, double last_level_hits);

#endif
