/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <jansson.h>

#include "exported.h"
#include "small_spec.h"
#include "spec/formula.h"
#include "spec/perf_std_events.h"

static void event_is_named_or_described(void **state)
{
	char *text = exported(&small_spec, "perf-json", "l1d_cache", NULL);

	(void)state;
	assert_string_equal(text, "[\n"
				  "    {\n"
				  "        \"ArchStdEvent\": \"L1D_CACHE_REFILL\",\n"
				  "        \"PublicDescription\": \"Counts lines brought in.\"\n"
				  "    },\n"
				  "    {\n"
				  "        \"ArchStdEvent\": \"L1D_CACHE\",\n"
				  "        \"PublicDescription\": \"Counts accesses.\"\n"
				  "    }\n"
				  "]\n");
	free(text);
	text = exported(&small_spec, "perf-json", "other", NULL);
	assert_string_equal(text, "[\n"
				  "    {\n"
				  "        \"EventCode\": \"0x0120\",\n"
				  "        \"EventName\": \"CORE_EVENT\",\n"
				  "        \"BriefDescription\": \"Something of this core\",\n"
				  "        \"PublicDescription\": \"Counts something.\\n\\n"
				  "Only this core knows what.\"\n"
				  "    }\n"
				  "]\n");
	free(text);
}

/* Names that perf would take for a different event than the specification means are spelt out. */
static void kernel_events_are_known_by_name_and_code(void **state)
{
	struct small_copy copy;
	char *text;

	(void)state;
	assert_true(perf_has_std_event(0x0000, "SW_INCR"));
	assert_true(perf_has_std_event(0x0011, "CPU_CYCLES"));
	assert_false(perf_has_std_event(0x0011, "cpu_cycles"));
	assert_false(perf_has_std_event(0x0012, "CPU_CYCLES"));
	assert_false(perf_has_std_event(0xffff, "CPU_CYCLES"));
	small_spec_copy(&copy);
	copy.events[SMALL_L1D_CACHE].code = 0x0120;
	copy.events[SMALL_L1D_CACHE_REFILL].architecture_defined = false;
	text = exported(&copy.spec, "perf-json", "l1d_cache", NULL);
	assert_null(strstr(text, "ArchStdEvent"));
	assert_non_null(strstr(text, "\"EventCode\": \"0x0120\",\n        \"EventName\": "
				     "\"L1D_CACHE\""));
	assert_non_null(strstr(text, "\"EventCode\": \"0x0003\",\n        \"EventName\": "
				     "\"L1D_CACHE_REFILL\""));
	free(text);
}

static void metrics_have_a_file(void **state)
{
	json_t *metrics;
	char *text = exported(&small_spec, "perf-json", "metrics", NULL);

	(void)state;
	metrics = json_loads(text, 0, NULL);
	assert_int_equal(json_array_size(metrics), SMALL_METRIC_COUNT);
	json_decref(metrics);
	assert_non_null(strstr(
		text, "    {\n"
		      "        \"MetricName\": \"backend_bound\",\n"
		      "        \"MetricExpr\": \"STALL_SLOT_BACKEND / (5 * CPU_CYCLES) * 100\",\n"
		      "        \"BriefDescription\": \"Slots lost to the backend.\",\n"
		      "        \"DefaultMetricgroupName\": \"TopdownL1\",\n"
		      "        \"MetricGroup\": \"Default;TopdownL1;Topdown_L1\",\n"
		      "        \"ScaleUnit\": \"1percent of slots\"\n"
		      "    },\n"));
	assert_non_null(strstr(text, "\"MetricGroup\": \"Cache\""));
	free(text);
}

