/* SPDX-License-Identifier: Apache-2.0 */
/* Between finding a thing (spec_show.c) and writing about it (spec_show_text.c). */
#ifndef CLI_SPEC_SHOW_H
#define CLI_SPEC_SHOW_H

#include "facts.h"
#include "render/output.h"
#include "tool/cpus.h"

/* A thing of one name on one or more CPUs. */
struct thing {
	enum thing_kind kind;
	const char *name;
	struct cpu_set on;        /* the CPUs that have it ... */
	uint16_t index[CPUS_MAX]; /* ... and its index there */
};

/*
 * Writes all about `thing`: what its CPUs agree on once, and where they differ, which of them say
 * what.
 */
void spec_show_text(struct output *out, const struct cpus *cpus, const struct thing *thing);

#endif
