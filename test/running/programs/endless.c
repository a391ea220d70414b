/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs for ever, and says so with a line for each 100,000 turns: alone; with threads that come and
 * go; with forked children; or deaf to every signal that can be ignored.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void turns(int count)
{
	volatile unsigned x = 1;

	for (int i = 0; i < count; i++)
		x = x * 3 + 1;
}

static void *work(void *unused)
{
	turns(100000);
	return unused;
}

int main(int count, char **arguments)
{
	const char *how = count > 1 ? arguments[1] : "";
	pthread_t thread;

	if (!strcmp(how, "deaf"))
		for (int number = 1; number < NSIG; number++)
			signal(number, SIG_IGN);
	if (!strcmp(how, "forks"))
		for (int i = 0; i < 2; i++)
			if (fork() == 0)
				for (;;)
					turns(1000);
	for (;;) {
		if (!strcmp(how, "threads") && pthread_create(&thread, NULL, work, NULL) == 0)
			pthread_detach(thread);
		turns(100000);
		if (write(1, "turns\n", 6) != 6)
			pause();
	}
}
