/* SPDX-License-Identifier: Apache-2.0 */
/* Which feature an instruction requires. The words are GNU as's. */
#include "check.h"

#include "params.h"
#include "required.h"

static void instructions_name_their_feature(void **state)
{
	static const struct {
		uint32_t word;
		const char *feature;
	} cases[] = {
		/* clang-format off */
		{0x04a10000, "sve"}, /* add z0.s,z0.s,z1.s */
		{0x04bf5020, "sve"}, /* rdvl x0,#1 */
		{0x2518e3e0, "sve"}, /* ptrue p0.b */
		{0xa540a000, "sve"}, /* ld1w {z0.s},p0/z,[x0] */
		{0x44820020, "sve"}, /* sdot z0.s,z1.b,z2.b */
		{0x044083e0, "sve"}, /* asr z0.s,p0/m,z0.s,#1 */
		{0x25a11c00, "sve"}, /* whilelo p0.s,x0,x1 */
		{0x64408020, "sve"}, /* fcadd z0.h,p0/m,z0.h,z1.h,#90 */
		{0x64818820, "sve"}, /* fcadd z0.s,p2/m,z0.s,z1.s,#270 */
		{0xa4010000, "sve"}, /* ld1rqb {z0.b},p0/z,[x0,x1] */
		{0xa5812000, "sve"}, /* ld1rqd {z0.d},p0/z,[x0,#16] */
		{0x04a16000, "sve2"}, /* mul z0.s,z0.s,z1.s */
		{0x04a17000, "sve2"}, /* sqdmulh z0.s,z0.s,z1.s */
		{0x25a11800, "sve2"}, /* whilehs p0.s,x0,x1 */
		{0x05222800, "sve2"}, /* tbl z0.b,{z0.b,z1.b},z2.b */
		{0x8500a020, "sve2"}, /* ldnt1w {z0.s},p0/z,[z1.s,x0] */
		{0xe5802020, "sve2"}, /* stnt1d {z0.d},p0,[z1.d,x0] */
		{0xc580c020, "sve2"}, /* ldnt1d {z0.d},p0/z,[z1.d,x0] */
		{0x044c83e0, "sve2"}, /* srshr z0.s,p0/m,z0.s,#1 */
		{0x04213840, "sve2"}, /* eor3 z0.d,z0.d,z1.d,z2.d */
		{0x45820020, "sve2"}, /* saddlb z0.s,z1.h,z2.h */
		{0x650aa020, "sve2"}, /* fcvtx z0.s,p0/m,z1.d */
		{0x44824020, "sve2"}, /* smlalb z0.s,z1.h,z2.h */
		{0x45218000, "sve2"}, /* match p0.b,p0/z,z0.b,z1.b */
		{0x4522e020, "sveaes"}, /* aese z0.b,z0.b,z1.b */
		{0x45026820, "svepmull"}, /* pmullb z0.q,z1.d,z2.d */
		{0x4522f420, "svesha3"}, /* rax1 z0.d,z1.d,z2.d */
		{0x4523e020, "svesm4"}, /* sm4e z0.s,z0.s,z1.s */
		{0x4502b020, "svebitperm"}, /* bext z0.b,z1.b,z2.b */
		{0x45029820, "svei8mm"}, /* smmla z0.s,z1.b,z2.b */
		{0x64628020, "svebf16"}, /* bfdot z0.s,z1.h,z2.h */
		{0x658aa020, "svebf16"}, /* bfcvt z0.h,p0/m,z1.s */
		{0x64a2e420, "svef32mm"}, /* fmmla z0.s,z1.s,z2.s */
		{0x64e2e420, "svef64mm"}, /* fmmla z0.d,z1.d,z2.d */
		{0xa4210000, "svef64mm"}, /* ld1rob {z0.b},p0/z,[x0,x1] */
		{0xa5212000, "svef64mm"}, /* ld1row {z0.s},p0/z,[x0,#32] */
		{0xc00800ff, "sme"}, /* zero {za} */
		{0xd503477f, "sme"}, /* smstart */
		{0x19010440, "mops"}, /* cpyfp [x0]!,[x1]!,x2! */
		{0xdac10020, "paca"}, /* pacia x0,x1 */
		{0xd65f0bff, "paca"}, /* retaa */
		{0xd63f087f, "paca"}, /* blraaz x3 */
		{0xf8200420, "paca"}, /* ldraa x0,[x1] */
		{0x9ac23020, "pacg"}, /* pacga x0,x1,x2 */
		{0x1e7e0000, "jscvt"}, /* fjcvtzs w0,d0 */
		{0xd9408020, "ilrcpc"}, /* ldapur x0,[x1,#8] */
		{0xba008402, "flagm"}, /* rmif x0,#1,#2 */
		{0x3a00080d, "flagm"}, /* setf8 w0 */
		{0xd500405f, "flagm2"}, /* axflag */
		{0xd50330ff, "sb"}, /* sb */
		{0xd53b2400, "rng"}, /* mrs x0,rndr */
		{0x6e82cc20, "fcma"}, /* fcmla v0.4s,v1.4s,v2.4s,#90 */
		{0x6e82e420, "fcma"}, /* fcadd v0.4s,v1.4s,v2.4s,#90 */
		{0x1e28c020, "frint"}, /* frint32x s0,s1 */
		{0x4e21f820, "frint"}, /* frint64z v0.4s,v1.4s */
		{0x4e22ec20, "asimdfhm"}, /* fmlal v0.4s,v1.4h,v2.4h */
		{0x6f92c020, "asimdfhm"}, /* fmlsl2 v0.4s,v1.4h,v2.h[1] */
		{0x6e42fc20, "bf16"}, /* bfdot v0.4s,v1.8h,v2.8h */
		{0x1e634020, "bf16"}, /* bfcvt h0,s1 */
		{0x4e829c20, "i8mm"}, /* usdot v0.4s,v1.16b,v2.16b */
		{0x6e82a420, "i8mm"}, /* ummla v0.4s,v1.16b,v2.16b */
		{0xce020c20, "sha3"}, /* eor3 v0.16b,v1.16b,v2.16b,v3.16b */
		{0xce820420, "sha3"}, /* xar v0.2d,v1.2d,v2.2d,#1 */
		{0xce628020, "sha512"}, /* sha512h q0,q1,v2.2d */
		{0xce420c20, "sm3"}, /* sm3ss1 v0.4s,v1.4s,v2.4s,v3.4s */
		{0xce428020, "sm3"}, /* sm3tt1a v0.4s,v1.4s,v2.s[0] */
		{0xce42bc20, "sm3"}, /* sm3tt2b v0.4s,v1.4s,v2.s[3] */
		{0xcec08420, "sm4"}, /* sm4e v0.4s,v1.4s */
		{0xd5031000, "wfxt"}, /* wfet x0 */
		{0xd5031023, "wfxt"}, /* wfit x3 */
		{0xd50b7d20, "dcpodp"}, /* dc cvadp,x0 */
		{0x9ac21020, "mte"}, /* irg x0,x1,x2 */
		{0x9adf1020, "mte"}, /* irg x0,x1 */
		{0x9ac21420, "mte"}, /* gmi x0,x1,x2 */
		{0x9ac20020, "mte"}, /* subp x0,x1,x2 */
		{0xbac20020, "mte"}, /* subps x0,x1,x2 */
		{0xbac2003f, "mte"}, /* subps xzr,x1,x2 */
		{0x91810c20, "mte"}, /* addg x0,x1,#16,#3 */
		{0xd1810c20, "mte"}, /* subg x0,x1,#16,#3 */
		{0xd9200841, "mte"}, /* stg x1,[x2] */
		{0xd9201441, "mte"}, /* stg x1,[x2],#16 */
		{0xd9201c41, "mte"}, /* stg x1,[x2,#16]! */
		{0xd9a00841, "mte"}, /* st2g x1,[x2] */
		{0xd9601841, "mte"}, /* stzg x1,[x2,#16] */
		{0xd9e00841, "mte"}, /* stz2g x1,[x2] */
		{0xd9600041, "mte"}, /* ldg x1,[x2] */
		{0x69000c41, "mte"}, /* stgp x1,x3,[x2] */
		{0x68808c41, "mte"}, /* stgp x1,x3,[x2],#16 */
		{0x69808c41, "mte"}, /* stgp x1,x3,[x2,#16]! */
		{0xd50b7462, "mte"}, /* dc gva,x2 */
		{0xd50b7482, "mte"}, /* dc gzva,x2 */
		{0xd50b7a62, "mte"}, /* dc cgvac,x2 */
		{0xd50b7aa2, "mte"}, /* dc cgdvac,x2 */
		{0xd50b7c62, "mte"}, /* dc cgvap,x2 */
		{0xd50b7ca2, "mte"}, /* dc cgdvap,x2 */
		{0xd50b7d62, "mte"}, /* dc cgvadp,x2 */
		{0xd50b7da2, "mte"}, /* dc cgdvadp,x2 */
		{0xd50b7e62, "mte"}, /* dc cigvac,x2 */
		{0xd50b7ea2, "mte"}, /* dc cigdvac,x2 */
		{0xd53b42e0, "mte"}, /* mrs x0,TCO */
		{0xd51b42e0, "mte"}, /* msr TCO,x0 */
		{0xd503409f, "mte"}, /* msr TCO,#0 */
		{0x8b020020, NULL}, /* add x0,x1,x2 */
		{0x68c00841, NULL}, /* ldpsw x1,x2,[x2],#0 */
		{0x29000841, NULL}, /* stp w1,w2,[x2] */
		{0x91001020, NULL}, /* add x0,x1,#4 */
		{0xd50b7a22, NULL}, /* dc cvac,x2 */
		{0xd50b7e22, NULL}, /* dc civac,x2 */
		{0xd53b4200, NULL}, /* mrs x0,nzcv */
		{0xd9400020, "ilrcpc"}, /* ldapur x0,[x1] */
		{0xd503233f, NULL}, /* paciasp */
		{0xd503245f, NULL}, /* bti c */
		{0xf8200041, NULL}, /* ldadd x0,x1,[x2] */
		{0x4e22cc20, NULL}, /* fmla v0.4s,v1.4s,v2.4s */
		{0x6e828420, NULL}, /* sqrdmlah v0.4s,v1.4s,v2.4s */
		{0x4e829420, NULL}, /* sdot v0.4s,v1.16b,v2.16b */
		{0xf8bfc020, NULL}, /* ldapr x0,[x1] */
		{0x4e284820, NULL}, /* aese v0.16b,v1.16b */
		{0x4e421420, NULL}, /* fadd v0.8h,v1.8h,v2.8h */
		{0xd65f03c0, NULL}, /* ret */
		{0xf8626820, NULL}, /* ldr x0,[x1,x2] */
		{0xd50b7420, NULL}, /* dc zva, x0 */
		{0x9ac20820, NULL}, /* udiv x0,x1,x2 */
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *feature = insn_feature(cases[i].word);

		if (!feature || !cases[i].feature)
			assert_ptr_equal(feature, cases[i].feature);
		else
			assert_string_equal(feature, cases[i].feature);
	}
}

