/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording says about the machine and the run: the header's features, as
 * tools/perf/Documentation/perf.data-file-format.txt of Linux lays them out. Each decoder stores
 * its part only if it is whole.
 */
#include "recording/reader.h"

static const char *const names[] = {
	[PLUMB_FEATURE_TRACING_DATA] = "TRACING_DATA",
	[PLUMB_FEATURE_BUILD_ID] = "BUILD_ID",
	[PLUMB_FEATURE_HOSTNAME] = "HOSTNAME",
	[PLUMB_FEATURE_OSRELEASE] = "OSRELEASE",
	[PLUMB_FEATURE_VERSION] = "VERSION",
	[PLUMB_FEATURE_ARCH] = "ARCH",
	[PLUMB_FEATURE_NRCPUS] = "NRCPUS",
	[PLUMB_FEATURE_CPUDESC] = "CPUDESC",
	[PLUMB_FEATURE_CPUID] = "CPUID",
	[PLUMB_FEATURE_TOTAL_MEM] = "TOTAL_MEM",
	[PLUMB_FEATURE_CMDLINE] = "CMDLINE",
	[PLUMB_FEATURE_EVENT_DESC] = "EVENT_DESC",
	[PLUMB_FEATURE_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[PLUMB_FEATURE_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[PLUMB_FEATURE_BRANCH_STACK] = "BRANCH_STACK",
	[PLUMB_FEATURE_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[PLUMB_FEATURE_GROUP_DESC] = "GROUP_DESC",
	[PLUMB_FEATURE_AUXTRACE] = "AUXTRACE",
	[PLUMB_FEATURE_STAT] = "STAT",
	[PLUMB_FEATURE_CACHE] = "CACHE",
	[PLUMB_FEATURE_SAMPLE_TIME] = "SAMPLE_TIME",
	[PLUMB_FEATURE_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[PLUMB_FEATURE_CLOCKID] = "CLOCKID",
	[PLUMB_FEATURE_DIR_FORMAT] = "DIR_FORMAT",
	[PLUMB_FEATURE_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[PLUMB_FEATURE_BPF_BTF] = "BPF_BTF",
	[PLUMB_FEATURE_COMPRESSED] = "COMPRESSED",
	[PLUMB_FEATURE_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[PLUMB_FEATURE_CLOCK_DATA] = "CLOCK_DATA",
	[PLUMB_FEATURE_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[PLUMB_FEATURE_PMU_CAPS] = "PMU_CAPS",
};

const char *plumb_feature_name(unsigned number)
{
	return number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* What a decoder is given: the feature's bytes, and where its memory comes from. */
struct decoder {
	struct plumb_recording *r;
	struct cursor in;
	bool no_memory;
};

/*
 * An array of `count` elements, each of which takes `least` bytes of the feature or more. NULL if
 * the feature cannot hold as many, or memory is short.
 */
static void *make_array(struct decoder *d, uint64_t count, size_t least, size_t size)
{
	void *array;

	if (d->in.short_of || count > cursor_left(&d->in) / least)
		return NULL;
	array = arena_alloc_array(&d->r->arena, (size_t)count + 1, size);
	d->no_memory = !array;
	return array;
}

/* Strings, after how many they are. */
static bool take_strings(struct decoder *d, const char *const **strings, size_t *count)
{
	const uint32_t given = take32(&d->in);
	const char **taken = make_array(d, given, 4, sizeof(*taken));

	if (!taken)
		return false;
	for (uint32_t i = 0; i < given; i++) {
		taken[i] = take_counted_string(&d->in);
		if (!taken[i])
			return false;
	}
	*strings = taken;
	*count = given;
	return true;
}

static bool take_text(struct decoder *d, const char **text)
{
	*text = take_counted_string(&d->in);
	return *text;
}

/* ---- CPUs and memory ------------------------------------------------------------------------- */

static bool take_cpu_count(struct decoder *d)
{
	struct plumb_recording_info *info = &d->r->info;

	info->cpus_available = take32(&d->in);
	info->cpus_online = take32(&d->in);
	return !d->in.short_of;
}

/* Each CPU's numbers, which older perfs left out, as they did the dies. */
static bool take_cpu_topology(struct decoder *d)
{
	struct plumb_recording_info *info = &d->r->info;
	struct plumb_recorded_cpu *cpus;
	uint32_t count = info->cpus_available;

	if (!take_strings(d, &info->core_siblings, &info->core_sibling_count) ||
	    !take_strings(d, &info->thread_siblings, &info->thread_sibling_count))
		return false;
	/* Less than one CPU is what a pipe's record is padded with. */
	if (cursor_left(&d->in) < 8)
		return true;
	cpus = make_array(d, count, 8, sizeof(*cpus));
	if (!cpus)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		cpus[i].core = take32(&d->in);
		cpus[i].socket = take32(&d->in);
	}
	info->cpus = cpus;
	info->cpu_count = count;
	if (cursor_left(&d->in) < 4 + 4 * (size_t)count)
		return true;
	if (!take_strings(d, &info->die_siblings, &info->die_sibling_count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		cpus[i].die = take32(&d->in);
	return !d->in.short_of;
}

static bool take_nodes(struct decoder *d)
{
	const uint32_t count = take32(&d->in);
	struct plumb_recorded_node *nodes = make_array(d, count, 24, sizeof(*nodes));

	if (!nodes)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		nodes[i].number = take32(&d->in);
		nodes[i].total_kb = take64(&d->in);
		nodes[i].free_kb = take64(&d->in);
		if (!take_text(d, &nodes[i].cpus))
			return false;
	}
	d->r->info.nodes = nodes;
	d->r->info.node_count = count;
	return true;
}

static bool take_caches(struct decoder *d)
{
	const uint32_t version = take32(&d->in), count = take32(&d->in);
	struct plumb_recorded_cache *caches;

	if (version != 1)
		return !d->in.short_of;
	caches = make_array(d, count, 28, sizeof(*caches));
	if (!caches)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		caches[i].level = take32(&d->in);
		caches[i].line_bytes = take32(&d->in);
		caches[i].sets = take32(&d->in);
		caches[i].ways = take32(&d->in);
		if (!take_text(d, &caches[i].type) || !take_text(d, &caches[i].size) ||
		    !take_text(d, &caches[i].cpus))
			return false;
	}
	d->r->info.caches = caches;
	d->r->info.cache_count = count;
	return true;
}

static bool take_blocks(struct decoder *d, struct plumb_recorded_memory *memory)
{
	uint64_t words, *blocks;

	memory->node = take64(&d->in);
	(void)take64(&d->in); /* how many blocks, which the bitmap says too */
	memory->block_count = take64(&d->in);
	words = memory->block_count / 64 + (memory->block_count % 64 > 0);
	blocks = make_array(d, words, 8, sizeof(*blocks));
	for (uint64_t i = 0; blocks && i < words; i++)
		blocks[i] = take64(&d->in);
	memory->blocks = blocks;
	return blocks;
}

static bool take_memory(struct decoder *d)
{
	const uint64_t version = take64(&d->in), block_bytes = take64(&d->in);
	const uint64_t count = take64(&d->in);
	struct plumb_recorded_memory *memory;

	if (version != 1)
		return !d->in.short_of;
	memory = make_array(d, count, 24, sizeof(*memory));
	if (!memory)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (!take_blocks(d, &memory[i]))
			return false;
	}
	d->r->info.memory = memory;
	d->r->info.memory_count = count;
	d->r->info.memory_block_bytes = block_bytes;
	return true;
}

/* ---- Events and PMUs ------------------------------------------------------------------------- */

static bool take_pmus(struct decoder *d)
{
	const uint32_t count = take32(&d->in);
	struct plumb_recorded_pmu *pmus = make_array(d, count, 8, sizeof(*pmus));

	if (!pmus)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		pmus[i].type = take32(&d->in);
		if (!take_text(d, &pmus[i].name))
			return false;
	}
	d->r->info.pmus = pmus;
	d->r->info.pmu_count = count;
	return true;
}

static bool take_groups(struct decoder *d)
{
	const uint32_t count = take32(&d->in);
	struct plumb_recorded_group *groups = make_array(d, count, 12, sizeof(*groups));

	if (!groups)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!take_text(d, &groups[i].name))
			return false;
		groups[i].first = take32(&d->in);
		groups[i].count = take32(&d->in);
	}
	d->r->info.groups = groups;
	d->r->info.group_count = count;
	return !d->in.short_of;
}

static bool take_core_pmus(struct decoder *d)
{
	const uint32_t count = take32(&d->in);
	struct plumb_recorded_core_pmu *pmus = make_array(d, count, 8, sizeof(*pmus));

	if (!pmus)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!take_text(d, &pmus[i].name) || !take_text(d, &pmus[i].cpus))
			return false;
	}
	d->r->info.core_pmus = pmus;
	d->r->info.core_pmu_count = count;
	return true;
}

static bool take_capability(struct decoder *d, struct plumb_recorded_capability *capability)
{
	return take_text(d, &capability->name) && take_text(d, &capability->value);
}

static bool take_cpu_capabilities(struct decoder *d)
{
	const uint32_t count = take32(&d->in);
	struct plumb_recorded_capability *all = make_array(d, count, 8, sizeof(*all));

	for (uint32_t i = 0; all && i < count; i++) {
		if (!take_capability(d, &all[i]))
			return false;
	}
	if (all) {
		d->r->info.capabilities = all;
		d->r->info.capability_count = count;
	}
	return all;
}

/* PMU after PMU; its name comes after its capabilities, each of which takes eight bytes or more. */
static bool take_pmu_capabilities(struct decoder *d)
{
	const uint32_t pmus = take32(&d->in);
	struct plumb_recorded_capability *all =
		make_array(d, cursor_left(&d->in) / 8, 8, sizeof(*all));
	size_t count = 0;

	if (!all)
		return false;
	for (uint32_t pmu = 0; pmu < pmus; pmu++) {
		const uint32_t here = take32(&d->in);
		const size_t first = count;
		const char *name;

		for (uint32_t i = 0; i < here; i++) {
			if (!take_capability(d, &all[count]))
				return false;
			count++;
		}
		if (!take_text(d, &name))
			return false;
		for (size_t i = first; i < count; i++)
			all[i].pmu = name;
	}
	d->r->info.capabilities = all;
	d->r->info.capability_count = count;
	return true;
}

/* ---- The run --------------------------------------------------------------------------------- */

static bool take_sample_times(struct decoder *d)
{
	const uint64_t first = take64(&d->in), last = take64(&d->in);

	if (d->in.short_of)
		return false;
	d->r->info.first_sample_time = first;
	d->r->info.last_sample_time = last;
	return true;
}

static bool take_clock(struct decoder *d)
{
	struct plumb_recording_info *info = &d->r->info;
	const uint32_t version = take32(&d->in);

	if (version != 1)
		return !d->in.short_of;
	info->clockid = take32(&d->in);
	info->wall_clock_ns = take64(&d->in);
	info->clock_ns = take64(&d->in);
	return !d->in.short_of;
}

static bool take_compression(struct decoder *d)
{
	struct plumb_recording_info *info = &d->r->info;

	(void)take32(&d->in); /* the version, of which there is one */
	info->compression_type = take32(&d->in);
	info->compression_level = take32(&d->in);
	info->compression_ratio = take32(&d->in);
	return !d->in.short_of;
}

static bool decode(struct decoder *d, unsigned number)
{
	struct plumb_recording_info *info = &d->r->info;

	switch (number) {
	case PLUMB_FEATURE_HOSTNAME:
		return take_text(d, &info->hostname);
	case PLUMB_FEATURE_OSRELEASE:
		return take_text(d, &info->osrelease);
	case PLUMB_FEATURE_VERSION:
		return take_text(d, &info->version);
	case PLUMB_FEATURE_ARCH:
		return take_text(d, &info->arch);
	case PLUMB_FEATURE_CPUDESC:
		return take_text(d, &info->cpudesc);
	case PLUMB_FEATURE_CPUID:
		return take_text(d, &info->cpuid);
	case PLUMB_FEATURE_NRCPUS:
		return take_cpu_count(d);
	case PLUMB_FEATURE_TOTAL_MEM:
		info->total_memory_kb = take64(&d->in);
		return !d->in.short_of;
	case PLUMB_FEATURE_CMDLINE:
		return take_strings(d, &info->command, &info->command_count);
	case PLUMB_FEATURE_CPU_TOPOLOGY:
		return take_cpu_topology(d);
	case PLUMB_FEATURE_NUMA_TOPOLOGY:
		return take_nodes(d);
	case PLUMB_FEATURE_PMU_MAPPINGS:
		return take_pmus(d);
	case PLUMB_FEATURE_GROUP_DESC:
		return take_groups(d);
	case PLUMB_FEATURE_CACHE:
		return take_caches(d);
	case PLUMB_FEATURE_SAMPLE_TIME:
		return take_sample_times(d);
	case PLUMB_FEATURE_MEM_TOPOLOGY:
		return take_memory(d);
	case PLUMB_FEATURE_CLOCKID:
		info->clock_resolution_ns = take64(&d->in);
		return !d->in.short_of;
	case PLUMB_FEATURE_DIR_FORMAT:
		info->folder_version = take64(&d->in);
		return !d->in.short_of;
	case PLUMB_FEATURE_CLOCK_DATA:
		return take_clock(d);
	case PLUMB_FEATURE_COMPRESSED:
		return take_compression(d);
	case PLUMB_FEATURE_CPU_PMU_CAPS:
		return take_cpu_capabilities(d);
	case PLUMB_FEATURE_PMU_CAPS:
		return take_pmu_capabilities(d);
	case PLUMB_FEATURE_HYBRID_TOPOLOGY:
		return take_core_pmus(d);
	default:
		return true;
	}
}

int info_decode(struct plumb_recording *r, unsigned number, bool *whole)
{
	struct decoder d = {.r = r, .in = cursor_over_feature(r, number)};

	*whole = decode(&d, number);
	if (!d.no_memory)
		return 0;
	*whole = true; /* for all that is known */
	return out_of_memory(r);
}

const struct plumb_recording_info *plumb_recording_info(const struct plumb_recording *r)
{
	return &r->info;
}
