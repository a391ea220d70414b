/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: adds up the samples of a recording by function, file, thread, line, address or any
 * other key, and estimates each row's share with its 95 % confidence interval.
 *
 *	plumb_profile_new(&options, recording, symbolizer, &profile);
 *	plumb_profile_add(profile, samples);
 *	plumb_profile_finish(profile, plumb_samples_totals(samples));
 *	for (size_t i = 0; plumb_profile_row(profile, 0, i, &row); i++) ...
 *
 * Each event has its own rows. Shares are of periods, as in perf: a sample counts as many times as
 * its event happened since the previous sample. Exact recordings (`plumb record --exact`) have
 * shares without intervals.
 *
 * Memory does not grow with the number of samples: if there are too many rows, the smallest are
 * dropped, and counted. Only names (of threads, files and lines) are kept forever, each once. One
 * thread at a time may use a profile.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_PROFILE_H
#define PLUMB_PROFILE_H

#include <plumb/samples.h>
#include <plumb/symbol.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Keys ------------------------------------------------------------------------------------ */

enum plumb_profile_key {
	PLUMB_KEY_SYMBOL, /* the function; without a symbol, where in its file it begins */
	PLUMB_KEY_DSO,    /* the file's name, without its folder */
	PLUMB_KEY_COMM,
	PLUMB_KEY_PID,
	PLUMB_KEY_TID,
	PLUMB_KEY_CPU,
	PLUMB_KEY_SRCLINE, /* "file.c:12" */
	PLUMB_KEY_SRCFILE, /* "file.c" */
	PLUMB_KEY_IP,      /* the instruction's address */
	/* For SPE records; other samples have no value. */
	PLUMB_KEY_OP,          /* "load", "store", "branch", "other" */
	PLUMB_KEY_SUBCLASS,    /* "simd-fp" */
	PLUMB_KEY_EVENT,       /* what happened to the operation; otherwise the event's name */
	PLUMB_KEY_DATA_SOURCE, /* "L2" */
	/* For samples with a data address. */
	PLUMB_KEY_CACHE_LINE, /* the address of 64 bytes */
	PLUMB_KEY_PAGE,       /* the address of 4 KiB */
	PLUMB_KEY_OFFSET,     /* within its cache line */
	/*
	 * The innermost inlined function, "name (inlined)"; otherwise as SYMBOL. With it, what
	 * functions are inlined into is their caller: in call paths, and for `children`.
	 */
	PLUMB_KEY_INLINE,
	/* For SPE records, too. */
	PLUMB_KEY_GROUP,         /* perf's groups: "l1d-access tlb-access" */
	PLUMB_KEY_BRANCH_TARGET, /* the address that a branch led to */
	PLUMB_KEY_SYMBOL_TO,     /* the function there */
	PLUMB_KEY_LATENCY,       /* total latency in cycles; of other samples, the weight */
	PLUMB_KEY_TIME,          /* seconds, rounded down to a tenth, as in perf */
	/* For all samples that say how the instruction accesses memory, such as perf mem's. */
	PLUMB_KEY_ACCESS, /* "load", "store", or "atomic", which may do both */
	PLUMB_KEY_BYTES,  /* accessed by the instruction in the cache line; exact profiles only */
	PLUMB_KEY_LATENCY_RANGE, /* LATENCY between powers of two, as in histograms: "16-31" */
	/* Of samples with a data address: the variable of a mapped file that it is in; its file. */
	PLUMB_KEY_DATA_SYMBOL,
	PLUMB_KEY_DATA_DSO,
	/* Where a branch led to, as SYMBOL_TO: the file, and the line. */
	PLUMB_KEY_DSO_TO,
	PLUMB_KEY_SRCLINE_TO,
	PLUMB_KEY_MISPREDICT, /* of a branch: "Yes" or "No" */
	PLUMB_KEY_CYCLES,     /* of an entry of a branch stack: since the branch before it */
	/* Of samples with perf's data source, in its words; SPE records have what perf makes of
	 * them. */
	PLUMB_KEY_SNOOP,            /* "HitM" */
	PLUMB_KEY_TLB,              /* "Walker miss" */
	PLUMB_KEY_LOCKED,           /* "Yes" */
	PLUMB_KEY_BLOCKED,          /* "Data" */
	PLUMB_KEY_PHYSICAL_ADDRESS, /* of the data */
	/* Of samples that have it: how large the page is that the data, or the code, is in: "4K".
	 */
	PLUMB_KEY_DATA_PAGE_SIZE,
	PLUMB_KEY_CODE_PAGE_SIZE,
	PLUMB_KEY_SOCKET, /* of the CPU */
	PLUMB_KEY_CGROUP, /* the path of the thread's control group; "unknown" without a record */
	PLUMB_KEY_CGROUP_ID,   /* the thread's namespace of control groups, "4/0xeffffffb" */
	PLUMB_KEY_SYMBOL_SIZE, /* of SYMBOL, in bytes */
	PLUMB_KEY_DSO_SIZE,    /* of the mapping of DSO that the instruction is in, in bytes */
	PLUMB_PROFILE_KEYS
};

