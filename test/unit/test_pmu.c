/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the PMUs of Arm cores in a sysfs made for the purpose. */
#include "check.h"

#include <sched.h>

#include "cpu/pmu.h"
#include "cpu/topology.h"

#include "tree.h"

static void put(const char *path, const char *text)
{
	tree_put("", path, text);
}

static int make_root(void **state)
{
	(void)state;
	return tree_make();
}

static int remove_root(void **state)
{
	(void)state;
	return tree_remove();
}

#define DEVICES "/sys/bus/event_source/devices/"
#define CORES   "/sys/devices/system/cpu/"

static void none_where_there_is_none(void **state)
{
	struct cpu_pmu pmus[2];

	(void)state;
	assert_int_equal(cpu_find_pmus(root, pmus, 2), 0);
	put(DEVICES "software/type", "1\n");
	put(DEVICES "cpu/type", "4\n");
	put(DEVICES "arm_spe_0/type", "9\n");
	assert_int_equal(cpu_find_pmus(root, pmus, 2), 0);
}

static void a_server(void **state)
{
	struct cpu_pmu pmus[2];

	(void)state;
	put(DEVICES "armv8_pmuv3_0/type", "8\n");
	put(DEVICES "armv8_pmuv3_0/cpus", "0-63\n");
	put(CORES "possible", "0-63\n");
	put(CORES "cpu0/regs/identification/midr_el1", "0x00000000410fd8e0\n");
	assert_int_equal(cpu_find_pmus(root, pmus, 2), 1);
	assert_string_equal(pmus[0].name, "armv8_pmuv3_0");
	assert_int_equal(pmus[0].type, 8);
	assert_int_equal(pmus[0].midr, 0x410fd8e0);
	assert_int_equal(pmus[0].core, 0);
	assert_false(pmus[0].some_cores);
}

static void big_and_little(void **state)
{
	struct cpu_pmu pmus[2];

	(void)state;
	put(DEVICES "armv9_cortex_a720/type", "11\n");
	put(DEVICES "armv9_cortex_a720/cpus", "4-7\n");
	put(DEVICES "armv8_cortex_a53/type", "10\n");
	put(DEVICES "armv8_cortex_a53/cpus", "0-3\n");
	put(DEVICES "armv9_neoverse_n3/type", "12\n");
	put(CORES "possible", "0-7\n");
	put(CORES "cpu4/regs/identification/midr_el1", "0x410fd811\n");
	assert_int_equal(cpu_find_pmus(root, pmus, 2), 3);
	assert_string_equal(pmus[0].name, "armv8_cortex_a53");
	assert_int_equal(pmus[0].midr, 0);
	assert_true(pmus[0].some_cores);
	assert_string_equal(pmus[1].name, "armv9_cortex_a720");
	assert_int_equal(pmus[1].core, 4);
	assert_int_equal(pmus[1].midr, 0x410fd811);
}

static void what_is_broken_is_left_out(void **state)
{
	struct cpu_pmu pmus[2];

	(void)state;
	put(DEVICES "armv8_pmuv3_0/type", "eight\n");
	put(DEVICES "armv8_pmuv3_1/type", "99999999999999999999\n");
	put(DEVICES "armv8_pmuv3_2/type", "");
	put(DEVICES "armv8_pmuv3_3/cpus", "0\n");
	put(DEVICES "armv8_pmuv3_4/type", "7");
	put(CORES "cpu0/regs/identification/midr_el1", "0x1234567890\n");
	assert_int_equal(cpu_find_pmus(root, pmus, 2), 1);
	assert_string_equal(pmus[0].name, "armv8_pmuv3_4");
	assert_int_equal(pmus[0].midr, 0);
}

#define EVENTS  DEVICES "armv8_pmuv3/events/"
#define RELEASE "/proc/sys/kernel/osrelease"

static struct cpu_pmu find_one(void)
{
	struct cpu_pmu pmu;

	assert_int_equal(cpu_find_pmus(root, &pmu, 1), 1);
	return pmu;
}

static void what_pmceid_does_not_show_is_lacking(void **state)
{
	struct cpu_pmu pmu;

	(void)state;
	put(DEVICES "armv8_pmuv3/type", "8\n");
	put(RELEASE, "6.1.0-13-arm64\n");
	/* Nothing shown: nothing is known. */
	pmu = find_one();
	for (unsigned code = 0; code <= UINT16_MAX; code++)
		assert_true(cpu_pmu_may_count(&pmu, (uint16_t)code));
	put(EVENTS "cpu_cycles", "event=0x0011\n");
	put(EVENTS "stall_slot", "event=0x003f\n");
	put(EVENTS "cnt_cycles", "event=0x4004\n");
	put(EVENTS "odd", "config=0x0008\n");
	put(EVENTS "odder", "event=0xffffffffffffff08\n");
	put(EVENTS "empty", "");
	pmu = find_one();
	assert_true(cpu_pmu_may_count(&pmu, 0x0011));
	assert_true(cpu_pmu_may_count(&pmu, 0x003f));
	assert_true(cpu_pmu_may_count(&pmu, 0x4004));
	assert_false(cpu_pmu_may_count(&pmu, 0x0008));
	assert_false(cpu_pmu_may_count(&pmu, 0x0001));
	assert_false(cpu_pmu_may_count(&pmu, 0x003e));
	assert_false(cpu_pmu_may_count(&pmu, 0x4005));
	/* PMCEID says nothing about those beyond, nor the kernel about these two. */
	assert_true(cpu_pmu_may_count(&pmu, 0x0040));
	assert_true(cpu_pmu_may_count(&pmu, 0x4040));
	assert_true(cpu_pmu_may_count(&pmu, 0xffff));
	assert_true(cpu_pmu_may_count(&pmu, 0x0000));
	assert_true(cpu_pmu_may_count(&pmu, 0x001e));
}

