/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/baseline.h"
#include "diff/names.h"

bool diff_is_percent(const char *unit)
{
	return strncmp(unit, "percent", 7) == 0;
}

/* ---- One comparison ---------------------------------------------------------------------------
 */

struct comparing {
	struct diff *diff;
	const struct diff_options *options;
	size_t room;
	bool lines; /* both sides have lines: baselines and programs without line tables do not */
	bool no_memory;
};

static double mean_whole(const struct diff_side *side, const char *of)
{
	const struct diff_quantity *quantity = diff_side_find_quantity(side, of);

	return quantity && quantity->runs ? quantity->whole / (double)quantity->runs : 0;
}

static double share_of(double value, double whole)
{
	return whole > 0 ? value / whole : 0;
}

static void set_shares(const struct comparing *c, struct diff_change *change)
{
	const double wholes[] = {mean_whole(c->diff->before, change->key.of),
				 mean_whole(c->diff->after, change->key.of)};

	change->share = share_of(change->change, wholes[0]);
	change->shares[0] = share_of(change->before, wholes[0]);
	change->shares[1] = share_of(change->after, wholes[1]);
	for (size_t s = 0; s < 2; s++)
		change->unseen_shares[s] = isnan(change->unseen[s])
						   ? (double)NAN
						   : share_of(change->unseen[s], wholes[s]);
}

/* ---- Items of both sides ----------------------------------------------------------------------
 */

static bool push(struct comparing *c, const struct diff_change *change)
{
	struct diff *diff = c->diff;

	if (diff->change_count == c->room) {
		const size_t room = c->room ? 2 * c->room : 128;
		struct diff_change *all = realloc(diff->changes, room * sizeof(*all));

		if (!all) {
			c->no_memory = true;
			return false;
		}
		diff->changes = all;
		c->room = room;
	}
	diff->changes[diff->change_count++] = *change;
	return true;
}

/* Returns the pair of a function; `s` 0: by its name before, 1: after. */
static const struct diff_pair *pair_of(const struct diff *diff, const char *name, size_t s)
{
	for (size_t i = 0; i < diff->pair_count; i++)
		if (strcmp(s ? diff->pairs[i].after : diff->pairs[i].before, name) == 0)
			return &diff->pairs[i];
	return NULL;
}

/* An item of zeros, for what a side lacks. */
struct nothing {
	struct diff_item item;
	struct interval *values;
};

static bool is_exact_event(const struct diff_item *item)
{
	return item->key.view == DIFF_EVENTS && item->exact && !item->counted;
}

/* Tells whether an exact profile lacks a count by function because it is 0 everywhere. */
static bool lacks_count(const struct diff_side *side, const struct diff_item *item)
{
	const struct diff_quantity *main = diff_side_main(side);

	return item->additive && item->exact && main && main->exact && !side->baseline &&
	       !diff_side_find_quantity(side, item->key.of);
}

static bool make_nothing(const struct diff_side *side, const struct diff_item *like,
			 struct nothing *nothing)
{
	const struct diff_quantity *quantity = diff_side_find_quantity(side, like->key.of);
	size_t runs;

	/* An exact profile lacks what did not happen. */
	if (is_exact_event(like) || lacks_count(side, like))
		quantity = diff_side_main(side);
	if (!quantity || (is_exact_event(like) ? !diff_side_has_all_events(side) : !like->additive))
		return false;
	runs = quantity->runs ? quantity->runs : 1;
	nothing->values = calloc(runs, sizeof(*nothing->values));
	for (size_t i = 0; nothing->values && i < runs; i++)
		nothing->values[i] = (struct interval){0, quantity->zero_high > 0 ? 0 : (double)NAN,
						       quantity->zero_high > 0 ? quantity->zero_high
									       : (double)NAN};
	nothing->item = *like;
	nothing->item.exact = quantity->exact || (side->baseline && like->exact);
	nothing->item.values = nothing->values;
	nothing->item.count = runs;
	return nothing->values != NULL;
}

