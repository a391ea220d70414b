/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs are those of patience sorting: a record is added to the run with the youngest end that
 * is not younger than itself. So the ends stay sorted, there are as few runs as can be, and hardly
 * ever is there more to do than to look at the run that took the last record.
 */
#include "recording/order.h"

#include <stdlib.h>
#include <string.h>

#include <plumb/error.h>

#define BLOCK_ROOM ((size_t)128 << 10)

/* Memory for copies of records. Freed or reused once the last of them was returned. */
struct order_block {
	size_t live, used;
	_Alignas(16) uint8_t bytes[];
};

/* What is kept of a struct raw_record, whose bytes follow. AUXTRACE has no time, and is not held.
 */
struct held_record {
	const struct known_event *layout;
	struct order_block *block;
	uint64_t sequence, offset;
	uint32_t type, part, size;
	uint16_t misc;
	bool identified;
};

struct entry {
	uint64_t time;
	struct held_record *record;
};

struct run {
	struct entry *entries;
	size_t head, count, room; /* entries[head] to entries[count - 1] are held */
	uint64_t end;
};

static void release(struct order *order, struct order_block *block)
{
	if (!block || --block->live > 0)
		return;
	block->used = 0;
	if (!order->spare) {
		order->spare = block;
		return;
	}
	order->held -= BLOCK_ROOM;
	free(block);
}

static void *block_take(struct order *order, size_t size)
{
	struct order_block *block = order->current;
	void *taken;

	size = (size + 15) & ~(size_t)15;
	if (!block || BLOCK_ROOM - sizeof(*block) - block->used < size) {
		struct order_block *fresh = order->spare;

		if (!fresh) {
			fresh = malloc(BLOCK_ROOM);
			if (!fresh)
				return NULL;
			order->held += BLOCK_ROOM;
			fresh->used = 0;
		}
		order->spare = NULL;
		fresh->live = 1; /* being the current one */
		order->current = fresh;
		release(order, block);
		block = fresh;
	}
	taken = block->bytes + block->used;
	block->used += size;
	return taken;
}

static bool older(const struct run *a, const struct run *b)
{
	const struct entry *first = &a->entries[a->head], *second = &b->entries[b->head];

	if (first->time != second->time)
		return first->time < second->time;
	return first->record->sequence < second->record->sequence;
}

static void heap_add(struct order *order, struct run *run)
{
	size_t i = order->heap_count++;

	for (; i > 0 && older(run, order->heap[(i - 1) / 2]); i = (i - 1) / 2)
		order->heap[i] = order->heap[(i - 1) / 2];
	order->heap[i] = run;
}

/* Replaces the top by `run`. */
static void heap_sink(struct order *order, struct run *run)
{
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= order->heap_count)
			break;
		if (child + 1 < order->heap_count &&
		    older(order->heap[child + 1], order->heap[child]))
			child++;
		if (!older(order->heap[child], run))
			break;
		order->heap[i] = order->heap[child];
		i = child;
	}
	order->heap[i] = run;
}

