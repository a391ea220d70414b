/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/endings.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "qemu/sampler.h"

#define SYSCALL_KILL   129
#define SYSCALL_TKILL  130
#define SYSCALL_TGKILL 131

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define WATCHED (sizeof(watched) / sizeof(watched[0]))

static struct sigaction before[WATCHED]; /* what QEMU does */
static bool replaced[WATCHED];
static volatile sig_atomic_t came[WATCHED];
static sem_t any;
static bool watching;

bool endings_aborts(int64_t number, uint64_t a2, uint64_t a3)
{
	if (number == SYSCALL_TGKILL)
		return a3 == SIGABRT;
	return (number == SYSCALL_KILL || number == SYSCALL_TKILL) && a2 == SIGABRT;
}

static void on_signal(int number)
{
	int error = errno;

	for (size_t i = 0; i < WATCHED; i++)
		if (watched[i] == number)
			came[i] = 1;
	sem_post(&any);
	errno = error;
}

static void give_back(size_t i)
{
	if (replaced[i])
		sigaction(watched[i], &before[i], NULL);
	replaced[i] = false;
}

/* Waits for signals, delivers the profiles, and then has QEMU do what it would have done. */
static void *wait_for_signals(void *user)
{
	(void)user;
	for (;;) {
		while (sem_wait(&any) && errno == EINTR)
			;
		for (size_t i = 0; i < WATCHED; i++) {
			if (!came[i])
				continue;
			came[i] = 0;
			sampler_flush_all(false);
			give_back(i);
			kill(getpid(), watched[i]);
		}
	}
	return NULL;
}

/* The thread receives no signals, because QEMU could not handle them there. */
static bool start_thread(void)
{
	pthread_attr_t attributes;
	sigset_t all, old;
	pthread_t thread;
	bool started;

	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = pthread_create(&thread, &attributes, wait_for_signals, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

void endings_watch(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	if (watching || !sampler_has_profiles() || sem_init(&any, 0, 0) || !start_thread())
		return;
	watching = true;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < WATCHED; i++) {
		/* An ignored signal ends nothing. */
		if (sigaction(watched[i], NULL, &before[i]) || before[i].sa_handler == SIG_IGN ||
		    sigaction(watched[i], &action, NULL))
			continue;
		replaced[i] = true;
	}
}

void endings_forked(void)
{
	for (size_t i = 0; i < WATCHED; i++) {
		give_back(i);
		came[i] = 0;
	}
	watching = false;
}