/* Tells whether a function or a line has too little on both sides, of the count that ranks. */
static bool is_small(const struct comparing *c, const struct diff_change *change)
{
	double least = c->options->least;
	const struct diff_side *sides[] = {c->diff->before, c->diff->after};

	if (change->key.view != DIFF_FUNCTIONS && change->key.view != DIFF_LINES)
		return false;
	/* What a baseline lacks may have been nearly as much as it keeps. */
	if (c->diff->before->baseline && change->before == 0 && least < 2 * BASELINE_LEAST)
		least = 2 * BASELINE_LEAST;
	for (size_t s = 0; s < 2; s++) {
		const struct diff_quantity *main = diff_side_main(sides[s]);
		const struct diff_item *item;
		struct diff_key key = change->key;

		if (!main)
			continue;
		key.of = main->name;
		/* Under either name: what is inlined on one side has both on the other. */
		for (size_t n = 0; n < (change->was ? 2 : 1); n++) {
			if (n && key.view == DIFF_FUNCTIONS)
				key.name = change->was;
			else if (n)
				key.in = change->was;
			item = diff_side_find(sides[s], &key);
			if (item && share_of(item->values[0].value,
					     mean_whole(sides[s], main->name)) >= least)
				return false;
		}
	}
	return true;
}

/* Tells whether the sides have other symbols of a function. */
static bool differ_in_symbols(const struct diff_side *a, const struct diff_side *b,
			      const char *name)
{
	const struct diff_function *x = NULL, *y = NULL;

	do {
		x = diff_side_next_symbol(a, name, x);
		y = diff_side_next_symbol(b, name, y);
		if (!x != !y || (x && strcmp(x->name, y->name) != 0))
			return true;
	} while (x);
	return false;
}

/* Notes where the code of a function is, if its builds differ in that. */
static void set_places(const struct comparing *c, struct diff_change *change)
{
	const struct diff_side *sides[] = {c->diff->before, c->diff->after};
	const struct diff_names *names = sides[1]->names;
	const char *name = change->key.name;
	struct diff_place *places = change->places;

	if (change->key.view != DIFF_FUNCTIONS)
		return;
	for (size_t s = 0; s < 2; s++) {
		places[s] = (struct diff_place){.side = sides[s]};
		if (diff_names_inlined(names, name))
			places[s].inlined =
				diff_side_inlined(sides[s], name, &places[s].inlined_count);
		else if (!diff_names_joined(names, name))
			return;
	}
	change->placed = places[0].inlined_count != places[1].inlined_count ||
			 differ_in_symbols(sides[0], sides[1], name);
	for (size_t i = 0; !change->placed && i < places[0].inlined_count; i++)
		change->placed = strcmp(places[0].inlined[i].into, places[1].inlined[i].into) != 0;
}

static void add_change(struct comparing *c, const struct diff_item *before,
		       const struct diff_item *after, const struct diff_change *begun)
{
	const struct diff_item *shown = after ? after : before;
	const struct diff_quantity *main = diff_side_main(c->diff->after);
	struct nothing nothing = {.values = NULL};
	struct diff_change change = *begun;

	if (!before || !after) {
		if (!make_nothing(before ? c->diff->after : c->diff->before, shown, &nothing))
			return;
		if (!before)
			before = &nothing.item;
		else
			after = &nothing.item;
	}
	change.key = shown->key;
	change.unit = shown->unit;
	change.file = shown->file;
	change.line = shown->line;
	change.main = main && strcmp(main->name, shown->key.of) == 0;
	c->no_memory |= diff_test(c->diff, before, after, &change) < 0;
	set_shares(c, &change);
	set_places(c, &change);
	if (!is_small(c, &change))
		push(c, &change);
	free(nothing.values);
}

