/* SPDX-License-Identifier: Apache-2.0 */
/* Reads perf stat -j: perf's stat-display.c prints one object per line. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"

/* perf names a unit by what it aggregates; newer versions also by cluster and cache. */
static const char *const unit_keys[] = {"cpu",  "core",    "socket", "die",
					"node", "cluster", "cache",  "thread"};

/* perf prints C's nan and inf where a metric has no value; JSON does not know them. */
static void replace_nan(char *line)
{
	static const char *const words[] = {"-nan", "nan", "-inf", "inf"};
	bool quoted = false;

	for (; *line; line++) {
		if (*line == '\\' && line[1])
			line++;
		else if (*line == '"')
			quoted = !quoted;
		for (size_t i = 0; !quoted && i < sizeof(words) / sizeof(*words); i++) {
			const size_t length = strlen(words[i]);

			if (strncmp(line, words[i], length) != 0)
				continue;
			memset(line, ' ', length);
			*line = '0';
		}
	}
}

/* Reads a member that is a number, or text with one. NaN: it is missing or something else. */
static double number_of(const json_t *object, const char *key)
{
	const json_t *json = json_object_get(object, key);
	double number;

	if (json_is_number(json))
		return json_number_value(json);
	if (json_is_string(json) && fields_number(json_string_value(json), &number))
		return number;
	return NAN;
}

/* Sets the unit; "CPU3" for cpu "3", as perf stat -x names it. */
static void set_unit(const json_t *object, struct addition *a, char name[32])
{
	for (size_t i = 0; i < sizeof(unit_keys) / sizeof(*unit_keys); i++) {
		const char *text = json_string_value(json_object_get(object, unit_keys[i]));

		if (!text)
			continue;
		a->unit = text;
		if (i == 0 && strspn(text, "0123456789") == strlen(text) && strlen(text) < 8) {
			snprintf(name, 32, "CPU%s", text);
			a->unit = name;
		}
	}
	a->cgroup = json_string_value(json_object_get(object, "cgroup"));
}

static int add_object(struct reader *reader, const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "event"));
	const char *text = json_string_value(json_object_get(object, "counter-value"));
	const char *measured = json_string_value(json_object_get(object, "unit"));
	const struct import *import = reader->import;
	double cpus = number_of(object, "aggregate-number");
	struct addition a = {
		.name = name,
		.time = number_of(object, "interval"),
		.running_ns = number_of(object, "event-runtime"),
		.percent = number_of(object, "pcnt-running"),
		.deviation = number_of(object, "variance"),
		.value = NAN,
	};
	char unit[32];

	/* The second metric of an event. */
	if (!name)
		return 0;
	/* perf's summary of all intervals follows them. */
	if (import->row_count && !isnan(import->rows[import->row_count - 1].time) &&
	    isnan(a.time)) {
		reader->import->summary = true;
		return 0;
	}
	if (!text)
		return reader_refuse(reader, PLUMB_ERR_INVALID, "%s has no \"counter-value\"",
				     name);
	if (!fields_number(text, &a.value) && *text != '<')
		return reader_refuse(reader, PLUMB_ERR_INVALID, "invalid count \"%s\" of %s", text,
				     name);
	set_unit(object, &a, unit);
	a.cpus = cpus >= 1 && cpus <= 1e6 ? (unsigned)cpus : 0;
	a.msec = measured && strcmp(measured, "msec") == 0;
	if (a.msec)
		a.value *= 1e6;
	reader->import->repeats |= !isnan(a.deviation);
	return import_add(reader, &a);
}

static int read_line(struct reader *reader, char *line)
{
	json_error_t bad;
	json_t *object;
	int error;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	replace_nan(line);
	object = json_loads(line, 0, &bad);
	if (!object)
		return json_error_code(&bad) == json_error_out_of_memory
			       ? PLUMB_ERR_NO_MEMORY
			       : reader_refuse(reader, PLUMB_ERR_SYNTAX, "malformed JSON: %s",
					       bad.text);
	error = json_is_object(object) ? add_object(reader, object)
				       : reader_refuse(reader, PLUMB_ERR_INVALID, "not an object");
	json_decref(object);
	return error;
}

int perf_json_read(struct reader *reader, char *text)
{
	int error = 0;
	char *line;

	while (error == 0 && fields_next_line(&text, &line)) {
		reader->line++;
		error = read_line(reader, line);
	}
	return error;
}
