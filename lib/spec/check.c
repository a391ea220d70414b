/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a specification for consistency; doc/specifications.md defines the findings. */
#include "spec/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/quote.h"
#include "base/text.h"
#include "spec/formula_steps.h"

bool check_index(struct check *check, uint16_t index, const struct named *target)
{
	if (index < target->count)
		return true;
	if (!check->known || index != PLUMB_NONE)
		report_add(check->report, finding_bad_index,
			   "index %u is out of range: there are %u elements", index, target->count);
	return false;
}

bool check_item(struct check *check, uint16_t index, const struct named *target, uint32_t *seen)
{
	char name[QUOTE_ROOM];

	if (!check_index(check, index, target))
		return false;
	if (seen[index] == check->list)
		report_add(check->report, finding_duplicate_item, "duplicate item %s",
			   quote(name, named_at(target, index)));
	seen[index] = check->list;
	return true;
}

void check_list(struct check *check, struct plumb_indexes list, const struct named *target,
		uint32_t *seen)
{
	check->list++;
	for (uint16_t i = 0; i < list.count; i++) {
		report_enter_element(check->report, i);
		check_item(check, list.at[i], target, seen);
		report_leave(check->report, 1);
	}
}

/* Whether `name` is the schema's \w+, in ASCII, and short enough for a formula. */
static bool is_name(const char *name)
{
	size_t length = 0;

	for (; name[length]; length++) {
		char c = text_lower(name[length]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return length > 0 && length <= FORMULA_MAX_NAME;
}

int check_names(struct check *check, const struct named *elements)
{
	struct report *report = check->report;
	uint16_t *order = named_sort(elements, &check->arena, true);

	if (!order)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < elements->count; i++) {
		const char *name = named_at(elements, order[i]);
		const char *before = i ? named_at(elements, order[i - 1]) : NULL;
		char quoted[QUOTE_ROOM];

		report_enter(report, name);
		if (!is_name(name)) {
			report_add(report, finding_bad_name, "invalid name \"%s\"",
				   quote(quoted, name));
			report_hint(report, "use 1 to %d letters, digits and '_'",
				    FORMULA_MAX_NAME);
		}
		if (before && text_compare(before, name) == 0) {
			if (strcmp(before, name) == 0)
				report_add(report, finding_duplicate_name, "duplicate name \"%s\"",
					   quote(quoted, name));
			else
				report_add(report, finding_duplicate_name,
					   "duplicate name \"%s\": another name differs from it "
					   "only in case",
					   quote(quoted, name));
			report_hint(report, "remove or rename one of them");
			check->ambiguous = true;
		}
		report_leave(report, 1);
	}
	return 0;
}

void check_text(struct check *check, const char *member, const char *text)
{
	if (text && *text)
		return;
	report_enter(check->report, member);
	if (text)
		report_add(check->report, finding_empty_text, "%s is empty", member);
	else if (!check->known)
		report_add(check->report, finding_missing_member, "%s is missing", member);
	report_leave(check->report, 1);
}

/* A title, and the index of its element. */
struct title {
	const char *title;
	uint16_t element;
};

/* Checks that titles are unique, since lookups use them. `get` returns the title of element `i`. */
static int check_titles(struct check *check, const struct named *elements,
			const char *get(const struct plumb_spec *, uint16_t))
{
	struct title *titles = arena_alloc_array(&check->arena, elements->count, sizeof(*titles));
	struct named sorted = NAMED(titles, 0);
	uint16_t *order;

	if (!titles)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < elements->count; i++) {
		const char *title = get(check->spec, i);

		if (title && *title)
			titles[sorted.count++] = (struct title){title, i};
	}
	order = named_sort(&sorted, &check->arena, true);
	if (!order)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 1; i < sorted.count; i++) {
		const struct title *a = &titles[order[i - 1]], *b = &titles[order[i]];
		char name[QUOTE_ROOM];

		if (text_compare(a->title, b->title) != 0)
			continue;
		report_enter(check->report, named_at(elements, b->element));
		report_enter(check->report, "title");
		report_add(check->report, finding_duplicate_title, "same title as %s",
			   quote(name, named_at(elements, a->element)));
		report_leave(check->report, 2);
	}
	return 0;
}

static const char *event_title(const struct plumb_spec *spec, uint16_t i)
{
	return spec->events[i].title;
}

static const char *metric_title(const struct plumb_spec *spec, uint16_t i)
{
	return spec->metrics[i].title;
}

/*
 * Checks that codes are unique. If two events have the same code, the code is ambiguous, unless no
 * counter and no trace unit can see both.
 */
