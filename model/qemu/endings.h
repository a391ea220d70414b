/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivers exact profiles before a signal ends the program: a fault, abort(), Ctrl-C. QEMU 8 and
 * later tell plugins of such an end if there could be a core dump, QEMU 7.2 never does, and nobody
 * is told of SIGKILL.
 */
#ifndef MODEL_QEMU_ENDINGS_H
#define MODEL_QEMU_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Has `ends` called when a signal is about to end this process, or a forked child. Without
 * `watches`, only if QEMU handles the signal, such as one for what the program itself does wrong.
 */
void endings_set_up(void (*ends)(void), bool watches);
/* Watches for signals, once QEMU handles its own: call it whenever code is translated. */
void endings_watch(void);
/* Call it in a forked child, which has none of the parent's threads. */
void endings_forked(void);
/* Returns whether a system call sends SIGKILL, perhaps to the program itself. */
bool endings_kills(int64_t number, uint64_t a2, uint64_t a3);

#endif
