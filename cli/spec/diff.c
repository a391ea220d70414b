/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spec diff: compare the specifications of two CPUs. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "render/json.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/join.h"
#include "tool/memory.h"

struct difference {
	char *path;
	char *a, *b; /* NULL if that CPU lacks it */
};

#define FIELD_WIDTH 15 /* columns reserved for field names */

struct differences {
	struct difference *at;
	size_t count, room;
};

/* The sections of a specification, and the path prefix of the entries in each. */
static const struct section {
	const char *prefix; /* "*" matches one path component */
	const char *title;
	bool flat;  /* entries are plain fields, without fields of their own */
	bool lists; /* values are lists of names */
} sections[] = {
	{"/product_configuration", "Product", true, false},
	{"/document", "Document", true, false},
	{"/events", "Events", false, false},
	{"/metrics", "Metrics", false, false},
	{"/groups/metrics", "Metric groups", false, false},
	{"/groups/function", "Functional groups", false, false},
	{"/methodologies/*/metric_grouping", "Stages", true, true},
	{"/methodologies/*/decision_tree/root_nodes", "Roots of the decision tree", true, true},
	{"/methodologies/*/decision_tree/metrics", "Nodes of the decision tree", false, false},
	{"/methodologies", "Methodologies", false, false},
	{"", "Other", true, false},
};

#define SECTION_COUNT (sizeof(sections) / sizeof(*sections))

/* Fields whose values are lists of names. */
static const char *const lists[] = {"events", "sample_events", "metrics", "next_items"};

static char *copy(const char *text)
{
	return text ? memory_copy(text, strlen(text)) : NULL;
}

static bool collect(void *user, const char *path, const char *a, const char *b)
{
	struct differences *list = user;

	/* The heading shows it already. */
	if (strcmp(path, "/id") == 0)
		return true;
	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 256;
		list->at = memory_resize(list->at, list->room, sizeof(*list->at));
	}
	list->at[list->count++] = (struct difference){copy(path), copy(a), copy(b)};
	return true;
}

static void free_differences(struct differences *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->at[i].path);
		free(list->at[i].a);
		free(list->at[i].b);
	}
	free(list->at);
}

/* Returns the rest of `path` after `prefix` and a slash, or NULL if it has another prefix. */
static const char *after(const char *prefix, const char *path)
{
	while (*prefix) {
		if (*prefix == '*') {
			path += strcspn(path, "/");
			prefix++;
		} else if (*prefix++ != *path++) {
			return NULL;
		}
	}
	return *path == '/' ? path + 1 : *path == '\0' ? path : NULL;
}

static size_t section_of(const char *path)
{
	size_t s = 0;

	while (!after(sections[s].prefix, path))
		s++;
	return s;
}

static bool is_list(const struct section *section, const char *field)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (strcmp(lists[i], field) == 0)
			return true;
	return section->lists;
}

/* Takes the next name off `*list`, whose names are separated by ", "; false at the end. */
static bool next_name(const char **list, const char **name, size_t *length)
{
	*name = *list;
	*length = strcspn(*list, ",");
	*list += *length;
	*list += strspn(*list, ", ");
	return *length > 0;
}

/* Returns the names that are in `list` but not in `others`; the caller frees them. */
static char *names_without(const char *list, const char *others)
{
	json_t *known = json_object();
	struct join names = {0};
	const char *name;
	size_t length;

	while (next_name(&others, &name, &length))
		json_object_setn_new_nocheck(known, name, length, json_true());
	while (next_name(&list, &name, &length))
		if (!json_object_getn(known, name, length))
			join_add_bytes(&names, name, length);
	json_decref(known);
	return join_take(&names);
}

/* Prints everything that only one side has as one list; `added` selects the side. */
static void print_missing(struct output *out, const struct differences *list, size_t section,
			  bool added)
{
	struct join names = {0};
	char *text;

	for (size_t i = 0; i < list->count; i++) {
		const struct difference *d = &list->at[i];
		const char *name = added ? d->b : d->a;

		if (section_of(d->path) == section && name && !(added ? d->a : d->b))
			join_add(&names, name);
	}
	text = join_take(&names);
	if (*text) {
		output_format(out, added ? STYLE_GOOD : STYLE_BAD, "  %c ", added ? '+' : '-');
		output_wrapped(out, added ? STYLE_GOOD : STYLE_BAD, 4, 4, text);
	}
	free(text);
}

/* Prints one value, such as "- before" or "+ after"; the cursor is at `column`. */
static void print_side(struct output *out, enum style style, char sign, const char *text,
		       size_t column, size_t indent)
{
	output_spaces(out, indent > column ? indent - column : 0);
	output_format(out, style, "%c ", sign);
	output_wrapped(out, style, (indent > column ? indent : column) + 2, indent + 2,
		       *text ? text : "(nothing)");
}

/* Prints how a field changed; for a list, only the names removed and added. */
static void print_field(struct output *out, const char *field, bool list,
			const struct difference *d, size_t indent)
{
	size_t column = indent + strlen(field) + 1, to = indent + FIELD_WIDTH;
	char *removed = list ? names_without(d->a, d->b) : copy(d->a);
	char *added = list ? names_without(d->b, d->a) : copy(d->b);

	if (list && !*removed && !*added) {
		/* The names are the same, in a different order. */
		free(removed);
		free(added);
		removed = copy(d->a);
		added = copy(d->b);
		list = false;
	}
	output_spaces(out, indent);
	output_format(out, STYLE_PLAIN, "%s ", field);
	if (!list || *removed) {
		print_side(out, STYLE_BAD, '-', removed, column, to);
		column = 0;
	}
	if (!list || *added)
		print_side(out, STYLE_GOOD, '+', added, column, to);
	free(removed);
	free(added);
}

