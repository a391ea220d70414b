/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_QEMU_EXEC_H
#define MODEL_QEMU_EXEC_H

#include <stdbool.h>
#include <stdint.h>

/* Says how many words of QEMU's command line stand before the program's own, and which
 * descriptors a new QEMU needs if it is to count (-1: none). */
#define EXEC_INHERITED 3
void exec_set_up(unsigned prefix, const int descriptors[EXEC_INHERITED]);

/*
 * The guest is about to execve(path, argv, envp): QEMU would hand that to the host, which cannot
 * run an AArch64 program. If that is what `path` is, becomes a QEMU that runs it, with the plugin
 * if `counted`. Returns if it is not, or anything is wrong; QEMU's own execve then has its turn.
 */
void exec_under_qemu(uint64_t path, uint64_t argv, uint64_t envp, bool counted);

#endif
