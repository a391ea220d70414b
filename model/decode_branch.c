/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, exceptions and system instructions. */
#include "decode.h"

#define INT(m, v, text, cost)                                                                    \
	{                                                                                        \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost, .kinds = KIND_DP \
	}

#define BRANCH(m, v, text, cost, which)                                          \
	{                                                                        \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost,  \
		.branch = BRANCH_##which,                                        \
		.kinds = BRANCH_##which == BRANCH_EXCEPTION ? 0 : KIND_PC_WRITE, \
	}
#define OTHER(m, v, text, cost)                                                \
	{                                                                      \
		.mask = m, .value = v, .operands = text, .class = CLASS_##cost \
	}
#define BARRIER(m, v, cost, kind)                                                            \
	{                                                                                    \
		.mask = m, .value = v, .operands = "=", .class = CLASS_##cost, .kinds = kind \
	}
/* The size that they zero depends on the core: 64 bytes on every Neoverse. */
#define ZERO_BLOCK(m, v, flags)                                                            \
	{                                                                                  \
		.mask = m, .value = v, .operands = "=[Xt]", .class = CLASS_ZERO_BLOCK,     \
		.memory = MEM_STORE | MEM_HIDDEN | (flags), .kinds = KIND_ST, .count = 64, \
	}

/* clang-format off */
/* Compare and branch */
static const struct decode_row compare[] = {
	BRANCH(0x7e000000, 0x34000000, "=Xt", BRANCH, CONDITIONAL), /* cbz, cbnz */
};

/* Test a bit and branch */
static const struct decode_row test[] = {
	BRANCH(0x7e000000, 0x36000000, "=Xt", BRANCH, CONDITIONAL), /* tbz, tbnz */
};

/* Unconditional, immediate */
static const struct decode_row immediate[] = {
	BRANCH(0xfc000000, 0x14000000, "=", BRANCH, IMMEDIATE), /* b */
	BRANCH(0xfc000000, 0x94000000, "x30=", BRANCH_LINK, CALL), /* bl */
};

/* Conditional */
static const struct decode_row conditional[] = {
	BRANCH(0xff000000, 0x54000000, "=nzcv", BRANCH, CONDITIONAL), /* b.cond, bc.cond */
	BRANCH(0xffe0001f, 0x5500001f, "=x30,sp", BRANCH_AUTH, RETURN), /* retaasppc */
	BRANCH(0xffe0001f, 0x5520001f, "=x30,sp", BRANCH_AUTH, RETURN), /* retabsppc */
};

/* Exceptions */
static const struct decode_row exception[] = {
	BRANCH(0xffe0001f, 0xd4000001, "=", EXCEPTION, EXCEPTION), /* svc */
	BRANCH(0xffe0001f, 0xd4000002, "=", EXCEPTION, EXCEPTION), /* hvc */
	BRANCH(0xffe0001f, 0xd4000003, "=", EXCEPTION, EXCEPTION), /* smc */
	BRANCH(0xffe0001f, 0xd4200000, "=", EXCEPTION, EXCEPTION), /* brk */
	BRANCH(0xffe0001f, 0xd4400000, "=", EXCEPTION, EXCEPTION), /* hlt */
	BRANCH(0xffe0001f, 0xd4600000, "=", EXCEPTION, EXCEPTION), /* tcancel */
	RESERVED(0xffe0001f, 0xd4a00000),
	BRANCH(0xffe0001c, 0xd4a00000, "=", EXCEPTION, EXCEPTION), /* dcps1, dcps2, dcps3 */
};

