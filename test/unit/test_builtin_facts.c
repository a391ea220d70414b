/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the built-in specifications to Arm's machine-readable ones, fact by fact. Arm's files are
 * read here with jansson alone, so that our own reader cannot hide a mistake.
 */
#include "check.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>

#include "spec/builtin.h"

/* ---- what the Neoverse N3 document (109530) says otherwise; doc/specifications.md ---------- */

static const struct {
	const char *arms, *ours;
} n3_renamed[] = {
	{"IMP_LS_RAR_HAZARD", "IMP_LS_RAR"},
	{"IMP_LS_RAW_HAZARD", "IMP_LS_RAW"},
	{"IMP_L2_CHI_RX_CBUSY_0", "IMP_L2_CHI_CBUSY0"},
	{"IMP_L2_CHI_RX_CBUSY_1", "IMP_L2_CHI_CBUSY1"},
	{"IMP_L2_CHI_RX_CBUSY_2", "IMP_L2_CHI_CBUSY2"},
	{"IMP_L2_CHI_RX_CBUSY_3", "IMP_L2_CHI_CBUSY3"},
	{"IMP_L2_CHI_RX_CBUSY_MT", "IMP_L2_CHI_CBUSY_MT"},
};
static const struct {
	const char *event, *title;
} n3_retitled[] = {
	{"IMP_LS_RAR", "Loadstore detected nuke due to read-after-read ordering hazard"},
	{"IMP_LS_RAW", "Loadstore detected nuke due to read-after-write ordering hazard"},
	{"ASE_SPEC", "Operation speculatively executed, Advanced SIMD"},
};
static const struct {
	const char *node, *item;
} n3_next[] = {
	{"frontend_bound", "Topdown_Frontend"},  {"backend_bound", "Topdown_Backend"},
	{"retiring", "FP_Arithmetic_Intensity"}, {"retiring", "FP_Precision_Mix"},
	{"retiring", "SVE_Effectiveness"},       {"frontend_core_bound", "Branch_Effectiveness"},
};
static const char n3_dropped_group[] = "CPU_Debug";

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static json_t *member(const json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	if (!value)
		fail_msg("Arm's file has no \"%s\" where one is expected", name);
	return value;
}

static json_t *topdown(const json_t *file)
{
	return member(member(file, "methodologies"), "topdown_methodology");
}

/* `events` anew, one of them under another name, in the same order. */
static json_t *renamed(json_t *events, const char *old, const char *name)
{
	json_t *copy = json_object();
	const char *key;
	json_t *event;

	member(events, old);
	json_object_foreach(events, key, event)
		json_object_set(copy, strcmp(key, old) ? key : name, event);
	return copy;
}

/* Changes Arm's file to what the document says. Every difference must still be one. */
static void apply_n3_document(json_t *file)
{
	json_t *functions = member(member(file, "groups"), "function");
	json_t *nodes = member(member(topdown(file), "decision_tree"), "metrics");

	assert_int_equal(json_object_del(functions, n3_dropped_group), 0);
	for (size_t i = 0; i < LENGTH(n3_renamed); i++)
		json_object_set_new(
			file, "events",
			renamed(member(file, "events"), n3_renamed[i].arms, n3_renamed[i].ours));
	for (size_t i = 0; i < LENGTH(n3_retitled); i++) {
		json_t *event = member(member(file, "events"), n3_retitled[i].event);

		assert_string_not_equal(json_string_value(member(event, "title")),
					n3_retitled[i].title);
		json_object_set_new(event, "title", json_string(n3_retitled[i].title));
	}
	for (size_t i = 0; i < LENGTH(n3_next); i++) {
		size_t at, found = 0;
		json_t *node, *item;

		json_array_foreach(nodes, at, node)
		{
			size_t j;

			if (strcmp(json_string_value(member(node, "name")), n3_next[i].node) != 0)
				continue;
			found++;
			json_array_foreach(member(node, "next_items"), j, item)
				assert_string_not_equal(json_string_value(item), n3_next[i].item);
			json_array_append_new(member(node, "next_items"),
					      json_string(n3_next[i].item));
		}
		assert_int_equal(found, 1);
	}
}

