/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All addresses where a code begins or ends are known from the start. Between two of them there is
 * always the same code: these are the leaves of a tree, whose nodes stand for ranges of leaves.
 * Code that comes is noted at the few nodes that make up its range. The latest at a leaf is then
 * the latest of the nodes above it.
 */
#include "symbol/jit_places.h"

#include <stdlib.h>
#include <string.h>

#include <plumb/error.h>

#define NOTHING UINT32_MAX

struct jit_places {
	struct jit_code *codes;
	size_t count;
	uint64_t *edges; /* the leaves' beginnings, sorted; the last one has no code */
	size_t leaves;
	uint32_t *first;   /* of each leaf, the first code there; NOTHING: none */
	uint32_t *latest;  /* of each node, one more than the latest code noted there; 0: none */
	uint32_t *changes; /* the codes that replace others, by time */
	size_t change_count, next; /* changes before `next` have come */
};

static int by_address(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

static void find_edges(struct jit_places *places)
{
	uint64_t *edges = places->edges;
	size_t count = 0;

	for (size_t i = 0; i < places->count; i++) {
		edges[2 * i] = places->codes[i].start;
		edges[2 * i + 1] = places->codes[i].end;
	}
	qsort(edges, 2 * places->count, sizeof(*edges), by_address);
	for (size_t i = 0; i < 2 * places->count; i++)
		if (i == 0 || edges[i] != edges[count - 1])
			edges[count++] = edges[i];
	places->leaves = count;
}

/* Returns how many leaves begin at an address or before it. */
static size_t leaves_up_to(const struct jit_places *places, uint64_t address)
{
	size_t low = 0, high = places->leaves;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (places->edges[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the first leaf from `leaf` on that has no code yet. */
static uint32_t next_free(uint32_t *skip, uint32_t leaf)
{
	while (skip[leaf] != leaf) {
		skip[leaf] = skip[skip[leaf]];
		leaf = skip[leaf];
	}
	return leaf;
}

/* Gives a code the leaves of its range that no other one has. Returns whether that is not all. */
static bool take_leaves(struct jit_places *places, uint32_t *skip, uint32_t code)
{
	const uint32_t begin = (uint32_t)leaves_up_to(places, places->codes[code].start) - 1,
		       end = (uint32_t)leaves_up_to(places, places->codes[code].end) - 1;
	uint32_t taken = 0;

	for (uint32_t leaf = next_free(skip, begin); leaf < end; leaf = next_free(skip, leaf)) {
		places->first[leaf] = code;
		skip[leaf] = leaf + 1;
		taken++;
	}
	return taken < end - begin;
}

static int find_first(struct jit_places *places)
{
	uint32_t *skip = reallocarray(NULL, places->leaves, sizeof(*skip));

	if (!skip)
		return PLUMB_ERR_NO_MEMORY;
	for (uint32_t leaf = 0; leaf < places->leaves; leaf++) {
		places->first[leaf] = NOTHING;
		skip[leaf] = leaf;
	}
	for (uint32_t code = 0; code < places->count; code++)
		if (take_leaves(places, skip, code))
			places->changes[places->change_count++] = code;
	free(skip);
	return 0;
}

int jit_places_new(const struct jit_code *codes, size_t count, struct jit_places **places)
{
	struct jit_places *made = calloc(1, sizeof(*made));
	int status = PLUMB_ERR_NO_MEMORY;

	*places = NULL;
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->count = count;
	made->codes = reallocarray(NULL, count, sizeof(*codes));
	made->edges = reallocarray(NULL, 2 * count, sizeof(*made->edges));
	made->changes = reallocarray(NULL, count, sizeof(*made->changes));
	if (made->codes && made->edges && made->changes) {
		memcpy(made->codes, codes, count * sizeof(*codes));
		find_edges(made);
		made->first = reallocarray(NULL, made->leaves, sizeof(*made->first));
		/* Node 0 is none. */
		made->latest = calloc(2 * made->leaves + 1, sizeof(*made->latest));
		if (made->first && made->latest)
			status = find_first(made);
	}
	if (status < 0) {
		jit_places_free(made);
		return status;
	}
	jit_places_advance(made, 0);
	*places = made;
	return 0;
}

void jit_places_free(struct jit_places *places)
{
	if (!places)
		return;
	free(places->codes);
	free(places->edges);
	free(places->first);
	free(places->latest);
	free(places->changes);
	free(places);
}

bool jit_places_replace(const struct jit_places *places)
{
	return places->change_count;
}

uint64_t jit_places_next_change(const struct jit_places *places)
{
	return places->next < places->change_count
		       ? places->codes[places->changes[places->next]].time
		       : UINT64_MAX;
}

/* Notes a code at the nodes that make up its range: nodes 2n and 2n + 1 are below node n. */
static void note(struct jit_places *places, uint32_t code)
{
	size_t left = leaves_up_to(places, places->codes[code].start) - 1 + places->leaves,
	       right = leaves_up_to(places, places->codes[code].end) - 1 + places->leaves;

	for (; left < right; left /= 2, right /= 2) {
		if (left % 2)
			places->latest[left++] = code + 1;
		if (right % 2)
			places->latest[--right] = code + 1;
	}
}

void jit_places_advance(struct jit_places *places, uint64_t time)
{
	while (places->next < places->change_count &&
	       places->codes[places->changes[places->next]].time <= time)
		note(places, places->changes[places->next++]);
}

void jit_places_rewind(struct jit_places *places)
{
	memset(places->latest, 0, 2 * places->leaves * sizeof(*places->latest));
	places->next = 0;
	jit_places_advance(places, 0);
}

bool jit_places_find(const struct jit_places *places, uint64_t address, struct jit_place *place)
{
	const size_t leaf = leaves_up_to(places, address) - 1;
	uint32_t latest = 0;

	/* The last edge ends the last code. */
	if (leaf >= places->leaves - 1)
		return false;
	for (size_t node = leaf + places->leaves; node; node /= 2)
		if (places->latest[node] > latest)
			latest = places->latest[node];
	if (!latest && places->first[leaf] == NOTHING)
		return false;
	*place = (struct jit_place){.code = latest ? latest - 1 : places->first[leaf],
				    .from = places->edges[leaf],
				    .to = places->edges[leaf + 1]};
	return true;
}
