/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plumb report --html: all views of a recording in one page. Its documents are what other commands
 * print as JSON, so that the page cannot show other figures than they do.
 */
#include "report/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "commands.h"
#include "profile/stacks.h"
#include "render/json.h"
#include "render/json_stream.h"
#include "render/source_text.h"
#include "render/stacks.h"
#include "report/words.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define FUNCTIONS_ANNOTATED "24"
/* Lines shown around those with samples, and the most of a file. */
#define LINES_AROUND 6
#define LINES_MOST   3000

struct collecting {
	const struct report_options *options;
	int (*report)(struct report_options *options);
	struct html_page *page;
	json_t *notes; /* what was complained about, one text per line */
	bool sampled, slots, spe, accesses, modelled, incomplete, known;
	uint64_t samples;
};

/* ---- What the recording has -------------------------------------------------------------------
 */

static bool wants(void *user, const struct plumb_samples_item *item,
		  const struct plumb_location *location)
{
	const struct reading *reading = user;

	return choice_wants(&reading->choice, item->record, item->task, location);
}

static void note_types(struct collecting *c, const struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->type_count; i++) {
		const struct stacks_type *type = &stacks->types[i];

		c->slots |= type->slots != SLOTS_NONE && type->total;
		c->spe |= type->kind == STACKS_LATENCY;
		c->sampled |= !type->exact && type->main && type->total;
		c->accesses |= type->exact && strcmp(type->name, "line_accesses") == 0;
	}
	for (size_t i = 0; i < stacks->function_count; i++)
		c->known |= stacks->functions[i].known;
}

static int add_stacks(struct collecting *c, struct reading *reading)
{
	const struct reading_options *from = &c->options->from;
	/* A comparison has no timeline. */
	const unsigned by = c->options->only_code ? STACKS_BY_LABEL
						  : STACKS_BY_THREAD | STACKS_BY_LABEL |
							    STACKS_TIMES | STACKS_DETAILS;
	struct plumb_samples *samples;
	struct stacks *stacks;
	int error, status;

	if (stacks_new(reading->recording, reading_symbols(reading, c->options->common.verbose), by,
		       &stacks) < 0)
		memory_given(NULL);
	samples = reading_begin(reading);
	error = stacks_add_wanted(stacks, samples, choice_is_all(&reading->choice) ? NULL : wants,
				  reading);
	if (error == PLUMB_ERR_NO_MEMORY)
		memory_given(NULL);
	reading_end(reading, samples);
	c->incomplete = error < 0 || reading_is_incomplete(reading);
	c->samples = stacks->samples;
	status = complain_status(error);
	if (error < 0)
		complain_findings(reading->diagnostics, from->input, error);
	if (stacks->samples) {
		char *text;
		size_t length;
		FILE *stream = memory_stream(&text, &length);

		/* What could be read of a damaged recording is of use. */
		status = EXIT_FINE;
		note_types(c, stacks);
		stacks_page(stream, stacks);
		memory_stream_close(stream, &text);
		html_add(c->page, "stacks", text, length);
	} else if (status == EXIT_FINE) {
		complain("%s: no samples %s", from->input,
			 choice_is_given(&from->chosen) || from->filter ? "match"
									: "in this recording");
		status = EXIT_USAGE;
	}
	complain_warnings(reading->diagnostics);
	stacks_free(stacks);
	return status;
}

/* Returns the caches of the recorded machine, each with the CPUs that share it. */
static json_t *caches_of(const struct plumb_recording_info *info)
{
	json_t *caches = json_array();

	for (size_t i = 0; i < info->cache_count; i++) {
		const struct plumb_recorded_cache *cache = &info->caches[i];
		json_t *object = json_object();

		json_put(object, "level", json_integer(cache->level));
		json_put(object, "type", render_string(cache->type));
		json_put(object, "size", render_string(cache->size));
		json_put(object, "cpus", render_string(cache->cpus));
		json_add(caches, object);
	}
	return caches;
}