/* Hints, barriers, PE state, system instructions and registers */
static const struct decode_row system[] = {
	OTHER(0xffffffff, 0xd503201f, "=", NOP), /* nop */
	INT(0xffffffff, 0xd50320ff, "x30=x30", INT_STRIP), /* xpaclri */
	INT(0xffffffbf, 0xd503211f, "x17=x17,x16", INT_AUTH), /* pacia1716, pacib1716 */
	INT(0xffffffbf, 0xd503219f, "x17=x17,x16", INT_AUTH), /* autia1716, autib1716 */
	INT(0xffffffdf, 0xd503231f, "x30=x30,sp", INT_AUTH), /* paciaz, paciasp */
	INT(0xffffffdf, 0xd503235f, "x30=x30,sp", INT_AUTH), /* pacibz, pacibsp */
	INT(0xffffff9f, 0xd503239f, "x30=x30,sp", INT_AUTH), /* autiaz, autiasp, autibz, autibsp */
	OTHER(0xffffffff, 0xd503229f, "=", NOP), /* csdb */
	OTHER(0xffffffff, 0xd503251f, "x16=x16,system", SYSTEM_READ), /* chkfeat */
	/* other hints: yield, wfe, esb, psb csync, bti ... */
	OTHER(0xfffff01f, 0xd503201f, "=", NOP),
	OTHER(0xffffffe0, 0xd5031000, "=Xt", NOP), /* wfet */
	OTHER(0xffffffe0, 0xd5031020, "=Xt", NOP), /* wfit */
	OTHER(0xfffff0ff, 0xd503305f, "=", NOP), /* clrex */
	BARRIER(0xfffff0ff, 0xd503309f, BARRIER_DSB, KIND_DSB | KIND_DP), /* dsb */
	BARRIER(0xfffff3ff, 0xd503323f, BARRIER_DSB, KIND_DSB | KIND_DP), /* dsb, nXS */
	BARRIER(0xfffff0ff, 0xd50330bf, BARRIER_DMB, KIND_DMB), /* dmb */
	BARRIER(0xfffff0ff, 0xd50330df, BARRIER_ISB, KIND_ISB), /* isb */
	BARRIER(0xfffff0ff, 0xd50330ff, BARRIER_ISB, 0), /* sb */
	OTHER(0xffffffff, 0xd503307f, "=", EXCEPTION), /* tcommit */
	INT(0xfffff0ff, 0xd500401f, "nzcv=nzcv", INT_ALU), /* cfinv */
	INT(0xfffff0ff, 0xd500403f, "nzcv=nzcv", INT_ALU), /* xaflag */
	INT(0xfffff0ff, 0xd500405f, "nzcv=nzcv", INT_ALU), /* axflag */
	/* smstart, smstop: vectors and ZA change */
	OTHER(0xfffff0ff, 0xd503407f, "za,system=za,system", SYSTEM_CONTROL),
	/* msr of PE state: dit, ssbs, tco ... */
	OTHER(0xfff8f01f, 0xd500401f, "system=system", SYSTEM_WRITE),
	ZERO_BLOCK(0xffffffe0, 0xd50b7420, MEM_ZERO), /* dc zva */
	ZERO_BLOCK(0xffffffe0, 0xd50b7460, MEM_TAG), /* dc gva */
	ZERO_BLOCK(0xffffffe0, 0xd50b7480, MEM_ZERO), /* dc gzva */
	OTHER(0xfff8f000, 0xd5087000, "=Xt", CACHE_MAINTENANCE), /* ic, dc, at, cfp, dvp, cpp */
	OTHER(0xfff8f000, 0xd5088000, "=Xt", CACHE_MAINTENANCE), /* tlbi */
	OTHER(0xfff8f000, 0xd5089000, "=Xt", CACHE_MAINTENANCE), /* tlbi */
	OTHER(0xfff80000, 0xd5080000, "system=Xt,system", SYSTEM_WRITE), /* sys */
	OTHER(0xfffffee0, 0xd5233060, "Xt=system", SYSTEM_CONTROL), /* tstart, ttest */
	OTHER(0xfff80000, 0xd5280000, "Xt=system", SYSTEM_READ), /* sysl */
	OTHER(0xffffffe0, 0xd51b4200, "nzcv=Xt", SYSTEM_WRITE), /* msr nzcv */
	OTHER(0xffffffe0, 0xd53b4200, "Xt=nzcv", SYSTEM_READ), /* mrs nzcv */
	OTHER(0xffffffe0, 0xd51b4400, "fpcr=Xt", SYSTEM_CONTROL), /* msr fpcr */
	OTHER(0xffffffe0, 0xd51b4420, "fpcr=Xt", SYSTEM_CONTROL), /* msr fpsr */
	OTHER(0xffffffe0, 0xd53b4400, "Xt=fpcr", SYSTEM_READ), /* mrs fpcr */
	OTHER(0xffffffe0, 0xd53b4420, "Xt=fpcr", SYSTEM_READ), /* mrs fpsr */
	OTHER(0xfff80000, 0xd5180000, "system=Xt,system", SYSTEM_WRITE), /* msr */
	OTHER(0xfff00000, 0xd5100000, "system=Xt,system", SYSTEM_WRITE), /* msr */
	OTHER(0xffffffe0, 0xd53b2400, "Xt,nzcv=system", SYSTEM_READ), /* mrs rndr */
	OTHER(0xffffffe0, 0xd53b2420, "Xt,nzcv=system", SYSTEM_READ), /* mrs rndrrs */
	OTHER(0xfff00000, 0xd5300000, "Xt=system", SYSTEM_READ), /* mrs */
	/* msr of an unnamed register */
	OTHER(0xfff00000, 0xd5000000, "system=Xt,system", SYSTEM_WRITE),
	OTHER(0xfff00000, 0xd5200000, "Xt=system", SYSTEM_READ), /* mrs of an unnamed register */
	OTHER(0xfff80000, 0xd5480000, "system=Xt*2,system", SYSTEM_WRITE), /* sysp */
	OTHER(0xfff00000, 0xd5500000, "system=Xt*2,system", SYSTEM_WRITE), /* msrr */
	OTHER(0xfff80000, 0xd5600000, "Xt*2=system", SYSTEM_READ), /* mrrs */
	OTHER(0xfff80000, 0xd5400000, "system=Xt*2,system", SYSTEM_WRITE), /* msrr */
	OTHER(0xfff80000, 0xd5680000, "Xt*2=system", SYSTEM_READ), /* mrrs */
	OTHER(0xfff00000, 0xd5700000, "Xt*2=system", SYSTEM_READ), /* mrrs */
};

