/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/code.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "symbol/symbolizer.h"

/* Larger functions are compared by name only. */
#define WORDS_READ_MAX ((size_t)1 << 16)
/* Of more functions or places, the rest is compared by name only. */
#define FUNCTIONS_READ ((size_t)1 << 16)
#define PLACES_READ    ((size_t)1 << 20)

/* ---- Pairs of pointers ------------------------------------------------------------------------
 */

/* A set of pairs of words, with the words beside the first of each. */
struct pairs {
	struct pair_slot {
		uint64_t key[2];
		const void *of;
		bool used;
	} * slots;
	size_t count, room; /* a power of two, or 0 */
	size_t most;
};

static struct pair_slot *slot_of(const struct pairs *pairs, const uint64_t key[2])
{
	size_t at = hash_words(key, 2) & (pairs->room - 1);

	while (pairs->slots[at].used &&
	       (pairs->slots[at].key[0] != key[0] || pairs->slots[at].key[1] != key[1]))
		at = (at + 1) & (pairs->room - 1);
	return &pairs->slots[at];
}

static bool grow(struct pairs *pairs)
{
	const struct pairs old = *pairs;

	pairs->room = old.room ? 2 * old.room : 1024;
	pairs->slots = calloc(pairs->room, sizeof(*pairs->slots));
	if (!pairs->slots) {
		*pairs = old;
		return false;
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i].used)
			*slot_of(pairs, old.slots[i].key) = old.slots[i];
	free(old.slots);
	return true;
}

/* Adds a pair. Returns whether it is new; beyond `most`, none is. */
static bool add_pair(struct pairs *pairs, struct diff_side *side, uint64_t a, uint64_t b,
		     const void *of)
{
	const uint64_t key[2] = {a, b};
	struct pair_slot *slot;

	if (2 * (pairs->count + 1) > pairs->room && pairs->count < pairs->most && !grow(pairs)) {
		side->no_memory = true;
		return false;
	}
	slot = slot_of(pairs, key);
	if (slot->used || pairs->count >= pairs->most)
		return false;
	*slot = (struct pair_slot){.key = {a, b}, .of = of, .used = true};
	pairs->count++;
	return true;
}

/* ---- Places -----------------------------------------------------------------------------------
 */

struct code_collector {
	struct diff_side *side;
	const struct plumb_profile_options *given;
	struct pairs symbols;  /* a symbol and its file */
	struct pairs places;   /* an address and its symbol, of the file */
	struct pairs inlined;  /* names of a function and of what it is inlined into */
	struct pairs declared; /* a name, and the file of its line */
};

struct code_collector *code_collector_new(struct diff_side *side,
					  const struct plumb_profile_options *given)
{
	struct code_collector *collector = calloc(1, sizeof(*collector));

	if (!collector)
		return NULL;
	collector->side = side;
	collector->given = given;
	collector->symbols.most = FUNCTIONS_READ;
	collector->places.most = PLACES_READ;
	collector->inlined.most = collector->declared.most = PLACES_READ;
	return collector;
}

void code_collector_free(struct code_collector *collector)
{
	if (!collector)
		return;
	free(collector->symbols.slots);
	free(collector->places.slots);
	free(collector->inlined.slots);
	free(collector->declared.slots);
	free(collector);
}

bool code_collect(void *user, const struct plumb_samples_item *item,
		  const struct plumb_location *location)
{
	struct code_collector *collector = user;
	const struct plumb_profile_options *given = collector->given;

	if (given->wants && !given->wants(given->user, item, location))
		return false;
	if (!location || !location->symbol || !location->file)
		return true;
	if (add_pair(&collector->places, collector->side, location->address,
		     (uintptr_t)location->symbol, location->file))
		add_pair(&collector->symbols, collector->side, (uintptr_t)location->symbol,
			 (uintptr_t)location->file, NULL);
	return true;
}

/* ---- Functions and their code -----------------------------------------------------------------
 */

static uint32_t *read_words(struct plumb_symbolizer *symbolizer, const struct plumb_location *start,
			    struct diff_function *function)
{
	const uint64_t size = plumb_symbol_end(start->symbol) - start->address;
	uint8_t *bytes;
	uint32_t *words;

