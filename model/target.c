/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <stdlib.h>

#include "sets.h"

#define INDIRECT_TABLES 3
#define CONFIDENT       3

struct slot {
	uint64_t pc; /* 0: empty */
	uint64_t target;
};

/* A set-associative buffer; each set is ordered by use, most recent first. */
struct buffer {
	struct slot *slots;
	uint32_t set_mask;
	unsigned set_bits;
	unsigned ways;
};

struct target_buffer {
	struct buffer fast, large;
	struct buffer pair; /* without slots: there is none */
};

static bool buffer_set_up(struct buffer *buffer, uint32_t entries, unsigned ways)
{
	uint32_t sets;

	buffer->ways = ways ? ways : 1;
	sets = sets_within(entries, buffer->ways, TARGET_SETS_MAX);
	buffer->set_bits = (unsigned)__builtin_ctz(sets);
	buffer->set_mask = sets - 1;
	buffer->slots = calloc((size_t)sets * buffer->ways, sizeof(*buffer->slots));
	return buffer->slots != NULL;
}

struct target_buffer *target_buffer_new(const struct predictor_params *params)
{
	struct target_buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer)
		return NULL;
	if (!buffer_set_up(&buffer->fast, params->fast_target_entries, TARGET_FAST_WAYS) ||
	    !buffer_set_up(&buffer->large, params->target_entries, params->target_ways) ||
	    (params->pair_target_entries &&
	     !buffer_set_up(&buffer->pair, params->pair_target_entries, TARGET_FAST_WAYS))) {
		target_buffer_free(buffer);
		return NULL;
	}
	return buffer;
}

void target_buffer_free(struct target_buffer *buffer)
{
	if (!buffer)
		return;
	free(buffer->pair.slots);
	free(buffer->fast.slots);
	free(buffer->large.slots);
	free(buffer);
}

/*
 * Sets are chosen by all bits of the address, folded, so that branches at the same distance from
 * one another, as in tables of short functions, take as many sets as any others.
 */
static inline struct slot *set_of(const struct buffer *buffer, uint64_t pc)
{
	uint64_t hash = pc >> 2;

	hash ^= hash >> 4 * buffer->set_bits;
	hash ^= hash >> 2 * buffer->set_bits;
	hash ^= hash >> buffer->set_bits;
	return &buffer->slots[(size_t)(hash & buffer->set_mask) * buffer->ways];
}

/* Finds `pc` and makes it the most recent of its set. Sets its target unless `target` is 0. */
static bool buffer_access(struct buffer *buffer, uint64_t pc, uint64_t target, uint64_t *was)
{
	struct slot *set = set_of(buffer, pc);
	unsigned way = 0;
	bool found;
	struct slot slot;

	while (way < buffer->ways - 1 && set[way].pc != pc)
		way++;
	found = set[way].pc == pc;
	slot = found ? set[way] : (struct slot){.pc = pc};
	*was = slot.target;
	if (target)
		slot.target = target;
	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = slot;
	return found;
}

/* Finds a branch in any place of the buffers, and makes it the most recent one. */
static __attribute__((noinline)) enum target_where access_slowly(struct target_buffer *buffer,
								 uint64_t pc, uint64_t target)
{
	uint64_t fast_target, large_target;
	bool fast = buffer_access(&buffer->fast, pc, target, &fast_target);
	bool large;

	/* The large buffer only learns new branches, and those evicted from the fast one. */
	if (fast && fast_target == target)
		return TARGET_FAST;
	large = buffer_access(&buffer->large, pc, target, &large_target);
	return large && large_target == target ? TARGET_LARGE : TARGET_NOWHERE;
}

enum target_where target_buffer_access(struct target_buffer *buffer, uint64_t pc, uint64_t target)
{
	const struct slot *first = set_of(&buffer->fast, pc);

	if (first->pc == pc && first->target == target)
		return TARGET_FAST; /* nothing changes */
	return access_slowly(buffer, pc, target);
}

bool target_buffer_pairs(struct target_buffer *buffer, uint64_t pc, uint64_t target)
{
	uint64_t was;

	return buffer->pair.slots && buffer_access(&buffer->pair, pc, target, &was) &&
	       was == target;
}

enum target_where target_buffer_touch(struct target_buffer *buffer, uint64_t pc)
{
	uint64_t target;

