/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two specifications. Elements are paired by their exact names, and indexes are equal if
 * they refer to paired elements. Lists are compared in order. If both specifications hold the same
 * elements in a different order, that is reported as one difference.
 */
#include <plumb/spec.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "spec/pairing.h"
#include "spec/path.h"

/* ---- reporting ---------------------------------------------------------------------------- */

struct comparison {
	const struct plumb_spec *a, *b;
	bool prose;
	plumb_spec_difference *differs;
	void *user;
	struct path path;
	struct pairing events, metrics, metric_groups, functional_groups, methodologies;
	int count;
	bool stopped;
	bool no_memory;
};

/* Reports a difference in member `key`, or at the current place if `key` is NULL. */
static void report(struct comparison *c, const char *key, const char *a, const char *b)
{
	size_t mark = c->path.length;

	if (c->stopped)
		return;
	if (key)
		path_enter(&c->path, key);
	c->count++;
	c->stopped = !c->differs(c->user, c->path.text, a, b);
	path_leave(&c->path, mark);
}

/* Names joined by ", ". */
struct joint {
	FILE *out;
	char *text;
	size_t length;
	bool begun;
};

/* Points into `joint`, which must not move. */
static void open_joint(struct joint *joint)
{
	*joint = (struct joint){0};
	joint->out = text_stream(&joint->text, &joint->length);
}

static void join_name(struct joint *joint, const struct side *side, uint16_t index)
{
	if (!joint->out)
		return;
	fprintf(joint->out, "%s%s", joint->begun ? ", " : "",
		index < side->count ? side->names[index] : "?");
	joint->begun = true;
}

/* Returns the text, which the caller frees, or NULL if out of memory. */
static char *close_joint(struct comparison *c, struct joint *joint)
{
	if (joint->out && fclose(joint->out) == 0)
		return joint->text;
	free(joint->text);
	c->no_memory = true;
	return NULL;
}

static char *join(struct comparison *c, struct plumb_indexes list, const struct side *side)
{
	struct joint joint;

	open_joint(&joint);
	for (uint16_t i = 0; i < list.count; i++)
		join_name(&joint, side, list.at[i]);
	return close_joint(c, &joint);
}

/* Takes ownership of both texts; NULL means out of memory. */
static void report_texts(struct comparison *c, const char *key, char *a, char *b)
{
	if (a && b)
		report(c, key, a, b);
	free(a);
	free(b);
}

static void report_lists(struct comparison *c, const char *key, struct plumb_indexes a,
			 struct plumb_indexes b, const struct pairing *pairing)
{
	report_texts(c, key, join(c, a, &pairing->a), join(c, b, &pairing->b));
}

/* ---- single members ----------------------------------------------------------------------- */

enum kind { TEXT, PROSE, FLAG, DECIMAL_8, DECIMAL_16, HEX_8, HEX_16, CODE, ACCESSES };

struct field {
	enum kind kind;
	size_t offset;
	const char *key;
	const char *within; /* the object within the element that has the member, or NULL */
};

