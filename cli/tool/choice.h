/* SPDX-License-Identifier: Apache-2.0 */
/* Which samples of a recording to use: --comms, --pid, --tid, --cpu, --time, --symbols, --dsos. */
#ifndef TOOL_CHOICE_H
#define TOOL_CHOICE_H

#include <plumb/spe_filter.h>
#include <plumb/symbol.h>

#include "tool/times.h"

struct code_reader;

/* The options' values; NULL: not given. */
struct choice_options {
	const char *comms, *pids, *tids, *cpus, *time, *symbols, *dsos;
};

/* A list of names or numbers, "a,b,c". */
struct choice_list {
	char **at; /* pieces of `text` */
	size_t count;
	char *text;
};

struct choice {
	struct choice_list comms, pids, tids, symbols, dsos;
	struct time_ranges times;
	uint64_t *cpus; /* a bit each; NULL: all */
	/* With one, `symbols` may be code without a symbol, as plumb report names it. */
	struct plumb_symbolizer *symbolizer;
	/* Conditions on the instructions of an exact profile's samples, which then need a
	 * symbolizer; NULL: none. */
	const struct plumb_spe_filter *operations;
	uint32_t exact_type; /* of the PMU of these samples */
	struct code_reader *code;
};

/* Where percentages and relative times come from. */
struct choice_input {
	const char *path; /* of the recording, which may be read once more */
	const struct plumb_recording *recording;
	bool relative; /* times count from the first sample */
	struct plumb_diagnostics *diagnostics;
};

/*
 * Reads the options into `choice`, which is zeroed. Returns an exit status, after printing an error
 * if a value is invalid. Free `choice` in any case.
 */
int choice_read(struct choice *choice, const struct choice_options *options,
		const struct choice_input *input);
void choice_free(struct choice *choice);

/* Leaves those samples of an exact profile whose instruction does what `filter` asks for. */
void choice_add_operations(struct choice *choice, const struct plumb_spe_filter *filter,
			   uint32_t exact_type);

/* Returns whether any of the options is given. */
bool choice_is_given(const struct choice_options *options);
/* Returns whether an event only tells about threads and mappings, and makes no samples. */
bool choice_is_dummy(const struct plumb_event_attr *attr);
/* Checks that samples of an event can be chosen. Prints an error and returns false otherwise. */
bool choice_check_event(const struct choice *choice, const struct plumb_event_attr *attr);

/* Returns whether choice_wants() always returns true. */
static inline bool choice_is_all(const struct choice *choice)
{
	return !choice->cpus && !choice->times.count && !choice->comms.count &&
	       !choice->pids.count && !choice->tids.count && !choice->dsos.count &&
	       !choice->symbols.count && !choice->operations;
}
/* Returns whether choice_wants() looks at the location. */
static inline bool choice_needs_location(const struct choice *choice)
{
	return choice->dsos.count || choice->symbols.count || choice->operations;
}
/* Returns what choice_wants() looks at: PLUMB_WANTS_* bits. */
unsigned choice_looks_at(const struct choice *choice);
/* Returns whether to use a sample. `location` may be NULL if choice_needs_location() is false. */
bool choice_wants(const struct choice *choice, const struct plumb_record *record,
		  const struct plumb_task *task, const struct plumb_location *location);
/* Returns whether to use a record of any type, by its CPU. */
bool choice_wants_cpu(const struct choice *choice, const struct plumb_record *record);

/*
 * Splits a choice as perf does: into what leaves samples out (times, CPUs and operations), and what
 * only chooses which of the others to show. Both parts share the memory of `choice`.
 */
void choice_split(const struct choice *choice, struct choice *kept, struct choice *shown);

/* An address, in a file unless `length` is 0: "FILE+0xADDRESS" or "0xADDRESS". */
struct choice_place {
	const char *file; /* its name, of `length` bytes, in the text that was read */
	size_t length;
	uint64_t address;
};

/* Reads a place. Returns false if `text` is none. */
bool choice_read_place(const char *text, struct choice_place *place);
/* Returns whether a place can be in a file, by the file's path or name; NULL: no known file. */
bool choice_place_fits(const struct choice_place *place, const struct plumb_symbol_file *file);

#endif
