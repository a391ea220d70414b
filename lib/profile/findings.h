/* SPDX-License-Identifier: Apache-2.0 */
/* Findings with what they own. */
#ifndef PROFILE_FINDINGS_H
#define PROFILE_FINDINGS_H

#include <plumb/findings.h>

#include "base/arena.h"

struct findings {
	struct plumb_findings given; /* must be first: callers hold a pointer to it */
	struct plumb_finding at[PLUMB_LOSSES_MAX];
	struct plumb_finding_places waits[PLUMB_LOSSES_MAX];
	struct plumb_finding_places callers[PLUMB_LOSSES_MAX];
	struct plumb_finding_when when[PLUMB_LOSSES_MAX];
	struct plumb_finding_work work_at;
	struct plumb_ruled_out ruled_out[PLUMB_RULED_OUT_MAX];
	struct plumb_undivided undivided[PLUMB_UNDIVIDED_MAX];
	struct arena strings;
	const char **interned; /* names of files */
	size_t interned_count, interned_room;
	int error; /* NO_MEMORY: a string is missing */
};

/* Returns NULL if out of memory. Free with plumb_findings_free(). */
struct findings *findings_new(void);

/* Copy a text, which may be NULL, or a list that ends with NULL. Set .error if out of memory. */
const char *findings_copy(struct findings *findings, const char *text);
const char *findings_format(struct findings *findings, const char *pattern, ...) PLUMB_PRINTF(2, 3);
const char *const *findings_copy_list(struct findings *findings, const char *const *list);
/* Adds a text of this memory to the warnings. */
void findings_warn(struct findings *findings, const char *warning);
/* Returns the same copy for equal texts; NULL: out of memory. */
const char *findings_intern(struct findings *findings, const char *text);

/*
 * Reads findings as plumb_findings_read() does, from memory; `path` is for messages. Returns 0,
 * SYNTAX, INVALID, UNSUPPORTED or NO_MEMORY.
 */
int findings_parse(const char *bytes, size_t size, const char *path,
		   struct plumb_findings **findings, struct plumb_diagnostics *diagnostics);

#endif
