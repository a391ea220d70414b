/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_PAUSE_H
#define QEMU_PAUSE_H

/* Lets the host's other threads of this processor go first, in a loop that waits. */
static inline void host_pause(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
