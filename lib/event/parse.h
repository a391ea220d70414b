/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the event parser, from the bottom up: names (names.c), modifiers (modifiers.c),
 * terms (terms.c, spe_terms.c), and lists (list.c).
 */
#ifndef EVENT_PARSE_H
#define EVENT_PARSE_H

#include <plumb/event.h>

#include "base/arena.h"

/* The context of parsing. */
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

/* Returns a NUL-terminated copy of a word, or NULL if out of memory. */
char *event_copy(const struct event_reader *reader, struct event_word word);

/* Converts 'A' to 'Z' to lower case. */
void event_lower(char *text);

/* ---- names.c --------------------------------------------------------------------------------- */

/*
 * Finds the event or metric called `word`, or with the numbers "4:0x1b", and fills in kind and
 * config. Returns 0; NOT_FOUND, UNSUPPORTED, MACHINE or INVALID with a finding; NO_MEMORY; or
 * EVENT_UNKNOWN without a finding. event_unknown() adds that finding, with the most similar name as
 * its hint, and returns NOT_FOUND.
 */
#define EVENT_UNKNOWN 1
int event_find(const struct event_reader *reader, struct event_word word,
	       struct plumb_event_config *config);
int event_unknown(const struct event_reader *reader, struct event_word word);

/* Adds the finding that the event requires a PMU. Returns MACHINE. */
int event_needs_pmu(const struct event_reader *reader, struct event_word word);

/* Tell whether a name, in lower case, is that of an SPE unit's PMU, or of a core's PMU. */
bool event_is_spe(const char *pmu);
bool event_is_core_pmu(const char *pmu);

/* Reads "r1b", "r0x1b" or "0x1b". */
bool event_is_code(const char *text, uint16_t *code);

/* ---- modifiers.c ----------------------------------------------------------------------------- */

/* Tells whether all letters are modifiers of perf's, even if repeated. */
bool event_are_modifiers(struct event_word letters);

/*
 * Adds modifiers to an event's. `member` is true for a group's modifiers and an event that does not
 * lead it. Returns 0, or SYNTAX or UNSUPPORTED with a finding.
 */
int event_modify(const struct event_reader *reader, struct event_word letters, bool member,
		 struct plumb_event_config *config);

/* ---- terms.c, spe_terms.c -------------------------------------------------------------------- */

/* Reads a term's value, a number from `least` to `most`. Returns 0, or INVALID with a finding. */
int event_term_number(const struct event_reader *reader, const char *key, const char *value,
		      uint64_t least, uint64_t most, uint64_t *number);

/*
 * Reads the terms between the slashes. `pmu` is the PMU named before them, or NULL if they follow
 * an event. config->kind is set; for a PMU, the terms select the event. Returns 0,
 * an error with a finding, or EVENT_UNKNOWN if the machine has no such PMU.
 */
int event_read_terms(const struct event_reader *reader, struct event_word terms, const char *pmu,
		     struct plumb_event_config *config);

/* Reads one of an SPE unit's terms; `value` is NULL if it has none. */
int event_spe_term(const struct event_reader *reader, const char *key, const char *value,
		   struct plumb_event_spe *spe);

/* Returns the default of an SPE event: all operations, with timestamps and jitter. */
struct plumb_event_spe event_spe_default(void);

#endif
