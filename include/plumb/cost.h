/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions cost on a core, from the tables that the model uses. `plumb list --source
 * model` shows their sources.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_COST_H
#define PLUMB_COST_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_cost_core;

/*
 * Returns the core whose MIDR_EL1 is `midr`, in any revision; NULL if the model lacks it. Static
 * storage.
 */
PLUMB_API const struct plumb_cost_core *plumb_cost_core(uint32_t midr);
PLUMB_API const char *plumb_cost_core_name(const struct plumb_cost_core *core); /* "neoverse-n3" */
/* Returns the minimum number of cycles from a mispredicted branch to the right instructions. */
PLUMB_API unsigned plumb_cost_mispredict(const struct plumb_cost_core *core);

struct plumb_cost {
	const char *name;             /* of its class: "INT_ALU" */
	unsigned operations;          /* slots that it takes */
	unsigned latency;             /* cycles until its result can be used; of a load, from L1D */
	unsigned accumulator_latency; /* ... to the next accumulation; 0: the same */
	/* The issue ports of its parts: "M0/20" is port M0, which is busy for 20 cycles; "L012" is
	   any of three; "2*V01 L01" is two parts on V0 or V1, and one on L0 or L1. */
	char ports[128];
};

/*
 * Describes what the instruction `word` costs. Returns false if the core does not know it.
 * Thread-safe.
 */
PLUMB_API bool plumb_cost_of(const struct plumb_cost_core *core, uint32_t word,
			     struct plumb_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