/* The bit of plumb_profile_options.latencies for data sources. */
#define PLUMB_PROFILE_SOURCES 3

/* The maximum number of keys of a profile. */
#define PLUMB_PROFILE_KEYS_MAX 16

/* Returns the name of a key, such as "cache_line", or NULL for other numbers. */
PLUMB_API const char *plumb_profile_key_name(unsigned key);
/*
 * Returns the key with this name, or PLUMB_ERR_NOT_FOUND. perf's names work, too: "sym",
 * "dcacheline", "mem", "local_weight".
 */
PLUMB_API int plumb_profile_key_by_name(const char *name);

/* ---- Adding samples -------------------------------------------------------------------------- */

struct plumb_profile;

/* Which call paths to keep for each row. */
enum plumb_profile_paths {
	PLUMB_PATHS_NONE,
	PLUMB_PATHS_CALLEE, /* from the row's function to its callers */
	PLUMB_PATHS_CALLER, /* from the outermost caller to the row's function; with `children`,
			       from the row's function to what it called */
};

/* The most functions on a call path. If those that are inlined are too many, outer ones of an
 * address are left out. */
#define PLUMB_PROFILE_DEPTH 256

/* What may decide whether to add a sample: the members of its item, or its location. */
#define PLUMB_WANTS_THREAD   1 /* .task, and .pid, .tid and .cpu of .record */
#define PLUMB_WANTS_TIME     2 /* .time of .record */
#define PLUMB_WANTS_LOCATION 4

struct plumb_profile_options {
	size_t size;         /* sizeof(struct plumb_profile_options) */
	const uint8_t *keys; /* enum plumb_profile_key; copied */
	size_t key_count;    /* at most PLUMB_PROFILE_KEYS_MAX; 0: a row for each event */
	/* Also counts a sample for each of its callers, once for each row. */
	bool children;
	enum plumb_profile_paths paths;
	size_t rows_max;  /* of all events together; 0: 65536 */
	size_t nodes_max; /* of all call trees together; 0: 524288 */
	/* Also keeps the distribution of these latencies of SPE records: 1 << enum
	 * plumb_spe_counter each; and where data came from: 1 << PLUMB_PROFILE_SOURCES. */
	unsigned latencies;
	/*
	 * Tells whether to add a sample; NULL: all. `location` is that of its instruction. Samples
	 * left out count as filtered, which makes intervals wider.
	 */
	bool (*wants)(void *user, const struct plumb_samples_item *item,
		      const struct plumb_location *location);
	void *user;
	/*
	 * Treats the function that a call returns to as the caller, as perf does. Otherwise the
	 * caller is the function of the call: they differ if the called function never returns.
	 */
	bool by_return_address;
	/* Keeps what plumb_profile_topdown() needs for sampled groups of counters. */
	bool batches;
	uint32_t midr; /* the core that counted; 0: as the recording says */
	/*
	 * How many threads may add SPE records at once, the caller's included; 0: one for each CPU
	 * that the caller may run on. Results are the same for any number.
	 */
	unsigned threads;
	/*
	 * What `wants` looks at: PLUMB_WANTS_* bits; 0: anything. SPE records can then be added in
	 * batches. With PLUMB_WANTS_THREAD alone it is asked once for all records of a batch;
	 * without PLUMB_WANTS_LOCATION, `location` may be NULL, and several threads may ask at
	 * once.
	 */
	unsigned wants_by;
	/* Tells whether to add samples of an event; NULL: of all. Others are as if not recorded. */
	bool (*takes)(void *user, const struct plumb_recorded_event *event);
	/*
	 * Adds each branch of a sample's branch stack, by where it was, in place of the sample:
	 * with a period of 1, as perf report -b does. Samples without one, such as SPE records, are
	 * as if not recorded. Cannot be combined with `children`, `paths` or `batches`.
	 */
	bool branches;
	/*
	 * Tells instructions apart that are in no symbol, as perf does. Otherwise those of a
	 * function are one, if the file's call frame information says where it begins and ends.
	 */
	bool unnamed_by_address;
	/*
	 * Returns the name of the event that samples of `event` are added to, so that several add
	 * up as one; NULL: its own. Samples of all those events must be of the same kind.
	 */
	const char *(*counts_as)(void *user, const struct plumb_recorded_event *event);
	/*
	 * Tells whether a sample that `wants` accepts has a row; NULL: all have one. Others only
	 * count in what shares are of, so that shares and their intervals are those of a profile of
	 * all samples. Has no effect with `branches`.
	 */
	bool (*shows)(void *user, const struct plumb_samples_item *item,
		      const struct plumb_location *location);
	unsigned shows_by; /* what it looks at, as `wants_by`; 0: anything */
	/*
	 * With `children` and `shows`: rows of samples that it accepts, and of their callers, also
	 * count all other samples, as in perf.
	 */
	bool shows_callers;
};