/* Each event once, even if several groups have it; none that only the trace unit sees. */
static void main_stream_has_everything(void **state)
{
	char *text = exported(&small_spec, "perf-json", NULL, NULL);
	json_t *entries = json_loads(text, 0, NULL), *entry;
	size_t i, events = 0, metrics = 0;

	(void)state;
	json_array_foreach(entries, i, entry)
	{
		metrics += json_object_get(entry, "MetricName") != NULL;
		events += json_object_get(entry, "MetricName") == NULL;
	}
	assert_int_equal(events, SMALL_EVENT_COUNT - 1);
	assert_int_equal(metrics, SMALL_METRIC_COUNT);
	assert_null(strstr(text, "CYCLES_AGAIN"));
	json_decref(entries);
	free(text);
}

/* Gives an event another name, and the order of names that goes with it. */
static void rename_event(struct small_copy *copy, uint16_t event, const char *name, uint16_t *order)
{
	copy->events[event].name = name;
	for (unsigned i = 0; i < SMALL_EVENT_COUNT; i++) {
		unsigned at = i;

		while (at > 0 &&
		       strcasecmp(copy->events[order[at - 1]].name, copy->events[i].name) > 0) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = (uint16_t)i;
	}
	copy->spec.events_by_name = order;
}

/* One metric whose formula is `formula`: its expression, to be freed, or NULL. */
static char *expression(const char *formula, struct plumb_diagnostics *diagnostics)
{
	uint16_t order[SMALL_EVENT_COUNT];
	struct small_copy copy;
	json_t *entries;
	const char *found_text;
	char *text, *result;

	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].formula = formula;
	rename_event(&copy, SMALL_CORE_EVENT, "min", order);
	text = exported(&copy.spec, "perf-json", "metrics", diagnostics);
	entries = json_loads(text, 0, NULL);
	free(text);
	found_text = json_string_value(json_object_get(json_array_get(entries, 0), "MetricName"));
	if (strcmp(found_text, "ipc") != 0) {
		json_decref(entries);
		return NULL;
	}
	result = strdup(
		json_string_value(json_object_get(json_array_get(entries, 0), "MetricExpr")));
	json_decref(entries);
	return result;
}

