/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPE's PMUs by a sysfs of the test's own: files as Linux's arm_spe driver shows them
 * (drivers/perf/arm_spe_pmu.c), and others that no driver should.
 */
#include "check.h"

#include <ftw.h>
#include <sys/stat.h>

#include "cpu/sysfs.h"
#include "source/perf/spe_metadata.h"
#include "source/perf/spe_pmu.h"

static char root[] = "/tmp/plumb-test-XXXXXX";

#define DEVICES "sys/bus/event_source/devices/"

static void write_file(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = path + sizeof(root); (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_root(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	write_file(DEVICES "arm_spe_0/type", "9\n");
	write_file(DEVICES "arm_spe_0/cpumask", "0-1,3\n");
	write_file(DEVICES "arm_spe_0/caps/min_interval", "1024\n");
	write_file(DEVICES "arm_spe_0/format/ts_enable", "config:0\n");
	write_file(DEVICES "arm_spe_0/format/pa_enable", "config:1\n");
	write_file(DEVICES "arm_spe_0/format/pct_enable", "config:2\n");
	write_file(DEVICES "arm_spe_0/format/jitter", "config:16\n");
	write_file(DEVICES "arm_spe_0/format/branch_filter", "config:32\n");
	write_file(DEVICES "arm_spe_0/format/load_filter", "config:33\n");
	write_file(DEVICES "arm_spe_0/format/store_filter", "config:34\n");
	write_file(DEVICES "arm_spe_0/format/event_filter", "config1:0-63\n");
	write_file(DEVICES "arm_spe_0/format/inv_event_filter", "config3:0-63\n");
	write_file(DEVICES "arm_spe_0/format/min_latency", "config2:0-11\n");
	write_file(DEVICES "arm_spe_0/format/discard", "config:35\n");
	write_file(DEVICES "arm_spe_0/format/load_filter_mask", "config:37\n");
	write_file(DEVICES "arm_spe_0/format/inv_data_src_filter", "config4:0-63\n");
	write_file(DEVICES "arm_spe_0/format/nonsense", "config9:0\n");
	/* An older one, of other cores, that does things in its own way. */
	write_file(DEVICES "arm_spe_1/type", "10\n");
	write_file(DEVICES "arm_spe_1/cpumask", "2\n");
	write_file(DEVICES "arm_spe_1/format/load_filter", "config:7\n");
	write_file(DEVICES "arm_spe_1/format/min_latency", "config2:0-3,8-11\n");
	write_file(DEVICES "arm_spe_broken/cpumask", "0\n");
	write_file(DEVICES "armv8_pmuv3_0/type", "8\n");
	write_file("sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
		   "0x00000000410fd490\n");
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void pmus_are_found(void **state)
{
	struct spe_pmu pmus[SPE_PMUS_MAX];

	(void)state;
	assert_int_equal(spe_find_pmus(root, pmus, SPE_PMUS_MAX), 2);
	assert_string_equal(pmus[0].name, "arm_spe_0");
	assert_int_equal(pmus[0].type, 9);
	assert_int_equal(pmus[0].min_interval, 1024);
	assert_int_equal(pmus[0].midr, 0x410fd490);
	assert_int_equal(pmus[0].cpu_count, 3);
	assert_int_equal(pmus[0].cpus[2], 3);
	assert_int_equal(pmus[0].format_count, 13);
	assert_int_equal(pmus[1].type, 10);
	assert_int_equal(pmus[1].min_interval, 0);
	assert_int_equal(pmus[1].midr, 0);
	assert_int_equal(pmus[1].cpus[0], 2);
	spe_pmu_free(&pmus[0]);
	spe_pmu_free(&pmus[1]);
	/* Those for which there is no room are counted. */
	assert_int_equal(spe_find_pmus(root, pmus, 1), 2);
	spe_pmu_free(&pmus[0]);
	assert_int_equal(spe_find_pmus("/nowhere", pmus, 1), 0);
}

static const struct plumb_event_config everything = {
	.kind = PLUMB_EVENT_SPE,
	.name = "arm_spe//",
	.period = 5000,
	.spe = {.ts_enable = true,
		.pa_enable = true,
		.pct_enable = true,
		.jitter = true,
		.load_filter = true,
		.store_filter = true,
		.branch_filter = true,
		.min_latency = 4095,
		.event_filter = UINT64_C(0x8000000000000082),
		.inv_event_filter = 0x20},
};

/* Bits by hand, from the driver's ATTR_CFG_FLD_* as they were until now. */
static void parameters_go_where_the_driver_says(void **state)
{
	struct spe_pmu pmus[SPE_PMUS_MAX];
	struct sampled_attr attr = {.attr = {.config = 77}};

	(void)state;
	assert_int_equal(spe_find_pmus(root, pmus, SPE_PMUS_MAX), 2);
	assert_int_equal(spe_pmu_configure(&pmus[0], &everything, &attr, NULL), 0);
	assert_int_equal(attr.attr.type, 9);
	assert_int_equal(attr.attr.config, UINT64_C(0x700010007));
	assert_int_equal(attr.attr.config1, UINT64_C(0x8000000000000082));
	assert_int_equal(attr.attr.config2, 4095);
	assert_int_equal(attr.config3, 0x20);
	assert_int_equal(attr.attr.sample_period, 5000);
	assert_int_equal(attr.attr.freq, 0);

	/* Bits that lie apart: the value's lowest first. */
	assert_int_equal(
		spe_pmu_configure(&pmus[1],
				  &(struct plumb_event_config){
					  .kind = PLUMB_EVENT_SPE,
					  .name = "arm_spe_1//",
					  .spe = {.load_filter = true, .min_latency = 0xa5}},
				  &attr, NULL),
		0);
	assert_int_equal(attr.attr.type, 10);
	assert_int_equal(attr.attr.config, 0x80);
	assert_int_equal(attr.attr.config1, 0);
	assert_int_equal(attr.attr.config2, 0xa05);
	assert_int_equal(attr.config3, 0);
	/* Without a period, the one that the core advises; if none, the same as perf(1). */
	assert_int_equal(attr.attr.sample_period, 4096);
	spe_pmu_configure(&pmus[0], &(struct plumb_event_config){.name = "arm_spe_0//"}, &attr,
			  NULL);
	assert_int_equal(attr.attr.sample_period, 1024);
	spe_pmu_free(&pmus[0]);
	spe_pmu_free(&pmus[1]);
}

/* The driver of Linux 6.19. Its MIDR, Neoverse N2's, gives sources their names: 0 L1D, 8 L2, 14
 * DRAM. */
static void newer_parameters_go_where_the_driver_says(void **state)
{
	struct spe_pmu pmus[SPE_PMUS_MAX];
	struct sampled_attr attr = {0};
	struct plumb_event_config event = {
		.name = "spe//",
		.spe = {.load_filter = true,
			.load_filter_mask = true,
			.discard = true,
			.data_source = "l2+DRAM+0x3f",
			.inv_data_src_filter = 0x100},
	};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

	(void)state;
	assert_int_equal(spe_find_pmus(root, pmus, SPE_PMUS_MAX), 2);
	assert_int_equal(spe_pmu_configure(&pmus[0], &event, &attr, NULL), 0);
	assert_int_equal(attr.attr.config, UINT64_C(0x2a00000000));
	assert_int_equal(attr.config3, 0);
	assert_int_equal(attr.config4, UINT64_C(0x7fffffffffffbfff));
	assert_int_equal(sampled_attr_public(&attr).size, 144);
	assert_int_equal(sampled_attr_public(&attr).config4, attr.config4);
	event.spe.data_source = NULL;
	event.spe.inv_data_src_filter = 0;
	assert_int_equal(spe_pmu_configure(&pmus[0], &event, &attr, NULL), 0);
	assert_int_equal(attr.config4, 0);
	assert_int_equal(sampled_attr_public(&attr).size, 128);
	/* Names are the core's. */
	event.spe.data_source = "DRAMM";
	assert_int_equal(spe_pmu_configure(&pmus[0], &event, &attr, diagnostics),
			 PLUMB_ERR_NOT_FOUND);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->hint, "did you mean \"DRAM\"?");
	event.spe.data_source = "64";
	assert_true(spe_pmu_configure(&pmus[0], &event, &attr, diagnostics) < 0);
	event.spe.data_source = "1,load";
	assert_true(spe_pmu_configure(&pmus[0], &event, &attr, diagnostics) < 0);
	event.spe.data_source = "DRAM";
	assert_int_equal(spe_pmu_configure(&pmus[1], &event, &attr, diagnostics),
			 PLUMB_ERR_NOT_FOUND);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 3)->hint,
			    "the core is unknown, so use a number");
	plumb_diagnostics_free(diagnostics);
	spe_pmu_free(&pmus[0]);
	spe_pmu_free(&pmus[1]);
}

