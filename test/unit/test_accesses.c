/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the plugin handles accesses that QEMU reports, and those whose addresses it derives. The
 * registers are the test's own; vectors have 32 bytes.
 */
#include "check.h"

#include "qemu/accesses.h"

enum { VECTOR_BYTES = 32 };

static uint64_t general[32], predicates[REGISTERS_FFR + 1];
static bool have_general, have_vectors;
static struct accesses accesses;

bool registers_have_general(const struct registers *registers)
{
	(void)registers;
	return have_general;
}

bool registers_have_vectors(const struct registers *registers)
{
	(void)registers;
	return have_vectors;
}

uint64_t registers_general(const struct registers *registers, unsigned number)
{
	(void)registers;
	return general[number];
}

uint64_t registers_predicate(const struct registers *registers, unsigned number)
{
	(void)registers;
	return predicates[number];
}

static int start(void **state)
{
	(void)state;
	accesses.vector_bytes = VECTOR_BYTES;
	accesses.count = 0;
	have_general = have_vectors = true;
	memset(general, 0, sizeof(general));
	memset(predicates, 0, sizeof(predicates));
	return 0;
}

static void assert_access(size_t i, unsigned insn, uint64_t address, unsigned bytes)
{
	assert_true(i < accesses.count);
	assert_int_equal(accesses.list[i].insn, insn);
	assert_int_equal(accesses.list[i].address, address);
	assert_int_equal(accesses.list[i].bytes, bytes);
}

static enum accesses_error derive(uint32_t word, const void *vector)
{
	struct insn insn;

	assert_true(insn_decode(word, VECTOR_BYTES, &insn));
	assert_true(insn.memory & MEM_HIDDEN);
	assert_int_equal(accesses_vector(&insn) >= 0, vector != NULL);
	return accesses_derive(&accesses, &insn, 3, NULL, vector);
}

static void adjacent_accesses_of_an_instruction_are_merged(void **state)
{
	(void)state;
	accesses_add(&accesses, 0, 0x1000, 8); /* the first in the list: nothing is before it */
	accesses_add(&accesses, 0, 0x1008, 8);
	accesses_add(&accesses, 0, 0x1008, 8); /* what was loaded is stored */
	accesses_add(&accesses, 1, 0x1010, 8); /* another instruction */
	accesses_add(&accesses, 1, 0x1020, 8); /* another place */
	assert_int_equal(accesses.count, 3);
	assert_access(0, 0, 0x1000, 16);
	assert_access(1, 1, 0x1010, 8);
	assert_access(2, 1, 0x1020, 8);
	accesses.count = 0;
	for (unsigned i = 0; i < 1024; i++)
		accesses_add(&accesses, 0, 0x1000 + i, 1);
	assert_int_equal(accesses.count, 2);
	assert_access(1, 0, 0x1200, 512);
}

static void what_has_no_room_is_dropped(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ACCESSES_MAX; i++)
		assert_int_equal(accesses_add(&accesses, i % 512, 0x1000 + 64ull * i, 8),
				 ACCESSES_OK);
	assert_int_equal(accesses_add(&accesses, 511, 0, 8), ACCESSES_FULL);
	general[1] = 0x1000;
	assert_int_equal(derive(0xf9802020, NULL), ACCESSES_FULL); /* prfm pldl1keep, [x1, #64] */
	assert_int_equal(accesses.count, ACCESSES_MAX);
}

static void addresses_follow_from_general_registers(void **state)
{
	(void)state;
	general[1] = 0x1234;
	general[2] = 0x10;
	general[31] = 0x7000;
	derive(0xf9802020, NULL); /* prfm pldl1keep, [x1, #64] */
	derive(0xf8a27820, NULL); /* prfm pldl1keep, [x1, x2, lsl #3] */
	derive(0xd50b7421, NULL); /* dc zva, x1 */
	derive(0xd9201be1, NULL); /* stg x1, [sp, #16] */
	assert_access(0, 3, 0x1274, 1);
	assert_access(1, 3, 0x12b4, 8);
	assert_access(2, 3, 0x1200, 64);
	assert_access(3, 3, 0x7010, 16);
	/* Written back by the time that registers are read. */
	derive(0xd93ff7e1, NULL); /* stg x1, [sp], #-16 */
	derive(0xd9bffc41, NULL); /* st2g x1, [x2, #-16]! */
	assert_access(4, 3, 0x7010, 16);
	assert_access(5, 3, 0x10, 32);
	have_general = false;
	assert_int_equal(derive(0xf9802020, NULL), ACCESSES_UNKNOWN);
	assert_int_equal(accesses.count, 6);
}

static void predicates_bound_contiguous_accesses(void **state)
{
	const uint32_t ld1w = 0xa561a440; /* ld1w {z0.d}, p1/z, [x2, #1, mul vl] */
	const uint32_t st3h = 0xe4d0e440; /* st3h {z0.h-z2.h}, p1, [x2] */

	(void)state;
	general[2] = 0x1000;
	/* Elements 1 and 2 of four; what is not an element's lowest bit does not count. */
	predicates[1] = 1ull << 8 | 1ull << 16 | 1ull << 25;
	derive(ld1w, NULL);
	assert_access(0, 3, 0x1010 + 4, 8);
	/* Elements 3 and 5 of sixteen structures. */
	predicates[1] = 1ull << 6 | 1ull << 10;
	derive(st3h, NULL);
	assert_access(1, 3, 0x1000 + 3 * 6, 3 * 6);
	predicates[1] = 0;
	assert_int_equal(derive(st3h, NULL), ACCESSES_OK);
	assert_int_equal(accesses.count, 2);
	/* Nothing is active beyond the vector. */
	predicates[1] = ~0ull << VECTOR_BYTES;
	derive(st3h, NULL);
	assert_int_equal(accesses.count, 2);
	/* Without predicates it is the whole vector. */
	have_vectors = false;
	derive(st3h, NULL);
	assert_access(2, 3, 0x1000, 96);
}

