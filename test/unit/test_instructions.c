/* SPDX-License-Identifier: Apache-2.0 */
/* Filters by operation, of instructions that GNU as assembled. */
#include "profile/instructions.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Words, and the terms that match each; no other of `terms` does. */
static const struct {
	uint32_t word;
	const char *matching;
} instructions[] = {
	{0xf9400020, "load memory"},                           /* ldr x0, [x1] */
	{0xa9400440, "load memory"},                           /* ldp x0, x1, [x2] */
	{0x3dc00020, "load memory"},                           /* ldr q0, [x1] */
	{0xf9000020, "store memory"},                          /* str x0, [x1] */
	{0xc89ffc20, "store memory acquire-release"},          /* stlr x0, [x1] */
	{0xc8dffc20, "load memory acquire-release"},           /* ldar x0, [x1] */
	{0xc85f7c20, "load memory exclusive"},                 /* ldxr x0, [x1] */
	{0xc8007c41, "store memory exclusive"},                /* stxr w0, x1, [x2] */
	{0xf8200041, "load memory atomic"},                    /* ldadd x0, x1, [x2] */
	{0xf820005f, "store memory atomic"},                   /* stadd x0, [x2] */
	{0xc8e0fc41, "load memory atomic acquire-release"},    /* casal x0, x1, [x2] */
	{0x85014000, "load memory predicated gather-scatter"}, /* ld1w {z0.s}, ... z1.s */
	{0xa5e0a000, "load memory predicated"},                /* ld1d {z0.d}, p0/z, [x0] */
	{0x14000000, "branch"},                                /* b . */
	{0x54000001, "branch conditional"},                    /* b.ne . */
	{0xb4000000, "branch conditional"},                    /* cbz x0, . */
	{0x37180000, "branch conditional"},                    /* tbnz w0, #3, . */
	{0x94000000, "branch call"},                           /* bl . */
	{0xd63f0020, "branch call"},                           /* blr x1 */
	{0xd61f0020, "branch"},                                /* br x1 */
	{0xd65f03c0, "branch return"},                         /* ret */
	{0x8b020020, "other"},                                 /* add x0, x1, x2 */
	{0x9a820020, "other conditional"},                     /* csel x0, x1, x2, eq */
	{0x1e622820, "other float"},                           /* fadd d0, d1, d2 */
	{0x4e22d420, "other float simd"},                      /* fadd v0.4s, v1.4s, v2.4s */
	{0x4ea28420, "other simd"},                            /* add v0.4s, v1.4s, v2.4s */
	{0xf9800000, "other"},                                 /* prfm pldl1keep, [x0] */
	{0xd4000001, "other"},                                 /* svc #0 */
	{0xffffffff, ""},                                      /* no instruction */
};

static const char *const terms[] = {
	"load",           "store",       "memory",          "branch",    "other",      "simd",
	"float",          "conditional", "atomic",          "exclusive", "predicated", "call",
	"gather-scatter", "return",      "acquire-release", "gcs",
};

static struct plumb_spe_filter *filter_of(const char *text)
{
	struct plumb_spe_filter *filter;

	assert_int_equal(plumb_spe_filter_parse(text, 0, &filter, NULL), 0);
	return filter;
}

static bool has_term(const char *list, const char *term)
{
	const size_t length = strlen(term);

	for (const char *at = list; (at = strstr(at, term)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static void each_term_alone(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof(terms) / sizeof(*terms); t++) {
		struct plumb_spe_filter *filter = filter_of(terms[t]);

		assert_true(instructions_decide(filter));
		assert_null(instructions_lack(filter));
		for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++) {
			const struct word_operation operation =
				word_operation(instructions[i].word);

			if (instructions_match(filter, &operation) !=
			    has_term(instructions[i].matching, terms[t]))
				fail_msg("%08x and %s", instructions[i].word, terms[t]);
		}
		plumb_spe_filter_free(filter);
	}
}

static bool matches(const char *text, uint32_t word)
{
	struct plumb_spe_filter *filter = filter_of(text);
	const struct word_operation operation = word_operation(word);
	const bool fine = instructions_match(filter, &operation);

	plumb_spe_filter_free(filter);
	return fine;
}

static void several_terms(void **state)
{
	(void)state;
	/* One of the kinds, but all properties. */
	assert_true(matches("load,branch", 0xf9400020));
	assert_true(matches("load,branch", 0x14000000));
	assert_false(matches("load,branch", 0xf9000020));
	assert_true(matches("load,atomic,acquire-release", 0xc8e0fc41));
	assert_false(matches("load,atomic,acquire-release", 0xf8200041));
	assert_false(matches("store,atomic", 0xc8e0fc41));
	/* Conditions of other kinds do not matter here. */
	assert_true(matches("pid=1,load", 0xf9400020));
}

static void what_no_instruction_decides(void **state)
{
	static const struct {
		const char *text, *lacks;
	} filters[] = {
		{"latency>=100", "latencies"},
		{"load,issue-latency<3", "latencies"},
		{"l1d-miss", "events of single operations"},
		{"!retired", "events of single operations"},
		{"source=3", "data sources"},
		{"address=0x1000", "addresses of data"},
		{"physical=0x1000", "physical addresses"},
		{"target=0x1000", "branch targets"},
		{"pc=0x1000,user,pid=1,tid=2,cpu=3", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		struct plumb_spe_filter *filter = filter_of(filters[i].text);
		const char *lacks = instructions_lack(filter);

		assert_string_equal(lacks ? lacks : "", filters[i].lacks ? filters[i].lacks : "");
		assert_int_equal(instructions_decide(filter),
				 strstr(filters[i].text, "load") != NULL);
		plumb_spe_filter_free(filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_term_alone),
		cmocka_unit_test(several_terms),
		cmocka_unit_test(what_no_instruction_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