/*
 * Makes an empty profile. `recording` and `symbolizer` must live as long as it. Returns 0,
 * NO_MEMORY, or ARGUMENT if `options` has no size, too many keys, an unknown one, or sets
 * members that this version lacks.
 */
PLUMB_API int plumb_profile_new(const struct plumb_profile_options *options,
				const struct plumb_recording *recording,
				struct plumb_symbolizer *symbolizer,
				struct plumb_profile **profile);
PLUMB_API void plumb_profile_free(struct plumb_profile *profile); /* accepts NULL */

/*
 * Adds the rest of a stream: counts its samples, and passes all other records to the symbolizer.
 * The stream's order must be PLUMB_ORDER_TASKS or PLUMB_ORDER_TIME: intervals depend on which
 * samples are neighbours. Samples of guests are left out, because their address spaces are unknown.
 * SPE records take a quarter of the time if the stream gives each of them once, and the profile has
 * neither call paths nor `children`, and no `wants` without `wants_by`; the stream's totals then
 * lack the groups, unless PLUMB_KEY_GROUP is a key. Returns 0, or an error of the stream; then,
 * what could be read was added.
 */
PLUMB_API int plumb_profile_add(struct plumb_profile *profile, struct plumb_samples *samples);

/*
 * Sorts rows, the largest first, and estimates their values. `totals` are those of the stream, and
 * say what its filter left out; NULL: nothing. Call it once, after the last sample. Returns 0 or
 * NO_MEMORY.
 */
PLUMB_API int plumb_profile_finish(struct plumb_profile *profile,
				   const struct plumb_samples_totals *totals);

/* ---- Results --------------------------------------------------------------------------------- */

/* A value with its 95 % confidence interval. NaN: unknown. Exact values have no interval. */
struct plumb_profile_estimate {
	double value, low, high;
};

/*
 * Returns the PMU type of the events of an exact profile, made by plumb record --exact, or 0 for
 * other recordings. Works for a truncated recording, too.
 */
PLUMB_API uint32_t plumb_profile_exact_type(const struct plumb_recording *recording);

/* An event with samples, in the order of their first samples. */
struct plumb_profile_event {
	const char *name; /* NULL: the recording gives none */
	const struct plumb_recorded_event *event;
	bool exact;    /* counted by the model, not sampled */
	bool spe;      /* its samples are SPE records */
	bool filtered; /* the SPE unit recorded only what passed a filter of its own */
	bool chains;   /* some of its samples have call chains */
	/* Some of its samples have a total latency, an access to the L1D cache, a branch. */
	bool latencies, l1d_accesses, branches;
	uint64_t samples; /* added */
	/* How many of these are SPE records of operations that did not retire, such as those on a
	 * mispredicted path. Excludes records without events. */
	uint64_t not_retired;
	uint64_t left_out;        /* samples that `wants` refused */
	uint64_t left_out_period; /* sum of their periods */
	uint64_t period; /* sum of the periods: how often the event happened, approximately */
	size_t row_count;
	/* What the limits on memory cost. */
	uint64_t given_up;      /* sum of the periods of dropped rows */
	uint64_t given_up_most; /* no row lacks more than this */
	uint64_t cut_off;       /* periods of call paths that were not kept in full */
	uint64_t saturated;     /* sum of the rows' */
	uint64_t stacks; /* branch stacks, if `branches` is set: the samples are their branches */
	/* Of an exact profile of a sampled run: how many windows of it were modelled, from which
	 * the counts of the rest are estimated, and the intervals of the rows' shares. 0:
	 * everything was counted. */
	uint64_t windows;
};
/* Returns how many of an event's samples `shows` refused, and the sum of their periods. */
PLUMB_API uint64_t plumb_profile_not_shown(const struct plumb_profile *profile, size_t event,
					   uint64_t *period);
