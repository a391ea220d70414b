/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample as perf script prints it: column by column, in the order and with the spacing of
 * process_event() in tools/perf/builtin-script.c.
 */
#include "base/mem_source.h"
#include "render/script.h"

#define NS_A_SECOND 1000000000u

void script_misc(const struct script_sample *sample, char text[SCRIPT_WORDS_ROOM])
{
	const struct plumb_record *record = sample->record;
	/* perf gives none to samples that it synthesizes. */
	const unsigned misc = sample->spe ? 0 : record->misc;
	const unsigned mode = sample->spe ? 0 : plumb_record_mode(record);
	const bool switches =
		record->type == PLUMB_RECORD_SWITCH || record->type == PLUMB_RECORD_SWITCH_CPU_WIDE;
	/* Modes are numbers, but perf treats each as a set of bits, and so must we. */
	const struct {
		bool set;
		char letter;
	} letters[] = {
		{(mode & PLUMB_MODE_KERNEL) == PLUMB_MODE_KERNEL, 'K'},
		{(mode & PLUMB_MODE_USER) == PLUMB_MODE_USER, 'U'},
		{(mode & PLUMB_MODE_HYPERVISOR) == PLUMB_MODE_HYPERVISOR, 'H'},
		{(mode & PLUMB_MODE_GUEST_KERNEL) == PLUMB_MODE_GUEST_KERNEL, 'G'},
		{(mode & PLUMB_MODE_GUEST_USER) == PLUMB_MODE_GUEST_USER, 'g'},
		{(record->type == PLUMB_RECORD_MMAP || record->type == PLUMB_RECORD_MMAP2) &&
			 misc & PLUMB_MISC_MMAP_DATA,
		 'M'},
		{record->type == PLUMB_RECORD_COMM && misc & PLUMB_MISC_COMM_EXEC, 'E'},
		{switches && misc & PLUMB_MISC_SWITCH_OUT, 'S'},
		{switches && misc & PLUMB_MISC_SWITCH_OUT && misc & PLUMB_MISC_SWITCH_OUT_PREEMPT,
		 'p'},
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].set)
			*text++ = letters[i].letter;
	*text = '\0';
}

static void print_misc(struct buffer *b, const struct script_sample *sample)
{
	char text[SCRIPT_WORDS_ROOM];

	script_misc(sample, text);
	/* At least one blank. */
	buffer_padded(b, text, -5);
	buffer_char(b, ' ');
}

static void print_time(struct script_printer *printer, const struct script_sample *sample)
{
	const struct plumb_record *record = sample->record;
	struct buffer *b = printer->out;
	uint64_t time = record->has & PLUMB_RECORD_HAS_TIME ? record->time : UINT64_MAX;
	uint64_t shown = time;

	if (printer->relative_times) {
		if (!printer->first_time)
			printer->first_time = time;
		shown = time - printer->first_time;
	} else if (printer->time_differences) {
		shown = printer->previous_time ? time - printer->previous_time : 0;
		printer->previous_time = time;
	}
	buffer_decimal(b, shown / NS_A_SECOND, 5);
	buffer_char(b, '.');
	if (printer->nanoseconds)
		buffer_zeros(b, shown % NS_A_SECOND, 9);
	else
		buffer_zeros(b, shown % NS_A_SECOND / 1000, 6);
	buffer_bytes(b, ": ", 2);
}

static void print_ids(struct script_printer *printer, const struct script_sample *sample)
{
	const struct plumb_record *record = sample->record;
	const bool pid = script_prints(printer->fields, sample->type, FIELD_PID);
	const bool tid = script_prints(printer->fields, sample->type, FIELD_TID);
	const bool known = record->has & PLUMB_RECORD_HAS_PID;
	const unsigned width = printer->version == PLUMB_PERF_6_1 ? 5 : 7;
	struct buffer *b = printer->out;

	if (pid) {
		buffer_signed(b, known ? record->pid : -1, width);
		buffer_char(b, tid ? '/' : ' ');
	}
	if (!tid)
		return;
	if (pid)
		buffer_signed_left(b, known ? record->tid : -1, width);
	else
		buffer_signed(b, known ? record->tid : -1, width);
	buffer_char(b, ' ');
}

/* Whether the sample's call chain follows, on lines of its own. */
static bool has_chain(const struct script_printer *printer, const struct script_sample *sample)
{
	return printer->callchains && script_prints(printer->fields, sample->type, FIELD_IP) &&
	       sample->event->attr.sample_type & PLUMB_SAMPLE_CALLCHAIN;
}

