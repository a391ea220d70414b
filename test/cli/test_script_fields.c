/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script's -F and --time: perf's grammars, word by word. */
#include "check.h"

#include <linux/perf_event.h>

#include "script/fields.h"
#include "tool/times.h"

/* ---- Fields ------------------------------------------------------------------------------------
 */

static int status;
static struct plumb_diagnostics *diagnostics;

static struct script_fields parsed(const char *text)
{
	struct script_fields fields;

	plumb_diagnostics_free(diagnostics);
	diagnostics = plumb_diagnostics_new();
	script_fields_init(&fields);
	status = script_fields_parse(&fields, text, diagnostics);
	return fields;
}

static void test_lists(void **state)
{
	struct script_fields fields = parsed("tid,ip,sym");
	uint64_t three = FIELD_BIT(FIELD_TID) | FIELD_BIT(FIELD_IP) | FIELD_BIT(FIELD_SYM);

	(void)state;
	assert_int_equal(status, 0);
	for (int type = 0; type < TYPE_COUNT; type++)
		assert_int_equal(fields.types[type].on, three);
	/* For one type alone the others keep theirs. */
	fields = parsed("sw:tid,ip,sym");
	assert_int_equal(status, 0);
	assert_int_equal(fields.types[TYPE_SOFTWARE].on, three);
	assert_true(script_prints(&fields, TYPE_HARDWARE, FIELD_COMM));
	assert_false(script_prints(&fields, TYPE_SOFTWARE, FIELD_COMM));
}

static void test_changes(void **state)
{
	struct script_fields plain, fields = parsed("+addr,-sym,-symoff");

	(void)state;
	script_fields_init(&plain);
	assert_int_equal(status, 0);
	assert_int_equal(fields.types[TYPE_HARDWARE].on,
			 (plain.types[TYPE_HARDWARE].on | FIELD_BIT(FIELD_ADDR)) &
				 ~(FIELD_BIT(FIELD_SYM) | FIELD_BIT(FIELD_SYMOFF)));
	fields = parsed("hw:-comm");
	assert_false(script_prints(&fields, TYPE_HARDWARE, FIELD_COMM));
	assert_true(script_prints(&fields, TYPE_SOFTWARE, FIELD_COMM));
	assert_true(parsed("+flags").flags);
	assert_true(parsed("ip,flags").flags);
	assert_false(parsed("-flags").flags);
	/* What is not printed may be taken away. */
	parsed("-trace,-brstack");
	assert_int_equal(status, 0);
}

static const char *message(void)
{
	return plumb_diagnostics_get(diagnostics, 0)->message;
}

static void test_refused(void **state)
{
	(void)state;
	parsed("");
	assert_int_equal(status, PLUMB_ERR_ARGUMENT);
	parsed("tid,+ip");
	assert_int_equal(status, PLUMB_ERR_ARGUMENT);
	parsed("+ip,tid");
	assert_int_equal(status, PLUMB_ERR_ARGUMENT);
	parsed("tid,symof");
	assert_int_equal(status, PLUMB_ERR_NOT_FOUND);
	assert_string_equal(message(), "unknown field 'symof'");
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->hint, "did you mean symoff?");
	parsed("xx:tid");
	assert_int_equal(status, PLUMB_ERR_NOT_FOUND);
	assert_string_equal(message(), "unknown type of events 'xx'");
	parsed("tid,brstacksym");
	assert_int_equal(status, PLUMB_ERR_UNSUPPORTED);
	assert_string_equal(message(), "field 'brstacksym' of perf script is not supported");
	assert_non_null(
		strstr(plumb_diagnostics_get(diagnostics, 0)->hint, "comm, tid, pid, time"));
}

/* Each of perf 6.1's names is known, printed or not. */
static void test_names(void **state)
{
	static const char names[] =
		"comm tid pid time cpu event trace ip sym dso dsoff addr symoff srcline period "
		"iregs "
		"uregs "
		"brstack brstacksym data_src weight bpf-output callindent insn insnlen brstackinsn "
		"brstackoff synth phys_addr metric misc srccode ipc tod data_page_size "
		"code_page_size ins_lat brstackinsnlen machine_pid vcpu cgroup "
		"retire_lat brcntr disasm brstackdisasm flags ";
	size_t length = 0;
	bool supported;

	(void)state;
	for (unsigned i = 0; script_field_name(i, &supported); i++) {
		const char *name = script_field_name(i, &supported);
		char word[64];

		assert_non_null(strstr(names, name));
		length += strlen(name) + 1;
		snprintf(word, sizeof(word), "+%s", name);
		parsed(word);
		assert_int_equal(status, supported ? 0 : PLUMB_ERR_UNSUPPORTED);
	}
	assert_int_equal(length, strlen(names));
}