/* ---- comparing ----------------------------------------------------------------------------- */

static size_t facts;    /* how many were compared */
static char where[256]; /* what is being compared, for messages */

__attribute__((format(printf, 1, 2))) static void at(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(where, sizeof(where), format, arguments);
	va_end(arguments);
}

static void same_text(const char *what, const char *ours, const json_t *arms)
{
	const char *text = json_string_value(arms);

	if (!text || !ours || strcmp(ours, text) != 0)
		fail_msg("%s: %s is \"%s\", Arm says \"%s\"", where, what, ours ? ours : "(none)",
			 text ? text : "(no text)");
	facts++;
}

/* Arm's files end one title in a blank, which is no part of it. */
static void same_title(const char *ours, const json_t *arms)
{
	char title[512];
	size_t length;

	assert_non_null(json_string_value(arms));
	length = json_string_length(arms);
	assert_true(length > 0 && length < sizeof(title));
	memcpy(title, json_string_value(arms), length + 1);
	while (length > 0 && title[length - 1] == ' ')
		title[--length] = '\0';
	if (strcmp(ours, title) != 0)
		fail_msg("%s: title is \"%s\", Arm says \"%s\"", where, ours, title);
	facts++;
}

static void same_number(const char *what, long long ours, long long arms)
{
	if (ours != arms)
		fail_msg("%s: %s is %lld, Arm says %lld", where, what, ours, arms);
	facts++;
}

/* A number that Arm's files give as text, hexadecimal or decimal. */
static long long number_of(const json_t *text)
{
	char *end;
	long long number;

	assert_non_null(json_string_value(text));
	number = strtoll(json_string_value(text), &end, 0);
	assert_true(*json_string_value(text) && !*end);
	return number;
}

/* Our own sentence, not Arm's. */
static void own_words(const char *ours, const json_t *arms)
{
	assert_non_null(json_string_value(arms));
	if (strcmp(ours, json_string_value(arms)) == 0)
		fail_msg("%s: the description is Arm's", where);
}

enum what { EVENTS, METRICS, GROUPS };

static const char *name_of(const struct plumb_spec *spec, enum what what, uint16_t index)
{
	static const char *const kinds[] = {"events", "metrics", "metric groups"};
	const uint16_t counts[] = {spec->event_count, spec->metric_count, spec->metric_group_count};

	if (index >= counts[what])
		fail_msg("%s: index %u is beyond the %s", where, index, kinds[what]);
	if (what == EVENTS)
		return spec->events[index].name;
	return what == METRICS ? spec->metrics[index].name : spec->metric_groups[index].name;
}

/* A list of names, in order. */
static void same_names(const struct plumb_spec *spec, enum what what, struct plumb_indexes ours,
		       const json_t *arms)
{
	same_number("the length of a list", ours.count, (long long)json_array_size(arms));
	for (uint16_t i = 0; i < ours.count; i++)
		same_text("a name in a list", name_of(spec, what, ours.at[i]),
			  json_array_get(arms, i));
}

static void compare_product(const struct plumb_spec *spec, const json_t *file)
{
	const struct plumb_product *ours = &spec->product;
	const json_t *arms = member(file, "product_configuration");

	at("%s: product", spec->id);
	same_text("name", ours->name, member(arms, "product_name"));
	same_text("architecture", ours->architecture, member(arms, "architecture"));
	same_text("PMU architecture", ours->pmu_architecture, member(arms, "pmu_architecture"));
	same_number("implementer", ours->implementer, number_of(member(arms, "implementer")));
	same_number("part", ours->part, number_of(member(arms, "part_num")));
	same_number("major revision", ours->major_revision,
		    number_of(member(arms, "major_revision")));
	same_number("minor revision", ours->minor_revision,
		    number_of(member(arms, "minor_revision")));
	same_number("slots", ours->slots, json_integer_value(member(arms, "num_slots")));
	same_number("bus slots", ours->bus_slots,
		    json_integer_value(member(arms, "num_bus_slots")));
	same_text("quality", spec->document.quality, member(member(file, "document"), "quality"));
}

