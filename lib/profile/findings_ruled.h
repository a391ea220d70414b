/* SPDX-License-Identifier: Apache-2.0 */
/* What the walk for findings met and left. */
#ifndef PROFILE_FINDINGS_RULED_H
#define PROFILE_FINDINGS_RULED_H

#include <plumb/findings.h>

/*
 * Writes the nodes with too few slots for a finding whose parents have enough, the largest first,
 * and behind them those whose slots are unknown. Names are the specification's. Returns how many.
 */
unsigned ruled_out(const struct plumb_result *counted, const struct plumb_diagnosis *diagnosis,
		   double least, struct plumb_ruled_out at[PLUMB_RULED_OUT_MAX]);

/*
 * Writes what roots lose in cycles that were partly used, if it is `least` or more and no loss of
 * the diagnosis has it. Returns how many.
 */
unsigned undivided(const struct plumb_result *counted, const struct plumb_diagnosis *diagnosis,
		   double least, struct plumb_undivided at[PLUMB_UNDIVIDED_MAX]);

#endif