/* Returns how many windows an exact profile of a sampled run has, all events together; 0: none. */
PLUMB_API uint64_t plumb_profile_windows(const struct plumb_profile *profile);
/* Describes the i-th event. Returns false past the end. */
PLUMB_API bool plumb_profile_event(const struct plumb_profile *profile, size_t i,
				   struct plumb_profile_event *event);

struct plumb_profile_row {
	uint64_t samples, period;                   /* of the row itself */
	uint64_t children_samples, children_period; /* with what it called; 0 without `children` */
	struct plumb_profile_estimate share;        /* 0 to 1, of the event's periods */
	struct plumb_profile_estimate children;     /* likewise */
	struct plumb_profile_estimate latency;      /* mean total latency in cycles */
	double latency_share;                       /* 0 to 1, of the sum of all total latencies */
	/* Shares, 0 to 1: of the accesses to the L1D cache, those that missed; of the branches that
	 * retired, those that were mispredicted. */
	struct plumb_profile_estimate l1d_misses, mispredictions;
	/* Records whose total latency is PLUMB_PROFILE_SATURATED: that or more. The mean is too
	 * low. */
	uint64_t saturated;
};
/* Counters of 12 bits, which most SPE units have, stop at so many cycles. */
#define PLUMB_PROFILE_SATURATED 4095
/* Describes the i-th row of an event after plumb_profile_finish(). Returns false past the end. */
PLUMB_API bool plumb_profile_row(const struct plumb_profile *profile, size_t event, size_t i,
				 struct plumb_profile_row *row);

/*
 * Estimates how many operations the i-th row of an event of SPE records stands for, those that did
 * not retire included: samples times the mean interval between two. If the unit filtered (see
 * plumb_profile_event.filtered), these are the operations that pass its filter, since it filters
 * after it has chosen a sample; then the interval allows for the chance that one passes. Samples
 * that the unit lost to collisions are not counted. The value is NaN for other events, and if the
 * interval is unknown.
 */
PLUMB_API struct plumb_profile_estimate
plumb_profile_operations(const struct plumb_profile *profile, size_t event, size_t i);

/* The kinds of latencies are those of enum plumb_spe_counter: total, issue and translation. */
#define PLUMB_PROFILE_LATENCIES 3
struct plumb_profile_latency {
	uint64_t samples; /* that have it */
	/* In cycles. Percentiles are accurate to 1 %; those below 128 cycles are exact. */
	double mean, p50, p90, p99;
	uint64_t saturated; /* of the samples; the mean is too low, and percentiles may be */
};
/*
 * Describes a latency of a row's samples. Returns false if they have none, if `latencies` lacks its
 * kind, or if there were too many rows to keep all.
 */
PLUMB_API bool plumb_profile_latency(const struct plumb_profile *profile, size_t event, size_t row,
				     unsigned kind, struct plumb_profile_latency *latency);

struct plumb_profile_bin {
	uint32_t low, high; /* in cycles, both included */
	uint64_t samples;
};
#define PLUMB_PROFILE_BINS 17
/*
 * Counts an event's samples by their latency: a bin for 0 cycles, and one for each power of two.
 * Returns how many bins there are up to the last one with samples; 0 if `latencies` lacks the kind.
 */
PLUMB_API size_t plumb_profile_histogram(const struct plumb_profile *profile, size_t event,
					 unsigned kind,
					 struct plumb_profile_bin bins[PLUMB_PROFILE_BINS]);

/* Room for a value that is a number. */
#define PLUMB_PROFILE_TEXT 512
/*
 * Returns a row's value of the k-th of the profile's keys as text, in `room` or in the profile's
 * memory; NULL if the samples have none. Text may come from the recording, and may contain
 * anything.
 */