/* The columns before the time: the thread and the CPU. */
static void print_thread(struct script_printer *printer, const struct script_sample *sample)
{
	const struct plumb_record *record = sample->record;
	const struct script_fields *fields = printer->fields;
	enum event_type type = sample->type;
	struct buffer *b = printer->out;

	if (script_prints(fields, type, FIELD_COMM)) {
		buffer_padded(b, script_comm(sample), has_chain(printer, sample) ? 0 : 16);
		buffer_char(b, ' ');
	}
	print_ids(printer, sample);
	if (script_prints(fields, type, FIELD_CPU)) {
		buffer_char(b, '[');
		if (!(record->has & PLUMB_RECORD_HAS_CPU) || record->cpu == UINT32_MAX)
			buffer_bytes(b, "-01", 3); /* as "%03d" has it */
		else
			buffer_zeros(b, record->cpu, 3);
		buffer_bytes(b, "] ", 2);
	}
}

void script_print_start(struct script_printer *printer, const struct script_sample *sample)
{
	const uint64_t on = printer->fields->types[sample->type].on;
	const bool time = on & FIELD_BIT(FIELD_TIME);
	/* The same time has the same text, except where it depends on the samples before. */
	const bool repeats = time && !(on & FIELD_BIT(FIELD_MISC)) && !printer->relative_times &&
			     !printer->time_differences;

	script_repeat_start(printer, sample, has_chain(printer, sample), print_thread,
			    repeats ? print_time : NULL);
	if (on & FIELD_BIT(FIELD_MISC))
		print_misc(printer->out, sample);
	if (time && !repeats)
		print_time(printer, sample);
}

/* ---- Names of events ------------------------------------------------------------------------- */

static unsigned wider(unsigned width, const struct plumb_recorded_event *event)
{
	char room[EVENT_NAME_ROOM];
	size_t length = strlen(script_event_name(event, room));

	if (length > 1024)
		length = 1024;
	return length > width ? (unsigned)length : width;
}

static unsigned names_width(const struct script_printer *printer)
{
	const struct plumb_recorded_event *event;
	unsigned width = 1;

	for (size_t i = 0;
	     printer->recording && (event = plumb_recording_event(printer->recording, i)); i++)
		width = wider(width, event);
	for (unsigned group = 0; printer->samples && group < PLUMB_SPE_GROUPS; group++) {
		event = plumb_samples_group_event(printer->samples, group);
		if (event)
			width = wider(width, event);
	}
	return width;
}

static void print_name(struct script_printer *printer, const struct script_sample *sample)
{
	char room[EVENT_NAME_ROOM];

	if (!printer->name_width)
		printer->name_width = names_width(printer);
	buffer_padded(printer->out, script_event_name(sample->event, room),
		      (int)printer->name_width);
	buffer_bytes(printer->out, ": ", 2);
}

/* ---- The line -------------------------------------------------------------------------------- */

/* 4096 is "4K", 1024 is "1024B": as perf shortens it. */
static void print_page_size(struct buffer *b, uint64_t size)
{
	const char *unit = "BKMG";

	buffer_char(b, ' ');
	if (size == 0) {
		buffer_text(b, "N/A");
		return;
	}
	for (; size / 1024 > 1 && unit[1]; unit++)
		size /= 1024;
	buffer_decimal(b, size, 0);
	buffer_char(b, *unit);
}

/* "N/A" in every part of it, where a sample of a PMU event has none. */
static uint64_t source_of(const struct script_printer *printer, const struct script_sample *sample)
{
	uint64_t unknown = mem_put(MEM_OP, MEM_OP_NA) | mem_put(MEM_LEVEL, MEM_LEVEL_NA) |
			   mem_put(MEM_SNOOP, MEM_SNOOP_NA) | mem_put(MEM_LOCK, MEM_LOCK_NA) |
			   mem_put(MEM_TLB, MEM_TLB_NA);

	if (sample->spe || sample->event->attr.sample_type & PLUMB_SAMPLE_DATA_SRC)
		return sample->record->sample.data_source;
	if (printer->version != PLUMB_PERF_6_1)
		unknown |= mem_put(MEM_LEVEL_NUMBER, MEM_NUMBER_NA);
	return unknown;
}

static void print_place(struct script_printer *printer, struct script_sample *sample)
{
	buffer_char(printer->out, ' ');
	buffer_hex(printer->out, sample->record->sample.ip, 16);
	script_print_location(
		printer, sample,
		script_prints(printer->fields, sample->type, FIELD_SYM) ||
				script_prints(printer->fields, sample->type, FIELD_DSO)
			? script_locate(printer, sample)
			: NULL);
}

static void print_ip(struct script_printer *printer, struct script_sample *sample)
{
	if (has_chain(printer, sample)) {
		buffer_char(printer->out, '\n');
		script_print_callchain(printer, sample);
		return;
	}
	script_repeat_place(printer, sample, print_place);
	if (script_prints(printer->fields, sample->type, FIELD_SRCLINE))
		script_print_source_line(printer, script_locate(printer, sample));
}

