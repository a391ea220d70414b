/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/read_mrs.h"

#include "check.h"

#include <glob.h>
#include <jansson.h>

#include "exported.h"
#include "small_spec.h"

/* Words, separated by blanks. */
struct words {
	char text[1000];
	size_t length;
};

static void add_word(struct words *words, const char *word)
{
	int added = snprintf(words->text + words->length, sizeof(words->text) - words->length,
			     "%s%s", words->length ? " " : "", word);

	assert_true(added > 0 && (size_t)added < sizeof(words->text) - words->length);
	words->length += (size_t)added;
}

/* The names of an object's members, in order. */
static void assert_members(json_t *object, const char *expected)
{
	struct words names = {0};
	const char *key;
	json_t *value;

	assert_true(json_is_object(object));
	json_object_foreach(object, key, value) add_word(&names, key);
	assert_string_equal(names.text, expected);
}

/* The strings of an array. */
static void assert_strings(const json_t *array, const char *expected)
{
	struct words strings = {0};
	const json_t *element;
	size_t i;

	assert_true(json_is_array(array));
	json_array_foreach(array, i, element) add_word(&strings, json_string_value(element));
	assert_string_equal(strings.text, expected);
}

static json_t *small_json;

static int export_small(void **state)
{
	char *text = exported(&small_spec, "mrs", NULL, NULL);

	(void)state;
	small_json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	return small_json ? 0 : -1;
}

static int free_small(void **state)
{
	(void)state;
	json_decref(small_json);
	return 0;
}

/* A member of a member of ...: "events/CPU_CYCLES". */
static json_t *at(json_t *json, const char *path)
{
	char *copy = strdup(path), *rest = copy;

	for (const char *name; (name = strsep(&rest, "/")) != NULL;)
		json = json_object_get(json, name);
	free(copy);
	return json;
}

static void members_are_in_arms_order(void **state)
{
	(void)state;
	assert_members(small_json, "$schema document product_configuration events metrics groups "
				   "methodologies");
	assert_members(at(small_json, "document"),
		       "timestamp copyright confidential quality license description revision");
	assert_members(at(small_json, "product_configuration"),
		       "product_name part_num major_revision minor_revision implementer "
		       "architecture pmu_architecture num_slots num_bus_slots num_counters");
	assert_members(at(small_json, "events"),
		       "INST_RETIRED CPU_CYCLES STALL_SLOT_BACKEND STALL_SLOT_FRONTEND "
		       "L1D_CACHE_REFILL L1D_CACHE CORE_EVENT CYCLES_AGAIN");
	assert_members(at(small_json, "events/CPU_CYCLES"),
		       "code title description accesses architecture_defined product_defined");
	assert_members(at(small_json, "events/CORE_EVENT"),
		       "code title description accesses architecture_defined product_defined "
		       "product_defined_attributes");
	assert_members(at(small_json, "metrics/ipc"),
		       "title formula description units events sample_events");
	assert_members(at(small_json, "groups"), "function metrics");
	assert_members(at(small_json, "groups/function/Stall"), "title description events");
	assert_members(at(small_json, "groups/metrics/Cache"), "title description metrics");
	assert_members(at(small_json, "methodologies/topdown_methodology"),
		       "title description metric_grouping decision_tree");
}

static void values_are_as_arm_spells_them(void **state)
{
	json_t *product = at(small_json, "product_configuration");
	json_t *event = at(small_json, "events/CORE_EVENT");

	(void)state;
	assert_string_equal(json_string_value(at(small_json, "$schema")), "v1.0.schema.json");
	assert_string_equal(json_string_value(at(product, "part_num")), "0xabc");
	assert_string_equal(json_string_value(at(product, "implementer")), "0x41");
	assert_string_equal(json_string_value(at(product, "major_revision")), "1");
	assert_string_equal(json_string_value(at(product, "minor_revision")), "2");
	assert_int_equal(json_integer_value(at(product, "num_slots")), 5);
	assert_int_equal(json_integer_value(at(product, "num_bus_slots")), 7);
	assert_int_equal(json_integer_value(at(product, "num_counters")), 6);
	assert_true(json_is_false(at(small_json, "document/confidential")));
	assert_string_equal(json_string_value(at(small_json, "document/revision")), "3");

	assert_string_equal(json_string_value(at(event, "code")), "0x0120");
	assert_true(json_is_false(at(event, "architecture_defined")));
	assert_true(json_is_true(at(event, "product_defined")));
	assert_true(json_is_true(at(event, "product_defined_attributes/debug")));
	assert_strings(at(event, "accesses"), "PMU");
	event = at(small_json, "events/CPU_CYCLES");
	assert_string_equal(json_string_value(at(event, "code")), "0x0011");
	assert_string_equal(json_string_value(at(event, "title")), "Cycles");
	assert_strings(at(event, "accesses"), "PMU ETE");
}