PLUMB_API const char *plumb_profile_text(const struct plumb_profile *profile, size_t event,
					 size_t row, size_t k, char room[PLUMB_PROFILE_TEXT]);

/* A source of data, as the core names it. */
struct plumb_profile_source {
	uint16_t number;  /* of the data source packet */
	const char *name; /* NULL: unknown */
	uint64_t samples;
};
#define PLUMB_PROFILE_SOURCES_MAX 16
/*
 * Lists where the data of a row's SPE records came from, the source with the most samples first: at
 * most PLUMB_PROFILE_SOURCES_MAX. Sets `*samples` (of all sources), and returns the number; 0 if
 * there are none, or if `latencies` lacks PLUMB_PROFILE_SOURCES.
 */
PLUMB_API size_t plumb_profile_sources(
	const struct plumb_profile *profile, size_t event, size_t row,
	struct plumb_profile_source sources[PLUMB_PROFILE_SOURCES_MAX], uint64_t *samples);

/* What became of the slots of a row, as shares from 0 to 1. */
struct plumb_profile_topdown {
	/* Of an exact profile: counted by the model, or estimated from its windows of a sampled
	 * run, with intervals. Otherwise estimated from sampled counters, with intervals. */
	bool exact;
	uint64_t slots;
	struct plumb_profile_estimate share; /* of all slots */
	/* Of the row's slots; their sum is 1. Slots that a flush cost are bad speculation. */
	struct plumb_profile_estimate retiring, bad_speculation, frontend_bound, backend_bound;
	/*
	 * The largest cause of lost slots and its share; NULL: none. "slots_backend_mem/" of an
	 * exact recording, otherwise the metric, "backend_bound".
	 */
	const char *cause;
	double cause_share;
	/* Another cause of an exact profile, with nine tenths or more of the largest; NULL: none.
	 */
	const char *other_cause;
	double other_cause_share;
	size_t event, row; /* whose plumb_profile_text() has the row's values */
	/* The type of cores of a recording of several, "C1-Ultra"; NULL: there is one type. */
	const char *core;
};
/*
 * Adds up the slots of all events of a finished profile by the values of its keys, the rows with
 * the most slots first; if several types of cores were sampled, one type after another, each with
 * shares of its own slots. Events are those of an exact recording, or groups whose counts come with
 * each sample: CPU_CYCLES, and what the core's formulas of the first level take. Then the counts
 * since the previous sample are charged to the row of the sample. Free `*rows` with free(). Returns
 * 0, NO_MEMORY, or NOT_FOUND without such events.
 */
PLUMB_API int plumb_profile_topdown(const struct plumb_profile *profile,
				    struct plumb_profile_topdown **rows, size_t *count);
/*
 * Describes the slots of all events that have the values of this row of an event. With `children`,
 * the slots of an exact recording include those of called functions. The first call adds up all
 * rows. Returns 0, NO_MEMORY, or NOT_FOUND if there are no such slots, as for an event of
 * no core in a recording of several types of cores.
 */
PLUMB_API int plumb_profile_topdown_of(struct plumb_profile *profile, size_t event, size_t row,
				       struct plumb_profile_topdown *topdown);

/* A function on the call paths of a row, with the slots of the paths through it. */
struct plumb_profile_topdown_node {
	unsigned depth;   /* 0: a root */
	const char *name; /* of its function */
	struct plumb_profile_topdown slots;
	bool uncertain; /* as plumb_profile_node.uncertain */
};
/*
 * Returns the call tree of a row of plumb_profile_topdown(), in the order of plumb_profile_tree().
 * The array belongs to the profile and is valid until the next call. NULL: there is none, because
 * the profile has no `paths` or the row is not exact, or out of memory.
 */
PLUMB_API const struct plumb_profile_topdown_node *
plumb_profile_topdown_tree(struct plumb_profile *profile, const struct plumb_profile_topdown *row,
			   size_t *count);
/* Returns the slots of an exact recording that `wants` refused; 0 of others. */
PLUMB_API uint64_t plumb_profile_slots_left_out(const struct plumb_profile *profile);
/* Likewise returns the slots that are in no row, to limit memory: see rows_max. */
PLUMB_API uint64_t plumb_profile_slots_given_up(const struct plumb_profile *profile);

/* The most counts that plumb_profile_counts() adds up at once. */
#define PLUMB_PROFILE_COUNTS 8