	if (size < 4 || size / 4 > WORDS_READ_MAX || plumb_symbol_file_is_kernel(start->file))
		return NULL;
	bytes = malloc((size_t)size);
	words = calloc((size_t)size / 4, sizeof(*words));
	function->count = 0;
	if (bytes && words)
		function->count = symbolizer_code(symbolizer, start->file, start->address, bytes,
						  (size_t)size, &function->address) /
				  4;
	for (size_t i = 0; bytes && words && i < function->count; i++)
		words[i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
			   (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
	free(bytes);
	if (!function->count) {
		free(words);
		words = NULL;
	}
	return words;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Sets where a function is declared; otherwise, where its code begins. */
static void set_place(struct diff_side *side, struct plumb_symbolizer *symbolizer,
		      const struct plumb_location *start, struct diff_function *function)
{
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
	size_t depth = symbolizer_declarations(symbolizer, start, frames, PLUMB_SOURCE_FRAMES_MAX);

	if (!depth || !frames[depth - 1].file || !frames[depth - 1].line)
		depth = plumb_symbolizer_source(symbolizer, start, frames, PLUMB_SOURCE_FRAMES_MAX);
	if (depth && frames[depth - 1].file && frames[depth - 1].line) {
		function->file = diff_side_keep(side, base_name(frames[depth - 1].file));
		function->line = frames[depth - 1].line;
	}
}

static bool add_function(struct diff_side *side, struct plumb_symbolizer *symbolizer,
			 const struct plumb_symbol *symbol, struct plumb_symbol_file *file)
{
	const struct plumb_location start = {
		.address = plumb_symbol_start(symbol), .file = file, .symbol = symbol};
	struct diff_function *function = diff_side_add_function(side, plumb_symbol_name(symbol));

	if (!function)
		return false;
	function->words = read_words(symbolizer, &start, function);
	set_place(side, symbolizer, &start, function);
	return true;
}

/* ---- What is inlined --------------------------------------------------------------------------
 */

static void add_inlining(struct diff_side *side, const char *function, const char *into)
{
	struct diff_inlining *all;

	if (side->inlining_count == side->inlining_room) {
		const size_t room = side->inlining_room ? 2 * side->inlining_room : 64;

		all = realloc(side->inlinings, room * sizeof(*all));
		if (!all) {
			side->no_memory = true;
			return;
		}
		side->inlinings = all;
		side->inlining_room = room;
	}
	all = &side->inlinings[side->inlining_count];
	*all = (struct diff_inlining){diff_side_keep(side, function), diff_side_keep(side, into)};
	if (all->function && all->into)
		side->inlining_count++;
}

static void add_declaration(struct diff_side *side, const struct plumb_source_frame *at)
{
	struct diff_declaration *all;

	if (side->declaration_count == side->declaration_room) {
		const size_t room = side->declaration_room ? 2 * side->declaration_room : 64;

		all = realloc(side->declarations, room * sizeof(*all));
		if (!all) {
			side->no_memory = true;
			return;
		}
		side->declarations = all;
		side->declaration_room = room;
	}
	all = &side->declarations[side->declaration_count];
	*all = (struct diff_declaration){diff_side_keep(side, at->function),
					 diff_side_keep(side, base_name(at->file)), at->line};
	if (all->function && all->file)
		side->declaration_count++;
}

/* Adds where the functions at a place are declared, if one of them is new. */
static void add_declarations(struct code_collector *collector, struct plumb_symbolizer *symbolizer,
			     const struct plumb_location *location,
			     const struct plumb_source_frame *frames, size_t depth)
{
	struct plumb_source_frame declared[PLUMB_SOURCE_FRAMES_MAX];
	bool fresh[PLUMB_SOURCE_FRAMES_MAX], any = false;
	size_t count;

	for (size_t i = 0; i < depth; i++) {
		fresh[i] = frames[i].function &&
			   add_pair(&collector->declared, collector->side,
				    (uintptr_t)frames[i].function, (uintptr_t)frames[i].file, NULL);
		any |= fresh[i];
	}
	if (!any)
		return;
	count = symbolizer_declarations(symbolizer, location, declared, PLUMB_SOURCE_FRAMES_MAX);
	for (size_t i = 0; i < count && i < depth; i++) {
		declared[i].function = frames[i].function;
		if (fresh[i] && declared[i].file && declared[i].line)
			add_declaration(collector->side, &declared[i]);
	}
}

static void add_place(struct code_collector *collector, struct plumb_symbolizer *symbolizer,
		      const struct pair_slot *slot)
{
	struct plumb_location location = {
		.address = slot->key[0],
		.file = (struct plumb_symbol_file *)(uintptr_t)slot->of,
		.symbol = (const struct plumb_symbol *)(uintptr_t)slot->key[1]};
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
	const char *into = plumb_symbol_name(location.symbol);
	const size_t depth =
		plumb_symbolizer_source(symbolizer, &location, frames, PLUMB_SOURCE_FRAMES_MAX);

	for (size_t i = 0; i + 1 < depth; i++)
		if (frames[i].function && strcmp(frames[i].function, into) != 0 &&
		    add_pair(&collector->inlined, collector->side, (uintptr_t)frames[i].function,
			     (uintptr_t)location.symbol, NULL))
			add_inlining(collector->side, frames[i].function, into);
	add_declarations(collector, symbolizer, &location, frames, depth);
}

void code_finish(struct code_collector *collector, struct plumb_symbolizer *symbolizer)
{
	struct diff_side *side = collector->side;

	for (size_t i = 0; i < collector->symbols.room && !side->no_memory; i++) {
		const struct pair_slot *slot = &collector->symbols.slots[i];

		if (slot->used &&
		    !add_function(side, symbolizer,
				  (const struct plumb_symbol *)(uintptr_t)slot->key[0],
				  (struct plumb_symbol_file *)(uintptr_t)slot->key[1]))
			side->no_memory = true;
	}
	for (size_t i = 0; i < collector->places.room && !side->no_memory; i++)
		if (collector->places.slots[i].used)
			add_place(collector, symbolizer, &collector->places.slots[i]);
	diff_side_sort_code(side);
}
