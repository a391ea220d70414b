/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of PMUs that belong to no core, in a sysfs made for the purpose. The fields are those of
 * drivers/perf/arm-cmn.c and arm_dmc620_pmu.c of Linux.
 */
#include "check.h"

#include <plumb/error.h>

#include "base/diagnostics.h"
#include "cpu/other_pmu.h"

#include "tree.h"

#define DEVICES "/sys/bus/event_source/devices/"

static void put(const char *path, const char *text)
{
	tree_put(DEVICES, path, text);
}

static int make_root(void **state)
{
	(void)state;
	if (tree_make())
		return -1;
	for (unsigned i = 0; i < 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), "arm_cmn_%u/type", i);
		put(path, i ? "31\n" : "30\n");
		snprintf(path, sizeof(path), "arm_cmn_%u/cpumask", i);
		put(path, i ? "64,66\n" : "0\n");
	}
	put("arm_cmn_0/format/type", "config:0-15\n");
	put("arm_cmn_0/format/eventid", "config:16-26\n");
	put("arm_cmn_0/format/bynodeid", "config:31\n");
	put("arm_cmn_0/format/nodeid", "config:32-47\n");
	put("arm_cmn_0/format/split", "config1:0-3,60-63\n");
	put("arm_cmn_0/format/odd", "config7:x\n");
	put("arm_cmn_0/events/hnf_cache_miss", "type=0x5,eventid=0x1\n");
	put("arm_cmn_0/events/of_node", "type=0x5,nodeid=?\n");
	put("arm_dmc620_10008c000/type", "32\n");
	put("arm_dmc620_10008c000/format/event", "config2:3-8\n");
	put("arm_dmc620_10008c000/format/clkdiv2", "config2:9\n");
	put("arm_dmc620_10008c000/events/clkdiv2_rdwr", "event=0x12,clkdiv2=0x1\n");
	put("arm_odd_0/type", "34\n");
	put("arm_odd_0/cpumask", "0\n");
	put("arm_odd_1/type", "35\n");
	put("arm_odd_1/cpumask", "3-1\n");
	put("hisi_sccl1_ddrc0/type", "33\n");
	put("software/type", "1\n");
	put("arm_spe_0/type", "9\n");
	put("arm_dsu_0/type", "many\n");
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	return tree_remove();
}

/* ---- units -------------------------------------------------------------------------------- */

static void units_are_found_by_their_kind_and_by_name(void **state)
{
	struct cpu_unit *units;

	(void)state;
	assert_int_equal(cpu_find_units(root, "arm_cmn", &units), 2);
	assert_string_equal(units[0].name, "arm_cmn_0");
	assert_int_equal(units[0].type, 30);
	assert_int_equal(units[0].cpu_count, 1);
	assert_int_equal(units[0].cpus[0], 0);
	assert_int_equal(units[1].type, 31);
	assert_int_equal(units[1].cpu_count, 2);
	assert_int_equal(units[1].cpus[1], 66);
	cpu_units_free(units, 2);
	assert_int_equal(cpu_find_units(root, "ARM_CMN_1", &units), 1);
	assert_int_equal(units[0].type, 31);
	cpu_units_free(units, 1);
	/* One unit less would be a total that is too small. */
	assert_int_equal(cpu_find_units(root, "arm_odd", &units), PLUMB_ERR_INVALID);
	assert_null(units);
	/* A number may be an address, and need no underscore. */
	assert_int_equal(cpu_find_units(root, "arm_dmc620", &units), 1);
	assert_null(units[0].cpus);
	cpu_units_free(units, 1);
	assert_int_equal(cpu_find_units(root, "hisi_sccl1_ddrc", &units), 1);
	cpu_units_free(units, 1);
}

static void other_names_are_no_units(void **state)
{
	static const char *const names[] = {"arm",       "arm_", "software", "arm_spe", "arm_dsu",
					    "arm_spe_0", "..",   ".",        ""};
	struct cpu_unit *units;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(cpu_find_units(root, names[i], &units), 0);
		cpu_units_free(units, 0);
	}
	assert_int_equal(cpu_find_units("/tmp/plumb-none", "arm_cmn", &units), 0);
}

