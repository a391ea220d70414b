/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as a file: what was written is read again, and damage is refused with its place. */
#include "check.h"

#include <math.h>

#include "profile/findings.h"

static const char whole[] =
	"{\"plumb\":\"0\",\"format\":1,\"source\":\"model\",\"label\":null,"
	"\"cpu\":{\"name\":\"Neoverse N3\",\"midr\":\"0x410fd8e0\"},\"command\":[\"./a\",\"-b\"],"
	"\"target\":null,\"seconds\":1.5,\"runs\":1,\"exit_status\":3,\"interrupted\":false,"
	"\"whole\":\"slots\",\"verdict\":\"loss\",\"work\":10.25,\"tie\":\"both\",\"findings\":[{"
	"\"node\":\"backend_mem_tlb_bound\",\"cause\":\"backend_mem_tlb_bound\",\"slots\":50.5,"
	"\"brief\":\"pages\",\"means\":\"This.\",\"helps\":\"That.\","
	"\"functions\":{\"basis\":\"stalled cycles\",\"exact\":true,\"samples\":null,\"places\":[{"
	"\"name\":\"touch\",\"file\":\"a\",\"share\":100,\"interval\":null}]},"
	"\"lines\":{\"basis\":\"stalled cycles\",\"exact\":true,\"samples\":null,\"places\":[{"
	"\"name\":\"touch\",\"file\":\"a.c\",\"line\":20,\"text\":\"x = *p;\",\"share\":99.5,"
	"\"interval\":null}]},"
	"\"data\":{\"basis\":\"loads\",\"exact\":false,\"samples\":40,\"places\":[{"
	"\"name\":\"pages\",\"file\":\"a\",\"bytes\":4096,\"share\":80.5,\"interval\":[70.5,90.5],"
	"\"samples\":32}]},\"when\":{\"throughout\":false,\"slots\":91.5,\"elsewhere\":3.5,"
	"\"ranges\":[[0.25,0.5],[1,1.5]],\"range_count\":2},"
	"\"callers\":{\"basis\":\"stalled cycles\",\"exact\":true,\"samples\":null,\"places\":[{"
	"\"name\":\"main\",\"file\":\"m.c\",\"line\":7,\"share\":64.5,\"interval\":null}]},"
	"\"view\":\"function\"}],\"work_at\":{"
	"\"functions\":{\"basis\":\"operations\",\"exact\":true,\"samples\":null,\"places\":[{"
	"\"name\":\"add\",\"file\":\"a\",\"share\":61.5,\"interval\":null}]},"
	"\"lines\":{\"basis\":\"operations\",\"exact\":true,\"samples\":null,\"places\":[{"
	"\"name\":\"add\",\"file\":\"w.c\",\"line\":30,\"share\":60.5,\"interval\":null}]},"
	"\"callers\":{\"basis\":\"operations\",\"exact\":true,\"samples\":null,\"places\":[]}},"
	"\"least\":5,\"ruled_out\":[],\"undivided\":[{\"node\":\"backend_bound\",\"slots\":33.5,"
	"\"finding\":1}],\"recording\":\"perf.data\",\"warnings\":[]}";

/* Reads `text`. Returns the error, and the place and message of the first finding in `said`. */
static int parse(const char *text, struct plumb_findings **findings, char said[256])
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_diagnostic *first;
	int error = findings_parse(text, strlen(text), "file", findings, diagnostics);

	first = plumb_diagnostics_get(diagnostics, 0);
	assert_true(!first == !error);
	snprintf(said, 256, "%s %s", first && first->path ? first->path : "",
		 first ? first->message : "");
	if (first)
		assert_string_equal(first->file, "file");
	assert_true(!*findings == (error < 0));
	plumb_diagnostics_free(diagnostics);
	return error;
}

static char *written(const struct plumb_findings *findings)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(plumb_findings_write(findings, out), 0);
	fclose(out);
	return text;
}

