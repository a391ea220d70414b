/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/baseline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "diff/match.h"

#define VERSION 1

/* Numbers that are not whole are rounded to so many digits: more would only be noise. */
#define DIGITS 6

/* ---- Writing ----------------------------------------------------------------------------------
 */

static bool is_whole(double value)
{
	return value == floor(value) && fabs(value) < 0x1p53;
}

double baseline_round(double value)
{
	char text[64];

	if (!isfinite(value) || is_whole(value))
		return value;
	snprintf(text, sizeof(text), "%.*g", DIGITS, value);
	return strtod(text, NULL);
}

static json_t *number(double value)
{
	const double rounded = baseline_round(value);

	if (!isfinite(value))
		return json_null();
	return is_whole(rounded) ? json_integer((json_int_t)rounded) : json_real(rounded);
}

/* One run is a number, or an object if it has an interval; several are a list. */
static json_t *value_of(const struct interval *value)
{
	json_t *object;
	bool ok;

	if (isnan(value->low) || isnan(value->high))
		return number(value->value);
	object = json_object();
	ok = json_put(object, "high", number(value->high)) &&
	     json_put(object, "low", number(value->low)) &&
	     json_put(object, "value", number(value->value));
	return json_if(ok, object);
}

static json_t *values_of(const struct diff_item *item)
{
	json_t *array;
	bool ok = true;

	if (item->count == 1)
		return value_of(&item->values[0]);
	array = json_array();
	for (size_t i = 0; i < item->count; i++)
		ok &= json_add(array, value_of(&item->values[i]));
	return json_if(ok, array);
}

static double mean_of(const struct diff_item *item)
{
	double sum = 0;

	for (size_t i = 0; i < item->count; i++)
		sum += item->values[i].value;
	return item->count ? sum / (double)item->count : 0;
}

/* Tells whether a baseline keeps an item. */
static bool keeps(const struct diff_side *side, const struct diff_item *item)
{
	const struct diff_quantity *main = diff_side_main(side);

	if (item->key.view != DIFF_FUNCTIONS)
		return item->key.view != DIFF_LINES;
	return main && strcmp(main->name, item->key.of) == 0 &&
	       mean_of(item) * (double)main->runs >= BASELINE_LEAST * main->whole;
}

/* Returns what a function is recognized by under another name: "HASH/INSTRUCTIONS"; or null. */
static json_t *code_of(const struct diff_function *function)
{
	const uint64_t hash = function ? diff_code_hash(function) : 0;
	char text[48];

	if (!hash)
		return json_null();
	snprintf(text, sizeof(text), "%016" PRIx64 "/%zu", hash, function->count);
	return json_text(text);
}

static json_t *item_object(const struct diff_side *side, const struct diff_item *item)
{
	json_t *object = json_object();
	bool ok = (item->key.view != DIFF_FUNCTIONS ||
		   json_put(object, "code", code_of(diff_side_function(side, item->key.name)))) &&
		  json_put(object, "exact", json_boolean(item->exact)) &&
		  json_put_text(object, "unit", item->unit) &&
		  json_put(object, "value", values_of(item));

	return json_if(ok, object);
}

static json_t *view_object(const struct diff_side *side, enum diff_view view)
{
	json_t *object = json_object();
	bool ok = object != NULL;

	for (size_t i = 0; ok && i < side->item_count; i++) {
		const struct diff_item *item = &side->items[i];

		if (item->key.view == view && keeps(side, item))
			ok = json_put(object, item->key.name, item_object(side, item));
	}
	return json_if(ok, object);
}

