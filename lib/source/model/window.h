/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a run that counts, as the plugin takes it: places in code instead of names. */
#ifndef SOURCE_MODEL_WINDOW_H
#define SOURCE_MODEL_WINDOW_H

#include <plumb/source.h>

/* An address in the running program, or an offset in its file. */
struct model_place {
	uint64_t value; /* 0: none */
	bool in_file;
};

struct model_window_request {
	struct model_place from, to;
	unsigned delay_ms, timeout_ms;
	uint64_t max_instructions;
};

/*
 * Finds the places of `window` (NULL: the whole run) in the program's file. Returns 0, or NOT_FOUND
 * or ARGUMENT with a finding.
 */
int model_window_read(struct model_window_request *request, const struct plumb_window *window,
		      const char *program, struct plumb_diagnostics *diagnostics);

bool model_window_is_asked(const struct model_window_request *request);

#endif
