/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads counts that other tools took:
 *
 *     perf stat -j      one JSON object per line
 *     perf stat -x SEP  one line per event; any separator
 *     topdown-tool      CSV of metrics (time,group,stage,level,metric,value,units) or of events
 *                       (run,time,event,value), recognized by its headings
 *     a table           CSV with a column per event and a row per function or time, such as
 *                       Streamline exports; each column is added up
 *
 * With perf's -I there is a part per interval, with -A and --per-* a unit per CPU, core or thread.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <plumb/error.h>

#define IMPORT_BYTES_MAX ((size_t)64 << 20)
#define IMPORT_ROWS_MAX  ((size_t)1 << 20)
#define IMPORT_NAMES_MAX 1024
#define IMPORT_UNITS_MAX 4096
#define IMPORT_PARTS_MAX 20000
#define IMPORT_CELLS_MAX ((size_t)16 << 20) /* parts times units times names */

enum import_format {
	IMPORT_ANY, /* recognize it */
	IMPORT_PERF_JSON,
	IMPORT_PERF_CSV,
	IMPORT_TOPDOWN_TOOL,
	IMPORT_TABLE,
};

/* One value of the input. */
struct import_row {
	size_t name; /* into .names */
	size_t unit; /* into .units */
	double time; /* when its interval ended, in seconds; NaN: there are no intervals */
	double value;
	double running_ns; /* on a counter; NaN: unknown */
	double percent;    /* of the time enabled */
};

/* What a name stands for is the caller's to find out: it may be of an unknown event. */
struct import_name {
	char *text;
	char *group; /* of a metric, as topdown-tool writes it; NULL: none */
	bool metric; /* the value is a metric's */
	bool column; /* the heading of a table's column: may be neither event nor metric */
	bool gaps;   /* some rows of the table have no number for it: it has no sum */
	bool msec;   /* its values were milliseconds; they are nanoseconds now */
	/* The spread over perf's repeats: standard error in percent of the mean; NaN: unknown. */
	double deviation;
};

/* A CPU, core, thread or control group that was counted separately. */
struct import_unit {
	char *text;    /* as perf stat -x names it; NULL: everything */
	char *cgroup;  /* or NULL */
	unsigned cpus; /* how many CPUs or threads it comprises; 0: unknown */
};

struct import {
	enum import_format format; /* of the first file */
	struct import_name *names;
	size_t name_count;
	struct import_unit *units;
	size_t unit_count;
	struct import_row *rows;
	size_t row_count;
	bool repeats;  /* values are means over repeats of the program */
	bool plain;    /* the last file was perf stat's text for people, which cannot be read */
	bool summary;  /* of the intervals was left out */
	size_t starts; /* how often perf wrote that it started, in all files */
	size_t starts_most; /* and in the file where it did so most often */
	/* Internal. */
	size_t row_room;
};

void import_begin(struct import *import);
void import_end(struct import *import);

/*
 * Adds what a file contains. `separator` is perf's -x or a table's, or NULL to recognize it.
 * Returns 0; SYNTAX, INVALID or LIMIT with a finding; or NO_MEMORY.
 */
int import_read(struct import *import, enum import_format format, const char *separator,
		const char *path, const char *bytes, size_t size,
		struct plumb_diagnostics *diagnostics);

/* Returns the name of a format: "perf stat -j". */
const char *import_format_name(enum import_format format);

/* ---- values by part, unit and name: combine.c ------------------------------------------------ */

struct import_cell {
	double value; /* NaN: not counted */
	double running_ns, enabled_ns;
	unsigned times; /* how many values it is the mean of */
};

/*
 * The cell of a part, a unit and a name is at (part * unit_count + unit) * name_count + name. perf
 * repeats an event that is in several of its groups: the cell is then the mean.
 */
struct import_table {
	struct import_cell *cells;
	double *times; /* of the parts, in ascending order; NaN: the only one */
	size_t part_count;
};

/* Returns 0, NO_MEMORY, or LIMIT with a finding. Free with import_table_free(). */
int import_combine(const struct import *import, struct import_table *table,
		   struct plumb_diagnostics *diagnostics);
void import_table_free(struct import_table *table);

#endif
