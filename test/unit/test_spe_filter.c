/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/filter.h"

#include "check.h"

#include <plumb/spe_filter.h>

#define N3 0x410fd8e0

/* A load in user code that missed L1D: 150 cycles, from DRAM, at 1.5 s on CPU 3. */
static const struct plumb_spe_record load = {
	.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_DATA_VIRTUAL | PLUMB_SPE_HAS_DATA_PHYSICAL |
	       PLUMB_SPE_HAS_TOTAL_LATENCY | PLUMB_SPE_HAS_ISSUE_LATENCY | PLUMB_SPE_HAS_EVENTS |
	       PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_DATA_SOURCE,
	.addresses = {UINT64_C(0x8000000000401234), 0, UINT64_C(0x0500ffff12345678),
		      UINT64_C(0x8000000080001000)},
	.events = 0x1e,
	.op_class = PLUMB_SPE_LOAD_STORE,
	.counters = {150, 20},
	.data_source = 0xe,
};

/* A mispredicted conditional branch of the kernel. */
static const struct plumb_spe_record branch = {
	.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_BRANCH_TARGET | PLUMB_SPE_HAS_EVENTS |
	       PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_TOTAL_LATENCY,
	.addresses = {UINT64_C(0xa0ff800008001000), UINT64_C(0xa0ff800008002000)},
	.events = 0x82,
	.op_class = PLUMB_SPE_BRANCH,
	.operation = 1,
	.counters = {9},
};

static const struct spe_origin origin = {
	.pid = 10, .tid = 11, .cpu = 3, .has_time = true, .time = 1500000000};

/* Which of the two match: bit 0 for the load, bit 1 for the branch. */
static unsigned matches(const char *text)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spe_filter filter;
	int error = spe_filter_parse(text, N3, &filter, diagnostics);

	if (error)
		fail_msg("%s: %s", text, plumb_diagnostics_get(diagnostics, 0)->message);
	plumb_diagnostics_free(diagnostics);
	return spe_filter_matches(&filter, &load, &origin) |
	       (unsigned)spe_filter_matches(&filter, &branch, &origin) << 1;
}