static void reads_every_member(void **state)
{
	struct plumb_findings *f;
	const struct plumb_finding *finding;
	char said[256];

	(void)state;
	assert_int_equal(parse(whole, &f, said), 0);
	assert_string_equal(f->source, "model");
	assert_null(f->label);
	assert_string_equal(f->cpu, "Neoverse N3");
	assert_int_equal(f->midr, 0x410fd8e0);
	assert_string_equal(f->command[1], "-b");
	assert_null(f->command[2]);
	assert_null(f->target);
	assert_true(f->seconds == 1.5 && f->work == 10.25);
	assert_int_equal(f->runs, 1);
	assert_int_equal(f->exit_status, 3);
	assert_false(f->interrupted);
	assert_int_equal(f->verdict, PLUMB_VERDICT_LOSS);
	assert_string_equal(f->tie, "both");
	assert_string_equal(f->recording, "perf.data");
	assert_null(f->warnings[0]);
	assert_int_equal(f->finding_count, 1);
	finding = &f->findings[0];
	assert_string_equal(finding->node, "backend_mem_tlb_bound");
	assert_true(finding->slots == 50.5);
	assert_int_equal(finding->view, PLUMB_VIEW_FUNCTION);
	assert_true(finding->lines.exact && isnan(finding->lines.at[0].low));
	assert_int_equal(finding->lines.at[0].line, 20);
	assert_string_equal(finding->lines.at[0].text, "x = *p;");
	assert_int_equal(finding->data.samples, 40);
	assert_int_equal(finding->data.at[0].bytes, 4096);
	assert_true(finding->data.at[0].low == 70.5 && finding->data.at[0].high == 90.5);
	assert_true(f->when[0].known && !f->when[0].throughout);
	assert_true(f->when[0].slots == 91.5 && f->when[0].elsewhere == 3.5);
	assert_int_equal(f->when[0].range_count, 2);
	assert_true(f->when[0].ranges[0].to == 0.5 && f->when[0].ranges[1].from == 1);
	assert_int_equal(f->callers[0].count, 1);
	assert_int_equal(f->callers[0].at[0].line, 7);
	assert_true(f->callers[0].at[0].share == 64.5);
	assert_true(f->work_at->functions.exact && f->work_at->functions.at[0].share == 61.5);
	assert_int_equal(f->work_at->lines.at[0].line, 30);
	assert_int_equal(f->work_at->callers.count, 0);
	assert_int_equal(f->undivided_count, 1);
	assert_string_equal(f->undivided[0].node, "backend_bound");
	assert_true(f->undivided[0].slots == 33.5 && f->undivided[0].finding == 1);
	plumb_findings_free(f);
}

static void writes_what_it_read(void **state)
{
	struct plumb_findings *f, *again;
	char said[256], *one, *two;

	(void)state;
	assert_int_equal(parse(whole, &f, said), 0);
	one = written(f);
	assert_int_equal(parse(one, &again, said), 0);
	two = written(again);
	assert_string_equal(one, two);
	free(one);
	free(two);
	plumb_findings_free(f);
	plumb_findings_free(again);
}

/* Replaces `from` in the whole file by `to`, and checks what is said of the result. */
static void refuses(const char *from, const char *to, int error, const char *expected)
{
	const char *at = strstr(whole, from);
	struct plumb_findings *f;
	char text[2 * sizeof(whole)], said[256];

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
	assert_int_equal(parse(text, &f, said), error);
	assert_string_equal(said, expected);
	plumb_findings_free(f);
}

