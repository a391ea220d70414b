/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a recording: the first one says whether through a pipe, and in which order; the rest
 * is the recording. Everything that a record leads to is looked at.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <plumb/recording.h>

#include "recording/access.h"
#include "recording/spe_auxtrace.h"

#define SIZE_MAX_READ 65536 /* as much as a pipe holds */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t sink;

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Reads every byte, so that a sanitizer sees it. */
static void touch(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		sink ^= at[i];
}

static void touch_text(const char *text)
{
	touch(text, strlen(text));
}

static void touch_sample(const struct plumb_sample *sample)
{
	touch(sample->callchain, 8 * sample->callchain_length);
	touch(sample->raw, sample->raw_size);
	touch(sample->branches, sizeof(*sample->branches) * sample->branch_count);
	touch(sample->user_registers, 8 * sample->user_register_count);
	touch(sample->intr_registers, 8 * sample->intr_register_count);
	touch(sample->user_stack, sample->user_stack_size);
	touch(sample->aux, sample->aux_size);
	touch(sample->reads, sizeof(*sample->reads) * sample->read_count);
}

static void touch_spe(const struct plumb_auxtrace_info *info)
{
	struct spe_auxtrace spe;
	struct spe_cpu cpu;

	touch(info->values, 8 * info->count);
	if (spe_auxtrace_read(info, &spe) < 0)
		return;
	for (size_t i = 0; i < 4; i++)
		(void)spe_auxtrace_cpu(info, i, &cpu);
}

static void touch_aux(const struct plumb_recording *recording, const struct plumb_aux_chunk *chunk)
{
	uint8_t bytes[64];
	const size_t size = chunk->size < sizeof(bytes) ? (size_t)chunk->size : sizeof(bytes);

	if (plumb_recording_read_aux(recording, chunk, chunk->size - size, bytes, size) == 0)
		touch(bytes, size);
}

static void touch_members(const struct plumb_recording *recording,
			  const struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		touch_text(record->mmap.path);
		touch(record->mmap.build_id, record->mmap.build_id_size);
		break;
	case PLUMB_RECORD_COMM:
		touch_text(record->comm.comm);
		break;
	case PLUMB_RECORD_READ:
		touch(record->read.values, sizeof(*record->read.values) * record->read.count);
		break;
	case PLUMB_RECORD_NAMESPACES:
		touch(record->namespaces.namespaces, 16 * record->namespaces.count);
		break;
	case PLUMB_RECORD_KSYMBOL:
		touch_text(record->ksymbol.name);
		break;
	case PLUMB_RECORD_BPF_EVENT:
		touch(record->bpf_event.tag, 8);
		break;
	case PLUMB_RECORD_CGROUP:
		touch_text(record->cgroup.path);
		break;
	case PLUMB_RECORD_TEXT_POKE:
		touch(record->text_poke.old_bytes, record->text_poke.old_length);
		touch(record->text_poke.new_bytes, record->text_poke.new_length);
		break;
	case PLUMB_RECORD_AUXTRACE:
		touch_aux(recording, &record->auxtrace);
		break;
	case PLUMB_RECORD_AUXTRACE_INFO:
		touch_spe(&record->auxtrace_info);
		break;
	case PLUMB_RECORD_AUXTRACE_ERROR:
		touch_text(record->auxtrace_error.message);
		break;
	case PLUMB_RECORD_THREAD_MAP:
		touch(record->thread_map.tids, 4 * record->thread_map.count);
		break;
	case PLUMB_RECORD_CPU_MAP:
		touch(record->cpu_map.cpus, 4 * record->cpu_map.count);
		break;
	case PLUMB_RECORD_SAMPLE:
		touch_sample(&record->sample);
		break;
	case PLUMB_RECORD_TIME_CONV:
		(void)time_from_ticks(&record->time_conv, UINT64_MAX);
		break;
	default:
		break;
	}
}

