/* SPDX-License-Identifier: Apache-2.0 */
#include "contexts.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE      UINT32_MAX
#define FRAMES_MAX   (1u << 20)
#define NEAR_FRAMES  64 /* searched one by one; older ones have an index */
#define BUCKETS_LOG2 10
#define FILTER_LOG2  16
#define SIGNAL_FRAME 1    /* never an address of an instruction */
#define STUB_BYTES   16   /* of an entry of a procedure linkage table, which jumps with its last */
#define PADS         512  /* places whose function is remembered */
#define PAD_FRAMES   1024 /* the most that an exception leaves */
#define ADRIFT_CALLS 64   /* after so many calls the function is given up */

struct context {
	uint64_t site, callee;
	uint64_t entry; /* of the function: the callee, or where its stub has jumped */
	uint32_t parent;
	uint32_t depth;
	uint32_t functions; /* different ones on the path to it */
	uint32_t youngest;  /* of the frames in the index that return to it; NOWHERE: none */
	bool calls;         /* it has called something */
};

/* The last function known to begin at or before an address, among the first contexts. */
struct context_pad {
	uint64_t address, entry;
	uint32_t looked_at; /* contexts; 0: unused */
};

/* A call seen before. Those of one site are next to each other, whatever they call. */
struct context_edge {
	uint64_t site, callee;
	uint32_t from;
	uint32_t to; /* NOWHERE, all bits set: free */
};

/*
 * What the index has for a frame: older frames, or NOWHERE. Frames enter it from the oldest on when
 * a search gets that far, and leave it in the opposite order.
 */
struct context_far {
	uint32_t older;        /* in the same bucket of return addresses: the youngest */
	uint32_t other;        /* likewise, of those that return elsewhere */
	uint32_t older_caller; /* that returns to the same context: the youngest */
	uint32_t first;        /* the oldest of its context, as this one is: the youngest of them */
};

static uint64_t hash(uint64_t value)
{
	value *= 0x9e3779b97f4a7c15ull;
	return value ^ value >> 32;
}

static uint32_t slot_of(const struct contexts *c, uint32_t from, uint64_t site)
{
	return (uint32_t)hash(site ^ (uint64_t)from << 40 ^ from) & c->edge_mask;
}

static struct context_edge *new_edges(uint32_t count)
{
	struct context_edge *edges = malloc(count * sizeof(*edges));

	if (edges)
		memset(edges, 0xff, count * sizeof(*edges));
	return edges;
}

bool contexts_set_up(struct contexts *c)
{
	*c = (struct contexts){.count = 1,
			       .room = 64,
			       .limit = CONTEXTS_MAX,
			       .edge_mask = 127,
			       .last_first = NOWHERE};
	c->nodes = calloc(c->room, sizeof(*c->nodes));
	c->edges = new_edges(c->edge_mask + 1);
	c->frames = malloc(64 * sizeof(*c->frames));
	c->frame_room = 64;
	c->sites = calloc(1u << (FILTER_LOG2 - 6), sizeof(*c->sites));
	c->buckets = malloc(sizeof(*c->buckets) << BUCKETS_LOG2);
	c->pads = calloc(PADS, sizeof(*c->pads));
	if (c->nodes && c->edges && c->frames && c->sites && c->buckets && c->pads) {
		c->nodes[0].youngest = NOWHERE;
		memset(c->buckets, 0xff, sizeof(*c->buckets) << BUCKETS_LOG2);
		return true;
	}
	contexts_clean_up(c);
	return false;
}

void contexts_clean_up(struct contexts *c)
{
	free(c->nodes);
	free(c->edges);
	free(c->frames);
	free(c->far);
	free(c->buckets);
	free(c->sites);
	free(c->pads);
	memset(c, 0, sizeof(*c));
}

/* ---- The tree ---------------------------------------------------------------------------------
 */

static void put_edge(struct contexts *c, const struct context_edge *edge)
{
	uint32_t slot = slot_of(c, edge->from, edge->site);

	while (c->edges[slot].to != NOWHERE)
		slot = (slot + 1) & c->edge_mask;
	c->edges[slot] = *edge;
}

static bool grow_edges(struct contexts *c)
{
	uint32_t old_count = c->edge_mask + 1;
	struct context_edge *old = c->edges, *edges = new_edges(2 * old_count);

	if (!edges)
		return false;
	c->edges = edges;
	c->edge_mask = 2 * old_count - 1;
	for (uint32_t i = 0; i < old_count; i++)
		if (old[i].to != NOWHERE)
			put_edge(c, &old[i]);
	free(old);
	return true;
}

