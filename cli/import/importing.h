/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of `plumb import` share. */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H

#include <plumb/count.h>

#include "import/import.h"
#include "tool/options.h"

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
	bool csv;
	const char *separator; /* of the input */
};

/* Diagnoses the counts and prints the results. Returns the exit status. */
int import_run(const struct import_options *options, const struct import *import,
	       const struct import_names *names, const struct plumb_spec *spec, char *const *files,
	       struct plumb_diagnostics *diagnostics);

#endif
