/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of `plumb import` share. */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H

#include <plumb/count.h>

#include "import/import.h"
#include "tool/options.h"
#include "tool/selecting.h"

#define NAME_UNKNOWN SIZE_MAX

/* What the names of an import stand for. */
struct import_names {
	struct plumb_event_list *events;
	size_t *event;    /* of each name: its index in `events`, or NAME_UNKNOWN */
	uint16_t *metric; /* of each name: into plumb_spec.metrics, or PLUMB_NONE */
	size_t elapsed;   /* the name of perf's duration_time, or NAME_UNKNOWN */
};

/*
 * Finds what the names stand for, and warns about unknown ones. Returns EXIT_FINE, or prints an
 * error and returns the exit status. In both cases call import_names_free().
 */
int import_names_find(const struct import *import, const struct plumb_spec *spec,
		      struct import_names *names, struct plumb_diagnostics *diagnostics);
void import_names_free(struct import_names *names);

struct import_options {
	struct common_options common;
	int format; /* enum import_format */
	bool csv, summary_only;
	struct selecting_options selecting;
	struct option_words events;
	const char *separator; /* of the input */
};

/* What is shown. */
struct import_selection {
	struct plumb_selection *selection;
	struct plumb_event_list *events; /* of -e */
	bool brief;                      /* nothing was asked for in particular */
};

/*
 * Selects what the options name, or else everything that the CPU has. Returns EXIT_FINE, or prints
 * an error and returns the exit status. In both cases call import_selection_free().
 */
int import_select(const struct import_options *options, const struct import_names *names,
		  const struct plumb_spec *spec, struct import_selection *selected);
void import_selection_free(struct import_selection *selected);

/* Reads a name of perf's, such as "S0-D1-C2", "N0" or "CPU3"; any other one is a thread. */
struct plumb_count_unit import_unit_of(const struct import_unit *from);

/* Diagnoses the counts and prints the results. Returns the exit status. */
int import_run(const struct import_options *options, const struct import *import,
	       const struct import_names *names, const struct plumb_spec *spec, char *const *files,
	       struct plumb_diagnostics *diagnostics);

#endif
