/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: what a program loses, where in its code and on which data, what that means, and what
 * usually helps. A diagnosis says what; a recording of the same program says where.
 *
 *	plumb_findings_maker_new(&options, recording, symbolizer, &maker);
 *	while ((status = plumb_samples_next(samples, &item)) > 0)
 *		plumb_findings_maker_add(maker, item);
 *	plumb_findings_maker_finish(maker, &findings);
 *
 * They can be written as JSON and read again without the recording. doc/explore.md describes the
 * file and the folder that it is in.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_FINDINGS_H
#define PLUMB_FINDINGS_H

#include <stdio.h>

#include <plumb/diagnosis.h>
#include <plumb/samples.h>
#include <plumb/symbol.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what they are --------------------------------------------------------------------------- */

/* A function, a line of source, or data. NULL and 0: unknown. */
struct plumb_finding_place {
	const char *name; /* the function, also of a line; a variable, "heap+0x40", a range */
	const char *file; /* of a function: the program or library; of a line: the source */
	unsigned line;    /* 1-based */
	const char *text; /* of the line of source; the caller sets it */
	double share;     /* percent of the finding */
	double low, high; /* 95 % confidence interval; NaN: exact */
	uint64_t samples; /* 0: exact */
	uint64_t bytes;   /* of data: its size */
};

#define PLUMB_PLACES_MAX 10

struct plumb_finding_places {
	struct plumb_finding_place at[PLUMB_PLACES_MAX]; /* the largest first */
	unsigned count;
	const char *basis; /* what they share: "stalled cycles", "loads' latency" */
	bool exact;
	uint64_t samples; /* of the basis; 0: exact */
};

/* What shows more of a finding in the recording. */
enum plumb_finding_view {
	PLUMB_VIEW_NONE,
	PLUMB_VIEW_SAMPLES,  /* all samples, added up */
	PLUMB_VIEW_FUNCTION, /* the instructions of its first function */
	PLUMB_VIEW_SHARING,  /* the accesses to cache lines that threads share */
};

struct plumb_finding {
	const char *node;  /* of the decision tree: "backend_cache_l2d_bound" */
	const char *cause; /* the node, or what no tree has: "sharing", "dependency_chain" */
	double slots;      /* percent of all slots: see also .undivided */
	const char *brief, *means, *helps; /* as in struct plumb_advice */
	struct plumb_finding_places functions, lines, data;
	enum plumb_finding_view view; /* of the recording, which shows more */
};

/* Where a program does its work, in retired operations. Counts of 0: unknown. */
struct plumb_finding_work {
	struct plumb_finding_places functions, lines, callers; /* as of a finding */
};

/* A node of the tree with too few slots for a finding, whose parent has enough. */
struct plumb_ruled_out {
	const char *node;
	double slots; /* percent of all slots; NaN: not counted, so neither found nor ruled out */
};

#define PLUMB_RULED_OUT_MAX 32

/*
 * What a root of the tree loses in cycles that were partly used. The tree divides only stalled
 * cycles among causes, so no finding has these slots, though its cause may be behind them, too.
 */
struct plumb_undivided {
	const char *node;
	double slots;     /* percent of all slots */
	unsigned finding; /* the only one below the root, from 1 on; 0: there are others, or none */
};

#define PLUMB_UNDIVIDED_MAX 4

#define PLUMB_RANGES_MAX 8

/* When the program has a loss, from counts by interval. */
struct plumb_finding_when {
	bool known; /* false: too few intervals were counted, or not the node in half of them */
	/* No part of the run has much more of it than the rest; there are no ranges then. */
	bool throughout;
	double slots;     /* percent of the slots in the ranges; of the run, if it is throughout */
	double elsewhere; /* percent of the slots of the rest; NaN: it is throughout */
	struct {
		double from, to;    /* seconds of the source's time since the program began */
	} ranges[PLUMB_RANGES_MAX]; /* the first ones */
	unsigned range_count;       /* of all ranges; may be more than PLUMB_RANGES_MAX */
};

/* Made by the library; may grow. */
struct plumb_findings {
	const char *source; /* "model" */
	const char *label;  /* "model of neoverse-n3", or NULL */
	const char *cpu;    /* "Neoverse N3" */
	uint32_t midr;
	const char *const *command; /* NULL-ended; empty: none */
	const char *target;         /* what was measured instead of it: "process 42"; or NULL */
	double seconds;             /* counted, in the source's time */
	unsigned runs;              /* of the program, all together */
	int exit_status;            /* the program's, or 128 + the signal that ended it */
	bool interrupted;           /* not all was measured that should have been */
	const char *whole;          /* "slots", or "cycles" for trees that count cycles */
	enum plumb_verdict verdict;
	double work;                          /* percent of useful work; NaN: unknown */
	const struct plumb_finding *findings; /* the one with the most slots first */
	unsigned finding_count;
	const char *const *warnings; /* NULL-ended */
	const char *recording;       /* its name in the folder; NULL: there is none */
	/* Limits that coincide, so that removing one gains nothing, in a sentence; NULL: none. */
	const char *tie;
	/*
	 * For each finding, what kinds of operations its instructions are: "integer division".
	 * Only of what the core itself loses, and if the code could be read; else without places.
	 */
	const struct plumb_finding_places *waits;
	/* What the walk met and left, the largest first; those that were not counted come last. */
	const struct plumb_ruled_out *ruled_out;
	unsigned ruled_out_count;
	double least; /* percent of the slots that a finding has at least; NaN: unknown */
	const struct plumb_finding_when *when; /* for each finding */
	/*
	 * For each finding, the lines that called the code without lines of the program's own, such
	 * as a C library's, or in a header of the toolchain: of each call, the nearest own line,
	 * or else the nearest known one. Without call chains, there are none but of inlined code.
	 */
	const struct plumb_finding_places *callers;
	const struct plumb_finding_work *work_at;
	int signal; /* that ended the program; 0: none, or unknown */
	/* Those with `least` of the slots, in the tree's order. */
	const struct plumb_undivided *undivided;
	unsigned undivided_count;
};