static void touch_info(const struct plumb_recording_info *info)
{
	const char *const texts[] = {info->hostname, info->osrelease, info->version,
				     info->arch,     info->cpudesc,   info->cpuid};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i])
			touch_text(texts[i]);
	for (size_t i = 0; i < info->command_count; i++)
		touch_text(info->command[i]);
	for (size_t i = 0; i < info->core_sibling_count; i++)
		touch_text(info->core_siblings[i]);
	for (size_t i = 0; i < info->die_sibling_count; i++)
		touch_text(info->die_siblings[i]);
	for (size_t i = 0; i < info->thread_sibling_count; i++)
		touch_text(info->thread_siblings[i]);
	touch(info->cpus, info->cpu_count * sizeof(*info->cpus));
	for (size_t i = 0; i < info->node_count; i++)
		touch_text(info->nodes[i].cpus);
	for (size_t i = 0; i < info->cache_count; i++)
		touch_text(info->caches[i].cpus);
	for (size_t i = 0; i < info->memory_count; i++)
		touch(info->memory[i].blocks, (info->memory[i].block_count + 63) / 64 * 8);
	for (size_t i = 0; i < info->pmu_count; i++)
		touch_text(info->pmus[i].name);
	for (size_t i = 0; i < info->core_pmu_count; i++)
		touch_text(info->core_pmus[i].cpus);
	for (size_t i = 0; i < info->capability_count; i++)
		touch_text(info->capabilities[i].value);
	for (size_t i = 0; i < info->group_count; i++)
		touch_text(info->groups[i].name);
}

static void touch_recording(const struct plumb_recording *recording)
{
	const struct plumb_recorded_event *event;
	size_t size;

	touch_info(plumb_recording_info(recording));
	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++) {
		touch(event->ids, 8 * event->id_count);
		if (event->name)
			touch_text(event->name);
	}
	for (size_t i = 0; i < 16; i++) {
		const struct plumb_aux_chunk *chunk = recording_aux_chunk(recording, i);

		if (chunk)
			touch_aux(recording, chunk);
	}
	touch(recording_build_id(recording, "/bin/true", &size), size);
}

static int open_bytes(const uint8_t *data, size_t size, bool through_pipe)
{
	int fd, ends[2];

	if (!through_pipe) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
		return fd;
	}
	require(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], data, size) == (ssize_t)size);
	require(close(ends[1]) == 0);
	return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t form = size > 0 ? data[0] : 0;
	const struct plumb_recording_options options = {.size = sizeof(options),
							.in_file_order = form & 2};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording *recording;
	struct plumb_record record;
	uint64_t given = 0, older = 0;
	int got, fd;

	if (size == 0 || size > SIZE_MAX_READ) {
		plumb_diagnostics_free(diagnostics);
		return 0;
	}
	fd = open_bytes(data + 1, size - 1, form & 1);
	got = recording_open_fd(fd, "fuzz", &options, &recording, diagnostics);
	require(got <= 0 && (got == 0) == (recording != NULL));
	require(got == 0 || plumb_diagnostics_errors(diagnostics) > 0);
	if (recording) {
		while ((got = recording_next(recording, &record)) > 0) {
			require(record.size >= 8);
			touch(record.bytes, record.size);
			touch_members(recording, &record);
			if (record.type < 64 && record.has & PLUMB_RECORD_HAS_TIME &&
			    record.time != 0 && record.time != UINT64_MAX &&
			    !options.in_file_order) {
				older += record.time < given;
				given = record.time < given ? given : record.time;
			}
		}
		require(older <= plumb_recording_losses(recording)->out_of_order);
		require(got == 0 || plumb_diagnostics_errors(diagnostics) > 0);
		require(recording_next(recording, &record) == 0);
		touch_recording(recording);
		plumb_recording_close(recording);
	}
	plumb_diagnostics_free(diagnostics);
	return 0;
}
