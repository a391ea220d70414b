/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks: adds up the samples of a recording by call stack, with inlined functions, for the formats
 * of other tools.
 *
 *	stacks_new(recording, symbolizer, STACKS_BY_ADDRESS | STACKS_BY_THREAD, &stacks);
 *	stacks_add(stacks, samples);
 *	for (size_t i = 0; i < stacks->row_count; i++) ...
 *
 * Each value is a sum over samples. An event has one main value: what a profile calls its period.
 * Nothing is left out, so sums are exactly those of a profile that gave up no row.
 *
 * Memory grows with the number of different stacks, but not with that of samples, unless their
 * times or details are kept.
 */
#ifndef PROFILE_STACKS_H
#define PROFILE_STACKS_H

#include "profile/profile.h"

#define STACKS_NONE UINT32_MAX

enum stacks_by {
	STACKS_BY_ADDRESS = 1 << 0, /* frames are addresses; otherwise, functions */
	STACKS_BY_THREAD = 1 << 1,  /* threads of one name are different */
	STACKS_BY_LABEL = 1 << 2,   /* so are CPUs and sources of data */
	STACKS_TIMES = 1 << 3,      /* keep each sample with its time */
	STACKS_DETAILS = 1 << 4,    /* keep what each sample that is not exact says, unless they are
				       too many */
};

/* What samples are kept for in detail: parts of it that many have in common, and their keys. */
enum stacks_part { STACKS_CODE, STACKS_OPERATION, STACKS_DATA, STACKS_PARTS };
#define STACKS_PART_KEYS 7

/* More samples than these are not kept in detail. */
#define STACKS_DETAILS_MOST 250000

/* A function. Texts belong to the stacks. */
struct stacks_function {
	const char *name;   /* without a symbol: as PLUMB_KEY_SYMBOL */
	const char *source; /* its file of source; NULL: unknown */
	struct plumb_symbol_file *file;
	bool inlined;        /* this is its code in another function */
	bool known;          /* it has a symbol, or a name in the debug information */
	uint64_t start, end; /* of its symbol, as the linker has it; 0: unknown */
	uint64_t base;       /* where the kernel, or its module, begins; 0: of a user's file */
};

/* A function at an address, with the line there. */
struct stacks_line {
	uint32_t function;
	unsigned line, column; /* 0: unknown */
};

/* An address of code: for a caller, one in its call. */
struct stacks_code {
	struct plumb_symbol_file *file; /* NULL: unknown */
	uint64_t address;               /* as in struct plumb_location */
	uint64_t linked;                /* as the linker has it, if that is known */
	/* The mapping in the first process, and the address in the file where it begins; 0: none.
	 */
	uint64_t map_start, map_end, map_offset;
	uint32_t first, lines; /* in `lines`: the innermost inlined function first */
	bool kernel;
};

/* A frame of the tree of all stacks. */
struct stacks_node {
	uint32_t parent; /* comes before it; STACKS_NONE: it is a root */
	uint32_t item;   /* in `codes`, or in `functions` */
};

struct stacks_thread {
	int32_t pid, tid; /* -1: unknown, or not asked for */
	const char *comm;
};

enum stacks_kind {
	STACKS_PERIOD,  /* how often the event happened */
	STACKS_SAMPLES, /* how many samples there are */
	STACKS_LATENCY, /* sum of the total latencies of SPE records */
	STACKS_EVENT,   /* SPE records with an event, such as a miss */
};

/* A kind of value that samples have. */
struct stacks_type {
	const char *name, *unit;
	const struct plumb_recorded_event *event;
	enum stacks_kind kind;
	bool main;        /* the event's main value */
	bool exact;       /* counted by the model */
	enum slots slots; /* that it counts */
	uint64_t total;
};

/* Samples of a stack, alike in everything that was asked for. */
struct stacks_row {
	uint32_t node; /* of the innermost frame */
	uint32_t thread;
	int32_t cpu;         /* -1: unknown, or not asked for */
	const char *source;  /* of the data; NULL: likewise */
	size_t first, cells; /* its values in `cells` */
};

/* A value of a row that is not 0. Most rows have values of few types. */
struct stacks_cell {
	uint32_t row, type;
	uint64_t value;
};

/* A value of a sample. */
struct stacks_moment {
	uint64_t time; /* ns */
	uint64_t value;
	uint32_t row, type;
};

