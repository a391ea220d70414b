/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The out-of-order core: one pass over the executed instructions with timestamps.
 * doc/model.md has the rules and where each comes from.
 */
#ifndef MODEL_CORE_H
#define MODEL_CORE_H

#include "events.h"
#include "memory.h"
#include "predict.h"

/* A translated block: straight-line code, ended by a branch or by the translator. */
struct block {
	uint64_t pc;
	uint32_t id;
	uint16_t count; /* instructions */
	bool writes_memory;
	struct insn *insns; /* all 4 bytes apart from pc */
	void *model;        /* what the core model precomputed for it; see core_prepare_block() */
};

/* One access that a block made, in program order. */
struct access {
	uint64_t address;
	uint16_t insn; /* index in the block */
	uint16_t bytes;
};

struct core;

/*
 * `counts` is the caller's, EVENT_COUNT long and zero, outlives the core, and is never far behind:
 * core_execute() settles it as core_counts() does, once in some ten thousand blocks. NULL when
 * memory is short.
 */
struct core *core_new(const struct core_params *params, struct memory_system *system,
		      uint64_t *counts);
void core_free(struct core *core);

/* Once a block, before its first execution, by any thread. Returns false when memory is short. */
bool core_prepare_block(const struct core_params *params, struct block *block);
void core_release_block(struct block *block);

/* What samples the core as it executes, if anything does: see watch.h. It outlives the core. */
struct watch;
void core_set_watch(struct core *core, struct watch *watch);

/* Finds a translated block by address, for the wrong path; may return NULL. */
typedef const struct block *core_find_block(void *user, uint64_t pc);
void core_set_block_finder(struct core *core, core_find_block *find, void *user);

/*
 * Executes `executed` instructions of `block` (all of them, or fewer when a fault cut it short),
 * which made `access_count` accesses and were followed by the instruction at `next_pc`.
 */
void core_execute(struct core *core, const struct block *block, unsigned executed,
		  const struct access *accesses, size_t access_count, uint64_t next_pc);

/*
 * The program is interrupted between two instructions (a signal, a fault): the pipeline drains,
 * and what comes next is fetched anew. A system call's svc does that by itself.
 */
void core_exception(struct core *core);

/* The thread ends: what is under way is finished, and its cycles count. */
void core_finish(struct core *core);

/*
 * Settles the counts so far and returns them, the array that core_new() was given. True until the
 * core executes again.
 * They stand for the cycles up to dispatch's, core_cycle(): only core_finish() adds those that it
 * takes from there to the last retirement.
 */
const uint64_t *core_counts(struct core *core);
uint64_t core_cycle(const struct core *core);

#endif
