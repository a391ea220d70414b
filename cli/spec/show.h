/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by show.c, which finds a thing, and show_text.c, which prints it. */
#ifndef CLI_SPEC_SHOW_H
#define CLI_SPEC_SHOW_H

#include "facts.h"
#include "render/output.h"
#include "tool/cpus.h"

/* A thing with the same name on one or more CPUs. */
struct thing {
	enum thing_kind kind;
	const char *name;
	struct cpu_set on;        /* the CPUs that have it */
	uint16_t index[CPUS_MAX]; /* its index on each of them */
};

/*
 * Prints everything about `thing`. A value that all its CPUs share is printed once; other values
 * are followed by the CPUs that have them.
 */
void spec_show_text(struct output *out, const struct cpus *cpus, const struct thing *thing);

#endif
