/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/blocks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_LOG2 16
#define PAGE_BLOCKS  4096

struct entry {
	struct entry *next; /* of the same bucket, older */
	struct block block;
	struct insn insns[];
};

static struct entry *_Atomic buckets[1u << BUCKETS_LOG2];
static _Atomic uint32_t made;  /* changed by one thread at a time */
static _Atomic uint32_t shown; /* the same */

/* All of them, by number; a page stays where it is. */
static struct page {
	const struct block *blocks[PAGE_BLOCKS];
} * pages[BLOCKS_NUMBERED / PAGE_BLOCKS];

static struct entry *_Atomic *bucket_of(uint64_t pc)
{
	return &buckets[(pc >> 2) * 0x9e3779b97f4a7c15ull >> (64 - BUCKETS_LOG2)];
}

static bool same_words(const struct block *block, const uint32_t *words, size_t count)
{
	if (block->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (block->insns[i].opcode != words[i])
			return false;
	return true;
}

/* Lets the block be found by its number, unless it is too large. Returns false if out of memory. */
static bool keep_number(const struct block *block)
{
	struct page **page = &pages[block->id / PAGE_BLOCKS];

	if (block->id >= BLOCKS_NUMBERED)
		return true;
	if (!*page && !(*page = calloc(1, sizeof(**page))))
		return false;
	(*page)->blocks[block->id % PAGE_BLOCKS] = block;
	return true;
}

const struct block *blocks_numbered(uint32_t id)
{
	return pages[id / PAGE_BLOCKS]->blocks[id % PAGE_BLOCKS];
}

static void set_successors(struct block *block)
{
	const struct insn *last = &block->insns[block->count - 1];
	const uint64_t end = block->pc + 4ull * block->count;
	const uint64_t target = end - 4 + (uint64_t)last->target;

	block->goes_anywhere = last->branch == BRANCH_INDIRECT ||
			       last->branch == BRANCH_INDIRECT_CALL ||
			       last->branch == BRANCH_RETURN;
	block->next[0] = block->next[1] = end;
	if (last->branch == BRANCH_CONDITIONAL)
		block->next[1] = target;
	else if (last->branch == BRANCH_IMMEDIATE || last->branch == BRANCH_CALL)
		block->next[0] = block->next[1] = target;
}

const struct block *blocks_get(const struct core_params *params, uint64_t pc, const uint32_t *words,
			       size_t count, unsigned *unknown)
{
	struct entry *_Atomic *bucket = bucket_of(pc);
	struct entry *newest = atomic_load_explicit(bucket, memory_order_relaxed);
	struct entry *entry;

	*unknown = 0;
	for (entry = newest; entry; entry = entry->next)
		if (entry->block.pc == pc && same_words(&entry->block, words, count))
			return &entry->block;
	entry = calloc(1, sizeof(*entry) + count * sizeof(entry->insns[0]));
	if (!entry)
		return NULL;
	entry->block.pc = pc;
	entry->block.id = blocks_count();
	entry->block.count = (uint16_t)count;
	entry->block.insns = entry->insns;
	for (size_t i = 0; i < count; i++) {
		if (!insn_decode(words[i], params->vector_bytes, &entry->insns[i]))
			++*unknown;
		entry->insns[i].opcode = words[i];
		if (entry->insns[i].memory & MEM_STORE)
			entry->block.writes_memory = true;
	}
	set_successors(&entry->block);
	if (!keep_number(&entry->block) || !core_prepare_block(params, &entry->block)) {
		free(entry);
		return NULL;
	}
	entry->next = newest;
	atomic_store_explicit(bucket, entry, memory_order_release);
	atomic_fetch_add_explicit(&made, 1, memory_order_release);
	return &entry->block;
}

void blocks_show(const struct block *block)
{
	const uintptr_t address = (uintptr_t)block - offsetof(struct entry, block);
	struct entry *entry = (struct entry *)address;

	if (entry->block.shown)
		return;
	entry->block.shown = true;
	atomic_fetch_add_explicit(&shown, 1, memory_order_release);
}

void blocks_show_all(void)
{
	for (uint32_t i = 0; i < sizeof(buckets) / sizeof(*buckets); i++)
		for (struct entry *entry = buckets[i]; entry; entry = entry->next)
			blocks_show(&entry->block);
}

const struct block *blocks_find(void *user, uint64_t pc)
{
	const struct entry *entry = atomic_load_explicit(bucket_of(pc), memory_order_acquire);

	(void)user;
	while (entry && (entry->block.pc != pc || !entry->block.shown))
		entry = entry->next;
	return entry ? &entry->block : NULL;
}

const struct block *blocks_find_known(void *user, uint64_t pc)
{
	const _Atomic uint32_t *known = user;
	const uint32_t count = atomic_load_explicit(known, memory_order_relaxed);
	const struct entry *entry = atomic_load_explicit(bucket_of(pc), memory_order_acquire);

	while (entry && (entry->block.pc != pc || entry->block.id >= count))
		entry = entry->next;
	return entry ? &entry->block : NULL;
}

uint32_t blocks_count(void)
{
	return atomic_load_explicit(&made, memory_order_relaxed);
}

const _Atomic uint32_t *blocks_shown(void)
{
	return &shown;
}