/* Frees findings. Accepts NULL. */
PLUMB_API void plumb_findings_free(struct plumb_findings *findings);

/* ---- making them ----------------------------------------------------------------------------- */

/* A part of what was counted. */
struct plumb_finding_interval {
	double from, to;                  /* seconds since the program began */
	const struct plumb_count *counts; /* of it alone, in the layout of the counts' plan */
};

struct plumb_findings_options {
	size_t size; /* sizeof(struct plumb_findings_options) */
	const struct plumb_result *counted;
	const struct plumb_diagnosis *diagnosed; /* from it */
	/* What was measured, and how, as in struct plumb_findings. Copied. */
	const char *source, *label, *cpu, *target, *recording;
	uint32_t midr;
	const char *const *command, *const *warnings;
	double seconds;
	unsigned runs;
	int exit_status;
	bool interrupted;
	/*
	 * Returns a line of a source file, to be freed, or NULL: unknown. `folder`, which may be
	 * NULL, is what a relative path is relative to. NULL: lines have no text.
	 */
	char *(*source_line)(void *user, const char *file, const char *folder, unsigned line);
	void *user;
	const char *tie; /* as in struct plumb_findings. Copied. */
	/* Ordered by time; for plumb_finding_when. None: it is not known. */
	const struct plumb_finding_interval *intervals;
	size_t interval_count;
	int signal; /* as in struct plumb_findings */
};

struct plumb_findings_maker;

/*
 * Begins. Everything must live until the end. `recording` and `symbolizer` may be NULL: then
 * findings have no places. Returns 0, NO_MEMORY or ARGUMENT. Free with
 * plumb_findings_maker_free(), which accepts NULL.
 */
PLUMB_API int plumb_findings_maker_new(const struct plumb_findings_options *options,
				       const struct plumb_recording *recording,
				       struct plumb_symbolizer *symbolizer,
				       struct plumb_findings_maker **maker);
PLUMB_API void plumb_findings_maker_free(struct plumb_findings_maker *maker);

/*
 * Adds an item of the stream, in which each SPE record comes once. Memory is bounded: places past
 * the limit are left out, and make all shares too small. Returns 0 or NO_MEMORY.
 */
PLUMB_API int plumb_findings_maker_add(struct plumb_findings_maker *maker,
				       const struct plumb_samples_item *item);

/* Makes the findings. Call it once. Returns 0 or NO_MEMORY. */
PLUMB_API int plumb_findings_maker_finish(struct plumb_findings_maker *maker,
					  struct plumb_findings **findings);

/* ---- what to sample -------------------------------------------------------------------------- */

#define PLUMB_FINDINGS_SAMPLES 20000 /* that a run should give */

/* Room for the events to sample. */
#define PLUMB_FINDINGS_EVENTS 512

/*
 * Writes which events to sample for the losses of a diagnosis, with periods that give about
 * PLUMB_FINDINGS_SAMPLES samples, as -e takes them: "spe/load,period=2048/". `spe_interval` is the
 * least period of the SPE unit; 0: there is none. `counts`, with `user`, tells which events the
 * source counts. Returns false if there is nothing to sample.
 */
PLUMB_API bool plumb_findings_events(const struct plumb_result *counted,
				     const struct plumb_diagnosis *diagnosis, unsigned spe_interval,
				     bool (*counts)(const void *user, uint16_t code),
				     const void *user, char text[PLUMB_FINDINGS_EVENTS]);

/* ---- as a file ------------------------------------------------------------------------------- */

/* The names of what a folder of results has. */
#define PLUMB_FOLDER_FINDINGS  "findings.json"
#define PLUMB_FOLDER_COUNTS    "counts.json"
#define PLUMB_FOLDER_INTERVALS "intervals.json"
#define PLUMB_FOLDER_RECORDING "perf.data"

enum plumb_folder {
	PLUMB_FOLDER_ABSENT,    /* there is nothing at the path */
	PLUMB_FOLDER_EMPTY,     /* an empty folder */
	PLUMB_FOLDER_RESULTS,   /* a folder with findings, and nothing that does not belong there */
	PLUMB_FOLDER_OTHER,     /* a folder with something else */
	PLUMB_FOLDER_NO_FOLDER, /* not a folder */
};

/*
 * Tells what is at `path`. Returns an enum plumb_folder, or IO with errno. If `other` is not NULL,
 * sets it for OTHER to the first name that does not belong there; free it.
 */
PLUMB_API int plumb_folder_look(const char *path, char **other);

/* Writes findings as JSON. Returns 0, IO or NO_MEMORY. */
PLUMB_API int plumb_findings_write(const struct plumb_findings *findings, FILE *out);

/*
 * Reads the findings of a file that plumb_findings_write() wrote. It is not trusted. Returns 0, or
 * with a finding IO, LIMIT (more than PLUMB_FINDINGS_FILE_MAX bytes), SYNTAX, INVALID, UNSUPPORTED
 * (a newer version's) or NO_MEMORY.
 */
#define PLUMB_FINDINGS_FILE_MAX (4u << 20)
PLUMB_API int plumb_findings_read(const char *path, struct plumb_findings **findings,
				  struct plumb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