enum stacks_flags {
	STACKS_ACCESS = 1 << 0, /* it looked into the L1 data cache */
	STACKS_MISS = 1 << 1,   /* and missed */
	STACKS_MISPREDICTED = 1 << 2,
	STACKS_RETIRED = 1 << 3,
};

/* What a sample says. */
struct stacks_detail {
	uint64_t time; /* ns */
	uint64_t period;
	uint32_t type;                               /* the first of its event's */
	uint32_t thread;                             /* in `threads` */
	int32_t cpu;                                 /* as in rows */
	uint32_t parts[STACKS_PARTS];                /* in the parts' values */
	uint16_t latencies[PLUMB_PROFILE_LATENCIES]; /* cycles; STACKS_NO_LATENCY: unknown */
	uint8_t flags;
};
#define STACKS_NO_LATENCY UINT16_MAX

/* Values that samples have in common: `count` times one text per key; NULL: none. */
struct stacks_values {
	const char **texts;
	uint64_t *linked; /* of code: its address as the linker has it */
	size_t count;
};

struct stacks {
	/* The result. */
	struct stacks_function *functions;
	struct stacks_line *lines;
	struct stacks_code *codes;
	struct stacks_node *nodes;
	struct stacks_thread *threads;
	struct stacks_row *rows;
	size_t function_count, line_count, code_count, node_count, thread_count, row_count;
	struct stacks_type *types;
	size_t type_count;
	uint64_t samples;          /* that were added */
	struct grouping grouping;  /* of the windows of a sampled run that exact values are from */
	struct stacks_cell *cells; /* by row, then by type */
	size_t cell_count;
	struct stacks_moment *moments; /* with STACKS_TIMES, in the order of the stream */
	size_t moment_count;
	bool timed; /* moments have times; those of exact profiles are not kept */
	/* With STACKS_DETAILS, in the order of the stream; none if there are too many. */
	struct stacks_detail *details;
	size_t detail_count;
	struct stacks_values values[STACKS_PARTS];

	/* How it is made. */
	unsigned by;
	struct plumb_profile *profile; /* for its tables; has no rows */
	struct code_table by_function, by_code, by_node, by_thread, by_row, by_cell;
	struct code_table by_part[STACKS_PARTS];
	size_t detail_room, text_room[STACKS_PARTS], linked_room[STACKS_PARTS];
	size_t details_most;
	bool crowded; /* there were too many to keep in detail */
	size_t function_room, line_room, code_room, node_room, thread_room, row_room, type_room,
		moment_room, cell_room;
	uint32_t *first; /* each event's first type; the profile has the events */
	size_t first_count;
	uint64_t time; /* of the last sample that has one */
	struct {
		const struct process *process;
		uint64_t generation;
		uint64_t ip;
		enum plumb_cpu_mode mode;
		size_t depth;
		struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
		uint32_t node; /* STACKS_NONE: there is none */
	} last;                /* the last sample's, which the next one often shares */
};

/*
 * Makes empty stacks; `by` has bits of enum stacks_by. `recording` and `symbolizer` must live as
 * long. Returns 0 or NO_MEMORY.
 */
int stacks_new(const struct plumb_recording *recording, struct plumb_symbolizer *symbolizer,
	       unsigned by, struct stacks **stacks);
void stacks_free(struct stacks *stacks); /* accepts NULL */

/*
 * Adds the rest of a stream, which should give each SPE record once: one sample, as in
 * plumb_profile_add(). Samples of guests are left out. Then names the types, so it is called once.
 * Returns 0, or an error of the stream; then, what could be read was added.
 */
int stacks_add(struct stacks *stacks, struct plumb_samples *samples);

/* Does the same with those samples for which `wants` returns true; NULL: all. */
int stacks_add_wanted(struct stacks *stacks, struct plumb_samples *samples,
		      bool (*wants)(void *user, const struct plumb_samples_item *item,
				    const struct plumb_location *location),
		      void *user);

/* Returns the i-th key of a part, or -1 behind the last. */
int stacks_part_key(enum stacks_part part, size_t i);

/* Returns a value of a row. */
uint64_t stacks_value(const struct stacks *stacks, size_t row, size_t type);

/* Returns whether viewers should see a type: it is the main one of its event, or not 0. */
static inline bool stacks_shows(const struct stacks_type *type)
{
	return type->main || type->total;
}

#endif