static void check_codes(struct check *check)
{
	const struct plumb_spec *spec = check->spec;
	uint16_t first[8] = {
		0}; /* for each bit of plumb_event.accesses, the first event with this code */
	unsigned seen = 0; /* the bits for which `first` is set */
	char name[QUOTE_ROOM];

	for (uint16_t i = 0; i < spec->event_count; i++) {
		uint16_t e = spec->events_by_code[i];
		const struct plumb_event *event = &spec->events[e];
		unsigned shared;

		if (i && spec->events[spec->events_by_code[i - 1]].code != event->code)
			seen = 0;
		if (check->known && check->known->events[e] & KNOWN_CODE)
			continue;
		shared = seen & event->accesses;
		if (shared) {
			report_enter(check->report, event->name);
			report_enter(check->report, "code");
			report_add(check->report, finding_duplicate_code,
				   "code 0x%04x is also the code of %s", event->code,
				   quote(name, spec->events[first[__builtin_ctz(shared)]].name));
			report_leave(check->report, 2);
		}
		for (unsigned bit = 0; bit < 8; bit++)
			if (event->accesses & ~seen & 1u << bit)
				first[bit] = e;
		seen |= event->accesses;
	}
}

static void check_event(struct check *check, uint16_t e)
{
	const struct plumb_event *event = &check->spec->events[e];
	uint8_t known = check->known ? check->known->events[e] : 0;
	struct report *report = check->report;

	if (event->title && !*event->title && event->description && !*event->description &&
	    !event->accesses) {
		report_add(report, finding_private_event, "only the code of this event is known");
		return;
	}
	check_text(check, "title", event->title);
	check_text(check, "description", event->description);
	if (!event->accesses && !(known & KNOWN_ACCESSES))
		report_add(report, finding_no_access,
			   "no counter or trace unit can see this event");
	if (event->architecture_defined && event->product_defined) {
		report_add(report, finding_both_defined,
			   "marked as defined by both the architecture and the product");
		report_hint(report, "set architecture_defined or product_defined to false");
	}
	if (!event->architecture_defined && !event->product_defined && !(known & KNOWN_DEFINED))
		report_add(report, finding_neither_defined,
			   "marked as defined by neither the architecture nor the product");
	if (event->has_attributes && !event->product_defined && !(known & KNOWN_DEFINED)) {
		report_enter(report, "product_defined_attributes");
		report_add(report, finding_attributes_unexpected,
			   "attributes are allowed only on events that the product defines");
		report_leave(report, 1);
	}
}

static int check_events(struct check *check)
{
	const struct plumb_spec *spec = check->spec;
	int err;

	report_enter(check->report, "events");
	err = check_names(check, &check->events);
	if (!err)
		err = check_titles(check, &check->events, event_title);
	for (uint16_t i = 0; !err && i < spec->event_count; i++) {
		report_enter(check->report, spec->events[i].name);
		check_event(check, i);
		report_leave(check->report, 1);
	}
	check_codes(check);
	report_leave(check->report, 1);
	return err;
}

/* Compares a metric's events with those in its formula. event_seen must have just been filled. */
static void compare_events(struct check *check, const struct plumb_metric *metric,
			   struct plumb_indexes used)
{
	const struct plumb_spec *spec = check->spec;
	char name[QUOTE_ROOM];

	report_enter(check->report, "events");
	for (uint16_t i = 0; i < used.count; i++) {
		if (check->event_seen[used.at[i]] == check->list)
			continue;
		report_add(check->report, finding_formula_event_missing,
			   "%s is used in the formula but missing from this list",
			   quote(name, spec->events[used.at[i]].name));
		report_hint(check->report, "add it to the list or fix the formula");
	}
	for (uint16_t i = 0; i < metric->events.count; i++) {
		uint16_t event = metric->events.at[i];

		if (event >= spec->event_count ||
		    bsearch(&event, used.at, used.count, sizeof(event), compare_indexes))
			continue;
		report_enter_element(check->report, i);
		report_add(check->report, finding_formula_event_unused,
			   "%s is not used in the "
			   "formula",
			   quote(name, spec->events[event].name));
		report_hint(check->report, "remove it or fix the formula");
		report_leave(check->report, 1);
	}
	report_leave(check->report, 1);
}