static void old_kernels_show_less(void **state)
{
	static const struct {
		const char *release;
		bool old;
	} cases[] = {{"5.4.0-170-generic\n", true},
		     {"5.9.16\n", true},
		     {"4.19.0-26-arm64\n", true},
		     {"5.10.0-8\n", false},
		     {"6.1.0\n", false}};

	(void)state;
	put(DEVICES "armv8_pmuv3/type", "8\n");
	put(EVENTS "cpu_cycles", "event=0x0011\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cpu_pmu pmu;

		put(RELEASE, cases[i].release);
		pmu = find_one();
		assert_int_equal(cpu_pmu_may_count(&pmu, 0x003f), cases[i].old);
		assert_int_equal(cpu_pmu_may_count(&pmu, 0x4005), cases[i].old);
		assert_false(cpu_pmu_may_count(&pmu, 0x0008));
	}
}

/* A Cortex-A53, which has no specification, a Neoverse N1 and a Neoverse N3. */
static void a_known_cpu_is_preferred(void **state)
{
	static const struct cpu_pmu pmus[] = {
		{.name = "little", .midr = 0x410fd034},
		{.name = "silent", .midr = 0},
		{.name = "n1", .midr = 0x414fd0c1},
		{.name = "n3", .midr = 0x410fd8e0},
	};
	const struct plumb_spec *n1 = plumb_spec_for_midr(0x414fd0c1);
	const struct plumb_spec *n3 = plumb_spec_for_midr(0x410fd8e0);
	const struct plumb_spec *v2 = plumb_spec_for_midr(0x410fd4f1);

	(void)state;
	assert_non_null(n1);
	assert_non_null(n3);
	assert_non_null(v2);
	assert_null(plumb_spec_for_midr(0x410fd034));
	assert_ptr_equal(cpu_choose_pmu(pmus, 4, NULL), &pmus[2]);
	assert_ptr_equal(cpu_choose_pmu(pmus, 4, n1), &pmus[2]);
	assert_ptr_equal(cpu_choose_pmu(pmus, 4, n3), &pmus[3]);
	assert_ptr_equal(cpu_choose_pmu(pmus, 4, v2), &pmus[2]);
	assert_ptr_equal(cpu_choose_pmu(pmus, 2, NULL), &pmus[0]);
	assert_ptr_equal(cpu_choose_pmu(pmus, 2, n1), &pmus[0]);
}

/* Programs may read counters only if they stay on cores of one type. */
static void a_thread_may_be_pinned(void **state)
{
	struct cpu_pmu pmu = {.some_cores = false};
	cpu_set_t allowed;
	int first = 0;

	(void)state;
	assert_true(cpu_pmu_covers_thread(&pmu));
	pmu.some_cores = true;
	assert_false(cpu_pmu_covers_thread(&pmu)); /* it is unknown which */
	CPU_ZERO(&allowed);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		skip();
	for (int cpu = CPU_PMU_CPUS - 1; cpu >= 0; cpu--)
		if (CPU_ISSET((size_t)cpu, &allowed)) {
			pmu.cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
			first = cpu;
		}
	assert_true(cpu_pmu_covers_thread(&pmu));
	pmu.cpus[first / 64] &= ~(UINT64_C(1) << first % 64);
	pmu.cpus[15] |= UINT64_C(1) << 63;
	assert_false(cpu_pmu_covers_thread(&pmu));
}

static void places_of_cpus(void **state)
{
	struct cpu_place place;

	(void)state;
	put(CORES "cpu65/topology/physical_package_id", "36\n");
	put(CORES "cpu65/topology/core_id", "1\n");
	put(CORES "cpu65/topology/die_id", "-1\n");
	put(CORES "cpu65/node3/cpulist", "64-127\n");
	place = cpu_place_of(root, 65);
	assert_int_equal(place.socket, 36);
	assert_int_equal(place.core, 1);
	assert_int_equal(place.die, 0); /* unknown */
	assert_int_equal(place.node, 3);
	place = cpu_place_of(root, 0);
	assert_int_equal(place.socket | place.core | place.die | place.node, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(none_where_there_is_none, make_root, remove_root),
		cmocka_unit_test_setup_teardown(a_server, make_root, remove_root),
		cmocka_unit_test_setup_teardown(big_and_little, make_root, remove_root),
		cmocka_unit_test_setup_teardown(what_is_broken_is_left_out, make_root, remove_root),
		cmocka_unit_test_setup_teardown(what_pmceid_does_not_show_is_lacking, make_root,
						remove_root),
		cmocka_unit_test(a_known_cpu_is_preferred),
		cmocka_unit_test(a_thread_may_be_pinned),
		cmocka_unit_test_setup_teardown(places_of_cpus, make_root, remove_root),
		cmocka_unit_test_setup_teardown(old_kernels_show_less, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