static void terms_let_records_pass(void **state)
{
	static const struct {
		const char *text;
		unsigned pass;
	} cases[] = {
		{"", 3},
		{"load", 1},
		{"LOAD", 1},
		{"store", 0},
		{"branch", 2},
		{"load,branch", 3},
		{"memory", 1},
		{"other", 0},
		{"simd", 0},
		{"conditional", 2},
		{"branch,conditional", 2},
		{"l1d-miss", 1},
		{"!l1d-miss", 2},
		{"event=l1d-miss+tlb-access", 1},
		{"event=L1D-REFILL", 1},
		{"event=0x80", 2},
		{"event=2", 3},
		{"event!=0x4", 2},
		{"retired,branch-miss", 2},
		{"latency>=150", 1},
		{"latency>150", 0},
		{"latency<150", 2},
		{"latency<=9", 2},
		{"latency=9+150", 3},
		{"latency>=9,latency<150", 2},
		{"latency=0-8+10-149,latency>5", 0},
		{"issue-latency>0", 1},
		{"translation-latency>=0", 0},
		{"pc=0x401234", 1},
		{"pc=0x401000-0x401fff+0xffff800008001000", 3},
		{"pc>=0xffff000000000000", 2},
		{"address=0xffff12345678", 1},
		{"physical=0x80001000-0x80001fff", 1},
		{"target=0xffff800008002000", 2},
		{"user", 1},
		{"kernel", 2},
		{"user,kernel", 3},
		{"el=0", 1},
		{"el=1+2", 2},
		{"source=14", 1},
		{"source=dram", 1},
		{"data_source=DRAM", 1},
		{"source=L1D+DRAM", 1},
		{"source=system-cache", 0},
		{"time=1.5-2", 3},
		{"time=-1.499999999", 0},
		{"time=1.500000001-", 0},
		{"time=0-", 3},
		{"cpu=0-3", 3},
		{"cpu=4", 0},
		{"pid=10,tid=11", 3},
		{"pid=10,tid=10", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (matches(cases[i].text) != cases[i].pass)
			fail_msg("%s: %u", cases[i].text, matches(cases[i].text));
}

static void what_is_not_said_fulfils_nothing(void **state)
{
	static const char *const texts[] = {"load", "retired",  "!retired", "latency>=0", "pc>=0",
					    "el=0", "source=0", "cpu=0",    "time=0-"};
	const struct plumb_spe_record nothing = {0};
	struct plumb_spe_filter filter;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(spe_filter_parse(texts[i], N3, &filter, NULL), 0);
		assert_false(spe_filter_matches(&filter, &nothing, NULL));
	}
}

static void errors_name_the_term_and_the_nearest_word(void **state)
{
	static const struct {
		const char *text, *message, *hint;
		int error;
		unsigned column;
	} cases[] = {
		{"laod", "\"laod\": unknown word", "\"load\"", PLUMB_ERR_NOT_FOUND, 1},
		{"load,l1d-mis", "\"l1d-mis\"", "\"l1d-miss\"", PLUMB_ERR_NOT_FOUND, 6},
		{"latensy>=3", "\"latensy\"", "\"latency\"", PLUMB_ERR_NOT_FOUND, 1},
		{"event=retird", "\"retird\"", "\"retired\"", PLUMB_ERR_NOT_FOUND, 7},
		{"source=DRAMM", "\"DRAMM\"", "\"DRAM\"", PLUMB_ERR_NOT_FOUND, 8},
		{"source=nowhere-at-all", "unknown data source of this core",
		 "\"system cache\", \"peer cluster\", \"remote socket\", \"DRAM\", or a number",
		 PLUMB_ERR_NOT_FOUND, 8},
		{"zzzzzz", "\"zzzzzz\": unknown word",
		 "load, store, branch, other, memory; simd, float, conditional, atomic, call, "
		 "return",
		 PLUMB_ERR_NOT_FOUND, 1},
		{"zzzzzz", "\"zzzzzz\": unknown word",
		 "source=, time=, cpu=, pid=, tid=", PLUMB_ERR_NOT_FOUND, 1},
		{"load,,store", "missing word", NULL, PLUMB_ERR_SYNTAX, 6},
		{"load,", "missing word", NULL, PLUMB_ERR_SYNTAX, 6},
		{"!load", "! is only supported for events", NULL, PLUMB_ERR_INVALID, 2},
		{"latency>=x", "invalid or out-of-range number", NULL, PLUMB_ERR_INVALID, 10},
		{"latency>65535", "no value can be beyond", NULL, PLUMB_ERR_INVALID, 14},
		{"latency>=65536", "out-of-range", NULL, PLUMB_ERR_INVALID, 10},
		{"latency!=3", "for events", NULL, PLUMB_ERR_INVALID, 10},
		{"pc=5-4", "ends before it begins", NULL, PLUMB_ERR_INVALID, 7},
		{"pc=5x", "unexpected text after", NULL, PLUMB_ERR_SYNTAX, 5},
		{"el=4", "0 to 3", NULL, PLUMB_ERR_INVALID, 4},
		{"cpu=1+2+3+4+5+6+7+8+9+10+11+12+13+14+15+16+17", "more than 16", NULL,
		 PLUMB_ERR_LIMIT, 46},
		{"event=0x10000000000000000", "64 bits", NULL, PLUMB_ERR_INVALID, 7},
		{"retired,!retired", "no record both has and lacks an event", NULL,
		 PLUMB_ERR_INVALID, 1},
		{"time=1.0000000001", "invalid or out-of-range number", NULL, PLUMB_ERR_INVALID, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		const struct plumb_diagnostic *finding;
		struct plumb_spe_filter filter;
		int error = spe_filter_parse(cases[i].text, N3, &filter, diagnostics);

		finding = plumb_diagnostics_get(diagnostics, 0);
		if (error != cases[i].error || !finding ||
		    !strstr(finding->message, cases[i].message) ||
		    finding->column != cases[i].column ||
		    (cases[i].hint && (!finding->hint || !strstr(finding->hint, cases[i].hint))))
			fail_msg("%s: %d %s %s %u", cases[i].text, error,
				 finding ? finding->message : "-",
				 finding && finding->hint ? finding->hint : "-",
				 finding ? finding->column : 0);
		plumb_diagnostics_free(diagnostics);
	}
}

/* Compares the list of operations with what the filter says of records that have them. */
static void operations_that_pass_are_listed(void **state)
{
	static const struct {
		const char *text;
		bool alone;
	} cases[] = {
		{"memory", true},
		{"load,branch", true},
		{"store,simd", true},
		{"conditional", true},
		{"", false},
		{"cpu=1", false},
		{"load,cpu=1", false},
		{"load,latency>3", false},
		{"store,l1d-miss", false},
		{"branch,pc=16", false},
		{"load,!l1d-miss", false},
		{"load,el=1", false},
		{"load,source=1", false},
		{"load,time=1-2", false},
	};
	struct spe_operations operations;
	struct plumb_spe_filter filter;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(spe_filter_parse(cases[i].text, N3, &filter, NULL), 0);
		spe_operations_list(&operations, &filter);
		assert_int_equal(operations.alone, cases[i].alone);
		for (unsigned of = 0; operations.alone && of < 4 << 8; of++) {
			struct plumb_spe_record record = {.has = PLUMB_SPE_HAS_OPERATION,
							  .op_class = (uint8_t)(of >> 8),
							  .operation = (uint8_t)of};

			assert_int_equal(spe_operation_is_accepted(&operations, &record),
					 spe_filter_matches(&filter, &record, NULL));
			record.has = 0;
			assert_false(spe_operation_is_accepted(&operations, &record));
		}
	}
}

static void filters_are_made_and_freed(void **state)
{
	static const char *const texts[] = {"", "load,cpu=1", "pid=1", "store,tid=2"};
	struct plumb_spe_filter *filter;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(plumb_spe_filter_parse(texts[i], N3, &filter, NULL), 0);
		plumb_spe_filter_free(filter);
	}
	assert_int_equal(plumb_spe_filter_parse("loads", N3, &filter, NULL), PLUMB_ERR_NOT_FOUND);
	assert_null(filter);
	plumb_spe_filter_free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_are_made_and_freed),
		cmocka_unit_test(terms_let_records_pass),
		cmocka_unit_test(operations_that_pass_are_listed),
		cmocka_unit_test(what_is_not_said_fulfils_nothing),
		cmocka_unit_test(errors_name_the_term_and_the_nearest_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