static void compare_event(const struct plumb_event *ours, const json_t *arms)
{
	const json_t *attributes = json_object_get(arms, "product_defined_attributes");
	const json_t *access;
	unsigned accesses = 0;
	size_t i;

	same_number("code", ours->code, number_of(member(arms, "code")));
	same_title(ours->title, member(arms, "title"));
	json_array_foreach(member(arms, "accesses"), i, access) accesses |=
		strcmp(json_string_value(access), "PMU") == 0 ? PLUMB_ACCESS_PMU : PLUMB_ACCESS_ETE;
	same_number("accesses", ours->accesses, accesses);
	same_number("architecture_defined", ours->architecture_defined,
		    json_is_true(member(arms, "architecture_defined")));
	same_number("product_defined", ours->product_defined,
		    json_is_true(member(arms, "product_defined")));
	same_number("having attributes", ours->has_attributes, json_is_object(attributes));
	same_number("debug", ours->debug, json_is_true(json_object_get(attributes, "debug")));
	own_words(ours->description, member(arms, "description"));
}

static void compare_events(const struct plumb_spec *spec, const json_t *file)
{
	json_t *events = member(file, "events"), *arms;
	const char *name;
	uint16_t i = 0;

	at("%s: events", spec->id);
	same_number("their number", spec->event_count, (long long)json_object_size(events));
	json_object_foreach(events, name, arms)
	{
		at("%s: event %s", spec->id, name);
		if (strcmp(spec->events[i].name, name) != 0)
			fail_msg("%s: %s is in its place", where, spec->events[i].name);
		facts++;
		compare_event(&spec->events[i++], arms);
	}
}

static void compare_metrics(const struct plumb_spec *spec, const json_t *file)
{
	json_t *metrics = member(file, "metrics"), *arms;
	const char *name;
	uint16_t i = 0;

	at("%s: metrics", spec->id);
	same_number("their number", spec->metric_count, (long long)json_object_size(metrics));
	json_object_foreach(metrics, name, arms)
	{
		const struct plumb_metric *ours = &spec->metrics[i++];

		at("%s: metric %s", spec->id, name);
		if (strcmp(ours->name, name) != 0)
			fail_msg("%s: %s is in its place", where, ours->name);
		facts++;
		same_title(ours->title, member(arms, "title"));
		same_text("formula", ours->formula, member(arms, "formula"));
		same_text("units", ours->units, member(arms, "units"));
		same_names(spec, EVENTS, ours->events, member(arms, "events"));
		same_names(spec, EVENTS, ours->sample_events, member(arms, "sample_events"));
		own_words(ours->description, member(arms, "description"));
	}
}

static void compare_metric_groups(const struct plumb_spec *spec, const json_t *file)
{
	json_t *groups = member(member(file, "groups"), "metrics"), *arms;
	const char *name;
	uint16_t i = 0;

	at("%s: metric groups", spec->id);
	same_number("their number", spec->metric_group_count, (long long)json_object_size(groups));
	json_object_foreach(groups, name, arms)
	{
		const struct plumb_metric_group *ours = &spec->metric_groups[i++];

		at("%s: metric group %s", spec->id, name);
		if (strcmp(ours->name, name) != 0)
			fail_msg("%s: %s is in its place", where, ours->name);
		facts++;
		same_title(ours->title, member(arms, "title"));
		same_names(spec, METRICS, ours->metrics, member(arms, "metrics"));
		own_words(ours->description, member(arms, "description"));
	}
}

