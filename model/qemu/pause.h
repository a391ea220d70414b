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

/* Begins to fetch a line that is soon to be written, from another processor that has written it. */
static inline void host_fetch_to_write(const void *line)
{
#ifdef __x86_64__
	/* All processors execute it or ignore it, but compilers use it only for those of one kind.
	 */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
	__builtin_prefetch(line, 1);
#endif
}

#endif
