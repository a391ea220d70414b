/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnosis: a walk down a methodology's decision tree, from the largest loss to the last node that
 * a single cause explains. doc/methodology.md gives the reasons for these rules.
 *
 * One root is useful work ("retiring"; in a tree without it, the rest), the other roots are losses.
 * The walk begins at the largest loss if that is at least PLUMB_LOSS_SHARE of the work. Otherwise
 * there is no bottleneck, and the path is the work alone. From a node the walk continues to the
 * child that holds at least PLUMB_DOMINANT_SHARE percent of it, and PLUMB_DOMINANT_LEAD more than
 * any other child.
 *
 * A root counts slots, but its children divide stalled cycles, in which nothing was dispatched. The
 * walk leaves a root only if stalled cycles are at least PLUMB_STALLED_SHARE of what is lost there.
 * Otherwise slots are lost a few per cycle, and the tree describes only a few unusual cycles.
 *
 * Shares are relative to the node above. If both metrics are "X / D * 100" with the same D, as some
 * of Arm's are, the child's share is the quotient of the two.
 *
 * A stalled cycle loses all its slots. So a node's share of all slots is its share of the stalled
 * cycles times their share of all cycles, but at most what its root lost.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_DIAGNOSIS_H
#define PLUMB_DIAGNOSIS_H

#include <plumb/count.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUMB_LOSS_SHARE     0.5  /* of the work; a third of work and loss together */
#define PLUMB_DOMINANT_SHARE 50.0 /* percent of the node above */
#define PLUMB_DOMINANT_LEAD  10.0 /* percentage points ahead of the next child */
#define PLUMB_STALLED_SHARE  0.5  /* of a root's slots */
#define PLUMB_NOTABLE_SHARE  20.0 /* percent: children from here on add their groups */
#define PLUMB_WORK_GOOD      70.0 /* percent of work: from here on there is no bottleneck */
#define PLUMB_RUNNER_UP      10.0 /* percent of slots: other losses from here on are named */
#define PLUMB_MOSTLY_SHARE   80.0 /* percent of the reads beyond L2 that decide the advice */
#define PLUMB_SHARING_SHARE  0.5  /* of the backend's lost slots, in cycles that wait for lines */
#define PLUMB_MOVING_SHARE   20.0 /* percent of the threads' cycles: from here on moves are named */

#define PLUMB_WAIT_SHARE    5.0  /* percent of that side's stalled cycles */
#define PLUMB_FLUSH_SHARE   0.5  /* of the flushes, by exceptions or barriers */
#define PLUMB_KERNEL_SHARE  0.5  /* of the backend's lost slots, in cycles of the kernel */
#define PLUMB_CHAINED_SHARE 50.0 /* percent of the cycles, limited by a chain of operations */
#define PLUMB_FAILED_SHARE  0.5  /* of the cycles that wait for stores, by failed forwarding */

/* The last step of a path that ends in lines that move between cores; it is not a metric. */
#define PLUMB_STEP_SHARING "sharing"

enum plumb_verdict {
	PLUMB_VERDICT_UNKNOWN, /* a root has no value */
	PLUMB_VERDICT_LOSS,    /* the path leads to the largest loss */
	PLUMB_VERDICT_WORK,    /* no bottleneck: most slots do work */
	PLUMB_VERDICT_SPREAD,  /* work leads, but is below PLUMB_WORK_GOOD; no loss stands out */
};

/* A step of the path, or another child. */
struct plumb_step {
	uint16_t metric; /* into plumb_spec.metrics, or PLUMB_NONE */
	double value;    /* of the metric */
	double share;    /* percent of the node above; a root's value */
};

/* An explanation of a node, by the name of its metric. Static storage; may grow. */
struct plumb_advice {
	const char *metric;
	const char *brief; /* in at most 24 characters: "data cache misses" */
	const char *means; /* a sentence on what a high value means */
	const char *hint;  /* sentences on what usually helps */
	const char
		*groups; /* groups to look at next if the tree names none, joined by ','; or "" */
};

/* Another notable loss, besides the one that the path begins with. */
struct plumb_runner_up {
	struct plumb_step root;
	struct plumb_step end; /* where its walk ends: the root itself, or a node below it */
	const struct plumb_advice *advice; /* on its end, or NULL */
};

/* What a side of the core waits for where its own tree ends, as the node of a tree that goes on. */
struct plumb_wait {
	const struct plumb_advice *advice; /* on that node: .metric is its name */
	double share;                      /* percent of the backend's stalled cycles */
};

