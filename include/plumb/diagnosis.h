/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnosis: the walk down a methodology's decision tree, from where most is lost to where no
 * single cause is left that explains it. doc/methodology.md gives the reasons for the rules here.
 *
 * The walk begins at a root. Of the roots, one is work that was of use ("retiring"; where the tree
 * has none, whatever the others leave), the others are losses. It begins at the greatest loss if
 * that is at least PLUMB_LOSS_SHARE of the work; otherwise there is no bottleneck to speak of, and
 * the path is the work alone. From a node it goes on to the child that holds at least
 * PLUMB_DOMINANT_SHARE percent of it and PLUMB_DOMINANT_LEAD more than any other child.
 *
 * From a root in slots it goes on only if the cycles that its children divide, in which nothing at
 * all was dispatched, are PLUMB_STALLED_SHARE of what is lost or more: otherwise slots are lost a
 * few in each cycle, of which the tree says nothing, and what it says is of a few odd cycles.
 *
 * Shares are of the node above. Where both metrics are "X / D * 100" with the same D, as some of
 * Arm's are, the child's share is the quotient of the two.
 *
 * Roots are percentages of slots; their children divide stalled cycles. A stalled cycle loses all
 * of its slots, so a node's share of all slots is its share of the stalled cycles times their share
 * of all cycles, but no more than its root lost.
 */
#ifndef PLUMB_DIAGNOSIS_H
#define PLUMB_DIAGNOSIS_H

#include <plumb/count.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUMB_LOSS_SHARE     0.5  /* of the work: a third of the two together */
#define PLUMB_DOMINANT_SHARE 50.0 /* percent of the node above */
#define PLUMB_DOMINANT_LEAD  10.0 /* percent of the node above, before the next child */
#define PLUMB_STALLED_SHARE  0.5  /* of a root's slots */
#define PLUMB_NOTABLE_SHARE  20.0 /* percent: groups of such children are worth a look too */
#define PLUMB_WORK_GOOD      70.0 /* percent of work from which "no bottleneck" is said plainly */
#define PLUMB_RUNNER_UP      10.0 /* percent of slots: losses off the path from which on are named */
#define PLUMB_MOSTLY_SHARE   80.0 /* percent of the reads beyond L2 that decide where they went */

enum plumb_verdict {
	PLUMB_VERDICT_UNKNOWN, /* the values of the roots are not all there */
	PLUMB_VERDICT_LOSS,    /* the path leads to where most is lost */
	PLUMB_VERDICT_WORK,    /* no bottleneck: most of it is work */
	PLUMB_VERDICT_SPREAD,  /* work leads, but is below PLUMB_WORK_GOOD; no loss stands out */
};

/* A step of the path, or a child that was looked at. */
struct plumb_step {
	uint16_t metric; /* into plumb_spec.metrics; PLUMB_NONE: there is none */
	double value;    /* of the metric */
	double share;    /* percent of the node above; of a root its value */
};

/* What is known of a node, by the name of its metric. Static storage. */
struct plumb_advice {
	const char *metric;
	const char *brief;  /* in at most 24 characters: "data cache misses" */
	const char *means;  /* what it means when it is high: a sentence */
	const char *hint;   /* what usually helps: sentences */
	const char *groups; /* where to look next if the tree names none; by ',', or "" */
};

/* A loss that the path does not begin with, but that is worth a look. */
struct plumb_runner_up {
	struct plumb_step root;
	struct plumb_step end; /* where the walk from there ends: the root itself, or below it */
	const struct plumb_advice *advice; /* on its end; NULL: none */
};

#define PLUMB_PATH_MAX       32
#define PLUMB_RUNNERS_UP_MAX 3

struct plumb_diagnosis {
	enum plumb_verdict verdict;
	struct plumb_step path[PLUMB_PATH_MAX]; /* root first */
	unsigned path_length;   /* 0: unknown, or no bottleneck in a tree without a root for work */
	double work;            /* percent, of the work; NaN: unknown */
	struct plumb_step loss; /* the greatest loss, on the path or not */
	struct plumb_step rival; /* what came next to the last step of the path, a root or child */
	struct plumb_step below[2]; /* the two greatest children of its end, if any */
	bool childless;             /* it ends where the tree ends */
	bool partly;                /* it ends at a root, whose slots are lost a few in a cycle */
	double stalled;             /* percent of cycles, of that root; NaN: unknown */

	/*
	 * What to say of the path's end, by what the counts tell: plumb_advice() of it, or what
	 * replaces that where slots are lost a few in a cycle, or where the reads beyond L2 are
	 * known to end. NULL: nothing is known.
	 */
	const struct plumb_advice *advice;
	/*
	 * Where the path ends beyond L2, the percentage of the reads there that the last-level
	 * cache served; NaN: it ends elsewhere, or they were not counted.
	 */
	double last_level_hits;

	/* Other losses of at least PLUMB_RUNNER_UP, the greatest first. */
	struct plumb_runner_up runners_up[PLUMB_RUNNERS_UP_MAX];
	unsigned runner_up_count;

	/*
	 * Owned by the diagnosis: for each selected metric the percentage of all slots (of all
	 * cycles, where the tree's roots count these) that it stands for. NaN: unknown, or it is
	 * not a share of them.
	 */
	const double *slots;

	/* Owned by the diagnosis. What to look at next, the most useful first. */
	const uint16_t *next_groups; /* into plumb_spec.metric_groups */
	size_t next_group_count;
	const uint16_t *sample_events; /* into plumb_spec.events: what to sample to find where */
	size_t sample_event_count;
};

/*
 * Walks. A metric in several groups is taken where the selection has it first. Nodes that are not
 * selected are not seen; if a root is missing, nothing is known. Returns 0 or NO_MEMORY; free with
 * plumb_diagnosis_free(), which takes NULL too.
 */
PLUMB_API int plumb_diagnose(const struct plumb_result *counted,
			     struct plumb_diagnosis **diagnosis);
PLUMB_API void plumb_diagnosis_free(struct plumb_diagnosis *diagnosis);

/* How many steps two paths have in common from the root on. */
PLUMB_API unsigned plumb_diagnosis_common(const struct plumb_diagnosis *a,
					  const struct plumb_diagnosis *b);

/* What is known of a node, whatever was counted. NULL: none of the built-in trees has it. */
PLUMB_API const struct plumb_advice *plumb_advice(const char *metric);

#ifdef __cplusplus
}
#endif

#endif
