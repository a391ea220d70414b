/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has a host thread go on with what another one was executing: its stack, its registers, and its
 * thread-local variables. So it takes some ten nanoseconds to execute another thread of the program
 * instead, without the kernel. What the kernel knows of a host thread stays where it is: its
 * number, its signals and their mask, what its end is told by.
 */
#ifndef QEMU_HOST_SWITCH_H
#define QEMU_HOST_SWITCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether this is possible here: on x86-64 if the kernel lets programs set what their thread-local
 * variables are found by, and on AArch64; nowhere if hardware keeps return addresses, too.
 */
bool host_switch_supported(void);

/*
 * Prepares a stack, whose end is aligned to 16 bytes, so that whoever goes on there calls
 * `begin(argument)`, which must not return, with the caller's thread-local variables. Returns where
 * to go on.
 */
void *host_switch_prepare(void *stack, size_t bytes, void (*begin)(void *), void *argument);

/* Saves what the caller executes, sets `*from` to where that can go on, and goes on at `to`. */
void host_switch(void **from, void *to);

/*
 * For those who may not use thread-local variables, errno included: sleeps on a futex as long as it
 * has the value, and returns false if a signal ended that; wakes all who sleep there; lets other
 * host threads go first.
 */
bool host_sleep(_Atomic uint32_t *futex, uint32_t value);
void host_wake(_Atomic uint32_t *futex);
void host_yield(void);

#endif
