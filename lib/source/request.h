/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be sampled, as text: what -e of `plumb record` takes becomes sampled events.
 *
 *	LIST  := ITEM {',' ITEM}
 *	ITEM  := EVENT | '{' EVENT {',' EVENT} '}' [':' MODIFIERS]
 *	EVENT := NAME [':' MODIFIERS] | PMU '/' [TERM {',' TERM}] '/' [MODIFIERS]
 *	TERM  := KEY | KEY '=' VALUE
 *
 * NAME is a PMU event of the CPU's specification, its code ("r1b", "0x1b"), one of perf's generic
 * names, or a software event. PMU is "spe", "arm_spe", "arm_spe_0", or one of a core:
 * "armv8_pmuv3", "cpu".
 */
#ifndef SOURCE_REQUEST_H
#define SOURCE_REQUEST_H

#include <plumb/spec.h>

#include "base/arena.h"
#include "source/source.h"

/* At most so many events are asked for at once. */
#define REQUEST_EVENTS_MAX 256

/* Texts longer than this are refused. */
#define REQUEST_TEXT_MAX 16384

struct event_request {
	struct sampled_event *events; /* with their names, of the arena */
	size_t count;
	struct arena arena;
};

/*
 * Adds the events of a list. `spec` is the CPU's: NULL where there are no PMU events. Returns 0,
 * or a negative error with findings that say what is wrong with which word, and what is allowed:
 * SYNTAX, NOT_FOUND, INVALID (a value), LIMIT, NO_MEMORY. Then the request is as it was before,
 * but for its arena. Zero makes an empty request; request_free() frees.
 */
int request_add(struct event_request *request, const char *text, const struct plumb_spec *spec,
		struct plumb_diagnostics *found);
void request_free(struct event_request *request);

/* How the SPE unit is asked to sample where nothing is said: all operations, with timestamps. */
struct sampled_spe request_spe_default(void);

/* ---- the parts, for each other ----------------------------------------------------------------
 */

/* A finding on `word`; returns `error`. */
int request_wrong(struct plumb_diagnostics *found, int error, const char *word, size_t length,
		  const char *format, ...) PLUMB_PRINTF(5, 6);

/* request_names.c: the event called so. */
int request_name(const char *name, const struct plumb_spec *spec, struct sampled_event *event,
		 struct plumb_diagnostics *found);
/* A code, "r1b" or "0x1b". */
bool request_code(const char *text, uint16_t *code);

/* request_spe.c: one term of the SPE unit; `value` is NULL if it has none. */
int request_spe_term(const char *key, const char *value, struct sampled_spe *spe,
		     struct plumb_diagnostics *found);
/* A number as perf takes it, decimal or with 0x, at most `most`; what is wrong is said. */
int request_number(const char *key, const char *value, uint64_t least, uint64_t most,
		   uint64_t *number, struct plumb_diagnostics *found);

#endif
