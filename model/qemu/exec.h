/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets programs become other programs: execve() of an AArch64 program, or of a script with such an
 * interpreter, goes on under the same QEMU, as with binfmt_misc. Everything else is left to the
 * kernel.
 */
#ifndef QEMU_EXEC_H
#define QEMU_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu/share.h"

/*
 * `prefix`: how many words of QEMU's own command line come before the program's. `share` is the
 * memory that the next plugin will want, `shared` it mapped, or NULL.
 */
void exec_set_up(unsigned prefix, const struct share *share, struct model_shared *shared);

/* execve() and execveat(), with the guest's arguments. Return if they do not take effect. */
void exec_under_qemu(uint64_t path, uint64_t argv, uint64_t envp, bool counted);
void exec_at_under_qemu(int folder, uint64_t path, uint64_t argv, uint64_t envp, int flags,
			bool counted);

#endif