/* Remembers where a call leads. If there is no room, it is found out again next time. */
static void remember(struct contexts *c, uint64_t site, uint64_t callee, uint32_t to)
{
	const struct context_edge edge = {site, callee, c->current, to};
	uint64_t bit = hash(site) >> (64 - FILTER_LOG2);

	if (c->edge_count >= 4 * CONTEXTS_MAX)
		return;
	if (2 * (c->edge_count + 1) > c->edge_mask && !grow_edges(c))
		return;
	c->edge_count++;
	put_edge(c, &edge);
	c->sites[bit / 64] |= 1ull << bit % 64;
}

/* Returns the youngest context of `callee` that the current one is part of, or NOWHERE. */
static uint32_t find_active(const struct contexts *c, uint64_t callee)
{
	uint32_t context = c->current;

	for (; context; context = c->nodes[context].parent)
		if (c->nodes[context].callee == callee)
			return context;
	return NOWHERE;
}

/*
 * Returns whether a call of a function goes back to its context `active`: if the current one has no
 * other functions on its path, so that each active function always is on the current path.
 */
static bool leads_back(const struct contexts *c, uint32_t active)
{
	return c->nodes[active].functions == c->nodes[c->current].functions ||
	       c->again >= CONTEXTS_AGAIN_MAX;
}

/* `again`: the callee is on the path already. */
static uint32_t new_context(struct contexts *c, uint64_t site, uint64_t callee, bool again)
{
	if (c->count == c->room) {
		struct context *grown = realloc(c->nodes, 2ull * c->room * sizeof(*grown));

		if (!grown)
			return NOWHERE;
		c->nodes = grown;
		c->room *= 2;
	}
	c->nodes[c->count] = (struct context){
		.site = site,
		.callee = callee,
		.entry = callee,
		.parent = c->current,
		.depth = c->nodes[c->current].depth + 1,
		.functions = c->nodes[c->current].functions + !again,
		.youngest = NOWHERE,
	};
	c->again += again;
	return c->count++;
}

/* Returns the context of a call that was not seen before in the current one. */
static uint32_t first_call(struct contexts *c, uint64_t site, uint64_t callee)
{
	const uint32_t active = find_active(c, callee);
	uint32_t to;

	if (active != NOWHERE && leads_back(c, active)) {
		to = active;
		c->recursive++;
	} else if (c->nodes[c->current].depth >= CONTEXT_DEPTH_MAX) {
		c->too_deep++;
		to = c->current;
	} else if (c->count >= c->limit ||
		   (to = new_context(c, site, callee, active != NOWHERE)) == NOWHERE) {
		c->too_many++;
		to = c->current;
	}
	remember(c, site, callee, to);
	return to;
}

static uint32_t child(struct contexts *c, uint64_t site, uint64_t callee)
{
	uint32_t slot = slot_of(c, c->current, site);

	for (;; slot = (slot + 1) & c->edge_mask) {
		const struct context_edge *edge = &c->edges[slot];

		if (edge->to == NOWHERE)
			return first_call(c, site, callee);
		if (edge->site == site && edge->callee == callee && edge->from == c->current)
			return edge->to;
	}
}

/* Returns whether `context` has called anything from `site`. */
static bool has_called(const struct contexts *c, uint32_t context, uint64_t site)
{
	uint32_t slot = slot_of(c, context, site);

	for (;; slot = (slot + 1) & c->edge_mask) {
		const struct context_edge *edge = &c->edges[slot];

		if (edge->to == NOWHERE)
			return false;
		if (edge->site == site && edge->from == context)
			return true;
	}
}

/* ---- The index of frames ----------------------------------------------------------------------
 */

static uint32_t *bucket_of(const struct contexts *c, uint64_t returns_to)
{
	return &c->buckets[hash(returns_to) >> (64 - BUCKETS_LOG2)];
}

static void enter(struct contexts *c, uint32_t i)
{
	const struct context_frame *frame = &c->frames[i];
	uint32_t *bucket = bucket_of(c, frame->returns_to), older = *bucket, other = older;
	struct context *caller = &c->nodes[frame->caller];

	if (older != NOWHERE && c->frames[older].returns_to == frame->returns_to)
		other = c->far[older].other;
	c->far[i] = (struct context_far){older, other, caller->youngest, c->last_first};
	*bucket = i;
	if (caller->youngest == NOWHERE)
		c->last_first = i;
	caller->youngest = i;
}

