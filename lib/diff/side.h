/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A side of a comparison: what one or several runs of a build counted, by metric, event, function
 * and line.
 *
 *	side = diff_side_new("old");
 *	diff_side_add_counts(side, "old.json", bytes, size, diagnostics);
 *	error = diff_side_finish(side);
 *
 * If memory runs out, the side notes it, takes nothing more, and diff_side_finish() says so.
 */
#ifndef DIFF_SIDE_H
#define DIFF_SIDE_H

#include <jansson.h>

#include <plumb/profile.h>

#include "base/arena.h"
#include "stat/noise.h"

/* Comparisons of one view are accounted for together. */
enum diff_view { DIFF_METRICS, DIFF_EVENTS, DIFF_FUNCTIONS, DIFF_LINES, DIFF_VIEWS };

/* Returns "metrics", "events", "functions" or "lines". */
const char *diff_view_name(enum diff_view view);

/* What is compared. Texts are the side's. Two items of a side differ in `view` or a text. */
struct diff_key {
	enum diff_view view;
	/* Of a metric, an event or a function. A line's is "+3", its distance from the
	 * function's first line, which edits above do not change; or else "file.c:12". */
	const char *name;
	const char *of; /* what functions and lines are counted by: "slots", "cycles"; or "" */
	const char *in; /* the function of a line; otherwise "" */
};

struct diff_item {
	struct diff_key key;
	const char *unit;        /* "percent of slots"; "events" */
	const char *parent;      /* the metric above it in the decision tree; or NULL */
	bool additive;           /* a count: where it is missing, it is 0 */
	bool exact;              /* all its values are the model's */
	bool counted;            /* by plumb stat */
	bool modelled;           /* sampled from the model, whose runs do not differ otherwise */
	struct interval *values; /* one for each run that has it; without ends: no interval */
	size_t count, room;
	size_t run;       /* the last run that it has a value of */
	unsigned line;    /* of a line: its number */
	const char *file; /* of a line */
};

/* A kind of count by function, of which each run has a whole. */
struct diff_quantity {
	const char *name; /* struct diff_key.of */
	unsigned rank;    /* functions are ranked by the one with the highest */
	bool exact;
	size_t runs, run; /* how many have it, and the last one */
	double whole;     /* sum over the runs */
	double zero_high; /* how much of it a function without samples may have */
};

/* The code of a function, to be recognized under another name. */
struct diff_function {
	const char *name; /* must be first, likewise in the next: searches read it */
	uint32_t *words;  /* NULL: unknown */
	size_t count;     /* also known without words, with the hash */
	uint64_t hash;    /* of a baseline: see diff_code_hash(); 0: unknown */
	uint64_t address; /* of the first, as disassemblers show it */
	const char *file; /* where it is declared; NULL: unknown */
	unsigned line;
};

/* A function with samples in code of another one. */
struct diff_inlining {
	const char *function;
	const char *into; /* a symbol */
};

struct diff_declaration {
	const char *function; /* which samples are in, inlined or not */
	const char *file;     /* without its folder */
	unsigned line;
};

/* An event that a recording can have, whether it happened or not. */
struct diff_recorded_event {
	const struct diff_recorded_event *next;
	const char *name;
};

struct diff_names;

/* The recorded_source of a side that has each event that happened: what it lacks did not. */
#define DIFF_EXACT_PROFILE "exact profile of the model"

struct diff_side {
	const char *label; /* what messages call it: the operand */
	struct arena arena;
	struct diff_item *items;
	size_t item_count, item_room;
	uint32_t *slots; /* a hash table of the items' indexes plus 1 */
	size_t slot_count;
	struct diff_quantity *quantities;
	size_t quantity_count;
	struct diff_function *functions; /* by name, once finished */
	size_t function_count, function_room;
	struct diff_inlining *inlinings; /* by function, once sorted; each once */
	size_t inlining_count, inlining_room;
	struct diff_declaration *declarations; /* by file and line, once sorted */
	size_t declaration_count, declaration_room;
	const struct diff_names *names; /* which functions have values; NULL: those of symbols */
	size_t run;                     /* number of the run that is being added, from 1 on */
	size_t counted_runs, recorded_runs;
	int64_t time; /* when the newest file was written, seconds since 1970; 0: unknown */
	/* What must agree for a comparison to make sense; NULL: unknown. */
	const char *source, *cpu, *model;
	const char *recorded_source, *sampling;            /* of recordings */
	const struct diff_recorded_event *recorded_events; /* of exact profiles; each once */
	uint64_t seed;      /* of the model's random numbers, if `seeded` */
	bool seeded, seeds; /* all its files tell the same seed; they tell several */
	bool differs;       /* in these, between its own runs */
	bool failed;        /* a program failed */
	bool baseline;      /* read from a baseline file, which lacks functions with little */
	bool lacks_repeats; /* a file has the mean of several runs, without each one's values */
	bool no_memory;
};

/* Makes an empty side. Returns NULL if out of memory. */
struct diff_side *diff_side_new(const char *label);
void diff_side_free(struct diff_side *side); /* accepts NULL */

