/* SPDX-License-Identifier: Apache-2.0 */
/* Divisions that do not depend on each other: the divider is busy, and the core fills up behind it.
 */
#include <stdint.h>

#define VALUES 1024
#define ROUNDS 400

static uint64_t values[VALUES];
static volatile uint64_t result;

__attribute__((noinline)) static uint64_t divide(uint64_t by)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < VALUES; i++)
		sum += values[i] / by; /* guilty */
	return sum;
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < VALUES; i++)
		values[i] = (i + 7) * 0x9e3779b97f4a7c15;
	for (unsigned i = 0; i < ROUNDS; i++)
		sum += divide(i + 3);
	result = sum;
	return 0;
}
