/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a recording says about itself, in the lines of perf script --header. */
#include <sys/stat.h>
#include <time.h>

#include "render/script.h"
#include "tool/clocks.h"

#define NS_A_SECOND 1000000000u
#define ZSTD        1 /* perf's number of a compression */

static const struct {
	uint8_t bit, width;
	const char *name;
} flags[] = {
	{0, 1, "disabled"},
	{1, 1, "inherit"},
	{2, 1, "pinned"},
	{3, 1, "exclusive"},
	{4, 1, "exclude_user"},
	{5, 1, "exclude_kernel"},
	{6, 1, "exclude_hv"},
	{7, 1, "exclude_idle"},
	{8, 1, "mmap"},
	{9, 1, "comm"},
	{10, 1, "freq"},
	{11, 1, "inherit_stat"},
	{12, 1, "enable_on_exec"},
	{13, 1, "task"},
	{14, 1, "watermark"},
	{15, 2, "precise_ip"},
	{17, 1, "mmap_data"},
	{18, 1, "sample_id_all"},
	{19, 1, "exclude_host"},
	{20, 1, "exclude_guest"},
	{21, 1, "exclude_callchain_kernel"},
	{22, 1, "exclude_callchain_user"},
	{23, 1, "mmap2"},
	{24, 1, "comm_exec"},
	{25, 1, "use_clockid"},
	{26, 1, "context_switch"},
	{27, 1, "write_backward"},
	{28, 1, "namespaces"},
	{29, 1, "ksymbol"},
	{30, 1, "bpf_event"},
	{31, 1, "aux_output"},
	{32, 1, "cgroup"},
	{33, 1, "text_poke"},
	{34, 1, "build_id"},
	{35, 1, "inherit_thread"},
	{36, 1, "remove_on_exec"},
	{37, 1, "sigtrap"},
};

/* Bits with a name, in the order that perf prints them in. */
struct named_bit {
	uint8_t bit;
	const char *name;
};

static const struct named_bit sample_bits[] = {
	{0, "IP"},
	{1, "TID"},
	{2, "TIME"},
	{3, "ADDR"},
	{4, "READ"},
	{5, "CALLCHAIN"},
	{6, "ID"},
	{7, "CPU"},
	{8, "PERIOD"},
	{9, "STREAM_ID"},
	{10, "RAW"},
	{11, "BRANCH_STACK"},
	{12, "REGS_USER"},
	{13, "STACK_USER"},
	{16, "IDENTIFIER"},
	{18, "REGS_INTR"},
	{15, "DATA_SRC"},
	{14, "WEIGHT"},
	{19, "PHYS_ADDR"},
	{20, "AUX"},
	{21, "CGROUP"},
	{22, "DATA_PAGE_SIZE"},
	{23, "CODE_PAGE_SIZE"},
	{24, "WEIGHT_STRUCT"},
};

static const struct named_bit branch_bits[] = {
	{0, "USER"},       {1, "KERNEL"},     {2, "HV"},         {3, "ANY"},
	{4, "ANY_CALL"},   {5, "ANY_RETURN"}, {6, "IND_CALL"},   {7, "ABORT_TX"},
	{8, "IN_TX"},      {9, "NO_TX"},      {10, "COND"},      {11, "CALL_STACK"},
	{12, "IND_JUMP"},  {13, "CALL"},      {14, "NO_FLAGS"},  {15, "NO_CYCLES"},
	{16, "TYPE_SAVE"}, {17, "HW_INDEX"},  {18, "PRIV_SAVE"}, {19, "COUNTERS"},
};

static const struct named_bit format_bits[] = {
	{0, "TOTAL_TIME_ENABLED"}, {1, "TOTAL_TIME_RUNNING"}, {2, "ID"}, {3, "GROUP"}, {4, "LOST"},
};

/* ---- Events ---------------------------------------------------------------------------------- */

/* ", NAME = 0x1", unless it is 0. */
static void put_hex(struct buffer *b, const char *name, uint64_t number)
{
	if (number)
		buffer_format(b, ", %s = %#llx", name, (unsigned long long)number);
}

static void put_number(struct buffer *b, const char *name, uint64_t number)
{
	if (number)
		buffer_format(b, ", %s = %llu", name, (unsigned long long)number);
}

static void put_signed(struct buffer *b, const char *name, int64_t number)
{
	if (number)
		buffer_format(b, ", %s = %lld", name, (long long)number);
}