static void refuses_damage_with_its_place(void **state)
{
	const int invalid = PLUMB_ERR_INVALID;

	(void)state;
	refuses("50.5", "\"x\"", invalid, "/findings/0/slots not a number");
	refuses("50.5", "-1", invalid, "/findings/0/slots -1 is out of range, which is 0 to 200");
	refuses("99.5", "101", invalid,
		"/findings/0/lines/places/0/share 101 is out of range, which is 0 to 100.5");
	refuses("\"line\":20", "\"line\":-20", invalid,
		"/findings/0/lines/places/0/line -20 is out of range, which is 0 to 2147483647");
	refuses("\"line\":20", "\"line\":20.5", invalid,
		"/findings/0/lines/places/0/line not a whole number");
	refuses("[70.5,90.5]", "[70.5]", 0, " ");
	refuses("[70.5,90.5]", "[70.5,\"\"]", invalid,
		"/findings/0/data/places/0/interval/1 not a number");
	refuses("\"perf.data\"", "\"/etc/passwd\"", invalid, "/recording not \"perf.data\"");
	refuses("\"loss\"", "\"gain\"", invalid, "/verdict unknown name \"gain\"");
	refuses("\"function\"}", "\"none\"}", 0, " ");
	refuses("\"function\"}", "7}", invalid, "/findings/0/view not a string");
	refuses("\"0x410fd8e0\"", "\"n3\"", invalid,
		"/cpu/midr not a MIDR, such as \"0x410fd8e0\"");
	refuses("\"exit_status\":3", "\"exit_status\":300", invalid,
		"/exit_status 300 is out of range, which is 0 to 255");
	refuses("\"source\":\"model\",", "", invalid, "/source missing member");
	refuses("\"-b\"", "null", invalid, "/command/1 not a string");
	refuses("false", "0", invalid, "/interrupted not true or false");
	refuses("\"format\":1", "\"format\":2", PLUMB_ERR_UNSUPPORTED,
		" format 2 is unsupported: this version reads format 1");
	refuses("\"format\":1,", "", invalid, " not a file of findings");
	refuses("\"runs\":1", "\"runs\":1,\"runs\":2", PLUMB_ERR_SYNTAX,
		" duplicate object key near '\"runs\"'");
	refuses("[1,1.5]", "[1]", invalid, "/findings/0/when/ranges/1 not two numbers");
	refuses("[1,1.5]", "[1,1]", invalid, "/findings/0/when/ranges/1 ends before it begins");
	refuses("[1,1.5]", "[0.25,1]", invalid,
		"/findings/0/when/ranges/1/0 0.25 is out of range, which is 0.5 to 1e+12");
	refuses("\"range_count\":2", "\"range_count\":3", invalid,
		"/findings/0/when/ranges 2 ranges, not as range_count says");
	refuses("\"throughout\":false", "\"throughout\":true", invalid,
		"/findings/0/when/ranges must be empty if, and only if, it is throughout");
	refuses("\"throughout\":false", "\"throughout\":0", invalid,
		"/findings/0/when/throughout not true or false");
	refuses("60.5", "160.5", invalid,
		"/work_at/lines/places/0/share 160.5 is out of range, which is 0 to 100.5");
	refuses("33.5", "-33.5", invalid,
		"/undivided/0/slots -33.5 is out of range, which is 0 to 200");
	refuses("\"finding\":1", "\"finding\":2", invalid,
		"/undivided/0/finding 2 is out of range, which is 0 to 1");
	refuses("\"finding\":1", "\"finding\":null", 0, " ");
	refuses("64.5", "\"x\"", invalid, "/findings/0/callers/places/0/share not a number");
	/* A function to show must be there. */
	refuses("[{\"name\":\"touch\",\"file\":\"a\",\"share\":100,\"interval\":null}]", "[]",
		invalid, "/findings/0 shows a function, and has none");
}

static void every_cut_is_refused(void **state)
{
	char text[sizeof(whole)];

	(void)state;
	for (size_t size = 0; size < sizeof(whole) - 1; size++) {
		struct plumb_findings *f;
		char said[256];

		memcpy(text, whole, size);
		text[size] = '\0';
		assert_int_equal(parse(text, &f, said), PLUMB_ERR_SYNTAX);
	}
}

static void reads_no_other_files(void **state)
{
	struct plumb_findings *f;

	(void)state;
	assert_int_equal(plumb_findings_read("/dev/null", &f, NULL), PLUMB_ERR_IO);
	assert_null(f);
	assert_int_equal(plumb_findings_read("/nowhere/at/all", &f, NULL), PLUMB_ERR_IO);
	assert_int_equal(plumb_findings_read("/", &f, NULL), PLUMB_ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_member),
		cmocka_unit_test(writes_what_it_read),
		cmocka_unit_test(refuses_damage_with_its_place),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(reads_no_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
