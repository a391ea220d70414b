/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a guest thread's samples need besides its core: its identity, its mappings, and the rings
 * that its samples go to (sampling.h). Processes and threads are numbered in the order in which
 * they begin, so that a program's recording is the same each time.
 */
#ifndef MODEL_QEMU_SAMPLER_H
#define MODEL_QEMU_SAMPLER_H

#include "core.h"
#include "qemu/registers.h"
#include "qemu/sampled.h"
#include "qemu/share.h"

struct sampler;

/*
 * Call it at the plugin's start: maps what is to be sampled, and takes the process's number.
 * `memory` tells whether the reader is there. Returns false if that fails.
 */
bool sampler_set_up(const struct share *share, struct model_shared *memory,
		    const struct core_params *params, unsigned prefix);

/*
 * A thread begins on `core`, at model time `cycle`. Returns NULL if out of memory, or if nothing
 * samples.
 */
struct sampler *sampler_begin(struct core *core, unsigned slot, uint64_t cycle);
/* Reports what its unit holds, or its profile; with `exit`, the thread ends. */
void sampler_flush(struct sampler *sampler, bool exit);
/*
 * Likewise for all threads that have a profile, if the process ends or becomes another program.
 * Returns whether they have ended.
 */
bool sampler_flush_all(bool exit);
/*
 * Between blocks: nothing is sampled from the one call to the other. The thread goes on at `pc`;
 * samples do not have the `skipped` counts, EVENT_COUNT of them, which the caller keeps.
 */
void sampler_pause(struct sampler *sampler);
void sampler_resume(struct sampler *sampler, uint64_t pc, const uint64_t *skipped);
/* Has the SPE unit sample like that in a sampled run, from `pc` on. */
void sampler_watch(struct sampler *sampler, enum sampled_watch what, uint64_t pc);
/* Returns the instructions that have one window, if the SPE unit samples a sampled run; or 0. */
uint64_t sampler_unit(void);
void sampler_free(struct sampler *sampler);

/* Reports what a thread of a killed process left in its slot's rings, and that it has ended. */
void sampler_end_for(unsigned slot);

/* Returns whether threads have exact profiles. */
bool sampler_has_profiles(void);
/* Returns whether a thread has such a profile, and no other samples. */
bool sampler_only_charges(const struct sampler *sampler);
/* Returns whether sampler_block_begins() would only find out that nothing new is mapped at `pc`. */
bool sampler_knows(struct sampler *sampler, uint64_t pc);
/* Returns whether sampler_block_begins() reads registers. */
bool sampler_wants_registers(void);
/*
 * Call before the thread's core executes, and afterwards. False if the thread has ended for the
 * profile, because another one ended the process.
 */
bool sampler_enter(struct sampler *sampler);
void sampler_leave(struct sampler *sampler);
/* Tells of a thread's profile what it was charged for, as in struct sampled_request. */
void sampler_charged(struct sampler *sampler, unsigned group, uint64_t weight);
/* A block is about to execute, and has executed. */
void sampler_block_begins(struct sampler *sampler, const struct block *block,
			  const struct registers *registers);
void sampler_block_done(struct sampler *sampler);

/* The thread makes a system call: it may unmap code, or make a thread. */
void sampler_system_call(struct sampler *sampler, int64_t number, uint64_t a1, uint64_t a2,
			 uint64_t a4);
/* The thread has mapped something, with this protection and these flags: a jitdump is told. */
void sampler_mapped(struct sampler *sampler, uint64_t protection, uint64_t flags, uint64_t address);
/* Returns the model time when the next thread was made; 0: unknown. */
uint64_t sampler_made_at(void);
/* Call it in a forked child, which is sampled or not. */
void sampler_forked(bool goes_on);

#endif