static void put_bits(struct buffer *b, const char *name, uint64_t bits,
		     const struct named_bit *names, size_t count)
{
	const char *between = "";

	if (!bits)
		return;
	buffer_format(b, ", %s = ", name);
	for (size_t i = 0; i < count; i++) {
		if (!(bits >> names[i].bit & 1))
			continue;
		buffer_text(b, between);
		buffer_text(b, names[i].name);
		between = "|";
	}
}

static void put_attribute(struct buffer *b, const struct plumb_event_attr *attr)
{
	put_number(b, "type", attr->type);
	put_number(b, "size", attr->size);
	put_hex(b, "config", attr->config);
	put_number(b, "{ sample_period, sample_freq }", attr->sample_period);
	put_bits(b, "sample_type", attr->sample_type, sample_bits,
		 sizeof(sample_bits) / sizeof(*sample_bits));
	put_bits(b, "read_format", attr->read_format, format_bits,
		 sizeof(format_bits) / sizeof(*format_bits));
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		put_number(b, flags[i].name,
			   attr->flags >> flags[i].bit & ((1u << flags[i].width) - 1));
	put_number(b, "{ wakeup_events, wakeup_watermark }", attr->wakeup);
	put_number(b, "bp_type", attr->bp_type);
	put_hex(b, "{ bp_addr, config1 }", attr->config1);
	put_hex(b, "{ bp_len, config2 }", attr->config2);
	put_bits(b, "branch_sample_type", attr->branch_sample_type, branch_bits,
		 sizeof(branch_bits) / sizeof(*branch_bits));
	put_hex(b, "sample_regs_user", attr->sample_regs_user);
	put_number(b, "sample_stack_user", attr->sample_stack_user);
	put_signed(b, "clockid", attr->clockid);
	put_hex(b, "sample_regs_intr", attr->sample_regs_intr);
	put_number(b, "aux_watermark", attr->aux_watermark);
	put_number(b, "sample_max_stack", attr->sample_max_stack);
	put_number(b, "aux_sample_size", attr->aux_sample_size);
	put_number(b, "sig_data", attr->sig_data);
}

static void print_events(struct buffer *b, const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++) {
		char room[EVENT_NAME_ROOM];

		buffer_text(b, "# event : name = ");
		buffer_foreign(b, script_event_name(event, room));
		buffer_text(b, ", ");
		for (size_t k = 0; k < event->id_count; k++)
			buffer_format(b, "%s%llu", k ? ", " : ", id = { ",
				      (unsigned long long)event->ids[k]);
		buffer_text(b, event->id_count ? " }" : "");
		put_attribute(b, &event->attr);
		buffer_char(b, '\n');
	}
}

static void print_groups(struct buffer *b, const struct plumb_recording *recording)
{
	const struct plumb_recording_info *info = plumb_recording_info(recording);

	for (size_t i = 0; i < info->group_count; i++) {
		const struct plumb_recorded_group *group = &info->groups[i];
		const bool named = strcmp(group->name, "{anon_group}") != 0;

		buffer_text(b, "# group: ");
		if (named)
			buffer_foreign(b, group->name);
		for (uint64_t k = 0; k < group->count; k++) {
			const struct plumb_recorded_event *event =
				plumb_recording_event(recording, (size_t)group->first + k);
			char room[EVENT_NAME_ROOM];

			if (!event)
				break;
			buffer_text(b, k ? "," : "{");
			buffer_foreign(b, script_event_name(event, room));
		}
		buffer_text(b, "}\n");
	}
}

/* ---- The machine ----------------------------------------------------------------------------- */

static void put_list(struct buffer *b, const char *title, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buffer_format(b, "# %s : ", title);
		buffer_foreign(b, texts[i]);
		buffer_char(b, '\n');
	}
}

static void print_topology(struct buffer *b, const struct plumb_recording_info *info)
{
	const bool dies = info->die_sibling_count > 0;

	put_list(b, "sibling sockets", info->core_siblings, info->core_sibling_count);
	put_list(b, "sibling dies   ", info->die_siblings, info->die_sibling_count);
	put_list(b, "sibling threads", info->thread_siblings, info->thread_sibling_count);
	for (size_t i = 0; i < info->cpu_count; i++) {
		const struct plumb_recorded_cpu *cpu = &info->cpus[i];

		buffer_format(b, "# CPU %zu: Core ID %u, ", i, cpu->core);
		if (dies)
			buffer_format(b, "Die ID %u, ", cpu->die);
		buffer_format(b, "Socket ID %u\n", cpu->socket);
	}
	if (!info->cpu_count)
		buffer_format(b, "# Core ID and %sSocket ID information is not available\n",
			      dies ? "Die ID and " : "");
}