static void each_element_of_a_gather_is_an_access(void **state)
{
	const uint64_t offsets[] = {8, (uint64_t)-16, 0xf00000010, 5};
	const uint32_t addresses[] = {0x2000, 0x3000, 0x2004, 0x4000, 0, 0, 0, 0x5000};

	(void)state;
	general[2] = 0x1000;
	predicates[4] = 0x01010101;
	derive(0xc5c3d041, offsets); /* ld1d {z1.d}, p4/z, [x2, z3.d] */
	assert_int_equal(accesses.count, 4);
	assert_access(0, 3, 0x1008, 8);
	assert_access(1, 3, 0xff0, 8);
	assert_access(2, 3, 0xf00001010, 8);
	assert_access(3, 3, 0x1005, 8);
	predicates[4] = 0x00010100;
	derive(0xc5635041, offsets); /* ld1w {z1.d}, p4/z, [x2, z3.d, sxtw #2] */
	assert_int_equal(accesses.count, 6);
	assert_access(4, 3, 0x1000 - 64, 4);
	assert_access(5, 3, 0x1040, 4);
	/* Adjacent elements stay two accesses. */
	predicates[0] = 1ull | 1ull << 8 | 1ull << 28;
	derive(0x8520c020, addresses); /* ld1w {z0.s}, p0/z, [z1.s] */
	assert_int_equal(accesses.count, 9);
	assert_access(6, 3, 0x2000, 4);
	assert_access(7, 3, 0x2004, 4);
	assert_access(8, 3, 0x5000, 4);
}

static void activity_is_by_element(void **state)
{
	(void)state;
	assert_int_equal(predicate_activity(0xffffffff, 0, 32), ACTIVITY_FULL);
	assert_int_equal(predicate_activity(0x7fffffff, 0, 32), ACTIVITY_PARTIAL);
	assert_int_equal(predicate_activity(0x01010101, 3, 32), ACTIVITY_FULL);
	assert_int_equal(predicate_activity(0x01010101, 2, 32), ACTIVITY_PARTIAL);
	assert_int_equal(predicate_activity(0xfefefefe, 3, 32), ACTIVITY_EMPTY);
	assert_int_equal(predicate_activity(0xffff0000, 0, 16), ACTIVITY_EMPTY);
	assert_int_equal(predicate_activity(0x00010001, 4, 32), ACTIVITY_FULL);
	assert_int_equal(predicate_activity(~0ull, 0, 64), ACTIVITY_FULL);
}

/* QEMU 7.2 reports two accesses of some, and may report none of others, or a store behind a load.
 */
static void some_instructions_make_one_access_of_known_bytes(void **state)
{
	static const struct {
		uint32_t word;
		unsigned bytes;
	} cases[] = {
		{0xf9400020, 8}, /* ldr x0, [x1] */
		{0xf8408420, 8}, /* ldr x0, [x1], #8 */
		{0xb9000020, 4}, /* str w0, [x1] */
		{0x79c00020, 2}, /* ldrsh w0, [x1] */
		{0x39400020, 1}, /* ldrb w0, [x1] */
		{0xfd400020, 8}, /* ldr d0, [x1] */
		{0xc8dffc20, 8}, /* ldar x0, [x1] */
		{0x889ffc20, 4}, /* stlr w0, [x1] */
		{0x3dc00020, 0}, /* ldr q0, [x1] */
		{0xa9400820, 0}, /* ldp x0, x2, [x1] */
		{0x29400820, 0}, /* ldp w0, w2, [x1] */
		{0xc8027c20, 0}, /* stxr w2, x0, [x1] */
		{0xf8200022, 0}, /* ldadd x0, x2, [x1] */
		{0x0c408420, 0}, /* ld2 {v0.4h, v1.4h}, [x1] */
		{0xa5e0a020, 0}, /* ld1d {z0.d}, p0/z, [x1] */
		{0xf9800020, 0}, /* prfm pldl1keep, [x1] */
		{0x8b020020, 0}, /* add x0, x1, x2 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn insn;

		assert_true(insn_decode(cases[i].word, VECTOR_BYTES, &insn));
		assert_int_equal(accesses_only(&insn), cases[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(adjacent_accesses_of_an_instruction_are_merged, start),
		cmocka_unit_test(some_instructions_make_one_access_of_known_bytes),
		cmocka_unit_test_setup(what_has_no_room_is_dropped, start),
		cmocka_unit_test_setup(addresses_follow_from_general_registers, start),
		cmocka_unit_test_setup(predicates_bound_contiguous_accesses, start),
		cmocka_unit_test_setup(each_element_of_a_gather_is_an_access, start),
		cmocka_unit_test(activity_is_by_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
