/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Best fit: each set in turn goes into the bin where it adds the fewest codes. The result depends
 * on the order, so there are two initial orders: largest sets first; and bin by bin, whatever adds
 * least to the bin. Then the order is changed and packing repeated, many times (Culberson and Luo's
 * iterated greedy, made for colouring graphs). Sets that shared a bin stay adjacent in the new
 * order, so no round needs more bins than the one before, and some need fewer. In the end eject.c
 * dissolves bins.
 */
#include "count/pack.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/error.h>

#include "count/eject.h"

/* Rounds from each initial order, and the maximum of item-bin pairs examined in them. */
#define ROUNDS 64
#define BUDGET 1000000

/* The bin-by-bin order takes quadratic time; it is skipped for more items than any CPU has. */
#define ITEMS_COMPARED 2000

/* An item is tried with the newest bins only: a bound for inputs larger than any CPU's. */
#define BINS_TRIED 1024

#define BINS_MAX (UINT16_MAX - 1)

struct bin {
	uint64_t some; /* a bit for each code; if clear, the code is not in the bin */
	uint16_t codes[PACK_BIN_MAX];
	uint16_t count;
};

struct packing {
	struct pack_item *items;
	size_t count;
	unsigned capacity;
	uint32_t *order;   /* order of the items */
	uint32_t *scratch; /* of the same size */
	struct bin *bins;
	size_t bin_count;
	size_t looked; /* pairs examined */
	uint32_t random;
};

static uint64_t bit_of(uint16_t code)
{
	return UINT64_C(1) << ((code * 40503u >> 8) & 63);
}

/* Returns how many of the item's codes the bin lacks. */
static unsigned lacking(const struct bin *bin, const struct pack_item *item)
{
	unsigned missing = 0, b = 0;

	for (unsigned i = 0; i < item->count; i++) {
		while (b < bin->count && bin->codes[b] < item->codes[i])
			b++;
		missing += b == bin->count || bin->codes[b] != item->codes[i];
	}
	return missing;
}

static void put_in(struct bin *bin, const struct pack_item *item)
{
	for (unsigned i = 0; i < item->count; i++) {
		unsigned b = 0;

		while (b < bin->count && bin->codes[b] < item->codes[i])
			b++;
		if (b < bin->count && bin->codes[b] == item->codes[i])
			continue;
		memmove(&bin->codes[b + 1], &bin->codes[b], (bin->count - b) * sizeof(*bin->codes));
		bin->codes[b] = item->codes[i];
		bin->some |= bit_of(item->codes[i]);
		bin->count++;
	}
}

/* Returns the bin where the item adds the fewest codes, and of those the fullest; NULL if none. */
static struct bin *best_bin(struct packing *p, const struct pack_item *item)
{
	size_t first = p->bin_count > BINS_TRIED ? p->bin_count - BINS_TRIED : 0;
	unsigned fewest = PACK_BIN_MAX + 1;
	struct bin *best = NULL;
	uint64_t some = 0;

	for (unsigned i = 0; i < item->count; i++)
		some |= bit_of(item->codes[i]);
	p->looked += p->bin_count - first;
	for (size_t b = first; b < p->bin_count; b++) {
		struct bin *bin = &p->bins[b];
		unsigned least = (unsigned)__builtin_popcountll(some & ~bin->some), missing;

		if (bin->count + least > p->capacity || least > fewest)
			continue;
		missing = lacking(bin, item);
		if (bin->count + missing > p->capacity)
			continue;
		if (missing > fewest || (missing == fewest && best && bin->count <= best->count))
			continue;
		fewest = missing;
		best = bin;
	}
	return best;
}

/* Packs all items again, in order. Returns false if there are too many bins. */
static bool fill(struct packing *p)
{
	p->bin_count = 0;
	for (size_t i = 0; i < p->count; i++) {
		struct pack_item *item = &p->items[p->order[i]];
		struct bin *bin = best_bin(p, item);

		if (!bin) {
			if (p->bin_count == BINS_MAX)
				return false;
			bin = &p->bins[p->bin_count++];
			bin->count = 0;
			bin->some = 0;
		}
		put_in(bin, item);
		item->bin = (uint16_t)(bin - p->bins);
	}
	return true;
}

/* Marsaglia's xorshift: any sequence works, as long as it is always the same. */
static uint32_t next_random(struct packing *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 17;
	p->random ^= p->random << 5;
	return p->random;
}