/* Begins a run: what is added next belongs to it. */
void diff_side_begin_run(struct diff_side *side);
/* Returns to a run, by its number; what is added next must be new to it. */
void diff_side_return_to_run(struct diff_side *side, size_t run);

/*
 * Adds a value of the current run; a second one for the same key is added to the first. Returns the
 * item until the next call, or NULL if out of memory. The caller sets what else it knows of it.
 */
struct diff_item *diff_side_add(struct diff_side *side, const struct diff_key *key,
				const struct interval *value, bool exact);

/* Finds an item, or NULL. */
const struct diff_item *diff_side_find(const struct diff_side *side, const struct diff_key *key);

/* Tells whether a side has anything of a view. */
bool diff_side_has(const struct diff_side *side, enum diff_view view);

/* Finds or makes a quantity; NULL: out of memory. */
struct diff_quantity *diff_side_quantity(struct diff_side *side, const char *name);
const struct diff_quantity *diff_side_find_quantity(const struct diff_side *side, const char *name);
/*
 * Returns what functions are ranked by: slots, or else cycles, SPE latency, or the first; NULL:
 * there is none.
 */
const struct diff_quantity *diff_side_main(const struct diff_side *side);

/* Tells whether a side has each event that happened: what it lacks did not happen. */
bool diff_side_has_all_events(const struct diff_side *side);

/* Notes an event that a recording can have; a name that is known is noted once. */
void diff_side_note_event(struct diff_side *side, const char *name);

/*
 * Keeps a text, as valid UTF-8: a baseline cannot have other names, and those of a recording are
 * compared with them. NULL if out of memory.
 */
const char *diff_side_keep(struct diff_side *side, const char *text);

/* Returns the length of a name without what the compiler adds for parts and copies. */
size_t diff_base_length(const char *name);

/* Adds a function, zeroed but for its name. Returns NULL, and notes it, if out of memory. */
struct diff_function *diff_side_add_function(struct diff_side *side, const char *name);

/* Sorts functions, inlinings and declarations. */
void diff_side_sort_code(struct diff_side *side);

/* The next search what is sorted. Finds a function's code by name, or NULL. */
const struct diff_function *diff_side_function(const struct diff_side *side, const char *name);

/*
 * Returns the function with this name, or one of its parts and copies, after `last` (NULL: the
 * first); NULL: there are no more. Each name is returned once.
 */
const struct diff_function *diff_side_next_symbol(const struct diff_side *side, const char *name,
						  const struct diff_function *last);

/* Returns what a function is inlined into, and how many there are. */
const struct diff_inlining *diff_side_inlined(const struct diff_side *side, const char *name,
					      size_t *count);

/* Returns the last function that is declared at or above a line, or NULL. */
const struct diff_declaration *diff_side_declared(const struct diff_side *side, const char *file,
						  unsigned line);

/* Sets what is known of where counts come from, and notes if earlier runs differ. */
void diff_side_describe(struct diff_side *side, const char **member, const char *text);

/* Sets the seed of a file. */
void diff_side_set_seed(struct diff_side *side, uint64_t seed);

/* Completes counts that some runs lack with 0. Returns 0 or NO_MEMORY. */
int diff_side_finish(struct diff_side *side);

/* ---- Inputs -----------------------------------------------------------------------------------
 */

/* Limits on what files may say; more is an error. */
#define DIFF_RUNS_MAX  10000
#define DIFF_ITEMS_MAX 4000000

/*
 * Tells what a file is by its first bytes: JSON begins with '{'. A baseline says so itself.
 */
bool diff_is_json(const char *bytes, size_t size);

/*
 * Adds the counts of `bytes`: what plumb stat --json printed, or a baseline. Returns 0, or SYNTAX,
 * INVALID or NO_MEMORY, with a finding; then the side must not be used.
 */
int diff_side_add_counts(struct diff_side *side, const char *path, const char *bytes, size_t size,
			 struct plumb_diagnostics *diagnostics);

/* baseline.c: adds a baseline, an object of JSON; for diff_side_add_counts(). */
int diff_side_add_baseline(struct diff_side *side, const char *path, json_t *object,
			   struct plumb_diagnostics *diagnostics);

/* A recording is read once for each of these. The first finds the functions. */
enum diff_pass { DIFF_PASS_WHOLE, DIFF_PASS_FUNCTIONS, DIFF_PASS_LINES, DIFF_PASSES };

struct diff_recording {
	const struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct plumb_samples *samples;
	bool modelled;                        /* the model made it */
	uint64_t seed;                        /* then: of its random numbers */
	struct plumb_profile_options options; /* .wants and the like; keys are set here */
	const uint8_t *keys;                  /* instead of the function; NULL: the function */
	size_t key_count;
};

/* Adds a pass over a recording to the current run. Returns 0, or an error of the stream. */
int diff_side_add_recording(struct diff_side *side, enum diff_pass pass,
			    const struct diff_recording *from);

#endif