/* Sums the runs of two items of one side. Returns false if they cannot be summed. */
static bool sum_items(struct comparing *c, const struct diff_item *a, const struct diff_item *b,
		      struct nothing *sum)
{
	if (!a->additive || !b->additive || a->count != b->count)
		return false;
	sum->values = calloc(a->count, sizeof(*sum->values));
	if (!sum->values) {
		c->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < a->count; i++) {
		if (isnan(a->values[i].low) || isnan(b->values[i].low))
			sum->values[i] = (struct interval){a->values[i].value + b->values[i].value,
							   NAN, NAN};
		else
			sum->values[i] = interval_sum(&a->values[i], &b->values[i]);
	}
	sum->item = *a;
	sum->item.exact = a->exact && b->exact;
	sum->item.values = sum->values;
	return true;
}

/* Returns the function that contains what a pair has inlined on one side; NULL: it is renamed. */
static const char *container_of(const struct diff_pair *pair)
{
	return pair->how == DIFF_INLINED_AFTER    ? pair->after
	       : pair->how == DIFF_INLINED_BEFORE ? pair->before
						  : NULL;
}

static const char *inlined_of(const struct diff_pair *pair)
{
	return pair->how == DIFF_INLINED_AFTER ? pair->before : pair->after;
}

/* Returns the first pair of those that are inlined in a function, or of its container; or NULL. */
static const struct diff_pair *together_with(const struct diff *diff, const char *name)
{
	const char *container = NULL;

	for (size_t i = 0; !container && i < diff->pair_count; i++) {
		const char *found = container_of(&diff->pairs[i]);

		if (found &&
		    (strcmp(found, name) == 0 || strcmp(inlined_of(&diff->pairs[i]), name) == 0))
			container = found;
	}
	for (size_t i = 0; container && i < diff->pair_count; i++) {
		const char *found = container_of(&diff->pairs[i]);

		if (found && strcmp(found, container) == 0)
			return &diff->pairs[i];
	}
	return NULL;
}

/*
 * Adds up what a side has of a container and all that is inlined in it on either side. Returns the
 * first of these, or NULL: it has none of them.
 */
static const struct diff_item *sum_together(struct comparing *c, const struct diff_side *side,
					    struct diff_key key, const char *container,
					    struct nothing *sum)
{
	const struct diff *diff = c->diff;
	const struct diff_item *first = NULL;

	for (size_t i = 0; i <= diff->pair_count; i++) {
		const char *found = i ? container_of(&diff->pairs[i - 1]) : container;
		const struct diff_item *item;

		if (!found || strcmp(found, container) != 0)
			continue;
		key.name = i ? inlined_of(&diff->pairs[i - 1]) : container;
		item = diff_side_find(side, &key);
		if (!item)
			continue;
		if (!first) {
			first = item;
			sum->item = *item;
		} else {
			struct nothing both = {.values = NULL};

			if (!sum_items(c, &sum->item, item, &both))
				continue;
			free(sum->values);
			*sum = both;
		}
	}
	sum->item.key.name = container;
	return first;
}

/*
 * Compares a function together with those that are inlined in it on one side, where how much
 * belongs to which cannot be told. Each of them calls this, and the first does it.
 */
static void add_together(struct comparing *c, const struct diff_pair *pair,
			 const struct diff_item *item)
{
	const struct diff_side *sides[] = {c->diff->before, c->diff->after};
	struct diff_change begun = {.match = pair->how, .was = inlined_of(pair)};
	struct nothing sums[2] = {{.values = NULL}, {.values = NULL}};
	const char *container = container_of(pair);
	const struct diff_item *first[2];

	if (!container)
		return;
	for (size_t s = 0; s < 2; s++)
		first[s] = sum_together(c, sides[s], item->key, container, &sums[s]);
	if (item == (first[1] ? first[1] : first[0]))
		add_change(c, first[0] ? &sums[0].item : NULL, first[1] ? &sums[1].item : NULL,
			   &begun);
	for (size_t s = 0; s < 2; s++)
		free(sums[s].values);
}

/* Adds what `only` one side has to a list. */
static void note_only(struct comparing *c, size_t s, const char *name)
{
	struct diff *diff = c->diff;
	const char **all;

	for (size_t i = 0; i < diff->only_count[s]; i++)
		if (strcmp(diff->only[s][i], name) == 0)
			return;
	all = realloc(diff->only[s], (diff->only_count[s] + 1) * sizeof(*all));
	if (!all) {
		c->no_memory = true;
		return;
	}
	diff->only[s] = all;
	all[diff->only_count[s]++] = name;
}

