/* SPDX-License-Identifier: Apache-2.0 */
/* Reading counters without system calls, from a page that no kernel has made. */
#include "check.h"

#include "source/perf/user_read.h"

#define DIRECT 4 /* cap_user_rdpmc: bit 2 of `capabilities` */

static struct perf_event_mmap_page page;
static uint64_t counters[32];
static unsigned reads;

static bool read_fake(uint32_t counter, uint64_t *value)
{
	reads++;
	if (counter >= 32)
		return false;
	*value = counters[counter];
	return true;
}

static int begin(void **state)
{
	(void)state;
	page = (struct perf_event_mmap_page){
		.lock = 2, .index = 3, .offset = 1000, .capabilities = DIRECT, .pmc_width = 64};
	memset(counters, 0, sizeof(counters));
	reads = 0;
	return 0;
}

static void the_counter_adds_to_the_page(void **state)
{
	uint64_t count;

	(void)state;
	counters[2] = 234;
	assert_true(user_read(&page, read_fake, &count));
	assert_int_equal(count, 1234);
	page.index = USER_READ_CYCLES + 1;
	counters[USER_READ_CYCLES] = 7;
	assert_true(user_read(&page, read_fake, &count));
	assert_int_equal(count, 1007);
}

/* The kernel lets a counter begin where it overflows a period later: below 0. */
static void narrow_counters_have_a_sign(void **state)
{
	uint64_t count;

	(void)state;
	page.pmc_width = 32;
	page.offset = 0x80000000;
	counters[2] = 0x80000005;
	assert_true(user_read(&page, read_fake, &count));
	assert_int_equal(count, 5);
	/* Bits beyond the width say nothing. */
	counters[2] = UINT64_C(0xdeadbeef00000006);
	assert_true(user_read(&page, read_fake, &count));
	assert_int_equal(count, 0x80000006);
	page.pmc_width = 48;
	page.offset = 10;
	counters[2] = UINT64_C(0xfffffffffffe);
	assert_true(user_read(&page, read_fake, &count));
	assert_int_equal(count, 8);
}

static void what_the_page_does_not_allow_is_not_read(void **state)
{
	uint64_t count;

	(void)state;
	page.index = 0; /* on no counter now */
	assert_false(user_read(&page, read_fake, &count));
	begin(NULL);
	page.capabilities = ~(uint64_t)DIRECT;
	assert_false(user_read(&page, read_fake, &count));
	begin(NULL);
	page.pmc_width = 0;
	assert_false(user_read(&page, read_fake, &count));
	page.pmc_width = 65;
	assert_false(user_read(&page, read_fake, &count));
	assert_int_equal(reads, 0);
	begin(NULL);
	page.index = 34; /* a counter that is not known */
	assert_false(user_read(&page, read_fake, &count));
}

/* The kernel moves the event to another counter during the first two reads. */
static bool move(uint32_t counter, uint64_t *value)
{
	if (reads < 2) {
		page.lock += 2;
		page.index++;
		page.offset += 100;
	}
	return read_fake(counter, value);
}

static void a_change_meanwhile_is_noticed(void **state)
{
	uint64_t count;

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		counters[i] = i;
	assert_true(user_read(&page, move, &count));
	assert_int_equal(reads, 3);
	assert_int_equal(count, 1200 + 4); /* index 5: counter 4 */
}

#if !defined(__aarch64__)
static void other_cpus_have_no_such_counters(void **state)
{
	uint64_t count;

	(void)state;
	assert_false(user_read(&page, user_read_counter, &count));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_counter_adds_to_the_page, begin),
		cmocka_unit_test_setup(narrow_counters_have_a_sign, begin),
		cmocka_unit_test_setup(what_the_page_does_not_allow_is_not_read, begin),
		cmocka_unit_test_setup(a_change_meanwhile_is_noticed, begin),
#if !defined(__aarch64__)
		cmocka_unit_test_setup(other_cpus_have_no_such_counters, begin),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
