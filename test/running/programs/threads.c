/* SPDX-License-Identifier: Apache-2.0 */
/* As many threads as argv[1] says, each of 1,000,000 turns of a loop of four instructions. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static void *spin(void *argument)
{
	uint64_t turns = 1000000;

	(void)argument;
	__asm__ volatile("1: nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int count = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, spin, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