/* Counts of an exact recording that have the same values of the profile's keys. */
struct plumb_profile_counts {
	uint64_t counts[PLUMB_PROFILE_COUNTS]; /* in the order of the names */
	size_t event, row;                     /* whose plumb_profile_text() has the values */
};
struct plumb_profile_counted {
	struct plumb_profile_counts *rows; /* those with the largest first count first, then by the
					      second, and so on; free with free() */
	size_t row_count;
	uint64_t total[PLUMB_PROFILE_COUNTS];    /* of all rows */
	uint64_t left_out[PLUMB_PROFILE_COUNTS]; /* what `wants` refused */
	uint64_t given_up[PLUMB_PROFILE_COUNTS]; /* of the total, what is in no row: see rows_max */
	bool known[PLUMB_PROFILE_COUNTS]; /* the recording has such an event; else nothing counted
					     it */
};
/*
 * Adds up counts of the events of a finished profile of an exact recording. `names` has
 * `name_count` lists of events: "INST_RETIRED", or "slots_bad_speculation slots_frontend_*", whose
 * counts are added up. Returns 0, NO_MEMORY, or ARGUMENT if the profile is not finished or the
 * names are too many.
 */
PLUMB_API int plumb_profile_counts(const struct plumb_profile *profile, const char *const *names,
				   size_t name_count, struct plumb_profile_counted *counted);

/* Tells whether such a list names an event, by the name that a recording has for it. */
PLUMB_API bool plumb_profile_is_named(const char *names, const char *event);
/*
 * Returns the events of an exact profile whose counts add up to those of event `name`, which the
 * profile need not have: "STALL_FRONTEND_*" for "STALL_FRONTEND", as plumb_profile_is_named() takes
 * them. Upper and lower case are the same. NULL: none are known.
 */
PLUMB_API const char *plumb_profile_parts(const char *name);
/* Returns the i-th name that plumb_profile_parts() knows, or NULL past the end. */
PLUMB_API const char *plumb_profile_total(size_t i);

/*
 * Why a cache line moves between cores. A byte is common if several threads use it, at least one
 * writes it, and that explains 5 % or more of the line's moves: an access by another thread than
 * the one that uses the byte most explains two, to that thread and back. The sizes of sampled
 * accesses are unknown: they count as different unless they begin at the same byte.
 */
enum plumb_sharing_kind {
	PLUMB_SHARING_TRUE,  /* for common bytes */
	PLUMB_SHARING_FALSE, /* no byte is common */
	PLUMB_SHARING_MIXED, /* 5 % or more of the moves were for accesses to other bytes */
};

/* A row of accesses to a cache line that several threads of a process use. */
struct plumb_profile_sharing {
	uint64_t line;    /* address of the cache line */
	uint64_t samples; /* of the line; in exact profiles, all accesses to it */
	unsigned threads; /* that use the line */
	enum plumb_sharing_kind kind;
	bool exact;        /* counted by the model, with `moves` */
	size_t event, row; /* of the access */
	uint64_t moves;    /* how often the line came from another core */
	uint64_t own;      /* samples of this access, or accesses */
	uint64_t own_moves;
};
/*
 * Lists accesses to the cache lines that several threads use and at least one writes. The profile's
 * keys must include CACHE_LINE, PID, TID, OFFSET and ACCESS, and should include BYTES. Accesses to
 * a line are adjacent. The line with the most samples comes first, or, if they are exact, the one
 * that moved most. Free `*shared` with free(). Returns 0, NO_MEMORY, or ARGUMENT if the profile
 * lacks a key or is not finished.
 */
PLUMB_API int plumb_profile_sharing(const struct plumb_profile *profile,
				    struct plumb_profile_sharing **shared, size_t *count);

/* A function on the call paths of a row. */
struct plumb_profile_node {
	unsigned depth;                      /* 0: a root */
	uint64_t period;                     /* of the paths through it */
	uint64_t own;                        /* ... that end at it */
	const char *name;                    /* of its function */
	struct plumb_profile_estimate share; /* 0 to 1, of the event's periods */
	/* Its interval overlaps that of the sibling before or after it: either may be larger. */
	bool uncertain;
};
/*
 * Returns the call tree of a row, each function before those below it, larger siblings first. The
 * array belongs to the profile and is valid until the next call. NULL: there is none, or out of
 * memory.
 */
PLUMB_API const struct plumb_profile_node *
plumb_profile_tree(struct plumb_profile *profile, size_t event, size_t row, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
