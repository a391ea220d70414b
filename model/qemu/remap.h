/* SPDX-License-Identifier: Apache-2.0 */
/* What the system calls that map and unmap memory mean for translations and physical memory. */
#ifndef QEMU_REMAP_H
#define QEMU_REMAP_H

#include "core.h"

/* The thread of `core` is back from a system call, which returned `result`. */
void remap_returned(struct core *core, int64_t number, const uint64_t arguments[6], int64_t result);

#endif
