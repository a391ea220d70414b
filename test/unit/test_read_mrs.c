/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/read_mrs.h"

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>
#include <plumb/spec.h>

#include "arms_files.h"
#include "folder.h"
#include "small_json.h"

/* ---- what is read is what is there -------------------------------------------------------- */

/* Compared with what jansson alone finds in the file, value by value. */
static size_t compared;

static void same_text(const char *ours, const json_t *json, const char *member)
{
	const json_t *value = json_object_get(json, member);

	if (json_is_string(value))
		assert_string_equal(ours, json_string_value(value));
	else
		assert_null(ours);
	compared++;
}

static void same_hex(unsigned ours, const json_t *json, const char *member)
{
	const char *text = json_string_value(json_object_get(json, member));

	assert_int_equal(ours, strtoul(text, NULL, 16));
	compared++;
}

static void same_flag(bool ours, const json_t *json, const char *member)
{
	assert_int_equal(ours, json_is_true(json_object_get(json, member)));
	compared++;
}

static const char *event_name(const struct plumb_spec *spec, uint16_t i)
{
	assert_true(i < spec->event_count);
	return spec->events[i].name;
}

static const char *metric_name(const struct plumb_spec *spec, uint16_t i)
{
	assert_true(i < spec->metric_count);
	return spec->metrics[i].name;
}

static const char *group_name(const struct plumb_spec *spec, uint16_t i)
{
	assert_true(i < spec->metric_group_count);
	return spec->metric_groups[i].name;
}

static void same_list(const struct plumb_spec *spec, struct plumb_indexes ours,
		      const char *name_of(const struct plumb_spec *, uint16_t), const json_t *array)
{
	assert_int_equal(ours.count, json_array_size(array));
	for (uint16_t i = 0; i < ours.count; i++) {
		assert_string_equal(name_of(spec, ours.at[i]),
				    json_string_value(json_array_get(array, i)));
		compared++;
	}
}

static void compare_head(const struct plumb_spec *spec, const json_t *json)
{
	const json_t *product = json_object_get(json, "product_configuration");
	const json_t *document = json_object_get(json, "document");

	same_text(spec->product.name, product, "product_name");
	same_text(spec->product.architecture, product, "architecture");
	same_text(spec->product.pmu_architecture, product, "pmu_architecture");
	same_hex(spec->product.implementer, product, "implementer");
	same_hex(spec->product.part, product, "part_num");
	same_hex(spec->product.major_revision, product, "major_revision");
	same_hex(spec->product.minor_revision, product, "minor_revision");
	assert_int_equal(spec->product.slots,
			 json_integer_value(json_object_get(product, "num_slots")));
	assert_int_equal(spec->product.bus_slots,
			 json_integer_value(json_object_get(product, "num_bus_slots")));
	assert_int_equal(spec->product.counters, 0);
	same_text(spec->document.timestamp, document, "timestamp");
	same_text(spec->document.copyright, document, "copyright");
	same_text(spec->document.quality, document, "quality");
	same_text(spec->document.license, document, "license");
	same_text(spec->document.description, document, "description");
	same_text(spec->document.revision, document, "revision");
	same_text(spec->document.sha1, document, "sha1");
	same_flag(spec->document.confidential, document, "confidential");
}

static void compare_events(const struct plumb_spec *spec, json_t *json)
{
	const struct plumb_event *event = spec->events;
	const char *name;
	json_t *value;

	assert_int_equal(spec->event_count, json_object_size(json));
	json_object_foreach(json, name, value)
	{
		const json_t *accesses = json_object_get(value, "accesses");
		const json_t *attributes = json_object_get(value, "product_defined_attributes");
		unsigned bits = 0;

		for (size_t i = 0; i < json_array_size(accesses); i++)
			bits |= strcmp(json_string_value(json_array_get(accesses, i)), "ETE")
					? PLUMB_ACCESS_PMU
					: PLUMB_ACCESS_ETE;
		assert_string_equal(event->name, name);
		same_text(event->title, value, "title");
		same_text(event->description, value, "description");
		same_hex(event->code, value, "code");
		assert_int_equal(event->accesses, bits);
		same_flag(event->architecture_defined, value, "architecture_defined");
		same_flag(event->product_defined, value, "product_defined");
		assert_int_equal(event->has_attributes, attributes != NULL);
		same_flag(event->debug, attributes, "debug");
		event++;
	}
}