/* Sets `ranks[b]` to the place of bin b in the next order of bins. `by` has the same size. */
static void rank_bins(struct packing *p, unsigned round, uint32_t *ranks, uint32_t *by)
{
	size_t n = p->bin_count, at = 0;

	switch (round % 4) {
	case 0: /* backwards */
		for (size_t i = 0; i < n; i++)
			by[i] = (uint32_t)(n - 1 - i);
		break;
	case 1: /* fullest first */
	case 3: /* emptiest first */
		for (unsigned k = 0; k <= p->capacity; k++)
			for (size_t b = 0; b < n; b++)
				if (p->bins[b].count == (round % 4 == 3 ? k : p->capacity - k))
					by[at++] = (uint32_t)b;
		break;
	default: /* shuffled */
		for (size_t i = 0; i < n; i++) {
			size_t k = next_random(p) % (i + 1);

			by[i] = by[k];
			by[k] = (uint32_t)i;
		}
		break;
	}
	for (size_t i = 0; i < n; i++)
		ranks[by[i]] = (uint32_t)i;
}

/* Sorts the items by the rank of their bins; items of the same bin keep their order. */
static void reorder(struct packing *p, const uint32_t *ranks, uint32_t *starts)
{
	memset(starts, 0, (p->bin_count + 1) * sizeof(*starts));
	for (size_t i = 0; i < p->count; i++)
		starts[ranks[p->items[i].bin] + 1]++;
	for (size_t b = 0; b < p->bin_count; b++)
		starts[b + 1] += starts[b];
	for (size_t i = 0; i < p->count; i++) {
		uint32_t item = p->order[i];

		p->scratch[starts[ranks[p->items[item].bin]]++] = item;
	}
	memcpy(p->order, p->scratch, p->count * sizeof(*p->order));
}

/* A lower bound for the number of bins: as if distinct codes could be distributed freely. */
static size_t fewest_bins(const struct packing *p)
{
	uint64_t seen[UINT16_MAX / 64 + 1] = {0};
	size_t codes = 0;

	for (size_t i = 0; i < p->count; i++) {
		for (unsigned k = 0; k < p->items[i].count; k++) {
			uint64_t *word = &seen[p->items[i].codes[k] / 64];
			uint64_t bit = UINT64_C(1) << (p->items[i].codes[k] % 64);

			codes += !(*word & bit);
			*word |= bit;
		}
	}
	return (codes + p->capacity - 1) / p->capacity;
}

/* Largest first; a stable order. */
static void order_by_size(struct packing *p)
{
	size_t at = 0;

	for (unsigned size = p->capacity + 1; size-- > 0;)
		for (size_t i = 0; i < p->count; i++)
			if (p->items[i].count == size)
				p->order[at++] = (uint32_t)i;
}

/*
 * Returns the item to put into the bin next: of those left that fit, one that adds the fewest
 * codes, and of these the largest. An empty bin starts with the largest item. Returns p->count if
 * nothing fits.
 */
static size_t nearest(const struct packing *p, const struct bin *bin, const unsigned char *placed)
{
	unsigned fewest = UINT_MAX, most = 0;
	size_t best = p->count;

	for (size_t i = 0; i < p->count; i++) {
		const struct pack_item *item = &p->items[i];
		unsigned missing;

		if (placed[i])
			continue;
		missing = lacking(bin, item);
		if (bin->count + missing > p->capacity)
			continue;
		if (bin->count == 0)
			missing = 0;
		if (missing < fewest || (missing == fewest && item->count > most)) {
			fewest = missing;
			most = item->count;
			best = i;
		}
	}
	return best;
}

/* Bin by bin, each filled with what is nearest to it. `placed` has a byte for each item. */
static void order_by_neighbours(struct packing *p, unsigned char *placed)
{
	struct bin bin = {0};

	memset(placed, 0, p->count);
	for (size_t at = 0; at < p->count; at++) {
		size_t next = nearest(p, &bin, placed);

		if (next == p->count) { /* the bin is full */
			bin = (struct bin){0};
			next = nearest(p, &bin, placed);
		}
		placed[next] = 1;
		put_in(&bin, &p->items[next]);
		p->order[at] = (uint32_t)next;
	}
}