static void print_nodes(struct buffer *b, const struct plumb_recording_info *info)
{
	for (size_t i = 0; i < info->node_count; i++) {
		const struct plumb_recorded_node *node = &info->nodes[i];

		buffer_format(b,
			      "# node%u meminfo  : total = %llu kB, free = %llu kB\n"
			      "# node%u cpu list : ",
			      node->number, (unsigned long long)node->total_kb,
			      (unsigned long long)node->free_kb, node->number);
		buffer_foreign(b, node->cpus);
		buffer_char(b, '\n');
	}
}

static void print_caches(struct buffer *b, const struct plumb_recording_info *info)
{
	buffer_text(b, "# CPU cache info:\n");
	for (size_t i = 0; i < info->cache_count; i++) {
		const struct plumb_recorded_cache *cache = &info->caches[i];

		buffer_format(b, "#  L%u ", cache->level);
		buffer_padded(b, cache->type, -15);
		buffer_char(b, ' ');
		buffer_padded(b, cache->size, 8);
		buffer_text(b, " [");
		buffer_foreign(b, cache->cpus);
		buffer_text(b, "]\n");
	}
}

static bool has_block(const struct plumb_recorded_memory *memory, uint64_t block)
{
	return block < memory->block_count && memory->blocks[block / 64] >> (block % 64) & 1;
}

/* "0-23,32": runs of blocks. */
static void put_blocks(struct buffer *b, const struct plumb_recorded_memory *memory)
{
	const char *between = "";

	for (uint64_t first = 0; first < memory->block_count; first++) {
		uint64_t last = first;

		if (!has_block(memory, first))
			continue;
		while (has_block(memory, last + 1))
			last++;
		buffer_format(b, "%s%llu", between, (unsigned long long)first);
		if (last > first)
			buffer_format(b, "-%llu", (unsigned long long)last);
		between = ",";
		first = last;
	}
}

/* 24G, 1M: as perf shortens a number of bytes. */
static void put_size(struct buffer *b, uint64_t size)
{
	const char *unit = "BKMG";

	for (; unit[1] && size >= 1024; unit++)
		size /= 1024;
	buffer_format(b, "%llu%c", (unsigned long long)size, *unit);
}

static void print_memory(struct buffer *b, const struct plumb_recording_info *info)
{
	buffer_format(b, "# memory nodes (nr %zu, block size %#llx):\n", info->memory_count,
		      (unsigned long long)info->memory_block_bytes);
	for (size_t i = 0; i < info->memory_count; i++) {
		const struct plumb_recorded_memory *memory = &info->memory[i];
		uint64_t blocks = 0;

		for (uint64_t block = 0; block < memory->block_count; block++)
			blocks += has_block(memory, block);
		buffer_format(b, "#  %3llu [", (unsigned long long)memory->node);
		put_size(b, blocks * info->memory_block_bytes);
		buffer_text(b, "]: ");
		put_blocks(b, memory);
		buffer_char(b, '\n');
	}
}

static void print_pmus(struct buffer *b, const struct plumb_recording_info *info)
{
	buffer_text(b, "# pmu mappings");
	for (size_t i = 0; i < info->pmu_count; i++) {
		buffer_text(b, i ? ", " : ": ");
		buffer_foreign(b, info->pmus[i].name);
		buffer_format(b, " = %u", info->pmus[i].type);
	}
	buffer_char(b, '\n');
}

static void print_core_pmus(struct buffer *b, const struct plumb_recording_info *info)
{
	buffer_text(b, "# hybrid cpu system:\n");
	for (size_t i = 0; i < info->core_pmu_count; i++) {
		buffer_text(b, "# ");
		buffer_foreign(b, info->core_pmus[i].name);
		buffer_text(b, " cpu list : ");
		buffer_foreign(b, info->core_pmus[i].cpus);
		buffer_char(b, '\n');
	}
}

