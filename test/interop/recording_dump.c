/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording_dump [--order|--quiet] FILE: every record of a recording, one a line, with its members;
 * in the order of the file, or of time; or, quietly, only how many there are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <plumb/recording.h>

#include "recording/access.h"

static void print_numbers(const char *name, const uint64_t *numbers, size_t count)
{
	printf(" %s", name);
	for (size_t i = 0; i < count; i++)
		printf("%c%" PRIx64, i ? ',' : ' ', numbers[i]);
}

static void print_reads(const struct plumb_sample *sample, uint64_t format)
{
	printf(" read");
	if (format & 1)
		printf(" enabled %" PRIx64, sample->time_enabled);
	if (format & 2)
		printf(" running %" PRIx64, sample->time_running);
	for (size_t i = 0; i < sample->read_count; i++) {
		printf(" %" PRIx64 "=%" PRIx64, sample->reads[i].id, sample->reads[i].value);
		if (format & 16)
			printf("-%" PRIu64, sample->reads[i].lost);
	}
}

/* What perf shows of a sample, as far as it has it. */
static void print_sample(const struct plumb_record *record)
{
	const struct plumb_sample *sample = &record->sample;
	const uint64_t type = record->event ? record->event->attr.sample_type : 0;

	printf("(IP, %#x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64, record->misc,
	       record->pid, record->tid, sample->ip, sample->period, sample->address);
	if (type & 1 << 5)
		print_numbers("chain", sample->callchain, sample->callchain_length);
	if (sample->user_register_count)
		print_numbers("user", sample->user_registers, sample->user_register_count);
	if (sample->intr_register_count)
		print_numbers("intr", sample->intr_registers, sample->intr_register_count);
	if (type & 1 << 13)
		printf(" stack %zu", sample->user_stack_size);
	if (type & (1 << 14 | 1 << 24))
		printf(" weight %" PRIu64, sample->weight);
	if (type & 1 << 15)
		printf(" data_src %" PRIx64, sample->data_source);
	if (type & 1 << 19)
		printf(" phys %" PRIx64, sample->physical_address);
	if (type & 1 << 22)
		printf(" data page %" PRIu64, sample->data_page_size);
	if (type & 1 << 23)
		printf(" code page %" PRIu64, sample->code_page_size);
	if (type & 1 << 17)
		printf(" transaction %" PRIx64, sample->transaction);
	if (type & 1 << 4)
		print_reads(sample, record->event->attr.read_format);
}

static void print_mmap(const struct plumb_record *record)
{
	printf(" %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, record->mmap.pid,
	       record->mmap.tid, record->mmap.address, record->mmap.length,
	       record->mmap.page_offset);
	if (record->type == PLUMB_RECORD_MMAP) {
		printf("]: %c %s", record->misc & 1 << 13 ? 'r' : 'x', record->mmap.path);
		return;
	}
	if (record->mmap.build_id) {
		printf(" <");
		for (size_t i = 0; i < record->mmap.build_id_size; i++)
			printf("%02x", record->mmap.build_id[i]);
		printf(">");
	} else {
		printf(" %02x:%02x %" PRIu64 " %" PRIu64, record->mmap.major, record->mmap.minor,
		       record->mmap.inode, record->mmap.inode_generation);
	}
	printf("]: %c%c%c%c %s", record->mmap.protection & 1 ? 'r' : '-',
	       record->mmap.protection & 2 ? 'w' : '-', record->mmap.protection & 4 ? 'x' : '-',
	       record->mmap.flags & 1 ? 's' : 'p', record->mmap.path);
}

static void print_switch(const struct plumb_record *record)
{
	printf(" %s", record->context_switch.out ? "OUT" : "IN");
	if (record->context_switch.preempted)
		printf(" preempt");
	if (record->type == PLUMB_RECORD_SWITCH_CPU_WIDE)
		printf(" %s pid/tid: %d/%d", record->context_switch.out ? "next" : "prev",
		       record->context_switch.next_prev_pid, record->context_switch.next_prev_tid);
}

