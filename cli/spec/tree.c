/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec tree: print a methodology's decision tree and stages. */
#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"
#include "commands.h"
#include "facts.h"
#include "render/json.h"
#include "render/pen.h"
#include "render/table.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/join.h"
#include "tool/memory.h"
#include "tool/wrap.h"

/* One line of the tree. Lines are collected first, to find the width of the widest. */
struct line {
	char *drawing; /* the branches before the name */
	char *below;   /* the same for the lines below it */
	const char *leads;
	const char *name;
	const char *units;
	const struct plumb_node *node; /* NULL for a metric group or a metric without a node */
	bool parent;                   /* what it leads to follows */
};

struct tree {
	const struct plumb_spec *spec;
	const struct plumb_methodology *methodology;
	const struct pen *pen;
	uint16_t *levels;       /* one for each node */
	struct index_set drawn; /* nodes whose children have been drawn */
	struct line *lines;
	size_t count, room;
};

static struct line *add_line(struct tree *tree, const char *before, bool last, bool root)
{
	const struct pen *pen = tree->pen;
	struct line *line;

	if (tree->count == tree->room) {
		tree->room = tree->room ? 2 * tree->room : 64;
		tree->lines = memory_resize(tree->lines, tree->room, sizeof(*tree->lines));
	}
	line = &tree->lines[tree->count++];
	*line = (struct line){
		.drawing = memory_format("%s%s", before,
					 root   ? ""
					 : last ? pen->last
						: pen->branch),
		.below = memory_format("%s%s", before,
				       root   ? ""
				       : last ? pen->none
					      : pen->through),
		.leads = "",
		.units = "",
	};
	return line;
}

/*
 * Whether to draw the children of node `index` here, at `level`. They are drawn once: nearest to a
 * root, or at the first place if no root leads to the node.
 */
static bool is_place_of(struct tree *tree, uint16_t index, unsigned level)
{
	unsigned shortest = tree->levels[index];

	return level < PLUMB_TREE_MAX_LEVELS && (shortest == 0 || shortest == level) &&
	       index_set_add(&tree->drawn, index);
}

/* Adds a metric and everything it leads to; roots are at `level` 1. */
static void add_metric(struct tree *tree, uint16_t metric, const char *before, bool last,
		       unsigned level)
{
	const struct plumb_spec *spec = tree->spec;
	uint16_t index = plumb_methodology_node(tree->methodology, metric);
	struct line *line = add_line(tree, before, last, level == 1);
	const struct plumb_node *node;
	const char *below = line->below;

	line->name = spec->metrics[metric].name;
	line->units = spec->metrics[metric].units;
	if (index == PLUMB_NONE)
		return;
	node = line->node = &tree->methodology->nodes[index];
	if (index_set_has(&tree->drawn, index) || !is_place_of(tree, index, level)) {
		if (node->next_item_count)
			line->units =
				index_set_has(&tree->drawn, index) ? "see above" : "see below";
		return;
	}
	line->parent = node->next_item_count > 0;
	for (uint16_t i = 0; i < node->next_item_count; i++) {
		const struct plumb_next_item *item = &node->next_items[i];
		bool final = i + 1 == node->next_item_count;

		if (item->kind == PLUMB_ITEM_METRIC) {
			add_metric(tree, item->index, below, final, level + 1);
			continue;
		}
		line = add_line(tree, below, final, false);
		line->leads = tree->pen->leads;
		line->name = spec->metric_groups[item->index].name;
	}
}

static size_t line_columns(const struct line *line)
{
	return wrap_columns(line->drawing, strlen(line->drawing)) +
	       wrap_columns(line->leads, strlen(line->leads)) +
	       wrap_columns(line->name, strlen(line->name));
}

/* Prints text under a node, continuing the branches to its children. */
static void print_under(struct output *out, const struct tree *tree, const struct line *line,
			const char *text)
{
	const char *through = line->parent ? tree->pen->through : tree->pen->none;
	size_t column = 2 + wrap_columns(line->below, strlen(line->below)) + 6;
	struct wrap_line part;

	while (wrap_next(&text, out->width > column ? out->width - column : 1, &part)) {
		output_spaces(out, 2);
		output_text(out, STYLE_DIM, line->below);
		output_text(out, STYLE_DIM, through);
		output_spaces(out, 3);
		output_bytes(out, STYLE_PLAIN, part.at, part.length);
		fputc('\n', out->stream);
	}
}

/* Returns the names of `indexes`, separated by commas; the caller frees them. */
static char *names(const struct plumb_spec *spec, enum thing_kind kind,
		   struct plumb_indexes indexes)
{
	struct index_set seen = {0};
	struct join texts = {0};

	for (uint16_t i = 0; i < indexes.count; i++)
		if (index_set_add(&seen, indexes.at[i]))
			join_add(&texts, thing_name(spec, kind, indexes.at[i]));
	return join_take(&texts);
}

