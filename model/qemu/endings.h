/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells exact profiles before a signal ends the program, of which QEMU does not always tell
 * plugins: what it does on SIGINT, SIGTERM, SIGHUP and SIGQUIT is put off until the profiles are
 * told. Faults end the program without a profile under QEMU 7.2; later ones tell plugins of those.
 */
#ifndef MODEL_QEMU_ENDINGS_H
#define MODEL_QEMU_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Watches for signals, once QEMU handles them: call it whenever code is translated. */
void endings_watch(void);
/* Call it in a forked child, which has none of the parent's threads. */
void endings_forked(void);
/* Returns whether a system call ends the program by SIGABRT, unless that is handled. */
bool endings_aborts(int64_t number, uint64_t a2, uint64_t a3);

#endif
