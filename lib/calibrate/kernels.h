/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that assemble the microbenchmarks of program.h share. */
#ifndef CALIBRATE_KERNELS_H
#define CALIBRATE_KERNELS_H

#include "calibrate/program.h"

#define KERNEL_UNROLLED   64u
#define KERNEL_WAY_STRIDE 65536u /* at least the size of a way of L1D; lines of one set */
#define KERNEL_MISS_LINES \
	512u /* loads of KERNEL_MISSES in an iteration: as far as an offset reaches */

/* Registers: x0 counts iterations, x1 and x2 point, x3 to x6 and v0 to v3 hold operands. */
enum { COUNT = 0, POINTER = 1, OTHER = 2, OPERAND = 3, RESULT = 8, RESULTS = 6 };

uint64_t trial_random(struct calibrate_program *program);

/* Returns `bytes` as whole pages. */
size_t trial_pages(size_t bytes);
/* Returns the offset of whole pages of the memory; SIZE_MAX: there is not so much. */
size_t trial_take(struct program_memory *memory, size_t bytes);
void trial_put(const struct program_memory *memory, size_t at, uint64_t value);
/* Takes memory for a chain of pointers through lines that each call goes on with; or SIZE_MAX. */
size_t trial_link_far(struct calibrate_program *program, size_t lines, struct trial_code *out);

void trial_load(struct code *code, unsigned rd, unsigned rn, unsigned units);
void trial_store(struct code *code, unsigned rd, unsigned rn, unsigned units);
/* Takes memory for a function's registers from x1 on between its calls, and loads them; or
 * SIZE_MAX. */
size_t trial_begin_state(struct calibrate_program *program, unsigned registers);
void trial_end_state(struct code *code, unsigned registers);
size_t trial_begin_loop(struct code *code);
void trial_end_loop(struct code *code, size_t loop);

/* Each assembles a trial's function; false if out of memory. core_kernels.c */
bool trial_add_chain(struct calibrate_program *program, const struct trial *trial,
		     struct trial_code *out);
bool trial_add_window(struct calibrate_program *program, const struct trial *trial,
		      struct trial_code *out);
bool trial_add_forward(struct calibrate_program *program, const struct trial *trial,
		       struct trial_code *out);
bool trial_add_branches(struct calibrate_program *program, const struct trial *trial,
			struct trial_code *out);
bool trial_add_calls(struct calibrate_program *program, const struct trial *trial,
		     struct trial_code *out);
bool trial_add_jumps(struct calibrate_program *program, const struct trial *trial,
		     struct trial_code *out);
bool trial_add_straight(struct calibrate_program *program, const struct trial *trial,
			struct trial_code *out);

/* memory_kernels.c */
bool trial_add_ring(struct calibrate_program *program, const struct trial *trial,
		    struct trial_code *out);
bool trial_add_far(struct calibrate_program *program, struct trial_code *out);
bool trial_add_peer(struct calibrate_program *program, struct trial_code *out);
bool trial_add_misses(struct calibrate_program *program, struct trial_code *out);

#endif
