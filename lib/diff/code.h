/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the functions that a recording's samples are in, for a side: their code, where they are
 * declared, and what is inlined into them.
 *
 *	options.wants = code_collect;
 *	options.user = collector;
 *	... add the samples ...
 *	code_finish(collector, symbolizer);
 */
#ifndef DIFF_CODE_H
#define DIFF_CODE_H

#include "diff/side.h"

struct code_collector;

/* `given` decides which samples count, and lives as long. Returns NULL if out of memory. */
struct code_collector *code_collector_new(struct diff_side *side,
					  const struct plumb_profile_options *given);
void code_collector_free(struct code_collector *collector); /* accepts NULL */

/* For plumb_profile_options.wants, of one thread: notes where a sample is. */
bool code_collect(void *user, const struct plumb_samples_item *item,
		  const struct plumb_location *location);

/* Adds what was found to the side. If memory runs out, the side knows. */
void code_finish(struct code_collector *collector, struct plumb_symbolizer *symbolizer);

#endif
