/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the samples of each loss, and of the work, by code address and by data address. */
#ifndef PROFILE_EVIDENCE_H
#define PROFILE_EVIDENCE_H

#include <plumb/findings.h>

#include "profile/helpers.h"
#include "profile/weigh.h"

#define EVIDENCE_PLACES_MAX (1u << 17)
#define EVIDENCE_EVENTS     256 /* of a recording, whose part in the losses is remembered */
#define EVIDENCE_LINE       64
/* The losses, by their index in the diagnosis; the work that was done comes after them. */
#define EVIDENCE_PARTS (PLUMB_LOSSES_MAX + 1)

struct sum {
	double weight, squares;
	uint64_t samples;
};

static inline void sum_add(struct sum *sum, double weight)
{
	sum->weight += weight;
	sum->squares += weight * weight;
	sum->samples++;
}

/* A variable in a cache line. */
struct evidence_variable {
	const struct plumb_symbol *symbol;
	uint64_t start; /* the address of its first byte, which may be before the line */
	double weight;
};

/* How many variables of a line are known: the one that weighs least gives way to a new one. */
#define EVIDENCE_VARIABLES 4

/* An instruction, a variable, or a cache line. Equal places have the same keys. */
struct evidence_place {
	uint64_t key[2];
	struct plumb_location location;
	struct evidence_variable variables[EVIDENCE_VARIABLES]; /* accessed in this cache line */
	uint8_t variable_count;
	uint64_t line; /* of data: its address */
	bool variable; /* the location's symbol, and no single line of it */
	bool atomic;   /* of code: a call of a helper that is one atomic operation */
	/* In the table of code that was looked up: whether it has no line of the program's own
	 * source, and whether such a line has inlined it. */
	bool bare, inlined;
	struct sum sums[EVIDENCE_PARTS];
};

struct evidence_table {
	struct evidence_place *at;
	size_t count, room;
	uint32_t *slots; /* a hash table of indexes, plus 1 */
	size_t slot_count;
};

/* What shows the places of a loss. */
enum evidence_basis { EVIDENCE_NOTHING, EVIDENCE_EXACT, EVIDENCE_SPE, EVIDENCE_EVENTS_SAMPLED };

struct evidence_loss {
	const struct weigh_cause *cause; /* or NULL */
	enum evidence_basis basis, data_basis;
	enum weigh data_weigh;
	struct sum code, data; /* of all */
	struct weigh_mean code_mean, data_mean;
	const char *event; /* whose samples show it, for the basis */
	/* Whose samples tell who called code that SPE records are in; NULL: none does. */
	const char *callers_event;
};

struct evidence {
	const struct plumb_diagnosis *diagnosis;
	const struct plumb_spec *spec;
	struct plumb_symbolizer *symbolizer;
	uint32_t exact_type;
	struct evidence_loss losses[EVIDENCE_PARTS];
	unsigned count; /* of these: one more than losses */
	struct evidence_table code, data;
	/* Code by whose source it is. The losses have none of most of it: samples that only tell
	 * callers are in it, too. */
	struct evidence_table looked;
	/* The nearest callers with a line of source, of code without; of samples with chains. */
	struct evidence_table callers;
	/*
	 * Calls from there into places of `called`, by the samples with chains for each loss that
	 * has none: into an instruction of an exact profile, else into a function.
	 */
	struct evidence_table calls, called;
	bool full;         /* places of the losses were left out */
	bool callers_full; /* callers were left out */
	/* Who calls libgcc's helpers for atomics, by the samples of this cause; NULL: not asked. */
	const struct weigh_cause *shared;
	struct helpers helpers;
	bool shared_out;       /* what a helper has was shared out among several callers */
	bool calls_shared_out; /* so were moves of lines in code without a line of source */
	/* For recently seen events: the losses that their samples show, a bit each, and those whose
	 * callers they show. */
	struct evidence_seen {
		const struct plumb_recorded_event *event;
		uint32_t losses, callers;
	} seen[EVIDENCE_EVENTS];
};

/* Zero it first. Chooses what shows each loss in the recording. */
void evidence_begin(struct evidence *evidence, const struct plumb_diagnosis *diagnosis,
		    const struct plumb_spec *spec, const struct plumb_recording *recording,
		    struct plumb_symbolizer *symbolizer);
void evidence_free(struct evidence *evidence);
/* Adds a sample. Returns 0 or NO_MEMORY. */
int evidence_add(struct evidence *evidence, const struct plumb_samples_item *item);

/* Shares out what has no call chains among the callers: helpers, moves. Returns 0 or NO_MEMORY. */
int evidence_finish(struct evidence *evidence);

/* Of a loss, from here on it is told that callers share it. */
#define EVIDENCE_TOLD_SHARE 0.001

/* ---- who called: evidence_calls.c -------------------------------------------------------------
 */

/* Returns the event whose samples tell who called: a node's own, or else cycles; NULL: none does.
 */
const char *evidence_chained_event(const struct plumb_recording *recording, const char *own);
/* Returns whether a loss is of moves of lines, which an exact profile has without call chains. */
bool evidence_is_of_moves(const struct evidence_loss *loss);
/* Returns whether samples of an event tell who called for loss `i`. */
bool evidence_shows_callers(const struct evidence *evidence,
			    const struct plumb_recorded_event *event, unsigned i);
/* Returns whether the code at a location has no line of its own. */
bool evidence_is_bare(struct evidence *evidence, const struct plumb_location *location);
/*
 * Notes who called code without source, for those of the losses, a bit each, whose own evidence has
 * no call chains. Returns 0 or NO_MEMORY.
 */
int evidence_note_call(struct evidence *evidence, const struct plumb_samples_item *item,
		       uint32_t losses);
/* Shares out what such code has among the calls that were noted. Returns 0 or NO_MEMORY. */
int evidence_share_out_calls(struct evidence *evidence);

/* ---- tables: evidence_table.c -----------------------------------------------------------------
 */

/*
 * Finds or makes a place. Places move when one is made. NULL: there are too many, with `*error` 0,
 * or NO_MEMORY.
 */
struct evidence_place *evidence_place(struct evidence_table *table, const uint64_t key[2],
				      int *error);
/* Returns the slot that a place has, or would have, in a table that is not empty. */
size_t evidence_slot(const struct evidence_table *table, const uint64_t key[2]);

/* Returns whether a recorded event is the one of a name, perhaps with modifiers. NULL is none. */
bool evidence_is_event(const char *recorded, const char *name);

/* Returns the events by which a node is sampled. */
struct plumb_indexes evidence_sample_events(const struct plumb_spec *spec, uint16_t metric);

/* Estimates a share in percent; without an interval if `exact`. */
void evidence_share(const struct sum *part, const struct sum *whole, bool exact,
		    struct plumb_finding_place *place);

#endif
