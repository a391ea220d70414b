/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which blocks of a sampled run are modelled, and which only warm the core: sampled.h. */
#ifndef QEMU_SAMPLED_H
#define QEMU_SAMPLED_H

#include "core.h"
#include "shared.h"

/*
 * `error`: the relative error of the cycles to reach, in SAMPLED_ERROR_PARTS; 0: nothing is
 * sampled. `sum` adds up the counts of all threads. Continues with what became another program.
 */
void sampled_set_up(struct model_shared *shared, uint32_t error, uint64_t seed,
		    void (*sum)(uint64_t counts[MODEL_COUNTS]));

/* Whether this run is sampled. */
bool sampled_asked(void);

/* Executes a block as core_execute() does, or warms the core by it. */
void sampled_execute(struct core *core, const struct block *block, unsigned executed,
		     const struct access *accesses, size_t access_count, uint64_t next_pc);

/* The only thread is about to start another: from now on everything is modelled. */
void sampled_leave(struct core *core);

#endif
