/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected: how perf groups samples (its manual page perf-arm-spe and its --itrace help;
 * doc/samples.md for newer versions), and the bits of <linux/perf_event.h>'s union
 * perf_mem_data_src, worked out by hand.
 */
#include "spe/data_source_perf.h"
#include "spe/groups.h"

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

	return spe_record_groups(&record, PLUMB_PERF_NEWEST);
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

/* Whether vector operations other than loads and stores count as memory operations. */
static void versions_differ_in_what_is_of_memory(void **state)
{
	static const struct {
		uint8_t op_class, operation;
		bool newest, perf_7_3, perf_6_12, perf_6_1;
	} cases[] = {
		{1, 0x00, true, true, true, true},     /* load */
		{1, 0x19, true, true, true, true},     /* SVE store */
		{0, 0x00, false, false, false, false}, /* other */
		{0, 0x02, false, false, false, false}, /* scalar FP */
		{0, 0x04, true, true, false, false},   /* Advanced SIMD */
		{0, 0x28, true, true, false, true},    /* SVE */
		{0, 0xa8, true, true, false, false},   /* SME */
		{2, 0x00, false, false, false, false}, /* branch */
		{2, 0x08, false, true, false, false},  /* call */
		{2, 0x12, false, true, false, false},  /* return */
		{2, 0x18, false, false, false, false}, /* neither */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_spe_record record =
			record_of(cases[i].op_class, cases[i].operation, 0);

		assert_int_equal(spe_is_memory(&record, PLUMB_PERF_NEWEST), cases[i].newest);
		assert_int_equal(spe_is_memory(&record, PLUMB_PERF_7_3), cases[i].perf_7_3);
		assert_int_equal(spe_is_memory(&record, PLUMB_PERF_6_12), cases[i].perf_6_12);
		assert_int_equal(spe_is_memory(&record, PLUMB_PERF_6_1), cases[i].perf_6_1);
	}
}

static void versions_have_names(void **state)
{
	(void)state;
	assert_int_equal(plumb_perf_version("6.1"), PLUMB_PERF_6_1);
	assert_int_equal(plumb_perf_version("6.12"), PLUMB_PERF_6_12);
	assert_int_equal(plumb_perf_version("7.3"), PLUMB_PERF_7_3);
	assert_int_equal(plumb_perf_version("6.13"), PLUMB_ERR_NOT_FOUND);
	assert_int_equal(plumb_perf_version(""), PLUMB_ERR_NOT_FOUND);
}

static void what_a_record_lacks_puts_it_nowhere(void **state)
{
	struct plumb_spe_record record = record_of(1, 0, UINT64_MAX);

	(void)state;
	record.has = 0;
	assert_int_equal(spe_record_groups(&record, PLUMB_PERF_NEWEST), BIT(INSTRUCTIONS));
}

static void groups_have_perfs_names_and_order(void **state)
{
	static const char *const names[] = {"l1d-miss",   "l1d-access",  "llc-miss",
					    "llc-access", "tlb-miss",    "tlb-access",
					    "branch",     "branch-miss", "remote-access",
					    "memory",     "instructions"};
	size_t i = 0;

	(void)state;
	for (unsigned group = 0; group < PLUMB_SPE_GROUPS; group++)
		if (group != PLUMB_SPE_GROUP_L2D_MISS && group != PLUMB_SPE_GROUP_L2D_ACCESS)
			assert_string_equal(plumb_spe_group_name(group), names[i++]);
	assert_int_equal(i, sizeof(names) / sizeof(*names));
	assert_null(plumb_spe_group_name(PLUMB_SPE_GROUPS));
}

#define N1        0x413fd0c1
#define N3        0x410fd8e0
#define CORTEX_A7 0x410fc070 /* no core with SPE */
#define HIP12     0x480fd060
#define AMPEREONE 0xc00fac30

static uint64_t source_of(uint8_t operation, uint64_t events, uint64_t source, uint32_t midr,
			  enum plumb_perf_version version)
{
	const struct spe_core core = {.midr = midr};
	struct plumb_spe_record record = record_of(1, operation, events);

	record.has |= PLUMB_SPE_HAS_DATA_SOURCE;
	record.data_source = source;
	return spe_perf_data_source(&record, &core, version);
}