static void leave(struct contexts *c, uint32_t i)
{
	const struct context_far *far = &c->far[i];

	*bucket_of(c, c->frames[i].returns_to) = far->older;
	c->nodes[c->frames[i].caller].youngest = far->older_caller;
	c->last_first = far->first;
}

/* Enters the frames below `end`. Without memory for them, they are searched one by one. */
static void index_frames(struct contexts *c, uint32_t end)
{
	if (end > c->far_room) {
		struct context_far *grown = realloc(c->far, c->frame_room * sizeof(*grown));

		if (!grown)
			return;
		c->far = grown;
		c->far_room = c->frame_room;
	}
	for (; c->indexed < end; c->indexed++)
		enter(c, c->indexed);
}

/* Returns the youngest frame in the index that returns to `target`, or NOWHERE. */
static uint32_t far_return(const struct contexts *c, uint64_t target)
{
	uint32_t i = *bucket_of(c, target);

	while (i != NOWHERE && c->frames[i].returns_to != target)
		i = c->far[i].other;
	return i;
}

/* Returns the youngest frame in the index whose context has called from `site`, or NOWHERE. */
static uint32_t far_caller(const struct contexts *c, uint64_t site)
{
	uint32_t found = NOWHERE;

	for (uint32_t i = c->last_first; i != NOWHERE; i = c->far[i].first) {
		uint32_t caller = c->frames[i].caller, youngest = c->nodes[caller].youngest;

		if ((found == NOWHERE || youngest > found) && has_called(c, caller, site))
			found = youngest;
	}
	return found;
}

/* ---- Calls and returns ------------------------------------------------------------------------
 */

static void push(struct contexts *c, uint64_t returns_to)
{
	if (c->depth == c->frame_room) {
		struct context_frame *grown = NULL;

		if (c->frame_room > 0 && c->frame_room < FRAMES_MAX)
			grown = realloc(c->frames, 2ull * c->frame_room * sizeof(*grown));
		if (!grown) {
			c->unknown_depth++;
			return;
		}
		c->frames = grown;
		c->frame_room *= 2;
	}
	c->frames[c->depth++] = (struct context_frame){returns_to, c->current};
}

static void pop_to(struct contexts *c, uint32_t depth)
{
	c->depth = depth;
	if (depth < c->lowest)
		c->lowest = depth;
	while (c->indexed > depth)
		leave(c, --c->indexed);
	c->current = c->frames[depth].caller;
	c->unknown_depth = 0;
	if (depth < c->landed_depth)
		c->adrift = 0;
}

/* ---- Exceptions -------------------------------------------------------------------------------
 *
 * An unwinder "returns" to a landing pad, to which nothing returns otherwise. The pad belongs to a
 * function that is active, whose beginning is known, and no other function begins between that and
 * the pad. Compilers may place pads apart from their functions. Then the calls made after it tell.
 */

/* Returns where the last function begins that is known to begin at or before `address`; 0: none. */
static uint64_t entry_before(struct contexts *c, uint64_t address)
{
	struct context_pad *pad = &c->pads[hash(address) % PADS];

	if (!pad->looked_at || pad->address != address)
		*pad = (struct context_pad){.address = address};
	for (; pad->looked_at < c->count; pad->looked_at++) {
		const uint64_t entry = c->nodes[pad->looked_at].entry;

		if (entry <= address && entry > pad->entry)
			pad->entry = entry;
	}
	return pad->entry;
}

/* Returns to the youngest frame of the function that `address` belongs to, if there is one. */
static void return_to_function(struct contexts *c, uint64_t address)
{
	const uint64_t entry = entry_before(c, address);
	const uint32_t end = c->depth > PAD_FRAMES ? c->depth - PAD_FRAMES : 0;

	for (uint32_t i = c->depth; entry && i > end; i--)
		if (c->nodes[c->frames[i - 1].caller].entry == entry) {
			pop_to(c, i - 1);
			return;
		}
}

/* An unwinder has called functions. What switches stacks, and will be returned to, has not. */
static void land(struct contexts *c, uint64_t target)
{
	if (!c->nodes[c->current].calls)
		return;
	c->landings++;
	c->adrift = ADRIFT_CALLS;
	c->landed_depth = c->depth;
	return_to_function(c, target);
}

void contexts_call(struct contexts *c, uint64_t site, uint64_t callee, uint64_t returns_to)
{
	if (c->adrift) {
		c->adrift--;
		return_to_function(c, site);
	}
	push(c, returns_to);
	c->nodes[c->current].calls = true;
	c->current = child(c, site, callee);
}

