/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as text, in the columns of perf script, and as JSON: what the renderers need to know, and
 * their functions.
 */
#ifndef RENDER_SCRIPT_H
#define RENDER_SCRIPT_H

#include <plumb/samples.h>
#include <plumb/symbol.h>

#include "render/buffer.h"

/* ---- Fields ---------------------------------------------------------------------------------- */

enum field {
	FIELD_COMM,
	FIELD_TID,
	FIELD_PID,
	FIELD_TIME,
	FIELD_CPU,
	FIELD_EVENT,
	FIELD_TRACE,
	FIELD_IP,
	FIELD_SYM,
	FIELD_DSO,
	FIELD_DSOFF,
	FIELD_ADDR,
	FIELD_SYMOFF,
	FIELD_SRCLINE,
	FIELD_PERIOD,
	FIELD_IREGS,
	FIELD_UREGS,
	FIELD_BRSTACK,
	FIELD_BRSTACKSYM,
	FIELD_DATA_SRC,
	FIELD_WEIGHT,
	FIELD_BPF_OUTPUT,
	FIELD_CALLINDENT,
	FIELD_INSN,
	FIELD_INSNLEN,
	FIELD_BRSTACKINSN,
	FIELD_BRSTACKOFF,
	FIELD_SYNTH,
	FIELD_PHYS_ADDR,
	FIELD_METRIC,
	FIELD_MISC,
	FIELD_SRCCODE,
	FIELD_IPC,
	FIELD_TOD,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_INS_LAT,
	FIELD_BRSTACKINSNLEN,
	FIELD_MACHINE_PID,
	FIELD_VCPU,
	FIELD_CGROUP,
	FIELD_RETIRE_LAT,
	FIELD_BRCNTR,
	FIELD_DISASM,
	FIELD_BRSTACKDISASM,
	FIELD_FLAGS, /* of all types at once */
	FIELD_COUNT
};
#define FIELD_BIT(field) (UINT64_C(1) << (field))

/* Types of events that have fields of their own: enum plumb_event_type, and two more. */
enum event_type {
	TYPE_HARDWARE,
	TYPE_SOFTWARE,
	TYPE_TRACEPOINT,
	TYPE_HW_CACHE,
	TYPE_RAW,
	TYPE_BREAKPOINT,
	TYPE_SYNTH,
	TYPE_OTHER, /* of any other PMU: SPE's own */
	TYPE_COUNT
};
enum event_type script_event_type(const struct plumb_event_attr *attr);

struct script_fields {
	struct type_fields {
		uint64_t on;    /* bits of FIELD_BIT() */
		uint64_t asked; /* for by the user, by name */
		bool set;       /* by the user in some way */
	} types[TYPE_COUNT];
	bool flags;
};

/* Whether a field is printed for events of a type. */
static inline bool script_prints(const struct script_fields *fields, enum event_type type,
				 enum field field)
{
	return fields->types[type].on & FIELD_BIT(field);
}

/* ---- What is printed ------------------------------------------------------------------------- */

struct script_printer {
	struct buffer *out;
	const struct script_fields *fields;
	const struct plumb_recording *recording;
	struct plumb_samples *samples;
	struct plumb_symbolizer *symbols;
	enum plumb_perf_version version; /* whose text it is */
	bool nanoseconds, relative_times, time_differences;
	bool callchains; /* are printed, for events that have them */
	bool inlined;    /* so are functions inlined into those of a call chain */

	/* What the renderers remember from one sample to the next. */
	struct script_repeats *repeats;
	unsigned name_width;    /* of the widest name of an event; 0: not known yet */
	size_t source_width;    /* of the widest data source so far */
	uint64_t first_time;    /* 0: none yet */
	uint64_t previous_time; /* likewise */
};

struct script_sample {
	const struct plumb_record *record;
	const struct plumb_task *task;
	const struct plumb_spe_record *spe; /* NULL: of a PMU event */
	uint32_t groups, midr;              /* of an SPE record */
	const struct plumb_recorded_event *event;
	enum event_type type;
	enum plumb_cpu_mode mode;
	struct plumb_location location; /* of .ip, once it was looked up */
	bool located;
};

/* script_event.c: what perf calls an event; `room` is for one that the recording has no name of. */
#define EVENT_NAME_ROOM 64
const char *script_event_name(const struct plumb_recorded_event *event, char room[EVENT_NAME_ROOM]);
bool script_is_branch_trace(const struct plumb_event_attr *attr);
/* How many events a sample stands for: its own period, or the event's if all samples have the same.
 */
