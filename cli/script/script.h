/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script: what its parts share. */
#ifndef CLI_SCRIPT_H
#define CLI_SCRIPT_H

#include "render/script.h"
#include "script/times.h"
#include "tool/options.h"

struct script_options {
	struct common_options common;
	const char *input;
	struct option_words fields;
	const char *itrace, *like_perf, *filter, *time;
	const char *comms, *pids, *tids, *cpus, *symbols, *dsos;
	const char *symfs, *kallsyms, *core;
	bool raw, dump, quiet, header, header_only, full_header;
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

struct script {
	const struct script_options *options;
	struct script_fields fields;
	struct script_choice choice;
	struct plumb_itrace itrace;
	struct plumb_spe_filter filter;
	struct plumb_samples_options samples; /* which are made of SPE records */
	struct plumb_recording *recording;
	struct plumb_symbolizer *symbols;
	struct plumb_diagnostics *found;
	struct output out;
	struct buffer buffer;
	struct script_printer printer;
	uint32_t checked_types; /* whose fields have been looked at: bits of enum event_type */
	bool aux;               /* the recording has AUX data */
};

/* choice.c: reads the options that choose samples. Returns an exit status. */
int script_choose(struct script *script);
bool script_wants(const struct script *script, struct script_sample *sample);
bool script_wants_cpu(const struct script_choice *choice, const struct plumb_record *record);
void script_choice_free(struct script_choice *choice);
/* Whether any of them is there. */
bool script_chooses(const struct script_options *options);

/* total.c: --quiet. Returns an exit status. */
int script_print_totals(struct script *script);

#endif
