/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected: what perf 6.1 puts where (its manual page perf-arm-spe and its --itrace help), and the
 * bits of <linux/perf_event.h>'s union perf_mem_data_src, worked out by hand.
 */
#include "check.h"

#include <plumb/spe_groups.h>

#define BIT(group) PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_##group)

static struct plumb_spe_record record_of(uint8_t op_class, uint8_t operation, uint64_t events)
{
	return (struct plumb_spe_record){
		.has = PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_EVENTS,
		.op_class = op_class,
		.operation = operation,
		.events = events,
	};
}

static uint32_t groups_of(uint8_t op_class, uint64_t events)
{
	struct plumb_spe_record record = record_of(op_class, 0, events);

	return plumb_spe_record_groups(&record);
}

static void a_record_is_in_a_group_for_each_of_its_events(void **state)
{
	(void)state;
	/* A load that missed everything: L1D access and refill, TLB access and walk, LLC both. */
	assert_int_equal(groups_of(1, 0x33e),
			 BIT(L1D_ACCESS) | BIT(L1D_MISS) | BIT(TLB_ACCESS) | BIT(TLB_MISS) |
				 BIT(LLC_ACCESS) | BIT(LLC_MISS) | BIT(MEMORY) | BIT(INSTRUCTIONS));
	assert_int_equal(groups_of(1, 1 << 10),
			 BIT(REMOTE_ACCESS) | BIT(MEMORY) | BIT(INSTRUCTIONS));
	assert_int_equal(groups_of(1, 3 << 19),
			 BIT(L2D_ACCESS) | BIT(L2D_MISS) | BIT(MEMORY) | BIT(INSTRUCTIONS));
	assert_int_equal(groups_of(2, 1 << 7), BIT(BRANCH) | BIT(BRANCH_MISS) | BIT(INSTRUCTIONS));
	assert_int_equal(groups_of(2, 1 << 1), BIT(BRANCH) | BIT(INSTRUCTIONS));
	assert_int_equal(groups_of(0, 2), BIT(INSTRUCTIONS));
}

static void what_a_record_lacks_puts_it_nowhere(void **state)
{
	struct plumb_spe_record record = record_of(1, 0, UINT64_MAX);

	(void)state;
	record.has = 0;
	assert_int_equal(plumb_spe_record_groups(&record), BIT(INSTRUCTIONS));
}

static void groups_have_perfs_names_and_order(void **state)
{
	static const char *const names[] = {
		"l1d-miss",   "l1d-access",  "llc-miss",      "llc-access", "tlb-miss",
		"tlb-access", "branch-miss", "remote-access", "memory",     "instructions"};
	int last = -1;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int group = plumb_spe_group_by_name(names[i]);

		assert_true(group > last);
		assert_string_equal(plumb_spe_group_name((unsigned)group), names[i]);
		last = group;
	}
	assert_int_equal(plumb_spe_group_by_name("l3-miss"), PLUMB_ERR_NOT_FOUND);
	assert_null(plumb_spe_group_name(PLUMB_SPE_GROUPS));
}

#define N1 0x413fd0c1
#define N3 0x410fd8e0

static uint64_t source_of(uint8_t operation, uint64_t events, uint64_t source, uint32_t midr)
{
	struct plumb_spe_record record = record_of(1, operation, events);

	record.has |= PLUMB_SPE_HAS_DATA_SOURCE;
	record.data_source = source;
	return plumb_spe_perf_data_source(&record, midr);
}

static void known_cores_say_where_data_came_from(void **state)
{
	(void)state;
	/* LOAD 0x2, L1 HIT 0xa << 5, SNOOP NONE 2 << 19, level number 1 << 33 */
	assert_int_equal(source_of(0, 0, 0, N1), 0x200100142);
	/* Peer core: L2 HIT 0x22 << 5, number 2 << 33, peer 2 << 38 */
	assert_int_equal(source_of(0, 0, 9, N1), 0x8400000442);
	/* DRAM: local RAM HIT 0x82 << 5, number 0xd << 33, SNOOP NONE */
	assert_int_equal(source_of(0, 0, 14, N1), 0x1a00101042);
	/* Remote: NA, number 0xf << 33, remote 1 << 37, peer; L2 walk and miss 0x24 << 26 */
	assert_int_equal(source_of(0, 1 << 5, 13, N1), 0xbe90000022);
	/* Stores have no source: STORE 4, NA 1 << 5, SNOOP NA 1 << 19, number 0xf << 33 */
	assert_int_equal(source_of(1, 0, 14, N1), 0x1e00080024);
	/* A number that is not listed leaves the fields open. */
	assert_int_equal(source_of(0, 0, 1, N1), 0x2);
	assert_int_equal(source_of(0, 0, 99, N1), 0x2);
}

static void other_cores_go_by_their_events(void **state)
{
	(void)state;
	/* L1D access: L1 HIT; TLB access: walker and hit 0x22 << 26 */
	assert_int_equal(source_of(0, 0x14, 14, N3), 0x88000142);
	/* The last level counts more than the first: L3 MISS 0x44 << 5, remote */
	assert_int_equal(source_of(1, 0x70c, 0, N3), 0x2000000884);
	assert_int_equal(source_of(0, 0, 0, N3), 0x2);
}

static void only_loads_and_stores_have_a_source(void **state)
{
	struct plumb_spe_record record = record_of(2, 0, 0x14);

	(void)state;
	assert_int_equal(plumb_spe_perf_data_source(&record, N1), 0);
	record.op_class = 1;
	record.has = PLUMB_SPE_HAS_EVENTS;
	assert_int_equal(plumb_spe_perf_data_source(&record, N1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_in_a_group_for_each_of_its_events),
		cmocka_unit_test(what_a_record_lacks_puts_it_nowhere),
		cmocka_unit_test(groups_have_perfs_names_and_order),
		cmocka_unit_test(known_cores_say_where_data_came_from),
		cmocka_unit_test(other_cores_go_by_their_events),
		cmocka_unit_test(only_loads_and_stores_have_a_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