static void compare_metrics(const struct plumb_spec *spec, json_t *json)
{
	const struct plumb_metric *metric = spec->metrics;
	const char *name;
	json_t *value;

	assert_int_equal(spec->metric_count, json_object_size(json));
	json_object_foreach(json, name, value)
	{
		assert_string_equal(metric->name, name);
		same_text(metric->title, value, "title");
		same_text(metric->description, value, "description");
		same_text(metric->formula, value, "formula");
		same_text(metric->units, value, "units");
		same_list(spec, metric->events, event_name, json_object_get(value, "events"));
		same_list(spec, metric->sample_events, event_name,
			  json_object_get(value, "sample_events"));
		metric++;
	}
}

static void compare_groups(const struct plumb_spec *spec, const json_t *json)
{
	const struct plumb_metric_group *group = spec->metric_groups;
	const struct plumb_functional_group *function = spec->functional_groups;
	const char *name;
	json_t *value;

	assert_int_equal(spec->metric_group_count,
			 json_object_size(json_object_get(json, "metrics")));
	json_object_foreach(json_object_get(json, "metrics"), name, value)
	{
		assert_string_equal(group->name, name);
		same_text(group->title, value, "title");
		same_text(group->description, value, "description");
		same_list(spec, group->metrics, metric_name, json_object_get(value, "metrics"));
		group++;
	}
	assert_int_equal(spec->functional_group_count,
			 json_object_size(json_object_get(json, "function")));
	json_object_foreach(json_object_get(json, "function"), name, value)
	{
		assert_string_equal(function->name, name);
		same_text(function->title, value, "title");
		same_text(function->description, value, "description");
		same_list(spec, function->events, event_name, json_object_get(value, "events"));
		function++;
	}
}

static void compare_tree(const struct plumb_spec *spec, const struct plumb_methodology *ours,
			 const json_t *json)
{
	const json_t *roots = json_object_get(json, "root_nodes");
	size_t index, item_index;
	json_t *value, *item;

	assert_int_equal(ours->roots.count, json_array_size(roots));
	for (uint16_t i = 0; i < ours->roots.count; i++) {
		assert_true(ours->roots.at[i] < ours->node_count);
		assert_string_equal(metric_name(spec, ours->nodes[ours->roots.at[i]].metric),
				    json_string_value(json_array_get(roots, i)));
	}
	assert_int_equal(ours->node_count, json_array_size(json_object_get(json, "metrics")));
	json_array_foreach(json_object_get(json, "metrics"), index, value)
	{
		const struct plumb_node *node = &ours->nodes[index];
		const json_t *items = json_object_get(value, "next_items");

		same_text(metric_name(spec, node->metric), value, "name");
		same_text(group_name(spec, node->group), value, "group");
		same_list(spec, node->sample_events, event_name,
			  json_object_get(value, "sample_events"));
		assert_int_equal(node->next_item_count, json_array_size(items));
		json_array_foreach(items, item_index, item)
		{
			const struct plumb_next_item *next = &node->next_items[item_index];

			assert_string_equal(next->kind == PLUMB_ITEM_METRIC
						    ? metric_name(spec, next->index)
						    : group_name(spec, next->index),
					    json_string_value(item));
			compared++;
		}
	}
}

static void compare_methodologies(const struct plumb_spec *spec, json_t *json)
{
	const struct plumb_methodology *ours = spec->methodologies;
	const char *name, *stage_name;
	json_t *value, *groups;

	assert_int_equal(spec->methodology_count, json_object_size(json));
	json_object_foreach(json, name, value)
	{
		const struct plumb_stage *stage = ours->stages;
		json_t *stages = json_object_get(value, "metric_grouping");

		assert_string_equal(ours->name, name);
		same_text(ours->title, value, "title");
		same_text(ours->description, value, "description");
		assert_int_equal(ours->stage_count, json_object_size(stages));
		json_object_foreach(stages, stage_name, groups)
		{
			assert_string_equal(stage->name, stage_name);
			same_list(spec, stage->groups, group_name, groups);
			stage++;
		}
		compare_tree(spec, ours, json_object_get(value, "decision_tree"));
		ours++;
	}
}