static void print_capabilities(struct buffer *b, const struct plumb_recording_info *info)
{
	const char *pmu = NULL;

	for (size_t i = 0; i < info->capability_count; i++) {
		const struct plumb_recorded_capability *one = &info->capabilities[i];

		if (i == 0 || one->pmu != pmu) {
			buffer_text(b, i ? "\n# " : "# ");
			buffer_foreign(b, one->pmu ? one->pmu : "cpu");
			buffer_text(b, " pmu capabilities: ");
		} else {
			buffer_text(b, ", ");
		}
		pmu = one->pmu;
		buffer_foreign(b, one->name);
		buffer_char(b, '=');
		buffer_foreign(b, one->value);
	}
	buffer_text(b, info->capability_count ? "\n" : "");
}

/* ---- The run --------------------------------------------------------------------------------- */

static void print_command(struct buffer *b, const struct plumb_recording_info *info)
{
	buffer_text(b, "# cmdline : ");
	for (size_t i = 0; i < info->command_count; i++) {
		buffer_foreign(b, info->command[i]);
		buffer_char(b, ' ');
	}
	buffer_char(b, '\n');
}

static void print_sample_times(struct buffer *b, const struct plumb_recording_info *info)
{
	const uint64_t first = info->first_sample_time, last = info->last_sample_time;

	buffer_format(b,
		      "# time of first sample : %llu.%06llu\n# time of last sample : %llu.%06llu\n"
		      "# sample duration : %10.3f ms\n",
		      (unsigned long long)first / NS_A_SECOND,
		      (unsigned long long)first % NS_A_SECOND / 1000,
		      (unsigned long long)last / NS_A_SECOND,
		      (unsigned long long)last % NS_A_SECOND / 1000, (double)(last - first) / 1e6);
}

static void print_clock(struct buffer *b, const struct plumb_recording_info *info)
{
	const char *name = clock_name(info->clockid);
	const time_t seconds = (time_t)(info->wall_clock_ns / NS_A_SECOND);
	const unsigned long long fraction = info->wall_clock_ns % NS_A_SECOND / 1000;
	struct tm when;
	char text[64] = "";

	if (localtime_r(&seconds, &when))
		(void)strftime(text, sizeof(text), "%F %T", &when);
	buffer_format(b, "# clockid: %s (%u)\n", name, info->clockid);
	buffer_format(b, "# reference time: %s.%06llu = %llu.%06llu (TOD) = %llu.%09llu (%s)\n",
		      text, fraction, (unsigned long long)seconds, fraction,
		      (unsigned long long)info->clock_ns / NS_A_SECOND,
		      (unsigned long long)info->clock_ns % NS_A_SECOND, name);
}

static void put_text(struct buffer *b, const char *title, const char *text)
{
	if (!text)
		return;
	buffer_format(b, "# %s : ", title);
	buffer_foreign(b, text);
	buffer_char(b, '\n');
}

