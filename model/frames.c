/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <stdlib.h>

#define BLOCK_LOG2      16 /* 64 KiB */
#define BLOCK_PAGES_MAX 16
#define FIRST_BLOCK     16 /* the bottom of physical memory is not used, as on real machines */
/* Huge pages are where small ones never come to. */
#define HUGE_FRAMES_LOG2 44
#define FRAME_SMALL      UINT64_MAX
#define FRAME_UNKNOWN    (UINT64_MAX - 1)

/* A block of virtual pages. */
struct block {
	uint64_t number;  /* plus one; 0: none */
	uint64_t frame;   /* physical block of those that are touched next; of huge pages: page */
	uint64_t *own;    /* frames of pages that are elsewhere, plus one; NULL: none is */
	uint16_t touched; /* a bit for each page: it has a frame */
	uint16_t used;    /* a bit for each page of `frame`: it was given to one */
};

/* A hash table of blocks: open addressing, at most half full. */
struct table {
	struct block *slots;
	unsigned log2_slots;
	uint64_t count;
};

struct frames {
	const struct core_params *params;
	struct table small;
	struct table huge;          /* of blocks as large as a huge page: frames, or FRAME_SMALL */
	unsigned log2_block_pages;  /* pages of a block */
	unsigned log2_huge_pages;   /* pages of a huge page; 0: there are none */
	uint64_t given, huge_given; /* physical blocks, and huge pages, so far */
	uint64_t touches;           /* frames_touches() */
};

static struct block *find_slot(const struct table *table, uint64_t number)
{
	uint64_t mask = (1ull << table->log2_slots) - 1;
	uint64_t i = number * 0x9e3779b97f4a7c15ull >> (64 - table->log2_slots);

	while (table->slots[i].number && table->slots[i].number != number + 1)
		i = (i + 1) & mask;
	return &table->slots[i];
}

static bool grow(struct table *table)
{
	struct table larger = {.log2_slots = table->log2_slots + 1, .count = table->count};

	larger.slots = calloc(1ull << larger.log2_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint64_t i = 0; i < 1ull << table->log2_slots; i++)
		if (table->slots[i].number)
			*find_slot(&larger, table->slots[i].number - 1) = table->slots[i];
	free(table->slots);
	*table = larger;
	return true;
}

static bool table_set_up(struct table *table)
{
	table->log2_slots = 12;
	table->slots = calloc(1u << 12, sizeof(*table->slots));
	return table->slots != NULL;
}

static void table_clean_up(struct table *table)
{
	for (uint64_t i = 0; table->slots && i < 1ull << table->log2_slots; i++)
		free(table->slots[i].own);
	free(table->slots);
}

/* Returns the slot of a block, which is empty if the block is not there; NULL: out of memory. */
static struct block *slot_for(struct table *table, uint64_t number)
{
	struct block *slot = find_slot(table, number);

	if (slot->number || 2 * (table->count + 1) <= 1ull << table->log2_slots)
		return slot;
	if (grow(table))
		return find_slot(table, number);
	return table->count + 2 >= 1ull << table->log2_slots ? NULL : slot;
}

/* Returns the block, made if it is not there; NULL: out of memory. */
static struct block *block_for(struct table *table, uint64_t number)
{
	struct block *block = slot_for(table, number);

	if (block && !block->number) {
		*block = (struct block){.number = number + 1, .frame = FRAME_UNKNOWN};
		table->count++;
	}
	return block;
}

struct frames *frames_new(const struct core_params *params)
{
	struct frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	frames->params = params;
	while (params->page_bytes << frames->log2_block_pages < 1 << BLOCK_LOG2)
		frames->log2_block_pages++;
	/* A huge page is what a page of entries in the tables maps. */
	if (params->is_anonymous)
		frames->log2_huge_pages = (unsigned)__builtin_ctz(params->page_bytes) - 3;
	if (table_set_up(&frames->small) && table_set_up(&frames->huge))
		return frames;
	frames_free(frames);
	return NULL;
}

