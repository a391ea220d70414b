/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sampled run leaves for a timeline, by unit: which code executed, and what was counted in
 * full where code was new (struct model_timeline). Only the thread that runs alone uses it.
 */
#ifndef QEMU_TIMELINE_H
#define QEMU_TIMELINE_H

#include "core.h"
#include "shared.h"

/* `cycles`: of an interval, in the model's time; 0: there is no timeline, and nothing has an
 * effect. */
void timeline_set_up(struct model_shared *shared, uint64_t cycles);

/* Units begin at `first`, each of so many instructions. */
void timeline_begin_units(uint64_t first, uint64_t instructions);
/* Two units have become one. */
void timeline_join_units(void);
/*
 * Whether units may become twice as long: all intervals still have SAMPLED_EACH windows, even where
 * the program is slowest, or waits for memory.
 */
bool timeline_may_join(void);

/* A block is about to execute at `position`, in instructions, from the first stretch on. */
void timeline_note(const struct block *block, unsigned executed, uint64_t position);

/* What was counted in full from one position to another. */
void timeline_counted(const uint64_t counts[MODEL_COUNTS], uint64_t from, uint64_t to);

/* Moves the code of an interval of the first stretch into `taken`. */
void timeline_take_code(uint32_t taken[SAMPLED_CODE]);

#endif
