/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what plumb stat --json printed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/diagnostics.h"
#include "diff/side.h"

#define NAME_MAX_BYTES 4096

struct counts_reader {
	struct diff_side *side;
	const char *path;
	struct plumb_diagnostics *diagnostics;
	bool exact;   /* the model counted */
	bool sampled; /* but only in windows: values have intervals */
};

static int invalid(const struct counts_reader *reader, const char *what)
{
	plumb_diagnostics_add(reader->diagnostics, PLUMB_ERROR, "invalid-counts", reader->path,
			      "invalid counts: %s", what);
	diagnostics_remedy(reader->diagnostics, "write-counts", NULL,
			   "write them as JSON when they are counted");
	return PLUMB_ERR_INVALID;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool diff_is_json(const char *bytes, size_t size)
{
	while (size && is_space(*bytes)) {
		bytes++;
		size--;
	}
	return size && *bytes == '{';
}

/* Returns a name that can be shown and compared, or NULL. */
static const char *name_of(const json_t *object)
{
	const json_t *name = json_object_get(object, "name");
	const size_t length = json_string_length(name);

	return length && length <= NAME_MAX_BYTES && strlen(json_string_value(name)) == length
		       ? json_string_value(name)
		       : NULL;
}

/* Sets `*value`, to NaN for null. Returns false for what is no number. */
static bool number_of(const json_t *json, double *value)
{
	*value = json_is_number(json) ? json_number_value(json) : (double)NAN;
	return json_is_null(json) || isfinite(*value);
}

/* A list of the file, and its view. */
struct list {
	enum diff_view view;
	const char *name, *value;
	bool negative; /* values may be */
};

static const struct list lists[] = {
	{DIFF_EVENTS, "events", "count", false},
	{DIFF_METRICS, "metrics", "value", true},
};

/* Returns a value of a sampled run, with its interval, if that is known and may be. */
static struct interval estimated(const json_t *object, double value)
{
	const json_t *ends = json_object_get(object, "interval");
	const double low = json_number_value(json_array_get(ends, 0));
	const double high = json_number_value(json_array_get(ends, 1));

	if (json_array_size(ends) != 2 || !json_is_number(json_array_get(ends, 0)) ||
	    !json_is_number(json_array_get(ends, 1)) || !(low <= value && value <= high))
		return (struct interval){value, NAN, NAN};
	return (struct interval){value, low, high};
}

/* Adds a value, unless the run has one already: a metric may be in several groups. */
static void add(const struct counts_reader *reader, const struct list *list, const json_t *object,
		const char *name, double value)
{
	const struct diff_key key = {list->view, name, "", ""};
	const struct interval estimate =
		reader->sampled ? estimated(object, value) : (struct interval){value, NAN, NAN};
	const bool exact = reader->exact && (!reader->sampled || estimate.low == estimate.high);
	const char *unit = json_string_value(json_object_get(object, "units"));
	const char *parent = json_string_value(json_object_get(object, "parent"));
	const struct diff_item *known = diff_side_find(reader->side, &key);
	struct diff_item *item;

	if (isnan(value) || (known && known->run == reader->side->run))
		return;
	item = diff_side_add(reader->side, &key, &estimate, exact);
	if (!item || item->counted)
		return;
	item->counted = true;
	if (unit && strlen(unit) <= NAME_MAX_BYTES)
		item->unit = diff_side_keep(reader->side, unit);
	if (parent && strlen(parent) <= NAME_MAX_BYTES)
		item->parent = diff_side_keep(reader->side, parent);
}

/* Adds the values of one run: those of the objects, or `values` in their order. */
static int add_list(const struct counts_reader *reader, const struct list *list,
		    const json_t *objects, const json_t *values)
{
	json_t *object;
	size_t i;

	if (objects && !json_is_array(objects))
		return invalid(reader, "a list is something else");
	if (values && json_array_size(values) != json_array_size(objects))
		return invalid(reader, "a run has more or fewer values than there are names");
	json_array_foreach(objects, i, object)
	{
		const json_t *given =
			values ? json_array_get(values, i) : json_object_get(object, list->value);
		const char *name = name_of(object);
		double value;

		if (!name)
			return invalid(reader, "something counted has no name");
		if (!given || !number_of(given, &value) || (value < 0 && !list->negative))
			return invalid(reader, "a value is no number, or negative");
		add(reader, list, object, name, value);
	}
	return 0;
}

static int add_lists(const struct counts_reader *reader, const json_t *object, const json_t *repeat)
{
	int error = 0;

	diff_side_begin_run(reader->side);
	reader->side->counted_runs++;
	for (size_t i = 0; error == 0 && i < sizeof(lists) / sizeof(*lists); i++) {
		const json_t *values = repeat ? json_object_get(repeat, lists[i].name) : NULL;

		if (repeat && !json_is_array(values))
			return invalid(reader, "a run has no values");
		error = add_list(reader, &lists[i], json_object_get(object, lists[i].name), values);
	}
	return error;
}

static int add_runs(const struct counts_reader *reader, const json_t *object)
{
	const json_t *repeats = json_object_get(object, "repeats");
	json_t *repeat;
	int error = 0;
	size_t i;

	if (json_array_size(repeats) > DIFF_RUNS_MAX)
		return invalid(reader, "there are too many runs");
	if (!json_array_size(repeats)) {
		reader->side->lacks_repeats |=
			json_integer_value(json_object_get(object, "runs")) > 1;
		return add_lists(reader, object, NULL);
	}
	json_array_foreach(repeats, i, repeat)
	{
		error = add_lists(reader, object, repeat);
		if (error < 0)
			break;
	}
	return error;
}

/* Keeps a JSON value as text; NULL for null and for what is not there. */
static void describe(const struct counts_reader *reader, const char **member, const json_t *value)
{
	char *text;

	if (!value || json_is_null(value))
		return;
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	if (!text)
		reader->side->no_memory = true;
	else
		diff_side_describe(reader->side, member, text);
	free(text);
}

/* Adds an object that plumb stat --json printed. */
static int add_object(struct counts_reader *reader, json_t *object)
{
	struct diff_side *side = reader->side;
	const char *source = json_string_value(json_object_get(object, "source"));
	const json_t *cpu = json_object_get(object, "cpu");
	const json_t *status = json_object_get(object, "exit_status");
	json_t *model = json_object_get(object, "model");

	if (!json_is_array(json_object_get(object, "events")) &&
	    !json_is_array(json_object_get(object, "metrics")))
		return invalid(reader, "there are neither events nor metrics");
	reader->exact = source && strcmp(source, "model") == 0;
	reader->sampled = json_is_object(json_object_get(object, "sampled"));
	diff_side_describe(side, &side->source, source);
	diff_side_describe(side, &side->cpu, json_string_value(json_object_get(cpu, "name")));
	/* The seed is no setting that makes counts differ in kind. */
	if (json_is_integer(json_object_get(model, "seed")))
		diff_side_set_seed(side,
				   (uint64_t)json_integer_value(json_object_get(model, "seed")));
	json_object_del(model, "seed");
	describe(reader, &side->model, model);
	side->failed |= json_is_integer(status) && json_integer_value(status) != 0;
	return add_runs(reader, object);
}

/*
 * Adds an object of the file. Of intervals, only the summary counts: they are parts of one run, not
 * runs.
 */
static int add_part(struct counts_reader *reader, json_t *object)
{
	if (!json_is_object(object))
		return invalid(reader, "it is no object");
	if (json_object_get(object, "plumb_baseline"))
		return diff_side_add_baseline(reader->side, reader->path, object,
					      reader->diagnostics);
	if (json_object_get(object, "time") && !json_is_true(json_object_get(object, "summary")))
		return 0;
	return add_object(reader, object);
}

static int syntax(const struct counts_reader *reader, const json_error_t *bad)
{
	if (json_error_code(bad) == json_error_out_of_memory) {
		reader->side->no_memory = true;
		return PLUMB_ERR_NO_MEMORY;
	}
	plumb_diagnostics_add(reader->diagnostics, PLUMB_ERROR, "json", reader->path,
			      "line %d: malformed JSON: %s", bad->line, bad->text);
	return PLUMB_ERR_SYNTAX;
}

int diff_side_add_counts(struct diff_side *side, const char *path, const char *bytes, size_t size,
			 struct plumb_diagnostics *diagnostics)
{
	struct counts_reader reader = {.side = side, .path = path, .diagnostics = diagnostics};
	const size_t before = side->run;
	int error = 0;

	for (size_t at = 0; error == 0;) {
		json_error_t bad;
		json_t *object;

		while (at < size && is_space(bytes[at]))
			at++;
		if (at == size)
			break;
		object = json_loadb(bytes + at, size - at, JSON_DISABLE_EOF_CHECK, &bad);
		if (!object) {
			error = syntax(&reader, &bad);
			break;
		}
		at += (size_t)bad.position;
		error = add_part(&reader, object);
		json_decref(object);
		if (side->run > DIFF_RUNS_MAX)
			error = invalid(&reader, "there are too many runs");
	}
	if (error == 0 && side->run == before)
		error = invalid(&reader, "there is no whole run in it");
	return error == 0 && side->no_memory ? PLUMB_ERR_NO_MEMORY : error;
}