void frames_free(struct frames *frames)
{
	if (!frames)
		return;
	table_clean_up(&frames->small);
	table_clean_up(&frames->huge);
	free(frames);
}

unsigned frames_log2_huge(const struct frames *frames)
{
	return frames->log2_huge_pages;
}

/* ---- Small pages -------------------------------------------------------------------------- */

static uint64_t frame_at(const struct frames *frames, const struct block *block, unsigned page)
{
	if (block->own && block->own[page])
		return block->own[page] - 1;
	return block->frame << frames->log2_block_pages | page;
}

/* Makes room for frames elsewhere; keeps those that the touched pages have. */
static bool keep_own(const struct frames *frames, struct block *block)
{
	uint64_t *own = block->own ? block->own : calloc(BLOCK_PAGES_MAX, sizeof(*own));

	if (!own)
		return false;
	for (unsigned page = 0; page < BLOCK_PAGES_MAX; page++)
		if (block->touched & 1u << page)
			own[page] = frame_at(frames, block, page) + 1;
	block->own = own;
	return true;
}

static uint64_t touch(struct frames *frames, struct block *block, unsigned page)
{
	const uint16_t bit = (uint16_t)(1u << page);

	if (block->touched & bit)
		return frame_at(frames, block, page);
	/* Out of memory, it gets what it had before. */
	if (block->frame == FRAME_UNKNOWN ||
	    (block->used & bit && (!block->touched || keep_own(frames, block)))) {
		block->frame = FIRST_BLOCK + frames->given++;
		block->used = 0;
	}
	block->touched |= bit;
	block->used |= bit;
	frames->touches++;
	return frame_at(frames, block, page);
}

static uint16_t forget(struct block *block, uint16_t pages)
{
	const uint16_t had = block->touched & pages;

	block->touched &= (uint16_t)~pages;
	for (unsigned page = 0; block->own && page < BLOCK_PAGES_MAX; page++)
		if (had & 1u << page)
			block->own[page] = 0;
	return had;
}

/* Forgets those of a block's pages that are in a range. */
static uint16_t forget_in(const struct frames *frames, struct block *block, uint64_t first,
			  uint64_t end)
{
	uint64_t page = (block->number - 1) << frames->log2_block_pages;
	uint16_t pages = 0;

	for (unsigned i = 0; i < 1u << frames->log2_block_pages; i++)
		if (page + i >= first && page + i < end)
			pages |= (uint16_t)(1u << i);
	return forget(block, pages);
}

/* ---- Huge pages --------------------------------------------------------------------------- */

/* Returns the first page of the huge page that a page belongs to, or FRAME_SMALL. */
static uint64_t find_huge(struct frames *frames, uint64_t page)
{
	const unsigned log2_pages = frames->log2_huge_pages;
	const uint64_t bytes = (uint64_t)frames->params->page_bytes << log2_pages;
	uint64_t number = page >> log2_pages;
	struct block *block = block_for(&frames->huge, number);

	if (!block)
		return FRAME_SMALL;
	if (block->frame == FRAME_UNKNOWN) {
		uint64_t first = (1ull << HUGE_FRAMES_LOG2) / frames->params->page_bytes;

		block->frame = FRAME_SMALL;
		if (frames->params->is_anonymous(number * bytes, bytes))
			block->frame = first + (frames->huge_given++ << log2_pages);
	}
	return block->frame;
}

/* Forgets a huge page, unless only a part of it is in the range. */
static uint16_t forget_huge(const struct frames *frames, struct block *block, uint64_t first,
			    uint64_t end)
{
	const uint64_t page = (block->number - 1) << frames->log2_huge_pages;
	const bool had = block->frame < FRAME_UNKNOWN;

	if (page < first || page + (1ull << frames->log2_huge_pages) > end)
		return false;
	block->frame = FRAME_UNKNOWN;
	block->touched = 0;
	return had;
}