static uint64_t old_source_of(uint8_t operation, uint64_t events, uint64_t source, uint32_t midr)
{
	const uint64_t value = source_of(operation, events, source, midr, PLUMB_PERF_6_1);

	assert_int_equal(source_of(operation, events, source, midr, PLUMB_PERF_6_12), value);
	return value;
}

static uint64_t new_source_of(uint8_t operation, uint64_t events, uint64_t source, uint32_t midr)
{
	return source_of(operation, events, source, midr, PLUMB_PERF_NEWEST);
}

static void known_cores_say_where_data_came_from(void **state)
{
	(void)state;
	/* LOAD 0x2, L1 HIT 0xa << 5, SNOOP NONE 2 << 19, level number 1 << 33 */
	assert_int_equal(old_source_of(0, 0, 0, N1), 0x200100142);
	assert_int_equal(new_source_of(0, 0, 0, N1), 0x200100142);
	/*
	 * Peer core: L2 HIT 0x22 << 5, number 2 << 33, peer 2 << 38; newer versions add SNOOP NA 1
	 * << 19
	 */
	assert_int_equal(old_source_of(0, 0, 9, N1), 0x8400000442);
	assert_int_equal(new_source_of(0, 0, 9, N1), 0x8400080442);
	/* DRAM: local RAM HIT 0x82 << 5, number 0xd << 33, SNOOP NONE */
	assert_int_equal(old_source_of(0, 0, 14, N1), 0x1a00101042);
	assert_int_equal(new_source_of(0, 0, 14, N1), 0x1a00101042);
	/* Remote: NA, number 0xf << 33, remote 1 << 37, peer; TLB walker and miss 0x24 << 26 */
	assert_int_equal(old_source_of(0, 1 << 5, 13, N1), 0xbe90000022);
	assert_int_equal(new_source_of(0, 1 << 5, 13, N1), 0xbe90080022);
	/* Stores have no source: STORE 4, NA 1 << 5, SNOOP NA 1 << 19, number 0xf << 33 */
	assert_int_equal(old_source_of(1, 0, 14, N1), 0x1e00080024);
	assert_int_equal(new_source_of(1, 0, 14, N1), 0x1e00080024);
	/* An unknown number leaves the fields open. */
	assert_int_equal(old_source_of(0, 0, 1, N1), 0x2);
	assert_int_equal(old_source_of(0, 0, 99, N1), 0x2);
	assert_int_equal(new_source_of(0, 0, 99, N1), 0x1e00080022);
}

static void other_cores_go_by_their_events(void **state)
{
	(void)state;
	/* L1D access: L1 HIT; TLB access: walker and hit 0x22 << 26 */
	assert_int_equal(old_source_of(0, 0x14, 14, N3), 0x88000142);
	assert_int_equal(new_source_of(0, 0x14, 14, CORTEX_A7), 0x288080142);
	/* The last level counts more than the first: L3 MISS 0x44 << 5, remote */
	assert_int_equal(old_source_of(1, 0x70c, 0, N3), 0x2000000884);
	assert_int_equal(new_source_of(1, 0x70c, 0, CORTEX_A7), 0x2600080884);
	assert_int_equal(old_source_of(0, 0, 0, N3), 0x2);
	assert_int_equal(new_source_of(0, 0, 0, CORTEX_A7), 0x1e00080022);
	/* Newer versions know more cores, and so does Plumb. */
	assert_int_equal(new_source_of(0, 0x14, 14, N3), 0x1a88101042);
}

static void makers_number_their_sources(void **state)
{
	(void)state;
	/* 7 is DDR, like Arm's 14; 18 is L1, like Arm's 0; 3 is in L3, modified: HITM 0x10 << 19 */
	assert_int_equal(new_source_of(0, 0, 7, AMPEREONE), 0x1a00101042);
	assert_int_equal(new_source_of(0, 0, 18, HIP12), 0x200100142);
	assert_int_equal(new_source_of(0, 0, 3, HIP12), 0x600800842);
}

