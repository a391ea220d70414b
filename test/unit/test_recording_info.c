/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording says about its machine and run, in files and pipes of both byte orders. */
#include "recording_builder.h"

static const struct built_attr cpu_clock = {
	.type = 1, .size = 136, .period = 4000, .sample_type = IP | TID, .ids = {1}, .id_count = 1};

static void put_numbers(struct build *b, unsigned number)
{
	const size_t from = feature_begin(b, number);

	switch (number) {
	case PLUMB_FEATURE_NRCPUS:
		put32(b, 2);
		put32(b, 1);
		break;
	case PLUMB_FEATURE_TOTAL_MEM:
		put64(b, 0x123456789a);
		break;
	case PLUMB_FEATURE_SAMPLE_TIME:
		put64(b, 5000000001);
		put64(b, 6000000002);
		break;
	case PLUMB_FEATURE_CLOCKID:
		put64(b, 40);
		break;
	default:
		put32(b, 1);
		put32(b, 1);
		put32(b, 3);
		put32(b, 7);
		put32(b, 4096);
		break;
	}
	feature_end(b, number, from);
}

static void numbers_are_decoded(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct plumb_recording_info *info;
		struct opened opened;

		build_begin(b, &cpu_clock, 1);
		put_numbers(b, PLUMB_FEATURE_NRCPUS);
		put_numbers(b, PLUMB_FEATURE_TOTAL_MEM);
		put_numbers(b, PLUMB_FEATURE_SAMPLE_TIME);
		put_numbers(b, PLUMB_FEATURE_CLOCKID);
		put_numbers(b, PLUMB_FEATURE_COMPRESSED);
		opened = open_built(b);
		info = plumb_recording_info(opened.recording);
		assert_int_equal(info->cpus_available, 2);
		assert_int_equal(info->cpus_online, 1);
		assert_int_equal(info->total_memory_kb, 0x123456789a);
		assert_int_equal(info->first_sample_time, 5000000001);
		assert_int_equal(info->last_sample_time, 6000000002);
		assert_int_equal(info->clock_resolution_ns, 40);
		assert_int_equal(info->compression_type, 1);
		assert_int_equal(info->compression_level, 3);
		assert_int_equal(info->compression_ratio, 7);
		assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
		opened_close(&opened);
	}
}

/* Two CPUs on one socket; `parts`: 1 has only sibling lists, 2 adds cores, 3 adds dies. */
static void put_topology(struct build *b, unsigned parts)
{
	const size_t from = feature_begin(b, PLUMB_FEATURE_CPU_TOPOLOGY);

	put32(b, 1);
	put_string(b, "0-1");
	put32(b, 2);
	put_string(b, "0");
	put_string(b, "1");
	for (uint32_t cpu = 0; parts > 1 && cpu < 2; cpu++) {
		put32(b, 10 + cpu);
		put32(b, 3);
	}
	if (parts > 2) {
		put32(b, 1);
		put_string(b, "0-1");
		put32(b, 20);
		put32(b, 21);
	}
	feature_end(b, PLUMB_FEATURE_CPU_TOPOLOGY, from);
}

static void cpu_topology_of_any_version_is_decoded(void **state)
{
	(void)state;
	for (unsigned parts = 1; parts <= 3; parts++) {
		FOR_EACH_FORM(b)
		{
			const struct plumb_recording_info *info;
			struct opened opened;

			build_begin(b, &cpu_clock, 1);
			put_numbers(b, PLUMB_FEATURE_NRCPUS);
			put_topology(b, parts);
			opened = open_built(b);
			info = plumb_recording_info(opened.recording);
			assert_int_equal(info->core_sibling_count, 1);
			assert_string_equal(info->core_siblings[0], "0-1");
			assert_int_equal(info->thread_sibling_count, 2);
			assert_string_equal(info->thread_siblings[1], "1");
			assert_int_equal(info->cpu_count, parts > 1 ? 2 : 0);
			assert_int_equal(info->die_sibling_count, parts > 2);
			for (uint32_t cpu = 0; cpu < info->cpu_count; cpu++) {
				assert_int_equal(info->cpus[cpu].core, 10 + cpu);
				assert_int_equal(info->cpus[cpu].socket, 3);
				assert_int_equal(info->cpus[cpu].die, parts > 2 ? 20 + cpu : 0);
			}
			assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
			opened_close(&opened);
		}
	}
}

