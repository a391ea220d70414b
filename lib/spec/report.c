/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/quote.h"

#define FINDING_ROW(name, id, severity) [finding_##name] = {id, severity},
const struct finding findings[finding_count] = {FINDINGS(FINDING_ROW)};

void report_enter(struct report *report, const char *name)
{
	report->path[report->depth++] = (struct report_step){.name = name};
}

void report_enter_element(struct report *report, size_t index)
{
	report->path[report->depth++] = (struct report_step){.index = index};
}

void report_leave(struct report *report, unsigned steps)
{
	report->depth -= steps;
}

static void enter_name(struct path *path, const char *name, size_t length)
{
	char quoted[QUOTE_ROOM];

	quote_bytes(quoted, name, length);
	path_enter(path, quoted);
}

static void enter_index(struct path *path, size_t index)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", index);
	path_enter(path, text);
}

static uint32_t step_into(const struct json_keys *keys, uint32_t node,
			  const struct report_step *step)
{
	if (!step->name)
		return json_keys_element(keys, node, step->index);
	return json_keys_member(keys, node, step->name, strlen(step->name));
}

void report_place(const struct report *report, struct path *path, struct place *place)
{
	uint32_t node = report->keys ? report->keys->root : JSON_KEYS_NONE;

	*path = (struct path){0};
	*place = (struct place){.file = report->file, .path = report->depth ? path->text : NULL};
	for (unsigned i = 0; i < report->depth; i++) {
		const struct report_step *step = &report->path[i];

		if (step->name)
			enter_name(path, step->name, strlen(step->name));
		else
			enter_index(path, step->index);
		if (node != JSON_KEYS_NONE) {
			uint32_t next = step_into(report->keys, node, step);

			place->line = report->keys->nodes[node].line;
			place->column = report->keys->nodes[node].column;
			node = next;
		}
	}
	if (node != JSON_KEYS_NONE) {
		place->line = report->keys->nodes[node].line;
		place->column = report->keys->nodes[node].column;
	}
}

/* Past the limit of the list, findings are only counted, so their places are not needed. */
static bool is_kept(const struct report *report)
{
	return report->diagnostics &&
	       plumb_diagnostics_count(report->diagnostics) < PLUMB_DIAGNOSTICS_MAX;
}

void report_count_error(struct report *report, int result)
{
	report->errors++;
	if (!report->result)
		report->result = result;
}

/* Reports at the current place if `place` is NULL. */
static PLUMB_PRINTF(5, 0) void add(struct report *report, int result, enum finding_kind kind,
				   const struct place *place, const char *format, va_list args)
{
	const struct finding *finding = &findings[kind];
	struct place here = {.file = report->file};
	struct path path;

	if (finding->severity == PLUMB_ERROR)
		report_count_error(report, result);
	if (!place && is_kept(report))
		report_place(report, &path, &here);
	diagnostics_vadd(report->diagnostics, finding->severity, finding->id, place ? place : &here,
			 format, args);
}

void report_add(struct report *report, enum finding_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(report, PLUMB_ERR_INVALID, kind, NULL, format, args);
	va_end(args);
}

void report_as(struct report *report, int result, enum finding_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(report, result, kind, NULL, format, args);
	va_end(args);
}

void report_at(struct report *report, int result, enum finding_kind kind, unsigned line,
	       unsigned column, const char *format, ...)
{
	struct place place = {.file = report->file, .line = line, .column = column};
	va_list args;

	va_start(args, format);
	add(report, result, kind, &place, format, args);
	va_end(args);
}

static int compare_places(const void *left, const void *right, void *keys)
{
	const struct json_node *nodes = ((const struct json_keys *)keys)->nodes;
	const struct json_node *a = &nodes[*(const uint32_t *)left];
	const struct json_node *b = &nodes[*(const uint32_t *)right];

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* Writes the path from the root to a node of the map. */
static void write_node_path(const struct json_keys *keys, uint32_t node, struct path *path)
{
	uint32_t chain[JSON_KEYS_MAX_DEPTH + 1];
	unsigned depth = 0;

	for (; keys->nodes[node].parent != JSON_KEYS_NONE; node = keys->nodes[node].parent)
		chain[depth++] = node;
	while (depth) {
		const struct json_node *at = &keys->nodes[chain[--depth]];

		if (at->key)
			enter_name(path, at->key, at->key_length);
		else
			enter_index(path, chain[depth] - keys->nodes[at->parent].children);
	}
}

static void report_duplicate_key(struct report *report, uint32_t node)
{
	const struct json_node *again = &report->keys->nodes[node];
	uint32_t first = json_keys_first_of_name(report->keys, node);
	const struct finding *finding = &findings[finding_duplicate_name];
	char name[QUOTE_ROOM];
	struct path path = {0};
	struct place place = {.file = report->file,
			      .line = again->line,
			      .column = again->column,
			      .path = path.text};

	report_count_error(report, PLUMB_ERR_INVALID);
	if (!is_kept(report)) {
		plumb_diagnostics_add(report->diagnostics, finding->severity, finding->id, NULL,
				      "%s", "");
		return;
	}
	write_node_path(report->keys, node, &path);
	quote_bytes(name, again->key, again->key_length);
	diagnostics_add(report->diagnostics, finding->severity, finding->id, &place,
			"duplicate name \"%s\", first used on line %u", name,
			report->keys->nodes[first].line);
	report_hint(report, "remove or rename one of them");
}

int report_duplicate_keys(struct report *report)
{
	const struct json_keys *keys = report->keys;
	uint32_t *nodes, count = 0;

	if (!keys->duplicates)
		return 0;
	nodes = malloc(keys->duplicates * sizeof(*nodes));
	if (!nodes)
		return PLUMB_ERR_NO_MEMORY;
	for (uint32_t i = 0; i < keys->count && count < keys->duplicates; i++)
		if (json_keys_first_of_name(keys, i) != JSON_KEYS_NONE)
			nodes[count++] = i;
	qsort_r(nodes, count, sizeof(*nodes), compare_places, (void *)(uintptr_t)keys);
	for (uint32_t i = 0; i < count; i++)
		report_duplicate_key(report, nodes[i]);
	free(nodes);
	return 0;
}
