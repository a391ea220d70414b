/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every finding about a specification's text: one thing is made wrong in a small specification,
 * and exactly what is said of it is compared, with its place.
 */
#include "check.h"

#include <stdio.h>

#include <plumb/spec.h>

#include "small_json.h"
#include "spec/read_mrs.h"
#include "spec/report.h"

struct expected {
	const char *id;
	const char *path;
	const char *line_has; /* the first line of the text that holds this; NULL: that of old */
};

struct mistake {
	const char *old; /* the first one in the text ... */
	const char *new; /* ... becomes this */
	struct expected expected[6];
};

#define EVENT(name, code)                                                                      \
	"\"" name "\": {\"code\": " code ", \"title\": \"" name "\", \"description\": \"x\", " \
	"\"accesses\": [\"PMU\"], \"architecture_defined\": true, \"product_defined\": false}"

/* clang-format off */
static const struct mistake mistakes[] = {
	/* Nothing: the small specification has no findings. */
	{"Small", "Tiny", {{NULL, NULL, NULL}}},

	/* The whole. */
	{"\"v1.0.schema.json\"", "\"v2.0.schema.json\"",
	 {{"unknown-schema", "/$schema", NULL}}},
	{"\"$schema\"", "\"_type\": \"Soup\",\n  \"$schema\"",
	 {{"unknown-schema", "/_type", NULL}}},
	{"\"document\": {", "\"instances\": {},\n  \"document\": {",
	 {{"unread-member", "/instances", NULL}}},
	{"\"document\": {", "\"colour\": \"red\",\n  \"document\": {",
	 {{"unknown-member", "/colour", NULL}}},
	{"\"document\": {", "\"a/b~c\\u001b\": 1,\n  \"document\": {",
	 {{"unknown-member", "/a~1b~0c\\u001b", NULL}}},
	{"\"confidential\": false", "\"confidential\": \"no\"",
	 {{"wrong-type", "/document/confidential", NULL}}},
	{"    \"license\": \"Apache-2.0\",\n", "",
	 {{"missing-member", "/document/license", "\"document\""}}},

	/* Whole parts of another type. */
	{"\"function\": {", "\"function\": [[], 2],\n    \"functions\": {",
	 {{"wrong-type", "/groups/function", NULL},
	  {"unknown-member", "/groups/functions", "\"functions\""}}},
	{"\"metric_grouping\": {", "\"metric_grouping\": [\"First\"],\n      \"mg\": {",
	 {{"wrong-type", "/methodologies/topdown/metric_grouping", NULL},
	  {"unknown-member", "/methodologies/topdown/mg", "\"mg\""}}},
	{"\"decision_tree\": {", "\"decision_tree\": \"tall\",\n      \"dt\": {",
	 {{"wrong-type", "/methodologies/topdown/decision_tree", NULL},
	  {"unknown-member", "/methodologies/topdown/dt", "\"dt\""}}},
	{"\"methodologies\": {", "\"methodologies\": [{}],\n  \"methods\": {",
	 {{"wrong-type", "/methodologies", NULL}, {"unknown-member", "/methods", "\"methods\""}}},
	{"\"groups\": {", "\"groups\": 1,\n  \"group\": {",
	 {{"wrong-type", "/groups", NULL}, {"unknown-member", "/group", "\"group\": {"}}},
	{"\"document\": {", "\"document\": [],\n  \"doc\": {",
	 {{"wrong-type", "/document", NULL}, {"unknown-member", "/doc", "\"doc\""}}},
	{"\"product_configuration\": {", "\"product_configuration\": 1,\n  \"pc\": {",
	 {{"wrong-type", "/product_configuration", NULL}, {"unknown-member", "/pc", "\"pc\""}}},

	/* The product. */
	{"\"num_slots\": 4", "\"num_slots\": \"4\"",
	 {{"wrong-type", "/product_configuration/num_slots", NULL}}},
	{"\"num_slots\": 4", "\"num_slots\": 4.5",
	 {{"wrong-type", "/product_configuration/num_slots", NULL}}},
	{"\"num_slots\": 4", "\"num_slots\": -1",
	 {{"number-range", "/product_configuration/num_slots", NULL}}},
	{"\"num_slots\": 4", "\"num_slots\": 65536",
	 {{"number-range", "/product_configuration/num_slots", NULL}}},
	{"\"0xd99\"", "3481",
	 {{"wrong-type", "/product_configuration/part_num", NULL}}},
	{"\"0xd99\"", "\"0x1000\"",
	 {{"number-range", "/product_configuration/part_num", NULL}}},
	{"\"0xd99\"", "\"d99\"",
	 {{"bad-number", "/product_configuration/part_num", NULL}}},
	{"\"0xd99\"", "\"0x\"",
	 {{"bad-number", "/product_configuration/part_num", NULL}}},
	{"\"0x41\"", "\"-1\"",
	 {{"bad-number", "/product_configuration/implementer", NULL}}},
	{"\"0x41\"", "\"256\"",
	 {{"number-range", "/product_configuration/implementer", NULL}}},
	{"\"minor_revision\": \"2\"", "\"minor_revision\": \"16\"",
	 {{"number-range", "/product_configuration/minor_revision", NULL}}},
	{"\"Small Core 1\"", "\"\"",
	 {{"empty-text", "/product_configuration/product_name", NULL}}},

	/* Events. */
	{"\"CYCLES\": {", EVENT("EMPTY", "\"\"") ",\n    \"CYCLES\": {",
	 {{"bad-code", "/events/EMPTY/code", "EMPTY"}}},
	{"\"0x24\"", "\"24\"", {{"bad-code", "/events/STALLS/code", NULL}}},
	{"\"0x24\"", "\"0x2 4\"", {{"bad-code", "/events/STALLS/code", NULL}}},
	{"\"0x24\"", "36", {{"wrong-type", "/events/STALLS/code", NULL}}},
	{"\"0x24\"", "null", {{"wrong-type", "/events/STALLS/code", NULL}}},
	{"\"0x24\"", "\"0x10000\"", {{"code-range", "/events/STALLS/code", NULL}}},
	{"\"0x24\"", "\"0xffffffffffffffffffffff\"",
	 {{"code-range", "/events/STALLS/code", NULL}}},
	{"\"0x24\"", "\"0x11\"", {{"duplicate-code", "/events/STALLS/code", NULL}}},
	{"\"0x0124\"", "\"0x0011\"",
	 {{"duplicate-code", "/events/TRACED/code", NULL}}},
	/* One for counters, the other for the trace unit: nobody can confuse them. */
	{"\"0x0124\"", "\"0x0024\"", {{NULL, NULL, NULL}}},
	{"\"Stalls\"", "\"CYCLES\"", {{"duplicate-title", "/events/STALLS/title", NULL}}},
	{"\"Stalls\"", "\"\"", {{"empty-text", "/events/STALLS/title", NULL}}},
	{"[\"PMU\", \"ETE\"]", "[]", {{"no-access", "/events/CYCLES", "\"CYCLES\""}}},
	{"[\"PMU\", \"ETE\"]", "[\"PMU\", \"SPE\"]",
	 {{"unknown-access", "/events/CYCLES/accesses/1", NULL}}},
	{"[\"PMU\", \"ETE\"]", "[\"PMU\", \"PMU\"]",
	 {{"duplicate-item", "/events/CYCLES/accesses/1", NULL}}},
	{"[\"PMU\", \"ETE\"]", "[\"PMU\",\n7]",
	 {{"wrong-type", "/events/CYCLES/accesses/1", "7]"}}},
	{"\"product_defined\": false", "\"product_defined\": true",
	 {{"both-defined", "/events/CYCLES", "\"CYCLES\""}}},
	{"\"architecture_defined\": true", "\"architecture_defined\": false",
	 {{"neither-defined", "/events/CYCLES", "\"CYCLES\""}}},
	{"\"architecture_defined\": true", "\"architecture_defined\": \"true\"",
	 {{"wrong-type", "/events/CYCLES/architecture_defined", NULL}}},
	{"\"product_defined\": false",
	 "\"product_defined\": false, \"product_defined_attributes\": {\"debug\": false}",
	 {{"attributes-unexpected", "/events/CYCLES/product_defined_attributes", NULL}}},
	{"        \"debug\": true\n", "",
	 {{"missing-member", "/events/OWN/product_defined_attributes/debug",
	   "\"product_defined_attributes\""}}},
	{"\"debug\": true", "\"debug\": 1",
	 {{"wrong-type", "/events/OWN/product_defined_attributes/debug", NULL}}},
	{"\"code\": \"0x24\"", "\"system\": true, \"code\": \"0x24\"",
	 {{"system-event", "/events/STALLS/system", NULL}}},
	{"\"code\": \"0x24\"", "\"properties\": {\"a\": [1]}, \"code\": \"0x24\"",
	 {{"unread-member", "/events/STALLS/properties", NULL}}},
	{"\"CYCLES\": {", "\"SECRET\": {\"code\": \"0x0400\"},\n    \"CYCLES\": {",
	 {{"private-event", "/events/SECRET", "SECRET"}}},
	{"\"CYCLES\": {", "\"SECRET\": {\"code\": null},\n    \"CYCLES\": {",
	 {{"wrong-type", "/events/SECRET/code", "SECRET"},
	  {"private-event", "/events/SECRET", "SECRET"}}},
	{"\"CYCLES\": {", "\"LIST\": [],\n    \"CYCLES\": {",
	 {{"wrong-type", "/events/LIST", "LIST"}}},
	{"\"CYCLES\": {", EVENT("A-B", "\"0x0400\"") ",\n    \"CYCLES\": {",
	 {{"bad-name", "/events/A-B", "A-B"}}},
	{"\"CYCLES\": {", EVENT("", "\"0x0400\"") ",\n    \"CYCLES\": {",
	 {{"bad-name", "/events/", "0x0400"}, {"empty-text", "/events//title", "0x0400"}}},
	{"\"CYCLES\": {", EVENT("stalls", "\"0x0400\"") ",\n    \"CYCLES\": {",
	 {{"duplicate-name", "/events/STALLS", "\"STALLS\""},
	  {"duplicate-title", "/events/STALLS/title", "\"Stalls\""}}},

	/* Names given twice; of one name in another spelling, and the last one counts. */
	{"\"STALLS\": {", EVENT("STALLS", "\"0x0400\"") ",\n    \"STALLS\": {",
	 {{"duplicate-name", "/events/STALLS", "\"STALLS\": {\n"}}},
	{"\"STALLS\": {", EVENT("ST\\u0041LLS", "\"0x0400\"") ",\n    \"STALLS\": {",
	 {{"duplicate-name", "/events/STALLS", "\"STALLS\": {\n"}}},
	{"\"debug\": true", "\"debug\": false,\n\"debug\": 2",
	 {{"duplicate-name", "/events/OWN/product_defined_attributes/debug", "2\n"},
	  {"wrong-type", "/events/OWN/product_defined_attributes/debug", "2\n"}}},

	{"\"name\": \"own_rate\",", "\"name\": \"x\", \"group\": 7, \"name\": \"own_rate\",",
	 {{"duplicate-name", "/methodologies/topdown/decision_tree/metrics/1/name", NULL},
	  {"duplicate-name", "/methodologies/topdown/decision_tree/metrics/1/group",
	   "\"group\": \"Rates\""}}},

	/* Metrics. */
	{"\"units\": \"percent of cycles\"", "\"units\": null",
	 {{"wrong-type", "/metrics/bound/units", NULL}}},
	{"[\"STALLS\", \"CYCLES\"]", "[\"STALLS\", \"CYCLES\",\n\"OWN\" ]",
	 {{"formula-event-unused", "/metrics/bound/events/2", "\"OWN\" ]"}}},
	{"[\"STALLS\", \"CYCLES\"]", "[\"STALLS\"]",
	 {{"formula-event-missing", "/metrics/bound/events", NULL}}},
	{"[\"STALLS\", \"CYCLES\"]", "[\"STALLS\", \"CYCLES\", \"CYCLES\"]",
	 {{"duplicate-item", "/metrics/bound/events/2", NULL}}},
	{"[\"STALLS\", \"CYCLES\"]", "[\"STALLS\", \"CYCLES\", \"HEAT\"]",
	 {{"unknown-event", "/metrics/bound/events/2", NULL}}},
	{"[\"STALLS\", \"CYCLES\"]", "[\"STALLS\", \"CYCLES\", \"cycles\"]",
	 {{"unknown-event", "/metrics/bound/events/2", NULL}}},
	{"[\"STALLS\", \"CYCLES\"]", "{\"STALLS\": 1}",
	 {{"wrong-type", "/metrics/bound/events", NULL}}},
	{"\"sample_events\": [\"STALLS\"]", "\"sample_events\": [null]",
	 {{"wrong-type", "/metrics/bound/sample_events/0", NULL}}},
	{"\"sample_events\": [\"STALLS\"]", "\"sample_events\": [\"HEAT\"]",
	 {{"unknown-event", "/metrics/bound/sample_events/0", NULL}}},
	{"STALLS / CYCLES * 100", "STALLS / * CYCLES",
	 {{"formula-syntax", "/metrics/bound/formula", NULL}}},
	{"STALLS / CYCLES * 100", "STALLS / CYCLES * HEAT",
	 {{"formula-unknown-name", "/metrics/bound/formula", NULL}}},
	{"STALLS / CYCLES * 100", "STALLS / CYCLES + bound",
	 {{"formula-cycle", "/metrics/bound/formula", NULL}}},
	{"\"STALLS / CYCLES * 100\"", "5", {{"wrong-type", "/metrics/bound/formula", NULL}}},
	{"\"bound\": {", "\"Rates\": {",
	 {{"unknown-metric", "/groups/metrics/First/metrics/0", "[\"bound\"]"},
	  {"unknown-metric", "/methodologies/topdown/decision_tree/metrics/0/name",
	   "\"name\": \"bound\""},
	  {"unknown-metric", "/methodologies/topdown/decision_tree/root_nodes/0",
	   "\"root_nodes\""},
	  {"same-name", "/metrics/Rates", "\"Rates\": {"}}},
	{"\"other_rate\": {", "\"TRACED\": {\n",
	 {{"unknown-metric", "/groups/metrics/Rates/metrics/1", "\"own_rate\", \"other_rate\""},
	  {"unknown-item", "/methodologies/topdown/decision_tree/metrics/1/next_items/0",
	   "[\"other_rate\"]"},
	  {"same-name", "/metrics/TRACED", "\"TRACED\": {\n\n"}}},
	{"\"Own Rate\"", "\"bound\"", {{"duplicate-title", "/metrics/own_rate/title", NULL}}},

	/* Groups. */
	{"[\"CYCLES\", \"STALLS\", \"OWN\"]", "[\"CYCLES\", \"OWN\", \"OWN\"]",
	 {{"duplicate-item", "/groups/function/All/events/2", NULL}}},
	{"[\"CYCLES\", \"STALLS\", \"OWN\"]", "[\"bound\"]",
	 {{"unknown-event", "/groups/function/All/events/0", NULL}}},
	{"[\"own_rate\", \"other_rate\"]", "[\"own_rate\", \"other_rate\", \"OWN\"]",
	 {{"unknown-metric", "/groups/metrics/Rates/metrics/2", NULL}}},
	{"\"function\": {", "\"functions\": {},\n    \"function\": {",
	 {{"unknown-member", "/groups/functions", NULL}}},
	{"\"metrics\": [\"bound\"]", "\"metrics\": [\"bound\"], \"events\": [\"OWN\"]",
	 {{"unread-member", "/groups/metrics/First/events", NULL}}},

	/* Neither kind of group must be there, but then nothing can refer to one. */
	{"\"metrics\": {\n      \"First\"", "\"metriks\": {\n      \"First\"",
	 {{"unknown-member", "/groups/metriks", NULL},
	  {"unknown-group", "/methodologies/topdown/metric_grouping/stage_1/0", "\"stage_1\""},
	  {"unknown-group", "/methodologies/topdown/metric_grouping/stage_2/0", "\"stage_2\""},
	  {"unknown-group", "/methodologies/topdown/decision_tree/metrics/0/group",
	   "\"group\": \"First\""},
	  {"unknown-item", "/methodologies/topdown/decision_tree/metrics/0/next_items/1",
	   "\"next_items\": [\"own_rate\""},
	  {"unknown-group", "/methodologies/topdown/decision_tree/metrics/1/group",
	   "\"group\": \"Rates\""}}},
	{"\"metrics\": {\n    \"bound\"", "\"metriks\": {\n    \"bound\"",
	 {{"unknown-member", "/metriks", NULL}, {"missing-member", "/metrics", "{"}}},

	/* Methodologies. */
	{"\"stage_1\": [\"First\"]", "\"stage_1\": [\"Last\"]",
	 {{"unknown-group", "/methodologies/topdown/metric_grouping/stage_1/0", NULL}}},
	{"\"stage_1\": [\"First\"]", "\"stage_1\": [\"First\", \"First\"]",
	 {{"duplicate-item", "/methodologies/topdown/metric_grouping/stage_1/1", NULL}}},
	{"\"stage_2\": [\"Rates\"]", "\"stage_2\": [\"Rates\", \"First\"]",
	 {{"two-stages", "/methodologies/topdown/metric_grouping/stage_2/1", NULL}}},
	{"\"stage_1\": [\"First\"]", "\"stage_1\": \"First\"",
	 {{"wrong-type", "/methodologies/topdown/metric_grouping/stage_1", NULL}}},
	{"\"root_nodes\": [\"bound\"]", "\"root_nodes\": [\"bound\", \"bound\"]",
	 {{"duplicate-item", "/methodologies/topdown/decision_tree/root_nodes/1", NULL}}},
	{"\"root_nodes\": [\"bound\"]", "\"root_nodes\": [\"bound\", \"other_rate\"]",
	 {{"unknown-node", "/methodologies/topdown/decision_tree/root_nodes/1", NULL}}},
	{"\"root_nodes\": [\"bound\"]", "\"root_nodes\": [\"own_rate\"]",
	 {{"unreachable-node", "/methodologies/topdown/decision_tree/metrics/0",
	   "{\n            \"name\": \"bound\""}}},
	{"\"next_items\": [\"other_rate\"]", "\"next_items\": [\n\"bound\" ]",
	 {{"tree-cycle", "/methodologies/topdown/decision_tree/metrics/1/next_items/0",
	   "\"bound\" ]"}}},
	{"\"next_items\": [\"other_rate\"]", "\"next_items\": [\"own_rate\"]",
	 {{"tree-cycle", "/methodologies/topdown/decision_tree/metrics/1/next_items/0", NULL}}},
	{"\"next_items\": [\"other_rate\"]", "\"next_items\": [1.5]",
	 {{"wrong-type", "/methodologies/topdown/decision_tree/metrics/1/next_items/0", NULL}}},
	{"\"next_items\": [\"other_rate\"]", "\"next_items\": [\"nowhere\"]",
	 {{"unknown-item", "/methodologies/topdown/decision_tree/metrics/1/next_items/0", NULL}}},
	{"\"next_items\": [\"other_rate\"]", "\"next_items\": [\"Rates\", \"Rates\"]",
	 {{"duplicate-item", "/methodologies/topdown/decision_tree/metrics/1/next_items/1", NULL}}},
	{"\"name\": \"own_rate\"", "\"name\": \"bound\"",
	 {{"duplicate-node", "/methodologies/topdown/decision_tree/metrics/1/name",
	   "\"bound\",\n            \"group\": \"Rates\""},
	  {"node-outside-group", "/methodologies/topdown/decision_tree/metrics/1/group",
	   "\"group\": \"Rates\""}}},
	{"\"group\": \"First\"", "\"group\": \"Rates\"",
	 {{"node-outside-group", "/methodologies/topdown/decision_tree/metrics/0/group", NULL}}},
	{"\"group\": \"First\"", "\"group\": \"Third\"",
	 {{"unknown-group", "/methodologies/topdown/decision_tree/metrics/0/group", NULL}}},
	{"\"metric_grouping\": {", "\"metric_groupings\": {},\n      \"metric_grouping\": {",
	 {{"unknown-member", "/methodologies/topdown/metric_groupings", NULL}}},
};
/* clang-format on */