static void compare_functional_groups(const struct plumb_spec *spec, const json_t *file)
{
	json_t *groups = member(member(file, "groups"), "function"), *arms;
	const char *name;
	uint16_t i = 0;

	at("%s: functional groups", spec->id);
	same_number("their number", spec->functional_group_count,
		    (long long)json_object_size(groups));
	json_object_foreach(groups, name, arms)
	{
		const struct plumb_functional_group *ours = &spec->functional_groups[i++];

		at("%s: functional group %s", spec->id, name);
		if (strcmp(ours->name, name) != 0)
			fail_msg("%s: %s is in its place", where, ours->name);
		facts++;
		same_title(ours->title, member(arms, "title"));
		same_names(spec, EVENTS, ours->events, member(arms, "events"));
		own_words(ours->description, member(arms, "description"));
	}
}

static void compare_node(const struct plumb_spec *spec, const struct plumb_node *ours,
			 const json_t *arms, const json_t *file)
{
	const json_t *items = member(arms, "next_items");

	same_text("name", name_of(spec, METRICS, ours->metric), member(arms, "name"));
	same_text("group", name_of(spec, GROUPS, ours->group), member(arms, "group"));
	same_number("next items", ours->next_item_count, (long long)json_array_size(items));
	for (uint16_t i = 0; i < ours->next_item_count; i++) {
		const struct plumb_next_item *item = &ours->next_items[i];
		const json_t *name = json_array_get(items, i);
		bool metric = json_object_get(member(file, "metrics"), json_string_value(name));

		same_number("the kind of a next item", item->kind,
			    metric ? PLUMB_ITEM_METRIC : PLUMB_ITEM_METRIC_GROUP);
		same_text("a next item", name_of(spec, metric ? METRICS : GROUPS, item->index),
			  name);
	}
	same_names(spec, EVENTS, ours->sample_events, member(arms, "sample_events"));
}

static void compare_methodology(const struct plumb_spec *spec, const json_t *file)
{
	const struct plumb_methodology *ours = spec->methodologies;
	json_t *stages = member(topdown(file), "metric_grouping"), *groups;
	const json_t *tree = member(topdown(file), "decision_tree");
	const json_t *roots = member(tree, "root_nodes"), *nodes = member(tree, "metrics");
	const char *name;
	uint16_t i = 0;

	at("%s: methodology", spec->id);
	same_number("methodologies", spec->methodology_count,
		    (long long)json_object_size(member(file, "methodologies")));
	same_title(ours->title, member(topdown(file), "title"));
	own_words(ours->description, member(topdown(file), "description"));
	same_number("stages", ours->stage_count, (long long)json_object_size(stages));
	json_object_foreach(stages, name, groups)
	{
		at("%s: %s", spec->id, name);
		assert_string_equal(ours->stages[i].name, name);
		facts++;
		same_names(spec, GROUPS, ours->stages[i++].groups, groups);
	}
	at("%s: decision tree", spec->id);
	same_number("roots", ours->roots.count, (long long)json_array_size(roots));
	for (i = 0; i < ours->roots.count; i++) {
		assert_in_range(ours->roots.at[i], 0, ours->node_count - 1);
		same_text("a root", name_of(spec, METRICS, ours->nodes[ours->roots.at[i]].metric),
			  json_array_get(roots, i));
	}
	same_number("nodes", ours->node_count, (long long)json_array_size(nodes));
	for (i = 0; i < ours->node_count; i++) {
		at("%s: node %u", spec->id, i);
		compare_node(spec, &ours->nodes[i], json_array_get(nodes, i), file);
	}
}

/* ---- Arm's files --------------------------------------------------------------------------- */

/* The folder of Arm's files, or NULL. */
static const char *arms_folder(void)
{
	static char folder[4096];
	const char *reference = getenv("PLUMB_REFERENCE");
	DIR *opened;

	if (!reference)
		return NULL;
	snprintf(folder, sizeof(folder), "%s/mrs/cpu", reference);
	opened = opendir(folder);
	if (!opened)
		return NULL;
	closedir(opened);
	return folder;
}

