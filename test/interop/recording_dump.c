/* SPDX-License-Identifier: Apache-2.0 */
/* recording_dump [--order] FILE: every record of a recording, one a line, with its members. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <plumb/recording.h>

static void print_sample(const struct plumb_record *record)
{
	const struct plumb_sample *sample = &record->sample;

	printf(" ip=%#" PRIx64 " period=%" PRIu64 " addr=%#" PRIx64, sample->ip, sample->period,
	       sample->address);
	printf(" phys=%#" PRIx64 " dpage=%" PRIu64 " cpage=%" PRIu64 " cgroup=%" PRIu64,
	       sample->physical_address, sample->data_page_size, sample->code_page_size,
	       sample->cgroup);
	printf(" weight=%" PRIu64 " src=%#" PRIx64 " txn=%#" PRIx64, sample->weight,
	       sample->data_source, sample->transaction);
	printf(" raw=%zu stack=%zu chain=%zu", sample->raw_size, sample->user_stack_size,
	       sample->callchain_length);
	for (size_t i = 0; i < sample->callchain_length; i++)
		printf("%c%" PRIx64, i ? ',' : ':', sample->callchain[i]);
	printf(" uregs=%zu", sample->user_register_count);
	for (size_t i = 0; i < sample->user_register_count; i++)
		printf("%c%" PRIx64, i ? ',' : ':', sample->user_registers[i]);
	printf(" iregs=%zu", sample->intr_register_count);
	for (size_t i = 0; i < sample->intr_register_count; i++)
		printf("%c%" PRIx64, i ? ',' : ':', sample->intr_registers[i]);
	printf(" reads=%zu", sample->read_count);
	for (size_t i = 0; i < sample->read_count; i++)
		printf("%c%" PRIu64 "/%" PRIu64 "/%" PRIu64, i ? ',' : ':', sample->reads[i].value,
		       sample->reads[i].id, sample->reads[i].lost);
}

static void print_members(const struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		printf(" %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 " %02x:%02x %" PRIu64
		       " %" PRIu64 "] prot=%x flags=%x build=",
		       record->mmap.pid, record->mmap.tid, record->mmap.address,
		       record->mmap.length, record->mmap.page_offset, record->mmap.major,
		       record->mmap.minor, record->mmap.inode, record->mmap.inode_generation,
		       record->mmap.protection, record->mmap.flags);
		for (size_t i = 0; i < record->mmap.build_id_size; i++)
			printf("%02x", record->mmap.build_id[i]);
		printf(" path=%s", record->mmap.path);
		break;
	case PLUMB_RECORD_COMM:
		printf(" %d/%d exec=%d comm=%s", record->comm.pid, record->comm.tid,
		       record->comm.exec, record->comm.comm);
		break;
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
		printf(" (%d:%d):(%d:%d) at=%" PRIu64, record->task.pid, record->task.tid,
		       record->task.parent_pid, record->task.parent_tid, record->task.time);
		break;
	case PLUMB_RECORD_LOST:
	case PLUMB_RECORD_LOST_SAMPLES:
		printf(" lost=%" PRIu64, record->lost.lost);
		break;
	case PLUMB_RECORD_SWITCH:
	case PLUMB_RECORD_SWITCH_CPU_WIDE:
		printf(" out=%d preempt=%d next_prev=%d/%d", record->context_switch.out,
		       record->context_switch.preempted, record->context_switch.next_prev_pid,
		       record->context_switch.next_prev_tid);
		break;
	case PLUMB_RECORD_KSYMBOL:
		printf(" addr=%" PRIx64 " len=%u type=%u flags=%#x name=%s",
		       record->ksymbol.address, record->ksymbol.length, record->ksymbol.type,
		       record->ksymbol.flags, record->ksymbol.name);
		break;
	case PLUMB_RECORD_BPF_EVENT:
		printf(" type=%u flags=%u id=%u", record->bpf_event.type, record->bpf_event.flags,
		       record->bpf_event.id);
		break;
	case PLUMB_RECORD_CGROUP:
		printf(" cgroup=%" PRIu64 " path=%s", record->cgroup.id, record->cgroup.path);
		break;
	case PLUMB_RECORD_NAMESPACES:
		printf(" %d/%d", record->namespaces.pid, record->namespaces.tid);
		for (size_t i = 0; i < record->namespaces.count; i++)
			printf(" %" PRIu64 "/%#" PRIx64, record->namespaces.namespaces[2 * i],
			       record->namespaces.namespaces[2 * i + 1]);
		break;
	case PLUMB_RECORD_THREAD_MAP:
		for (size_t i = 0; i < record->thread_map.count; i++)
			printf("%c%d", i ? ',' : ' ', record->thread_map.tids[i]);
		break;
	case PLUMB_RECORD_CPU_MAP:
		for (size_t i = 0; i < record->cpu_map.count; i++)
			printf("%c%d", i ? ',' : ' ', record->cpu_map.cpus[i]);
		break;
	case PLUMB_RECORD_AUXTRACE:
		printf(" size=%#" PRIx64 " offset=%#" PRIx64 " ref=%#" PRIx64
		       " idx=%u tid=%d cpu=%d",
		       record->auxtrace.size, record->auxtrace.offset, record->auxtrace.reference,
		       record->auxtrace.index, record->auxtrace.tid, record->auxtrace.cpu);
		break;
	case PLUMB_RECORD_AUX:
		printf(" offset=%#" PRIx64 " size=%#" PRIx64 " flags=%#" PRIx64, record->aux.offset,
		       record->aux.size, record->aux.flags);
		break;
	case PLUMB_RECORD_SAMPLE:
		print_sample(record);
		break;
	default:
		break;
	}
}

static void print_record(const struct plumb_record *record)
{
	const char *name = plumb_record_type_name(record->type);

	printf("%#" PRIx64 " [%#zx] %u %s misc=%#x", record->offset, record->size, record->type,
	       name ? name : "?", record->misc);
	if (record->has & PLUMB_RECORD_HAS_PID)
		printf(" pid=%d tid=%d", record->pid, record->tid);
	if (record->has & PLUMB_RECORD_HAS_TIME)
		printf(" time=%" PRIu64, record->time);
	if (record->has & PLUMB_RECORD_HAS_CPU)
		printf(" cpu=%u", record->cpu);
	if (record->has & PLUMB_RECORD_HAS_ID)
		printf(" id=%" PRIu64, record->id);
	if (record->event && record->event->name)
		printf(" event=%s", record->event->name);
	print_members(record);
	putchar('\n');
}

static void print_recording(const struct plumb_recording *recording)
{
	static const struct {
		unsigned number;
		const char *name;
	} texts[] = {
		{PLUMB_FEATURE_HOSTNAME, "hostname"},    {PLUMB_FEATURE_OSRELEASE, "os release"},
		{PLUMB_FEATURE_VERSION, "perf version"}, {PLUMB_FEATURE_ARCH, "arch"},
		{PLUMB_FEATURE_CPUDESC, "cpudesc"},      {PLUMB_FEATURE_CPUID, "cpuid"}};
	const struct plumb_recording_losses *losses = plumb_recording_losses(recording);
	const struct plumb_recorded_event *event;
	const char *const *words;
	size_t count = plumb_recording_command(recording, &words);

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *text = plumb_recording_text(recording, texts[i].number);

		printf("# %s : %s\n", texts[i].name, text ? text : "");
	}
	printf("# cmdline :");
	for (size_t i = 0; i < count; i++)
		printf(" %s", words[i]);
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
	const struct plumb_recording_options options = {.in_file_order = !order && !quiet};
	struct plumb_diagnostics *found = plumb_diagnostics_new();
	struct plumb_recording *recording;
	struct plumb_record record;
	uint64_t count = 0;
	int got;

	got = plumb_recording_open(argv[argc - 1], &options, &recording, found);
	if (got == 0) {
		while ((got = plumb_recording_next(recording, &record)) > 0) {
			count++;
			if (!quiet)
				print_record(&record);
		}
		print_recording(recording);
		printf("# records : %" PRIu64 "\n", count);
	}
	plumb_recording_close(recording);
	for (size_t i = 0; i < plumb_diagnostics_count(found); i++) {
		const struct plumb_diagnostic *finding = plumb_diagnostics_get(found, i);

		(void)fprintf(stderr, "%s: %s: %s\n", finding->file, finding->id, finding->message);
	}
	plumb_diagnostics_free(found);
	return got < 0;
}