/* Events fill what the source leaves open; later events do not change what is known. */
static void events_fill_what_is_open(void **state)
{
	static const struct {
		uint64_t events, level; /* of a load: number << 36 | level << 5 */
	} cases[] = {
		{0x4, 0x200000140},                    /* L1D access: hit */
		{0x4 | 0x8, 0x200000180},              /* ... and refill: missed */
		{0x8 | 1 << 22, 0x1800000240},         /* recently fetched: fill buffer */
		{0x8 | 1 << 19, 0x400000440},          /* L2D access: hit */
		{0x8 | 3 << 19, 0x400000480},          /* ... and miss */
		{0x8 | 3 << 19 | 1 << 8, 0x600000840}, /* LLC access: hit */
		{0x8 | 3 << 19 | 3 << 8, 0x600000880}, /* ... and miss */
	};
	const uint64_t fields = UINT64_C(0x3fff) << 5 | UINT64_C(0xf) << 33;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(new_source_of(0, cases[i].events, 99, N1) & fields,
				 cases[i].level);
}

static void snoops_are_those_that_happened(void **state)
{
	const struct spe_core tells = {.midr = CORTEX_A7, .event_filter = 1 << 23};
	struct plumb_spe_record record = record_of(1, 0, 1 << 23);

	(void)state;
	/* SNOOP HIT 4 << 19, HITM 0x10 << 19, NONE 2 << 19 */
	assert_int_equal(new_source_of(0, 1 << 23, 0, CORTEX_A7) >> 19 & 0x1f, 0x4);
	assert_int_equal(new_source_of(0, 5 << 21, 0, CORTEX_A7) >> 19 & 0x1f, 0x10);
	assert_int_equal(new_source_of(0, 1 << 21, 0, CORTEX_A7) >> 19 & 0x1f, 0x1);
	record.events = 0;
	assert_int_equal(spe_perf_data_source(&record, &tells, PLUMB_PERF_NEWEST) >> 19 & 0x1f,
			 0x2);
}

static void only_what_is_of_memory_has_a_source(void **state)
{
	static const enum plumb_perf_version versions[] = {PLUMB_PERF_NEWEST, PLUMB_PERF_6_1,
							   PLUMB_PERF_6_12};
	const struct spe_core core = {.midr = N1};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct plumb_spe_record record = record_of(2, 0, 0x14);

		assert_int_equal(spe_perf_data_source(&record, &core, versions[i]), 0);
		record.op_class = 1;
		record.has = PLUMB_SPE_HAS_EVENTS;
		assert_int_equal(spe_perf_data_source(&record, &core, versions[i]), 0);
	}
}

/* Every operation with every event of a group, and with several. */
static void tables_say_the_same(void **state)
{
	static const enum plumb_perf_version versions[] = {PLUMB_PERF_NEWEST, PLUMB_PERF_6_1,
							   PLUMB_PERF_6_12, PLUMB_PERF_7_3};
	static const uint32_t has[] = {0, PLUMB_SPE_HAS_EVENTS, PLUMB_SPE_HAS_OPERATION,
				       PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION};
	static struct spe_group_tables tables;
	uint64_t random = 1;

	(void)state;
	for (unsigned v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
		spe_group_tables_fill(&tables, versions[v]);
		for (unsigned i = 0; i < 4 * 256 * 68; i++) {
			const unsigned bit = i / (4 * 256);
			struct plumb_spe_record record = {
				.op_class = (uint8_t)(i / 256 % 4),
				.operation = (uint8_t)i,
			};

			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			record.events = bit < 64 ? UINT64_C(1) << bit : random;
			record.has = has[bit < 64 ? 3 : bit % 4];
			assert_int_equal(spe_groups_by_tables(&tables, &record),
					 spe_record_groups(&record, versions[v]));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_in_a_group_for_each_of_its_events),
		cmocka_unit_test(what_a_record_lacks_puts_it_nowhere),
		cmocka_unit_test(versions_differ_in_what_is_of_memory),
		cmocka_unit_test(versions_have_names),
		cmocka_unit_test(groups_have_perfs_names_and_order),
		cmocka_unit_test(known_cores_say_where_data_came_from),
		cmocka_unit_test(other_cores_go_by_their_events),
		cmocka_unit_test(makers_number_their_sources),
		cmocka_unit_test(events_fill_what_is_open),
		cmocka_unit_test(snoops_are_those_that_happened),
		cmocka_unit_test(tables_say_the_same),
		cmocka_unit_test(only_what_is_of_memory_has_a_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
