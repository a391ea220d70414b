/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs SECONDS with 64 threads that come and go, and meanwhile forks FORKS times; each tenth child
 * executes this program again. Says at the end what it did:
 *
 *     churn SECONDS FORKS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 64
#define TURNS   300000 /* of four instructions each */

static atomic_long threads;
static atomic_bool over;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};

	nanosleep(&t, NULL);
}

static void spin(uint64_t turns)
{
	__asm__ volatile("1: nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}

static void *work(void *unused)
{
	spin(TURNS);
	return unused;
}

/* One after the other: each thread begins when the one before has ended. */
static void *keep(void *first)
{
	unsigned seed = (unsigned)(uintptr_t)first;
	pthread_t thread;

	while (!atomic_load(&over)) {
		if (pthread_create(&thread, NULL, work, NULL) == 0) {
			atomic_fetch_add(&threads, 1);
			pthread_join(thread, NULL);
		}
		for (double end = now() + 20.0 * rand_r(&seed) / RAND_MAX;
		     now() < end && !atomic_load(&over);)
			nap(0.1);
	}
	return NULL;
}

/* Returns whether the child ended as it should. */
static int spawn(char *self, int executes)
{
	char *again[] = {self, NULL};
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		spin(1000);
		if (executes)
			execv(self, again);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int count, char **arguments)
{
	long forks = 0, execs = 0, failed = 0, wanted;
	pthread_t keepers[THREADS];
	double began = now(), seconds;

	if (count < 3)
		return 0;
	seconds = atof(arguments[1]);
	wanted = atol(arguments[2]);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&keepers[i], NULL, keep, (void *)i))
			return 1;
	while (forks < wanted || now() - began < seconds) {
		double due = began + seconds * (double)forks / (double)wanted;

		if (forks == wanted || now() < due) {
			nap(0.01);
			continue;
		}
		failed += !spawn(arguments[0], forks % 10 == 9);
		execs += forks++ % 10 == 9;
	}
	atomic_store(&over, 1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(keepers[i], NULL);
	printf("{\"threads\": %ld, \"forks\": %ld, \"execs\": %ld, \"failed\": %ld}\n",
	       atomic_load(&threads) + THREADS, forks, execs, failed);
	return 0;
}
