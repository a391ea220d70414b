/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/visible.h"

const char *diff_view_name(enum diff_view view)
{
	static const char *const names[DIFF_VIEWS] = {
		[DIFF_METRICS] = "metrics",
		[DIFF_EVENTS] = "events",
		[DIFF_FUNCTIONS] = "functions",
		[DIFF_LINES] = "lines",
	};

	return names[view];
}

struct diff_side *diff_side_new(const char *label)
{
	struct diff_side *side = calloc(1, sizeof(*side));

	if (!side)
		return NULL;
	side->label = diff_side_keep(side, label);
	if (!side->label) {
		diff_side_free(side);
		return NULL;
	}
	return side;
}

void diff_side_free(struct diff_side *side)
{
	if (!side)
		return;
	for (size_t i = 0; i < side->item_count; i++)
		free(side->items[i].values);
	free(side->items);
	free(side->slots);
	free(side->quantities);
	for (size_t i = 0; i < side->function_count; i++)
		free(side->functions[i].words);
	free(side->functions);
	free(side->inlinings);
	free(side->declarations);
	arena_free(&side->arena);
	free(side);
}

void diff_side_begin_run(struct diff_side *side)
{
	side->run++;
}

void diff_side_return_to_run(struct diff_side *side, size_t run)
{
	side->run = run;
}

bool diff_side_has_all_events(const struct diff_side *side)
{
	const struct diff_quantity *main = diff_side_main(side);

	return main && (side->baseline ? side->recorded_source && strcmp(side->recorded_source,
									 DIFF_EXACT_PROFILE) == 0
				       : main->exact);
}

void diff_side_note_event(struct diff_side *side, const char *name)
{
	struct diff_recorded_event *event;

	for (const struct diff_recorded_event *known = side->recorded_events; known;
	     known = known->next)
		if (strcmp(known->name, name) == 0)
			return;
	event = arena_alloc(&side->arena, sizeof(*event));
	name = event ? diff_side_keep(side, name) : NULL;
	side->no_memory |= !name;
	if (!name)
		return;
	*event = (struct diff_recorded_event){side->recorded_events, name};
	side->recorded_events = event;
}

const char *diff_side_keep(struct diff_side *side, const char *text)
{
	const size_t length = strlen(text), valid = visible_valid(text, length, NULL);
	char *kept = arena_alloc(&side->arena, valid + 1);

	side->no_memory |= !kept;
	if (!kept)
		return NULL;
	visible_valid(text, length, kept);
	kept[valid] = '\0';
	return kept;
}

void diff_side_describe(struct diff_side *side, const char **member, const char *text)
{
	const char *kept = text ? diff_side_keep(side, text) : NULL;

	if (!kept)
		return;
	if (!*member)
		*member = kept;
	else if (strcmp(*member, kept) != 0)
		side->differs = true;
}

void diff_side_set_seed(struct diff_side *side, uint64_t seed)
{
	side->seeds |= side->seeded && side->seed != seed;
	side->seed = seed;
	side->seeded = true;
}

/* ---- Items ------------------------------------------------------------------------------------
 */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	/* FNV-1a, with the end. */
	do
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++);
	return hash;
}

static size_t hash_key(const struct diff_key *key)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ key->view;

	hash = hash_text(hash, key->name);
	hash = hash_text(hash, key->of);
	hash = hash_text(hash, key->in);
	return (size_t)(hash ^ hash >> 32);
}

static bool same_key(const struct diff_key *a, const struct diff_key *b)
{
	return a->view == b->view && strcmp(a->name, b->name) == 0 && strcmp(a->of, b->of) == 0 &&
	       strcmp(a->in, b->in) == 0;
}

/* Returns the slot of a key, or the free one for it. There is one. */
static uint32_t *find_slot(const struct diff_side *side, const struct diff_key *key)
{
	size_t at = hash_key(key) & (side->slot_count - 1);

	while (side->slots[at] && !same_key(&side->items[side->slots[at] - 1].key, key))
		at = (at + 1) & (side->slot_count - 1);
	return &side->slots[at];
}

static bool grow_slots(struct diff_side *side)
{
	const size_t count = side->slot_count ? 2 * side->slot_count : 256;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	free(side->slots);
	side->slots = slots;
	side->slot_count = count;
	for (size_t i = 0; i < side->item_count; i++)
		*find_slot(side, &side->items[i].key) = (uint32_t)i + 1;
	return true;
}

static bool grow_items(struct diff_side *side)
{
	const size_t room = side->item_room ? 2 * side->item_room : 128;
	struct diff_item *items;

	if (side->item_count >= DIFF_ITEMS_MAX)
		return false;
	items = realloc(side->items, room * sizeof(*items));
	if (!items)
		return false;
	side->items = items;
	side->item_room = room;
	return true;
}

const struct diff_item *diff_side_find(const struct diff_side *side, const struct diff_key *key)
{
	const uint32_t *slot;

	if (!side->slot_count)
		return NULL;
	slot = find_slot(side, key);
	return *slot ? &side->items[*slot - 1] : NULL;
}