/* Brings the index up to date. Returns the first frame that is to be searched without it. */
static uint32_t first_near(struct contexts *c)
{
	if (c->depth > NEAR_FRAMES)
		index_frames(c, c->depth - NEAR_FRAMES);
	return c->indexed;
}

static bool returned(struct contexts *c, uint64_t target)
{
	uint32_t i = c->depth, end;

	if (i && c->frames[i - 1].returns_to == target) {
		pop_to(c, i - 1);
		return true;
	}
	for (end = first_near(c); i > end; i--)
		if (c->frames[i - 1].returns_to == target) {
			pop_to(c, i - 1);
			return true;
		}
	i = far_return(c, target);
	if (i != NOWHERE)
		pop_to(c, i);
	return i != NOWHERE;
}

/*
 * A longjmp returns a second time from a setjmp that has returned already: its target is behind a
 * call that one of the active contexts has made.
 */
static bool returned_again(struct contexts *c, uint64_t target)
{
	uint64_t site = target - 4, bit = hash(site) >> (64 - FILTER_LOG2);
	uint32_t i = c->depth, end;

	if (!(c->sites[bit / 64] >> bit % 64 & 1))
		return false;
	if (has_called(c, c->current, site))
		return true;
	for (end = first_near(c); i > end; i--)
		if (has_called(c, c->frames[i - 1].caller, site)) {
			pop_to(c, i - 1);
			return true;
		}
	i = far_caller(c, site);
	if (i != NOWHERE)
		pop_to(c, i);
	return i != NOWHERE;
}

void contexts_return(struct contexts *c, uint64_t target)
{
	if (c->unknown_depth) {
		c->unknown_depth--;
		return;
	}
	if (!returned(c, target) && !returned_again(c, target))
		land(c, target);
}

void contexts_branch(struct contexts *c, uint64_t site, uint64_t target)
{
	struct context *context = &c->nodes[c->current];

	if (site == context->callee || site == context->callee + 4)
		context->entry = target;
}

void contexts_jump(struct contexts *c, uint64_t site, uint64_t target)
{
	struct context *context = &c->nodes[c->current];

	if (site >= context->callee && site - context->callee < STUB_BYTES && c->current)
		context->entry = target;
	returned_again(c, target);
}

void contexts_signal(struct contexts *c, uint64_t site, uint64_t handler)
{
	push(c, SIGNAL_FRAME);
	c->current = child(c, site, handler);
}

void contexts_signal_returns(struct contexts *c)
{
	for (uint32_t i = c->depth; i-- > 0;)
		if (c->frames[i].returns_to == SIGNAL_FRAME) {
			pop_to(c, i);
			return;
		}
}

static uint64_t limits_met(const struct contexts *c)
{
	return c->too_deep + c->too_many + c->recursive;
}

static uint32_t marked_frames(uint32_t depth)
{
	return depth < CONTEXTS_MARKED ? depth : CONTEXTS_MARKED;
}

void contexts_set_mark(struct contexts *c, struct contexts_mark *mark)
{
	const uint32_t frames = marked_frames(c->depth);

	mark->limits = limits_met(c);
	mark->current = c->current;
	mark->count = c->count;
	mark->edge_count = c->edge_count;
	mark->depth = c->depth;
	mark->unknown_depth = c->unknown_depth;
	mark->landings = c->landings;
	mark->adrift = c->adrift;
	memcpy(mark->frames, c->frames + c->depth - frames, frames * sizeof(*mark->frames));
	c->lowest = c->depth;
}

bool contexts_are_back(const struct contexts *c, const struct contexts_mark *mark)
{
	const uint32_t frames = marked_frames(c->depth), first = c->depth - frames;

	if (c->current != mark->current || c->count != mark->count ||
	    c->edge_count != mark->edge_count || c->depth != mark->depth ||
	    c->unknown_depth != mark->unknown_depth || c->landings != mark->landings || c->adrift ||
	    mark->adrift || limits_met(c) != mark->limits || c->lowest < first)
		return false;
	for (uint32_t i = 0; i < frames; i++)
		if (c->frames[first + i].returns_to != mark->frames[i].returns_to ||
		    c->frames[first + i].caller != mark->frames[i].caller)
			return false;
	return true;
}

size_t contexts_sites(const struct contexts *c, uint32_t context, uint64_t *sites, size_t max)
{
	size_t count = 0;

	for (; context && count < max; context = c->nodes[context].parent)
		sites[count++] = c->nodes[context].site;
	return count;
}