static void put_machine(struct build *b)
{
	size_t from = feature_begin(b, PLUMB_FEATURE_NUMA_TOPOLOGY);

	put32(b, 1);
	put32(b, 5);
	put64(b, 1000);
	put64(b, 10);
	put_string(b, "0-7");
	feature_end(b, PLUMB_FEATURE_NUMA_TOPOLOGY, from);

	from = feature_begin(b, PLUMB_FEATURE_CACHE);
	put32(b, 1);
	put32(b, 1);
	put32(b, 2);
	put32(b, 64);
	put32(b, 1024);
	put32(b, 8);
	put_string(b, "Unified");
	put_string(b, "512K");
	put_string(b, "0");
	feature_end(b, PLUMB_FEATURE_CACHE, from);

	from = feature_begin(b, PLUMB_FEATURE_MEM_TOPOLOGY);
	put64(b, 1);
	put64(b, 0x8000000);
	put64(b, 1);
	put64(b, 0);
	put64(b, 65);
	put64(b, 65);
	put64(b, 0x5);
	put64(b, 0x1);
	feature_end(b, PLUMB_FEATURE_MEM_TOPOLOGY, from);
}

static void memory_and_caches_are_decoded(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct plumb_recording_info *info;
		struct opened opened;

		build_begin(b, &cpu_clock, 1);
		put_machine(b);
		opened = open_built(b);
		info = plumb_recording_info(opened.recording);
		assert_int_equal(info->node_count, 1);
		assert_int_equal(info->nodes[0].number, 5);
		assert_int_equal(info->nodes[0].total_kb, 1000);
		assert_int_equal(info->nodes[0].free_kb, 10);
		assert_string_equal(info->nodes[0].cpus, "0-7");
		assert_int_equal(info->cache_count, 1);
		assert_int_equal(info->caches[0].level, 2);
		assert_int_equal(info->caches[0].line_bytes, 64);
		assert_int_equal(info->caches[0].sets, 1024);
		assert_int_equal(info->caches[0].ways, 8);
		assert_string_equal(info->caches[0].type, "Unified");
		assert_string_equal(info->caches[0].size, "512K");
		assert_int_equal(info->memory_count, 1);
		assert_int_equal(info->memory_block_bytes, 0x8000000);
		assert_int_equal(info->memory[0].block_count, 65);
		assert_int_equal(info->memory[0].blocks[0], 5);
		assert_int_equal(info->memory[0].blocks[1], 1);
		assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
		opened_close(&opened);
	}
}

static void put_pmus(struct build *b)
{
	size_t from = feature_begin(b, PLUMB_FEATURE_PMU_MAPPINGS);

	put32(b, 2);
	put32(b, 8);
	put_string(b, "armv8_pmuv3_0");
	put32(b, 11);
	put_string(b, "arm_spe_0");
	feature_end(b, PLUMB_FEATURE_PMU_MAPPINGS, from);

	from = feature_begin(b, PLUMB_FEATURE_PMU_CAPS);
	put32(b, 2);
	put32(b, 1);
	put_string(b, "slots");
	put_string(b, "5");
	put_string(b, "cpu");
	put32(b, 2);
	put_string(b, "ernd");
	put_string(b, "0");
	put_string(b, "count_size");
	put_string(b, "12");
	put_string(b, "arm_spe_0");
	feature_end(b, PLUMB_FEATURE_PMU_CAPS, from);

	from = feature_begin(b, PLUMB_FEATURE_GROUP_DESC);
	put32(b, 1);
	put_string(b, "{anon_group}");
	put32(b, 1);
	put32(b, 2);
	feature_end(b, PLUMB_FEATURE_GROUP_DESC, from);

	from = feature_begin(b, PLUMB_FEATURE_HYBRID_TOPOLOGY);
	put32(b, 1);
	put_string(b, "armv8_cortex_a720");
	put_string(b, "4-7");
	feature_end(b, PLUMB_FEATURE_HYBRID_TOPOLOGY, from);
}