static void what_the_driver_lacks_is_named(void **state)
{
	struct spe_pmu pmus[SPE_PMUS_MAX];
	struct sampled_attr attr = {.config3 = 0};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_diagnostic *finding;

	(void)state;
	assert_int_equal(spe_find_pmus(root, pmus, SPE_PMUS_MAX), 2);
	assert_int_equal(spe_pmu_configure(&pmus[1], &everything, &attr, diagnostics),
			 PLUMB_ERR_UNSUPPORTED);
	finding = plumb_diagnostics_get(diagnostics, 0);
	assert_string_equal(finding->id, "spe-parameter");
	assert_non_null(strstr(finding->message, "ts_enable"));
	assert_non_null(strstr(finding->message, "arm_spe_1"));
	assert_int_equal(
		spe_pmu_configure(&pmus[1],
				  &(struct plumb_event_config){.name = "arm_spe_1//",
							       .spe = {.min_latency = 256}},
				  &attr, diagnostics),
		PLUMB_ERR_ARGUMENT);
	finding = plumb_diagnostics_get(diagnostics, 1);
	assert_string_equal(finding->message,
			    "min_latency=256: exceeds the 8 bits that arm_spe_1 has for it");
	spe_pmu_complain("arm_spe//", diagnostics);
	finding = plumb_diagnostics_get(diagnostics, 2);
	assert_string_equal(finding->id, "no-spe");
	assert_non_null(strstr(finding->hint, "kpti=off"));
	plumb_diagnostics_free(diagnostics);
	spe_pmu_free(&pmus[0]);
	spe_pmu_free(&pmus[1]);
}

