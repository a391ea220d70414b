/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs for ever, and says so with a line for each 100,000 turns: alone; with threads that come and
 * go; with a thread that writes to the same cache line ("shares"); with forked children; with
 * forked children that are deaf; or deaf itself to every signal that can be ignored. "leaves" ends
 * at once, and leaves its children, which end after a minute: that is all that ends them if the
 * test is killed.
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

static volatile unsigned both[2] __attribute__((aligned(64)));

static void write_both(int which, int count)
{
	for (int i = 0; i < count; i++)
		both[which]++;
}

static void *write_own(void *unused)
{
	for (;;)
		write_both(1, 1000);
	return unused;
}

static void *work(void *unused)
{
	turns(100000);
	return unused;
}

static void become_deaf(void)
{
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_IGN);
}

static void begin_children(int deaf, int left)
{
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			if (deaf)
				become_deaf();
			if (left)
				alarm(60);
			for (;;)
				turns(1000);
		}
}

int main(int count, char **arguments)
{
	const char *how = count > 1 ? arguments[1] : "";
	pthread_t thread;

	if (!strcmp(how, "deaf"))
		become_deaf();
	if (!strcmp(how, "forks") || !strcmp(how, "forks-deaf") || !strcmp(how, "leaves"))
		begin_children(!strcmp(how, "forks-deaf"), !strcmp(how, "leaves"));
	if (!strcmp(how, "leaves"))
		return 0;
	if (!strcmp(how, "shares"))
		pthread_create(&thread, NULL, write_own, NULL);
	for (;;) {
		if (!strcmp(how, "shares"))
			write_both(0, 100000);
		if (!strcmp(how, "threads") && pthread_create(&thread, NULL, work, NULL) == 0)
			pthread_detach(thread);
		if (strcmp(how, "shares"))
			turns(100000);
		if (write(1, "turns\n", 6) != 6)
			pause();
	}
}
