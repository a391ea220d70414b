/* SPDX-License-Identifier: Apache-2.0 */
/* A branch on random numbers, inside a function that is inlined into a loop. */
#include <stdint.h>

#define COUNT 80000

static volatile uint64_t result;

static inline uint64_t above(uint64_t number, uint64_t sum)
{
	if (number >> 63) { /* guilty */
		sum += number;
		__asm__ volatile("" : "+r"(sum)); /* keeps the branch */
	}
	return sum;
}

__attribute__((noinline)) static uint64_t sum_above(uint64_t number)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		number ^= number << 13;
		number ^= number >> 7;
		number ^= number << 17;
		sum = above(number, sum);
	}
	return sum;
}

int main(void)
{
	result = sum_above(88172645463325252);
	return 0;
}
