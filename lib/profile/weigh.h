/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample says about a cause of lost slots: causes.def has the table. */
#ifndef PROFILE_WEIGH_H
#define PROFILE_WEIGH_H

#include <plumb/samples.h>

/* Which SPE records show a cause. */
enum weigh {
	WEIGH_NONE,
	WEIGH_OPERATIONS,     /* all but branches: cycles from issue to completion */
	WEIGH_ACCESSES,       /* loads and stores: likewise */
	WEIGH_LOADS,          /* loads: likewise */
	WEIGH_MISSES,         /* loads that missed the L1D cache: likewise */
	WEIGH_STORES,         /* stores: one each */
	WEIGH_WALKS,          /* accesses that walked page tables: cycles of the translation */
	WEIGH_MISPREDICTIONS, /* mispredicted branches that retired: one each */
	WEIGH_SHARED,         /* accesses whose data came from another core: cycles */
};

struct weigh_cause {
	const char *name;
	const char *exact;
	enum weigh spe;
};

/* Returns where to see a cause; NULL: unknown. */
const struct weigh_cause *weigh_cause(const char *name);
/* Returns whether an event of an exact profile, "exact/slots_backend_mem/", is a part of it. */
bool weigh_exact(const struct weigh_cause *cause, const char *event);
/* Returns what an SPE record weighs; 0: it does not show the cause. */
double weigh_spe(enum weigh weigh, const struct plumb_samples_item *item);
/*
 * Likewise, but a record that waited for longer than its counter can say, so that its own time is
 * unknown, weighs as much as the known ones before it do on average. So does a store whose line
 * came from another core, where that counts. Zero the mean first.
 */
struct weigh_mean {
	double sum, count;
};
double weigh_spe_mean(struct weigh_mean *mean, enum weigh weigh,
		      const struct plumb_samples_item *item);
/* Says what such weights are, or what an exact profile's are. */
const char *weigh_basis(enum weigh weigh);
const char *weigh_exact_basis(const struct weigh_cause *cause);

#endif