/* Packs repeatedly, from the current order. Returns the number of bins, or an error. */
static int improve(struct packing *p, size_t fewest)
{
	uint32_t *ranks, *room;

	if (!fill(p))
		return PLUMB_ERR_LIMIT;
	ranks = reallocarray(NULL, p->bin_count, sizeof(*ranks));
	room = reallocarray(NULL, p->bin_count + 1, sizeof(*room));
	p->looked = 0;
	for (unsigned r = 0; ranks && room && r < ROUNDS; r++) {
		if (p->bin_count <= fewest || p->looked >= BUDGET)
			break;
		rank_bins(p, r, ranks, room);
		reorder(p, ranks, room);
		fill(p); /* needs no more bins than before */
	}
	free(room);
	free(ranks);
	return ranks && room ? (int)p->bin_count : PLUMB_ERR_NO_MEMORY;
}

/* Packs from both initial orders; `bins` holds the result of the first. */
static int pack_greedily(struct packing *p, size_t fewest, uint16_t *bins, unsigned char *placed)
{
	int first, second;

	order_by_size(p);
	first = improve(p, fewest);
	if (first < 0 || (size_t)first <= fewest || p->count > ITEMS_COMPARED)
		return first;
	for (size_t i = 0; i < p->count; i++)
		bins[i] = p->items[i].bin;
	order_by_neighbours(p, placed);
	second = improve(p, fewest);
	if (second >= 0 && second < first)
		return second;
	for (size_t i = 0; i < p->count; i++)
		p->items[i].bin = bins[i];
	return first;
}

/* Packs quickly, then tries harder to save bins. */
static int pack(struct packing *p, uint16_t *bins, unsigned char *placed)
{
	const size_t fewest = fewest_bins(p);
	const int count = pack_greedily(p, fewest, bins, placed);

	if (count < 0 || (size_t)count <= fewest)
		return count;
	return eject_bins(p->items, p->count, p->capacity, (size_t)count, fewest);
}

/* Packs items of which none contains another. */
static int pack_distinct(struct pack_item *items, size_t count, unsigned capacity)
{
	struct packing p = {.items = items, .count = count, .capacity = capacity, .random = 1};
	unsigned char *placed;
	int result = PLUMB_ERR_NO_MEMORY;
	uint16_t *bins;

	if (!count)
		return 0;
	p.order = reallocarray(NULL, count, sizeof(*p.order));
	p.scratch = reallocarray(NULL, count, sizeof(*p.scratch));
	p.bins = reallocarray(NULL, count < BINS_MAX ? count : BINS_MAX, sizeof(*p.bins));
	bins = reallocarray(NULL, count, sizeof(*bins));
	placed = malloc(count);
	if (p.order && p.scratch && p.bins && bins && placed)
		result = pack(&p, bins, placed);
	free(p.order);
	free(p.scratch);
	free(p.bins);
	free(bins);
	free(placed);
	return result;
}

/* Tells whether `item` has all codes of `other`. */
static bool contains(const struct pack_item *item, const struct pack_item *other)
{
	unsigned at = 0;

	if (item->count < other->count)
		return false;
	for (unsigned i = 0; i < other->count; i++) {
		while (at < item->count && item->codes[at] < other->codes[i])
			at++;
		if (at == item->count || item->codes[at] != other->codes[i])
			return false;
	}
	return true;
}

/* Returns an item that contains item `i`: the first of equal ones; or `i` if there is none. */
static size_t find_container(const struct pack_item *items, size_t count, size_t i)
{
	for (size_t k = 0; k < count && count <= ITEMS_COMPARED; k++)
		if (k != i && contains(&items[k], &items[i]) &&
		    (items[k].count > items[i].count || k < i))
			return k;
	return i;
}

/* Items that others contain need no room, and would only be in the way. */
int pack_items(struct pack_item *items, size_t count, unsigned capacity)
{
	struct pack_item *distinct;
	size_t *containers, *places, kept = 0;
	int result = PLUMB_ERR_NO_MEMORY;

	if (count == 0)
		return 0;
	if (count > UINT32_MAX / 2)
		return PLUMB_ERR_LIMIT;
	distinct = reallocarray(NULL, count, sizeof(*distinct));
	containers = reallocarray(NULL, count, sizeof(*containers));
	places = reallocarray(NULL, count, sizeof(*places));
	if (distinct && containers && places) {
		for (size_t i = 0; i < count; i++) {
			containers[i] = find_container(items, count, i);
			if (containers[i] != i)
				continue;
			places[i] = kept;
			distinct[kept++] = items[i];
		}
		result = pack_distinct(distinct, kept, capacity);
	}
	for (size_t i = 0; result >= 0 && i < count; i++) {
		size_t k = i;

		while (containers[k] != k)
			k = containers[k];
		items[i].bin = distinct[places[k]].bin;
	}
	free(places);
	free(containers);
	free(distinct);
	return result;
}
