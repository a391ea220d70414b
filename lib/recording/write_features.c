/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes and features. Their layout is that of tools/perf/Documentation/
 * perf.data-file-format.txt, and of struct perf_event_attr in <linux/perf_event.h>.
 */
#include <stdio.h>
#include <string.h>

#include "recording/writer.h"

#define COMPRESSED_ZSTD 1

#define MISC_KERNEL        1
#define MISC_USER          2
#define MISC_BUILD_ID_SIZE (1u << 15)

/* ---- attributes --------------------------------------------------------------------------- */

void write_attr(struct bytes *bytes, const struct plumb_event_attr *attr, uint32_t size)
{
	bytes_u32(bytes, attr->type);
	bytes_u32(bytes, size);
	bytes_u64(bytes, attr->config);
	bytes_u64(bytes, attr->sample_period);
	bytes_u64(bytes, attr->sample_type);
	bytes_u64(bytes, attr->read_format);
	bytes_u64(bytes, attr->flags);
	bytes_u32(bytes, attr->wakeup);
	bytes_u32(bytes, attr->bp_type);
	bytes_u64(bytes, attr->config1);
	bytes_u64(bytes, attr->config2);
	bytes_u64(bytes, attr->branch_sample_type);
	bytes_u64(bytes, attr->sample_regs_user);
	bytes_u32(bytes, attr->sample_stack_user);
	bytes_u32(bytes, (uint32_t)attr->clockid);
	bytes_u64(bytes, attr->sample_regs_intr);
	bytes_u32(bytes, attr->aux_watermark);
	bytes_u32(bytes, attr->sample_max_stack); /* 16 bits, and 16 reserved ones */
	bytes_u32(bytes, attr->aux_sample_size);
	bytes_u32(bytes, 0);
	bytes_u64(bytes, attr->sig_data);
	if (size >= ATTR_SIZE_VER8)
		bytes_u64(bytes, attr->config3);
	if (size >= ATTR_SIZE_VER9)
		bytes_u64(bytes, attr->config4);
}

/* ---- features ----------------------------------------------------------------------------- */

/* Each adds its content, or nothing where there is none. */
typedef void feature_content(const struct plumb_recording_writer *writer, struct bytes *bytes);

static void add_if(struct bytes *bytes, const char *text)
{
	if (text)
		bytes_text(bytes, text);
}

static void build_ids(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	bytes_add(bytes, writer->build_ids.at, writer->build_ids.size);
}

static void hostname(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	add_if(bytes, writer->setup.hostname);
}

static void osrelease(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	add_if(bytes, writer->setup.osrelease);
}

static void version(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	add_if(bytes, writer->setup.version);
}

static void arch(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	add_if(bytes, writer->setup.arch);
}

static void nrcpus(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (!writer->setup.cpus_available)
		return;
	bytes_u32(bytes, writer->setup.cpus_available);
	bytes_u32(bytes, writer->setup.cpus_online);
}

static void cpudesc(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	add_if(bytes, writer->setup.cpudesc);
}

static void cpuid(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	add_if(bytes, writer->setup.cpuid);
}

static void total_memory(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (writer->setup.total_memory_kb)
		bytes_u64(bytes, writer->setup.total_memory_kb);
}

static void command(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	const char *const *words = writer->setup.command;
	uint32_t count = 0;

	if (!words)
		return;
	while (words[count])
		count++;
	bytes_u32(bytes, count);
	for (uint32_t i = 0; i < count; i++)
		bytes_text(bytes, words[i]);
}

static void event_desc(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	bytes_u32(bytes, (uint32_t)writer->setup.event_count);
	bytes_u32(bytes, writer->attr_size);
	for (size_t i = 0; i < writer->setup.event_count; i++) {
		const struct plumb_recorded_event *event = &writer->setup.events[i];

		write_attr(bytes, &event->attr, writer->attr_size);
		bytes_u32(bytes, (uint32_t)event->id_count);
		bytes_text(bytes, event->name ? event->name : "unknown");
		bytes_add(bytes, event->ids, event->id_count * sizeof(uint64_t));
	}
}

static void pmu_mappings(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (!writer->setup.pmu_count)
		return;
	bytes_u32(bytes, (uint32_t)writer->setup.pmu_count);
	for (size_t i = 0; i < writer->setup.pmu_count; i++) {
		bytes_u32(bytes, writer->setup.pmus[i].type);
		bytes_text(bytes, writer->setup.pmus[i].name);
	}
}

