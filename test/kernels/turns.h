/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads count by turns, each in counters of its own. THREADS_APART says how far the second
 * one's lie from the first one's: within a line that is false sharing, and every turn has to bring
 * the lines back from the other core. The turns make that happen as often on any machine.
 */
#include <pthread.h>
#include <stdint.h>

#define LINES 512 /* a power of two, all within L1D */
#define TURNS 250 /* of each thread */

#define TEXT(value)  #value
#define VALUE(value) TEXT(value)
__asm__(".globl kernel_work\n.set kernel_work, 2 * " VALUE(TURNS) " * " VALUE(LINES));

static uint64_t counters[(THREADS_APART + LINES * L1D_LINE_BYTES) / sizeof(uint64_t)]
	__attribute__((aligned(PAGE_BYTES)));
static pthread_barrier_t turn;

/*
 * Counts one up in a counter of each line, in an order that no prefetcher follows; where the next
 * one is depends on the last one's value, divided by a number that is larger, as nothing but the
 * program knows. The division makes each turn long beside the first one, which brings the lines
 * from memory.
 */
static void count(char *base)
{
	uint64_t lines = LINES, offset = 0, value, next;

	__asm__ volatile("1:	ldr	%[value], [%[base], %[offset]]\n" /* guilty */
			 "	add	%[next], %[value], #1\n"
			 "	str	%[next], [%[base], %[offset]]\n"
			 "	add	%[offset], %[offset], %[offset], lsl #2\n"
			 "	add	%[offset], %[offset], %[line]\n"
			 "	udiv	%[value], %[value], %[larger]\n"
			 "	add	%[offset], %[offset], %[value]\n"
			 "	and	%[offset], %[offset], %[mask]\n"
			 "	subs	%[lines], %[lines], #1\n"
			 "	b.ne	1b\n"
			 : [value] "=&r"(value), [next] "=&r"(next), [offset] "+&r"(offset),
			   [lines] "+&r"(lines)
			 : [base] "r"(base), [larger] "r"(UINT64_MAX), [line] "i"(L1D_LINE_BYTES),
			   [mask] "i"(LINES * L1D_LINE_BYTES - L1D_LINE_BYTES)
			 : "cc", "memory");
}

static void *thread(void *second)
{
	char *base = (char *)counters + (second ? THREADS_APART : 0);

	for (int i = 0; i < 2 * TURNS; i++) {
		if (i % 2 == (second != 0))
			count(base);
		pthread_barrier_wait(&turn);
	}
	return 0;
}

int main(void)
{
	pthread_t other;

	if (pthread_barrier_init(&turn, 0, 2) || pthread_create(&other, 0, thread, &turn))
		return 1;
	thread(0);
	return pthread_join(other, 0);
}