static void print_branch(struct script_printer *printer, struct script_sample *sample)
{
	const struct plumb_event_attr *attr = &sample->event->attr;

	if (script_prints(printer->fields, sample->type, FIELD_IP))
		print_ip(printer, sample);
	if (script_prints(printer->fields, sample->type, FIELD_ADDR) ||
	    (attr->sample_type & PLUMB_SAMPLE_ADDR && !printer->fields->types[sample->type].set)) {
		buffer_text(printer->out, " => ");
		script_print_address(printer, sample);
	}
	buffer_char(printer->out, '\n');
}

static void print_period(struct buffer *b, const struct script_sample *sample)
{
	const uint64_t period = script_period(sample);

	if (period == 1) { /* like nearly all samples made from SPE records */
		buffer_bytes(b, "         1 ", 11);
		return;
	}
	buffer_decimal(b, period, 10);
	buffer_char(b, ' ');
}

/*
 * Whether only the event's name tells the lines apart that the samples of an SPE record are printed
 * as.
 */
static bool repeats_line(const struct script_printer *printer, const struct script_sample *sample)
{
	const uint64_t fields =
		FIELD_BIT(FIELD_COMM) | FIELD_BIT(FIELD_TID) | FIELD_BIT(FIELD_PID) |
		FIELD_BIT(FIELD_TIME) | FIELD_BIT(FIELD_CPU) | FIELD_BIT(FIELD_EVENT) |
		FIELD_BIT(FIELD_IP) | FIELD_BIT(FIELD_SYM) | FIELD_BIT(FIELD_DSO) |
		FIELD_BIT(FIELD_DSOFF) | FIELD_BIT(FIELD_SYMOFF) | FIELD_BIT(FIELD_PERIOD);
	const uint64_t on = printer->fields->types[sample->type].on;

	return sample->spe && on & FIELD_BIT(FIELD_EVENT) && !(on & ~fields) &&
	       !printer->fields->flags && !printer->relative_times && !printer->time_differences &&
	       !has_chain(printer, sample) && !script_is_branch_trace(&sample->event->attr);
}

/* The same sample's other lines are copied, so that its time need not be kept by itself. */
static void print_before_name(struct script_printer *printer, struct script_sample *sample)
{
	script_repeat_start(printer, sample, false, print_thread, NULL);
	if (script_prints(printer->fields, sample->type, FIELD_TIME))
		print_time(printer, sample);
	if (script_prints(printer->fields, sample->type, FIELD_PERIOD))
		print_period(printer->out, sample);
}

static void print_after_name(struct script_printer *printer, struct script_sample *sample)
{
	if (script_prints(printer->fields, sample->type, FIELD_IP))
		print_ip(printer, sample);
	buffer_char(printer->out, '\n');
}

void script_print_line(struct script_printer *printer, struct script_sample *sample)
{
	const struct plumb_sample *s = &sample->record->sample;
	uint64_t on = printer->fields->types[sample->type].on;
	struct buffer *b = printer->out;

	if (on == 0)
		return;
	if (repeats_line(printer, sample)) {
		script_repeat_line(printer, sample, print_before_name, print_name,
				   print_after_name);
		return;
	}
	script_print_start(printer, sample);
	if (on & FIELD_BIT(FIELD_PERIOD))
		print_period(b, sample);
	if (on & FIELD_BIT(FIELD_EVENT))
		script_repeat_name(printer, sample, print_name);
	if (printer->fields->flags)
		script_print_flags(b, s->trace_flags);
	if (script_is_branch_trace(&sample->event->attr)) {
		print_branch(printer, sample);
		return;
	}
	if (on & FIELD_BIT(FIELD_ADDR))
		script_print_address(printer, sample);
	if (on & FIELD_BIT(FIELD_DATA_SRC))
		script_print_source(printer, source_of(printer, sample));
	if (on & FIELD_BIT(FIELD_WEIGHT))
		buffer_decimal(b, s->weight, 16);
	if (on & FIELD_BIT(FIELD_INS_LAT))
		buffer_decimal(b, s->weight2, 16);
	if (on & FIELD_BIT(FIELD_IP))
		print_ip(printer, sample);
	if (on & FIELD_BIT(FIELD_BRSTACK))
		script_print_branches(printer, sample);
	if (on & FIELD_BIT(FIELD_PHYS_ADDR))
		buffer_hex(b, s->physical_address, 16);
	if (on & FIELD_BIT(FIELD_DATA_PAGE_SIZE))
		print_page_size(b, s->data_page_size);
	if (on & FIELD_BIT(FIELD_CODE_PAGE_SIZE))
		print_page_size(b, s->code_page_size);
	buffer_char(b, '\n');
}