#define MISTAKES (sizeof(mistakes) / sizeof(mistakes[0]))

static const struct finding *find(const char *id)
{
	for (int i = 0; i < finding_count; i++)
		if (strcmp(findings[i].id, id) == 0)
			return &findings[i];
	return NULL;
}

/* What the formula compiler finds is not in the table: errors all. */
static enum plumb_severity severity_of(const char *id)
{
	return find(id) ? find(id)->severity : PLUMB_ERROR;
}

static void print_findings(const struct plumb_diagnostics *diagnostics)
{
	const struct plumb_diagnostic *d;

	for (size_t i = 0; (d = plumb_diagnostics_get(diagnostics, i)); i++)
		print_message("# %s:%u: %s: %s %s\n", d->file, d->line, d->path ? d->path : "-",
			      d->id, d->message);
}

static bool is_as_expected(const struct plumb_diagnostic *d, const struct expected *expected,
			   const struct mistake *mistake, const char *text)
{
	unsigned line = expected->line_has ? line_of(text, expected->line_has)
					   : line_of(small_json, mistake->old);

	return d && strcmp(d->id, expected->id) == 0 && strcmp(d->file, "small.json") == 0 &&
	       strcmp(d->path, expected->path) == 0 && d->line == line &&
	       d->severity == severity_of(expected->id) && *d->message;
}

