/* SPDX-License-Identifier: Apache-2.0 */
/* Says that it runs, and runs until it is interrupted. */
#include <stdio.h>

int main(void)
{
	volatile unsigned long turns = 0;

	puts("running");
	fflush(stdout);
	for (;;)
		turns++;
}
