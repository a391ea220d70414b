/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/match.h"

#include <stdlib.h>
#include <string.h>

#include "diff/names.h"

/* Shorter functions have too little that is their own; in instructions. */
#define INSTRUCTIONS_MIN 8
/* The share of its sequences that makes a function the same, or inlined. */
#define ALIKE_MIN   0.7
#define INLINED_MIN 0.6
/* The share of their lines that functions at the same place must have in common. */
#define LINES_MIN 0.5
/* The next best must have so much less. */
#define LEAD_MIN 0.05
/* Functions that only one side has; of more, the rest is matched by name only. */
#define CANDIDATES_MAX 2000

/* ---- Instructions -----------------------------------------------------------------------------
 */

static int64_t sign_extend(uint32_t value, unsigned bits)
{
	const uint32_t sign = UINT32_C(1) << (bits - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

/* Tells whether a branch by `distance` instructions leaves the function. */
static bool leaves(const struct diff_function *function, size_t i, int64_t distance)
{
	const int64_t target = (int64_t)i + distance;

	return target < 0 || target >= (int64_t)function->count;
}

uint32_t diff_masked_word(const struct diff_function *function, size_t i, uint32_t *pages)
{
	const uint32_t word = function->words[i];
	const unsigned rd = word & 31, rn = word >> 5 & 31;

	/* B and BL. */
	if ((word & 0x7c000000) == 0x14000000)
		return leaves(function, i, sign_extend(word & 0x3ffffff, 26)) ? word & 0xfc000000
									      : word;
	/* B.cond, CBZ and CBNZ. */
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		return leaves(function, i, sign_extend(word >> 5 & 0x7ffff, 19)) ? word & 0xff00001f
										 : word;
	/* TBZ and TBNZ. */
	if ((word & 0x7e000000) == 0x36000000)
		return leaves(function, i, sign_extend(word >> 5 & 0x3fff, 14)) ? word & 0xfff8001f
										: word;
	/* ADRP and ADR: the register then holds an address of the linker's choice. */
	if ((word & 0x1f000000) == 0x10000000) {
		*pages |= UINT32_C(1) << rd;
		return word & 0x9f00001f;
	}
	/* LDR of a literal. */
	if ((word & 0x3b000000) == 0x18000000)
		return word & 0xff00001f;
	/* ADD of an immediate, which completes the address. */
	if ((word & 0x7f800000) == 0x11000000) {
		const bool completes = *pages >> rn & 1;

		*pages &= ~(UINT32_C(1) << rd);
		return completes ? word & 0xffc003ff : word;
	}
	/* Loads and stores with an unsigned offset, which does, too. */
	if ((word & 0x3b000000) == 0x39000000 && *pages >> rn & 1)
		return word & 0xffc003ff;
	return word;
}

/* Returns what an instruction does, without registers and most numbers. */
static uint32_t operation(uint32_t word)
{
	if ((word & 0x7c000000) == 0x14000000)
		return word >> 26 << 26;
	if ((word & 0xff000000) == 0x54000000)
		return word & 0xff00000f;
	if ((word & 0x7c000000) == 0x34000000 || (word & 0x1f000000) == 0x10000000 ||
	    (word & 0x1f000000) == 0x11000000 || (word & 0x3b000000) == 0x18000000)
		return word & 0xff000000;
	if ((word & 0x3b000000) == 0x39000000)
		return word & 0xffc00000;
	return word & 0xffe00000;
}

/* ---- Functions --------------------------------------------------------------------------------
 */

/* A function, its name in the comparison, its code as one number, and the sequences of its
 * operations, sorted. */
struct code {
	const struct diff_function *function;
	const char *name;
	uint64_t hash;
	uint32_t *sequences;
	size_t count;
	bool taken;
};

static int compare_words(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint64_t hash_code(const struct diff_function *function)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t pages = 0;

	for (size_t i = 0; i < function->count; i++) {
		hash ^= diff_masked_word(function, i, &pages);
		hash *= UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

uint64_t diff_code_hash(const struct diff_function *function)
{
	if (function->count < INSTRUCTIONS_MIN)
		return 0;
	return function->words ? hash_code(function) : function->hash;
}

static bool make_code(const struct diff_function *function, const char *name, struct code *code)
{
	*code = (struct code){.function = function, .name = name, .hash = function->hash};
	if (!function->words)
		return true;
	code->hash = hash_code(function);
	if (function->count < INSTRUCTIONS_MIN)
		return true;
	code->count = function->count - 2;
	code->sequences = calloc(code->count, sizeof(*code->sequences));
	if (!code->sequences)
		return false;
	for (size_t i = 0; i < code->count; i++) {
		uint32_t hash = 0;

		for (size_t k = 0; k < 3; k++) {
			hash = (hash ^ operation(function->words[i + k])) * 0x9e3779b1U;
			hash ^= hash >> 15;
		}
		code->sequences[i] = hash;
	}
	qsort(code->sequences, code->count, sizeof(*code->sequences), compare_words);
	return true;
}

/*
 * Returns how many sequences of `a` are in `b`, too, each counted as often as both have it. Those
 * that `without` has are not counted for `b`.
 */
static size_t common(const struct code *a, const struct code *b, const struct code *without)
{
	size_t i = 0, k = 0, w = 0, count = 0;

	while (i < a->count && k < b->count) {
		const uint32_t in_b = b->sequences[k];

		while (without && w < without->count && without->sequences[w] < in_b)
			w++;
		if (without && w < without->count && without->sequences[w] == in_b) {
			w++;
			k++;
		} else if (a->sequences[i] < in_b) {
			i++;
		} else if (a->sequences[i] > in_b) {
			k++;
		} else {
			count++;
			i++;
			k++;
		}
	}
	return count;
}

/* ---- Pairs ------------------------------------------------------------------------------------
 */

struct matching {
	const struct diff_side *sides[2];
	struct code *codes[2]; /* of the functions that only this side has */
	size_t counts[2];
	struct code *both[2]; /* of those that both have */
	size_t both_count;
	struct diff_pair *pairs;
	size_t pair_count, pair_room;
};

static bool push(struct matching *m, const struct diff_pair *pair)
{
	if (m->pair_count == m->pair_room) {
		const size_t room = m->pair_room ? 2 * m->pair_room : 16;
		struct diff_pair *pairs = realloc(m->pairs, room * sizeof(*pairs));

		if (!pairs)
			return false;
		m->pairs = pairs;
		m->pair_room = room;
	}
	m->pairs[m->pair_count++] = *pair;
	return true;
}

/* Returns the function that code of a symbol belongs to. */
static const char *name_of(const struct diff_side *side, const char *symbol)
{
	return side->names ? diff_names_function(side->names, symbol, false) : symbol;
}

/* Tells whether a side has values of a function, though no symbol: its code is elsewhere. */
static bool has_values(const struct diff_side *side, const char *name)
{
	const struct diff_quantity *main = diff_side_main(side);

	return main &&
	       diff_side_find(side, &(struct diff_key){DIFF_FUNCTIONS, name, main->name, ""});
}

/* Tells whether a part or a copy of a function was found before. */
static bool is_candidate(const struct matching *m, size_t s, const char *name)
{
	const size_t length = strlen(name);

	/* They are sorted by symbol, so they begin alike. */
	for (size_t i = m->counts[s]; i-- > 0;) {
		const char *last = m->codes[s][i].name;

		if (strcmp(last, name) == 0)
			return true;
		if (strncmp(last, name, length) != 0)
			return false;
	}
	return false;
}

static bool sort_out(struct matching *m, size_t s)
{
	const struct diff_side *own = m->sides[s], *other = m->sides[1 - s];
	size_t both = 0;

	m->codes[s] = calloc(own->function_count + 1, sizeof(struct code));
	m->both[s] = calloc(own->function_count + 1, sizeof(struct code));
	if (!m->codes[s] || !m->both[s])
		return false;
	for (size_t i = 0; i < own->function_count; i++) {
		const struct diff_function *function = &own->functions[i];
		const char *name = name_of(own, function->name);

		if (i && strcmp(function->name, own->functions[i - 1].name) == 0)
			continue;
		if (diff_side_function(other, function->name)) {
			/* Sorted by name on both sides, so they agree. */
			if (!make_code(function, name, &m->both[s][both++]))
				return false;
		} else if (m->counts[s] < CANDIDATES_MAX && !has_values(other, name) &&
			   !is_candidate(m, s, name) &&
			   !make_code(function, name, &m->codes[s][m->counts[s]++])) {
			return false;
		}
	}
	m->both_count = both;
	return true;
}

/* Pairs functions with equal code, if there is only one of each. A baseline has only hashes of the
 * code, and none of short functions: others like them may be among those that it leaves out. */
static bool pair_equal(struct matching *m)
{
	for (size_t i = 0; i < m->counts[0]; i++) {
		struct code *code = &m->codes[0][i], *found = NULL;
		bool unique = code->function->words || code->hash;

		for (size_t k = 0; unique && k < m->counts[0]; k++)
			unique = k == i || m->codes[0][k].hash != code->hash;
		for (size_t k = 0; unique && k < m->counts[1]; k++) {
			struct code *other = &m->codes[1][k];

			if (!(other->function->words || other->hash) || other->hash != code->hash ||
			    other->function->count != code->function->count)
				continue;
			unique = !found;
			found = other;
		}
		if (!unique || !found)
			continue;
		code->taken = found->taken = true;
		if (!push(m, &(struct diff_pair){code->name, found->name, DIFF_RENAMED, 1}))
			return false;
	}
	return true;
}

static double alike(const struct code *a, const struct code *b)
{
	const size_t both = a->count + b->count;
	const size_t less = a->count < b->count ? a->count : b->count;

	/* As much as they can have in common at most. */
	if (!both || 2 * (double)less / (double)both < ALIKE_MIN)
		return 0;
	return 2 * (double)common(a, b, NULL) / (double)both;
}

/* Finds the function of `all` most like `code`; NULL if none is, or several are. */
static struct code *most_alike(const struct code *code, struct code *all, size_t count,
			       double *best)
{
	struct code *found = NULL;
	double next = 0;

	*best = 0;
	for (size_t i = 0; i < count; i++) {
		const double is = all[i].taken ? 0 : alike(code, &all[i]);

		if (is > *best) {
			next = *best;
			*best = is;
			found = &all[i];
		} else if (is > next) {
			next = is;
		}
	}
	return *best >= ALIKE_MIN && *best - next >= LEAD_MIN ? found : NULL;
}

/* Pairs functions that are most like each other, both ways. */
static bool pair_alike(struct matching *m)
{
	for (size_t i = 0; i < m->counts[0]; i++) {
		struct code *code = &m->codes[0][i], *found, *back;
		double best, other;

		if (code->taken || !code->count)
			continue;
		found = most_alike(code, m->codes[1], m->counts[1], &best);
		back = found ? most_alike(found, m->codes[0], m->counts[0], &other) : NULL;
		if (!found || back != code)
			continue;
		code->taken = found->taken = true;
		if (!push(m, &(struct diff_pair){code->name, found->name, DIFF_RENAMED, best}))
			return false;
	}
	return true;
}

/* ---- By the source ----------------------------------------------------------------------------
 */

/* The lines of a side, by function and name; each once. */
struct lines {
	const struct diff_key **at;
	size_t count;
};

static int compare_lines(const void *a, const void *b)
{
	const struct diff_key *x = *(const struct diff_key *const *)a;
	const struct diff_key *y = *(const struct diff_key *const *)b;
	const int order = strcmp(x->in, y->in);

	return order ? order : strcmp(x->name, y->name);
}

static bool list_lines(const struct diff_side *side, struct lines *lines)
{
	size_t count = 0;

	lines->at = calloc(side->item_count + 1, sizeof(struct diff_key *));
	if (!lines->at)
		return false;
	for (size_t i = 0; i < side->item_count; i++)
		if (side->items[i].key.view == DIFF_LINES)
			lines->at[count++] = &side->items[i].key;
	if (count)
		qsort(lines->at, count, sizeof(struct diff_key *), compare_lines);
	for (size_t i = 0; i < count; i++)
		if (!lines->count ||
		    compare_lines(&lines->at[lines->count - 1], &lines->at[i]) != 0)
			lines->at[lines->count++] = lines->at[i];
	return true;
}

/* Returns the first line of a function, and how many it has. */
static const struct diff_key *const *lines_of(const struct lines *lines, const char *function,
					      size_t *count)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (strcmp(lines->at[middle]->in, function) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < lines->count && strcmp(lines->at[low + *count]->in, function) == 0)
		++*count;
	return lines->at + low;
}

/* Returns which part of the lines that either function has, both have. */
static double same_lines(const struct lines lines[2], const char *before, const char *after)
{
	size_t counts[2], i = 0, k = 0, both = 0;
	const struct diff_key *const *a = lines_of(&lines[0], before, &counts[0]);
	const struct diff_key *const *b = lines_of(&lines[1], after, &counts[1]);

	while (i < counts[0] && k < counts[1]) {
		const int order = strcmp(a[i]->name, b[k]->name);

		both += order == 0;
		i += order <= 0;
		k += order >= 0;
	}
	return both ? (double)both / (double)(counts[0] + counts[1] - both) : 0;
}

/*
 * Returns by how many lines code at `line` has moved: as the function of both sides that is next
 * above it, or else not at all.
 */
static long moved_by(const struct matching *m, const char *file, unsigned line)
{
	const struct diff_function *next = NULL;
	long by = 0;

	for (size_t i = 0; i < m->both_count; i++) {
		const struct diff_function *a = m->both[0][i].function;
		const struct diff_function *b = m->both[1][i].function;

		if (!a->file || !b->file || strcmp(a->file, file) != 0 ||
		    strcmp(b->file, file) != 0 || a->line > line || (next && next->line > a->line))
			continue;
		next = a;
		by = (long)b->line - (long)a->line;
	}
	return by;
}

/* Finds the function that is now where `code` was, in the same file; NULL: none, or several. */
static struct code *in_place_of(struct matching *m, const struct code *code)
{
	const struct diff_function *function = code->function;
	struct code *found = NULL;
	long line;

	if (!function->file)
		return NULL;
	line = (long)function->line + moved_by(m, function->file, function->line);
	for (size_t k = 0; k < m->counts[1]; k++) {
		struct code *other = &m->codes[1][k];

		if (other->taken || !other->function->file ||
		    strcmp(other->function->file, function->file) != 0 ||
		    (long)other->function->line != line)
			continue;
		if (found)
			return NULL;
		found = other;
	}
	return found;
}

/* Pairs functions at the same place of a file, which have lines in common: compiled differently. */
static bool pair_by_place(struct matching *m)
{
	struct lines lines[2] = {{NULL, 0}, {NULL, 0}};
	bool ok = list_lines(m->sides[0], &lines[0]) && list_lines(m->sides[1], &lines[1]);

	for (size_t i = 0; ok && i < m->counts[0]; i++) {
		struct code *code = &m->codes[0][i];
		struct code *found = code->taken ? NULL : in_place_of(m, code);
		double alike = 0;

		if (found)
			alike = same_lines(lines, code->name, found->name);
		if (alike < LINES_MIN)
			continue;
		code->taken = found->taken = true;
		ok = push(m, &(struct diff_pair){code->name, found->name, DIFF_RENAMED, alike});
	}
	free(lines[0].at);
	free(lines[1].at);
	return ok;
}

/* ---- Inlined code -----------------------------------------------------------------------------
 */

/* Finds functions of side `s` whose code is now within one that both sides have. */
static bool pair_inlined(struct matching *m, size_t s)
{
	for (size_t i = 0; i < m->counts[s]; i++) {
		struct code *code = &m->codes[s][i];
		const struct code *found = NULL;
		double best = 0, next = 0;

		for (size_t k = 0; !code->taken && code->count && k < m->both_count; k++) {
			const struct code *now = &m->both[1 - s][k], *own = &m->both[s][k];
			double share;

			if (now->count <= own->count)
				continue;
			share = (double)common(code, now, own) / (double)code->count;
			if (share > best) {
				next = best;
				best = share;
				found = now;
			} else if (share > next) {
				next = share;
			}
		}
		if (!found || best < INLINED_MIN || best - next < LEAD_MIN)
			continue;
		code->taken = true;
		if (!push(m, &(struct diff_pair){
				     s ? found->name : code->name, s ? code->name : found->name,
				     s ? DIFF_INLINED_BEFORE : DIFF_INLINED_AFTER, best}))
			return false;
	}
	return true;
}

static void free_codes(struct code *codes, size_t count)
{
	for (size_t i = 0; codes && i < count; i++)
		free(codes[i].sequences);
	free(codes);
}

int diff_match(const struct diff_side *before, const struct diff_side *after,
	       struct diff_pair **pairs, size_t *count)
{
	struct matching m = {.sides = {before, after}};
	const bool ok = sort_out(&m, 0) && sort_out(&m, 1) && pair_equal(&m) && pair_alike(&m) &&
			pair_by_place(&m) && pair_inlined(&m, 0) && pair_inlined(&m, 1);

	for (size_t s = 0; s < 2; s++) {
		free_codes(m.codes[s], m.sides[s]->function_count);
		free_codes(m.both[s], m.sides[s]->function_count);
	}
	*pairs = m.pairs;
	*count = ok ? m.pair_count : 0;
	return ok ? 0 : PLUMB_ERR_NO_MEMORY;
}
