/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's events as a profile in callgrind's format, which callgrind_annotate and KCachegrind
 * read: by function, instruction and line, with inclusive costs of calls from call chains. Each
 * sample counts its period.
 */
#ifndef RENDER_CALLGRIND_H
#define RENDER_CALLGRIND_H

#include <plumb/samples.h>
#include <plumb/symbol.h>

#include "render/output.h"

struct callgrind;

/*
 * Samples are looked up with `symbols`, whose records the caller adds. `arch` is the recording's
 * architecture, or NULL. Never NULL.
 */
struct callgrind *callgrind_new(struct plumb_symbolizer *symbols, const char *arch);
void callgrind_free(struct callgrind *callgrind);

/* Adds a sample of an event. */
void callgrind_add(struct callgrind *callgrind, const struct plumb_record *record,
		   const struct plumb_task *task);
/* Returns how many have been added. */
uint64_t callgrind_samples(const struct callgrind *callgrind);

/* Writes the profile; `command` has the recording's command line, of `words` words. */
void callgrind_write(struct callgrind *callgrind, struct output *out, const char *const *command,
		     size_t words);

#endif