static struct diff_item *make_item(struct diff_side *side, const struct diff_key *key)
{
	struct diff_item *item;
	uint32_t *slot;

	if (2 * (side->item_count + 1) > side->slot_count && !grow_slots(side))
		return NULL;
	slot = find_slot(side, key);
	if (*slot)
		return &side->items[*slot - 1];
	if (side->item_count == side->item_room && !grow_items(side))
		return NULL;
	item = &side->items[side->item_count];
	*item = (struct diff_item){
		.key = {key->view, diff_side_keep(side, key->name), diff_side_keep(side, key->of),
			diff_side_keep(side, key->in)},
		.unit = "events",
		.exact = true,
	};
	if (side->no_memory)
		return NULL;
	*slot = (uint32_t)++side->item_count;
	return item;
}

static bool push_value(struct diff_item *item, const struct interval *value)
{
	if (item->count == item->room) {
		const size_t room = item->room ? 2 * item->room : 1;
		struct interval *values = realloc(item->values, room * sizeof(*values));

		if (!values)
			return false;
		item->values = values;
		item->room = room;
	}
	item->values[item->count++] = *value;
	return true;
}

static struct interval sum_of(const struct interval *a, const struct interval *b)
{
	if (isnan(a->low) || isnan(b->low))
		return (struct interval){a->value + b->value, NAN, NAN};
	return interval_sum(a, b);
}

struct diff_item *diff_side_add(struct diff_side *side, const struct diff_key *key,
				const struct interval *value, bool exact)
{
	struct diff_item *item = side->no_memory ? NULL : make_item(side, key);

	if (item && item->count && item->run == side->run)
		item->values[item->count - 1] = sum_of(&item->values[item->count - 1], value);
	else if (item && !push_value(item, value))
		item = NULL;
	if (!item) {
		side->no_memory = true;
		return NULL;
	}
	item->run = side->run;
	item->exact &= exact;
	return item;
}

/* ---- Quantities and functions -----------------------------------------------------------------
 */

const struct diff_quantity *diff_side_find_quantity(const struct diff_side *side, const char *name)
{
	for (size_t i = 0; i < side->quantity_count; i++)
		if (strcmp(side->quantities[i].name, name) == 0)
			return &side->quantities[i];
	return NULL;
}

/* Tells whether an event is cycles, with perf's modifiers and PMU or without. */
static bool is_cycles(const char *name)
{
	static const char *const cycles[] = {"cycles", "cpu-cycles", "cpu_cycles"};
	const char *slash = strchr(name, '/');
	size_t length;

	if (slash && slash[1])
		name = slash + 1;
	length = strcspn(name, ":/,");
	for (size_t i = 0; i < sizeof(cycles) / sizeof(*cycles); i++)
		if (strlen(cycles[i]) == length && strncasecmp(name, cycles[i], length) == 0)
			return true;
	return false;
}

/* Returns how well a count tells where time goes, whatever else a recording has. */
static unsigned rank_of(const char *name)
{
	return strcmp(name, "slots") == 0         ? 3
	       : is_cycles(name)                  ? 2
	       : strcmp(name, "spe_latency") == 0 ? 1
						  : 0;
}

struct diff_quantity *diff_side_quantity(struct diff_side *side, const char *name)
{
	struct diff_quantity *all;

	for (size_t i = 0; i < side->quantity_count; i++)
		if (strcmp(side->quantities[i].name, name) == 0)
			return &side->quantities[i];
	all = realloc(side->quantities, (side->quantity_count + 1) * sizeof(*all));
	if (!all) {
		side->no_memory = true;
		return NULL;
	}
	side->quantities = all;
	all += side->quantity_count;
	*all = (struct diff_quantity){.name = diff_side_keep(side, name), .rank = rank_of(name)};
	if (!all->name)
		return NULL;
	side->quantity_count++;
	return all;
}

const struct diff_quantity *diff_side_main(const struct diff_side *side)
{
	const struct diff_quantity *found = NULL;

	for (size_t i = 0; i < side->quantity_count; i++)
		if (!found || side->quantities[i].rank > found->rank)
			found = &side->quantities[i];
	return found;
}

bool diff_side_has(const struct diff_side *side, enum diff_view view)
{
	for (size_t i = 0; i < side->item_count; i++)
		if (side->items[i].key.view == view)
			return true;
	return false;
}

static int compare_functions(const void *a, const void *b)
{
	const struct diff_function *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	/* Of several with one name, the one that begins first. */
	return order ? order : (x->address > y->address) - (x->address < y->address);
}

size_t diff_base_length(const char *name)
{
	static const char *const endings[] = {".constprop.", ".isra.",   ".part.", ".cold",
					      ".lto_priv.",  " [clone ", ".llvm.", ".specialized."};

	for (size_t i = 1; name[0] && name[i]; i++)
		for (size_t k = 0; k < sizeof(endings) / sizeof(*endings); k++)
			if (name[i] == *endings[k] &&
			    strncmp(name + i, endings[k], strlen(endings[k])) == 0 &&
			    /* Not the beginning of a word, as in Go's main.coldStart. */
			    (strcmp(endings[k], ".cold") != 0 || !name[i + 5] ||
			     strchr(". ", name[i + 5])))
				return i;
	return strlen(name);
}