int baseline_write(const struct diff_side *side, FILE *out)
{
	const struct diff_quantity *main = diff_side_main(side);
	json_t *object = json_object();
	bool ok = json_put(object, "plumb_baseline", json_integer(VERSION)) &&
		  json_put(object, "source", json_text(side->source)) &&
		  json_put(object, "cpu", json_text(side->cpu)) &&
		  json_put(object, "model", json_text(side->model)) &&
		  json_put(object, "recorded", json_text(side->recorded_source)) &&
		  json_put(object, "sampling", json_text(side->sampling)) &&
		  json_put(object, "seed",
			   side->seeded && !side->seeds ? json_integer((json_int_t)side->seed)
							: json_null()) &&
		  json_put(object, "functions_by", json_text(main ? main->name : NULL)) &&
		  json_put(object, "whole",
			   main ? number(main->whole / (double)main->runs) : json_null());
	int error;

	for (enum diff_view view = 0; ok && view < DIFF_LINES; view++)
		ok = json_put(object, diff_view_name(view), view_object(side, view));
	object = json_if(ok, object);
	if (!object)
		return PLUMB_ERR_NO_MEMORY;
	error = json_print(object, out, JSON_INDENT(1) | JSON_SORT_KEYS);
	json_decref(object);
	if (error == 0 && fputc('\n', out) == EOF)
		error = PLUMB_ERR_IO;
	return error;
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

struct baseline_reader {
	struct diff_side *side;
	const char *path;
	struct plumb_diagnostics *diagnostics;
	const char *by; /* what functions are counted by; NULL: there are none */
	size_t runs;    /* the most of any item */
};

static int invalid(const struct baseline_reader *reader, const char *what)
{
	plumb_diagnostics_add(reader->diagnostics, PLUMB_ERROR, "invalid-baseline", reader->path,
			      "invalid baseline: %s", what);
	return PLUMB_ERR_INVALID;
}

static bool read_value(const json_t *json, struct interval *value)
{
	const json_t *low = json_object_get(json, "low"), *high = json_object_get(json, "high");

	*value = (struct interval){NAN, NAN, NAN};
	if (json_is_object(json)) {
		value->low = json_is_number(low) ? json_number_value(low) : (double)NAN;
		value->high = json_is_number(high) ? json_number_value(high) : (double)NAN;
		json = json_object_get(json, "value");
		if (!(value->low <= value->high))
			return false;
	}
	value->value = json_is_number(json) ? json_number_value(json) : (double)NAN;
	return isfinite(value->value);
}

/* Adds the code of a function; older baselines have none. */
static int add_code(const struct baseline_reader *reader, const char *name, const json_t *code)
{
	const char *text = json_string_value(code);
	struct diff_function *function;

	if (!code || json_is_null(code))
		return 0;
	/* Sixteen digits of a hash, and up to nine of a number. */
	if (!text || strspn(text, "0123456789abcdef") != 16 || text[16] != '/' || !text[17] ||
	    strlen(text) > 26 || text[17 + strspn(text + 17, "0123456789")])
		return invalid(reader, "the code of a function is malformed");
	function = diff_side_add_function(reader->side, name);
	if (!function)
		return PLUMB_ERR_NO_MEMORY;
	function->hash = strtoull(text, NULL, 16);
	function->count = strtoul(text + 17, NULL, 10);
	return 0;
}

static int add_item(struct baseline_reader *reader, enum diff_view view, const char *name,
		    const json_t *object)
{
	const json_t *values = json_object_get(object, "value");
	const char *unit = json_string_value(json_object_get(object, "unit"));
	const struct diff_key key = {view, name, view == DIFF_FUNCTIONS ? reader->by : "", ""};
	const size_t count = json_is_array(values) ? json_array_size(values) : 1;

	if (!unit || !json_is_boolean(json_object_get(object, "exact")) || !count ||
	    count > DIFF_RUNS_MAX)
		return invalid(reader, "something lacks its unit, its values or \"exact\"");
	for (size_t i = 0; i < count; i++) {
		struct interval value;
		struct diff_item *item;

		if (!read_value(json_is_array(values) ? json_array_get(values, i) : values, &value))
			return invalid(reader, "a value is no number");
		/* Values of one item are of different runs. */
		reader->side->run = i + 1;
		item = diff_side_add(reader->side, &key, &value,
				     json_is_true(json_object_get(object, "exact")));
		if (!item)
			return PLUMB_ERR_NO_MEMORY;
		item->additive = view == DIFF_FUNCTIONS;
		item->unit = diff_side_keep(reader->side, unit);
	}
	reader->runs = count > reader->runs ? count : reader->runs;
	return view == DIFF_FUNCTIONS ? add_code(reader, name, json_object_get(object, "code")) : 0;
}

static int add_view(struct baseline_reader *reader, enum diff_view view, json_t *items)
{
	const char *name;
	json_t *item;
	int error = 0;

	if (!json_is_object(items))
		return invalid(reader, "a list of values is missing");
	if (json_object_size(items) && view == DIFF_FUNCTIONS && !reader->by)
		return invalid(reader, "\"functions_by\" is missing");
	json_object_foreach(items, name, item)
	{
		error = add_item(reader, view, name, item);
		if (error < 0)
			break;
	}
	return error;
}

static void read_texts(struct diff_side *side, const json_t *object)
{
	const struct {
		const char *name, **member;
	} texts[] = {
		{"source", &side->source},     {"cpu", &side->cpu},
		{"model", &side->model},       {"recorded", &side->recorded_source},
		{"sampling", &side->sampling},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		diff_side_describe(side, texts[i].member,
				   json_string_value(json_object_get(object, texts[i].name)));
}

static void set_main(struct baseline_reader *reader, const json_t *object)
{
	struct diff_quantity *main = diff_side_quantity(reader->side, reader->by);
	const double whole = json_number_value(json_object_get(object, "whole"));

	if (!main)
		return;
	main->runs = 1;
	for (size_t i = 0; i < reader->side->item_count; i++)
		if (reader->side->items[i].key.view == DIFF_FUNCTIONS &&
		    reader->side->items[i].count > main->runs)
			main->runs = reader->side->items[i].count;
	main->whole = whole * (double)main->runs;
}

int diff_side_add_baseline(struct diff_side *side, const char *path, json_t *object,
			   struct plumb_diagnostics *diagnostics)
{
	struct baseline_reader reader = {.side = side, .path = path, .diagnostics = diagnostics};
	const json_t *version = json_object_get(object, "plumb_baseline");
	int error = 0;

	if (side->run)
		return invalid(&reader, "a baseline is a side by itself");
	if (!json_is_integer(version) || json_integer_value(version) != VERSION)
		return invalid(&reader, "unsupported version");
	reader.by = json_string_value(json_object_get(object, "functions_by"));
	side->baseline = true;
	read_texts(side, object);
	if (json_is_integer(json_object_get(object, "seed")))
		diff_side_set_seed(side,
				   (uint64_t)json_integer_value(json_object_get(object, "seed")));
	for (enum diff_view view = 0; error == 0 && view < DIFF_LINES; view++)
		error = add_view(&reader, view, json_object_get(object, diff_view_name(view)));
	if (error == 0 && reader.by)
		set_main(&reader, object);
	if (error == 0 && !reader.runs)
		error = invalid(&reader, "it is empty");
	diff_side_sort_code(side);
	side->run = reader.runs;
	side->counted_runs = side->source ? reader.runs : 0;
	side->recorded_runs = reader.by ? reader.runs : 0;
	return error;
}
