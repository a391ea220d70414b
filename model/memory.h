/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory side of the model. One `struct memory_system` per program has the system cache, DRAM,
 * page allocator, and owners of lines. One `struct memory` per core has L1I, L1D, L2, TLBs,
 * prefetchers and miss buffers. Cycles are those of the calling core. Accesses are made in program
 * order, each with the cycle at which it could begin; the result says when its data is available.
 * A `struct memory` belongs to one thread. Threads take turns to access memory: system.h.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "params.h"

struct memory_system;
struct memory;

enum memory_level { LEVEL_L1, LEVEL_L2, LEVEL_PEER, LEVEL_LLC, LEVEL_DRAM };
enum memory_tlb { TLB_L1_HIT, TLB_L2_HIT, TLB_WALK };

struct memory_result {
	uint64_t ready;      /* cycle at which the data is available */
	uint64_t translated; /* cycle at which the address was translated */
	uint64_t physical;
	uint8_t level; /* enum memory_level: the source of the data */
	uint8_t tlb;   /* enum memory_tlb */
	bool crosses_line;
	bool crosses_page; /* set of a load that crosses lines: they are in two pages */
	bool pending;      /* the line was already in flight: a miss without a request */
};

struct memory_system *memory_system_new(const struct core_params *params);
void memory_system_free(struct memory_system *system);

/* `counts` are the core's EVENT_COUNT counts; the memory side adds its own events. */
struct memory *memory_new(struct memory_system *system, const struct core_params *params,
			  uint64_t *counts);
void memory_free(struct memory *memory);

/*
 * Performs a demand load of `bytes` at `address` by the instruction at `pc`, from `cycle` on.
 * `own`: the instruction, or the end of its exclusive sequence, stores there as well. Returns
 * whether it hit L1D and the first TLB and lies in one line.
 */
bool memory_load(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		 unsigned bytes, bool own, struct memory_result *result);

/*
 * Performs a store that leaves the store buffer at `cycle`, in program order. `result->ready` is
 * when its buffer entry is free again. `full_line` stores (dc zva) need no data.
 */
void memory_store(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		  unsigned bytes, bool full_line, struct memory_result *result);

/* Translates the address of a store when it is generated: counts TLB events, sets `translated`. */
void memory_translate(struct memory *memory, uint64_t cycle, uint64_t address, unsigned bytes,
		      struct memory_result *result);

/*
 * Lets the host fetch what it needs to know of a line that will be accessed soon and may miss: no
 * effect on the model.
 */
void memory_expect(const struct memory *memory, uint64_t address);
/* Likewise of a line that will be fetched. */
void memory_expect_fetch(const struct memory *memory, uint64_t address);

/*
 * Leaves the line and the page of an access where it would, if no prefetcher ran ahead: no time,
 * and no event. `stored`: the bytes that it stores, 0 for a load. The last few accesses may have no
 * effect before memory_touch_end(); call it before anything else uses the memory side.
 */
void memory_touch(struct memory *memory, uint64_t address, unsigned stored);
void memory_touch_end(struct memory *memory);

/* Performs a software prefetch. */
void memory_prefetch(struct memory *memory, uint64_t cycle, uint64_t address, bool for_store);

/*
 * Fetches the line of instructions that contains `address`. Returns whether it is at hand: if so,
 * it hits L1I and the first TLB, and is ready at `cycle`. It may be at hand and false be returned.
 */
bool memory_fetch(struct memory *memory, uint64_t cycle, uint64_t address,
		  struct memory_result *result);

/*
 * What a system call of this core's thread does to pages. memory_unmap(): those in the range are
 * gone, or new; translations end on all cores, and frames, which nothing used before, are given
 * when a page is touched. Returns whether any had been. memory_protect(): translations alone end.
 * memory_move(): frames stay those of the pages, which are elsewhere now. Other cores see this
 * when they call memory_catch_up(), as they must before they execute again.
 */
bool memory_unmap(struct memory *memory, uint64_t from, uint64_t bytes);
void memory_protect(struct memory *memory, uint64_t from, uint64_t bytes);
void memory_move(struct memory *memory, uint64_t from, uint64_t to, uint64_t bytes);
void memory_catch_up(struct memory *memory);

/*
 * The model's time, which all cores share, at the core's `cycle`; or later, when the last line is
 * there that it takes from another core. While a core waits, only time goes on: the core's `cycle`
 * is then that of `time`.
 */
uint64_t memory_time(const struct memory *memory, uint64_t cycle);
void memory_wait_until(struct memory *memory, uint64_t cycle, uint64_t time);

/*
 * From now on adds to `*cycles` those in which a line is on its way here from another core. Lines
 * that are on their way at the same time count once.
 */
void memory_count_moving(struct memory *memory, uint64_t *cycles);

/* Time at which a line last moved, or moves, between any two cores; 0: never. */
uint64_t memory_lines_moved(const struct memory *memory);

/*
 * Lines by their physical numbers: writes those that came from other cores to this one since the
 * last call, at most `room`, and returns how many; returns the line of a virtual address; tells
 * whether a line has ever moved between any two cores.
 */
unsigned memory_take_moves(struct memory *memory, uint64_t *lines, unsigned room);
uint64_t memory_line_of(const struct memory *memory, uint64_t address);
bool memory_has_moved(const struct memory *memory, uint64_t line);

/*
 * How many pages of the program this core has accessed first, if page faults have a cost: see
 * conditions.h. memory_is_touched(): whether any core has accessed an address's page.
 */
uint64_t memory_page_faults(const struct memory *memory);
bool memory_is_touched(const struct memory *memory, uint64_t address);

/* A number that changes whenever virtual addresses may have got other lines. */
uint32_t memory_remapped(const struct memory *memory);

/*
 * For how long parts of this core's memory side would have been busy so far, in hundredths of
 * cycles, if nothing else took time and nothing queued for anything else: those that walk page
 * tables, the buffers for misses of L1D and of L2, and the paths from L2, from the system cache and
 * to DRAM. Without walks there would be none of their reads, so these count for the walkers alone.
 */
#define MEMORY_MISSES 2
#define MEMORY_PATHS  3
struct memory_busy {
	uint64_t walkers;
	uint64_t misses[MEMORY_MISSES];
	uint64_t paths[MEMORY_PATHS];
};
void memory_busy(struct memory *memory, struct memory_busy *busy);

/* Computes those of `counts` that follow from others, such as sums. Call this before reading them.
 */
void memory_settle(const struct memory *memory, uint64_t *counts);

#endif
