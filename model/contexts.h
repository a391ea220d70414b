/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calling contexts of one thread, from its calls and returns: a tree, and the place in it where
 * the thread is. Frame pointers are not needed. A context is a call site within another context;
 * context 0 is the thread's beginning. A call of a function that is being executed already leads
 * back to that function's context (Ammons, Ball and Larus 1997), if the functions on the path to it
 * are the same: so recursion does not make the tree grow with its depth, and a path has all active
 * functions. Tail calls leave the context as it is.
 */
#ifndef MODEL_CONTEXTS_H
#define MODEL_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exact_events.h"

/* After so many contexts of functions that were on the path already, calls of such lead back. */
#define CONTEXTS_AGAIN_MAX 4096

struct context;
struct context_far;
struct context_edge;
struct context_pad;

/* A call that has not returned. */
struct context_frame {
	uint64_t returns_to;
	uint32_t caller; /* the context to return to */
};

struct contexts {
	uint32_t current;

	/* The tree is coarser than the program because of these limits: number of call sites. */
	uint64_t too_deep;  /* beyond CONTEXT_DEPTH_MAX: they count for their caller's context */
	uint64_t too_many;  /* beyond CONTEXTS_MAX, or out of memory: likewise */
	uint64_t recursive; /* they lead back to a context */

	/* The rest is private. */
	struct context *nodes;
	uint32_t count, room;
	uint32_t limit;
	uint32_t again;             /* contexts of functions that were on the path already */
	struct context_edge *edges; /* hash table of calls seen */
	uint32_t edge_count, edge_mask;
	struct context_frame *frames; /* what has not returned, the youngest last */
	uint32_t depth, frame_room;
	uint32_t unknown_depth; /* calls above these, which there was no room for */
	uint64_t *sites;        /* filter of call sites */
	/* An index of the oldest frames, for returns and jumps that leave many at once. */
	struct context_far *far;
	uint32_t *buckets; /* by return address: the youngest frame */
	uint32_t far_room, indexed;
	uint32_t last_first; /* the youngest frame that is its context's oldest */
	/* After an exception was caught in a function that is not known yet: calls that may tell.
	 */
	uint32_t adrift;
	uint32_t landed_depth;    /* frames of the unwinder and its callers */
	uint32_t landings;        /* how often one was caught so */
	uint32_t lowest;          /* frames that nothing has changed since the last mark */
	struct context_pad *pads; /* places in functions, by address */
};

/* Starts with the root alone. False if out of memory. */
bool contexts_set_up(struct contexts *contexts);
void contexts_clean_up(struct contexts *contexts);

/* The instruction at `site` calls `callee`, which will return to `returns_to`. */
void contexts_call(struct contexts *contexts, uint64_t site, uint64_t callee, uint64_t returns_to);
/* A return to `target`: to a caller, to a setjmp, or to where an exception is caught. */
void contexts_return(struct contexts *contexts, uint64_t target);
/* The instruction at `site` always branches to `target`. */
void contexts_branch(struct contexts *contexts, uint64_t site, uint64_t target);
/* The instruction at `site` jumps through a register: a tail call, a stub of one, or a longjmp. */
void contexts_jump(struct contexts *contexts, uint64_t site, uint64_t target);
/* A signal's handler runs after the instruction at `site`; it returns by a system call. */
void contexts_signal(struct contexts *contexts, uint64_t site, uint64_t handler);
void contexts_signal_returns(struct contexts *contexts);

/*
 * Where a thread is, and what is known of its calls. contexts_are_back() returns whether everything
 * is as it was at the last mark: then whatever calls and returns led from there to here will do so
 * again. It may miss that if more than CONTEXTS_MARKED frames changed.
 */
#define CONTEXTS_MARKED 64
struct contexts_mark {
	uint64_t limits; /* calls that one of them has met, or that have led back */
	uint32_t current, count, edge_count, depth, unknown_depth, landings, adrift;
	struct context_frame frames[CONTEXTS_MARKED]; /* the youngest ones */
};
void contexts_set_mark(struct contexts *contexts, struct contexts_mark *mark);
bool contexts_are_back(const struct contexts *contexts, const struct contexts_mark *mark);

/*
 * Writes the call sites that lead to a context, the innermost first, at most `max`; returns their
 * number.
 */
size_t contexts_sites(const struct contexts *contexts, uint32_t context, uint64_t *sites,
		      size_t max);

#endif
