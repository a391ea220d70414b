/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program is told of the machine that it runs on, in the auxiliary vector on its stack.
 * `-cpu max` is a newer CPU with each QEMU. A C library that finds more chooses other code, and so
 * the same program counts differently, and uses what the modelled cores have not (memcpy by
 * FEAT_MOPS). So every program is told of what QEMU 7.2's has, which is the oldest that matters.
 */
#ifndef MODEL_QEMU_AUXV_H
#define MODEL_QEMU_AUXV_H

#include <stdbool.h>
#include <stdint.h>

/* Before the program's first instruction, with its sp. False if no auxiliary vector is there. */
bool auxv_limit(uint64_t sp);

#endif