/* Tells whether both sides count functions by this; else notes that one does. */
static bool both_count(struct comparing *c, const struct diff_item *item, size_t s)
{
	const struct diff_side *other = s ? c->diff->before : c->diff->after;

	if (!item->additive || diff_side_find_quantity(other, item->key.of))
		return true;
	/* A baseline has only one count by function, and an exact profile lacks those of 0. */
	if (lacks_count(other, item))
		return true;
	if (!other->baseline)
		note_only(c, s, item->key.of);
	return false;
}

/* Tells whether an exact profile has none of an event. */
static bool lacks_event(const struct diff_side *side, const struct diff_item *item)
{
	return is_exact_event(item) && diff_side_has_all_events(side);
}

static void compare_after(struct comparing *c, const struct diff_item *after)
{
	const struct diff *diff = c->diff;
	const struct diff_pair *pair = NULL, *together = NULL;
	struct diff_key key = after->key;
	struct diff_change begun = {.was = NULL};
	const struct diff_item *before;

	if (key.view == DIFF_LINES && !c->lines)
		return;
	if (key.view == DIFF_FUNCTIONS || key.view == DIFF_LINES) {
		pair = pair_of(diff, key.view == DIFF_LINES ? key.in : key.name, 1);
		together = key.view == DIFF_FUNCTIONS ? together_with(diff, key.name) : NULL;
		if (!both_count(c, after, 1))
			return;
	}
	if (together && after->additive) {
		add_together(c, together, after);
		return;
	}
	if (pair && pair->how == DIFF_RENAMED) {
		begun.was = pair->before;
		begun.match = pair->how;
		if (key.view == DIFF_LINES)
			key.in = pair->before;
		else
			key.name = pair->before;
	}
	before = diff_side_find(diff->before, &key);
	if (before || after->additive || lacks_event(diff->before, after))
		add_change(c, before, after, &begun);
	else if (key.view == DIFF_METRICS || key.view == DIFF_EVENTS)
		note_only(c, 1, key.name);
}

/* Compares what the second side lacks. */
static void compare_before(struct comparing *c, const struct diff_item *before)
{
	const struct diff *diff = c->diff;
	const struct diff_pair *pair = NULL, *together;
	struct diff_change begun = {.was = NULL};
	struct diff_item renamed = *before;
	struct diff_key key = before->key;

	if (diff_side_find(diff->after, &key) || (key.view == DIFF_LINES && !c->lines))
		return;
	if (key.view == DIFF_FUNCTIONS || key.view == DIFF_LINES)
		pair = pair_of(diff, key.view == DIFF_LINES ? key.in : key.name, 0);
	together = key.view == DIFF_FUNCTIONS ? together_with(diff, key.name) : NULL;
	if (together && before->additive && both_count(c, before, 0)) {
		add_together(c, together, before);
		return;
	}
	if (pair && pair->how == DIFF_RENAMED) {
		if (key.view == DIFF_LINES)
			key.in = pair->after;
		else
			key.name = pair->after;
		if (diff_side_find(diff->after, &key))
			return; /* with what it became */
		begun = (struct diff_change){.was = pair->before, .match = pair->how};
	}
	renamed.key = key;
	if (!lacks_event(diff->after, before)) {
		if (key.view == DIFF_METRICS || key.view == DIFF_EVENTS) {
			note_only(c, 0, key.name);
			return;
		}
		if (!both_count(c, before, 0) || !before->additive)
			return;
	}
	add_change(c, &renamed, NULL, &begun);
}

/* ---- All comparisons --------------------------------------------------------------------------
 */