static int check_formula(struct check *check, uint16_t m)
{
	const struct plumb_metric *metric = &check->spec->metrics[m];
	struct formula *formula;
	struct place place;
	struct path path;
	int err;

	if (check->steps > CHECK_MAX_STEPS)
		return 0;
	report_enter(check->report, "formula");
	report_place(check->report, &path, &place);
	report_leave(check->report, 1);
	err = formula_compile(metric->formula, strlen(metric->formula), check->spec, &place,
			      &formula, check->report->diagnostics);
	if (err == PLUMB_ERR_NO_MEMORY)
		return err;
	/* A failed formula counts as much as the limit for one, since it may have got that far. */
	check->steps += formula ? formula->step_count : FORMULA_MAX_STEPS;
	if (check->steps > CHECK_MAX_STEPS)
		report_as(check->report, PLUMB_ERR_LIMIT, finding_too_many,
			  "the formulas so far, with the metrics they use, need more than %u "
			  "steps; the rest are not checked",
			  CHECK_MAX_STEPS);
	if (err) {
		/* The compiler has reported it. */
		report_count_error(check->report, PLUMB_ERR_INVALID);
		return 0;
	}
	if (!check->known || !(check->known->metrics[m] & KNOWN_EVENTS))
		compare_events(check, metric, formula_events(formula));
	formula_free(formula);
	return 0;
}

static int check_metric(struct check *check, uint16_t m)
{
	const struct plumb_metric *metric = &check->spec->metrics[m];

	check_text(check, "title", metric->title);
	check_text(check, "description", metric->description);
	if (!metric->units)
		check_text(check, "units", NULL);
	report_enter(check->report, "sample_events");
	check_list(check, metric->sample_events, &check->events, check->event_seen);
	report_leave(check->report, 1);
	report_enter(check->report, "events");
	check_list(check, metric->events, &check->events, check->event_seen);
	report_leave(check->report, 1);
	if (!metric->formula) {
		check_text(check, "formula", NULL);
		return 0;
	}
	if (check->ambiguous || (check->known && check->known->metrics[m] & KNOWN_FORMULA))
		return 0;
	return check_formula(check, m);
}

/* Where names clash, a formula uses the event, and the tree uses the metric. */
static void check_other_kind(struct check *check, const struct named *others, const uint16_t *order,
			     const char *kind, const char *name)
{
	char quoted[QUOTE_ROOM];

	if (named_find(others, order, name) == PLUMB_NONE)
		return;
	report_add(check->report, finding_same_name, "%s \"%s\" has the same name", kind,
		   quote(quoted, name));
}

static int check_metrics(struct check *check)
{
	const struct plumb_spec *spec = check->spec;
	uint16_t *events = named_sort(&check->events, &check->arena, false);
	uint16_t *groups = named_sort(&check->metric_groups, &check->arena, false);
	int err;

	if (!events || !groups)
		return PLUMB_ERR_NO_MEMORY;
	report_enter(check->report, "metrics");
	err = check_names(check, &check->metrics);
	if (!err)
		err = check_titles(check, &check->metrics, metric_title);
	for (uint16_t i = 0; !err && i < spec->metric_count; i++) {
		const char *name = spec->metrics[i].name;

		report_enter(check->report, name);
		check_other_kind(check, &check->events, events, "event", name);
		check_other_kind(check, &check->metric_groups, groups, "metric group", name);
		err = check_metric(check, i);
		report_leave(check->report, 1);
	}
	report_leave(check->report, 1);
	return err;
}

static int check_groups(struct check *check)
{
	const struct plumb_spec *spec = check->spec;
	struct named functions = NAMED(spec->functional_groups, spec->functional_group_count);
	struct report *report = check->report;
	int err;

	report_enter(report, "groups");
	report_enter(report, "metrics");
	err = check_names(check, &check->metric_groups);
	for (uint16_t i = 0; !err && i < spec->metric_group_count; i++) {
		const struct plumb_metric_group *group = &spec->metric_groups[i];

		report_enter(report, group->name);
		check_text(check, "title", group->title);
		check_text(check, "description", group->description);
		report_enter(report, "metrics");
		check_list(check, group->metrics, &check->metrics, check->metric_seen);
		report_leave(report, 2);
	}
	report_leave(report, 1);
	report_enter(report, "function");
	if (!err)
		err = check_names(check, &functions);
	for (uint16_t i = 0; !err && i < spec->functional_group_count; i++) {
		const struct plumb_functional_group *group = &spec->functional_groups[i];

		report_enter(report, group->name);
		check_text(check, "title", group->title);
		check_text(check, "description", group->description);
		report_enter(report, "events");
		check_list(check, group->events, &check->events, check->event_seen);
		report_leave(report, 2);
	}
	report_leave(report, 2);
	return err;
}

static void check_number(struct check *check, const char *member, unsigned value, unsigned most)
{
	if (value <= most)
		return;
	report_enter(check->report, member);
	report_add(check->report, finding_number_range,
		   "%u is too large: the field of MIDR_EL1 "
		   "holds at most %u",
		   value, most);
	report_leave(check->report, 1);
}