/* Prints a node's formula and the events to sample, for --verbose. */
static void print_details(struct output *out, const struct tree *tree, const struct line *line)
{
	const struct plumb_metric *metric = &tree->spec->metrics[line->node->metric];
	struct plumb_indexes events = line->node->sample_events;
	char *sample, *text;

	print_under(out, tree, line, metric->formula);
	if (events.count == 0)
		events = metric->sample_events;
	if (events.count == 0)
		return;
	sample = names(tree->spec, THING_EVENT, events);
	text = memory_format("sample %s", sample);
	print_under(out, tree, line, text);
	free(text);
	free(sample);
}

/* Ends a line with its units, in the column after `widest` columns if it is not 0. */
static void print_units(struct output *out, const struct tree *tree, const struct line *line,
			size_t widest)
{
	size_t columns = line_columns(line), start = widest ? widest : columns;
	bool fits = 2 + start + 2 + wrap_columns(line->units, strlen(line->units)) <= out->width;

	if (*line->units && fits) {
		output_spaces(out, start - columns + 2);
		output_text(out, STYLE_DIM, line->units);
	}
	fputc('\n', out->stream);
	if (!fits)
		print_under(out, tree, line, line->units);
}

static void print_lines(struct output *out, const struct tree *tree, bool verbose)
{
	size_t widest = 0, units = 0;

	for (size_t i = 0; i < tree->count; i++) {
		size_t columns = *tree->lines[i].units ? line_columns(&tree->lines[i]) : 0;

		widest = columns > widest ? columns : widest;
		columns = wrap_columns(tree->lines[i].units, strlen(tree->lines[i].units));
		units = columns > units ? columns : units;
	}
	/* Where a column of units does not fit, they follow the names, or stand below them. */
	if (2 + widest + 2 + units > out->width)
		widest = 0;
	for (size_t i = 0; i < tree->count; i++) {
		const struct line *line = &tree->lines[i];

		output_spaces(out, 2);
		output_text(out, STYLE_DIM, line->drawing);
		output_text(out, STYLE_DIM, line->leads);
		output_text(out,
			    *line->leads     ? STYLE_GOOD
			    : *line->drawing ? STYLE_NAME
					     : STYLE_HEADING,
			    line->name);
		print_units(out, tree, line, widest);
		if (verbose && line->node)
			print_details(out, tree, line);
	}
}

static void free_lines(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->lines[i].drawing);
		free(tree->lines[i].below);
	}
	free(tree->lines);
	tree->lines = NULL;
	tree->count = tree->room = 0;
}

static void print_tree(struct output *out, struct tree *tree, bool verbose)
{
	const struct plumb_methodology *methodology = tree->methodology;
	bool orphans = false;

	for (uint16_t i = 0; i < methodology->roots.count; i++)
		add_metric(tree, methodology->nodes[methodology->roots.at[i]].metric, "", true, 1);
	print_lines(out, tree, verbose);
	free_lines(tree);
	for (uint16_t i = 0; i < methodology->node_count; i++) {
		if (index_set_has(&tree->drawn, i))
			continue;
		add_metric(tree, methodology->nodes[i].metric, "", true, 1);
		orphans = true;
	}
	if (!orphans)
		return;
	fputc('\n', out->stream);
	output_wrapped(out, STYLE_DIM, 0, 2, "Not reachable from a root");
	print_lines(out, tree, verbose);
	free_lines(tree);
}