static void compare(const struct plumb_spec *spec, const json_t *json)
{
	compare_head(spec, json);
	compare_events(spec, json_object_get(json, "events"));
	compare_metrics(spec, json_object_get(json, "metrics"));
	compare_groups(spec, json_object_get(json, "groups"));
	compare_methodologies(spec, json_object_get(json, "methodologies"));
}

/* How often a list of groups of `json` repeats something. */
static size_t count_repeats(const json_t *json)
{
	json_t *groups = json_object_get(json_object_get(json, "groups"), "metrics"), *group;
	size_t repeats = 0;
	const char *name;

	json_object_foreach(groups, name, group)
	{
		const json_t *list = json_object_get(group, "metrics");

		for (size_t i = 0; i < json_array_size(list); i++)
			for (size_t k = 0; k < i; k++)
				if (json_equal(json_array_get(list, i), json_array_get(list, k))) {
					repeats++;
					break;
				}
	}
	return repeats;
}

static void arms_files_are_read_as_they_are(void **state)
{
	glob_t files = arms_cpu_files();

	(void)state;
	assert_int_equal(files.gl_pathc, 17);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		json_t *json = json_load_file(files.gl_pathv[i], 0, NULL);
		bool orphan = strstr(files.gl_pathv[i], "neoverse_n3") ||
			      strstr(files.gl_pathv[i], "neoverse_v3");
		const struct plumb_diagnostic *d;
		size_t orphans = 0, repeats = 0;
		struct plumb_spec *spec;

		assert_int_equal(plumb_spec_read_file(files.gl_pathv[i], &spec, diagnostics), 0);
		assert_string_equal(spec->file, files.gl_pathv[i]);
		compare(spec, json);
		for (size_t k = 0; (d = plumb_diagnostics_get(diagnostics, k)); k++) {
			orphans += strcmp(d->id, "unreachable-node") == 0;
			repeats += strcmp(d->id, "duplicate-item") == 0;
		}
		assert_int_equal(orphans, orphan);
		assert_int_equal(repeats, count_repeats(json));
		assert_int_equal(plumb_diagnostics_warnings(diagnostics), orphans + repeats);
		assert_int_equal(plumb_diagnostics_errors(diagnostics), 0);
		json_decref(json);
		plumb_spec_free(spec);
		plumb_diagnostics_free(diagnostics);
	}
	globfree(&files);
	print_message("# %zu values compared\n", compared);
	assert_true(compared > 40000);
}

static void ids_are_made_of_product_and_revision(void **state)
{
	static const char *const pairs[][2] = {
		{"Small Core 1", "small-core-1-r1p2"},
		{"C1-Pro", "c1-pro-r1p2"},
		{"  A__b!! ", "a-b-r1p2"},
		{"\xc3\xa9t\xc3\xa9", "t-r1p2"},
		{"--", "-r1p2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *text = replace_first(small_json, "Small Core 1", pairs[i][0]);
		struct plumb_spec *spec;

		assert_int_equal(spec_read_memory(text, strlen(text), NULL, &spec, NULL), 0);
		assert_string_equal(spec->id, pairs[i][1]);
		assert_null(spec->file);
		plumb_spec_free(spec);
		free(text);
	}
}

static void what_may_be_left_out_may(void **state)
{
	static const char *const edits[][2] = {
		{"  \"$schema\": \"v1.0.schema.json\",\n", ""},
		{",\n    \"num_slots\": 4,\n    \"num_bus_slots\": 999", ""},
		{"        \"events\": [\"CYCLES\", \"STALLS\", \"OWN\"]",
		 "        \"events\": null"},
		{"\"title\": \"Stalls\"",
		 "\"title\": \"Stalls\", \"properties\": null, \"system\": "
		 "false, \"product_defined_attributes\": null"},
		{"\"quality\": \"Test\"",
		 "\"quality\": \"Test\", \"sha1\": null, \"revision\": \"7\""},
	};
	char *text = replace_each(small_json, edits, sizeof(edits) / sizeof(edits[0]));
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *spec;

	(void)state;
	assert_int_equal(spec_read_memory(text, strlen(text), NULL, &spec, diagnostics), 0);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 0);
	assert_int_equal(spec->product.slots, 0);
	assert_int_equal(spec->functional_groups[0].events.count, 0);
	assert_false(spec->events[1].has_attributes);
	assert_null(spec->document.sha1);
	assert_string_equal(spec->document.revision, "7");
	plumb_spec_free(spec);
	plumb_diagnostics_free(diagnostics);
	free(text);
}