static void print_changed(struct output *out, const struct differences *list, size_t section)
{
	const struct section *s = &sections[section];
	char *previous = copy("");

	for (size_t i = 0; i < list->count; i++) {
		const struct difference *d = &list->at[i];
		const char *place = after(s->prefix, d->path), *field = place;
		size_t length;

		if (!place || section_of(d->path) != section || !d->a || !d->b)
			continue;
		length = strcspn(place, "/");
		if (!s->flat && *place) {
			if (strlen(previous) != length || memcmp(previous, place, length) != 0) {
				free(previous);
				previous = memory_copy(place, length);
				output_text(out, STYLE_WARNING, "  ~ ");
				output_wrapped(out, STYLE_NAME, 4, 4, previous);
			}
			field = place + length + (place[length] == '/');
		}
		print_field(out, *field ? field : "order", is_list(s, field), d,
			    s->flat || !*place ? 4 : 6);
	}
	free(previous);
}

static void print_count(struct output *out, const char *before, size_t count, const char *what)
{
	if (count > 0)
		output_format(out, STYLE_DIM, "%s%zu %s", before, count, what);
}

static void print_section(struct output *out, const struct differences *list, size_t section)
{
	size_t added = 0, removed = 0, changed = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct difference *d = &list->at[i];

		if (section_of(d->path) != section)
			continue;
		added += !d->a;
		removed += !d->b;
		changed += d->a && d->b;
	}
	if (added + removed + changed == 0)
		return;
	fputc('\n', out->stream);
	output_text(out, STYLE_HEADING, sections[section].title);
	print_count(out, ": ", added, "added");
	print_count(out, added ? ", " : ": ", removed, "removed");
	print_count(out, added + removed ? ", " : ": ", changed, "changed");
	fputc('\n', out->stream);
	print_missing(out, list, section, true);
	print_missing(out, list, section, false);
	print_changed(out, list, section);
}

static void print_name(struct output *out, enum style style, char sign,
		       const struct plumb_spec *spec)
{
	output_format(out, style, "%c %s", sign, spec->id);
	if (spec->file)
		output_format(out, STYLE_DIM, ", %s", spec->file);
	fputc('\n', out->stream);
}

static void print_text(struct output *out, const struct plumb_spec *const pair[2],
		       const struct differences *list)
{
	print_name(out, STYLE_BAD, '-', pair[0]);
	print_name(out, STYLE_GOOD, '+', pair[1]);
	for (size_t s = 0; s < SECTION_COUNT; s++)
		print_section(out, list, s);
	if (list->count == 0)
		output_wrapped(out, STYLE_PLAIN, 0, 0, "\nNo differences.");
}

static void print_json(struct output *out, const struct plumb_spec *const pair[2],
		       const struct differences *list)
{
	json_t *object = render_object(), *array = json_array();

	for (size_t i = 0; i < list->count; i++) {
		json_t *element = json_object();

		json_object_set_new(element, "path", render_string(list->at[i].path));
		json_object_set_new(element, "a", render_string(list->at[i].a));
		json_object_set_new(element, "b", render_string(list->at[i].b));
		json_array_append_new(array, element);
	}
	json_object_set_new(object, "a", render_string(pair[0]->id));
	json_object_set_new(object, "b", render_string(pair[1]->id));
	json_object_set_new(object, "differences", array);
	render_json(out, object);
}

static int compare(const struct common_options *options, const struct plumb_spec *const pair[2])
{
	struct differences list = {0};
	struct output out;
	int status, error;

	error = plumb_spec_compare(pair[0], pair[1], options->verbose, collect, &list);
	if (error < 0) {
		complain("cannot compare the specifications: %s", plumb_error_name(error));
		status = complain_status(error);
	} else {
		status = output_open(&out, options);
	}
	if (status == EXIT_FINE) {
		if (options->json)
			print_json(&out, pair, &list);
		else
			print_text(&out, pair, &list);
		status = output_close(&out, EXIT_FINE);
	}
	free_differences(&list);
	return status;
}

static const struct option options[] = {
	OPTION_ROW_JSON,
	OPTION_ROW_OUTPUT,
	OPTION_ROW_VERBOSE("also compare descriptions and document data"),
	OPTION_ROW_COLOR,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct common_options values = {0};
	struct operands names;
	struct cpus cpus[2] = {0};
	int status;

	if (!options_parse(command, count, arguments, &values, &names, &status))
		return status;
	status = cpus_open(&cpus[0], names.at[0], false);
	if (status == EXIT_FINE)
		status = cpus_open(&cpus[1], names.at[1], false);
	if (status == EXIT_FINE)
		status = compare(&values,
				 (const struct plumb_spec *const[]){cpus[0].at[0], cpus[1].at[0]});
	cpus_close(&cpus[0]);
	cpus_close(&cpus[1]);
	return status;
}

const struct command command_spec_diff = {
	.path = "plumb spec diff",
	.name = "diff",
	.summary = "compare two CPUs",
	.operands = "CPU CPU",
	.fewest = 2,
	.most = 2,
	.text = "Each CPU is a name, a MIDR or a file, as for --cpu. The exit status is 0 even "
		"if the CPUs differ.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb spec diff neoverse-n2-r0p2 neoverse-n2-r0p3",
			 "compare two revisions"},
			{"plumb spec diff neoverse-n3 mine.json",
			 "compare a file with a built-in CPU"},
			{0},
		},
	.run = run,
};