/* Returns a number, or null for one that the recording does not have. */
static json_t *known_number(uint64_t value)
{
	return value ? json_integer((json_int_t)value) : json_null();
}

static void add_about(const struct collecting *c, const struct reading *reading)
{
	const struct plumb_recording_info *info = plumb_recording_info(reading->recording);
	json_t *about = render_object(), *command = json_array();
	char *text;

	for (size_t i = 0; i < info->command_count; i++)
		json_add(command, render_string(info->command[i]));
	json_put(about, "recording", render_string(c->options->from.input));
	json_put(about, "modelled", json_boolean(c->modelled));
	json_put(about, "incomplete", json_boolean(c->incomplete));
	json_put(about, "samples", json_integer((json_int_t)c->samples));
	json_put(about, "host", render_string(info->hostname));
	json_put(about, "system", render_string(info->osrelease));
	json_put(about, "cpu", render_string(info->cpudesc));
	json_put(about, "recorder", render_string(info->version));
	json_put(about, "arch", render_string(info->arch));
	json_put(about, "cpuid", render_string(info->cpuid));
	json_put(about, "cpus_online", known_number(info->cpus_online));
	json_put(about, "cpus_available", known_number(info->cpus_available));
	json_put(about, "memory_kb", known_number(info->total_memory_kb));
	json_put(about, "caches", caches_of(info));
	json_put(about, "command", command);
	text = memory_given(json_dumps(about, JSON_COMPACT));
	json_decref(about);
	html_add(c->page, "about", text, strlen(text));
}

/* Reads all samples once, to learn what there is. */
static int look(struct collecting *c)
{
	const struct report_options *options = c->options;
	const struct plumb_recording_options how = {.size = sizeof(how),
						    .bare_spe = options->from.raw};
	struct reading reading = {.options = &options->from, .takes_raw = true};
	int status;

	reading.samples.each_record_once = !options->from.itrace && !options->from.like_perf;
	status = reading_open_tasks(&reading, &how);
	if (status == EXIT_FINE) {
		c->modelled = reading_is_modelled(&reading);
		status = add_stacks(c, &reading);
	}
	if (status == EXIT_FINE)
		add_about(c, &reading);
	return reading_close(&reading, status);
}

/* ---- Views ------------------------------------------------------------------------------------
 */

/* Returns whether the notes have a text. */
static bool is_noted(const json_t *notes, const char *text)
{
	const json_t *note;
	size_t i;

	json_array_foreach(notes, i,
			   note) if (strcmp(json_string_value(note), text) == 0) return true;
	return false;
}

/* Adds complaints to the notes, and prints those that are new. */
static void take_complaints(struct collecting *c, char *text)
{
	char *next = text, *line;

	while ((line = strsep(&next, "\n"))) {
		json_t *note = *line ? render_string(line) : NULL;

		if (note && !is_noted(c->notes, json_string_value(note))) {
			if (!c->options->only_code)
				complain_again(line);
			json_add(c->notes, json_incref(note));
		}
		json_decref(note);
	}
}

/* Adds what `print` prints as a document, if it succeeds. Its complaints are of use only then. */
static void add(struct collecting *c, const char *name,
		int (*print)(const struct collecting *c, void *user), void *user)
{
	char *text, *complaints;
	size_t length, complaint_length;
	FILE *stream = memory_stream(&text, &length);
	FILE *complained = memory_stream(&complaints, &complaint_length);
	int status;

	output_collect(stream);
	complain_collect(complained);
	status = print(c, user);
	complain_collect(NULL);
	output_collect(NULL);
	memory_stream_close(stream, &text);
	memory_stream_close(complained, &complaints);
	if (status == EXIT_FINE && length) {
		take_complaints(c, complaints);
		html_add(c->page, name, text, length);
	} else {
		free(text);
	}
	free(complaints);
}

