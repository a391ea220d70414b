/* SPDX-License-Identifier: Apache-2.0 */
/* A record's members: what all have, and the kernel's kinds, as <linux/perf_event.h> lays them out.
 */
#include "recording/reader.h"

#define SCRATCH_ROOM    ((size_t)256 << 10)
#define BUILD_ID_MAX    20u
#define CLEARED_AT_ONCE ((size_t)64)

const char *plumb_record_type_name(uint32_t type)
{
	static const char *const names[] = {
		[PLUMB_RECORD_MMAP] = "MMAP",
		[PLUMB_RECORD_LOST] = "LOST",
		[PLUMB_RECORD_COMM] = "COMM",
		[PLUMB_RECORD_EXIT] = "EXIT",
		[PLUMB_RECORD_THROTTLE] = "THROTTLE",
		[PLUMB_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PLUMB_RECORD_FORK] = "FORK",
		[PLUMB_RECORD_READ] = "READ",
		[PLUMB_RECORD_SAMPLE] = "SAMPLE",
		[PLUMB_RECORD_MMAP2] = "MMAP2",
		[PLUMB_RECORD_AUX] = "AUX",
		[PLUMB_RECORD_ITRACE_START] = "ITRACE_START",
		[PLUMB_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[PLUMB_RECORD_SWITCH] = "SWITCH",
		[PLUMB_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
		[PLUMB_RECORD_NAMESPACES] = "NAMESPACES",
		[PLUMB_RECORD_KSYMBOL] = "KSYMBOL",
		[PLUMB_RECORD_BPF_EVENT] = "BPF_EVENT",
		[PLUMB_RECORD_CGROUP] = "CGROUP",
		[PLUMB_RECORD_TEXT_POKE] = "TEXT_POKE",
		[PLUMB_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
		[PLUMB_RECORD_HEADER_ATTR] = "HEADER_ATTR",
		[PLUMB_RECORD_HEADER_EVENT_TYPE] = "HEADER_EVENT_TYPE",
		[PLUMB_RECORD_HEADER_TRACING_DATA] = "HEADER_TRACING_DATA",
		[PLUMB_RECORD_HEADER_BUILD_ID] = "HEADER_BUILD_ID",
		[PLUMB_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
		[PLUMB_RECORD_ID_INDEX] = "ID_INDEX",
		[PLUMB_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
		[PLUMB_RECORD_AUXTRACE] = "AUXTRACE",
		[PLUMB_RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
		[PLUMB_RECORD_THREAD_MAP] = "THREAD_MAP",
		[PLUMB_RECORD_CPU_MAP] = "CPU_MAP",
		[PLUMB_RECORD_STAT_CONFIG] = "STAT_CONFIG",
		[PLUMB_RECORD_STAT] = "STAT",
		[PLUMB_RECORD_STAT_ROUND] = "STAT_ROUND",
		[PLUMB_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
		[PLUMB_RECORD_TIME_CONV] = "TIME_CONV",
		[PLUMB_RECORD_HEADER_FEATURE] = "HEADER_FEATURE",
		[PLUMB_RECORD_COMPRESSED] = "COMPRESSED",
		[PLUMB_RECORD_FINISHED_INIT] = "FINISHED_INIT",
		[PLUMB_RECORD_COMPRESSED2] = "COMPRESSED2",
	};

	return type < sizeof(names) / sizeof(*names) ? names[type] : NULL;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

void *scratch_take(struct plumb_recording *r, size_t size)
{
	void *taken = r->scratch + r->scratch_used;

	size = (size + 7) & ~(size_t)7;
	if (size > SCRATCH_ROOM - r->scratch_used)
		return NULL;
	r->scratch_used += size;
	return taken;
}

const uint64_t *numbers_parse(struct plumb_recording *r, struct cursor *in, uint64_t count)
{
	const uint8_t *bytes;
	uint64_t *numbers;

	if (count > cursor_left(in) / 8) {
		in->short_of = true;
		return NULL;
	}
	bytes = take_bytes(in, 8 * count);
	if (!in->swap && (uintptr_t)bytes % 8 == 0)
		return (const uint64_t *)(uintptr_t)bytes;
	numbers = scratch_take(r, 8 * count);
	for (size_t i = 0; numbers && i < count; i++)
		numbers[i] = load64(bytes + 8 * i, in->swap);
	return numbers;
}

const char *string_parse(struct plumb_recording *r, struct cursor *in)
{
	const size_t left = cursor_left(in), length = strnlen((const char *)in->at, left);
	const char *text = (const char *)in->at;
	char *ended;

	in->at = in->end;
	if (length < left)
		return text;
	ended = scratch_take(r, length + 1);
	if (!ended)
		return NULL;
	memcpy(ended, text, length);
	ended[length] = '\0';
	return ended;
}

static int32_t take_pid(struct cursor *in)
{
	return (int32_t)take32(in);
}

/* Every member of a value that the format has, in its order. */
static struct plumb_read_value take_value(struct cursor *in, uint64_t format)
{
	struct plumb_read_value value = {.value = take64(in)};

	if (format & PLUMB_FORMAT_ID)
		value.id = take64(in);
	if (format & PLUMB_FORMAT_LOST)
		value.lost = take64(in);
	return value;
}

static bool take_group(struct plumb_recording *r, struct cursor *in, uint64_t format,
		       struct read_values *read)
{
	const size_t each =
		8 + (format & PLUMB_FORMAT_ID ? 8 : 0) + (format & PLUMB_FORMAT_LOST ? 8 : 0);
	const uint64_t count = take64(in);
	struct plumb_read_value *values;

	if (format & PLUMB_FORMAT_TIME_ENABLED)
		read->time_enabled = take64(in);
	if (format & PLUMB_FORMAT_TIME_RUNNING)
		read->time_running = take64(in);
	if (count > cursor_left(in) / each)
		return false;
	values = scratch_take(r, count * sizeof(*values));
	if (!values)
		return false;
	for (size_t i = 0; i < count; i++)
		values[i] = take_value(in, format);
	read->values = values;
	read->count = count;
	return true;
}

bool read_values_parse(struct plumb_recording *r, struct cursor *in, uint64_t format,
		       struct read_values *read)
{
	struct plumb_read_value *value;

	*read = (struct read_values){0};
	if (format & PLUMB_FORMAT_GROUP)
		return take_group(r, in, format, read) && !in->short_of;
	value = scratch_take(r, sizeof(*value));
	if (!value)
		return false;
	*value = (struct plumb_read_value){.value = take64(in)};
	if (format & PLUMB_FORMAT_TIME_ENABLED)
		read->time_enabled = take64(in);
	if (format & PLUMB_FORMAT_TIME_RUNNING)
		read->time_running = take64(in);
	if (format & PLUMB_FORMAT_ID)
		value->id = take64(in);
	if (format & PLUMB_FORMAT_LOST)
		value->lost = take64(in);
	read->values = value;
	read->count = 1;
	return !in->short_of;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static void parse_mmap(struct plumb_recording *r, struct cursor *in, struct plumb_record *record)
{
	record->mmap.pid = take_pid(in);
	record->mmap.tid = take_pid(in);
	record->mmap.address = take64(in);
	record->mmap.length = take64(in);
	record->mmap.page_offset = take64(in);
	record->mmap.path = string_parse(r, in);
}

static void parse_build_id(struct cursor *in, struct plumb_record *record)
{
	const uint8_t *bytes = take_bytes(in, 24);

	if (!bytes || bytes[0] == 0)
		return;
	record->mmap.build_id = bytes + 4;
	record->mmap.build_id_size = bytes[0] < BUILD_ID_MAX ? bytes[0] : BUILD_ID_MAX;
}

static void parse_mmap2(struct plumb_recording *r, struct cursor *in, struct plumb_record *record)
{
	record->mmap.pid = take_pid(in);
	record->mmap.tid = take_pid(in);
	record->mmap.address = take64(in);
	record->mmap.length = take64(in);
	record->mmap.page_offset = take64(in);
	if (record->misc & PLUMB_MISC_MMAP_BUILD_ID) {
		parse_build_id(in, record);
	} else {
		record->mmap.major = take32(in);
		record->mmap.minor = take32(in);
		record->mmap.inode = take64(in);
		record->mmap.inode_generation = take64(in);
	}
	record->mmap.protection = take32(in);
	record->mmap.flags = take32(in);
	record->mmap.path = string_parse(r, in);
}

static void parse_comm(struct plumb_recording *r, struct cursor *in, struct plumb_record *record)
{
	record->comm.pid = take_pid(in);
	record->comm.tid = take_pid(in);
	record->comm.exec = record->misc & PLUMB_MISC_COMM_EXEC;
	record->comm.comm = string_parse(r, in);
}

static void parse_task(struct cursor *in, struct plumb_record *record)
{
	record->task.pid = take_pid(in);
	record->task.parent_pid = take_pid(in);
	record->task.tid = take_pid(in);
	record->task.parent_tid = take_pid(in);
	record->task.time = take64(in);
}

static void parse_throttle(struct cursor *in, struct plumb_record *record)
{
	record->throttle.time = take64(in);
	record->throttle.id = take64(in);
	record->throttle.stream_id = take64(in);
}

static bool parse_read(struct plumb_recording *r, struct cursor *in,
		       const struct known_event *layout, struct plumb_record *record)
{
	struct read_values read;

	record->read.pid = take_pid(in);
	record->read.tid = take_pid(in);
	if (!layout)
		return !in->short_of;
	if (!read_values_parse(r, in, layout->event.attr.read_format, &read))
		return false;
	record->read.values = read.values;
	record->read.count = read.count;
	record->read.time_enabled = read.time_enabled;
	record->read.time_running = read.time_running;
	return true;
}

static void parse_switch(struct cursor *in, struct plumb_record *record)
{
	record->context_switch.out = record->misc & PLUMB_MISC_SWITCH_OUT;
	record->context_switch.preempted = record->misc & PLUMB_MISC_SWITCH_OUT_PREEMPT;
	record->context_switch.next_prev_pid = -1;
	record->context_switch.next_prev_tid = -1;
	if (record->type == PLUMB_RECORD_SWITCH_CPU_WIDE) {
		record->context_switch.next_prev_pid = take_pid(in);
		record->context_switch.next_prev_tid = take_pid(in);
	}
}

static bool parse_namespaces(struct plumb_recording *r, struct cursor *in,
			     struct plumb_record *record)
{
	uint64_t count;

	record->namespaces.pid = take_pid(in);
	record->namespaces.tid = take_pid(in);
	count = take64(in);
	if (in->short_of || count > cursor_left(in) / 16)
		return false;
	record->namespaces.count = count;
	record->namespaces.namespaces = numbers_parse(r, in, 2 * count);
	return record->namespaces.namespaces;
}

static void parse_ksymbol(struct plumb_recording *r, struct cursor *in, struct plumb_record *record)
{
	record->ksymbol.address = take64(in);
	record->ksymbol.length = take32(in);
	record->ksymbol.type = take16(in);
	record->ksymbol.flags = take16(in);
	record->ksymbol.name = string_parse(r, in);
}

static void parse_text_poke(struct cursor *in, struct plumb_record *record)
{
	record->text_poke.address = take64(in);
	record->text_poke.old_length = take16(in);
	record->text_poke.new_length = take16(in);
	record->text_poke.old_bytes = take_bytes(in, record->text_poke.old_length);
	record->text_poke.new_bytes = take_bytes(in, record->text_poke.new_length);
}

bool kernel_record_parse(struct plumb_recording *r, struct cursor *in,
			 const struct known_event *layout, struct plumb_record *record)
{
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
		parse_mmap(r, in, record);
		break;
	case PLUMB_RECORD_MMAP2:
		parse_mmap2(r, in, record);
		break;
	case PLUMB_RECORD_COMM:
		parse_comm(r, in, record);
		break;
	case PLUMB_RECORD_FORK:
	case PLUMB_RECORD_EXIT:
		parse_task(in, record);
		break;
	case PLUMB_RECORD_LOST:
		record->lost.id = take64(in);
		record->lost.lost = take64(in);
		break;
	case PLUMB_RECORD_LOST_SAMPLES:
		record->lost.lost = take64(in);
		break;
	case PLUMB_RECORD_THROTTLE:
	case PLUMB_RECORD_UNTHROTTLE:
		parse_throttle(in, record);
		break;
	case PLUMB_RECORD_READ:
		return parse_read(r, in, layout, record);
	case PLUMB_RECORD_AUX:
		record->aux.offset = take64(in);
		record->aux.size = take64(in);
		record->aux.flags = take64(in);
		break;
	case PLUMB_RECORD_ITRACE_START:
		record->itrace_start.pid = take_pid(in);
		record->itrace_start.tid = take_pid(in);
		break;
	case PLUMB_RECORD_SWITCH:
	case PLUMB_RECORD_SWITCH_CPU_WIDE:
		parse_switch(in, record);
		break;
	case PLUMB_RECORD_NAMESPACES:
		return parse_namespaces(r, in, record);
	case PLUMB_RECORD_KSYMBOL:
		parse_ksymbol(r, in, record);
		break;
	case PLUMB_RECORD_BPF_EVENT:
		record->bpf_event.type = take16(in);
		record->bpf_event.flags = take16(in);
		record->bpf_event.id = take32(in);
		record->bpf_event.tag = take_bytes(in, 8);
		break;
	case PLUMB_RECORD_CGROUP:
		record->cgroup.id = take64(in);
		record->cgroup.path = string_parse(r, in);
		break;
	case PLUMB_RECORD_TEXT_POKE:
		parse_text_poke(in, record);
		break;
	case PLUMB_RECORD_AUX_OUTPUT_HW_ID:
		record->hw_id = take64(in);
		break;
	default:
		break;
	}
	return !in->short_of;
}

/* ---- What all have --------------------------------------------------------------------------- */

/* The members a sample begins with, in another order, at the end of other records. */
static void parse_trailer(struct cursor in, const struct raw_record *raw,
			  struct plumb_record *record)
{
	const uint64_t type = raw->layout->event.attr.sample_type;
	const uint8_t *at = in.at;

	while (at < in.end && *at == 0)
		at++;
	/* All zero: perf made the record up for what was there before, and says nothing here. */
	if (at == in.end)
		return;
	if (type & PLUMB_SAMPLE_TID) {
		record->pid = take_pid(&in);
		record->tid = take_pid(&in);
		record->has |= PLUMB_RECORD_HAS_PID;
	}
	if (type & PLUMB_SAMPLE_TIME) {
		record->time = take64(&in);
		record->has |= PLUMB_RECORD_HAS_TIME;
	}
	if (type & PLUMB_SAMPLE_ID) {
		record->id = take64(&in);
		record->has |= PLUMB_RECORD_HAS_ID;
	}
	if (type & PLUMB_SAMPLE_STREAM_ID) {
		record->stream_id = take64(&in);
		record->has |= PLUMB_RECORD_HAS_STREAM;
	}
	if (type & PLUMB_SAMPLE_CPU) {
		record->cpu = take32(&in);
		(void)take32(&in);
		record->has |= PLUMB_RECORD_HAS_CPU;
	}
	if (type & PLUMB_SAMPLE_IDENTIFIER) {
		record->id = take64(&in);
		record->has |= PLUMB_RECORD_HAS_ID;
	}
	if (raw->identified)
		record->event = &raw->layout->event;
}

static bool parse_kernels(struct plumb_recording *r, struct cursor *in,
			  const struct raw_record *raw, struct plumb_record *record)
{
	const size_t trailer = raw->layout ? raw->layout->trailer : 0;
	struct cursor end = *in;

	if (trailer > cursor_left(in))
		return false;
	in->end -= trailer;
	end.at = in->end;
	if (trailer > 0)
		parse_trailer(end, raw, record);
	return kernel_record_parse(r, in, raw->layout, record);
}

/*
 * In steps, each a few stores: of the whole at once gcc makes one `rep stos`, which takes a quarter
 * of all the time of reading.
 */
static void clear(struct plumb_record *record)
{
	uint8_t *at = (uint8_t *)record;
	size_t left = sizeof(*record);

	for (; left >= CLEARED_AT_ONCE; left -= CLEARED_AT_ONCE, at += CLEARED_AT_ONCE)
		memset(at, 0, CLEARED_AT_ONCE);
	memset(at, 0, left);
}

bool record_parse(struct plumb_recording *r, const struct raw_record *raw,
		  struct plumb_record *record)
{
	struct cursor in = cursor_over_record(r, raw);

	clear(record);
	record->type = raw->type;
	record->misc = raw->misc;
	record->offset = raw->offset;
	record->bytes = raw->bytes;
	record->size = raw->size;
	r->scratch_used = 0;
	if (raw->type >= PLUMB_RECORD_HEADER_ATTR)
		return perf_record_parse(r, &in, raw, record);
	if (raw->type != PLUMB_RECORD_SAMPLE)
		return parse_kernels(r, &in, raw, record);
	if (raw->identified)
		record->event = &raw->layout->event;
	if (raw->layout)
		return sample_parse(r, &in, raw->layout, record);
	reader_complain(r, COMPLAINT_UNKNOWN_ID, raw->offset,
			"a sample belongs to no event of the recording, so it cannot be read");
	return true;
}