/* Unconditional, register */
static const struct decode_row by_register[] = {
	BRANCH(0xfffffc1f, 0xd61f0000, "=Xn", BRANCH, INDIRECT), /* br */
	BRANCH(0xfffffc1f, 0xd63f0000, "x30=Xn", BRANCH_LINK, INDIRECT_CALL), /* blr */
	BRANCH(0xfffffc1f, 0xd65f0000, "=Xn", BRANCH, RETURN), /* ret */
	BRANCH(0xfffff81f, 0xd61f081f, "=Xn", BRANCH_AUTH, INDIRECT), /* braaz, brabz */
	BRANCH(0xfffff81f, 0xd63f081f, "x30=Xn", BRANCH_AUTH, INDIRECT_CALL), /* blraaz, blrabz */
	BRANCH(0xfffffbff, 0xd65f0bff, "=x30,sp", BRANCH_AUTH, RETURN), /* retaa, retab */
	/* retaasppc, retabsppc, register */
	BRANCH(0xfffffbe0, 0xd65f0be0, "=x30,sp,Xt", BRANCH_AUTH, RETURN),
	BRANCH(0xfffff800, 0xd71f0800, "=Xn,Sd", BRANCH_AUTH, INDIRECT), /* braa, brab */
	BRANCH(0xfffff800, 0xd73f0800, "x30=Xn,Sd", BRANCH_AUTH, INDIRECT_CALL), /* blraa, blrab */
	BRANCH(0xffffffff, 0xd69f03e0, "=system", EXCEPTION, EXCEPTION), /* eret */
	BRANCH(0xfffffbff, 0xd69f0bff, "=system,sp", EXCEPTION, EXCEPTION), /* eretaa, eretab */
	BRANCH(0xffffffff, 0xd6bf03e0, "=system", EXCEPTION, EXCEPTION), /* drps */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0x7e000000, 0x34000000, compare),
	DECODE_GROUP(0x7e000000, 0x36000000, test),
	DECODE_GROUP(0x7c000000, 0x14000000, immediate),
	DECODE_GROUP(0xfe000000, 0x54000000, conditional),
	DECODE_GROUP(0xff000000, 0xd4000000, exception),
	DECODE_GROUP(0xff800000, 0xd5000000, system),
	DECODE_GROUP(0xfe000000, 0xd6000000, by_register),
};
/* clang-format on */

const struct decode_table decode_branch = DECODE_TABLE(groups);