static void formulas_become_expressions(void **state)
{
	static const struct {
		const char *formula;
		const char *expected;
	} cases[] = {
		{"INST_RETIRED / CPU_CYCLES", "INST_RETIRED / CPU_CYCLES"},
		{"inst_retired/cpu_cycles", "INST_RETIRED / CPU_CYCLES"},
		{"((INST_RETIRED))", "INST_RETIRED"},
		{"+INST_RETIRED", "INST_RETIRED"},
		/* Parentheses that matter stay, others go. */
		{"INST_RETIRED - (CPU_CYCLES - L1D_CACHE)",
		 "INST_RETIRED - (CPU_CYCLES - L1D_CACHE)"},
		{"(INST_RETIRED - CPU_CYCLES) - L1D_CACHE",
		 "INST_RETIRED - CPU_CYCLES - L1D_CACHE"},
		{"INST_RETIRED + (CPU_CYCLES + L1D_CACHE)",
		 "INST_RETIRED + (CPU_CYCLES + L1D_CACHE)"},
		{"INST_RETIRED / (CPU_CYCLES * 5)", "INST_RETIRED / (CPU_CYCLES * 5)"},
		{"INST_RETIRED / CPU_CYCLES * 5", "INST_RETIRED / CPU_CYCLES * 5"},
		{"(INST_RETIRED + CPU_CYCLES) * 5", "(INST_RETIRED + CPU_CYCLES) * 5"},
		{"INST_RETIRED + CPU_CYCLES * 5", "INST_RETIRED + CPU_CYCLES * 5"},
		{"5 * (INST_RETIRED + CPU_CYCLES)", "5 * (INST_RETIRED + CPU_CYCLES)"},
		/* Numbers. */
		{"INST_RETIRED * 0.5", "INST_RETIRED * 0.5"},
		{"INST_RETIRED * 0.001", "INST_RETIRED * 0.001"},
		{"INST_RETIRED * 12.25", "INST_RETIRED * 12.25"},
		{"INST_RETIRED * 0x10", "INST_RETIRED * 16"},
		{"INST_RETIRED * 1e6", "INST_RETIRED * 1000000"},
		{"INST_RETIRED * 1E-3", "INST_RETIRED * 0.001"},
		{"INST_RETIRED * 1000000000000000000", "INST_RETIRED * 1000000000000000000"},
		/* Numbers alone are computed. */
		{"INST_RETIRED * (2 + 3)", "INST_RETIRED * 5"},
		{"INST_RETIRED * (3 - 2.5)", "INST_RETIRED * 0.5"},
		{"INST_RETIRED * (6 / 4)", "INST_RETIRED * 1.5"},
		{"2 * 3 * INST_RETIRED", "6 * INST_RETIRED"},
		{"1 << 3", "8"},
		/* Signs and shifts. */
		{"-INST_RETIRED", "0 - INST_RETIRED"},
		{"CPU_CYCLES - -INST_RETIRED", "CPU_CYCLES - (0 - INST_RETIRED)"},
		{"CPU_CYCLES * -INST_RETIRED", "CPU_CYCLES * (0 - INST_RETIRED)"},
		{"INST_RETIRED * -2", "INST_RETIRED * -2"},
		{"INST_RETIRED << 4", "INST_RETIRED * 16"},
		{"INST_RETIRED >> 4.9", "INST_RETIRED / 16"},
		{"INST_RETIRED << -1", "INST_RETIRED / 2"},
		{"INST_RETIRED + CPU_CYCLES << 1", "(INST_RETIRED + CPU_CYCLES) * 2"},
		{"INST_RETIRED << (1 << 1)", "INST_RETIRED * 4"},
		/* Metrics are written out. */
		{"l1d_miss_ratio * 2", "L1D_CACHE_REFILL / L1D_CACHE * 2"},
		{"2 / l1d_miss_ratio", "2 / (L1D_CACHE_REFILL / L1D_CACHE)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = expression(cases[i].formula, NULL);

		if (!text)
			fail_msg("%s has no expression", cases[i].formula);
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

static void what_perf_cannot_say_is_left_out(void **state)
{
	static const char *const formulas[] = {
		"INST_RETIRED << CPU_CYCLES", /* by a count */
		"INST_RETIRED << 64",         /* more digits than jevents.py keeps */
		"INST_RETIRED >> 1e300",
		"INST_RETIRED * 1e-20", /* a number it cannot be sure to keep */
		"INST_RETIRED * 1e300",
		"INST_RETIRED * (1 / 3)",
		"INST_RETIRED * (1e300 * 1e300)",
		"INST_RETIRED / 0", /* never a value */
		"INST_RETIRED + 1 / 0",
		"min * 2",          /* a function of perf's */
		"CYCLES_AGAIN / 2", /* an event perf cannot count */
		"INST_RETIRED +",
		"NO_SUCH_EVENT",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		char *text = expression(formulas[i], diagnostics);
		const struct plumb_diagnostic *first = plumb_diagnostics_get(diagnostics, 0);

		if (text)
			fail_msg("%s became %s", formulas[i], text);
		assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
		assert_int_equal(first->severity, PLUMB_WARNING);
		assert_string_equal(first->id, "export-formula");
		assert_string_equal(first->path, "/metrics/ipc");
		plumb_diagnostics_free(diagnostics);
	}
}

/* As many terms in a row as there can be, and as deep as it can be. */
static void long_formulas_are_no_trouble(void **state)
{
	enum { TERMS = FORMULA_MAX_STEPS / 2 - 1, DEPTH = FORMULA_MAX_DEPTH };
	char *formula = NULL, *expected = NULL, *text;
	size_t size;
	FILE *in = open_memstream(&formula, &size), *out = open_memstream(&expected, &size);

	(void)state;
	for (int i = 0; i < DEPTH; i++)
		fputs("L1D_CACHE/(", in);
	for (int i = 0; i < TERMS - DEPTH; i++)
		fputs("L1D_CACHE-", in);
	fputs("L1D_CACHE", in);
	for (int i = 0; i < DEPTH; i++)
		fputs(")", in);
	fclose(in);
	for (int i = 0; i < DEPTH; i++)
		fputs("L1D_CACHE / (", out);
	for (int i = 0; i < TERMS - DEPTH; i++)
		fputs("L1D_CACHE - ", out);
	fputs("L1D_CACHE", out);
	for (int i = 0; i < DEPTH; i++)
		fputs(")", out);
	fclose(out);
	text = expression(formula, NULL);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
	free(formula);
	free(expected);
}

/* jevents.py puts descriptions into C strings and comments, and units as they are. */
static void text_survives_jevents(void **state)
{
	struct small_copy copy;
	json_t *entries;
	char *text;

	(void)state;
	small_spec_copy(&copy);
	copy.metrics[SMALL_IPC].description = "a\\d */ \"q\"\nnext";
	copy.metrics[SMALL_IPC].units = "0x \"odd\" */ \\units";
	copy.metrics[SMALL_BACKEND_BOUND].units = "events";
	copy.metrics[SMALL_FRONTEND_BOUND].units = "";
	text = exported(&copy.spec, "perf-json", "metrics", NULL);
	entries = json_loads(text, 0, NULL);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(entries, 0), "BriefDescription")),
		"a\\\\d * / \"q\"\nnext");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(entries, 0), "ScaleUnit")),
		"1 0x _odd_ _/ _units");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(entries, 1), "ScaleUnit")),
		"1 events");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(entries, 2), "ScaleUnit")), "1");
	json_decref(entries);
	free(text);
}

