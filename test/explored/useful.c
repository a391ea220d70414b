/* SPDX-License-Identifier: Apache-2.0 */
/* Independent additions: nothing to win. */
#include <stdint.h>

static volatile uint64_t result;

int main(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;

	/* As many as there are slots, so often that what the compiler adds does not matter. */
	for (unsigned i = 0; i < 400000; i++)
		__asm__ volatile(".rept 8\n add %0, %0, #1\n add %1, %1, #1\n add %2, %2, #1\n"
				 "add %3, %3, #1\n eor v0.16b, v1.16b, v2.16b\n .endr\n"
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
				 :
				 : "v0");
	result = a + b + c + d;
	return 0;
}