static void test_checks(void **state)
{
	struct plumb_recorded_event event = {
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .sample_type = PLUMB_SAMPLE_IP | PLUMB_SAMPLE_TID}};
	struct script_fields fields;

	(void)state;
	fields = parsed("-flags");
	/* Those of the default that are not there are left out. */
	assert_int_equal(script_fields_check(&fields, &event, "e", false, diagnostics), 0);
	assert_false(script_prints(&fields, TYPE_SOFTWARE, FIELD_TIME));
	assert_true(script_prints(&fields, TYPE_SOFTWARE, FIELD_TID));
	/* Those that were asked for are not. */
	fields = parsed("+time");
	assert_int_equal(script_fields_check(&fields, &event, "e", false, diagnostics),
			 PLUMB_ERR_INVALID);
	/* Samples made of AUX data may have an address though their event has none. */
	fields = parsed("+addr");
	assert_int_equal(script_fields_check(&fields, &event, "e", false, diagnostics),
			 PLUMB_ERR_INVALID);
	fields = parsed("+addr");
	assert_int_equal(script_fields_check(&fields, &event, "e", true, diagnostics), 0);
	fields = parsed("ip,symoff");
	assert_int_equal(script_fields_check(&fields, &event, "e", false, diagnostics),
			 PLUMB_ERR_INVALID);
	event.attr.sample_type = PLUMB_SAMPLE_TID;
	fields = parsed("tid,sym");
	assert_int_equal(script_fields_check(&fields, &event, "e", false, diagnostics),
			 PLUMB_ERR_INVALID);
}

/* ---- Times ------------------------------------------------------------------------------------
 */

/* "start-end start-end", of a recording from 1 s to 11 s. */
static const char *times_of(const char *text)
{
	static char line[256];
	struct time_ranges times;
	size_t at = 0;

	if (times_parse(&times, text, 1000000000, 11000000000, NULL) < 0)
		return "bad";
	line[0] = '\0';
	for (size_t i = 0; i < times.count; i++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%llu-%llu", i ? " " : "",
				       (unsigned long long)times.at[i].start,
				       (unsigned long long)times.at[i].end);
	return line;
}

static void test_seconds(void **state)
{
	(void)state;
	assert_string_equal(times_of("1.5,2"), "1500000000-2000000000");
	assert_string_equal(times_of(",2.25"), "0-2250000000");
	assert_string_equal(times_of("0.000000001,"), "1-0");
	assert_string_equal(times_of("1,2 3,4"), "1000000000-2000000000 3000000000-4000000000");
	assert_string_equal(times_of("1"), "bad");
	assert_string_equal(times_of("2,1"), "bad");
	assert_string_equal(times_of("1,3 2,4"), "bad");
	assert_string_equal(times_of("1.0000000001,2"), "bad");
	assert_string_equal(times_of("x,2"), "bad");
	assert_string_equal(times_of("99999999999999999999,"), "bad");
	assert_string_equal(times_of(""), "bad");
}

static void test_percentages(void **state)
{
	(void)state;
	assert_string_equal(times_of("10%"), "1000000000-1999999999");
	assert_string_equal(times_of("10%/2"), "2000000000-2999999999");
	assert_string_equal(times_of("90%-100%"), "10000000000-11000000000");
	assert_string_equal(times_of("0%-10%,50%-60%"),
			    "1000000000-1999999999 6000000000-6999999999");
	assert_string_equal(times_of("10%/11"), "bad");
	assert_string_equal(times_of("101%"), "bad");
	assert_string_equal(times_of("10%-"), "bad");
	assert_string_equal(times_of("%"), "bad");
	assert_string_equal(times_of("10%x"), "bad");
}

static void test_matches(void **state)
{
	struct time_ranges times;

	(void)state;
	assert_int_equal(times_parse(&times, "1,2 3,", 0, 0, NULL), 0);
	assert_false(times_match(&times, 999999999));
	assert_true(times_match(&times, 1000000000));
	assert_true(times_match(&times, 2000000000));
	assert_false(times_match(&times, 2000000001));
	assert_true(times_match(&times, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),       cmocka_unit_test(test_changes),
		cmocka_unit_test(test_refused),     cmocka_unit_test(test_names),
		cmocka_unit_test(test_checks),      cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_percentages), cmocka_unit_test(test_matches),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	plumb_diagnostics_free(diagnostics);
	return failed;
}