static void print_members(const struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		print_mmap(record);
		break;
	case PLUMB_RECORD_COMM:
		printf("%s: %s:%d/%d", record->comm.exec ? " exec" : "", record->comm.comm,
		       record->comm.pid, record->comm.tid);
		break;
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
		printf("(%d:%d):(%d:%d)", record->task.pid, record->task.tid,
		       record->task.parent_pid, record->task.parent_tid);
		break;
	case PLUMB_RECORD_LOST:
		printf(": id:%" PRIu64 ": lost:%" PRIu64, record->lost.id, record->lost.lost);
		break;
	case PLUMB_RECORD_LOST_SAMPLES:
		printf(": id:%" PRIu64 ": lost samples :%" PRIu64,
		       record->has & PLUMB_RECORD_HAS_ID ? record->id : UINT64_MAX,
		       record->lost.lost);
		break;
	case PLUMB_RECORD_SWITCH:
	case PLUMB_RECORD_SWITCH_CPU_WIDE:
		print_switch(record);
		break;
	case PLUMB_RECORD_KSYMBOL:
		printf(" addr %" PRIx64 " len %u type %u flags %#x name %s",
		       record->ksymbol.address, record->ksymbol.length, record->ksymbol.type,
		       record->ksymbol.flags, record->ksymbol.name);
		break;
	case PLUMB_RECORD_BPF_EVENT:
		printf(" type %u, flags %u, id %u", record->bpf_event.type, record->bpf_event.flags,
		       record->bpf_event.id);
		break;
	case PLUMB_RECORD_NAMESPACES:
		printf(" %d/%d - nr_namespaces: %zu", record->namespaces.pid,
		       record->namespaces.tid, record->namespaces.count);
		for (size_t i = 0; i < record->namespaces.count; i++)
			printf(" %" PRIu64 "/%#" PRIx64, record->namespaces.namespaces[2 * i],
			       record->namespaces.namespaces[2 * i + 1]);
		break;
	case PLUMB_RECORD_CGROUP:
		printf(" cgroup: %" PRIu64 " %s", record->cgroup.id, record->cgroup.path);
		break;
	case PLUMB_RECORD_AUX:
		printf(" offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64,
		       record->aux.offset, record->aux.size, record->aux.flags);
		break;
	case PLUMB_RECORD_ITRACE_START:
		printf(" pid: %d tid: %d", record->itrace_start.pid, record->itrace_start.tid);
		break;
	case PLUMB_RECORD_AUXTRACE:
		printf(" size: %#" PRIx64 " offset: %#" PRIx64 " ref: %#" PRIx64
		       " idx: %u tid: %d cpu: %d",
		       record->auxtrace.size, record->auxtrace.offset, record->auxtrace.reference,
		       record->auxtrace.index, record->auxtrace.tid, record->auxtrace.cpu);
		break;
	case PLUMB_RECORD_THREAD_MAP:
		printf(" nr: %zu thread:", record->thread_map.count);
		for (size_t i = 0; i < record->thread_map.count; i++)
			printf("%c%d", i ? ',' : ' ', record->thread_map.tids[i]);
		break;
	case PLUMB_RECORD_CPU_MAP:
		printf(":");
		for (size_t i = 0; i < record->cpu_map.count; i++)
			printf("%c%d", i ? ',' : ' ', record->cpu_map.cpus[i]);
		break;
	case PLUMB_RECORD_SAMPLE:
		print_sample(record);
		break;
	default:
		break;
	}
}

/* OFFSET SIZE KIND CPU TIME EVENT BYTES NAME, and what it holds in perf's words. */
static void print_record(const struct plumb_record *record)
{
	const char *name = plumb_record_type_name(record->type);

	printf("%#" PRIx64 " %#zx %u %u %" PRIu64 " %s ", record->offset, record->size,
	       record->type, record->cpu, record->time,
	       record->event && record->event->name ? record->event->name : "-");
	for (size_t i = 0; i < record->size; i++)
		printf("%02x", record->bytes[i]);
	printf(" %s", name ? name : "?");
	print_members(record);
	putchar('\n');
}

static void print_recording(const struct plumb_recording *recording)
{
	const struct plumb_recording_info *info = plumb_recording_info(recording);
	const struct {
		const char *text, *name;
	} texts[] = {{info->hostname, "hostname"},    {info->osrelease, "os release"},
		     {info->version, "perf version"}, {info->arch, "arch"},
		     {info->cpudesc, "cpudesc"},      {info->cpuid, "cpuid"}};
	const struct plumb_recording_losses *losses = plumb_recording_losses(recording);
	const struct plumb_recorded_event *event;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		printf("# %s : %s\n", texts[i].name, texts[i].text ? texts[i].text : "");
	printf("# cmdline :");
	for (size_t i = 0; i < info->command_count; i++)
		printf(" %s", info->command[i]);
	putchar('\n');
	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++) {
		printf("# event : name = %s, type = %u, size = %u, config = %#" PRIx64
		       ", sample_type = %#" PRIx64 ", flags = %#" PRIx64 ", ids =",
		       event->name ? event->name : "", event->attr.type, event->attr.size,
		       event->attr.config, event->attr.sample_type, event->attr.flags);
		for (size_t k = 0; k < event->id_count; k++)
			printf(" %" PRIu64, event->ids[k]);
		putchar('\n');
	}
	printf("# losses : lost %" PRIu64 " lost_samples %" PRIu64 " unknown %" PRIu64
	       " damaged %" PRIu64 " out_of_order %" PRIu64 " cut_off %d\n",
	       losses->lost_records, losses->lost_samples, losses->unknown_records,
	       losses->damaged_records, losses->out_of_order, losses->cut_off);
}

int main(int argc, char **argv)
{
	const bool order = argc > 1 && strcmp(argv[1], "--order") == 0;
	const bool quiet = argc > 1 && strcmp(argv[1], "--quiet") == 0;
	const struct plumb_recording_options options = {.size = sizeof(options),
							.in_file_order = !order && !quiet};
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording *recording;
	struct plumb_record record;
	uint64_t count = 0;
	int got;

	got = plumb_recording_open(argv[argc - 1], &options, &recording, diagnostics);
	if (got == 0) {
		while ((got = recording_next(recording, &record)) > 0) {
			count++;
			if (!quiet)
				print_record(&record);
		}
		print_recording(recording);
		printf("# records : %" PRIu64 "\n", count);
	}
	plumb_recording_close(recording);
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		const struct plumb_diagnostic *finding = plumb_diagnostics_get(diagnostics, i);

		(void)fprintf(stderr, "%s: %s: %s\n", finding->file, finding->id, finding->message);
	}
	plumb_diagnostics_free(diagnostics);
	return got < 0;
}