static json_t *read_arms(const char *folder, const char *name)
{
	char path[4608];
	json_error_t error;
	json_t *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!file)
		fail_msg("%s: %s", path, error.text);
	return file;
}

/* What Arm calls the file: neoverse_n1_r4p1_pmu.json, arm_c1_pro_r0p0_pmu.json. */
static const char *arms_name(const char *id)
{
	static char name[128];

	snprintf(name, sizeof(name), "%s%s_pmu.json", strncmp(id, "c1-", 3) ? "" : "arm_", id);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static void test_arms_facts(void **state)
{
	const char *folder = arms_folder();

	(void)state;
	if (!folder) {
		skip_because("Arm's specifications are not here: set PLUMB_REFERENCE");
	}
	facts = 0;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		const struct plumb_spec *spec = plumb_spec_builtin(i);
		json_t *file = read_arms(folder, arms_name(spec->id));

		if (strcmp(spec->id, "neoverse-n3-r0p0") == 0)
			apply_n3_document(file);
		compare_product(spec, file);
		compare_events(spec, file);
		compare_metrics(spec, file);
		compare_metric_groups(spec, file);
		compare_functional_groups(spec, file);
		compare_methodology(spec, file);
		json_decref(file);
	}
	print_message("# compared %zu facts of %zu CPUs, %zu of them as the N3 document says\n",
		      facts, plumb_spec_builtin_count(),
		      LENGTH(n3_renamed) + LENGTH(n3_retitled) + LENGTH(n3_next) + 1);
	assert_true(facts > 10000);
}

/* Arm's folder has no CPU that is not built in. */
static void test_all_of_arms_cpus(void **state)
{
	const char *folder = arms_folder();
	struct dirent *entry;
	size_t files = 0;
	DIR *opened;

	(void)state;
	if (!folder) {
		skip_because("Arm's specifications are not here: set PLUMB_REFERENCE");
	}
	opened = opendir(folder);
	while ((entry = readdir(opened))) {
		size_t length = strlen(entry->d_name);

		files += length > 9 && strcmp(entry->d_name + length - 9, "_pmu.json") == 0;
	}
	closedir(opened);
	assert_int_equal(files, 17);
	assert_int_equal(plumb_spec_builtin_count(), files);
}

static void test_arms_mapping(void **state)
{
	const char *folder = arms_folder(), *key;
	json_t *mapping, *entry;
	size_t midrs = 0;

	(void)state;
	if (!folder) {
		skip_because("Arm's specifications are not here: set PLUMB_REFERENCE");
	}
	mapping = read_arms(folder, "mapping.json");
	same_number("entries", (long long)builtin_midr_count, (long long)json_object_size(mapping));
	json_object_foreach(mapping, key, entry)
	{
		uint32_t number = (uint32_t)strtoul(key, NULL, 16), midr = number;
		const struct plumb_spec *spec;
		char name[128];

		/* Implementer and part alone: any revision, here one that no entry names. */
		if (strlen(key) == strlen("0x41d0c"))
			midr = number >> 12 << 24 | 0xfu << 20 | 0xfu << 16 |
			       (number & 0xfff) << 4 | 0xf;
		spec = plumb_spec_for_midr(midr);
		assert_non_null(spec);
		snprintf(name, sizeof(name), "%s.json", json_string_value(member(entry, "name")));
		assert_string_equal(arms_name(spec->id), name);
		midrs++;
	}
	json_decref(mapping);
	print_message("# compared %zu entries of mapping.json\n", midrs);
	assert_int_equal(midrs, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arms_facts),
		cmocka_unit_test(test_all_of_arms_cpus),
		cmocka_unit_test(test_arms_mapping),
	};

	return cmocka_run_group_tests_name("builtin_facts", tests, NULL, NULL);
}
