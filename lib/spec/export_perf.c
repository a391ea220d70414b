/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that Linux's tools/perf/pmu-events/jevents.py turns into perf's tables. They are a
 * folder for the CPU, with a JSON array for each topic of events and one for the metrics, and the
 * lines of mapfile.csv that point to the folder. A topic is a functional group, as in Arm's own
 * files.
 *
 * Events that only the trace unit sees are left out, since perf cannot count them.
 */
#include "spec/exporter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/json_write.h"
#include "base/text_stream.h"
#include "spec/builtin.h"
#include "spec/path.h"
#include "spec/perf_expression.h"
#include "spec/perf_std_events.h"

/* ---- what jevents.py accepts --------------------------------------------------------------- */

/* Whether a name needs no escapes in an expression, a list of groups or C. */
static bool is_word(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return name[strspn(name, all)] == '\0' && *name && strchr(letters, *name);
}

static bool countable(const struct plumb_event *event)
{
	return (event->accesses & PLUMB_ACCESS_PMU) && is_word(event->name);
}

/*
 * Writes a description. jevents.py puts it into a C string and a comment. It escapes quotes and
 * newlines, but neither a backslash nor the end of a comment.
 */
static json_t *description(const char *text)
{
	char *safe = malloc(2 * strlen(text) + 1);
	size_t length = 0;
	json_t *json;

	if (!safe)
		return NULL;
	for (; *text; text++) {
		if (*text == '\\')
			safe[length++] = '\\';
		else if (*text == '/' && length > 0 && safe[length - 1] == '*')
			safe[length++] = ' ';
		safe[length++] = *text;
	}
	json = json_stringn(safe, length);
	free(safe);
	return json;
}

/*
 * Writes the unit, which follows a factor that perf reads with strtod(). A space separates them if
 * the unit could be taken for part of the number. jevents.py escapes nothing here.
 */
static json_t *scale_unit(const char *units)
{
	bool apart = *units && strchr("0123456789.eExX+-", *units);
	char text[256];

	snprintf(text, sizeof(text), "1%s%s", apart ? " " : "", units);
	for (char *c = text; *c; c++)
		if (strchr("\"\\*", *c) || (unsigned char)*c < ' ')
			*c = '_';
	return json_string(text);
}

/* ---- topics ------------------------------------------------------------------------------- */

#define METRICS_TOPIC "metrics"
#define OTHER_TOPIC   "other" /* topic of events in no functional group */

struct topics {
	char (*names)[EXPORT_NAME_MAX]; /* sorted, each once */
	uint32_t *of_event;             /* the topic of each event */
	uint32_t count;
	uint32_t metrics; /* the topic of the metrics */
};

#define NO_TOPIC UINT32_MAX

/* Returns the topic called `name`, creating it if necessary. */
static uint32_t topic(struct topics *topics, const char *name)
{
	char clean[EXPORT_NAME_MAX];
	uint32_t i = 0;

	export_name(name, clean);
	while (i < topics->count && strcmp(topics->names[i], clean) != 0)
		i++;
	if (i == topics->count)
		memcpy(topics->names[topics->count++], clean, sizeof(clean));
	return i;
}

static void topics_free(struct topics *topics)
{
	free(topics->names);
	free(topics->of_event);
}

/* Puts each event that perf can count into the topic of its first functional group. */
static int topics_find(const struct plumb_spec *spec, struct topics *topics)
{
	memset(topics, 0, sizeof(*topics));
	topics->names = calloc(spec->functional_group_count + 2, sizeof(*topics->names));
	topics->of_event = malloc((spec->event_count + 1) * sizeof(*topics->of_event));
	if (!topics->names || !topics->of_event) {
		topics_free(topics);
		return PLUMB_ERR_NO_MEMORY;
	}
	for (uint16_t i = 0; i < spec->event_count; i++)
		topics->of_event[i] = NO_TOPIC;
	for (uint16_t g = 0; g < spec->functional_group_count; g++) {
		const struct plumb_functional_group *group = &spec->functional_groups[g];

		for (uint16_t i = 0; i < group->events.count; i++) {
			uint16_t event = group->events.at[i];

			if (countable(&spec->events[event]) && topics->of_event[event] == NO_TOPIC)
				topics->of_event[event] = topic(topics, group->name);
		}
	}
	for (uint16_t i = 0; i < spec->event_count; i++)
		if (countable(&spec->events[i]) && topics->of_event[i] == NO_TOPIC)
			topics->of_event[i] = topic(topics, OTHER_TOPIC);
	topics->metrics = topic(topics, METRICS_TOPIC);
	return 0;
}

/* ---- entries ------------------------------------------------------------------------------ */