static void each_mistake_is_reported_where_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < MISTAKES; i++) {
		const struct mistake *mistake = &mistakes[i];
		char *text = replace_first(small_json, mistake->old, mistake->new);
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		struct plumb_spec *spec;
		size_t count = 0, errors = 0;
		int result = spec_read_memory(text, strlen(text), "small.json", &spec, diagnostics);

		bool right = true;

		for (; count < 6 && mistake->expected[count].id; count++) {
			errors += severity_of(mistake->expected[count].id) == PLUMB_ERROR;
			right &= is_as_expected(plumb_diagnostics_get(diagnostics, count),
						&mistake->expected[count], mistake, text);
		}
		if (!right || plumb_diagnostics_count(diagnostics) != count) {
			print_findings(diagnostics);
			fail_msg("%s -> %s", mistake->old, mistake->new);
		}
		assert_int_equal(plumb_diagnostics_errors(diagnostics), errors);
		assert_int_equal(result, errors ? PLUMB_ERR_INVALID : 0);
		assert_true(errors ? spec == NULL : spec != NULL);
		plumb_spec_free(spec);
		plumb_diagnostics_free(diagnostics);
		free(text);
	}
}

/* All of them at once, each where it is, in one reading. */
static void mistakes_are_reported_all_in_one_go(void **state)
{
	static const char *const edits[][2] = {
		{"\"num_slots\": 4", "\"num_slots\": \"4\""},
		{"\"0x24\"", "\"0x10000\""},
		{"\"TRACED\": {", "\"TRACED\": {\"code\": 1,"},
		{"[\"OWN\", \"CYCLES\"]", "[\"OWN\", \"HEAT\"]"},
		{"STALLS / CYCLES", "STALLS /"},
		{"[\"CYCLES\", \"STALLS\", \"OWN\"]", "[\"OWN\", \"OWN\"]"},
		{"\"next_items\": [\"other_rate\"]", "\"next_items\": [\"bound\"]"},
	};
	static const char *const ids[] = {
		"wrong-type",     "duplicate-name", "code-range", "unknown-event",
		"formula-syntax", "duplicate-item", "tree-cycle", "formula-event-missing",
	};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	char *text = replace_each(small_json, edits, sizeof(edits) / sizeof(edits[0]));
	struct plumb_spec *spec;

	(void)state;
	assert_int_equal(spec_read_memory(text, strlen(text), "many", &spec, diagnostics),
			 PLUMB_ERR_INVALID);
	assert_null(spec);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct plumb_diagnostic *d;
		size_t k = 0;

		while ((d = plumb_diagnostics_get(diagnostics, k)) && strcmp(d->id, ids[i]) != 0)
			k++;
		if (!d)
			fail_msg("%s was not reported", ids[i]);
	}
	assert_int_equal(plumb_diagnostics_count(diagnostics), sizeof(ids) / sizeof(ids[0]));
	plumb_diagnostics_free(diagnostics);
	free(text);
}

