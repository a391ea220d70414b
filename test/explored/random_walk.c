/* SPDX-License-Identifier: Apache-2.0 */
/* Walks at random through a table that no cache holds. The lines around the load are cheap. */
#include <stdint.h>

#define WORDS (UINT32_C(1) << 22)
#define STEPS 60000

uint32_t table[WORDS]; /* not static: the compiler would know that it is all zeroes */
static volatile uint64_t result;

int main(void)
{
	uint64_t state = 88172645463325252, place = 0, sum = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		uint32_t value;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		place = (place + state) % WORDS;
		value = table[place]; /* guilty */
		place += value;
		sum += value ^ i;
	}
	result = sum;
	return 0;
}
