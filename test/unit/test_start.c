/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The initial stack that the plugin gives programs: the stacks of different versions of QEMU become
 * equal. Memory and registers are the test's own.
 */
#include "check.h"

#include "qemu/guest.h"
#include "qemu/start.h"

enum { NULL_ENTRY = 0, IGNORED = 1, PAGESZ = 6, HWCAP = 16, HWCAP2 = 26, HWCAP3 = 29, VDSO = 33 };

/* A stack: argc, argv, envp, auxiliary vector; then the strings of the environment. */
static struct {
	uint64_t free[4]; /* below the stack pointer */
	uint64_t words[200];
	char strings[64];
} stack;
static uint64_t sp;
static bool can_read, can_set;
static char **real_environment;

/* Nothing else is mapped. */
static bool is_mapped(uint64_t address, unsigned long size)
{
	uint64_t from = (uintptr_t)&stack, to = from + sizeof(stack);

	return address >= from && address <= to && size <= to - address;
}

bool guest_read(uint64_t address, void *out, unsigned long size)
{
	if (!is_mapped(address, size))
		return false;
	memcpy(out, (const void *)(uintptr_t)address, size);
	return true;
}

bool guest_write(uint64_t address, const void *bytes, unsigned long size)
{
	if (!is_mapped(address, size))
		return false;
	memcpy((void *)(uintptr_t)address, bytes, size);
	return true;
}

bool registers_have_general(const struct registers *registers)
{
	(void)registers;
	return can_read;
}

uint64_t registers_general(const struct registers *registers, unsigned number)
{
	(void)registers;
	assert_int_equal(number, 31);
	return sp;
}

/* Of each entry a few; what QEMU has beside these is taken away: sve2, ssbs, sme. */
#define FEATURES "fp asimd cpuid pacg dcpodp bti"

bool registers_set_zero_block(const struct registers *registers)
{
	(void)registers;
	return false;
}

bool registers_set_sp(const struct registers *registers, uint64_t value)
{
	(void)registers;
	if (can_set)
		sp = value;
	return can_set;
}

static uint64_t address_of(const void *pointer)
{
	return (uintptr_t)pointer;
}

static int set_up(void **state)
{
	static char a[] = "A=1", b[] = "B=22", c[] = "C=333";
	static char *environment[] = {a, b, c, NULL};

	(void)state;
	real_environment = environ;
	environ = environment;
	memset(&stack, 0, sizeof(stack));
	sp = address_of(stack.words);
	can_read = true;
	can_set = false;
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	environ = real_environment;
	return 0;
}

/* Fills the stack with one argument, the environment in this order, and these entries. */
static void fill(const char *const order[3], const uint64_t (*entries)[2], size_t count)
{
	uint64_t *word = stack.words;
	char *string = stack.strings;

	*word++ = 1;
	*word++ = 0x1111; /* argv[0], which nothing reads */
	*word++ = 0;
	for (size_t i = 0; i < 3; i++) {
		*word++ = address_of(string);
		string = stpcpy(string, order[i]) + 1;
	}
	*word++ = 0;
	memcpy(word, entries, count * sizeof(*entries));
}

static void assert_words(const uint64_t *expected, size_t count)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)sp;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(words[i], expected[i]);
}

static const char *const in_order[3] = {"A=1", "B=22", "C=333"};
static const char *const reversed[3] = {"C=333", "B=22", "A=1"};
static const char strings_in_order[] = "A=1\0B=22\0C=333";

/* What every program finds, starting at argc; the strings are at +0, +4 and +9. */
static void assert_normal(void)
{
	uint64_t strings = address_of(stack.strings);
	const uint64_t expected[] = {
		1,      0x1111, 0,     strings,    strings + 4, strings + 9, 0,          IGNORED, 0,
		PAGESZ, 4096,   HWCAP, 0x80000001, HWCAP2,      0x20001,     NULL_ENTRY, 0};

	assert_words(expected, sizeof(expected) / sizeof(*expected));
	assert_memory_equal(stack.strings, strings_in_order, sizeof(strings_in_order));
	assert_int_equal(sp % 16, address_of(stack.words) % 16);
}

