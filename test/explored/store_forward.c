/* SPDX-License-Identifier: Apache-2.0 */
/* One half is written, and the whole is read before that is in the cache: it cannot be forwarded.
 */
#include <stdint.h>
#include <string.h>

static union {
	uint32_t halves[2];
	uint64_t whole;
} volatile both;
static volatile uint64_t result;

__attribute__((noinline)) static uint64_t pass(uint64_t x)
{
	for (unsigned i = 0; i < 60000; i++) {
		both.halves[0] = (uint32_t)x;
		x = both.whole + i; /* guilty */
	}
	return x;
}

int main(void)
{
	result = pass(88172645463325252);
	return 0;
}
