/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plumb report --html --intervals: what plumb stat -I --json counted, for the page's timeline. Its
 * file comes from outside, so only what has the right form is taken.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "render/json.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"

/* More intervals than a screen has pixels are of no use. */
#define INTERVALS_MOST 20000

struct intervals {
	json_t *times;   /* seconds since the program began: where each interval ends */
	json_t *events;  /* lists of counts, by name */
	json_t *metrics; /* objects with lists of values, by name */
	json_t *cpu, *source;
};

/* Returns the number under a key; null: there is none. */
static json_t *number_in(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_incref(value) : json_null();
}

/* Adds a value to a list whose elements stand for the intervals. What was missing is null. */
static void add_value(json_t *list, size_t interval, json_t *value)
{
	while (json_array_size(list) < interval)
		json_add(list, json_null());
	/* A name may be there twice. */
	if (json_array_size(list) == interval)
		json_add(list, value);
	else
		json_decref(value);
}

static void add_events(struct intervals *to, size_t interval, const json_t *from)
{
	json_t *event;
	size_t i;

	json_array_foreach(from, i, event)
	{
		const char *name = json_string_value(json_object_get(event, "name"));
		json_t *list = name ? json_object_get(to->events, name) : NULL;

		if (!name)
			continue;
		if (!list)
			json_put(to->events, name, list = json_array());
		add_value(list, interval, number_in(event, "count"));
	}
}

static json_t *new_metric(const json_t *from)
{
	static const char *const texts[] = {"name", "title", "group", "units", "parent"};
	json_t *metric = json_object();

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_put(metric, texts[i],
			 render_string(json_string_value(json_object_get(from, texts[i]))));
	json_put(metric, "stage", number_in(from, "stage"));
	json_put(metric, "level", number_in(from, "level"));
	json_put(metric, "values", json_array());
	return metric;
}

static void add_metrics(struct intervals *to, size_t interval, const json_t *from)
{
	json_t *one;
	size_t i;

	json_array_foreach(from, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		json_t *metric = name ? json_object_get(to->metrics, name) : NULL;

		if (!name)
			continue;
		if (!metric)
			json_put(to->metrics, name, metric = new_metric(one));
		add_value(json_object_get(metric, "values"), interval, number_in(one, "value"));
	}
}

/* Takes an interval, if it is one: the summary at the end is none. */
static void add_interval(struct intervals *to, const json_t *from)
{
	const size_t interval = json_array_size(to->times);
	const json_t *time = json_object_get(from, "time");
	const json_t *last = json_array_get(to->times, interval - 1);
	const json_t *cpu = json_object_get(from, "cpu");

	if (!json_is_number(time) || json_is_true(json_object_get(from, "summary")) ||
	    json_number_value(time) <= (interval ? json_number_value(last) : 0) ||
	    interval == INTERVALS_MOST)
		return;
	json_add(to->times, json_real(json_number_value(time)));
	add_events(to, interval, json_object_get(from, "events"));
	add_metrics(to, interval, json_object_get(from, "metrics"));
	if (!interval) {
		to->source = render_string(json_string_value(json_object_get(from, "source")));
		to->cpu = render_string(json_string_value(json_object_get(cpu, "name")));
	}
}

/* Ends lists that the last intervals have no value for. */
static void fill(const struct intervals *intervals)
{
	const size_t count = json_array_size(intervals->times);
	const char *name;
	json_t *of;

	json_object_foreach(intervals->events, name, of) add_value(of, count - 1, json_null());
	json_object_foreach(intervals->metrics, name, of)
		add_value(json_object_get(of, "values"), count - 1, json_null());
}

static void add_document(struct html_page *page, struct intervals *intervals)
{
	json_t *object = json_object();
	char *text;
	size_t length;
	FILE *stream = memory_stream(&text, &length);

	fill(intervals);
	json_put(object, "source", intervals->source);
	json_put(object, "cpu", intervals->cpu);
	json_put(object, "times", json_incref(intervals->times));
	json_put(object, "events", json_incref(intervals->events));
	json_put(object, "metrics", json_incref(intervals->metrics));
	json_print(object, stream, JSON_COMPACT);
	memory_stream_close(stream, &text);
	json_decref(object);
	html_add(page, "intervals", text, length);
}

int report_add_intervals(struct html_page *page, const char *path)
{
	struct intervals intervals = {
		.times = json_array(), .events = json_object(), .metrics = json_object()};
	FILE *file = fopen(path, "re");
	int status = EXIT_FINE;
	json_error_t error;
	json_t *one;

	/* The page must not take its place. */
	inputs_note(path, "the input");
	if (!file) {
		complain("cannot read %s: %s", path, strerror(errno));
		status = EXIT_USAGE;
	}
	while (file && (one = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error))) {
		add_interval(&intervals, one);
		json_decref(one);
	}
	if (file)
		fclose(file);
	if (status == EXIT_FINE && !json_array_size(intervals.times)) {
		complain("%s: there are no intervals in this file", path);
		advise("plumb stat -I MS --json -o FILE writes them");
		status = EXIT_USAGE;
	}
	if (status == EXIT_FINE)
		add_document(page, &intervals);
	json_decref(intervals.times);
	json_decref(intervals.events);
	json_decref(intervals.metrics);
	return status;
}