static void check_product(struct check *check)
{
	const struct plumb_product *product = &check->spec->product;

	report_enter(check->report, "product_configuration");
	check_text(check, "product_name", product->name);
	check_number(check, "part_num", product->part, 0xfff);
	check_number(check, "major_revision", product->major_revision, 0xf);
	check_number(check, "minor_revision", product->minor_revision, 0xf);
	report_leave(check->report, 1);
}

/* Compares the orders that lookups rely on with freshly computed ones. */
static void check_order(struct check *check, const char *member, const uint16_t *order,
			const uint16_t *right, uint16_t count)
{
	if (!count || !memcmp(order, right, count * sizeof(*order)))
		return;
	report_enter(check->report, member);
	report_add(check->report, finding_bad_order, "must hold every index once, in order");
	report_leave(check->report, 1);
}

/* Sorts the metrics of each group, so that nodes can be looked up in them. */
static int sort_groups(struct check *check)
{
	const struct plumb_spec *spec = check->spec;

	check->group_sorted = arena_alloc_array(&check->arena, spec->metric_group_count,
						sizeof(*check->group_sorted));
	if (!check->group_sorted)
		return PLUMB_ERR_NO_MEMORY;
	for (uint16_t i = 0; i < spec->metric_group_count; i++) {
		struct plumb_indexes list = spec->metric_groups[i].metrics;
		uint16_t *sorted = arena_alloc_array(&check->arena, list.count, sizeof(*sorted));

		if (!sorted)
			return PLUMB_ERR_NO_MEMORY;
		if (list.count)
			memcpy(sorted, list.at, list.count * sizeof(*sorted));
		qsort(sorted, list.count, sizeof(*sorted), compare_indexes);
		check->group_sorted[i] = (struct plumb_indexes){sorted, list.count};
	}
	return 0;
}

static int make_tables(struct check *check)
{
	const struct plumb_spec *spec = check->spec;
	struct arena *arena = &check->arena;

	check->event_seen = arena_alloc_array(arena, spec->event_count, sizeof(*check->event_seen));
	check->metric_seen =
		arena_alloc_array(arena, spec->metric_count, sizeof(*check->metric_seen));
	check->group_seen =
		arena_alloc_array(arena, spec->metric_group_count, sizeof(*check->group_seen));
	check->node_methodology =
		arena_alloc_array(arena, spec->metric_count, sizeof(*check->node_methodology));
	check->node = arena_alloc_array(arena, spec->metric_count, sizeof(*check->node));
	if (!check->event_seen || !check->metric_seen || !check->group_seen ||
	    !check->node_methodology || !check->node)
		return PLUMB_ERR_NO_MEMORY;
	return sort_groups(check);
}

static int check_methodologies(struct check *check)
{
	const struct plumb_spec *spec = check->spec;
	struct named methodologies = NAMED(spec->methodologies, spec->methodology_count);
	int err;

	report_enter(check->report, "methodologies");
	err = check_names(check, &methodologies);
	for (uint16_t i = 0; !err && i < spec->methodology_count; i++) {
		report_enter(check->report, spec->methodologies[i].name);
		err = check_methodology(check, i);
		report_leave(check->report, 1);
	}
	report_leave(check->report, 1);
	return err;
}

int check_spec(const struct plumb_spec *spec, struct report *report,
	       const struct check_known *known)
{
	/* The copy gets orders of its own, so that wrong ones cannot mislead lookups. */
	struct plumb_spec sound = *spec;
	struct check check = {
		.spec = &sound,
		.report = report,
		.known = known,
		.events = NAMED(spec->events, spec->event_count),
		.metrics = NAMED(spec->metrics, spec->metric_count),
		.metric_groups = NAMED(spec->metric_groups, spec->metric_group_count),
	};
	int err = spec_index(&sound, &check.arena);

	if (!err)
		err = make_tables(&check);
	if (!err) {
		check_order(&check, "events_by_name", spec->events_by_name, sound.events_by_name,
			    spec->event_count);
		check_order(&check, "events_by_code", spec->events_by_code, sound.events_by_code,
			    spec->event_count);
		check_order(&check, "metrics_by_name", spec->metrics_by_name, sound.metrics_by_name,
			    spec->metric_count);
		check_product(&check);
		err = check_events(&check);
	}
	if (!err)
		err = check_metrics(&check);
	if (!err)
		err = check_groups(&check);
	if (!err)
		err = check_methodologies(&check);
	arena_free(&check.arena);
	return err;
}

int spec_check(const struct plumb_spec *spec, struct plumb_diagnostics *diagnostics)
{
	struct report report = {.diagnostics = diagnostics, .file = spec->file};
	int err = check_spec(spec, &report, NULL);

	return err ? err : report.result;
}
