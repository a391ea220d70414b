/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the findings of plumb explore as text. */
#ifndef RENDER_FINDINGS_H
#define RENDER_FINDINGS_H

#include <plumb/findings.h>

#include "render/output.h"

struct findings_view {
	const struct plumb_findings *findings;
	const char *folder; /* that has them and the recording; NULL: none was kept */
	/* The options of plumb record for such a recording; NULL-ended. */
	const char *const *record_options;
	bool verbose; /* show all places */
};

void findings_text(struct output *out, const struct findings_view *view);

/*
 * Returns the command that shows more of a finding, in a line to copy into a shell; free it. NULL:
 * there is none.
 */
char *findings_more(const struct findings_view *view, unsigned finding);

/* Returns the verdict in a sentence; free it. */
char *findings_verdict(const struct plumb_findings *findings);

#endif
