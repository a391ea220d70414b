/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up random keys in a hash table of 16 MiB. The first read of a slot misses; others hit. */
#include <stdint.h>

#define SLOTS   (UINT64_C(1) << 20)
#define LOOKUPS 60000

static struct slot {
	uint64_t key, count;
} slots[SLOTS];
static volatile uint64_t result;

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

__attribute__((noinline)) static struct slot *find(uint64_t key)
{
	struct slot *slot = &slots[mix(key) % SLOTS];

	if (slot->key) /* guilty */
		slot = &slots[(mix(key) + 1) % SLOTS];
	slot->count++;
	return slot;
}

int main(void)
{
	uint64_t key = 1, found = 0;

	for (unsigned i = 0; i < LOOKUPS; i++) {
		key = key * 6364136223846793005 + 1442695040888963407;
		found += find(key + found)->count;
	}
	result = found;
	return 0;
}