/* A repeat of a repeat, and repeats at several depths: each, in the order of the text. */
static void every_repeated_name_is_reported(void **state)
{
	static const char text[] = "{\n\"events\": {\"B\": {}, \"A\": {},\n\"B\": {},\n"
				   "\"A\": {\"title\": \"x\",\n\"title\": \"y\"},\n"
				   "\"B\": {}},\n\"events\": {}}";
	static const struct {
		unsigned line;
		const char *path;
		const char *message;
	} expected[] = {
		{3, "/events/B", "duplicate name \"B\", first used on line 2"},
		{4, "/events/A", "duplicate name \"A\", first used on line 2"},
		{5, "/events/A/title", "duplicate name \"title\", first used on line 4"},
		{6, "/events/B", "duplicate name \"B\", first used on line 2"},
		{7, "/events", "duplicate name \"events\", first used on line 2"},
	};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *spec;

	(void)state;
	assert_int_equal(spec_read_memory(text, strlen(text), NULL, &spec, diagnostics),
			 PLUMB_ERR_INVALID);
	for (size_t i = 0; i < 5; i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		assert_string_equal(d->id, "duplicate-name");
		assert_string_equal(d->path, expected[i].path);
		assert_string_equal(d->message, expected[i].message);
		assert_int_equal(d->line, expected[i].line);
		assert_null(d->file);
	}
	plumb_diagnostics_free(diagnostics);
}

