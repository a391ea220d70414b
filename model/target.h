/* SPDX-License-Identifier: Apache-2.0 */
/* Where branches go: a small fast buffer and a large one of targets by address; and indirect
 * branches, whose targets are kept by address, by the targets before and by the directions before,
 * as ITTAGE (Seznec 2011) does. */
#ifndef MODEL_TARGET_H
#define MODEL_TARGET_H

#include "params.h"

struct target_buffer;
struct indirect;

enum target_where { TARGET_FAST, TARGET_LARGE, TARGET_NOWHERE };

struct target_buffer *target_buffer_new(const struct predictor_params *params);
void target_buffer_free(struct target_buffer *buffer);

/* Which buffer had `pc` with this very target; then both have it. */
enum target_where target_buffer_access(struct target_buffer *buffer, uint64_t pc, uint64_t target);

/* Which buffer knows of a branch at `pc`, wherever it goes; then both do. */
enum target_where target_buffer_touch(struct target_buffer *buffer, uint64_t pc);

/* The target that is kept for `pc`, or 0. Changes nothing. */
uint64_t target_buffer_peek(const struct target_buffer *buffer, uint64_t pc);

struct indirect *indirect_new(const struct predictor_params *params);
void indirect_free(struct indirect *indirect);

/* Predicts where the indirect branch at `pc` goes (0: no idea), then learns that it was `target`.
 */
uint64_t indirect_branch(struct indirect *indirect, uint64_t history, uint64_t pc, uint64_t target);

#endif
