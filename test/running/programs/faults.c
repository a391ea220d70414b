/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults and signals. "handled N": N times a load from address 8 whose handler jumps back;
 * "raise N": N times a signal of its own; "die": a load from address 8, unhandled.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf back;
static volatile int raised;

static void jump_back(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void note(int number)
{
	(void)number;
	raised++;
}

static void fault(void)
{
	unsigned long value;

	__asm__ volatile("nop\n\tldr %0, [%1]\n\tnop" : "=r"(value) : "r"(8ul));
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 0;
	volatile int i;

	if (argc > 1 && !strcmp(argv[1], "handled")) {
		signal(SIGSEGV, jump_back);
		for (i = 0; i < times; i++)
			if (!sigsetjmp(back, 1))
				fault();
		printf("handled %d\n", times);
	} else if (argc > 1 && !strcmp(argv[1], "raise")) {
		signal(SIGUSR1, note);
		for (i = 0; i < times; i++)
			raise(SIGUSR1);
		printf("raised %d\n", raised);
	} else if (argc > 1 && !strcmp(argv[1], "die")) {
		for (i = 0; i < 100000; i++)
			;
		fault();
	}
	return 0;
}