static void formats_are_read(void **state)
{
	static const char *const wrong[] = {
		"",          "config",     "config:",     "config0:1", "config5:1",
		"config:64", "config:3-1", "config:0-64", "config:1,", "config:1 ",
		"config:-1", "config:1-",  "cfg:1",       "config:x",  "config1",
	};
	struct spe_format format;

	(void)state;
	assert_true(spe_parse_format("config:0-63", &format));
	assert_true(format.word == 0 && format.mask == UINT64_MAX);
	assert_true(spe_parse_format("config3:63", &format));
	assert_true(format.word == 3 && format.mask == UINT64_C(1) << 63);
	assert_true(spe_parse_format("config2:0,2-3,60-63", &format));
	assert_true(format.word == 2 && format.mask == UINT64_C(0xf00000000000000d));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(spe_parse_format(wrong[i], &format));
}

static void lists_of_cpus_are_read(void **state)
{
	static const char *const wrong[] = {
		"a",   "0,",  ",0",  "0-",      "-1",
		"2-1", "0 1", "0,a", "0-65536", "0-99999999999999999999"};
	int *cpus;

	(void)state;
	assert_int_equal(sysfs_parse_cpus("0", &cpus), 1);
	assert_int_equal(cpus[0], 0);
	free(cpus);
	assert_int_equal(sysfs_parse_cpus("0-2,7,9-10", &cpus), 6);
	assert_int_equal(cpus[2], 2);
	assert_int_equal(cpus[3], 7);
	assert_int_equal(cpus[5], 10);
	free(cpus);
	assert_int_equal(sysfs_parse_cpus("", &cpus), 0);
	free(cpus);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(sysfs_parse_cpus(wrong[i], &cpus), PLUMB_ERR_INVALID);
}

