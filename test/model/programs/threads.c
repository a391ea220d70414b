/* SPDX-License-Identifier: Apache-2.0 */
/* Threads in all the ways in which they wait for, wake and end each other. Usage: threads WAY */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

static volatile int stop;
static volatile long spins;
static long counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ends[2];

static void work(int times)
{
	for (volatile int i = 0; i < times; i++)
		;
}

static void *spin(void *user)
{
	while (!stop)
		spins++;
	return user;
}

static void *count_locked(void *user)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return user;
}

static void *pass_on(void *user)
{
	long me = (long)user;

	for (long i = me; i < 200; i += THREADS) {
		pthread_mutex_lock(&lock);
		while (counter != i)
			pthread_cond_wait(&changed, &lock);
		counter++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return user;
}

static void *read_all(void *user)
{
	char byte;

	while (read(ends[0], &byte, 1) == 1)
		counter++;
	return user;
}

static void *sleep_a_little(void *user)
{
	for (int i = 0; i < 5; i++)
		usleep(1000);
	return user;
}

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* Runs it in all threads, this one included. */
static int together(void *(*run)(void *))
{
	pthread_t others[THREADS];

	for (long i = 1; i < THREADS; i++)
		if (pthread_create(&others[i], 0, run, (void *)i))
			return 1;
	run((void *)0);
	for (int i = 1; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return 0;
}

static int fork_some(void)
{
	int status;

	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(i);
		if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i)
			return 1;
	}
	return 0;
}

static void *fork_all(void *user)
{
	if (fork_some())
		abort();
	return user;
}

/* What this thread does while another one spins. */
static int beside(const char *way, pthread_t other)
{
	int status = 0;

	work(10000);
	if (!strcmp(way, "exit"))
		exit(7);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "fork"))
		status = fork_some();
	if (!strcmp(way, "signal"))
		status = signal(SIGUSR1, on_signal) == SIG_ERR || pthread_kill(other, SIGUSR1);
	else
		stop = 1;
	return status | pthread_join(other, 0);
}

static int write_some(pthread_t reader)
{
	for (int i = 0; i < 100; i++)
		if (write(ends[1], "x", 1) != 1)
			return 1;
	close(ends[1]);
	return pthread_join(reader, 0) || counter != 100;
}

static int come_and_go(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_t other;

		if (pthread_create(&other, 0, count_locked, 0) || pthread_join(other, 0))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	pthread_t other;

	if (!strcmp(way, "locks"))
		return together(count_locked) || counter != 500L * THREADS;
	if (!strcmp(way, "turns"))
		return together(pass_on) || counter != 200;
	if (!strcmp(way, "sleep"))
		return together(sleep_a_little);
	if (!strcmp(way, "forks"))
		return together(fork_all);
	if (!strcmp(way, "come"))
		return come_and_go();
	if (!strcmp(way, "pipe"))
		return pipe(ends) || pthread_create(&other, 0, read_all, 0) || write_some(other);
	if (!strcmp(way, "last")) {
		if (pthread_create(&other, 0, sleep_a_little, 0))
			return 1;
		pthread_exit(0);
	}
	return pthread_create(&other, 0, spin, 0) || beside(way, other);
}