bool frames_are_huge(struct frames *frames, uint64_t page)
{
	return find_huge(frames, page) != FRAME_SMALL;
}

/* ---- All of them -------------------------------------------------------------------------- */

uint64_t frames_of(struct frames *frames, uint64_t page)
{
	const unsigned log2_pages = frames->log2_block_pages;
	uint64_t frame = FRAME_SMALL;
	struct block *block;

	if (frames->log2_huge_pages)
		frame = find_huge(frames, page);
	if (frame != FRAME_SMALL) {
		block = find_slot(&frames->huge, page >> frames->log2_huge_pages);
		frames->touches += !block->touched;
		block->touched = 1;
		return frame | (page & ((1ull << frames->log2_huge_pages) - 1));
	}
	block = block_for(&frames->small, page >> log2_pages);
	if (!block)
		return page; /* no memory for the map: use virtual addresses as physical ones */
	return touch(frames, block, (unsigned)(page & ((1ull << log2_pages) - 1)));
}

uint64_t frames_touches(const struct frames *frames)
{
	return frames->touches;
}

bool frames_are_touched(const struct frames *frames, uint64_t page)
{
	const unsigned log2_pages = frames->log2_block_pages;
	const struct block *block;

	if (frames->log2_huge_pages) {
		block = find_slot(&frames->huge, page >> frames->log2_huge_pages);
		if (block->number && block->frame < FRAME_UNKNOWN)
			return block->touched;
	}
	block = find_slot(&frames->small, page >> log2_pages);
	return block->number && block->touched >> (page & ((1ull << log2_pages) - 1)) & 1;
}

typedef uint16_t forget_block(const struct frames *frames, struct block *block, uint64_t first,
			      uint64_t end);

/* Forgets a range's pages in one of the tables. Ranges may be much larger than what was touched. */
static bool forget_all(const struct frames *frames, const struct table *table, unsigned log2_pages,
		       forget_block *forget_one, uint64_t first, uint64_t end)
{
	const uint64_t from = first >> log2_pages, to = (end - 1) >> log2_pages;
	uint16_t had = 0;

	if (to - from >= 1ull << table->log2_slots) {
		for (uint64_t i = 0; i < 1ull << table->log2_slots; i++)
			if (table->slots[i].number)
				had |= forget_one(frames, &table->slots[i], first, end);
		return had;
	}
	for (uint64_t number = from; number <= to; number++) {
		struct block *block = find_slot(table, number);

		if (block->number)
			had |= forget_one(frames, block, first, end);
	}
	return had;
}

bool frames_drop(struct frames *frames, uint64_t first, uint64_t end)
{
	bool had = false;

	if (first >= end)
		return false;
	if (frames->log2_huge_pages)
		had = forget_all(frames, &frames->huge, frames->log2_huge_pages, forget_huge, first,
				 end);
	return forget_all(frames, &frames->small, frames->log2_block_pages, forget_in, first,
			  end) ||
	       had;
}

/* Moves the frame of a page, if it has one. */
static void move_page(struct frames *frames, uint64_t from, uint64_t to)
{
	const uint64_t mask = (1ull << frames->log2_block_pages) - 1;
	const struct block *source = find_slot(&frames->small, from >> frames->log2_block_pages);
	const unsigned page = (unsigned)(from & mask), place = (unsigned)(to & mask);
	struct block *target;
	uint64_t frame;

	if (!source->number || !(source->touched & 1u << page))
		return;
	frame = frame_at(frames, source, page);
	target = block_for(&frames->small, to >> frames->log2_block_pages);
	if (!target || !keep_own(frames, target))
		return;
	target->own[place] = frame + 1;
	target->touched |= (uint16_t)(1u << place);
}

void frames_move(struct frames *frames, uint64_t from, uint64_t to, uint64_t count)
{
	frames_drop(frames, to, to + count);
	for (uint64_t i = 0; i < count; i++)
		move_page(frames, from + i, to + i);
	frames_drop(frames, from, from + count);
}
