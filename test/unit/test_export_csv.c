/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "exported.h"
#include "small_spec.h"

static void events_make_a_table(void **state)
{
	char *text = exported(&small_spec, "csv", "events", NULL);

	(void)state;
	assert_string_equal(
		text,
		"code,name,title,accesses,kind,functional_groups,metrics\r\n"
		"0x0008,INST_RETIRED,Instructions retired,PMU ETE,common,\"General\",\"ipc\"\r\n"
		"0x0011,CPU_CYCLES,Cycles,PMU ETE,common,\"General;Stall\","
		"\"ipc;backend_bound;frontend_bound;backend_mem_bound\"\r\n"
		"0x003d,STALL_SLOT_BACKEND,Slots the backend stalled,PMU,common,\"Stall\","
		"\"backend_bound;backend_mem_bound\"\r\n"
		"0x003e,STALL_SLOT_FRONTEND,Slots the frontend stalled,PMU,common,\"Stall\","
		"\"frontend_bound\"\r\n"
		"0x0003,L1D_CACHE_REFILL,L1 data cache refills,PMU,common,\"L1D_Cache\","
		"\"frontend_bound;l1d_miss_ratio;backend_mem_bound\"\r\n"
		"0x0004,L1D_CACHE,L1 data cache accesses,PMU,common,\"L1D_Cache\","
		"\"l1d_miss_ratio;backend_mem_bound\"\r\n"
		"0x0120,CORE_EVENT,Something of this core,PMU,supplemental,\"\",\"\"\r\n"
		"0x0011,CYCLES_AGAIN,\"Cycles, by another name\",ETE,common,\"General\",\"\"\r\n");
	free(text);
	text = exported(&small_spec, "csv", NULL, NULL);
	assert_int_equal(strncmp(text, "code,name,", 10), 0);
	free(text);
}

static void metrics_make_a_table(void **state)
{
	char *text = exported(&small_spec, "csv", "metrics.csv", NULL);

	(void)state;
	assert_string_equal(
		text,
		"name,title,units,formula,events,sample_events,groups\r\n"
		"ipc,Instructions per cycle,per cycle,INST_RETIRED / CPU_CYCLES,"
		"\"INST_RETIRED;CPU_CYCLES\",\"INST_RETIRED\",\"General\"\r\n"
		"backend_bound,Backend bound,percent of slots,"
		"STALL_SLOT_BACKEND / (5 * CPU_CYCLES) * 100,"
		"\"CPU_CYCLES;STALL_SLOT_BACKEND\",\"STALL_SLOT_BACKEND\",\"Topdown_L1\"\r\n"
		"frontend_bound,Frontend bound,percent of slots,"
		"100 * (STALL_SLOT_FRONTEND / (CPU_CYCLES * 5) - L1D_CACHE_REFILL / CPU_CYCLES),"
		"\"STALL_SLOT_FRONTEND;CPU_CYCLES;L1D_CACHE_REFILL\",\"STALL_SLOT_FRONTEND\","
		"\"Topdown_L1\"\r\n"
		"l1d_miss_ratio,L1 data cache miss ratio,per cache access,"
		"L1D_CACHE_REFILL / L1D_CACHE,\"L1D_CACHE_REFILL;L1D_CACHE\","
		"\"L1D_CACHE_REFILL\",\"Cache\"\r\n"
		"backend_mem_bound,Backend memory bound,percent of slots,"
		"backend_bound * l1d_miss_ratio,"
		"\"STALL_SLOT_BACKEND;CPU_CYCLES;L1D_CACHE_REFILL;L1D_CACHE\",\"\",\"Cache\"\r\n"
		"eight,Eight,one,1 << 3,\"\",\"\",\"\"\r\n");
	free(text);
}

/* RFC 4180, section 2, rules 5 to 7. */
static void text_is_quoted_where_it_must_be(void **state)
{
	static const struct {
		const char *title;
		const char *field;
	} cases[] = {
		{"plain", ",plain,"},
		{"", ",,"},
		{NULL, ",,"},
		{"a,b", ",\"a,b\","},
		{"say \"so\"", ",\"say \"\"so\"\"\","},
		{"two\nlines", ",\"two\nlines\","},
		{"two\r\nlines", ",\"two\r\nlines\","},
		{"\"", ",\"\"\"\","},
		{" blank ", ", blank ,"},
	};
	struct small_copy copy;

	(void)state;
	small_spec_copy(&copy);
	copy.spec.event_count = 1;
	copy.spec.metric_count = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[200];
		char *text;

		copy.events[0].title = cases[i].title;
		text = exported(&copy.spec, "csv", "events", NULL);
		snprintf(expected, sizeof(expected), "\r\n0x0008,INST_RETIRED%sPMU ETE,common,",
			 cases[i].field);
		assert_non_null(strstr(text, expected));
		free(text);
	}
}

static void names_in_lists_are_quoted_too(void **state)
{
	struct small_copy copy;
	char *text;

	(void)state;
	small_spec_copy(&copy);
	copy.functional_groups[SMALL_FUNCTION_GENERAL].name = "a\"b";
	copy.events[SMALL_CPU_CYCLES].product_defined = true;
	copy.events[SMALL_CPU_CYCLES].accesses = 0;
	copy.events[SMALL_INST_RETIRED].architecture_defined = false;
	text = exported(&copy.spec, "csv", "events", NULL);
	assert_non_null(strstr(text, "\n0x0011,CPU_CYCLES,Cycles,,implementation-defined,"
				     "\"a\"\"b;Stall\","));
	assert_non_null(strstr(text, ",Instructions retired,PMU ETE,,\"a\"\"b\","));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_make_a_table),
		cmocka_unit_test(metrics_make_a_table),
		cmocka_unit_test(text_is_quoted_where_it_must_be),
		cmocka_unit_test(names_in_lists_are_quoted_too),
	};

	return cmocka_run_group_tests_name("export_csv", tests, NULL, NULL);
}