/* ---- what is not a specification ---------------------------------------------------------- */

/* Reads bytes and expects one finding. */
static void expect_one(const void *bytes, size_t size, int result, const char *id, unsigned line,
		       unsigned column)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_diagnostic *d;
	struct plumb_spec *spec;

	assert_int_equal(spec_read_memory(bytes, size, "bytes", &spec, diagnostics), result);
	assert_null(spec);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	d = plumb_diagnostics_get(diagnostics, 0);
	assert_string_equal(d->id, id);
	assert_string_equal(d->file, "bytes");
	assert_int_equal(d->severity, PLUMB_ERROR);
	assert_int_equal(d->line, line);
	assert_int_equal(d->column, column);
	plumb_diagnostics_free(diagnostics);
}

#define EXPECT_ONE(literal, result, id, line, column) \
	expect_one(literal, sizeof(literal) - 1, result, id, line, column)

/* The column is jansson's: after the text that it could not parse. */
static void what_is_not_json_says_so(void **state)
{
	(void)state;
	EXPECT_ONE("", PLUMB_ERR_SYNTAX, "empty-file", 0, 0);
	EXPECT_ONE(" \n\t\r\n", PLUMB_ERR_SYNTAX, "empty-file", 0, 0);
	EXPECT_ONE("{\n \"a\": oops}", PLUMB_ERR_SYNTAX, "bad-json", 2, 11);
	EXPECT_ONE("\"text\"", PLUMB_ERR_SYNTAX, "bad-json", 1, 7);
	EXPECT_ONE("{} {}", PLUMB_ERR_SYNTAX, "bad-json", 1, 5);
	EXPECT_ONE("{\"a\": \"b\0c\"}", PLUMB_ERR_SYNTAX, "bad-json", 1, 9);
	EXPECT_ONE("{\"a\": \"\\u0000\"}", PLUMB_ERR_SYNTAX, "bad-json", 1, 15);
	EXPECT_ONE("{\"a\": 99999999999999999999}", PLUMB_ERR_SYNTAX, "bad-json", 1, 27);
	EXPECT_ONE("{\"a\": \"\xff\"}", PLUMB_ERR_SYNTAX, "bad-utf8", 1, 8);
	EXPECT_ONE("{\"a\": \"\xc0\x80\"}", PLUMB_ERR_SYNTAX, "bad-utf8", 1, 8);
	EXPECT_ONE("{\"a\": \"\xed\xa0\x80\"}", PLUMB_ERR_SYNTAX, "bad-utf8", 1, 8);
	EXPECT_ONE("{\"\xe2\x82\": 0}", PLUMB_ERR_SYNTAX, "bad-utf8", 1, 3);
}

static void a_byte_order_mark_is_told(void **state)
{
	static const char *const texts[] = {"\xef\xbb\xbf{}", "\xff\xfe{", "\xfe\xff"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		struct plumb_spec *spec;

		spec_read_memory(texts[i], strlen(texts[i]), NULL, &spec, diagnostics);
		assert_non_null(
			strstr(plumb_diagnostics_get(diagnostics, 0)->hint, "byte order mark"));
		plumb_diagnostics_free(diagnostics);
	}
}

