/* SPDX-License-Identifier: Apache-2.0 */
/* What kinds of operations hold up the core, by the code at the places of a loss. */
#ifndef PROFILE_FINDINGS_WAITS_H
#define PROFILE_FINDINGS_WAITS_H

#include <plumb/findings.h>

#include "profile/evidence.h"

/*
 * Adds the kinds of operations of a loss to `waits`, whose basis is set, the largest share first.
 * Adds none if the loss is not the core's own, or if samples only show code near the operations.
 */
void waits_of_code(struct evidence *evidence, unsigned loss, struct plumb_finding_places *waits);

/*
 * Returns what usually helps against the kind of operation that holds most of a loss; NULL: it
 * holds less than half, or it is one of those that any program consists of.
 */
const char *waits_hint(const struct plumb_finding_place *most);

/* What the code at the places of a loss tells beyond its cause. */
struct waits_advice {
	const char *brief, *hint;
};

/*
 * Returns advice on a loss of which at least half is at indirect branches that were mispredicted,
 * or at missed loads whose addresses came from themselves the time before; NULL: neither.
 */
const struct waits_advice *waits_advice(struct evidence *evidence, unsigned loss);

#endif
