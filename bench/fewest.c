/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branch and price. A bin may hold any items whose codes fit together, its *pattern*. The linear
 * program that covers each item by fractions of patterns needs no more bins than any packing, so
 * its value, rounded up, is a lower bound; it is much closer than the number of codes, because it
 * knows which codes items need together. There are too many patterns to list: the simplex method
 * starts with one pattern per item and asks, again and again, for the pattern that helps most.
 *
 * The bound does not depend on floating-point arithmetic. Any prices of items bound the bins from
 * below: by their sum, divided by the highest price of a pattern. The search for that pattern is
 * complete and uses integers.
 *
 * Where the bound is below the best packing, the search branches on a pair of items that the linear
 * program puts together in part: they are in one bin (and become one item), or they are not (Ryan
 * and Foster).
 */
#include "fewest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CODES_MAX  512
#define CODE_WORDS (CODES_MAX / 64)
#define ITEM_WORDS (FEWEST_ITEMS_MAX / 64)

#define PRICE_UNIT (INT64_C(1) << 24) /* price of a bin */
#define ROUNDED    (PRICE_UNIT >> 12) /* prices are rounded; less than this is no gain */

struct item {
	uint64_t codes[CODE_WORDS];
	unsigned words; /* that may have codes: the same for all items */
};

struct pattern {
	uint64_t items[ITEM_WORDS];
};

/* A node of the search: items, and which of them may not be together. */
struct node {
	size_t count;
	struct item items[FEWEST_ITEMS_MAX];
	struct pattern apart[FEWEST_ITEMS_MAX];
};

struct search {
	unsigned capacity;
	size_t target; /* the bins for which the items should do */
	size_t nodes, nodes_max;
	bool failed; /* out of memory */
};

enum answer { NO, YES, UNKNOWN };

