/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a loop of four instructions, TURNS times, and ends in the way that its first argument names;
 * "exec" becomes its second argument.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TURNS 20000

static void spin(void)
{
	uint64_t turns = TURNS;

	__asm__ volatile(".globl loop\nloop: nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne loop"
			 : "+r"(turns)
			 :
			 : "cc");
}

static void fault(void)
{
	unsigned long value;

	__asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(8ul));
}

static void *leave(void *status)
{
	syscall(SYS_exit_group, (int)(intptr_t)status);
	return NULL;
}

static void *fault_in_thread(void *unused)
{
	fault();
	return unused;
}

static void write_to_nobody(void)
{
	int ends[2];

	if (pipe(ends) == 0 && close(ends[0]) == 0)
		(void)!write(ends[1], "", 1);
}

int main(int count, char **arguments)
{
	const char *how = count > 1 ? arguments[1] : "";
	pthread_t thread;

	spin();
	if (!strcmp(how, "fault"))
		fault();
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "trap"))
		__builtin_trap();
	else if (!strcmp(how, "pipe"))
		write_to_nobody();
	else if (!strcmp(how, "exec"))
		execv(arguments[2], arguments + 2);
	else if (!strcmp(how, "group"))
		pthread_create(&thread, NULL, leave, (void *)5);
	else if (!strcmp(how, "thread"))
		pthread_create(&thread, NULL, fault_in_thread, NULL);
	else if (!strcmp(how, "wait"))
		(void)!write(STDOUT_FILENO, "ready\n", 6);
	else
		raise(atoi(how));
	for (;;)
		pause();
}