/* An event common to all arm64 CPUs is only named; perf knows its code and description. */
static json_t *event_json(const struct plumb_event *event)
{
	json_t *json = json_object();
	bool ok = json != NULL;

	if (event->architecture_defined && perf_has_std_event(event->code, event->name)) {
		ok &= json_put_text(json, "ArchStdEvent", event->name);
	} else {
		char code[8];

		snprintf(code, sizeof(code), "0x%04x", event->code);
		ok &= json_put_text(json, "EventCode", code);
		ok &= json_put_text(json, "EventName", event->name);
		ok &= json_put(json, "BriefDescription", description(event->title));
	}
	ok &= json_put(json, "PublicDescription", description(event->description));
	return json_if(ok, json);
}

/* Returns the N of "Topdown_LN", or 0 for any other group. */
static int topdown_level(const char *group)
{
	static const char prefix[] = "Topdown_L";
	size_t length = sizeof(prefix) - 1;

	if (strncmp(group, prefix, length) != 0 || group[length] < '1' || group[length] > '9')
		return 0;
	return group[length + 1] ? 0 : group[length] - '0';
}

/*
 * Writes the groups of a metric, separated by ';'. `perf stat --topdown` expects its levels under
 * names of its own, such as TopdownL1, and plain `perf stat` shows the group Default.
 */
static bool put_groups(json_t *json, const struct plumb_spec *spec, struct plumb_indexes groups)
{
	char *text = NULL;
	size_t size = 0;
	FILE *list = text_stream(&text, &size);
	const char *before = "";
	bool ok = list != NULL;

	if (!list)
		return false;
	for (uint16_t i = 0; i < groups.count; i++) {
		const char *name = spec->metric_groups[groups.at[i]].name;
		int level = topdown_level(name);

		if (!is_word(name))
			continue;
		if (level > 0)
			fprintf(list, "%s%sTopdownL%d", before, level == 1 ? "Default;" : "",
				level);
		if (level == 1)
			ok &= json_put_text(json, "DefaultMetricgroupName", "TopdownL1");
		fprintf(list, "%s%s", level > 0 ? ";" : before, name);
		before = ";";
	}
	ok &= fclose(list) == 0;
	if (ok && size > 0)
		ok = json_put_text(json, "MetricGroup", text);
	free(text);
	return ok;
}

static json_t *metric_json(const struct plumb_spec *spec, uint16_t index, const char *expression,
			   uint16_t *room)
{
	const struct plumb_metric *metric = &spec->metrics[index];
	json_t *json = json_object();
	bool ok = json != NULL;

	ok &= json_put_text(json, "MetricName", metric->name);
	ok &= json_put_text(json, "MetricExpr", expression);
	ok &= json_put(json, "BriefDescription", description(metric->description));
	ok &= put_groups(json, spec, export_refs(spec, plumb_spec_groups_of_metric, index, room));
	ok &= json_put(json, "ScaleUnit", scale_unit(metric->units));
	return json_if(ok, json);
}

/* ---- files -------------------------------------------------------------------------------- */

static void left_out(struct plumb_diagnostics *diagnostics, const struct plumb_spec *spec,
		     const char *where, const char *name, const char *id, const char *what)
{
	struct place place = {.file = spec->file};
	struct path path = {0};

	path_enter(&path, where);
	path_enter(&path, name);
	place.path = path.text;
	diagnostics_add(diagnostics, PLUMB_WARNING, id, &place,
			"left out: perf cannot express "
			"its %s",
			what);
}

static int add_events(json_t *array, const struct plumb_spec *spec, const struct topics *topics,
		      size_t part, struct plumb_diagnostics *diagnostics)
{
	for (uint16_t i = 0; i < spec->event_count; i++) {
		const struct plumb_event *event = &spec->events[i];

		if ((part == EXPORT_MAIN || part == topics->metrics) && !is_word(event->name))
			left_out(diagnostics, spec, "events", event->name, "export-name", "name");
		if (topics->of_event[i] == NO_TOPIC ||
		    (part != EXPORT_MAIN && topics->of_event[i] != part))
			continue;
		if (!json_add(array, event_json(event)))
			return PLUMB_ERR_NO_MEMORY;
	}
	return 0;
}

static int add_metric(json_t *array, const struct plumb_spec *spec, uint16_t index, uint16_t *room,
		      struct plumb_diagnostics *diagnostics)
{
	const struct plumb_metric *metric = &spec->metrics[index];
	char *expression;
	int result;