static void other_json_is_told_from_a_specification(void **state)
{
	(void)state;
	EXPECT_ONE("{}", PLUMB_ERR_INVALID, "not-specification", 1, 1);
	EXPECT_ONE("\n [1, 2]", PLUMB_ERR_INVALID, "not-specification", 2, 2);
	EXPECT_ONE("{\"0x41d0c\": {\"name\": \"x\"}}", PLUMB_ERR_INVALID, "not-specification", 1,
		   1);
	EXPECT_ONE("{\"components\": {}, \"events\": {}}", PLUMB_ERR_UNSUPPORTED, "not-cpu", 1, 1);
}

static void arms_other_files_are_told_from_a_cpus(void **state)
{
	static const struct {
		const char *file;
		int result;
		const char *id;
	} cases[] = {
		{"cpu/mapping.json", PLUMB_ERR_INVALID, "not-specification"},
		{"cmn/cmn_700_r0p0_pmu.json", PLUMB_ERR_UNSUPPORTED, "not-cpu"},
		{"schema/cpu-v1.0.schema.json", PLUMB_ERR_INVALID, "not-specification"},
	};
	glob_t files = arms_cpu_files();

	(void)state;
	globfree(&files);
	for (size_t i = 0; i < 3; i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		struct plumb_spec *spec;
		char name[4096];

		snprintf(name, sizeof(name), "%s/mrs/%s", getenv("PLUMB_REFERENCE"), cases[i].file);
		assert_int_equal(plumb_spec_read_file(name, &spec, diagnostics), cases[i].result);
		assert_null(spec);
		assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
		assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, cases[i].id);
		plumb_diagnostics_free(diagnostics);
	}
}

/* Other missing members follow from the first one: only that is reported. */
static void references_to_what_was_not_read_are_not_reported(void **state)
{
	char *text = replace_first(small_json, "\"events\": {", "\"event\": {");
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *spec;

	(void)state;
	assert_int_equal(spec_read_memory(text, strlen(text), NULL, &spec, diagnostics),
			 PLUMB_ERR_INVALID);
	/* Formulas do say what they miss: they are checked as such. */
	assert_int_equal(plumb_diagnostics_count(diagnostics), 5);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->path, "/event");
	assert_string_equal(plumb_diagnostics_get(diagnostics, 1)->path, "/events");
	assert_string_equal(plumb_diagnostics_get(diagnostics, 1)->id, "missing-member");
	for (size_t i = 2; i < 5; i++)
		assert_string_equal(plumb_diagnostics_get(diagnostics, i)->id,
				    "formula-unknown-name");
	plumb_diagnostics_free(diagnostics);
	free(text);
}

/* ---- limits ------------------------------------------------------------------------------- */

static void deep_nesting_is_refused(void **state)
{
	const size_t deep = 10000;
	char *text = malloc(6 * deep);
	size_t at = 0;

	(void)state;
	assert_non_null(text);
	memset(text, '[', deep);
	memset(text + deep, ']', deep);
	expect_one(text, 2 * deep, PLUMB_ERR_LIMIT, "too-deep", 1, 65);
	for (size_t i = 0; i < deep; i++)
		at += (size_t)sprintf(text + at, "{\"a\":");
	expect_one(text, at, PLUMB_ERR_LIMIT, "too-deep", 1, 64 * 5 + 1);
	free(text);
}

/* As many events as there are indexes for, and one more. */
static void the_number_of_events_is_bounded(void **state)
{
	static const char event[] = "\"E%d\":{\"code\":\"0x0\"},";
	char *many = malloc(PLUMB_NONE * sizeof(event) * 2);

	(void)state;
	if (!many) {
		fail();
		return;
	}
	for (int count = PLUMB_NONE - 1; count <= PLUMB_NONE; count++) {
		size_t at = (size_t)sprintf(many, "\"events\": {\n");
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		struct plumb_spec *spec;
		char *text;

		/* The specification has four of its own. */
		for (int i = 0; i < count - 4; i++)
			at += (size_t)sprintf(many + at, event, i);
		text = replace_first(small_json, "\"events\": {", many);
		if (count < PLUMB_NONE) {
			assert_int_equal(
				spec_read_memory(text, strlen(text), NULL, &spec, diagnostics), 0);
			assert_int_equal(spec->event_count, count);
			assert_int_equal(plumb_diagnostics_warnings(diagnostics), count - 4);
			plumb_spec_free(spec);
		} else {
			assert_int_equal(
				spec_read_memory(text, strlen(text), NULL, &spec, diagnostics),
				PLUMB_ERR_LIMIT);
			assert_null(spec);
			assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, "too-many");
			assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->path, "/events");
		}
		plumb_diagnostics_free(diagnostics);
		free(text);
	}
	free(many);
}

