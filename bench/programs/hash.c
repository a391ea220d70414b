/* SPDX-License-Identifier: Apache-2.0 */
/* Fills and queries a hash table of 16 MiB at random: misses in every cache and TLB. */
#include <stdint.h>
#include <stdio.h>

#define SLOTS  (1u << 20)
#define KEYS   (SLOTS / 2)
#define ROUNDS 4

static struct slot {
	uint64_t key; /* 0: free */
	uint64_t count;
} slots[SLOTS];

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

static struct slot *find(uint64_t key)
{
	uint64_t at = mix(key) % SLOTS;

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) % SLOTS;
	return &slots[at];
}

int main(void)
{
	uint64_t state = 1, found = 0;

	for (unsigned i = 0; i < ROUNDS * KEYS; i++) {
		struct slot *slot;

		state = state * 6364136223846793005u + 1442695040888963407u;
		slot = find(1 + (state >> 33) % KEYS);
		if (slot->key) {
			found++;
		} else {
			slot->key = 1 + (state >> 33) % KEYS;
		}
		slot->count++;
	}
	printf("%llu\n", (unsigned long long)found);
	return 0;
}