uint64_t script_period(const struct script_sample *sample);

/* Where the sample's .ip is, looked up once. */
const struct plumb_location *script_locate(const struct script_printer *printer,
					   struct script_sample *sample);

/* The name of the sample's thread, or what perf prints without one. */
static inline const char *script_comm(const struct script_sample *sample)
{
	return sample->task ? sample->task->comm : ":-1";
}

/*
 * script_repeat.c: prints columns by copying what an earlier line has there, or by `print`. Free
 * the struct with free().
 */
typedef void script_print_columns(struct script_printer *printer,
				  const struct script_sample *sample);
typedef void script_print_place(struct script_printer *printer, struct script_sample *sample);
struct script_repeats *script_repeats_new(void);
/* Call it when address spaces or threads' names may have changed, or a thread has ended. */
void script_repeats_forget(struct script_repeats *repeats);
/* The columns before the time; `chain`: a call chain follows. */
void script_repeat_start(struct script_printer *printer, const struct script_sample *sample,
			 bool chain, script_print_columns *print, script_print_columns *time);
void script_repeat_name(struct script_printer *printer, const struct script_sample *sample,
			script_print_columns *print);
void script_repeat_place(struct script_printer *printer, struct script_sample *sample,
			 script_print_place *print);
/*
 * The line of the stream's last sample, and of those that plumb_samples_take_alike() leaves out:
 * the text around the event's name is the same.
 */
void script_repeat_line(struct script_printer *printer, struct script_sample *sample,
			script_print_place *before, script_print_columns *name,
			script_print_place *after);

/* script_line.c: a sample as a line; other records' lines begin like it. */
void script_print_line(struct script_printer *printer, struct script_sample *sample);
void script_print_start(struct script_printer *printer, const struct script_sample *sample);
/* script_symbol.c: an address of code with its symbol and file. */
void script_print_location(struct script_printer *printer, const struct script_sample *sample,
			   const struct plumb_location *location);
/* "FILE" or, with `dsoff`, "FILE+0xOFFSET", in parentheses. */
void script_print_file(struct script_printer *printer, const struct script_sample *sample,
		       const struct plumb_location *location);
/* The line of source that `location` is of, on a line of its own. */
void script_print_source_line(struct script_printer *printer,
			      const struct plumb_location *location);
void script_print_callchain(struct script_printer *printer, const struct script_sample *sample);
void script_print_address(struct script_printer *printer, const struct script_sample *sample);
/* script_frames.c: the functions of a call chain. */
struct script_frame {
	uint64_t ip;
	bool behind; /* `location` is the last byte of a call, and `ip` is behind it */
	const struct plumb_location *location;
	const struct plumb_source_frame *source; /* NULL: not looked for, or unknown */
	const char *inlined; /* a function inlined into the one at `location`; NULL: that one */
};
typedef void script_take_frame(void *user, const struct script_frame *frame);
/* Calls `take` for each function, the innermost first. */
void script_each_frame(struct script_printer *printer, const struct script_sample *sample,
		       script_take_frame *take, void *user);
/* script_branches.c: the kind of branch that a sample is, and the branches before it. */
#define SCRIPT_WORDS_ROOM 32
/* What kind of branch it was, and what happened: "jcc/miss,not_taken/". */
void script_flags(uint32_t flags, char text[SCRIPT_WORDS_ROOM]);
void script_print_flags(struct buffer *b, uint32_t flags);
/* A branch entry's fields; "" or "-" where it does not say. */
unsigned script_branch_cycles(uint64_t flags);
const char *script_branch_type(uint64_t flags);
const char *script_branch_speculation(uint64_t flags);
/* script_line.c: perf's letters for the mode and for what else .misc says. */
void script_misc(const struct script_sample *sample, char text[SCRIPT_WORDS_ROOM]);
void script_print_branches(struct script_printer *printer, const struct script_sample *sample);
/* script_source.c: perf's data_src in words. */
void script_print_source(struct script_printer *printer, uint64_t data_source);
/* script_record.c: MMAP, COMM, FORK and so on, as --show-*-events and -D have them. */
void script_print_record(struct script_printer *printer, const struct plumb_record *record);
void script_dump_record(struct buffer *b, const struct plumb_record *record);
/* script_header.c: what the recording says about itself. */
void script_print_header(struct buffer *b, const struct plumb_recording *recording,
			 const char *path, bool full);
/* script_json.c: a sample as an object on a line. */
void script_print_json(struct script_printer *printer, struct script_sample *sample);

#endif
