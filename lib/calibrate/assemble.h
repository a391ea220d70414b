/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assembles the few A64 instructions that microbenchmarks need, into a buffer that grows. Encodings
 * are those of the Arm Architecture Reference Manual, DDI 0487, C6.2 and C7.2.
 */
#ifndef CALIBRATE_ASSEMBLE_H
#define CALIBRATE_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code {
	uint32_t *words;
	size_t count, room;
	bool failed; /* out of memory, or a branch that does not reach */
};

/* Registers by number; 31 is sp or xzr. Templates of instructions leave rd and rn 0. */
enum { LINK = 30, SP = 31, ZERO = 31 };

#define A64_NOP          0xd503201fu
#define A64_ISB          0xd5033fdfu
#define A64_DMB          0xd5033bbfu /* dmb ish */
#define A64_LOAD_W       0xb9400000u
#define A64_RET          0xd65f03c0u
#define A64_ADD          0x8b000000u /* add xd, xn, xm */
#define A64_AND          0x8a000000u
#define A64_COMPARE      0xeb00001fu /* cmp xn, xm */
#define A64_SHIFTED      0x8b005000u /* add xd, xn, xm, lsl #20 */
#define A64_MUL          0x1b007c00u
#define A64_MADD         0x1b000000u
#define A64_UMULH        0x9bc07c00u
#define A64_UDIV_W       0x1ac00800u
#define A64_UDIV_X       0x9ac00800u
#define A64_CRC32X       0x9ac04c00u
#define A64_LOAD         0xf9400000u /* ldr xd, [xn] */
#define A64_LOAD_INDEXED 0xf8606800u /* ldr xd, [xn, xm] */
#define A64_LOAD_D       0xfd400000u /* ldr dd, [xn] */
#define A64_STORE        0xf9000000u /* str xd, [xn] */
#define A64_STORE_W      0xb9000000u
#define A64_FADD         0x1e602800u
#define A64_FMUL         0x1e600800u
#define A64_FMADD        0x1f400000u
#define A64_FDIV_S       0x1e201800u
#define A64_FDIV_D       0x1e601800u
#define A64_FSQRT_S      0x1e21c000u
#define A64_FSQRT_D      0x1e61c000u
#define A64_FRINTN       0x1e644000u
#define A64_SIMD_ADD     0x4ea08400u /* add vd.4s, vn.4s, vm.4s */
#define A64_SIMD_MUL     0x0ea09c00u
#define A64_SIMD_SHL     0x4f215400u /* shl vd.4s, vn.4s, #1 */
#define A64_FADDP        0x6e20d400u /* faddp vd.4s, vn.4s, vm.4s */
#define A64_AESMC        0x4e286800u /* aesmc vd.16b, vn.16b */

/* Second and third operands of these templates. */
#define A64_M3 (3u << 16)
#define A64_M4 (4u << 16)
#define A64_X8 (8u << 5 | 8u) /* the first operand and the result */
#define A64_A3 (3u << 10)
#define A64_A4 (4u << 10)

static inline uint32_t a64_rd(unsigned rd)
{
	return rd;
}

static inline uint32_t a64_rn(unsigned rn)
{
	return rn << 5;
}

static inline uint32_t a64_rm(unsigned rm)
{
	return rm << 16;
}

static inline uint32_t a64_ra(unsigned ra)
{
	return ra << 10;
}

/* Of A64_LOAD and the like: an offset in units of the access. */
static inline uint32_t a64_offset(unsigned units)
{
	return units << 10;
}

void code_free(struct code *code);

void code_word(struct code *code, uint32_t word);
/* Adds instructions until the next address is a multiple of `bytes`. */
void code_align(struct code *code, size_t bytes, uint32_t filler);

void code_move(struct code *code, unsigned rd, uint64_t value);
void code_add(struct code *code, unsigned rd, unsigned rn, int immediate);
void code_subtract_flags(struct code *code, unsigned rd, unsigned rn, unsigned immediate);

/* cbz and cbnz wn, to a word of the code. */
void code_branch_zero(struct code *code, unsigned rn, bool zero, size_t to);

/* Branch to a word of the code. */
void code_branch(struct code *code, size_t to);
void code_branch_not_zero(struct code *code, size_t to); /* b.ne */
void code_call(struct code *code, size_t to);
/* tbz xn, #bit, to `words` words ahead */
void code_branch_bit(struct code *code, unsigned rn, unsigned bit, unsigned words);

#endif