static bool has(const uint64_t *bits, size_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static void set(uint64_t *bits, size_t i)
{
	bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static unsigned lacking(const struct item *item, const uint64_t *codes)
{
	unsigned count = 0;

	for (unsigned w = 0; w < item->words; w++)
		count += (unsigned)__builtin_popcountll(item->codes[w] & ~codes[w]);
	return count;
}

/* ---- the pattern with the highest price ------------------------------------------------------ */

struct pricing {
	const struct node *node;
	const int64_t *prices;
	unsigned capacity;
	int64_t best;
	struct pattern pattern; /* with that price */
};

/* The pattern so far, and the items that may still join it. */
struct partial {
	uint64_t codes[CODE_WORDS];
	unsigned size;
	int64_t price;
	struct pattern pattern;
	uint16_t open[FEWEST_ITEMS_MAX];
	size_t open_count;
};

/* Adds an item, and drops it and those that it excludes from the open ones. */
static void join(const struct pricing *p, struct partial *partial, size_t item)
{
	size_t kept = 0;

	partial->size += lacking(&p->node->items[item], partial->codes);
	for (unsigned w = 0; w < CODE_WORDS; w++)
		partial->codes[w] |= p->node->items[item].codes[w];
	partial->price += p->prices[item];
	set(partial->pattern.items, item);
	for (size_t i = 0; i < partial->open_count; i++) {
		const size_t other = partial->open[i];

		if (other != item && !has(p->node->apart[item].items, other))
			partial->open[kept++] = (uint16_t)other;
	}
	partial->open_count = kept;
}

/*
 * Returns the most that open items can add. The price of each is shared among the codes it lacks,
 * so what k more codes add is at most the sum of the k largest shares, with what each collects.
 * Drops items that no longer fit.
 */
static int64_t most_added(const struct pricing *p, struct partial *partial)
{
	const unsigned left = p->capacity - partial->size, words = p->node->items[0].words;
	int64_t shares[CODES_MAX], largest[PACK_BIN_MAX] = {0}, most = 0;
	size_t kept = 0;

	memset(shares, 0, (size_t)words * 64 * sizeof(*shares));
	for (size_t i = 0; i < partial->open_count; i++) {
		const size_t item = partial->open[i];
		const unsigned missing = lacking(&p->node->items[item], partial->codes);

		if (missing > left)
			continue;
		partial->open[kept++] = (uint16_t)item;
		if (missing == 0) {
			most += p->prices[item];
			continue;
		}
		for (unsigned w = 0; w < words; w++) {
			uint64_t bits = p->node->items[item].codes[w] & ~partial->codes[w];

			for (; bits; bits &= bits - 1)
				shares[w * 64 + (unsigned)__builtin_ctzll(bits)] +=
					p->prices[item] / missing + 1;
		}
	}
	partial->open_count = kept;
	for (unsigned c = 0; c < words * 64; c++) {
		int64_t share = shares[c];

		for (unsigned k = 0; share && k < left; k++) {
			if (share > largest[k]) {
				const int64_t smaller = largest[k];

				largest[k] = share;
				share = smaller;
			}
		}
	}
	for (unsigned k = 0; k < left; k++)
		most += largest[k];
	return most;
}

static void price(struct pricing *p, const struct partial *from)
{
	struct partial at = *from, with;

	if (at.price > p->best) {
		p->best = at.price;
		p->pattern = at.pattern;
	}
	/* Each open item in turn: patterns with it, then those without. */
	while (at.open_count && at.price + most_added(p, &at) > p->best && at.open_count) {
		size_t dearest = 0;

		for (size_t i = 1; i < at.open_count; i++)
			if (p->prices[at.open[i]] > p->prices[at.open[dearest]])
				dearest = i;
		with = at;
		join(p, &with, at.open[dearest]);
		price(p, &with);
		memmove(&at.open[dearest], &at.open[dearest + 1],
			(at.open_count - dearest - 1) * sizeof(*at.open));
		at.open_count--;
	}
}

/* Fills a pattern with what adds most per code, from one item on. */
static void fill_greedily(struct pricing *p, const struct partial *all, size_t first)
{
	struct partial at = *all;
	size_t next = first;

	do {
		double most = 0;

		join(p, &at, next);
		next = p->node->count;
		most_added(p, &at); /* drops what does not fit */
		for (size_t i = 0; i < at.open_count; i++) {
			const size_t item = at.open[i];
			const double gain = (double)p->prices[item] /
					    (lacking(&p->node->items[item], at.codes) + 1e-3);

			if (gain > most) {
				most = gain;
				next = item;
			}
		}
	} while (next < p->node->count);
	if (at.price > p->best) {
		p->best = at.price;
		p->pattern = at.pattern;
	}
}

/*
 * Finds a pattern dearer than a bin. Sets `*highest` to the highest price of all patterns, or to
 * that of a bin if none is dearer; to 0 if a dearer one was found without looking at all. Returns
 * false if none is dearer.
 */
static bool find_pattern(const struct node *node, unsigned capacity, const int64_t *prices,
			 struct pattern *pattern, int64_t *highest)
{
	struct pricing p = {
		.node = node, .prices = prices, .capacity = capacity, .best = PRICE_UNIT + ROUNDED};
	struct partial all = {.size = 0};

	for (size_t i = 0; i < node->count; i++)
		if (prices[i] > 0)
			all.open[all.open_count++] = (uint16_t)i;
	for (size_t i = 0; i < all.open_count; i++)
		fill_greedily(&p, &all, all.open[i]);
	*highest = 0;
	if (p.best == PRICE_UNIT + ROUNDED) {
		price(&p, &all);
		*highest = p.best;
	}
	*pattern = p.pattern;
	return p.best > PRICE_UNIT + ROUNDED;
}

/* ---- the linear program ---------------------------------------------------------------------- */

struct program {
	size_t count;             /* of items, and of patterns in the basis */
	struct pattern *patterns; /* the basis */
	double *inverse;          /* of the basis; a row per pattern */
	double *value;            /* of each pattern, with items weighted a little differently */
	double *entering;
};

static bool program_begin(struct program *lp, size_t count)
{
	uint32_t random = 1;

	if (!count)
		return false;
	lp->count = count;
	lp->patterns = calloc(count, sizeof(*lp->patterns));
	lp->inverse = calloc(count * count, sizeof(*lp->inverse));
	lp->value = calloc(count, sizeof(*lp->value));
	lp->entering = calloc(count, sizeof(*lp->entering));
	if (!lp->patterns || !lp->inverse || !lp->value || !lp->entering)
		return false;
	for (size_t i = 0; i < count; i++) {
		set(lp->patterns[i].items, i);
		lp->inverse[i * count + i] = 1;
		/* Ties would let the method go round in circles. */
		random = random * 1664525 + 1013904223;
		lp->value[i] = 1 + (random >> 8) * 0x1p-24 * 1e-4;
	}
	return true;
}

static void program_end(struct program *lp)
{
	free(lp->patterns);
	free(lp->inverse);
	free(lp->value);
	free(lp->entering);
}

/* Replaces a pattern of the basis. Returns false if numbers have become too inexact. */
static bool enter(struct program *lp, const struct pattern *pattern)
{
	const size_t n = lp->count;
	size_t leaving = n;
	double step = INFINITY;

	for (size_t r = 0; r < n; r++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			if (has(pattern->items, i))
				sum += lp->inverse[r * n + i];
		lp->entering[r] = sum;
		if (sum > 1e-7 && lp->value[r] / sum < step) {
			step = lp->value[r] / sum;
			leaving = r;
		}
	}
	if (leaving == n)
		return false;
	for (size_t i = 0; i < n; i++)
		lp->inverse[leaving * n + i] /= lp->entering[leaving];
	for (size_t r = 0; r < n; r++) {
		if (r == leaving || lp->entering[r] == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			lp->inverse[r * n + i] -= lp->entering[r] * lp->inverse[leaving * n + i];
		lp->value[r] = fmax(0, lp->value[r] - step * lp->entering[r]);
	}
	lp->value[leaving] = step;
	lp->patterns[leaving] = *pattern;
	return true;
}

/* Sets the prices that the basis gives the items, and returns their sum. None is below 0. */
static int64_t set_prices(const struct program *lp, int64_t *prices)
{
	int64_t total = 0;

	for (size_t i = 0; i < lp->count; i++) {
		double sum = 0;

		for (size_t r = 0; r < lp->count; r++)
			sum += lp->inverse[r * lp->count + i];
		prices[i] = (int64_t)(fmin(fmax(sum, 0), 1) * (double)PRICE_UNIT);
		total += prices[i];
	}
	return total;
}

/* Solves it, until the bound exceeds `enough`. Returns the bound. */
static size_t solve(struct program *lp, const struct node *node, unsigned capacity, size_t enough)
{
	int64_t prices[FEWEST_ITEMS_MAX] = {0};
	size_t bound = 0;

	for (size_t round = 0; round < 50 * lp->count && bound <= enough; round++) {
		const int64_t total = set_prices(lp, prices);
		struct pattern pattern;
		int64_t highest;
		const bool found = find_pattern(node, capacity, prices, &pattern, &highest);

		if (highest) {
			const size_t now = (size_t)((total + highest - 1) / highest);

			bound = now > bound ? now : bound;
		}
		if (!found || !enter(lp, &pattern))
			break;
	}
	return bound;
}

/*
 * Finds the pair of items that is most together in the solution, but not always. Returns false if
 * there is none: then each pattern is used wholly or not at all.
 */
static bool find_pair(const struct program *lp, size_t *one, size_t *two)
{
	const size_t n = lp->count;
	double *together, most = 0;

	if (!n)
		return false;
	together = calloc(n * n, sizeof(*together));
	for (size_t r = 0; together && r < n; r++) {
		double value = 0; /* with each item weighted the same */

		for (size_t i = 0; i < n; i++)
			value += lp->inverse[r * n + i];
		for (size_t i = 0; i < n; i++)
			for (size_t k = i + 1; has(lp->patterns[r].items, i) && k < n; k++)
				if (has(lp->patterns[r].items, k))
					together[i * n + k] += value;
	}
	for (size_t i = 0; together && i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			const double share = together[i * n + k];

			if (share > most && share > 1e-6 && share < 1 - 1e-6) {
				most = share;
				*one = i;
				*two = k;
			}
		}
	}
	free(together);
	return most > 0;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Tells whether pack_items() needs no more bins than the target for a node's items. */
static bool packs(struct search *s, const struct node *node)
{
	uint16_t(*codes)[PACK_BIN_MAX];
	struct pack_item *items;
	bool fits = false;

	if (!node->count)
		return true;
	items = calloc(node->count, sizeof(*items));
	codes = calloc(node->count, sizeof(*codes));
	for (size_t i = 0; items && codes && i < node->count; i++) {
		for (uint16_t c = 0; c < CODES_MAX; c++)
			if (has(node->items[i].codes, c))
				codes[i][items[i].count++] = c;
		items[i].codes = codes[i];
	}
	if (items && codes) {
		const int bins = pack_items(items, node->count, s->capacity);

		fits = bins >= 0 && (size_t)bins <= s->target;
		s->failed |= bins < 0;
	} else {
		s->failed = true;
	}
	free(items);
	free(codes);
	return fits;
}

/* Drops items that others contain, unless they may not be together. */
static void drop_contained(struct node *node)
{
	for (size_t i = 0; i < node->count;) {
		size_t k = 0;

		while (k < node->count &&
		       (k == i || has(node->apart[i].items, k) ||
			lacking(&node->items[i], node->items[k].codes) ||
			memcmp(&node->apart[i], &node->apart[k], sizeof(node->apart[i])) != 0))
			k++;
		if (k == node->count) {
			i++;
			continue;
		}
		/* The last item takes its place. */
		node->count--;
		node->items[i] = node->items[node->count];
		node->apart[i] = node->apart[node->count];
		for (size_t other = 0; other < node->count; other++) {
			uint64_t *bits = node->apart[other].items;

			bits[i / 64] &= ~(UINT64_C(1) << (i % 64));
			if (has(bits, node->count))
				set(bits, i);
			bits[node->count / 64] &= ~(UINT64_C(1) << (node->count % 64));
		}
	}
}

/* Makes items `one` and `two` one item, in place of the first. */
static void merge(struct node *node, size_t one, size_t two)
{
	const size_t last = node->count - 1;

	for (unsigned w = 0; w < CODE_WORDS; w++)
		node->items[one].codes[w] |= node->items[two].codes[w];
	for (unsigned w = 0; w < ITEM_WORDS; w++)
		node->apart[one].items[w] |= node->apart[two].items[w];
	for (size_t i = 0; i < node->count; i++)
		if (has(node->apart[one].items, i))
			set(node->apart[i].items, one);
	node->items[two] = node->items[last];
	node->apart[two] = node->apart[last];
	node->count = last;
	for (size_t i = 0; i < node->count; i++) {
		uint64_t *bits = node->apart[i].items;
		const bool moved = has(bits, last);

		bits[two / 64] &= ~(UINT64_C(1) << (two % 64));
		bits[last / 64] &= ~(UINT64_C(1) << (last % 64));
		if (moved)
			set(bits, two);
	}
}

/* Tells whether a node's items do with the target. Sets `*bound` to its lower bound. */
static enum answer examine(struct search *s, const struct node *node, size_t *bound)
{
	struct program lp = {.count = 0};
	struct node *child = NULL;
	enum answer together, apart;
	size_t one = 0, two = 0, ignored;
	bool found;

	*bound = 0;
	if (s->failed || s->nodes++ >= s->nodes_max)
		return UNKNOWN;
	if (packs(s, node))
		return YES;
	if (!program_begin(&lp, node->count)) {
		program_end(&lp);
		s->failed = true;
		return UNKNOWN;
	}
	*bound = solve(&lp, node, s->capacity, s->target);
	found = *bound <= s->target && find_pair(&lp, &one, &two);
	program_end(&lp);
	if (*bound > s->target)
		return NO;
	if (!found)
		return YES;
	child = malloc(sizeof(*child));
	if (!child) {
		s->failed = true;
		return UNKNOWN;
	}
	*child = *node;
	merge(child, one, two);
	drop_contained(child);
	together = examine(s, child, &ignored);
	apart = NO;
	if (together != YES) {
		*child = *node;
		set(child->apart[one].items, two);
		set(child->apart[two].items, one);
		apart = examine(s, child, &ignored);
	}
	free(child);
	if (together == YES || apart == YES)
		return YES;
	return together == NO && apart == NO ? NO : UNKNOWN;
}

/* Numbers the codes of the items densely. Returns false if there are too many of either. */
static bool read_items(struct node *node, const struct pack_item *items, size_t count)
{
	uint16_t number[UINT16_MAX + 1], next = 0;

	memset(number, 0xff, sizeof(number));
	for (size_t i = 0; i < count; i++) {
		struct item item = {.words = CODE_WORDS};
		size_t k = 0;

		for (unsigned c = 0; c < items[i].count; c++) {
			const uint16_t code = items[i].codes[c];

			if (number[code] == UINT16_MAX) {
				if (next == CODES_MAX)
					return false;
				number[code] = next++;
			}
			set(item.codes, number[code]);
		}
		/* Equal items are dropped here, others when all are known. */
		while (k < node->count && lacking(&item, node->items[k].codes))
			k++;
		if (k < node->count)
			continue;
		if (node->count == FEWEST_ITEMS_MAX)
			return false;
		node->items[node->count++] = item;
	}
	for (size_t i = 0; i < node->count; i++)
		node->items[i].words = (next + 63u) / 64u;
	drop_contained(node);
	return true;
}

bool fewest_find(const struct pack_item *items, size_t count, unsigned capacity, size_t known,
		 size_t nodes_max, struct fewest *fewest)
{
	struct node *node = calloc(1, sizeof(*node));
	struct search s = {.capacity = capacity, .nodes_max = nodes_max};
	bool fine = node && read_items(node, items, count);

	*fewest = (struct fewest){0, known, 0};
	while (fine && fewest->bound < fewest->needed) {
		enum answer answer;
		size_t bound;

		/* Is there a packing with one bin less? */
		s.target = fewest->needed - 1;
		answer = examine(&s, node, &bound);
		fine = !s.failed;
		fewest->bound = bound > fewest->bound ? bound : fewest->bound;
		if (answer == YES)
			fewest->needed--;
		else if (answer == NO)
			fewest->bound = fewest->needed;
		else
			break;
	}
	fewest->nodes = s.nodes;
	free(node);
	return fine;
}
