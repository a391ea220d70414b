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
#define VALUES_MOST    4000000 /* of all events and metrics together */
#define SECONDS_MOST   1e9

#define WRITTEN_BY "plumb stat -I MS --json -o FILE writes intervals"

#define AS_IT_IS(number) #number
#define TEXT_OF(number)  AS_IT_IS(number)
#define TOO_MANY_VALUES  "too many values: at most " TEXT_OF(VALUES_MOST)

struct intervals {
	json_t *times;   /* seconds since the program began: where each interval ends */
	json_t *events;  /* lists of counts, by name */
	json_t *metrics; /* objects with lists of values, by name */
	json_t *cpu, *source;
	size_t names; /* of events and metrics */
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

static json_t *new_event(const json_t *from)
{
	(void)from;
	return json_array();
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
	json_put(metric, "slots", json_array());
	return metric;
}

/* Returns the list of values of an event or a metric. */
static json_t *values_of(json_t *of)
{
	return json_is_array(of) ? of : json_object_get(of, "values");
}

/* Adds what an interval has of events or metrics to those of all. False: there are too many. */
static bool add_values(struct intervals *to, json_t *all, const json_t *from, const char *key,
		       json_t *(*make)(const json_t *from))
{
	const size_t interval = json_array_size(to->times) - 1;
	json_t *one;
	size_t i;

	json_array_foreach(from, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		json_t *of = name ? json_object_get(all, name) : NULL;

		if (!name)
			continue;
		if (!of && (to->names + 1) * (interval + 1) > VALUES_MOST)
			return false;
		if (!of) {
			to->names++;
			json_put(all, name, of = make(one));
		}
		add_value(values_of(of), interval, number_in(one, key));
		if (json_is_object(of))
			add_value(json_object_get(of, "slots"), interval, number_in(one, "slots"));
	}
	return true;
}

/* Takes an interval, if it is one: the summary at the end is none. Returns what is wrong, or NULL.
 */
static const char *add_interval(struct intervals *to, const json_t *from)
{
	const size_t interval = json_array_size(to->times);
	const json_t *time = json_object_get(from, "time");
	const json_t *last = json_array_get(to->times, interval - 1);
	const json_t *cpu = json_object_get(from, "cpu");

	if (!json_is_object(from))
		return "not an object";
	if (!json_is_number(time) || json_is_true(json_object_get(from, "summary")))
		return NULL;
	if (!(json_number_value(time) > (interval ? json_number_value(last) : 0)))
		return interval ? "its time is not after that of the interval before"
				: "its time is not positive";
	if (json_number_value(time) > SECONDS_MOST)
		return "its time is too large";
	if (interval == INTERVALS_MOST)
		return "too many intervals: at most " TEXT_OF(INTERVALS_MOST);
	if (to->names * (interval + 1) > VALUES_MOST)
		return TOO_MANY_VALUES;
	json_add(to->times, json_real(json_number_value(time)));
	if (!add_values(to, to->events, json_object_get(from, "events"), "count", new_event) ||
	    !add_values(to, to->metrics, json_object_get(from, "metrics"), "value", new_metric))
		return TOO_MANY_VALUES;
	if (!interval) {
		to->source = render_string(json_string_value(json_object_get(from, "source")));
		to->cpu = render_string(json_string_value(json_object_get(cpu, "name")));
	}
	return NULL;
}

/* Ends lists that the last intervals have no value for. */
static void fill(const struct intervals *intervals)
{
	const size_t count = json_array_size(intervals->times);
	const char *name;
	json_t *of;

	json_object_foreach(intervals->events, name, of) add_value(of, count - 1, json_null());
	json_object_foreach(intervals->metrics, name, of)
		add_value(values_of(of), count - 1, json_null());
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

/* Skips white space. Returns whether anything follows it. */
static bool more_follows(FILE *file)
{
	int c;

	while ((c = getc(file)) == ' ' || c == '\n' || c == '\t' || c == '\r')
		;
	return ungetc(c, file) != EOF;
}

/* Reads the objects of a file, all or none. Returns an exit status, after printing an error. */
static int read_intervals(struct intervals *intervals, FILE *file, const char *path)
{
	for (size_t number = 1; more_follows(file); number++) {
		const char *wrong;
		json_error_t error;
		json_t *one = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error);

		wrong = one ? add_interval(intervals, one) : error.text;
		if (wrong)
			complain("%s: object %zu: %s", path, number, wrong);
		if (wrong && number == 1)
			advise(WRITTEN_BY);
		json_decref(one);
		if (wrong)
			return EXIT_USAGE;
	}
	if (ferror(file)) {
		complain("cannot read %s: %s", path, strerror(errno));
		return EXIT_USAGE;
	}
	if (!json_array_size(intervals->times)) {
		complain("%s: there are no intervals in this file", path);
		advise(WRITTEN_BY);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}

int report_read_intervals(struct html_page *page, FILE *file, const char *path)
{
	struct intervals intervals = {
		.times = json_array(), .events = json_object(), .metrics = json_object()};
	const int status = read_intervals(&intervals, file, path);

	if (status == EXIT_FINE) {
		add_document(page, &intervals);
	} else {
		json_decref(intervals.source);
		json_decref(intervals.cpu);
	}
	json_decref(intervals.times);
	json_decref(intervals.events);
	json_decref(intervals.metrics);
	return status;
}

int report_add_intervals(struct html_page *page, const char *path)
{
	FILE *file = fopen(path, "re");
	int status;

	/* The page must not take its place. */
	inputs_note(path, "the input");
	if (!file) {
		complain("cannot read %s: %s", path, strerror(errno));
		return EXIT_USAGE;
	}
	status = report_read_intervals(page, file, path);
	fclose(file);
	return status;
}