/* What LLVM's processor definitions have: Armv8.2 and Armv8.4 have no memory tagging. */
static void cores_have_what_linux_does_not_list(void **state)
{
	(void)state;
	assert_false(core_has_feature(model_core_find("neoverse-n1"), "mte"));
	assert_false(core_has_feature(model_core_find("graviton3"), "mte"));
	assert_true(core_has_feature(model_core_find("neoverse-n2"), "mte"));
	assert_true(core_has_feature(model_core_find("neoverse-n3"), "mte"));
	assert_true(core_has_feature(model_core_find("graviton4"), "mte"));
	assert_true(core_has_feature(model_core_find("neoverse-v3"), "mte"));
	assert_true(core_has_feature(model_core_find("neoverse-n1"), "atomics"));
}

static void features_are_whole_words(void **state)
{
	(void)state;
	assert_true(features_have("fp sve2 bti", "sve2"));
	assert_true(features_have("fp sve2 bti", "bti"));
	assert_true(features_have("fp", "fp"));
	assert_false(features_have("fp sve2 bti", "sve"));
	assert_false(features_have("fp sve bti", "sve2"));
	assert_false(features_have("", "fp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_name_their_feature),
		cmocka_unit_test(features_are_whole_words),
		cmocka_unit_test(cores_have_what_linux_does_not_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
