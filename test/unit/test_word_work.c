/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of work of instructions that GNU as assembled. */
#include "check.h"

#include "disasm/word_operation.h"

static const struct {
	uint32_t word;
	const char *kind;
} works[] = {
	{0x9ac20820, "integer division"},        /* udiv x0, x1, x2 */
	{0x1ac20c20, "integer division"},        /* sdiv w0, w1, w2 */
	{0x04950020, "vector integer division"}, /* udiv z0.s, p0/m, z0.s, z1.s */
	{0x1e621820, "floating-point division"}, /* fdiv d0, d1, d2 */
	{0x6ea1f820, "square roots"},            /* fsqrt v0.4s, v1.4s */
	{0x9b027c20, "integer multiplication"},  /* mul x0, x1, x2 */
	{0x1f420c20, "floating-point multiplication and addition"}, /* fmadd d0, d1, d2, d3 */
	{0xf9400020, "loads"},                                      /* ldr x0, [x1] */
	{0xf9000020, "stores"},                                     /* str x0, [x1] */
	{0xf8200041, "atomics"},                                    /* ldadd x0, x1, [x2] */
	{0xf820005f, "atomics"},                                    /* stadd x0, [x2] */
	{0xc8007c41, "exclusive stores"},                           /* stxr w0, x1, [x2] */
	{0xd5033bbf, "barriers"},                                   /* dmb ish */
	{0xd5033fdf, "barriers"},                                   /* isb */
	{0x8b020020, "integer operations"},                         /* add x0, x1, x2 */
	{0x4ea28420, "vector operations"},                          /* add v0.4s, v1.4s, v2.4s */
	{0x4e284820, "cryptographic instructions"},                 /* aese v0.16b, v1.16b */
	{0x14000000, "branches"},                                   /* b . */
	{0xd4000001, "exceptions"},                                 /* svc #0 */
};

static void each_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		const char *kind = word_work(works[i].word);

		assert_non_null(kind);
		assert_string_equal(kind, works[i].kind);
	}
}

static void no_instruction(void **state)
{
	(void)state;
	assert_null(word_work(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind),
		cmocka_unit_test(no_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
