/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count in words of the same line of the cache, by a step that lies there as well. */
#include <pthread.h>
#include <stdint.h>

#define ROUNDS 40000

static struct {
	volatile uint64_t count[2], step;
} shared __attribute__((aligned(64))) = {.step = 1};

static void *count(void *number)
{
	volatile uint64_t *mine = &shared.count[(uintptr_t)number];
	uint64_t noise = 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		noise = noise * 3 + i;
		noise ^= noise >> 5;
		__asm__ volatile("" : "+r"(noise));
		*mine += shared.step; /* guilty */
	}
	return 0;
}

int main(void)
{
	pthread_t other;

	if (pthread_create(&other, 0, count, (void *)(uintptr_t)1))
		return 1;
	count(0);
	pthread_join(other, 0);
	return shared.count[0] + shared.count[1] != 2 * ROUNDS;
}