static void expect_of_file(const char *file, int result, const char *id)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *spec;

	assert_int_equal(plumb_spec_read_file(file, &spec, diagnostics), result);
	assert_null(spec);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->id, id);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->file, file);
	plumb_diagnostics_free(diagnostics);
}

static void a_file_of_100_megabytes_is_refused(void **state)
{
	FILE *file = fopen(path, "wb");

	(void)state;
	assert_non_null(file);
	fputs(small_json, file);
	assert_int_equal(ftruncate(fileno(file), 100 << 20), 0);
	fclose(file);
	expect_of_file(path, PLUMB_ERR_LIMIT, "too-large");
	unlink(path);
	expect_of_file("/dev/zero", PLUMB_ERR_LIMIT, "too-large");
}

/* Blanks up to the last byte that is accepted, and one more. */
static void the_largest_file_is_read(void **state)
{
	char *blanks = malloc(1u << 20);
	size_t written = strlen(small_json);
	struct plumb_spec *spec;
	FILE *file = fopen(path, "wb");

	(void)state;
	assert_non_null(blanks);
	assert_non_null(file);
	memset(blanks, ' ', 1u << 20);
	fputs(small_json, file);
	while (written < PLUMB_SPEC_MAX_BYTES) {
		size_t left = PLUMB_SPEC_MAX_BYTES - written;

		written += fwrite(blanks, 1, left < 1u << 20 ? left : 1u << 20, file);
	}
	fflush(file);
	assert_int_equal(plumb_spec_read_file(path, &spec, NULL), 0);
	assert_int_equal(spec->event_count, 4);
	plumb_spec_free(spec);
	fputc('\n', file);
	fclose(file);
	expect_of_file(path, PLUMB_ERR_LIMIT, "too-large");
	/* Also in memory, without looking at it. */
	expect_one(blanks, PLUMB_SPEC_MAX_BYTES + 1, PLUMB_ERR_LIMIT, "too-large", 0, 0);
	unlink(path);
	free(blanks);
}

static void what_cannot_be_read_says_why(void **state)
{
	(void)state;
	expect_of_file("/nowhere/at/all", PLUMB_ERR_IO, "cannot-read");
	expect_of_file("/tmp", PLUMB_ERR_IO, "cannot-read");
	expect_of_file("/dev/null", PLUMB_ERR_SYNTAX, "empty-file");
}

static void *feed(void *text)
{
	FILE *pipe = fopen(path, "wb");

	for (const char *c = text; *c; c++)
		fputc(*c, pipe);
	fclose(pipe);
	return NULL;
}

static void a_pipe_is_read_like_a_file(void **state)
{
	struct plumb_spec *spec;
	pthread_t writer;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	pthread_create(&writer, NULL, feed, (void *)(uintptr_t)small_json);
	assert_int_equal(plumb_spec_read_file(path, &spec, NULL), 0);
	pthread_join(writer, NULL);
	assert_int_equal(spec->metric_count, 3);
	plumb_spec_free(spec);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arms_files_are_read_as_they_are),
		cmocka_unit_test(ids_are_made_of_product_and_revision),
		cmocka_unit_test(what_may_be_left_out_may),
		cmocka_unit_test(what_is_not_json_says_so),
		cmocka_unit_test(a_byte_order_mark_is_told),
		cmocka_unit_test(other_json_is_told_from_a_specification),
		cmocka_unit_test(arms_other_files_are_told_from_a_cpus),
		cmocka_unit_test(references_to_what_was_not_read_are_not_reported),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(the_number_of_events_is_bounded),
		cmocka_unit_test(a_file_of_100_megabytes_is_refused),
		cmocka_unit_test(the_largest_file_is_read),
		cmocka_unit_test(what_cannot_be_read_says_why),
		cmocka_unit_test(a_pipe_is_read_like_a_file),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