/*
 * Returns the first of some sorted structs, which begin with their name, with this name or a
 * greater one.
 */
static size_t first_named(const void *all, size_t count, size_t size, const char *name)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const char *const *at = (const void *)((const unsigned char *)all + middle * size);

		if (strcmp(*at, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t find_function(const struct diff_side *side, const char *name)
{
	return first_named(side->functions, side->function_count, sizeof(*side->functions), name);
}

const struct diff_function *diff_side_next_symbol(const struct diff_side *side, const char *name,
						  const struct diff_function *last)
{
	const size_t length = strlen(name);
	size_t i = last ? (size_t)(last - side->functions) + 1 : find_function(side, name);

	for (; i < side->function_count; i++) {
		const struct diff_function *function = &side->functions[i];

		/* What begins with the name is together. */
		if (strncmp(function->name, name, length) != 0)
			break;
		if (diff_base_length(function->name) == length &&
		    !(last && strcmp(function->name, last->name) == 0))
			return function;
	}
	return NULL;
}

const struct diff_function *diff_side_function(const struct diff_side *side, const char *name)
{
	const size_t low = find_function(side, name);

	return low < side->function_count && strcmp(side->functions[low].name, name) == 0
		       ? &side->functions[low]
		       : NULL;
}

static int compare_inlinings(const void *a, const void *b)
{
	const struct diff_inlining *x = a, *y = b;
	const int order = strcmp(x->function, y->function);

	return order ? order : strcmp(x->into, y->into);
}

static int compare_places(const struct diff_declaration *a, const char *file, unsigned line)
{
	const int order = strcmp(a->file, file);

	return order ? order : (a->line > line) - (a->line < line);
}

static int compare_declarations(const void *a, const void *b)
{
	const struct diff_declaration *x = a, *y = b;
	const int order = compare_places(x, y->file, y->line);

	return order ? order : strcmp(x->function, y->function);
}

struct diff_function *diff_side_add_function(struct diff_side *side, const char *name)
{
	const char *kept = diff_side_keep(side, name);

	if (side->function_count == side->function_room) {
		const size_t room = side->function_room ? 2 * side->function_room : 64;
		struct diff_function *all = realloc(side->functions, room * sizeof(*all));

		if (!all) {
			side->no_memory = true;
			return NULL;
		}
		side->functions = all;
		side->function_room = room;
	}
	if (!kept)
		return NULL;
	side->functions[side->function_count] = (struct diff_function){.name = kept};
	return &side->functions[side->function_count++];
}

void diff_side_sort_code(struct diff_side *side)
{
	size_t count = 0;

	if (side->function_count)
		qsort(side->functions, side->function_count, sizeof(*side->functions),
		      compare_functions);
	if (side->declaration_count)
		qsort(side->declarations, side->declaration_count, sizeof(*side->declarations),
		      compare_declarations);
	if (side->inlining_count)
		qsort(side->inlinings, side->inlining_count, sizeof(*side->inlinings),
		      compare_inlinings);
	for (size_t i = 0; i < side->inlining_count; i++)
		if (!count ||
		    compare_inlinings(&side->inlinings[count - 1], &side->inlinings[i]) != 0)
			side->inlinings[count++] = side->inlinings[i];
	side->inlining_count = count;
}

const struct diff_inlining *diff_side_inlined(const struct diff_side *side, const char *name,
					      size_t *count)
{
	const size_t low =
		first_named(side->inlinings, side->inlining_count, sizeof(*side->inlinings), name);

	*count = 0;
	while (low + *count < side->inlining_count &&
	       strcmp(side->inlinings[low + *count].function, name) == 0)
		++*count;
	return side->inlinings + low;
}

const struct diff_declaration *diff_side_declared(const struct diff_side *side, const char *file,
						  unsigned line)
{
	size_t low = 0, high = side->declaration_count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (compare_places(&side->declarations[middle], file, line) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && strcmp(side->declarations[low - 1].file, file) == 0
		       ? &side->declarations[low - 1]
		       : NULL;
}

int diff_side_finish(struct diff_side *side)
{
	diff_side_sort_code(side);
	for (size_t i = 0; !side->no_memory && i < side->item_count; i++) {
		struct diff_item *item = &side->items[i];
		const struct diff_quantity *quantity;

		if (!item->additive)
			continue;
		quantity = diff_side_find_quantity(side, item->key.of);
		while (quantity && item->count < quantity->runs) {
			const struct interval none = {0, quantity->zero_high > 0 ? 0 : (double)NAN,
						      quantity->zero_high > 0 ? quantity->zero_high
									      : (double)NAN};

			if (!push_value(item, &none)) {
				side->no_memory = true;
				break;
			}
		}
	}
	return side->no_memory ? PLUMB_ERR_NO_MEMORY : 0;
}