	if (!is_word(metric->name)) {
		left_out(diagnostics, spec, "metrics", metric->name, "export-name", "name");
		return 0;
	}
	result = perf_expression(spec, index, &expression);
	if (result == PLUMB_ERR_UNSUPPORTED) {
		left_out(diagnostics, spec, "metrics", metric->name, "export-formula", "formula");
		return 0;
	}
	if (result)
		return result;
	if (!json_add(array, metric_json(spec, index, expression, room)))
		result = PLUMB_ERR_NO_MEMORY;
	free(expression);
	return result;
}

static int write_entries(const struct plumb_spec *spec, const struct topics *topics, size_t part,
			 FILE *out, struct plumb_diagnostics *diagnostics)
{
	uint16_t *room = export_refs_room();
	json_t *array = json_array();
	int result = room && array ? 0 : PLUMB_ERR_NO_MEMORY;

	if (!result)
		result = add_events(array, spec, topics, part, diagnostics);
	if (part == EXPORT_MAIN || part == topics->metrics)
		for (uint16_t i = 0; !result && i < spec->metric_count; i++)
			result = add_metric(array, spec, i, room, diagnostics);
	if (!result)
		result = json_write(array, out);
	json_decref(array);
	free(room);
	return result;
}

/* Returns the parent folder within arch/arm64: the kernel's name for the implementer. */
static void folder(const struct plumb_spec *spec, char name[PLUMB_EXPORT_PART_MAX])
{
	static const struct {
		uint8_t implementer;
		const char *name;
	} implementers[] = {
		{0x41, "arm"},       {0x42, "cavium"}, {0x43, "cavium"}, {0x46, "fujitsu"},
		{0x48, "hisilicon"}, {0x50, "ampere"}, {0xc0, "ampere"},
	};
	const char *implementer = "other";
	char id[EXPORT_NAME_MAX];

	for (size_t i = 0; i < sizeof(implementers) / sizeof(implementers[0]); i++)
		if (implementers[i].implementer == spec->product.implementer)
			implementer = implementers[i].name;
	export_name(spec->id, id);
	snprintf(name, PLUMB_EXPORT_PART_MAX, "%s/%s", implementer, id);
}

/* Clears the revision, as in mapfile.csv: perf ignores it, or takes it as a minimum. */
static uint32_t mapfile_midr(uint32_t midr)
{
	return (midr & BUILTIN_MIDR_PART) | UINT32_C(0x000f0000);
}

/* Whether one of the first `count` entries of the table is for the same part of `spec`. */
static bool is_mapped(const struct plumb_spec *spec, uint32_t midr, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (builtin_spec(builtin_midrs[i].spec_index) == spec &&
		    mapfile_midr(builtin_midrs[i].midr) == midr)
			return true;
	return false;
}

/* Writes the lines of mapfile.csv: one for each part the specification describes. */
static void write_mapfile(const struct plumb_spec *spec, FILE *out)
{
	static const char format[] = "0x%016" PRIx32 ",v1,%s,core\n";
	uint32_t own = mapfile_midr(plumb_spec_midr(spec));
	char name[PLUMB_EXPORT_PART_MAX];

	folder(spec, name);
	fprintf(out, format, own, name);
	for (size_t i = 0; i < builtin_midr_count; i++) {
		uint32_t midr = mapfile_midr(builtin_midrs[i].midr);

		if (midr != own && is_mapped(spec, midr, i + 1) && !is_mapped(spec, midr, i))
			fprintf(out, format, midr, name);
	}
}

static int perf_part(const struct plumb_spec *spec, size_t i, char name[PLUMB_EXPORT_PART_MAX])
{
	struct topics topics;
	size_t length;
	int result = topics_find(spec, &topics);

	if (result)
		return result;
	folder(spec, name);
	length = strlen(name);
	if (i < topics.count)
		snprintf(name + length, PLUMB_EXPORT_PART_MAX - length, "/%s.json",
			 topics.names[i]);
	else if (i == topics.count)
		snprintf(name + length, PLUMB_EXPORT_PART_MAX - length, "/mapfile.csv");
	else
		result = PLUMB_ERR_NOT_FOUND;
	topics_free(&topics);
	return result;
}

static int perf_write(const struct plumb_spec *spec, size_t part, FILE *out,
		      struct plumb_diagnostics *diagnostics)
{
	struct topics topics;
	int result = topics_find(spec, &topics);

	if (result)
		return result;
	if (part == topics.count)
		write_mapfile(spec, out);
	else
		result = write_entries(spec, &topics, part, out, diagnostics);
	topics_free(&topics);
	return result;
}

const struct exporter export_perf = {
	{"perf-json", "events and metrics for Linux's tools/perf/pmu-events (JSON)"},
	perf_part,
	perf_write,
};
