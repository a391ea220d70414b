/* SPDX-License-Identifier: Apache-2.0 */
/* What to say of a node where the counts tell more than its metric does. NULL: nothing more. */
#ifndef PROFILE_ADVICE_H
#define PROFILE_ADVICE_H

#include <plumb/diagnosis.h>
#include <stdbool.h>

/* A root whose slots are lost a few in each cycle. */
const struct plumb_advice *advice_partly(const char *metric);

/* Whether the node counts waits for what L2 lacked, ... */
bool advice_is_beyond_l2(const char *metric);

/* ... and it, with the percentage of these reads that the last-level cache served (NaN: unknown).
 */
const struct plumb_advice *advice_beyond_l2(const char *metric, double last_level_hits);

#endif
