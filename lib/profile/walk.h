/* SPDX-License-Identifier: Apache-2.0 */
/* What walks down a decision tree: the parts of a diagnosis. */
#ifndef PROFILE_WALK_H
#define PROFILE_WALK_H

#include <plumb/diagnosis.h>

/* Maximum lengths; longer lists do not help. */
#define GROUPS_MAX  16
#define SAMPLES_MAX 8

struct diagnosis {
	struct plumb_diagnosis given; /* must be first: callers hold a pointer to it */
	uint16_t groups[GROUPS_MAX];
	uint16_t samples[SAMPLES_MAX];
	double slots[]; /* one for each selected metric */
};

struct walk {
	const struct plumb_spec *spec;
	const struct plumb_methodology *methodology;
	const struct plumb_selection *selection;
	const struct plumb_result *counted;
	const struct plumb_value *values;
	struct diagnosis *result;
	double last_level_hits; /* percent of the reads beyond L2; NaN: unknown */
};

/* A walk down from a root. */
struct trail {
	struct plumb_step path[PLUMB_PATH_MAX];
	unsigned length;
	struct plumb_step next;     /* the runner-up to its last step, below its root */
	struct plumb_step below[2]; /* the two largest children of its end */
	bool childless;
	bool partly;
	double stalled;
};

/* ---- walk.c ---- */

/* Returns the count of an event; NaN: not counted. */
double walk_count(const struct walk *w, uint16_t code);
/*
 * Returns the percentage of cycles that the children of a root divide among them: the child's
 * denominator, if that is one event. NaN: unknown.
 */
double walk_stalled_cycles(const struct walk *w, uint16_t child);
/* Returns how much of its parent (PLUMB_NONE: none) a child holds, in percent; a root's value. */
double walk_share(const struct walk *w, uint16_t parent, uint16_t metric, double value);
/* Returns whether a root is useful work. */
bool walk_is_work(const struct walk *w, uint16_t metric);
/* Returns whether a metric is a child of `parent`; PLUMB_NONE: a root. */
bool walk_is_child(const struct plumb_selected_metric *metric, uint16_t parent);
/*
 * Returns whether a root in slots loses most of them in cycles that are not completely stalled;
 * `child` is one of its children.
 */
bool walk_is_partly_lost(const struct walk *w, struct trail *trail, uint16_t child);
/* Returns whether a root is measured in slots, not in cycles. */
bool walk_counts_slots(const struct walk *w, uint16_t root);
/* Returns the name of the root that a trail begins with. */
const char *walk_root(const struct walk *w, const struct trail *trail);
/* Walks from a root down to where no child dominates. */
void walk_down(const struct walk *w, struct plumb_step root, struct trail *trail);
/* Walks down from the largest loss, or from useful work, and sets the path of the diagnosis. */
void walk_tree(const struct walk *w, struct trail *trail);

/* ---- diagnosis_advice.c ---- */

/*
 * Returns advice on a node, in whose stalls the model knows one cause: a chain of operations, or
 * failed store forwarding; or NULL.
 */
const struct plumb_advice *walk_specific(const struct walk *w, const char *name);
/* Returns advice on the end of a trail. */
const struct plumb_advice *walk_advice(const struct walk *w, const struct trail *trail);
/* Returns whether the core's tree ends at the root of a side, and the model knows more. */
bool walk_ends_early(const struct walk *w, const struct trail *trail);
/* Returns whether such a root loses most of its slots in cycles that are not stalled. */
bool walk_is_partly(const struct walk *w, const struct trail *trail);
/* Returns whether the kernel's work holds up the program: its cycles are the backend's core's. */
bool walk_is_kernel(const struct walk *w, const struct trail *trail);

/* ---- diagnosis_next.c ---- */

/* Adds what to count and to sample next, and the other losses; `trail` is the walk of the path. */
void walk_find_next(const struct walk *w, const struct trail *trail);

/* ---- losses.c ---- */

/* Sets the losses of the diagnosis, whose other members are set but for the groups. */
void walk_losses(const struct walk *w);

#endif
