/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table's index by two divisions, among lines that are executed as often. */
#include <stdint.h>

#define COUNT 1024

static uint64_t keys[COUNT];
static uint32_t counts[COUNT];
static volatile uint64_t buckets = 1009;

static inline uint64_t bucket_of(uint64_t key, uint64_t among)
{
	return key / among % among; /* guilty */
}

__attribute__((noinline)) static uint64_t count_keys(void)
{
	uint64_t among = buckets, sum = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t key = keys[i] ^ sum;

		key = (key ^ key >> 7) + (key << 3);
		sum = bucket_of(key, among);
		counts[sum]++;
	}
	return sum;
}

int main(void)
{
	for (unsigned i = 0; i < COUNT; i++)
		keys[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	for (unsigned i = 0; i < 100; i++)
		buckets += count_keys() & 1;
	return 0;
}