static int print_view(const struct collecting *c, void *user)
{
	return c->report(user);
}

static int print_annotated(const struct collecting *c, void *user)
{
	struct report_words words = {0};
	int status;

	(void)user;
	report_annotate_words(&words, c->options);
	report_add_words(&words, "--json", "");
	report_add_words(&words, "--limit", FUNCTIONS_ANNOTATED);
	/* Parsing moves operands, of which there are none. */
	status = command_annotate.run(&command_annotate, words.count, words.at);
	report_free_words(&words);
	return status;
}

static void add_view(struct collecting *c, const char *name, struct report_options options)
{
	add(c, name, print_view, &options);
}

static void add_views(struct collecting *c)
{
	struct report_options usual = *c->options, view;

	usual.html = NULL;
	/* The page's other views are of the samples that match only. */
	usual.percentage = "relative";
	usual.common.json = usual.stdio = usual.browsed = true;
	if (c->sampled) {
		view = usual;
		view.only_sampled = true;
		add_view(c, "functions", view);
	}
	if (c->slots) {
		view = usual;
		view.topdown = true;
		add_view(c, "topdown", view);
	}
	if (c->spe) {
		view = usual;
		view.mem = view.only_sampled = true;
		add_view(c, "memory", view);
		view = usual;
		view.mix = view.only_sampled = true;
		add_view(c, "mix", view);
		view = usual;
		view.histogram = true;
		add_view(c, "latencies", view);
		view = usual;
		view.mem = view.only_sampled = view.no_children = true;
		view.sort.at[view.sort.count++] = "page,symbol";
		view.limit = 2000;
		add_view(c, "pages", view);
		view = usual;
		view.branch = view.only_sampled = true;
		view.limit = 2000;
		add_view(c, "branches", view);
	}
	if (c->spe || c->accesses) {
		view = usual;
		view.sharing = true;
		add_view(c, "sharing", view);
	}
}

/* ---- Source -----------------------------------------------------------------------------------
 */

/* Notes a line of a file in an object of [first, last]. */
static void note_line(json_t *files, const char *path, json_int_t line)
{
	json_t *range = json_object_get(files, path);

	if (!range) {
		json_put(files, path, json_pack("[I, I]", line, line));
		return;
	}
	if (line < json_integer_value(json_array_get(range, 0)))
		json_array_set_new(range, 0, json_integer(line));
	if (line > json_integer_value(json_array_get(range, 1)))
		json_array_set_new(range, 1, json_integer(line));
}

static json_t *files_of(const struct html_document *annotations)
{
	json_t *root = json_loadb(annotations->text, annotations->length, 0, NULL);
	json_t *files = json_object(), *function, *line;
	size_t f, i;

	json_array_foreach(json_object_get(root, "functions"), f, function)
		json_array_foreach(json_object_get(function, "lines"), i, line)
	{
		const char *path = json_string_value(json_object_get(line, "file"));
		const json_int_t number = json_integer_value(json_object_get(line, "line"));

		if (path && number > 0)
			note_line(files, path, number);
	}
	json_decref(root);
	return files;
}

static void write_text(struct json_stream *json, const char *path, json_t *range)
{
	json_int_t first = json_integer_value(json_array_get(range, 0)) - LINES_AROUND;
	json_int_t last = json_integer_value(json_array_get(range, 1)) + LINES_AROUND;
	struct source_text *texts = source_text_new();
	const char *line;
	size_t length;

	first = first < 1 ? 1 : first;
	last = last - first < LINES_MOST ? last : first + LINES_MOST;
	json_stream_open(json, "text", '{');
	json_stream_number(json, "first", (uint64_t)first);
	json_stream_open(json, "lines", '[');
	for (; first <= last; first++) {
		char *copy;

		line = source_text_line(texts, path, (unsigned)first, &length);
		if (!line)
			break;
		copy = memory_copy(line, length);
		json_stream_text(json, NULL, copy);
		free(copy);
	}
	json_stream_close(json, ']');
	json_stream_close(json, '}');
	source_text_free(texts);
}