/* Prints the part of a feature that is always printed. */
static void print_feature(struct buffer *b, const struct plumb_recording *recording,
			  unsigned feature)
{
	const struct plumb_recording_info *info = plumb_recording_info(recording);

	switch (feature) {
	case PLUMB_FEATURE_HOSTNAME:
		put_text(b, "hostname", info->hostname);
		break;
	case PLUMB_FEATURE_OSRELEASE:
		put_text(b, "os release", info->osrelease);
		break;
	case PLUMB_FEATURE_VERSION:
		put_text(b, "perf version", info->version);
		break;
	case PLUMB_FEATURE_ARCH:
		put_text(b, "arch", info->arch);
		break;
	case PLUMB_FEATURE_NRCPUS:
		buffer_format(b, "# nrcpus online : %u\n# nrcpus avail : %u\n", info->cpus_online,
			      info->cpus_available);
		break;
	case PLUMB_FEATURE_CPUDESC:
		put_text(b, "cpudesc", info->cpudesc);
		break;
	case PLUMB_FEATURE_CPUID:
		put_text(b, "cpuid", info->cpuid);
		break;
	case PLUMB_FEATURE_TOTAL_MEM:
		buffer_format(b, "# total memory : %llu kB\n",
			      (unsigned long long)info->total_memory_kb);
		break;
	case PLUMB_FEATURE_CMDLINE:
		print_command(b, info);
		break;
	case PLUMB_FEATURE_EVENT_DESC:
		print_events(b, recording);
		break;
	case PLUMB_FEATURE_BRANCH_STACK:
		buffer_text(b, "# contains samples with branch stack\n");
		break;
	case PLUMB_FEATURE_PMU_MAPPINGS:
		print_pmus(b, info);
		break;
	case PLUMB_FEATURE_GROUP_DESC:
		print_groups(b, recording);
		break;
	case PLUMB_FEATURE_AUXTRACE:
		buffer_text(b, "# contains AUX area data (e.g. instruction trace)\n");
		break;
	case PLUMB_FEATURE_STAT:
		buffer_text(b, "# contains stat data\n");
		break;
	case PLUMB_FEATURE_SAMPLE_TIME:
		print_sample_times(b, info);
		break;
	case PLUMB_FEATURE_CLOCKID:
		buffer_format(b, "# clockid frequency: %llu MHz\n",
			      (unsigned long long)info->clock_resolution_ns * 1000);
		break;
	case PLUMB_FEATURE_DIR_FORMAT:
		buffer_format(b, "# directory data version : %llu\n",
			      (unsigned long long)info->folder_version);
		break;
	case PLUMB_FEATURE_CLOCK_DATA:
		print_clock(b, info);
		break;
	case PLUMB_FEATURE_COMPRESSED:
		buffer_format(b, "# compressed : %s, level = %u, ratio = %u\n",
			      info->compression_type == ZSTD ? "Zstd" : "Unknown",
			      info->compression_level, info->compression_ratio);
		break;
	case PLUMB_FEATURE_CPU_PMU_CAPS:
	case PLUMB_FEATURE_PMU_CAPS:
		print_capabilities(b, info);
		break;
	default:
		break;
	}
}

/* What is long, and only printed if it is asked for. False: the feature is none of these. */
static bool print_long_feature(struct buffer *b, const struct plumb_recording *recording,
			       unsigned feature, bool full)
{
	static const struct {
		unsigned feature;
		void (*print)(struct buffer *b, const struct plumb_recording_info *info);
	} features[] = {
		{PLUMB_FEATURE_CPU_TOPOLOGY, print_topology},
		{PLUMB_FEATURE_NUMA_TOPOLOGY, print_nodes},
		{PLUMB_FEATURE_CACHE, print_caches},
		{PLUMB_FEATURE_MEM_TOPOLOGY, print_memory},
		{PLUMB_FEATURE_HYBRID_TOPOLOGY, print_core_pmus},
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		if (features[i].feature != feature)
			continue;
		if (full)
			features[i].print(b, plumb_recording_info(recording));
		else
			buffer_format(b, "# %s info available, use -I to display\n",
				      plumb_feature_name(feature));
		return true;
	}
	return false;
}

static void print_place(struct buffer *b, const struct plumb_recording_info *info, const char *path)
{
	struct stat file;
	char text[32];

	if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && ctime_r(&file.st_mtime, text))
		buffer_format(b, "# captured on    : %s", text);
	buffer_format(b,
		      "# header version : 1\n# data offset    : %llu\n"
		      "# data size      : %llu\n# feat offset    : %llu\n",
		      (unsigned long long)info->data_offset, (unsigned long long)info->data_size,
		      (unsigned long long)info->features_offset);
}

static void print_features(struct buffer *b, const struct plumb_recording *recording, bool full)
{
	for (unsigned feature = 0; plumb_feature_name(feature) || feature == 0; feature++) {
		if (plumb_recording_has_feature(recording, feature) &&
		    !print_long_feature(b, recording, feature, full))
			print_feature(b, recording, feature);
	}
}

void script_print_header(struct buffer *b, const struct plumb_recording *recording,
			 const char *path, bool full)
{
	static const char end[] = "# ========\n#\n";
	/* A pipe begins with a header that says nothing; features follow among its records. */
	const bool piped = !plumb_recording_info(recording)->data_offset;

	buffer_text(b, "# ========\n");
	print_place(b, plumb_recording_info(recording), path);
	if (piped)
		buffer_text(b, end);
	print_features(b, recording, full);
	if (piped)
		return;
	buffer_text(b, "# missing features: ");
	for (unsigned feature = 1; plumb_feature_name(feature); feature++) {
		if (!plumb_recording_has_feature(recording, feature))
			buffer_format(b, "%s ", plumb_feature_name(feature));
	}
	buffer_char(b, '\n');
	buffer_text(b, end);
}