static void pmus_and_groups_are_decoded(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct plumb_recording_info *info;
		struct opened opened;

		build_begin(b, &cpu_clock, 1);
		put_pmus(b);
		opened = open_built(b);
		info = plumb_recording_info(opened.recording);
		assert_int_equal(info->pmu_count, 2);
		assert_int_equal(info->pmus[1].type, 11);
		assert_string_equal(info->pmus[1].name, "arm_spe_0");
		assert_int_equal(info->capability_count, 3);
		assert_string_equal(info->capabilities[0].pmu, "cpu");
		assert_string_equal(info->capabilities[0].value, "5");
		assert_string_equal(info->capabilities[2].pmu, "arm_spe_0");
		assert_string_equal(info->capabilities[2].name, "count_size");
		assert_int_equal(info->group_count, 1);
		assert_int_equal(info->groups[0].first, 1);
		assert_int_equal(info->groups[0].count, 2);
		assert_int_equal(info->core_pmu_count, 1);
		assert_string_equal(info->core_pmus[0].cpus, "4-7");
		assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
		opened_close(&opened);
	}
}

/* Every feature, cut off at every length, and with impossible counts. */
static void damaged_features_do_no_harm(void **state)
{
	static const uint8_t features[] = {
		PLUMB_FEATURE_HOSTNAME,      PLUMB_FEATURE_NRCPUS,
		PLUMB_FEATURE_CMDLINE,       PLUMB_FEATURE_CPU_TOPOLOGY,
		PLUMB_FEATURE_NUMA_TOPOLOGY, PLUMB_FEATURE_PMU_MAPPINGS,
		PLUMB_FEATURE_GROUP_DESC,    PLUMB_FEATURE_CACHE,
		PLUMB_FEATURE_SAMPLE_TIME,   PLUMB_FEATURE_MEM_TOPOLOGY,
		PLUMB_FEATURE_COMPRESSED,    PLUMB_FEATURE_CPU_PMU_CAPS,
		PLUMB_FEATURE_PMU_CAPS,      PLUMB_FEATURE_HYBRID_TOPOLOGY,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(features); i++) {
		for (size_t size = 0; size < 40; size += 3) {
			struct build *b = build_new(false, false);
			struct opened opened;
			size_t from;

			build_begin(b, &cpu_clock, 1);
			from = feature_begin(b, features[i]);
			for (size_t k = 0; k < size; k++)
				put8(b, 0xff);
			feature_end(b, features[i], from);
			opened = open_built(b);
			assert_true(plumb_recording_has_feature(opened.recording, features[i]));
			opened_close(&opened);
			free(b);
		}
	}
}

static void features_have_names(void **state)
{
	(void)state;
	assert_string_equal(plumb_feature_name(PLUMB_FEATURE_HOSTNAME), "HOSTNAME");
	assert_string_equal(plumb_feature_name(PLUMB_FEATURE_PMU_CAPS), "PMU_CAPS");
	assert_null(plumb_feature_name(0));
	assert_null(plumb_feature_name(PLUMB_FEATURE_PMU_CAPS + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_decoded),
		cmocka_unit_test(cpu_topology_of_any_version_is_decoded),
		cmocka_unit_test(memory_and_caches_are_decoded),
		cmocka_unit_test(pmus_and_groups_are_decoded),
		cmocka_unit_test(damaged_features_do_no_harm),
		cmocka_unit_test(features_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