static uint16_t get_number(enum kind kind, const void *at)
{
	uint16_t wide;

	if (kind == FLAG)
		return *(const bool *)at;
	if (kind != DECIMAL_16 && kind != HEX_16 && kind != CODE)
		return *(const uint8_t *)at;
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

static const char *show_number(enum kind kind, uint16_t number, char room[16])
{
	static const char *const accesses[] = {"", "PMU", "ETE", "PMU, ETE"};

	if (kind == FLAG)
		return number ? "true" : "false";
	if (kind == ACCESSES && number < sizeof(accesses) / sizeof(*accesses))
		return accesses[number];
	if (kind == CODE)
		snprintf(room, 16, "0x%04x", number);
	else if (kind == DECIMAL_8 || kind == DECIMAL_16)
		snprintf(room, 16, "%u", number);
	else
		snprintf(room, 16, "0x%x", number);
	return room;
}

static void compare_text(struct comparison *c, const char *key, const char *a, const char *b)
{
	if (a != b && (!a || !b || strcmp(a, b) != 0))
		report(c, key, a, b);
}

static void compare_field(struct comparison *c, const struct field *field, const void *a,
			  const void *b)
{
	char room_a[16], room_b[16];
	uint16_t x, y;

	a = (const char *)a + field->offset;
	b = (const char *)b + field->offset;
	if (field->kind == PROSE && !c->prose)
		return;
	if (field->kind == PROSE || field->kind == TEXT) {
		compare_text(c, field->key, *(const char *const *)a, *(const char *const *)b);
		return;
	}
	x = get_number(field->kind, a);
	y = get_number(field->kind, b);
	if (x != y)
		report(c, field->key, show_number(field->kind, x, room_a),
		       show_number(field->kind, y, room_b));
}

static void compare_fields(struct comparison *c, const struct field *fields, size_t count,
			   const void *a, const void *b)
{
	for (size_t i = 0; i < count; i++) {
		size_t mark = c->path.length;

		if (fields[i].within)
			path_enter(&c->path, fields[i].within);
		compare_field(c, &fields[i], a, b);
		path_leave(&c->path, mark);
	}
}

#define COMPARE_FIELDS(c, fields, a, b) \
	compare_fields(c, fields, sizeof(fields) / sizeof(*(fields)), a, b)

#define PRODUCT(kind, member, key)                                      \
	{                                                               \
		kind, offsetof(struct plumb_product, member), key, NULL \
	}
#define DOCUMENT(kind, member)                                               \
	{                                                                    \
		kind, offsetof(struct plumb_document, member), #member, NULL \
	}
#define EVENT(kind, member)                                               \
	{                                                                 \
		kind, offsetof(struct plumb_event, member), #member, NULL \
	}
#define METRIC(kind, member)                                               \
	{                                                                  \
		kind, offsetof(struct plumb_metric, member), #member, NULL \
	}
#define METRIC_GROUP(kind, member)                                               \
	{                                                                        \
		kind, offsetof(struct plumb_metric_group, member), #member, NULL \
	}
#define FUNCTION(kind, member)                                                       \
	{                                                                            \
		kind, offsetof(struct plumb_functional_group, member), #member, NULL \
	}
#define METHODOLOGY(kind, member)                                               \
	{                                                                       \
		kind, offsetof(struct plumb_methodology, member), #member, NULL \
	}

static const struct field product_fields[] = {
	PRODUCT(TEXT, name, "product_name"),
	PRODUCT(HEX_16, part, "part_num"),
	PRODUCT(DECIMAL_8, major_revision, "major_revision"),
	PRODUCT(DECIMAL_8, minor_revision, "minor_revision"),
	PRODUCT(HEX_8, implementer, "implementer"),
	PRODUCT(TEXT, architecture, "architecture"),
	PRODUCT(TEXT, pmu_architecture, "pmu_architecture"),
	PRODUCT(DECIMAL_16, slots, "num_slots"),
	PRODUCT(DECIMAL_16, bus_slots, "num_bus_slots"),
	PRODUCT(DECIMAL_8, counters, "counters"),
};

static const struct field document_fields[] = {
	DOCUMENT(TEXT, timestamp), DOCUMENT(TEXT, copyright), DOCUMENT(FLAG, confidential),
	DOCUMENT(TEXT, quality),   DOCUMENT(TEXT, license),   DOCUMENT(TEXT, description),
	DOCUMENT(TEXT, revision),  DOCUMENT(TEXT, sha1),
};

static const struct field event_fields[] = {
	EVENT(CODE, code),
	EVENT(TEXT, title),
	EVENT(PROSE, description),
	EVENT(ACCESSES, accesses),
	EVENT(FLAG, architecture_defined),
	EVENT(FLAG, product_defined),
	{FLAG, offsetof(struct plumb_event, has_attributes), "product_defined_attributes", NULL},
	{FLAG, offsetof(struct plumb_event, debug), "debug", "product_defined_attributes"},
};

static const struct field metric_fields[] = {
	METRIC(TEXT, title),
	METRIC(TEXT, formula),
	METRIC(PROSE, description),
	METRIC(TEXT, units),
};

static const struct field metric_group_fields[] = {
	METRIC_GROUP(TEXT, title),
	METRIC_GROUP(PROSE, description),
};

static const struct field function_fields[] = {
	FUNCTION(TEXT, title),
	FUNCTION(PROSE, description),
};

static const struct field methodology_fields[] = {
	METHODOLOGY(TEXT, title),
	METHODOLOGY(PROSE, description),
};

/* ---- lists and elements ------------------------------------------------------------------- */

static void compare_list(struct comparison *c, const char *key, struct plumb_indexes a,
			 struct plumb_indexes b, const struct pairing *pairing)
{
	bool same = a.count == b.count;

	for (uint16_t i = 0; same && i < a.count; i++)
		same = pairing_has(pairing, a.at[i], b.at[i]);
	if (!same)
		report_lists(c, key, a, b, pairing);
}

/* Reports a different order, once for each kind of element, at the first pair swapped in `b`. */
static void compare_order(struct comparison *c, const struct pairing *pairing)
{
	uint16_t last = PLUMB_NONE;

	for (uint16_t i = 0; i < pairing->a.count; i++) {
		if (pairing->a.pair[i] == PLUMB_NONE)
			continue;
		if (last != PLUMB_NONE && pairing->a.pair[last] > pairing->a.pair[i]) {
			uint16_t in_a[] = {last, i};
			uint16_t in_b[] = {pairing->a.pair[i], pairing->a.pair[last]};

			report_lists(c, NULL, (struct plumb_indexes){in_a, 2},
				     (struct plumb_indexes){in_b, 2}, pairing);
			return;
		}
		last = i;
	}
}

/* Compares element `a` of one side with element `b` of the other; their names are the same. */
typedef void compare_element(struct comparison *c, const void *context, uint16_t a, uint16_t b);

static void compare_elements(struct comparison *c, const char *key, const struct pairing *pairing,
			     compare_element *compare, const void *context)
{
	const struct side *a = &pairing->a, *b = &pairing->b;
	size_t mark = path_enter(&c->path, key);

	for (uint16_t i = 0; i < a->count && !c->stopped; i++) {
		size_t inner = path_enter(&c->path, a->names[i]);

		if (a->pair[i] == PLUMB_NONE)
			report(c, NULL, a->names[i], NULL);
		else
			compare(c, context, i, a->pair[i]);
		path_leave(&c->path, inner);
	}
	for (uint16_t j = 0; j < b->count && !c->stopped; j++)
		if (b->pair[j] == PLUMB_NONE)
			report(c, b->names[j], NULL, b->names[j]);
	compare_order(c, pairing);
	path_leave(&c->path, mark);
}

static void compare_event(struct comparison *c, const void *context, uint16_t a, uint16_t b)
{
	(void)context;
	COMPARE_FIELDS(c, event_fields, &c->a->events[a], &c->b->events[b]);
}

static void compare_metric(struct comparison *c, const void *context, uint16_t a, uint16_t b)
{
	const struct plumb_metric *x = &c->a->metrics[a], *y = &c->b->metrics[b];

	(void)context;
	COMPARE_FIELDS(c, metric_fields, x, y);
	compare_list(c, "events", x->events, y->events, &c->events);
	compare_list(c, "sample_events", x->sample_events, y->sample_events, &c->events);
}

static void compare_metric_group(struct comparison *c, const void *context, uint16_t a, uint16_t b)
{
	const struct plumb_metric_group *x = &c->a->metric_groups[a], *y = &c->b->metric_groups[b];

	(void)context;
	COMPARE_FIELDS(c, metric_group_fields, x, y);
	compare_list(c, "metrics", x->metrics, y->metrics, &c->metrics);
}

static void compare_function(struct comparison *c, const void *context, uint16_t a, uint16_t b)
{
	const struct plumb_functional_group *x = &c->a->functional_groups[a];
	const struct plumb_functional_group *y = &c->b->functional_groups[b];

	(void)context;
	COMPARE_FIELDS(c, function_fields, x, y);
	compare_list(c, "events", x->events, y->events, &c->events);
}

/* ---- methodologies ------------------------------------------------------------------------ */

static bool name_nodes(struct side *side, const struct plumb_methodology *methodology,
		       const struct side *metrics)
{
	if (!pairing_open(side, methodology->node_count))
		return false;
	for (uint16_t i = 0; i < methodology->node_count; i++) {
		uint16_t metric = methodology->nodes[i].metric;

		side->names[i] = metric < metrics->count ? metrics->names[metric] : "";
	}
	return true;
}

struct methodologies {
	const struct plumb_methodology *a, *b;
};

static void compare_stage(struct comparison *c, const void *context, uint16_t a, uint16_t b)
{
	const struct methodologies *m = context;

	compare_list(c, NULL, m->a->stages[a].groups, m->b->stages[b].groups, &c->metric_groups);
}

static bool is_same_item(const struct comparison *c, const struct plumb_next_item *a,
			 const struct plumb_next_item *b)
{
	return a->kind == b->kind &&
	       pairing_has(a->kind == PLUMB_ITEM_METRIC ? &c->metrics : &c->metric_groups, a->index,
			   b->index);
}

static char *join_items(struct comparison *c, const struct plumb_node *node,
			const struct side *metrics, const struct side *metric_groups)
{
	struct joint joint;

	open_joint(&joint);
	for (uint16_t i = 0; i < node->next_item_count; i++) {
		const struct plumb_next_item *item = &node->next_items[i];

		join_name(&joint, item->kind == PLUMB_ITEM_METRIC ? metrics : metric_groups,
			  item->index);
	}
	return close_joint(c, &joint);
}

static void compare_next_items(struct comparison *c, const struct plumb_node *a,
			       const struct plumb_node *b)
{
	bool same = a->next_item_count == b->next_item_count;

	for (uint16_t i = 0; same && i < a->next_item_count; i++)
		same = is_same_item(c, &a->next_items[i], &b->next_items[i]);
	if (!same)
		report_texts(c, "next_items", join_items(c, a, &c->metrics.a, &c->metric_groups.a),
			     join_items(c, b, &c->metrics.b, &c->metric_groups.b));
}

static void compare_node(struct comparison *c, const void *context, uint16_t a, uint16_t b)
{
	const struct methodologies *m = context;
	const struct plumb_node *x = &m->a->nodes[a], *y = &m->b->nodes[b];

	/* Nodes are paired by the names of their metrics, which may not be unique. */
	compare_list(c, "name", (struct plumb_indexes){&x->metric, 1},
		     (struct plumb_indexes){&y->metric, 1}, &c->metrics);
	compare_list(c, "group", (struct plumb_indexes){&x->group, 1},
		     (struct plumb_indexes){&y->group, 1}, &c->metric_groups);
	compare_next_items(c, x, y);
	compare_list(c, "sample_events", x->sample_events, y->sample_events, &c->events);
}

static void compare_methodology(struct comparison *c, const void *context, uint16_t a, uint16_t b)
{
	const struct methodologies m = {&c->a->methodologies[a], &c->b->methodologies[b]};
	struct pairing stages = {0}, nodes = {0};
	size_t mark;

	(void)context;
	if (!pairing_by_name(&stages, m.a->stages, m.a->stage_count, m.b->stages, m.b->stage_count,
			     sizeof(*m.a->stages)) ||
	    !name_nodes(&nodes.a, m.a, &c->metrics.a) ||
	    !name_nodes(&nodes.b, m.b, &c->metrics.b) || !pairing_match(&nodes)) {
		c->no_memory = true;
		goto out;
	}
	COMPARE_FIELDS(c, methodology_fields, m.a, m.b);
	compare_elements(c, "metric_grouping", &stages, compare_stage, &m);
	mark = path_enter(&c->path, "decision_tree");
	compare_list(c, "root_nodes", m.a->roots, m.b->roots, &nodes);
	compare_elements(c, "metrics", &nodes, compare_node, &m);
	path_leave(&c->path, mark);
out:
	pairing_close(&stages);
	pairing_close(&nodes);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/*
 * The orders by name and code follow from the events and metrics. They are compared only if those
 * are equal: then a difference means that one of the two orders is wrong.
 */
static void compare_sorted(struct comparison *c, const char *key, const uint16_t *a,
			   const uint16_t *b, const struct pairing *pairing)
{
	uint16_t count = pairing->a.count;

	if (!pairing_is_aligned(pairing) || count == 0 || a == b)
		return;
	if (!a || !b)
		report(c, key, a ? "sorted" : NULL, b ? "sorted" : NULL);
	else if (memcmp(a, b, count * sizeof(*a)) != 0)
		report_lists(c, key, (struct plumb_indexes){a, count},
			     (struct plumb_indexes){b, count}, pairing);
}

static bool has_same_codes(const struct plumb_spec *a, const struct plumb_spec *b)
{
	for (uint16_t i = 0; i < a->event_count && i < b->event_count; i++)
		if (a->events[i].code != b->events[i].code)
			return false;
	return true;
}

static void compare_all(struct comparison *c)
{
	const struct plumb_spec *a = c->a, *b = c->b;
	size_t mark;

	compare_text(c, "id", a->id, b->id);
	if (c->prose) {
		mark = path_enter(&c->path, "document");
		COMPARE_FIELDS(c, document_fields, &a->document, &b->document);
		path_leave(&c->path, mark);
	}
	mark = path_enter(&c->path, "product_configuration");
	COMPARE_FIELDS(c, product_fields, &a->product, &b->product);
	path_leave(&c->path, mark);

	compare_elements(c, "events", &c->events, compare_event, NULL);
	compare_elements(c, "metrics", &c->metrics, compare_metric, NULL);
	mark = path_enter(&c->path, "groups");
	compare_elements(c, "function", &c->functional_groups, compare_function, NULL);
	compare_elements(c, "metrics", &c->metric_groups, compare_metric_group, NULL);
	path_leave(&c->path, mark);
	compare_elements(c, "methodologies", &c->methodologies, compare_methodology, NULL);

	compare_sorted(c, "events_by_name", a->events_by_name, b->events_by_name, &c->events);
	if (has_same_codes(a, b))
		compare_sorted(c, "events_by_code", a->events_by_code, b->events_by_code,
			       &c->events);
	compare_sorted(c, "metrics_by_name", a->metrics_by_name, b->metrics_by_name, &c->metrics);
}

#define PAIR_ELEMENTS(pairing, a, b, array, count)                               \
	pairing_by_name(pairing, (a)->array, (a)->count, (b)->array, (b)->count, \
			sizeof(*(a)->array))

int plumb_spec_compare(const struct plumb_spec *a, const struct plumb_spec *b, bool prose,
		       plumb_spec_difference *differs, void *user)
{
	struct comparison c = {.a = a, .b = b, .prose = prose, .differs = differs, .user = user};

	if (PAIR_ELEMENTS(&c.events, a, b, events, event_count) &&
	    PAIR_ELEMENTS(&c.metrics, a, b, metrics, metric_count) &&
	    PAIR_ELEMENTS(&c.metric_groups, a, b, metric_groups, metric_group_count) &&
	    PAIR_ELEMENTS(&c.functional_groups, a, b, functional_groups, functional_group_count) &&
	    PAIR_ELEMENTS(&c.methodologies, a, b, methodologies, methodology_count))
		compare_all(&c);
	else
		c.no_memory = true;
	pairing_close(&c.events);
	pairing_close(&c.metrics);
	pairing_close(&c.metric_groups);
	pairing_close(&c.functional_groups);
	pairing_close(&c.methodologies);
	return c.no_memory ? PLUMB_ERR_NO_MEMORY : c.count;
}