static void hybrid_topology(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (!writer->setup.core_pmu_count)
		return;
	bytes_u32(bytes, (uint32_t)writer->setup.core_pmu_count);
	for (size_t i = 0; i < writer->setup.core_pmu_count; i++) {
		bytes_text(bytes, writer->setup.core_pmus[i].name);
		bytes_text(bytes, writer->setup.core_pmus[i].cpus);
	}
}

/* perf writes what is in the PMU's folder caps/; which core it is of is nowhere else. */
static void pmu_caps(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	char midr[24];

	if (!writer->setup.core_pmu_count)
		return;
	bytes_u32(bytes, (uint32_t)writer->setup.core_pmu_count);
	for (size_t i = 0; i < writer->setup.core_pmu_count; i++) {
		bytes_u32(bytes, writer->setup.core_pmus[i].midr != 0);
		if (writer->setup.core_pmus[i].midr) {
			snprintf(midr, sizeof(midr), "0x%08x", writer->setup.core_pmus[i].midr);
			bytes_text(bytes, "midr");
			bytes_text(bytes, midr);
		}
		bytes_text(bytes, writer->setup.core_pmus[i].name);
	}
}

static void group_desc(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	uint32_t groups = 0;

	for (size_t i = 0; i < writer->setup.event_count; i++)
		groups += writer->setup.events[i].members > 1;
	if (!groups)
		return;
	bytes_u32(bytes, groups);
	for (size_t i = 0; i < writer->setup.event_count; i++) {
		if (writer->setup.events[i].members <= 1)
			continue;
		bytes_text(bytes, "{anon_group}");
		bytes_u32(bytes, (uint32_t)i);
		bytes_u32(bytes, writer->setup.events[i].members);
	}
}

static void aux_index(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (!writer->index_count)
		return;
	bytes_u64(bytes, writer->index_count);
	bytes_add(bytes, writer->index, writer->index_count * sizeof(*writer->index));
}

static void sample_time(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (!writer->last_time)
		return;
	bytes_u64(bytes, writer->first_time);
	bytes_u64(bytes, writer->last_time);
}

static void clock_resolution(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (writer->setup.clockid >= 0)
		bytes_u64(bytes, writer->clock_resolution);
}

static void clock_data(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (writer->setup.clockid < 0)
		return;
	bytes_u32(bytes, 1); /* the feature's version */
	bytes_u32(bytes, (uint32_t)writer->setup.clockid);
	bytes_u64(bytes, writer->wall_time);
	bytes_u64(bytes, writer->clock_time);
}

static void compressed(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	if (!writer->compressor)
		return;
	bytes_u32(bytes, 1); /* the feature's version */
	bytes_u32(bytes, COMPRESSED_ZSTD);
	bytes_u32(bytes, (uint32_t)writer->setup.compress_level);
	bytes_u32(bytes, compressor_ratio(writer->compressor));
	bytes_u32(bytes, WRITER_COMPRESSED);
}

/* Has no content: that it is there says that samples have branch stacks. */
static void branch_stack(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	(void)writer;
	(void)bytes;
}

static const struct feature {
	enum plumb_feature number;
	bool of_pipe; /* perf takes it as a record, too */
	feature_content *content;
} features[] = {
	{PLUMB_FEATURE_BUILD_ID, false, build_ids},
	{PLUMB_FEATURE_HOSTNAME, true, hostname},
	{PLUMB_FEATURE_OSRELEASE, true, osrelease},
	{PLUMB_FEATURE_VERSION, true, version},
	{PLUMB_FEATURE_ARCH, true, arch},
	{PLUMB_FEATURE_NRCPUS, true, nrcpus},
	{PLUMB_FEATURE_CPUDESC, true, cpudesc},
	{PLUMB_FEATURE_CPUID, true, cpuid},
	{PLUMB_FEATURE_TOTAL_MEM, true, total_memory},
	{PLUMB_FEATURE_CMDLINE, true, command},
	{PLUMB_FEATURE_EVENT_DESC, true, event_desc},
	{PLUMB_FEATURE_BRANCH_STACK, false, branch_stack},
	{PLUMB_FEATURE_PMU_MAPPINGS, true, pmu_mappings},
	{PLUMB_FEATURE_GROUP_DESC, true, group_desc},
	{PLUMB_FEATURE_AUXTRACE, false, aux_index},
	{PLUMB_FEATURE_SAMPLE_TIME, true, sample_time},
	{PLUMB_FEATURE_CLOCKID, true, clock_resolution},
	{PLUMB_FEATURE_COMPRESSED, true, compressed},
	{PLUMB_FEATURE_CLOCK_DATA, true, clock_data},
	{PLUMB_FEATURE_HYBRID_TOPOLOGY, true, hybrid_topology},
	{PLUMB_FEATURE_PMU_CAPS, true, pmu_caps},
};
#define FEATURES (sizeof(features) / sizeof(*features))