/*
 * A loss that is worth looking at by itself: the end of a way down the tree, of at least
 * PLUMB_WORTH percent of all slots; if there is no bottleneck, of PLUMB_RUNNER_UP. A node whose
 * children explain at least half of it is replaced by them. Ends with one cause are one loss: what
 * a flush costs the frontend is bad speculation, and all that the backend loses is sharing, or the
 * kernel, if that is the advice on it.
 */
struct plumb_loss {
	uint16_t metric;                   /* its node, into plumb_spec.metrics */
	uint16_t root;                     /* likewise */
	double slots;                      /* percent of all slots: what could be won */
	const struct plumb_advice *advice; /* on it, as .advice of the diagnosis, or NULL */
	const char *cause; /* its node's name, or a cause that no tree has, such as "sharing" */
	bool partly;       /* its slots are lost a few per cycle */
};

#define PLUMB_WORTH          5.0 /* percent of slots */
#define PLUMB_LOSSES_MAX     8
#define PLUMB_WAITS_MAX      5
#define PLUMB_PATH_MAX       32
#define PLUMB_RUNNERS_UP_MAX 3

/* Made by the library; may grow. */
struct plumb_diagnosis {
	enum plumb_verdict verdict;
	struct plumb_step path[PLUMB_PATH_MAX]; /* root first */
	unsigned path_length;   /* 0: unknown, or no bottleneck in a tree without a root for work */
	double work;            /* percent of useful work; NaN: unknown */
	struct plumb_step loss; /* the largest loss, on the path or not */
	struct plumb_step rival;    /* the runner-up to the path's last step, a root or child */
	struct plumb_step below[2]; /* the two largest children of the path's end, if any */
	bool childless;             /* the path's end has no children */
	bool partly;    /* the path ends at a root whose slots are lost a few per cycle */
	double stalled; /* percent of cycles stalled by that root; NaN: unknown */

	/*
	 * With the model, if the core's tree ends at the backend's or the frontend's root, and
	 * loses its slots in whole cycles: what that side waits for, the largest share first, those
	 * of at least PLUMB_WAIT_SHARE.
	 */
	struct plumb_wait waits[PLUMB_WAITS_MAX];
	unsigned wait_count;

	/*
	 * Advice on the path's end: plumb_advice() of it, or more specific advice if slots are lost
	 * a few per cycle, if cores wait for each other's lines, if a chain of operations or failed
	 * store forwarding holds up the core, or if the counts show what served the reads beyond
	 * L2. NULL: none.
	 */
	const struct plumb_advice *advice;
	/*
	 * If the path ends beyond L2: the percentage of the reads there that hit the last-level
	 * cache. NaN: the path ends elsewhere, or these reads were not counted.
	 */
	double last_level_hits;

	/*
	 * The path ends in lines that move between cores: these hold at least PLUMB_SHARING_SHARE
	 * of what its root loses. `moving` is plumb_result.moving then, or if lines move in at
	 * least PLUMB_MOVING_SHARE of the cycles, or hold as much of a runner-up; NaN otherwise.
	 */
	bool sharing;
	double moving;

	/* Other losses of at least PLUMB_RUNNER_UP, the largest first. */
	struct plumb_runner_up runners_up[PLUMB_RUNNERS_UP_MAX];
	unsigned runner_up_count;

	/*
	 * Owned by the diagnosis: for each selected metric, its percentage of all slots (or of all
	 * cycles, if the tree's roots count cycles). NaN: unknown, or not a share.
	 */
	const double *slots;

	/* The largest losses, the one with the most slots first. */
	struct plumb_loss losses[PLUMB_LOSSES_MAX];
	unsigned loss_count;

	/* Owned by the diagnosis. What to look at next, the most useful first. */
	const uint16_t *next_groups; /* into plumb_spec.metric_groups */
	size_t next_group_count;
	const uint16_t *sample_events; /* into plumb_spec.events: sample these to find the code */
	size_t sample_event_count;
};

/*
 * Makes a diagnosis. For a metric in several groups, uses the first one selected. Ignores nodes
 * that are not selected; if a root is missing, the verdict is UNKNOWN. Returns 0 or NO_MEMORY. Free
 * with plumb_diagnosis_free(), which accepts NULL.
 */
PLUMB_API int plumb_diagnose(const struct plumb_result *counted,
			     struct plumb_diagnosis **diagnosis);
PLUMB_API void plumb_diagnosis_free(struct plumb_diagnosis *diagnosis);

/* Returns how many steps two paths have in common, from the root on. */
PLUMB_API unsigned plumb_diagnosis_common(const struct plumb_diagnosis *a,
					  const struct plumb_diagnosis *b);

/* Returns the general advice on a node, or NULL if no built-in tree has it. */
PLUMB_API const struct plumb_advice *plumb_advice(const char *metric);

#ifdef __cplusplus
}
#endif

#endif