/* ---- what recordings say of the units ------------------------------------------------------- */

#define CPU "metadata/sys/devices/system/cpu/"

/* Four CPUs of two kinds: Neoverse N2, each with SPE, and a Cortex-A510 without. */
static void write_machine(const char *third)
{
	static const char *const n2[] = {CPU "cpu0", CPU "cpu1", CPU "cpu3"};
	char path[128];

	write_file(CPU "online", "0-3\n");
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/regs/identification/midr_el1", n2[i]);
		write_file(path, "0x00000000410fd493\n");
	}
	write_file(CPU "cpu2/regs/identification/midr_el1", third);
}

/* The unit of CPUs 0, 1 and 3, and of CPU 2 its own if `others`. */
static uint64_t *make_metadata(uint64_t events, bool others, bool per_cpu, size_t *count)
{
	int n2[] = {0, 1, 3}, other = 2;
	char folder[64];
	const struct spe_pmu pmus[] = {
		{.type = 9,
		 .min_interval = 1024,
		 .event_filter = events,
		 .cpus = n2,
		 .cpu_count = 3},
		{.type = 10, .min_interval = 256, .cpus = &other, .cpu_count = 1},
	};

	snprintf(folder, sizeof(folder), "%s/metadata", root);
	return spe_metadata_new(folder, pmus, 1 + others, 9, per_cpu, count);
}

static void metadata_tells_of_each_cpu(void **state)
{
	/* By tools/perf/util/arm-spe.h of Linux 6.18. */
	static const uint64_t expected[] = {
		2, /* version; values in the header; PMU; CPUs */
		4,  9,    4,    0x1010101010101010, 0, 4, 0x410fd490,
		9,  1024, 0x1a, 0x1010101010101010, 1, 4, 0x410fd490,
		9,  1024, 0x1a, 0x1010101010101010, 2, 4, 0x410fd460,
		10, 256,  0,    0x1010101010101010, 3, 4, 0x410fd490,
		9,  1024, 0x1a,
	};
	uint64_t *values;
	size_t count;

	(void)state;
	/* No single core would be right for all CPUs. */
	write_machine("0x00000000411fd461\n");
	values = make_metadata(0x1a, true, true, &count);
	assert_int_equal(count, sizeof(expected) / sizeof(*expected));
	assert_memory_equal(values, expected, sizeof(expected));
	free(values);
}

static void metadata_is_as_old_as_it_can_be(void **state)
{
	/* Event 23 is "data snooped" (Arm's manual, SPEv1p4). */
	static const struct {
		uint64_t events;
		size_t count;
	} cases[] = {{0, 2}, {0x1a, 2}, {1 << 22, 2}, {1 << 23, 32}, {0xffffffff, 32}};
	uint64_t *values;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		/* A core without SPE may be another. */
		write_machine("0x00000000411fd461\n");
		values = make_metadata(cases[i].events, false, i % 2, &count);
		assert_int_equal(count, cases[i].count);
		assert_int_equal(values[0], count == 2 ? 9 : 2);
		if (count == 2)
			assert_int_equal(values[1], i % 2);
		else
			assert_int_equal(values[4 + 2 * 7 + 4], UINT64_MAX);
		free(values);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmus_are_found),
		cmocka_unit_test(parameters_go_where_the_driver_says),
		cmocka_unit_test(newer_parameters_go_where_the_driver_says),
		cmocka_unit_test(what_the_driver_lacks_is_named),
		cmocka_unit_test(formats_are_read),
		cmocka_unit_test(lists_of_cpus_are_read),
		cmocka_unit_test(metadata_tells_of_each_cpu),
		cmocka_unit_test(metadata_is_as_old_as_it_can_be),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
