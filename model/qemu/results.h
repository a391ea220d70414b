/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces what a system call has returned, which QEMU's plugin interface cannot. x0 to x30 are
 * near the beginning of what TCG has in one register throughout (registers_trampoline.h). QEMU
 * promises nothing about that, so it is compared with what is known of each call.
 */
#ifndef MODEL_QEMU_RESULTS_H
#define MODEL_QEMU_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu/registers.h"

/*
 * From a callback for a system call, with what a callback of the thread's blocks is given: whether
 * the registers are found there, as the call says. `readable`: of the thread, false at first.
 */
bool results_can_be_set(const struct registers *registers, bool *readable, int64_t number,
			const uint64_t arguments[6]);

/*
 * Before the first instruction behind that call, if that was true then. Does nothing if the result
 * is not `from`.
 */
void results_set(const struct registers *registers, int64_t from, int64_t to);

#endif
