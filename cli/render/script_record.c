/* SPDX-License-Identifier: Apache-2.0 */
/* Prints records other than samples, as perf script's --show-*-events do, and the header. */
#include <sys/mman.h>

#include "render/script.h"

static void print_mmap(struct buffer *b, const struct plumb_record *record)
{
	bool newer = record->type == PLUMB_RECORD_MMAP2;
	unsigned protection = record->mmap.protection;

	buffer_format(b, " %d/%d: [", record->mmap.pid, record->mmap.tid);
	buffer_hex_0x(b, record->mmap.address);
	buffer_char(b, '(');
	buffer_hex_0x(b, record->mmap.length);
	buffer_text(b, ") @ ");
	buffer_hex_0x(b, record->mmap.page_offset);
	if (newer && record->mmap.build_id) {
		buffer_text(b, " <");
		for (size_t i = 0; i < record->mmap.build_id_size; i++)
			buffer_hex_zeros(b, record->mmap.build_id[i], 2);
		buffer_char(b, '>');
	} else if (newer) {
		buffer_format(b, " %02x:%02x %llu %llu", record->mmap.major, record->mmap.minor,
			      (unsigned long long)record->mmap.inode,
			      (unsigned long long)record->mmap.inode_generation);
	}
	buffer_text(b, "]: ");
	if (newer) {
		buffer_char(b, protection & PROT_READ ? 'r' : '-');
		buffer_char(b, protection & PROT_WRITE ? 'w' : '-');
		buffer_char(b, protection & PROT_EXEC ? 'x' : '-');
		buffer_char(b, record->mmap.flags & MAP_SHARED ? 's' : 'p');
	} else {
		buffer_char(b, record->misc & PLUMB_MISC_MMAP_DATA ? 'r' : 'x');
	}
	buffer_char(b, ' ');
	buffer_foreign(b, record->mmap.path);
}

static void print_switch(struct buffer *b, const struct plumb_record *record)
{
	bool out = record->context_switch.out;
	const char *way = "IN         ";

	if (out)
		way = record->context_switch.preempted ? "OUT preempt" : "OUT        ";
	buffer_char(b, ' ');
	buffer_text(b, way);
	if (record->type == PLUMB_RECORD_SWITCH_CPU_WIDE)
		buffer_format(b, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev",
			      record->context_switch.next_prev_pid,
			      record->context_switch.next_prev_tid);
}

static void print_aux(struct buffer *b, const struct plumb_record *record)
{
	buffer_text(b, " offset: ");
	buffer_hex_0x(b, record->aux.offset);
	buffer_text(b, " size: ");
	buffer_hex_0x(b, record->aux.size);
	buffer_text(b, " flags: ");
	buffer_hex_0x(b, record->aux.flags);
	buffer_format(b, " [%s%s%s]", record->aux.flags & PLUMB_AUX_TRUNCATED ? "T" : "",
		      record->aux.flags & PLUMB_AUX_OVERWRITE ? "O" : "",
		      record->aux.flags & PLUMB_AUX_PARTIAL ? "P" : "");
}

/* What a record says, to the end of its line. */
static void print_body(struct buffer *b, const struct plumb_record *record)
{
	const char *name = plumb_record_type_name(record->type);

	buffer_text(b, "PERF_RECORD_");
	if (name)
		buffer_text(b, name);
	else
		buffer_decimal(b, record->type, 0);
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		print_mmap(b, record);
		break;
	case PLUMB_RECORD_COMM:
		buffer_text(b, record->comm.exec ? " exec: " : ": ");
		buffer_foreign(b, record->comm.comm);
		buffer_format(b, ":%d/%d", record->comm.pid, record->comm.tid);
		break;
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
		buffer_format(b, "(%d:%d):(%d:%d)", record->task.pid, record->task.tid,
			      record->task.parent_pid, record->task.parent_tid);
		break;
	case PLUMB_RECORD_LOST:
		buffer_format(b, " lost %llu", (unsigned long long)record->lost.lost);
		break;
	case PLUMB_RECORD_AUX:
		print_aux(b, record);
		break;
	case PLUMB_RECORD_ITRACE_START:
		buffer_format(b, " pid: %u tid: %u", (unsigned)record->itrace_start.pid,
			      (unsigned)record->itrace_start.tid);
		break;
	case PLUMB_RECORD_SWITCH:
	case PLUMB_RECORD_SWITCH_CPU_WIDE:
		print_switch(b, record);
		break;
	default:
		break;
	}
	buffer_char(b, '\n');
}

/* Whose record it is: those columns of samples that the record has. */
static void find_task(const struct plumb_record *record, int32_t *pid, int32_t *tid)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		*pid = record->mmap.pid;
		*tid = record->mmap.tid;
		break;
	case PLUMB_RECORD_COMM:
		*pid = record->comm.pid;
		*tid = record->comm.tid;
		break;
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
		*pid = record->task.pid;
		*tid = record->task.tid;
		break;
	default:
		*pid = record->pid;
		*tid = record->tid;
		break;
	}
}

void script_print_record(struct script_printer *printer, const struct plumb_record *record)
{
	struct script_sample sample = {.record = record, .event = record->event};
	struct plumb_record plain = *record;
	int32_t pid, tid;

	if (!sample.event)
		sample.event = plumb_recording_event(printer->recording, 0);
	find_task(record, &pid, &tid);
	if (sample.event) {
		/*
		 * Records without the members of samples, as perf shows them: zeros where the
		 * recorder made them up.
		 */
		if (record->has == 0) {
			plain.has =
				PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_CPU | PLUMB_RECORD_HAS_TIME;
			plain.pid = plain.tid = 0;
			plain.cpu = 0;
			plain.time = 0;
		}
		if (!(sample.event->attr.flags & PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL))) {
			plain.has =
				PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_CPU | PLUMB_RECORD_HAS_TIME;
			plain.pid = pid;
			plain.tid = tid;
			plain.cpu = 0;
			plain.time = record->type == PLUMB_RECORD_FORK ||
						     record->type == PLUMB_RECORD_EXIT
					     ? record->task.time
					     : 0;
		}
		sample.record = &plain;
		sample.type = script_event_type(&sample.event->attr);
		sample.task = tid == -1 ? NULL : plumb_samples_task(printer->samples, pid, tid);
		script_print_start(printer, &sample);
	}
	print_body(printer->out, record);
}

void script_dump_record(struct buffer *b, const struct plumb_record *record)
{
	buffer_char(b, '\n');
	if (record->has & PLUMB_RECORD_HAS_CPU)
		buffer_format(b, "%u ", record->cpu);
	if (record->has & PLUMB_RECORD_HAS_TIME)
		buffer_format(b, "%llu ", (unsigned long long)record->time);
	buffer_hex_0x(b, record->offset);
	buffer_format(b, " [%#zx]: ", record->size);
	print_body(b, record);
	for (size_t i = 0; i < record->size; i++) {
		if (i % 16 == 0)
			buffer_format(b, ".  %04zx: ", i);
		buffer_char(b, ' ');
		buffer_hex_zeros(b, record->bytes[i], 2);
		if (i % 16 == 15 || i + 1 == record->size)
			buffer_char(b, '\n');
	}
}
