/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct diff_names {
	const char **inlined, **joined; /* sorted */
	size_t inlined_count, joined_count;
	struct arena arena;
};

/* ---- What the sides say -----------------------------------------------------------------------
 */

/* What a side says about a function. */
struct fact {
	const char *function; /* without endings */
	const char *what;     /* a symbol of it; or the one that it is inlined into */
	bool inlined;
	size_t side;
};

struct facts {
	struct fact *at;
	size_t count, room;
};

static const char *base_of(struct diff_names *names, const char *name)
{
	const size_t length = diff_base_length(name);

	return name[length] ? arena_copy(&names->arena, name, length) : name;
}

static bool push(struct facts *facts, const struct fact *fact)
{
	if (facts->count == facts->room) {
		const size_t room = facts->room ? 2 * facts->room : 256;
		struct fact *all = realloc(facts->at, room * sizeof(*all));

		if (!all)
			return false;
		facts->at = all;
		facts->room = room;
	}
	facts->at[facts->count++] = *fact;
	return fact->function && fact->what;
}

static bool add_side(struct diff_names *names, struct facts *facts, const struct diff_side *side,
		     size_t number)
{
	for (size_t i = 0; i < side->function_count; i++) {
		const char *name = side->functions[i].name;

		if (!push(facts, &(struct fact){base_of(names, name), name, false, number}))
			return false;
	}
	for (size_t i = 0; i < side->inlining_count; i++) {
		const struct diff_inlining *inlining = &side->inlinings[i];

		if (!push(facts, &(struct fact){inlining->function, base_of(names, inlining->into),
						true, number}))
			return false;
	}
	return true;
}

static int compare_facts(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	int order = strcmp(x->function, y->function);

	if (order == 0 && x->inlined != y->inlined)
		order = x->inlined ? 1 : -1;
	if (order == 0)
		order = strcmp(x->what, y->what);
	return order ? order : (x->side > y->side) - (x->side < y->side);
}

/* Tells whether all sides say the same, of facts sorted by what they say. */
static bool agree(const struct fact *facts, size_t count, size_t sides)
{
	for (size_t i = 0, next; i < count; i = next) {
		size_t saying = 1;

		for (next = i + 1; next < count && strcmp(facts[next].what, facts[i].what) == 0;
		     next++)
			saying += facts[next].side != facts[next - 1].side;
		if (saying != sides)
			return false;
	}
	return true;
}

/* ---- What follows -----------------------------------------------------------------------------
 */

/* Decides about one function: `own` facts are of its symbols, and the rest of inlined code. */
static void decide(struct diff_names *names, const struct fact *facts, size_t own, size_t count,
		   size_t sides)
{
	const bool own_agree = agree(facts, own, sides);
	bool copied = false;

	if (!own)
		return;
	for (size_t i = 0; i < own; i++)
		copied |= strcmp(facts[i].what, facts[i].function) != 0;
	if (copied && !own_agree)
		names->joined[names->joined_count++] = facts->function;
	if (count > own && !(own_agree && agree(facts + own, count - own, sides)))
		names->inlined[names->inlined_count++] = facts->function;
}

static bool decide_all(struct diff_names *names, struct facts *facts, size_t sides)
{
	names->inlined = calloc(facts->count + 1, sizeof(*names->inlined));
	names->joined = calloc(facts->count + 1, sizeof(*names->joined));
	if (!names->inlined || !names->joined)
		return false;
	if (facts->count)
		qsort(facts->at, facts->count, sizeof(*facts->at), compare_facts);
	for (size_t i = 0, next; i < facts->count; i = next) {
		const struct fact *first = &facts->at[i];
		size_t own = 0;

		for (next = i;
		     next < facts->count && strcmp(facts->at[next].function, first->function) == 0;
		     next++)
			own += !facts->at[next].inlined;
		decide(names, first, own, next - i, sides);
	}
	return true;
}

int diff_names_new(struct diff_side *const *sides, size_t count, struct diff_names **result)
{
	struct diff_names *names = calloc(1, sizeof(*names));
	struct facts facts = {0};
	bool ok = names, known = true;
	size_t with_code = 0;

	*result = NULL;
	for (size_t i = 0; ok && i < count; i++) {
		ok = add_side(names, &facts, sides[i], i);
		with_code += sides[i]->function_count > 0;
		known &= !sides[i]->function_count || sides[i]->declaration_count;
	}
	ok = ok && decide_all(names, &facts, with_code);
	/* Without debug information on a side, its inlined code is not known. */
	if (ok && !known)
		names->inlined_count = 0;
	free(facts.at);
	if (!ok) {
		diff_names_free(names);
		return PLUMB_ERR_NO_MEMORY;
	}
	*result = names;
	return 0;
}

void diff_names_free(struct diff_names *names)
{
	if (!names)
		return;
	free(names->inlined);
	free(names->joined);
	arena_free(&names->arena);
	free(names);
}

/* ---- Answers ----------------------------------------------------------------------------------
 */

/* Finds the first `length` bytes of a name; NULL: it is not there. */
static const char *find(const char *const *all, size_t count, const char *name, size_t length)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const int order = strncmp(all[middle], name, length);

		if (order == 0 && !all[middle][length])
			return all[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const char *diff_names_function(const struct diff_names *names, const char *name, bool inlined)
{
	const char *base;

	if (inlined)
		return find(names->inlined, names->inlined_count, name, strlen(name));
	base = find(names->joined, names->joined_count, name, diff_base_length(name));
	return base ? base : name;
}

bool diff_names_inlined(const struct diff_names *names, const char *name)
{
	return names && find(names->inlined, names->inlined_count, name, strlen(name));
}

bool diff_names_joined(const struct diff_names *names, const char *name)
{
	return names && find(names->joined, names->joined_count, name, strlen(name));
}
