/* SPDX-License-Identifier: Apache-2.0 */
#include "required.h"

#include <string.h>

#include "decode.h"
#include "params.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Encodings: Arm Architecture Reference Manual, DDI 0487, C4.1. The first row that matches counts.
 */
static const struct {
	uint32_t mask, value;
	const char *feature;
} required[] = {
	/* Pointer authentication; hints do nothing on older cores. */
	{0xffff0000, 0xdac10000, "paca"}, /* pacia ... xpacd */
	{0xffe0fc00, 0x9ac03000, "pacg"}, /* pacga */
	{0xfe9ff800, 0xd61f0800, "paca"}, /* braa ... retab */
	{0xff200400, 0xf8200400, "paca"}, /* ldraa, ldrab */
	/* Memory tagging. */
	{0xffe0f800, 0x9ac01000, "mte"}, /* irg, gmi */
	{0xdfe0fc00, 0x9ac00000, "mte"}, /* subp, subps */
	{0xbfc0c000, 0x91800000, "mte"}, /* addg, subg */
	{0xff200000, 0xd9200000, "mte"}, /* stg ... stz2g, ldg */
	{0xfe400000, 0x68000000, "mte"}, /* stgp */
	{0xffffffe0, 0xd50b7460, "mte"}, /* dc gva */
	{0xffffffe0, 0xd50b7480, "mte"}, /* dc gzva */
	{0xfffffbe0, 0xd50b7a60, "mte"}, /* dc cgvac, cigvac */
	{0xfffffbe0, 0xd50b7aa0, "mte"}, /* dc cgdvac, cigdvac */
	{0xfffffee0, 0xd50b7c60, "mte"}, /* dc cgvap, cgvadp */
	{0xfffffee0, 0xd50b7ca0, "mte"}, /* dc cgdvap, cgdvadp */
	{0xffdfffe0, 0xd51b42e0, "mte"}, /* mrs, msr of tco */
	{0xfffff0ff, 0xd503409f, "mte"}, /* msr tco, of an immediate */
	/* Integer. */
	{0xfffffc00, 0x1e7e0000, "jscvt"},  /* fjcvtzs */
	{0x3f200c00, 0x19000000, "ilrcpc"}, /* ldapur, stlur */
	{0xffffffff, 0xd500401f, "flagm"},  /* cfinv */
	{0xffe07c10, 0xba000400, "flagm"},  /* rmif */
	{0xffffbc1f, 0x3a00080d, "flagm"},  /* setf8, setf16 */
	{0xffffffff, 0xd500403f, "flagm2"}, /* xaflag */
	{0xffffffff, 0xd500405f, "flagm2"}, /* axflag */
	{0xffffffff, 0xd50330ff, "sb"},     /* sb */
	{0xffffffc0, 0xd53b2400, "rng"},    /* mrs rndr, rndrrs */
	{0xffffffc0, 0xd5031000, "wfxt"},   /* wfet, wfit */
	{0xffffffe0, 0xd50b7d20, "dcpodp"}, /* dc cvadp */
	{0xfffff0ff, 0xd503407f, "sme"},    /* smstart, smstop */
	{0x3b200c00, 0x19000400, "mops"},   /* cpy, set */
	/* Floating point and Advanced SIMD. */
	{0xbf20e400, 0x2e00c400, "fcma"},     /* fcmla */
	{0xbf20ec00, 0x2e00e400, "fcma"},     /* fcadd */
	{0xbf009400, 0x2f001000, "fcma"},     /* fcmla by element */
	{0xffbe7c00, 0x1e284000, "frint"},    /* frint32x ... frint64z */
	{0x9fbfec00, 0x0e21e800, "frint"},    /* of vectors */
	{0xbf60fc00, 0x0e20ec00, "asimdfhm"}, /* fmlal, fmlsl */
	{0xbf60fc00, 0x2e20cc00, "asimdfhm"}, /* fmlal2, fmlsl2 */
	{0xbfc0b400, 0x0f800000, "asimdfhm"}, /* by element */
	{0xbfc0b400, 0x2f808000, "asimdfhm"},
	{0xbfe0fc00, 0x2e40fc00, "bf16"}, /* bfdot */
	{0xffe0fc00, 0x6e40ec00, "bf16"}, /* bfmmla */
	{0xbfe0fc00, 0x2ec0fc00, "bf16"}, /* bfmlalb, bfmlalt */
	{0xbf40f400, 0x0f40f000, "bf16"}, /* bfdot, bfmlalb, bfmlalt by element */
	{0xbffffc00, 0x0ea16800, "bf16"}, /* bfcvtn */
	{0xfffffc00, 0x1e634000, "bf16"}, /* bfcvt */
	{0xdfe0fc00, 0x4e80a400, "i8mm"}, /* smmla, ummla */
	{0xffe0fc00, 0x4e80ac00, "i8mm"}, /* usmmla */
	{0xbfe0fc00, 0x0e809c00, "i8mm"}, /* usdot */
	{0xbf40f400, 0x0f00f000, "i8mm"}, /* usdot, sudot by element */
	/* Cryptography. */
	{0xffc08000, 0xce000000, "sha3"},   /* eor3, bcax */
	{0xffe08000, 0xce400000, "sm3"},    /* sm3ss1 */
	{0xffe0c000, 0xce408000, "sm3"},    /* sm3tt1a ... sm3tt2b */
	{0xffe00000, 0xce800000, "sha3"},   /* xar */
	{0xffe0fc00, 0xce608c00, "sha3"},   /* rax1 */
	{0xffe0f000, 0xce608000, "sha512"}, /* sha512h, sha512h2, sha512su1 */
	{0xfffffc00, 0xcec08000, "sha512"}, /* sha512su0 */
	{0xffe0f800, 0xce60c000, "sm3"},    /* sm3partw1, sm3partw2 */
	{0xffe0fc00, 0xce60c800, "sm4"},    /* sm4ekey */
	{0xfffffc00, 0xcec08400, "sm4"},    /* sm4e */
	/* Scalable vectors whose feature is not that of their table. */
	{0xfffff800, 0x4522e000, "sveaes"},     /* aese, aesd */
	{0xfffffbe0, 0x4520e000, "sveaes"},     /* aesmc, aesimc */
	{0xffe0f800, 0x45006800, "svepmull"},   /* pmullb, pmullt to q */
	{0xfffffc00, 0x4523e000, "svesm4"},     /* sm4e */
	{0xffe0fc00, 0x4520f000, "svesm4"},     /* sm4ekey */
	{0xffe0fc00, 0x4520f400, "svesha3"},    /* rax1 */
	{0xff20f000, 0x4500b000, "svebitperm"}, /* bext, bdep, bgrp */
	{0xff20fc00, 0x45009800, "svei8mm"},    /* smmla, usmmla, ummla */
	{0xffe0fc00, 0x44807800, "svei8mm"},    /* usdot */
	{0xffe0f800, 0x44a01800, "svei8mm"},    /* usdot, sudot by element */
	{0xff20f800, 0x44000000, "sve"},        /* sdot, udot */
	{0xffa0f800, 0x44a00000, "sve"},        /* by element */
	{0xffe0fc00, 0x6460e400, "svebf16"},    /* bfmmla */
	{0xffe0fc00, 0x64608000, "svebf16"},    /* bfdot */
	{0xffe0fc00, 0x64604000, "svebf16"},    /* by element */
	{0xffe0f800, 0x64e08000, "svebf16"},    /* bfmlalb, bfmlalt */
	{0xffe0f000, 0x64e04000, "svebf16"},    /* by element */
	{0xffffe000, 0x658aa000, "svebf16"},    /* bfcvt */
	{0xffffe000, 0x648aa000, "svebf16"},    /* bfcvtnt */
	{0xffe0fc00, 0x64a0e400, "svef32mm"},   /* fmmla */
	{0xffe0fc00, 0x64e0e400, "svef64mm"},
	{0xffe0e000, 0x05a00000, "svef64mm"}, /* zip1 ... trn2 of q */
	{0xfe60e000, 0xa4200000, "svef64mm"}, /* ld1rob ... ld1rod */
	{0xfe70e000, 0xa4202000, "svef64mm"},
	/* SVE2, where most is SVE. */
	{0xff20e000, 0x04206000, "sve2"}, /* mul ... sqrdmulh; unpredicated */
	{0xff20f800, 0x04203800, "sve2"}, /* eor3, bcax, bsl ... */
	{0xff20fc00, 0x04203400, "sve2"}, /* xar */
	{0xff3ee000, 0x04068000, "sve2"}, /* sqshl, uqshl */
	{0xff3ee000, 0x040c8000, "sve2"}, /* srshr, urshr */
	{0xff3fe000, 0x040f8000, "sve2"}, /* sqshlu */
	{0xff20f800, 0x05202800, "sve2"}, /* tbl of two, tbx */
	{0xff3fe000, 0x052d8000, "sve2"}, /* splice of two */
	{0xffe0e000, 0x05600000, "sve2"}, /* ext of two */
	{0xff20e400, 0x25200000, "sve2"}, /* whilege, whilegt, whilehs, whilehi */
	{0xff20fc00, 0x25203000, "sve2"}, /* whilewr, whilerw */
	{0xff38e000, 0x64108000, "sve2"}, /* faddp ... fminp */
	{0xff00e000, 0x6400a000, "sve2"}, /* fcvtnt, fcvtlt, fcvtxnt */
	{0xffa0d800, 0x64a08000, "sve2"}, /* fmlalb ... fmlslt */
	{0xffa0d000, 0x64a04000, "sve2"}, /* by element */
	{0xffffe000, 0x650aa000, "sve2"}, /* fcvtx */
	{0xfff9e000, 0x6518a000, "sve2"}, /* flogb */
	{0xfe60c000, 0x84008000, "sve2"}, /* ldnt1 of vectors of addresses */
	{0xfe60a000, 0xc4008000, "sve2"},
	{0xfe20e000, 0xe4002000, "sve2"}, /* stnt1 */
};

/* Tells whether the table describes the word. */
static bool in_table(const struct decode_table *table, uint32_t word)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct decode_group *group = &table->groups[i];

		for (size_t k = 0; k < group->count && (word & group->mask) == group->value; k++)
			if ((word & group->rows[k].mask) == group->rows[k].value)
				return group->rows[k].operands;
	}
	return false;
}

const char *insn_feature(uint32_t word)
{
	const unsigned kind = word >> 25 & 15; /* DDI 0487, C4.1 */

	for (size_t i = 0; i < COUNT(required); i++)
		if ((word & required[i].mask) == required[i].value)
			return required[i].feature;
	if (kind == 2 && in_table(&decode_sve21, word))
		return "sve2p1";
	if (kind == 2 && in_table(&decode_sve2, word))
		return "sve2";
	if (kind == 2)
		return "sve";
	return kind == 0 && word >> 31 ? "sme" : NULL;
}

bool features_have(const char *features, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = features; *at; at += strspn(at, " ")) {
		if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
			return true;
		at += strcspn(at, " ");
	}
	return false;
}

bool core_has_feature(const struct core_params *params, const char *name)
{
	return features_have(params->features, name) ||
	       features_have(params->unlisted_features, name);
}