/* ---- events ------------------------------------------------------------------------------- */

/* Configures an event of the first unit of a kind. Returns the error. */
static int configure(const char *name, const struct cpu_unit_term *terms, size_t count,
		     uint64_t config[3], const char **hint)
{
	static struct plumb_diagnostics *diagnostics;
	struct cpu_unit *units;
	const int found = cpu_find_units(root, name, &units);
	int error;

	plumb_diagnostics_free(diagnostics);
	diagnostics = plumb_diagnostics_new();
	assert_true(found > 0);
	error = cpu_unit_configure(root, &units[0], name, terms, count, config, diagnostics);
	cpu_units_free(units, found);
	assert_int_equal(plumb_diagnostics_count(diagnostics), error < 0);
	*hint = error < 0 ? plumb_diagnostics_get(diagnostics, 0)->hint : NULL;
	return error;
}

static void terms_become_configs(void **state)
{
	static const struct {
		const char *pmu;
		struct cpu_unit_term terms[3];
		size_t count;
		uint64_t config[3];
	} cases[] = {
		{"arm_cmn", {{"hnf_cache_miss", NULL}}, 1, {0x10005, 0, 0}},
		{"arm_cmn", {{"type", "0x5"}, {"eventid", "1"}}, 2, {0x10005, 0, 0}},
		{"arm_cmn",
		 {{"hnf_cache_miss", NULL}, {"bynodeid", NULL}, {"nodeid", "0x68"}},
		 3,
		 {0x6880010005, 0, 0}},
		/* What is said beside an event is said instead. */
		{"arm_cmn", {{"eventid", "0x7ff"}, {"hnf_cache_miss", NULL}}, 2, {0x7ff0005, 0, 0}},
		{"arm_cmn", {{"of_node", NULL}, {"nodeid", "1"}}, 2, {0x100000005, 0, 0}},
		{"arm_cmn", {{"split", "0xa5"}}, 1, {0, UINT64_C(0xa000000000000005), 0}},
		{"arm_cmn", {{"config", "0x1234"}, {"config1", "7"}}, 2, {0x1234, 7, 0}},
		{"arm_dmc620", {{"clkdiv2_rdwr", NULL}}, 1, {0, 0, 0x12 << 3 | 1 << 9}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t config[3] = {1, 2, 3};
		const char *hint;

		assert_int_equal(
			configure(cases[i].pmu, cases[i].terms, cases[i].count, config, &hint), 0);
		assert_memory_equal(config, cases[i].config, sizeof(config));
	}
}

static void what_a_unit_does_not_have_is_refused(void **state)
{
	static const struct {
		struct cpu_unit_term term;
		size_t count;
		int error;
		const char *hint;
	} cases[] = {
		{{"hnf_cache_mis", NULL}, 1, PLUMB_ERR_NOT_FOUND, "did you mean hnf_cache_miss?"},
		{{"evntid", "1"}, 1, PLUMB_ERR_NOT_FOUND, "did you mean eventid?"},
		{{"of_node", NULL}, 1, PLUMB_ERR_INVALID, NULL},
		{{"eventid", "0x800"}, 1, PLUMB_ERR_INVALID, NULL},
		{{"eventid", "one"}, 1, PLUMB_ERR_INVALID, NULL},
		{{"odd", "1"}, 1, PLUMB_ERR_NOT_FOUND, NULL},
		{{"..", NULL}, 1, PLUMB_ERR_NOT_FOUND, NULL},
		{{"../type", NULL}, 1, PLUMB_ERR_NOT_FOUND, NULL},
		{{"", NULL}, 0, PLUMB_ERR_SYNTAX, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t config[3];
		const char *hint;

		assert_int_equal(
			configure("arm_cmn", &cases[i].term, cases[i].count, config, &hint),
			cases[i].error);
		if (cases[i].hint)
			assert_string_equal(hint, cases[i].hint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_found_by_their_kind_and_by_name),
		cmocka_unit_test(other_names_are_no_units),
		cmocka_unit_test(terms_become_configs),
		cmocka_unit_test(what_a_unit_does_not_have_is_refused),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