/* Returns the run with the youngest end that is not younger than `time`, or the count. */
static size_t find_run(const struct order *order, uint64_t time)
{
	size_t low = 0, high = order->run_count, last = order->last;

	if (last < high && order->runs[last]->end <= time &&
	    (last == 0 || order->runs[last - 1]->end > time))
		return last;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order->runs[middle]->end <= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct run *new_run(struct order *order)
{
	struct run *run;

	if (order->run_count == order->run_room) {
		size_t room = order->run_room ? 2 * order->run_room : 16;
		struct run **runs = reallocarray(order->runs, room, sizeof(struct run *)), **heap;

		if (!runs)
			return NULL;
		order->runs = runs;
		heap = reallocarray(order->heap, room, sizeof(struct run *));
		if (!heap)
			return NULL;
		order->heap = heap;
		order->held += 2 * sizeof(struct run *) * (room - order->run_room);
		order->run_room = room;
	}
	run = calloc(1, sizeof(*run));
	if (!run)
		return NULL;
	order->held += sizeof(*run);
	order->runs[order->run_count++] = run;
	return run;
}

/* Makes room for one more entry. */
static int run_reserve(struct order *order, struct run *run)
{
	struct entry *grown;
	size_t room;

	if (run->count < run->room)
		return 0;
	if (run->head > run->room / 2) {
		run->count -= run->head;
		memmove(run->entries, run->entries + run->head, run->count * sizeof(*grown));
		run->head = 0;
		return 0;
	}
	room = run->room ? 2 * run->room : 4;
	grown = reallocarray(run->entries, room, sizeof(*grown));
	if (!grown)
		return PLUMB_ERR_NO_MEMORY;
	order->held += (room - run->room) * sizeof(*grown);
	run->entries = grown;
	run->room = room;
	return 0;
}

static struct held_record *hold(struct order *order, const struct raw_record *record)
{
	struct held_record *held = block_take(order, sizeof(*held) + record->size);

	if (!held)
		return NULL;
	*held = (struct held_record){
		.layout = record->layout,
		.block = order->current,
		.sequence = order->sequence++,
		.offset = record->offset,
		.type = record->type,
		.part = record->part,
		.size = (uint32_t)record->size,
		.misc = record->misc,
		.identified = record->identified,
	};
	memcpy(held + 1, record->bytes, record->size);
	return held;
}

static void forget_runs(struct order *order)
{
	for (size_t i = 0; i < order->run_count; i++) {
		order->held -= sizeof(struct run) + order->runs[i]->room * sizeof(struct entry);
		free(order->runs[i]->entries);
		free(order->runs[i]);
	}
	order->run_count = order->heap_count = 0;
}

int order_add(struct order *order, const struct raw_record *record)
{
	size_t place;
	struct run *run;
	struct held_record *held;

	release(order, order->given);
	order->given = NULL;
	/* Runs that have run dry still say where the next record goes; when all have, it is over.
	 */
	if (order_empty(order) && order->run_count > 1)
		forget_runs(order);
	place = find_run(order, record->time);
	run = place < order->run_count ? order->runs[place] : new_run(order);
	if (!run || run_reserve(order, run) < 0)
		return PLUMB_ERR_NO_MEMORY;
	held = hold(order, record);
	if (!held)
		return PLUMB_ERR_NO_MEMORY;
	held->block->live++;
	run->entries[run->count++] = (struct entry){record->time, held};
	run->end = record->time;
	order->last = place;
	if (order_empty(order) || record->time > order->newest)
		order->newest = record->time;
	if (run->count - run->head == 1)
		heap_add(order, run);
	return 0;
}

bool order_empty(const struct order *order)
{
	return order->heap_count == 0;
}

bool order_has(const struct order *order, uint64_t time)
{
	const struct run *top = order->heap_count > 0 ? order->heap[0] : NULL;

	return top && top->entries[top->head].time <= time;
}

bool order_take(struct order *order, struct raw_record *record)
{
	struct held_record *held;
	struct run *top;

	release(order, order->given);
	order->given = NULL;
	if (order->heap_count == 0)
		return false;
	top = order->heap[0];
	held = top->entries[top->head].record;
	*record = (struct raw_record){
		.type = held->type,
		.misc = held->misc,
		.identified = held->identified,
		.bytes = (const uint8_t *)(held + 1),
		.size = held->size,
		.part = held->part,
		.offset = held->offset,
		.time = top->entries[top->head++].time,
		.layout = held->layout,
	};
	order->given = held->block;
	if (top->head < top->count) {
		heap_sink(order, top);
		return true;
	}
	top->head = top->count = 0;
	if (--order->heap_count > 0)
		heap_sink(order, order->heap[order->heap_count]);
	return true;
}

static void free_held(struct order *order)
{
	for (size_t i = 0; i < order->heap_count; i++) {
		const struct run *run = order->heap[i];

		for (size_t k = run->head; k < run->count; k++)
			release(order, run->entries[k].record->block);
	}
}

void order_free(struct order *order)
{
	release(order, order->given);
	free_held(order);
	forget_runs(order);
	release(order, order->current);
	free(order->spare);
	free(order->runs);
	free(order->heap);
	*order = (struct order){0};
}
