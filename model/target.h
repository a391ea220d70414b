/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicts the targets of branches: a small fast buffer and a large one, indexed by address.
 * Targets of indirect branches are indexed by address and by previous targets and directions, like
 * ITTAGE (Seznec 2011).
 */
#ifndef MODEL_TARGET_H
#define MODEL_TARGET_H

#include "params.h"

#define TARGET_FAST_WAYS 4
#define TARGET_SETS_MAX  32768

struct target_buffer;
struct indirect;

enum target_where { TARGET_FAST, TARGET_LARGE, TARGET_NOWHERE };

struct target_buffer *target_buffer_new(const struct predictor_params *params);
void target_buffer_free(struct target_buffer *buffer);

/* Returns which buffer had `pc` with exactly this target. Afterwards both have it. */
enum target_where target_buffer_access(struct target_buffer *buffer, uint64_t pc, uint64_t target);

/* Returns whether the smallest buffer, if there is one, had exactly this. Afterwards it has it. */
bool target_buffer_pairs(struct target_buffer *buffer, uint64_t pc, uint64_t target);

/* Returns which buffer had a branch at `pc`, with any target. Afterwards both have it. */
enum target_where target_buffer_touch(struct target_buffer *buffer, uint64_t pc);

/* Returns the target stored for `pc`, or 0. Changes nothing. */
uint64_t target_buffer_peek(const struct target_buffer *buffer, uint64_t pc);

struct indirect *indirect_new(const struct predictor_params *params);
void indirect_free(struct indirect *indirect);

/* How often anything changed in the tables, and the targets so far that predictions depend on. */
uint64_t indirect_changes(const struct indirect *indirect);
uint64_t indirect_path(const struct indirect *indirect);

/* Predicts the target of the indirect branch at `pc`, 0 if unknown; then learns `target`. */
uint64_t indirect_branch(struct indirect *indirect, uint64_t history, uint64_t pc, uint64_t target);

#endif