static bool has_branch_stacks(const struct plumb_recording_writer *writer)
{
	for (size_t i = 0; i < writer->setup.event_count; i++)
		if (writer->setup.events[i].attr.sample_type & PLUMB_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static bool has_feature(const struct plumb_recording_writer *writer, const struct feature *feature,
			const struct bytes *content)
{
	return feature->content == branch_stack ? has_branch_stacks(writer) : content->size > 0;
}

void write_features(const struct plumb_recording_writer *writer, uint64_t at, bool index,
		    struct bytes *bytes, uint64_t bits[4])
{
	struct bytes contents[FEATURES] = {0};
	size_t count = 0;

	memset(bits, 0, 4 * sizeof(*bits));
	for (size_t i = 0; i < FEATURES; i++) {
		if (index || features[i].content != aux_index)
			features[i].content(writer, &contents[i]);
		if (!has_feature(writer, &features[i], &contents[i]))
			continue;
		bits[0] |= UINT64_C(1) << features[i].number;
		count++;
	}
	/* The table has no numbers: its order is that of the bits. */
	at += count * 2 * sizeof(uint64_t);
	for (size_t i = 0; i < FEATURES; i++) {
		if (!has_feature(writer, &features[i], &contents[i]))
			continue;
		bytes_u64(bytes, at);
		bytes_u64(bytes, contents[i].size);
		at += contents[i].size;
	}
	for (size_t i = 0; i < FEATURES; i++) {
		bytes_add(bytes, contents[i].at, contents[i].size);
		bytes->failed |= contents[i].failed;
		bytes_free(&contents[i]);
	}
}

static void add_record(struct bytes *bytes, uint64_t number, const struct bytes *content)
{
	size_t size = 16 + content->size;

	/* A record's size has 16 bits: of a pipe, what is longer is left out, as by perf. */
	if (size > UINT16_MAX)
		return;
	bytes_u32(bytes, PLUMB_RECORD_HEADER_FEATURE);
	bytes_u32(bytes, (uint32_t)size << 16);
	bytes_u64(bytes, number);
	bytes_add(bytes, content->at, content->size);
	bytes->failed |= content->failed;
}

void write_feature_records(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	struct bytes content = {0};

	for (size_t i = 0; i < FEATURES; i++) {
		if (!features[i].of_pipe)
			continue;
		content.size = 0;
		features[i].content(writer, &content);
		/* Records stay aligned; all these contents end where their own lengths say. */
		bytes_zero(&content, -content.size % 8);
		if (content.size)
			add_record(bytes, features[i].number, &content);
	}
	/*
	 * No record marks their end. perf's mark is the number of features that it knows, which to
	 * another version is a feature without content, and an error.
	 */
	bytes_free(&content);
}

void write_compression_record(const struct plumb_recording_writer *writer, struct bytes *bytes)
{
	struct bytes content = {0};

	compressed(writer, &content);
	bytes_zero(&content, -content.size % 8);
	if (content.size)
		add_record(bytes, PLUMB_FEATURE_COMPRESSED, &content);
	bytes_free(&content);
}

void write_build_id(struct bytes *bytes, uint32_t type, int32_t pid, bool kernel, const uint8_t *id,
		    size_t id_size, const char *path)
{
	/* Newer perfs refuse records of a pipe whose size is no multiple of 8. */
	const size_t length = strlen(path) + 1, size = (36 + length + 63) / 64 * 64;
	uint32_t misc = (kernel ? MISC_KERNEL : MISC_USER) | MISC_BUILD_ID_SIZE;
	uint8_t room[24] = {0};

	memcpy(room, id, id_size);
	room[20] = (uint8_t)id_size;
	bytes_u32(bytes, type);
	bytes_u32(bytes, misc | (uint32_t)size << 16);
	bytes_u32(bytes, (uint32_t)pid);
	bytes_add(bytes, room, sizeof(room));
	bytes_add(bytes, path, length);
	bytes_zero(bytes, size - 36 - length);
}
