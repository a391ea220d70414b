/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory side of the model: one `struct memory_system` for the program (system cache, DRAM,
 * page allocator, who holds which line), one `struct memory` for each core (L1I, L1D, L2, TLBs,
 * prefetchers, miss buffers). Time is the calling core's cycles. Accesses are made in program
 * order, each with the cycle at which it could begin; the answer says when its data is there.
 * A `struct memory` belongs to one thread; the system's parts lock for themselves.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "params.h"

struct memory_system;
struct memory;

enum memory_level { LEVEL_L1, LEVEL_L2, LEVEL_PEER, LEVEL_LLC, LEVEL_DRAM };
enum memory_tlb { TLB_L1_HIT, TLB_L2_HIT, TLB_WALK };

struct memory_result {
	uint64_t ready;      /* cycle at which the data can be used */
	uint64_t translated; /* cycle at which the address was translated */
	uint64_t physical;
	uint8_t level; /* enum memory_level: where the data came from */
	uint8_t tlb;   /* enum memory_tlb */
	bool crosses_line;
	bool pending; /* the line was already on its way: a miss that made no request */
};

struct memory_system *memory_system_new(const struct core_params *params);
void memory_system_free(struct memory_system *system);

/* `counts` is the core's event counts, EVENT_COUNT long; the memory adds its own events. */
struct memory *memory_new(struct memory_system *system, const struct core_params *params,
			  uint64_t *counts);
void memory_free(struct memory *memory);

/* A demand load of `bytes` at `address` by the instruction at `pc`, beginning at `cycle`. */
void memory_load(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		 unsigned bytes, struct memory_result *result);

/*
 * A store leaving the store buffer at `cycle`, in program order. `result->ready` is when its
 * buffer entry is free again. `full_line` stores (dc zva) need no data.
 */
void memory_store(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		  unsigned bytes, bool full_line, struct memory_result *result);

/* Translation only, when a store's address is generated: its TLB events and `translated`. */
void memory_translate(struct memory *memory, uint64_t cycle, uint64_t address, unsigned bytes,
		      struct memory_result *result);

/* A software prefetch. */
void memory_prefetch(struct memory *memory, uint64_t cycle, uint64_t address, bool for_store);

/* Instruction fetch of the line that holds `address`. */
void memory_fetch(struct memory *memory, uint64_t cycle, uint64_t address,
		  struct memory_result *result);

/* Works out the counts that are sums of others. Call it before counts are read. */
void memory_settle(const struct memory *memory);

#endif
