/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the findings of plumb explore as text. */
#ifndef RENDER_FINDINGS_H
#define RENDER_FINDINGS_H

#include <plumb/findings.h>

#include "render/output.h"

struct shell_line;

/* How plumb record makes such a recording. */
struct findings_again {
	const char *const *options; /* NULL-ended */
	bool without_chains;        /* unless -g is added: no call chains */
	const char *input;          /* the file that standard input was; NULL: it was none */
};

struct findings_view {
	const struct plumb_findings *findings;
	const char *folder; /* that has them and the recording; NULL: none was kept */
	const struct findings_again *again; /* NULL: unknown */
	bool verbose;                       /* show all places */
};

void findings_text(struct output *out, const struct findings_view *view);

/*
 * Returns the command that shows more of a finding, in a line to copy into a shell; free it. NULL:
 * there is none.
 */
char *findings_more(const struct findings_view *view, unsigned finding);

/* The same for a line of the output: tells whether there is one, and adds its words. */
bool findings_has_more(const struct findings_view *view, unsigned finding);
void findings_add_more(struct shell_line *line, const struct findings_view *view, unsigned finding);

/* Returns the verdict in a sentence; free it. */
char *findings_verdict(const struct plumb_findings *findings);

#endif