/* Adds the source of the annotated functions. */
static void add_source(struct collecting *c)
{
	const struct html_document *annotations = html_find(c->page, "annotations");
	struct json_stream json = {0};
	json_t *files, *range;
	const char *path;
	char *text;
	size_t length;

	if (!annotations)
		return;
	files = files_of(annotations);
	json.stream = memory_stream(&text, &length);
	json_stream_open(&json, NULL, '[');
	json_object_foreach(files, path, range)
	{
		json_stream_open(&json, NULL, '{');
		json_stream_text(&json, "path", path);
		write_text(&json, path, range);
		json_stream_close(&json, '}');
	}
	json_stream_close(&json, ']');
	memory_stream_close(json.stream, &text);
	json_decref(files);
	html_add(c->page, "source", text, length);
}

/* ---- The page ---------------------------------------------------------------------------------
 */

int report_collect(const struct report_options *options,
		   int (*report)(struct report_options *options), struct html_page *page)
{
	struct collecting c = {.options = options, .report = report, .page = page};
	char *complaints, *notes;
	size_t length;
	FILE *complained = memory_stream(&complaints, &length);
	int status;

	c.notes = memory_given(json_array());
	complain_collect(complained);
	status = look(&c);
	complain_collect(NULL);
	memory_stream_close(complained, &complaints);
	take_complaints(&c, complaints);
	free(complaints);
	if (status == EXIT_FINE) {
		if (!options->only_code)
			add_views(&c);
		if (c.known)
			add(&c, "annotations", print_annotated, NULL);
		add_source(&c);
		notes = memory_given(json_dumps(c.notes, JSON_COMPACT));
		html_add(page, "notes", notes, strlen(notes));
	}
	json_decref(c.notes);
	return status;
}

/* Returns the option that the page cannot be combined with, because it has all views; NULL: none.
 */
static const char *other_option(const struct report_options *options)
{
	return options->common.json        ? "json"
	       : options->csv              ? "csv"
	       : options->common.separator ? "field-separator"
	       : options->common.output    ? "output"
	       : options->stdio            ? "stdio"
	       : options->sort.count       ? "sort"
	       : options->fields.count     ? "fields"
	       : options->widths           ? "column-widths"
	       : options->limit            ? "limit"
	       : options->percent_limit    ? "percent-limit"
	       : options->call_graph       ? "call-graph"
	       : options->callers          ? "callers"
	       : options->callees          ? "callees"
	       : options->folded           ? "folded"
	       : options->histogram        ? "latency-histogram"
	       : options->topdown          ? "topdown"
	       : options->sharing          ? "sharing"
	       : options->mem              ? "mem"
	       : options->branch           ? "branch"
	       : options->mix              ? "mix"
	       : options->children         ? "children"
	       : options->no_children      ? "no-children"
					   : NULL;
}

static int check(const struct report_options *options)
{
	const char *other = other_option(options);

	if (other) {
		complain("--html and --%s cannot be combined", other);
		advise("the page has all views, each with its own order");
		return EXIT_USAGE;
	}
	if (strcmp(options->from.input, "-") == 0) {
		complain("--html requires a file: the recording is read once for each view");
		return EXIT_USAGE;
	}
	return html_is_possible() ? EXIT_FINE : EXIT_USAGE;
}

int report_page(const struct report_options *options, int (*report)(struct report_options *options))
{
	struct html_page page = {0};
	int status = check(options);

	if (status == EXIT_FINE && options->intervals)
		status = report_add_intervals(&page, options->intervals);
	if (status == EXIT_FINE)
		status = report_collect(options, report, &page);
	if (status == EXIT_FINE)
		status = html_write(&page, options->html);
	html_free(&page);
	return status;
}
