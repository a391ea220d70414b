/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives every program the same start, whichever version of QEMU runs it, so that it executes the
 * same instructions and accesses the same addresses. Versions differ in
 *
 * - the CPUs that they have. C libraries choose code for what the auxiliary vector tells of them.
 *   Programs find those features of the modelled core that QEMU 7.2 has, the oldest version that is
 *   tested;
 * - the vDSO, which newer ones have and which only makes the system calls. Programs find none;
 * - the number of the vector's entries, on which the first stack pointer depends;
 * - the order of the environment, which old ones reverse.
 */
#ifndef MODEL_QEMU_START_H
#define MODEL_QEMU_START_H

#include <stdbool.h>

#include "qemu/registers.h"

/*
 * Call it before the program's first instruction, with what a callback from there is given.
 * `features` are the core's (params.h). Returns false if registers cannot be read, or sp is not
 * that of a new program.
 */
bool start_program(const struct registers *registers, const char *features);

#endif
