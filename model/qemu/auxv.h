/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits what the program learns about the machine from the auxiliary vector on its stack. Newer
 * versions of QEMU have a newer CPU as `-cpu max`. C libraries choose code for what they find, so
 * that the same program would count differently and use what the modelled cores lack (FEAT_MOPS in
 * memcpy). All programs therefore find what QEMU 7.2 has, the oldest version that is tested.
 */
#ifndef MODEL_QEMU_AUXV_H
#define MODEL_QEMU_AUXV_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Call it before the program's first instruction, with its sp. Returns false if there is no
 * auxiliary vector.
 */
bool auxv_limit(uint64_t sp);

#endif
