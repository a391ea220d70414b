/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What if a part of the core were perfect? Shadow cores execute the same instructions as a thread's
 * core, each with one part made perfect, or all of them. Their cycles are the answer.
 */
#ifndef MODEL_WHAT_IF_H
#define MODEL_WHAT_IF_H

#include <stdbool.h>
#include <stdint.h>

enum what_if {
#define WHAT_IF(name, word, text) WHAT_IF_##name,
#include "what_if.def"
#undef WHAT_IF
	WHAT_IF_PARTS,
	WHAT_IF_TOGETHER = WHAT_IF_PARTS, /* all that were asked for at once */
	WHAT_IF_COUNT
};

/* Bits of core_params.ideal. */
enum ideal {
#define WHAT_IF(name, word, text) IDEAL_##name = 1 << WHAT_IF_##name,
#include "what_if.def"
#undef WHAT_IF
	IDEAL_ALL = (1 << WHAT_IF_PARTS) - 1
};

struct core;
struct core_params;

/* The shadows' parameters, and their memory systems, which the cores of a program share. */
struct what_if_systems;

/* `parts`: a bit for each enum what_if. Returns NULL if out of memory. */
struct what_if_systems *what_if_new(const struct core_params *params, uint32_t parts);
void what_if_free(struct what_if_systems *systems);

/*
 * Gives a core its shadows, before it executes anything. `cycles` has WHAT_IF_COUNT elements, which
 * the core updates like its counts. Returns false if out of memory. The core frees its shadows.
 */
bool what_if_attach(struct what_if_systems *systems, struct core *core, uint64_t *cycles);

#endif