/* Accounts for all comparisons of a view. */
static void adjust(struct comparing *c, enum diff_view view)
{
	struct diff *diff = c->diff;
	double *p = calloc(diff->change_count + 1, sizeof(*p));
	size_t count = 0;

	if (!p) {
		c->no_memory = true;
		return;
	}
	for (size_t i = 0; i < diff->change_count; i++)
		if (diff->changes[i].key.view == view)
			p[count++] = diff->changes[i].p;
	if (adjust_for_many(p, count) < 0)
		c->no_memory = true;
	count = 0;
	for (size_t i = 0; i < diff->change_count; i++) {
		struct diff_change *change = &diff->changes[i];

		if (change->key.view != view)
			continue;
		change->adjusted = p[count++];
		diff->tested[view] += !isnan(change->adjusted);
		if (change->method == DIFF_RANKS || change->method == DIFF_INTERVALS)
			change->real = change->adjusted <= NOISE_LEVEL;
		diff->real[view] += change->real;
	}
	free(p);
}

/* How large a change is beside others of its view. */
static double size_of(const struct diff_change *change)
{
	if (change->key.view == DIFF_FUNCTIONS || change->key.view == DIFF_LINES)
		return fabs(change->share);
	return diff_is_percent(change->unit) ? fabs(change->change) / 100 : fabs(change->relative);
}

static int compare_changes(const void *a, const void *b)
{
	const struct diff_change *x = a, *y = b;
	const double sizes[] = {size_of(x), size_of(y)};
	int order;

	if (x->key.view != y->key.view)
		return x->key.view < y->key.view ? -1 : 1;
	if (x->main != y->main)
		return x->main ? -1 : 1;
	if (sizes[0] != sizes[1])
		return sizes[0] > sizes[1] ? -1 : 1;
	order = strcmp(x->key.in, y->key.in);
	order = order ? order : strcmp(x->key.name, y->key.name);
	return order ? order : strcmp(x->key.of, y->key.of);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void compare_all(struct comparing *c)
{
	struct diff *diff = c->diff;

	c->lines =
		diff_side_has(diff->before, DIFF_LINES) && diff_side_has(diff->after, DIFF_LINES);
	for (size_t i = 0; i < diff->after->item_count && !c->no_memory; i++)
		compare_after(c, &diff->after->items[i]);
	for (size_t i = 0; i < diff->before->item_count && !c->no_memory; i++)
		compare_before(c, &diff->before->items[i]);
	if (diff->change_count)
		qsort(diff->changes, diff->change_count, sizeof(*diff->changes), compare_changes);
	for (size_t s = 0; s < 2; s++)
		if (diff->only_count[s])
			qsort(diff->only[s], diff->only_count[s], sizeof(*diff->only[s]),
			      compare_names);
	for (enum diff_view view = 0; view < DIFF_VIEWS; view++)
		adjust(c, view);
}

int diff_compare(const struct diff_side *before, const struct diff_side *after,
		 const struct diff_options *options, struct diff **result)
{
	static const struct diff_options defaults = {.least = 0.001};
	struct comparing c = {.options = options ? options : &defaults};

	*result = NULL;
	c.diff = calloc(1, sizeof(*c.diff));
	if (!c.diff)
		return PLUMB_ERR_NO_MEMORY;
	c.diff->before = before;
	c.diff->after = after;
	if (!c.options->unmatched)
		c.no_memory = diff_match(before, after, &c.diff->pairs, &c.diff->pair_count) < 0;
	compare_all(&c);
	if (c.no_memory) {
		diff_free(c.diff);
		return PLUMB_ERR_NO_MEMORY;
	}
	diff_explain(c.diff);
	*result = c.diff;
	return 0;
}

void diff_free(struct diff *diff)
{
	if (!diff)
		return;
	free(diff->changes);
	free(diff->only[0]);
	free(diff->only[1]);
	free(diff->pairs);
	arena_free(&diff->arena);
	free(diff);
}

const struct diff_change *diff_find(const struct diff *diff, enum diff_view view, const char *name,
				    const char *of)
{
	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];

		if (change->key.view == view && strcmp(change->key.name, name) == 0 &&
		    (of ? strcmp(change->key.of, of) == 0 : change->main || !*change->key.of))
			return change;
	}
	return NULL;
}
