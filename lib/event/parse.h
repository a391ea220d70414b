/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the reader of events, from the bottom up: names (names.c), modifiers (modifiers.c),
 * terms (terms.c, spe_terms.c), and the lists that they stand in (list.c).
 */
#ifndef EVENT_PARSE_H
#define EVENT_PARSE_H

#include <plumb/event.h>

#include "base/arena.h"

/* What a text is read with. */
struct event_reader {
	const struct plumb_event_options *options;
	struct plumb_diagnostics *diagnostics;
	struct arena *arena; /* for names */
};

/* A piece of the text. */
struct event_word {
	const char *at;
	size_t length;
};

/* Adds the finding "'WORD': message" and returns `error`. */
int event_refuse(const struct event_reader *reader, int error, struct event_word word,
		 const char *format, ...) PLUMB_PRINTF(4, 5);

/* A NUL-terminated copy of a word; NULL: no memory. */
char *event_copy(const struct event_reader *reader, struct event_word word);

/* ---- names.c --------------------------------------------------------------------------------- */

/*
 * Finds the event or metric called `word`, or by its numbers, "4:0x1b": kind and config are filled
 * in. Returns 0; NOT_FOUND, UNSUPPORTED, MACHINE or INVALID with a finding; NO_MEMORY; or
 * EVENT_UNKNOWN without a finding, which event_unknown() adds, with what was probably meant. That
 * returns NOT_FOUND.
 */
#define EVENT_UNKNOWN 1
int event_find(const struct event_reader *reader, struct event_word word,
	       struct plumb_event_config *config);
int event_unknown(const struct event_reader *reader, struct event_word word);

/* Adds the finding that this takes a PMU, and there is none. Returns MACHINE. */
int event_needs_pmu(const struct event_reader *reader, struct event_word word);

/* Whether a name is one of an SPE unit's PMU, or of a core's PMU. */
bool event_is_spe(const char *pmu);
bool event_is_core_pmu(const char *pmu);

/* "r1b", "r0x1b" or "0x1b". */
bool event_is_code(const char *text, uint16_t *code);

/* ---- modifiers.c ----------------------------------------------------------------------------- */

/* Whether it is made of letters that perf has as modifiers, in whatever number. */
bool event_are_modifiers(struct event_word letters);

/*
 * Adds modifiers to those that the event has already. `member` says that they are its group's, and
 * it does not lead it. Returns 0, or SYNTAX or UNSUPPORTED with a finding.
 */
int event_modify(const struct event_reader *reader, struct event_word letters, bool member,
		 struct plumb_event_config *config);

/* ---- terms.c, spe_terms.c -------------------------------------------------------------------- */

/* The numbers of a term's value; the hint says which. Returns 0, or INVALID with a finding. */
int event_term_number(const struct event_reader *reader, const char *key, const char *value,
		      uint64_t least, uint64_t most, uint64_t *number);

/*
 * Reads the terms between the slashes. `pmu` is what stands before them, NULL if that is an event
 * by itself. The kind of `config` is known: for a core's PMU, its terms say which event it is.
 */
int event_read_terms(const struct event_reader *reader, struct event_word terms, const char *pmu,
		     struct plumb_event_config *config);

/* One of an SPE unit's; `value` is NULL if it has none. */
int event_spe_term(const struct event_reader *reader, const char *key, const char *value,
		   struct plumb_event_spe *spe);

/* How the unit samples where nothing is said: all operations, with timestamps. */
struct plumb_event_spe event_spe_default(void);

#endif