/* Prints a stage's metric groups, and the nodes that lead to each. */
static void print_stage(struct output *out, const struct plumb_spec *spec,
			const struct plumb_methodology *methodology,
			const struct plumb_stage *stage)
{
	static const struct table_column columns[] = {
		{"METRIC GROUP", .style = STYLE_NAME},
		{"METRICS", .right = true},
		{"REACHED FROM", .wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 3};

	for (uint16_t i = 0; i < stage->groups.count; i++) {
		uint16_t group = stage->groups.at[i];
		size_t count = plumb_methodology_leading_to(methodology, PLUMB_ITEM_METRIC_GROUP,
							    group, NULL, 0);
		uint16_t *from = memory_resize(NULL, count, sizeof(*from));
		char *text;

		plumb_methodology_leading_to(methodology, PLUMB_ITEM_METRIC_GROUP, group, from,
					     count);
		for (size_t k = 0; k < count; k++)
			from[k] = methodology->nodes[from[k]].metric;
		text = names(spec, THING_METRIC, (struct plumb_indexes){from, (uint16_t)count});
		table_cell(&table, spec->metric_groups[group].name);
		table_cell_format(&table, "%u", spec->metric_groups[group].metrics.count);
		table_cell(&table, text);
		free(text);
		free(from);
	}
	table_print(&table, out, 2);
	table_free(&table);
}

static void print_text(struct output *out, const struct plumb_spec *spec,
		       const struct plumb_methodology *methodology, bool verbose)
{
	struct tree *tree = memory_alloc(sizeof(*tree));

	tree->spec = spec;
	tree->methodology = methodology;
	tree->levels = facts_levels(methodology);
	tree->pen = pen_for(out);
	output_text(out, STYLE_HEADING, spec->id);
	output_text(out, STYLE_DIM, ", ");
	output_wrapped(out, STYLE_DIM, strlen(spec->id) + 2, 4, methodology->title);

	for (uint16_t s = 0; s < methodology->stage_count; s++) {
		const struct plumb_stage *stage = &methodology->stages[s];
		unsigned number = stage->groups.count ? plumb_methodology_stage(methodology,
										stage->groups.at[0])
						      : s + 1u;

		fputc('\n', out->stream);
		output_format(out, STYLE_HEADING, "Stage %u", number);
		fputc('\n', out->stream);
		if (s == 0)
			print_tree(out, tree, verbose);
		else
			print_stage(out, spec, methodology, stage);
	}
	free(tree->levels);
	free(tree);
}

static json_t *methodology_object(const struct plumb_spec *spec,
				  const struct plumb_methodology *methodology)
{
	json_t *object = json_object(), *stages = json_array(), *roots = json_array(),
	       *nodes = json_array();
	uint16_t *levels = facts_levels(methodology);

	for (uint16_t s = 0; s < methodology->stage_count; s++) {
		const struct plumb_stage *stage = &methodology->stages[s];
		json_t *element = json_object(), *groups = json_array();

		for (uint16_t g = 0; g < stage->groups.count; g++)
			json_array_append_new(
				groups,
				render_string(spec->metric_groups[stage->groups.at[g]].name));
		json_object_set_new(element, "name", render_string(stage->name));
		json_object_set_new(element, "metric_groups", groups);
		json_array_append_new(stages, element);
	}
	for (uint16_t i = 0; i < methodology->roots.count; i++) {
		uint16_t metric = methodology->nodes[methodology->roots.at[i]].metric;

		json_array_append_new(roots, render_string(spec->metrics[metric].name));
	}
	for (uint16_t n = 0; n < methodology->node_count; n++)
		json_array_append_new(nodes, facts_node(spec, methodology, n, levels[n]));
	free(levels);
	json_object_set_new(object, "name", render_string(methodology->name));
	json_object_set_new(object, "title", render_string(methodology->title));
	json_object_set_new(object, "description", render_string(methodology->description));
	json_object_set_new(object, "stages", stages);
	json_object_set_new(object, "roots", roots);
	json_object_set_new(object, "nodes", nodes);
	return object;
}

static void print_json(struct output *out, const struct plumb_spec *spec)
{
	json_t *object = render_object(), *methodologies = json_array();

	for (uint16_t m = 0; m < spec->methodology_count; m++)
		json_array_append_new(methodologies,
				      methodology_object(spec, &spec->methodologies[m]));
	json_object_set_new(object, "cpu", render_string(spec->id));
	json_object_set_new(object, "methodologies", methodologies);
	render_json(out, object);
}

static int print(const struct common_options *options, const struct plumb_spec *spec)
{
	struct output out;
	int status;

	if (spec->methodology_count == 0) {
		complain("%s has no methodology", spec->id);
		return EXIT_USAGE;
	}
	status = output_open(&out, options);
	if (status != EXIT_FINE)
		return status;
	if (options->json)
		print_json(&out, spec);
	for (uint16_t m = 0; m < spec->methodology_count && !options->json; m++) {
		if (m > 0)
			fputc('\n', out.stream);
		print_text(&out, spec, &spec->methodologies[m], options->verbose);
	}
	return output_close(&out, EXIT_FINE);
}

static const struct option options[] = {
	OPTION_ROW_CPU,    OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT, OPTION_ROW_VERBOSE("also print formulas and the events to sample"),
	OPTION_ROW_COLOR,  OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,   {0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct common_options values = {0};
	struct operands operands;
	struct cpus cpus;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	status = cpus_open_one(&cpus, values.cpu, values.verbose);
	if (status != EXIT_FINE)
		return status;
	status = print(&values, cpus.at[0]);
	cpus_close(&cpus);
	return status;
}

const struct command command_spec_tree = {
	.path = "plumb spec tree",
	.name = "tree",
	.summary = "print the decision tree: where to look, step by step",
	.text = "Stage 1 is the tree of metrics. An arrow leads to a metric group of stage 2, "
		"which lists those groups. With -v, also prints each metric's formula and the "
		"events to sample.\n\n"
		"Without --cpu, uses this machine's CPU if Plumb supports it, and " CPUS_MODELLED
		" otherwise.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb spec tree --cpu neoverse-v3", "print the tree of the Neoverse V3"},
			{0},
		},
	.run = run,
};
