/* SPDX-License-Identifier: Apache-2.0 */
/* Straight code of 256 KiB, which the L1I cache does not hold, and a loop that it does. */
#include <stdint.h>

/* Each branch leads to the next pair of instructions, 32 bytes on. */
#define STRAIGHT ".rept 8192\n add %0, %0, #1\n b 1f\n .skip 24\n1:\n .endr"

static volatile uint64_t result;

__attribute__((noinline)) static uint64_t large(uint64_t x)
{
	__asm__ volatile(STRAIGHT : "+r"(x)); /* guilty */
	return x;
}

__attribute__((noinline)) static uint64_t small(uint64_t x)
{
	for (unsigned i = 0; i < 8192; i++)
		__asm__ volatile("eor %0, %0, #1" : "+r"(x));
	return x;
}

int main(void)
{
	for (unsigned i = 0; i < 20; i++)
		result = small(large(result));
	return 0;
}