static void a_new_stack_loses_what_is_too_new(void **state)
{
	const uint64_t entries[][2] = {{PAGESZ, 4096},
				       {HWCAP, ~0x6ffffffeull},
				       {VDSO, 0x7000},
				       {HWCAP2, 0xffff800040020003},
				       {NULL_ENTRY, 0}};

	(void)state;
	fill(in_order, entries, 5);
	assert_true(start_program(NULL, FEATURES));
	assert_int_equal(sp, address_of(stack.words));
	assert_normal();
}

/* No vDSO and a reversed environment; sp moves down for the entry that newer versions have. */
static void an_old_stack_gains_an_entry_and_the_order(void **state)
{
	const uint64_t entries[][2] = {
		{PAGESZ, 4096}, {HWCAP, 0x80000001}, {HWCAP2, 0x20001}, {NULL_ENTRY, 0}};

	(void)state;
	can_set = true;
	fill(reversed, entries, 4);
	assert_true(start_program(NULL, FEATURES));
	assert_int_equal(sp, address_of(stack.words) - 16);
	assert_normal();
}

/* If sp cannot be set, everything except the place is the same. */
static void without_sp_the_place_stays(void **state)
{
	const uint64_t entries[][2] = {{HWCAP, 3}, {NULL_ENTRY, 0}};
	uint64_t strings = address_of(stack.strings);
	const uint64_t expected[] = {1,     0x1111, 0, strings, strings + 4, strings + 9, 0,
				     HWCAP, 3,      0, 0};

	(void)state;
	fill(reversed, entries, 2);
	assert_true(start_program(NULL, FEATURES));
	assert_int_equal(sp, address_of(stack.words));
	assert_words(expected, sizeof(expected) / sizeof(*expected));
}

/* Two removed entries make room for two. */
static void dropped_entries_are_ignored_ones(void **state)
{
	const uint64_t entries[][2] = {
		{HWCAP3, 1}, {PAGESZ, 4096}, {VDSO, 0x7000}, {HWCAP, 1}, {NULL_ENTRY, 0}};
	const uint64_t expected[] = {IGNORED, 0, IGNORED, 0, PAGESZ, 4096, HWCAP, 1, 0, 0};

	(void)state;
	can_set = true;
	fill(in_order, entries, 5);
	assert_true(start_program(NULL, FEATURES));
	assert_int_equal(sp, address_of(stack.words));
	assert_memory_equal(stack.words + 7, expected, sizeof(expected));
}

/* An environment that QEMU was told to change keeps its order. */
static void another_environment_keeps_its_order(void **state)
{
	static const char *const other[3] = {"C=333", "B=22", "A=2"};
	const uint64_t entries[][2] = {{VDSO, 1}, {NULL_ENTRY, 0}};

	(void)state;
	fill(other, entries, 2);
	assert_true(start_program(NULL, FEATURES));
	assert_string_equal(stack.strings, "C=333");
}

/* Anything but the stack of a new program is left alone. */
static void what_is_no_stack_is_left_alone(void **state)
{
	uint64_t *unended = stack.words;

	(void)state;
	sp = 8;
	assert_false(start_program(NULL, FEATURES));
	/* A vector with more entries than there are types. */
	memset(unended, 0xff, sizeof(stack.words));
	unended[2] = unended[3] = 0;
	sp = address_of(unended);
	assert_false(start_program(NULL, FEATURES));
	assert_int_equal(unended[4], ~0ull);
	/* A vector that reaches the end of memory. */
	sp = address_of(&stack.strings[64]) - 24;
	memset(stack.strings, 0, sizeof(stack.strings));
	assert_false(start_program(NULL, FEATURES));
	can_read = false;
	assert_false(start_program(NULL, FEATURES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_new_stack_loses_what_is_too_new, set_up,
						clean_up),
		cmocka_unit_test_setup_teardown(an_old_stack_gains_an_entry_and_the_order, set_up,
						clean_up),
		cmocka_unit_test_setup_teardown(without_sp_the_place_stays, set_up, clean_up),
		cmocka_unit_test_setup_teardown(dropped_entries_are_ignored_ones, set_up, clean_up),
		cmocka_unit_test_setup_teardown(another_environment_keeps_its_order, set_up,
						clean_up),
		cmocka_unit_test_setup_teardown(what_is_no_stack_is_left_alone, set_up, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