/* What the reader reports of the input as a whole is tested with the reader. */
static const char *const elsewhere[] = {
	"bad-index", "bad-json",          "bad-order", "bad-utf8",  "cannot-read", "empty-file",
	"not-cpu",   "not-specification", "too-deep",  "too-large", "too-many",
};

static void every_kind_of_finding_has_a_mistake(void **state)
{
	(void)state;
	for (int i = 0; i < finding_count; i++) {
		bool known = false;

		for (size_t k = 0; k < sizeof(elsewhere) / sizeof(elsewhere[0]); k++)
			known |= strcmp(elsewhere[k], findings[i].id) == 0;
		for (size_t k = 0; k < MISTAKES; k++)
			for (size_t e = 0; e < 6 && mistakes[k].expected[e].id; e++)
				known |= strcmp(mistakes[k].expected[e].id, findings[i].id) == 0;
		if (!known)
			fail_msg("no test provokes %s", findings[i].id);
	}
}

/* The manual defines each one with its severity, and no others. */
static void the_manual_defines_every_finding(void **state)
{
	char path[4096], line[4096];
	const char *folder = getenv("PLUMB_DOC");
	int defined = 0;
	FILE *manual;

	(void)state;
	assert_non_null(folder);
	snprintf(path, sizeof(path), "%s/specifications.md", folder);
	manual = fopen(path, "r");
	assert_non_null(manual);
	while (fgets(line, sizeof(line), manual)) {
		char id[64], severity[16];

		if (sscanf(line, "| `%63[a-z0-9-]` | %15[a-z] |", id, severity) != 2)
			continue;
		if (strcmp(severity, "error") != 0 && strcmp(severity, "warning") != 0)
			continue;
		/* These are the formula compiler's. */
		if (strncmp(id, "formula-", 8) == 0 && strncmp(id, "formula-event", 13) != 0)
			continue;
		if (!find(id)) {
			fail_msg("there is no finding %s", id);
			continue;
		}
		assert_string_equal(severity, severity_of(id) == PLUMB_ERROR ? "error" : "warning");
		defined++;
	}
	fclose(manual);
	assert_int_equal(defined, finding_count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mistake_is_reported_where_it_is),
		cmocka_unit_test(mistakes_are_reported_all_in_one_go),
		cmocka_unit_test(every_repeated_name_is_reported),
		cmocka_unit_test(every_kind_of_finding_has_a_mistake),
		cmocka_unit_test(the_manual_defines_every_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
