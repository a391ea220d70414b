/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script: what its parts share. */
#ifndef CLI_SCRIPT_H
#define CLI_SCRIPT_H

#include <plumb/samples.h>
#include <plumb/symbol.h>

#include "fields.h"
#include "render/buffer.h"
#include "times.h"
#include "tool/options.h"

struct script_options {
	struct common_options common;
	const char *input;
	struct option_words fields;
	const char *itrace, *filter, *time;
	const char *comms, *pids, *tids, *cpus, *symbols, *dsos;
	const char *symfs, *kallsyms, *core;
	bool raw, dump, quiet, header, header_only;
	bool hide_call_graph, nanoseconds, reltime, deltatime, no_demangle;
	bool show_mmap, show_task, show_lost, show_switch;
};

/* A list of an option, "a,b,c": each a name, or a number. */
struct script_list {
	char **at; /* pieces of `text` */
	size_t count;
	char *text;
};

/* Which samples are wanted, besides --filter. */
struct script_choice {
	struct script_list comms, pids, tids, symbols, dsos;
	struct script_times times;
	uint64_t *cpus; /* a bit each; NULL: all */
};

/* A sample as it is to be printed. */
struct script_sample {
	const struct plumb_record *record;
	const struct plumb_spe_record *spe; /* NULL: of a PMU event */
	uint32_t groups;
	const struct plumb_recorded_event *event;
	enum event_type type;
	enum plumb_cpu_mode mode;
	const struct plumb_task *task;
	struct plumb_location location; /* of .ip, if `located` */
	bool located;
};

struct script {
	const struct script_options *options;
	struct script_fields fields;
	struct script_choice choice;
	struct plumb_recording *recording; /* NULL: bare SPE data */
	struct plumb_samples *samples;
	struct plumb_symbolizer *symbols;
	struct plumb_diagnostics *found;
	struct output out;
	struct buffer buffer;
	uint32_t midr;          /* for data sources; 0: not known yet */
	uint32_t checked_types; /* whose fields have been looked at: bits of enum event_type */
	unsigned name_width;    /* of the widest name of an event; 0: not known yet */
	size_t source_width;    /* of the widest data source so far */
	bool callchains;        /* are printed, of events that have them */
	bool aux;               /* the recording has AUX data */
	uint64_t first_time;    /* of reltime; 0: none yet */
	uint64_t previous_time; /* of deltatime */
	uint64_t printed;       /* samples */
};

/* script_choice.c: returns an exit status. */
int script_choose(struct script *script);
bool script_wants(struct script *script, struct script_sample *sample);
bool script_wants_cpu(const struct script_choice *choice, const struct plumb_record *record);
void script_choice_free(struct script_choice *choice);
/* Whether any of it needs samples one by one. */
bool script_chooses(const struct script_options *options);

/* script_total.c: --quiet. */
int script_print_totals(const struct script_options *options,
			const struct plumb_samples_options *samples);

/* script_raw.c: --raw. Calls `print` for each record. */
int script_read_raw(struct script *script, const struct plumb_spe_filter *filter);

/* script_event.c: what perf calls an event that the recording has no name of; `room` is for it. */
#define EVENT_NAME_ROOM 64
const char *script_event_name(const struct plumb_recorded_event *event, char room[EVENT_NAME_ROOM]);

/* How many events the sample stands for: its own word, or the event's, which all of its have. */
uint64_t script_period(const struct script_sample *sample);
bool script_is_dummy(const struct plumb_event_attr *attr);

/* script.c: prints a sample, if it is wanted. False if its fields cannot be, which was said. */
bool script_print(struct script *script, struct script_sample *sample);

/* Where a sample's address is, looked up once. */
const struct plumb_location *script_locate(struct script *script, struct script_sample *sample);

/* render/script_line.c: a sample as a line; the beginning of a line is also other records'. */
void script_print_line(struct script *script, struct script_sample *sample);
void script_print_start(struct script *script, const struct script_sample *sample);
/* render/script_symbol.c */
void script_print_location(struct script *script, const struct script_sample *sample,
			   const struct plumb_location *location);
void script_print_callchain(struct script *script, struct script_sample *sample);
void script_print_address(struct script *script, const struct script_sample *sample);
/* render/script_source.c: perf's data_src in words. */
void script_print_source(struct script *script, uint64_t data_source);
/* render/script_record.c: MMAP, COMM, FORK and so on. */
void script_print_record(struct script *script, const struct plumb_record *record);
void script_dump_record(struct script *script, const struct plumb_record *record);
void script_print_header(struct script *script);
/* render/script_json.c: a sample as an object on a line. */
void script_print_json(struct script *script, struct script_sample *sample);

#endif