static void names_perf_cannot_say_are_left_out(void **state)
{
	static const char *const names[] = {"", "two words", "a-b", "a;b", "\"", "1st", "_x"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		uint16_t order[SMALL_EVENT_COUNT];
		struct small_copy copy;
		char *text;

		small_spec_copy(&copy);
		rename_event(&copy, SMALL_CORE_EVENT, names[i], order);
		copy.metrics[SMALL_EIGHT].name = names[i];
		copy.metric_groups[SMALL_GENERAL].name = names[i];
		text = exported(&copy.spec, "perf-json", NULL, diagnostics);
		assert_null(strstr(text, "EventName"));
		assert_null(strstr(text, "\"8\""));
		/* ipc is in the group that cannot be named, and in no other. */
		assert_null(strstr(text, "\"MetricGroup\": \"\""));
		assert_int_equal(plumb_diagnostics_count(diagnostics), 2);
		for (size_t j = 0; j < 2; j++)
			assert_string_equal(plumb_diagnostics_get(diagnostics, j)->id,
					    "export-name");
		plumb_diagnostics_free(diagnostics);
		free(text);
	}
}

static void groups_of_topdown_have_perfs_names_too(void **state)
{
	static const struct {
		const char *group;
		const char *expected;
	} cases[] = {
		{"Topdown_L1", "\"Default;TopdownL1;Topdown_L1\""},
		{"Topdown_L2", "\"TopdownL2;Topdown_L2\""},
		{"Topdown_L0", "\"Topdown_L0\""},
		{"Topdown_L12", "\"Topdown_L12\""},
		{"Topdown_Backend", "\"Topdown_Backend\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct small_copy copy;
		char *text;

		small_spec_copy(&copy);
		copy.metric_groups[SMALL_GENERAL].name = cases[i].group;
		copy.metric_groups[SMALL_TOPDOWN_L1].name = "Other";
		copy.spec.metric_count = 1;
		text = exported(&copy.spec, "perf-json", "metrics", NULL);
		assert_non_null(strstr(text, cases[i].expected));
		assert_int_equal(strstr(text, "DefaultMetricgroupName") != NULL, i == 0);
		free(text);
	}
}

/* Groups whose names make the same file, one of them that of the metrics. */
static void topics_with_one_name_are_one_file(void **state)
{
	char name[PLUMB_EXPORT_PART_MAX];
	struct small_copy copy;
	char *text;

	(void)state;
	small_spec_copy(&copy);
	copy.functional_groups[SMALL_FUNCTION_L1D].name = "METRICS";
	copy.functional_groups[SMALL_FUNCTION_STALL].name = "general";
	assert_int_equal(plumb_export_part(&copy.spec, "perf-json", 3, name), 0);
	assert_string_equal(name, "arm/small-one-r1p2/mapfile.csv");
	text = exported(&copy.spec, "perf-json", "metrics", NULL);
	assert_non_null(strstr(text, "\"L1D_CACHE\""));
	assert_non_null(strstr(text, "\"ipc\""));
	assert_null(strstr(text, "\"CPU_CYCLES\""));
	free(text);
	text = exported(&copy.spec, "perf-json", "general", NULL);
	assert_non_null(strstr(text, "\"CPU_CYCLES\""));
	assert_non_null(strstr(text, "\"STALL_SLOT_BACKEND\""));
	free(text);
}

static void mapfile_names_every_part(void **state)
{
	struct plumb_spec other = small_spec;
	const struct plumb_spec *n2 = NULL;
	char *text = exported(&small_spec, "perf-json", "mapfile", NULL);

	(void)state;
	assert_string_equal(text, "0x00000000410fabc0,v1,arm/small-one-r1p2,core\n");
	free(text);
	other.product.implementer = 0xc0;
	text = exported(&other, "perf-json", "mapfile", NULL);
	assert_string_equal(text, "0x00000000c00fabc0,v1,ampere/small-one-r1p2,core\n");
	free(text);
	other.product.implementer = 0x01;
	text = exported(&other, "perf-json", "mapfile", NULL);
	assert_string_equal(text, "0x00000000010fabc0,v1,other/small-one-r1p2,core\n");
	free(text);
	/* Arm's own, and Microsoft's Cobalt 100. */
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++)
		if (strcmp(plumb_spec_builtin(i)->id, "neoverse-n2-r0p3") == 0)
			n2 = plumb_spec_builtin(i);
	assert_non_null(n2);
	text = exported(n2, "perf-json", "mapfile.csv", NULL);
	assert_string_equal(text, "0x00000000410fd490,v1,arm/neoverse-n2-r0p3,core\n"
				  "0x000000006d0fd490,v1,arm/neoverse-n2-r0p3,core\n");
	free(text);
}