static void references_become_names(void **state)
{
	json_t *metric = at(small_json, "metrics/frontend_bound");
	json_t *methodology = at(small_json, "methodologies/topdown_methodology");
	json_t *tree = at(methodology, "decision_tree");
	json_t *node = json_array_get(at(tree, "metrics"), SMALL_NODE_BACKEND);

	(void)state;
	assert_strings(at(metric, "events"), "STALL_SLOT_FRONTEND CPU_CYCLES L1D_CACHE_REFILL");
	assert_strings(at(metric, "sample_events"), "STALL_SLOT_FRONTEND");
	assert_strings(at(small_json, "groups/function/General/events"),
		       "CPU_CYCLES INST_RETIRED CYCLES_AGAIN");
	/* Repeats are kept: they are in Arm's files too. */
	assert_strings(at(small_json, "groups/metrics/Cache/metrics"),
		       "l1d_miss_ratio backend_mem_bound l1d_miss_ratio");
	assert_members(at(methodology, "metric_grouping"), "stage_1 stage_2");
	assert_strings(at(methodology, "metric_grouping/stage_2"), "Cache General");
	assert_strings(at(tree, "root_nodes"), "frontend_bound backend_bound");
	assert_int_equal(json_array_size(at(tree, "metrics")), SMALL_NODE_COUNT);
	assert_members(node, "name group next_items sample_events");
	assert_string_equal(json_string_value(at(node, "name")), "backend_bound");
	assert_string_equal(json_string_value(at(node, "group")), "Topdown_L1");
	assert_strings(at(node, "next_items"), "backend_mem_bound Cache");
	assert_strings(at(node, "sample_events"), "STALL_SLOT_BACKEND");
}

static void what_is_unknown_is_empty_or_left_out(void **state)
{
	struct plumb_spec spec = small_spec;
	char *text;

	(void)state;
	spec.document = (struct plumb_document){.sha1 = "abc"};
	spec.product.counters = 0;
	text = exported(&spec, "mrs", NULL, NULL);
	assert_non_null(strstr(text, "\"timestamp\": \"\",\n"));
	assert_non_null(strstr(text, "\"sha1\": \"abc\"\n"));
	assert_null(strstr(text, "\"revision\""));
	assert_null(strstr(text, "num_counters"));
	free(text);
}

/* Reads what `spec` is written as; it must give no finding worse than a warning. */
static struct plumb_spec *read_back(const struct plumb_spec *spec)
{
	char *text = exported(spec, "mrs", NULL, NULL);
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *read = NULL;
	int result = spec_read_memory(text, strlen(text), spec->id, &read, diagnostics);

	if (result)
		fail_msg("%s: %s: %s", spec->id, plumb_diagnostics_get(diagnostics, 0)->path,
			 plumb_diagnostics_get(diagnostics, 0)->message);
	plumb_diagnostics_free(diagnostics);
	free(text);
	return read;
}

static bool tell_difference(void *user, const char *path, const char *a, const char *b)
{
	print_message("# %s: %s: %s, then %s\n", (const char *)user, path, a ? a : "nothing",
		      b ? b : "nothing");
	return true;
}

/* Written and read, it is the same specification, prose and all. */
static void assert_comes_back(const struct plumb_spec *spec)
{
	struct plumb_spec *read = read_back(spec);
	char id[100];

	snprintf(id, sizeof(id), "%s", spec->id);
	assert_int_equal(plumb_spec_compare(spec, read, true, tell_difference, id), 0);
	plumb_spec_free(read);
}

static void builtin_specifications_come_back(void **state)
{
	(void)state;
	assert_true(plumb_spec_builtin_count() > 0);
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++)
		assert_comes_back(plumb_spec_builtin(i));
	print_message("# %zu specifications\n", plumb_spec_builtin_count());
}

static void arms_files_come_back(void **state)
{
	const char *reference = getenv("PLUMB_REFERENCE");
	char pattern[4096];
	glob_t files = {0};

	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/mrs/cpu/*_pmu.json", reference ? reference : "");
	if (!reference || glob(pattern, 0, NULL, &files) != 0) {
		skip_because("Arm's specifications are not here: set PLUMB_REFERENCE");
	}
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct plumb_spec *spec = NULL;

		assert_int_equal(plumb_spec_read_file(files.gl_pathv[i], &spec, NULL), 0);
		assert_comes_back(spec);
		plumb_spec_free(spec);
	}
	assert_int_equal(files.gl_pathc, 17);
	print_message("# %zu files\n", files.gl_pathc);
	globfree(&files);
}

/* The comparison would tell: what is changed on the way does not come back. */
static void a_change_is_noticed(void **state)
{
	struct plumb_spec changed = *plumb_spec_builtin(0), *read;

	(void)state;
	changed.product.counters++;
	changed.document.quality = "Alpha";
	read = read_back(&changed);
	assert_int_equal(plumb_spec_compare(plumb_spec_builtin(0), read, true, tell_difference,
					    (char[]){"expected"}),
			 2);
	plumb_spec_free(read);
}

/* What has to be escaped, and what is not ASCII. */
static void any_text_comes_back(void **state)
{
	static const char odd[] =
		"\"quotes\" \\ back / slash\n\ttab \x01 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
	struct plumb_spec copy = *plumb_spec_builtin(0);
	struct plumb_event *events = malloc(copy.event_count * sizeof(*events));

	(void)state;
	assert_non_null(events);
	memcpy(events, copy.events, copy.event_count * sizeof(*events));
	events[0].title = odd;
	events[1].description = odd;
	copy.events = events;
	copy.document.description = odd;
	assert_comes_back(&copy);
	free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_in_arms_order),
		cmocka_unit_test(values_are_as_arm_spells_them),
		cmocka_unit_test(references_become_names),
		cmocka_unit_test(what_is_unknown_is_empty_or_left_out),
		cmocka_unit_test(builtin_specifications_come_back),
		cmocka_unit_test(arms_files_come_back),
		cmocka_unit_test(a_change_is_noticed),
		cmocka_unit_test(any_text_comes_back),
	};

	return cmocka_run_group_tests_name("export_mrs", tests, export_small, free_small);
}
