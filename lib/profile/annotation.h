/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an annotation: include/plumb/annotate.h. */
#ifndef PROFILE_ANNOTATION_H
#define PROFILE_ANNOTATION_H

#include <plumb/annotate.h>

#include "disasm/replay.h"
#include "profile/loop_times.h"
#include "profile/profile.h"
#include "symbol/table.h"

/* What a number that is added up for an instruction says. */
enum series_kind {
	SERIES_WEIGHT,  /* of samples of an event */
	SERIES_WINDOWS, /* slots by group of windows */
	SERIES_CAUSE,   /* slots, or cycles from issue to completion, with a name */
	SERIES_ENDLESS, /* SPE records whose counters ended before the operation did, with a name */
	SERIES_EXECUTIONS,
	SERIES_RETIRED, /* SPE records of operations that retired */
	SERIES_ACCESSES,
	SERIES_MISSES,
	SERIES_BRANCHES,
	SERIES_MISPREDICTIONS,
	SERIES_TAKEN,
	SERIES_MISPREDICTED_TAKEN,
	SERIES_TOTAL_LATENCY,
	SERIES_ISSUE_LATENCY,
	SERIES_OFFSETS, /* where accesses began: `offsets` and pages of a cell, without a sum */
};

struct series {
	enum series_kind kind;
	enum plumb_annotation_basis basis; /* that it belongs to */
	const char *name;                  /* of a cause, or of an event */
	const struct plumb_recorded_event *event;
	uint64_t samples;
};

/* The sum of a series at an instruction. */
struct cell {
	struct plumb_symbol_file *file;
	const struct plumb_symbol *symbol; /* NULL: unknown */
	uint64_t address;
	uint32_t series;
	uint32_t samples;
	union {
		double sum;
		uint64_t offsets; /* bit n: n bytes into a line of 64 */
	};
	uint32_t first_page, last_page; /* of 4 KiB, modulo 2^32; SERIES_OFFSETS has them */
	double *groups; /* by group of windows, as groups_add() makes them; NULL: none */
};

/* A function with its cells: cells[first] ... */
struct ranked {
	struct plumb_annotated_function public;
	size_t first, count;
	double retired; /* SPE records of operations that retired */
	double records; /* all SPE records */
	double *slots;  /* of each instruction, by its replay; NULL: not replayed yet */
	struct replay_shares *shares; /* likewise */
	double ticks;                 /* that it took, by the records' timestamps; 0: unknown */
	double low, high;             /* the interval of its estimated share; NaN: none */
};

/* The part of a file that plumb_annotation_options asks for, as if it were a function. */
struct file_part {
	struct file_part *next;
	struct plumb_symbol_file *file;
	struct plumb_symbol symbol;
	char name[48];
};

struct plumb_annotation {
	struct plumb_annotation_options options;
	const struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct text_table texts;
	uint32_t exact_type;
	bool filtered; /* SPE records are only of some operations */
	struct grouping grouping;

	struct series *series;
	uint32_t series_count;
	struct cell *cells;
	size_t cell_count, cell_room;
	struct index_table by_place;
	struct file_part *parts; /* of each file with samples */
	uint64_t without, given_up;
	size_t grouped_cells;    /* that have groups */
	bool groups_are_missing; /* of some cells, to limit memory */
	struct loop_times times;

	/* Since plumb_annotation_finish(). */
	struct plumb_annotation_summary summary;
	struct ranked *functions; /* summary.function_count, and after them those without a rank */
	size_t functions_in_all;
	double *usual;  /* of each series of cycles: the mean */
	double *groups; /* of all slots, by group of windows; NULL: there are no intervals */
};

/*
 * annotated_code.c: computes the slots that a function's samples cost, by a replay; NaN: there can
 * be none. Returns an error as plumb_annotation_code().
 */
int annotation_slots(const struct plumb_annotation *annotation, struct ranked *function,
		     double *slots);

/*
 * annotation_unknown.c: finds the heaviest of the code without a function, among sorted cells, and
 * whether it leads: it has more weight than the heaviest function.
 */
void annotation_find_unknown(struct plumb_annotation *annotation, double heaviest_function);

/* Tells whether a series is part of the weight of functions. */
static inline bool series_weighs(const struct series *series,
				 const struct plumb_annotation_summary *summary)
{
	if (series->basis != summary->basis)
		return false;
	switch (summary->basis) {
	case PLUMB_BASIS_SLOTS:
		return series->kind == SERIES_CAUSE;
	case PLUMB_BASIS_LATENCY:
		return series->kind == SERIES_TOTAL_LATENCY;
	case PLUMB_BASIS_EVENT:
		return series->kind == SERIES_WEIGHT && series->name == summary->event;
	case PLUMB_BASIS_NONE:
		break;
	}
	return false;
}

#endif