	if (buffer_access(&buffer->fast, pc, 0, &target))
		return TARGET_FAST;
	return buffer_access(&buffer->large, pc, 0, &target) ? TARGET_LARGE : TARGET_NOWHERE;
}

static const struct slot *buffer_find(const struct buffer *buffer, uint64_t pc)
{
	const struct slot *set = set_of(buffer, pc);

	for (unsigned way = 0; way < buffer->ways; way++)
		if (set[way].pc == pc)
			return &set[way];
	return NULL;
}

uint64_t target_buffer_peek(const struct target_buffer *buffer, uint64_t pc)
{
	const struct slot *slot = buffer_find(&buffer->fast, pc);

	if (!slot)
		slot = buffer_find(&buffer->large, pc);
	return slot ? slot->target : 0;
}

struct indirect_entry {
	uint64_t target;
	uint16_t tag;
	uint8_t confidence;
};

struct indirect {
	struct indirect_entry *tables[INDIRECT_TABLES];
	uint32_t mask;
	unsigned log2_entries;
	uint64_t changes;
	uint64_t path; /* 4 bits of each of the last targets, newest lowest */
};

/* How much of the history of targets and directions selects the entry, besides the address. */
static const uint64_t path_masks[INDIRECT_TABLES] = {0, 0xff, ~0ull};
static const uint64_t history_masks[INDIRECT_TABLES] = {0, 0, 0xffff};

struct indirect *indirect_new(const struct predictor_params *params)
{
	struct indirect *indirect = calloc(1, sizeof(*indirect));

	if (!indirect)
		return NULL;
	indirect->log2_entries = params->indirect_log2_entries;
	indirect->mask = (1u << params->indirect_log2_entries) - 1;
	for (unsigned i = 0; i < INDIRECT_TABLES; i++) {
		indirect->tables[i] =
			calloc((size_t)indirect->mask + 1, sizeof(*indirect->tables[i]));
		if (!indirect->tables[i]) {
			indirect_free(indirect);
			return NULL;
		}
	}
	return indirect;
}

void indirect_free(struct indirect *indirect)
{
	if (!indirect)
		return;
	for (unsigned i = 0; i < INDIRECT_TABLES; i++)
		free(indirect->tables[i]);
	free(indirect);
}

uint64_t indirect_branch(struct indirect *indirect, uint64_t history, uint64_t pc, uint64_t target)
{
	struct indirect_entry *hit[INDIRECT_TABLES];
	uint16_t tags[INDIRECT_TABLES];
	int provider = -1;
	uint64_t predicted;

	for (int i = INDIRECT_TABLES - 1; i >= 0; i--) {
		uint64_t key = (pc >> 2) * 0x9e3779b97f4a7c15ull ^
			       (history & history_masks[i]) * 0xd6e8feb86659fd93ull ^
			       (indirect->path & path_masks[i]) * 0xc2b2ae3d27d4eb4full;

		hit[i] = &indirect->tables[i][key >> (64 - indirect->log2_entries)];
		tags[i] = (uint16_t)(key >> 16 | 1);
		if (provider < 0 && hit[i]->tag == tags[i])
			provider = i;
	}
	predicted = provider >= 0 ? hit[provider]->target : 0;
	if (provider >= 0) {
		struct indirect_entry *entry = hit[provider];

		if (entry->target == target) {
			indirect->changes += entry->confidence < CONFIDENT;
			if (entry->confidence < CONFIDENT)
				entry->confidence++;
		} else if (entry->confidence) {
			entry->confidence--;
		} else {
			entry->target = target;
		}
	}
	if (predicted != target) {
		indirect->changes++;
		/* The next longer history may distinguish the cases. */
		for (int i = provider + 1; i < INDIRECT_TABLES; i++) {
			if (hit[i]->confidence) {
				hit[i]->confidence--;
				continue;
			}
			*hit[i] = (struct indirect_entry){.target = target, .tag = tags[i]};
			if (provider >= 0)
				break;
		}
	}
	indirect->path = indirect->path << 4 ^ ((target >> 2) * 0x9e3779b97f4a7c15ull) >> 60;
	return predicted;
}

uint64_t indirect_changes(const struct indirect *indirect)
{
	return indirect->changes;
}

uint64_t indirect_path(const struct indirect *indirect)
{
	return indirect->path;
}