/* Nothing that is built in is beyond perf. */
static void builtin_specifications_lose_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < plumb_spec_builtin_count(); i++) {
		const struct plumb_spec *spec = plumb_spec_builtin(i);
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		char *text = exported(spec, "perf-json", NULL, diagnostics);
		json_t *entries = json_loads(text, 0, NULL);
		size_t expected = spec->metric_count;

		for (uint16_t e = 0; e < spec->event_count; e++)
			expected += (spec->events[e].accesses & PLUMB_ACCESS_PMU) != 0;
		assert_int_equal(json_array_size(entries), expected);
		assert_int_equal(plumb_diagnostics_count(diagnostics), 0);
		plumb_diagnostics_free(diagnostics);
		json_decref(entries);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(event_is_named_or_described),
		cmocka_unit_test(kernel_events_are_known_by_name_and_code),
		cmocka_unit_test(metrics_have_a_file),
		cmocka_unit_test(main_stream_has_everything),
		cmocka_unit_test(formulas_become_expressions),
		cmocka_unit_test(what_perf_cannot_say_is_left_out),
		cmocka_unit_test(long_formulas_are_no_trouble),
		cmocka_unit_test(text_survives_jevents),
		cmocka_unit_test(names_perf_cannot_say_are_left_out),
		cmocka_unit_test(groups_of_topdown_have_perfs_names_too),
		cmocka_unit_test(topics_with_one_name_are_one_file),
		cmocka_unit_test(mapfile_names_every_part),
		cmocka_unit_test(builtin_specifications_lose_nothing),
	};

	return cmocka_run_group_tests_name("export_perf", tests, NULL, NULL);
}
