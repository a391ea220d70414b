/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QEMU lets the kernel end the program by a signal, and does one of two things before. If it
 * handles the signal, it does what is due in the end, puts back the kernel's action, and calls
 * kill() on itself: that call is ours. If it does not (QEMU 9 and later, unless there could be a
 * core dump), the signal is handled here: a thread of ours delivers the profiles, puts back the
 * kernel's action, and sends the signal again.
 */
#include "qemu/endings.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "qemu/imports.h"

#define SYSCALL_KILL   129
#define SYSCALL_TKILL  130
#define SYSCALL_TGKILL 131

#define PATIENCE_MS 1000

/* Those that end a program without a core dump. */
static const int watched[] = {SIGINT,  SIGTERM, SIGHUP,    SIGALRM, SIGPIPE,   SIGUSR1,
			      SIGUSR2, SIGPROF, SIGVTALRM, SIGPOLL, SIGSTKFLT, SIGPWR};
#define WATCHED (sizeof(watched) / sizeof(watched[0]))

static void (*on_end)(void); /* NULL: there is nothing to deliver */
static bool watches, watching;
static bool replaced[WATCHED];
static volatile sig_atomic_t came[WATCHED];
static sem_t any;

bool endings_kills(int64_t number, uint64_t a2, uint64_t a3)
{
	if (number == SYSCALL_TGKILL)
		return a3 == SIGKILL;
	return (number == SYSCALL_KILL || number == SYSCALL_TKILL) && a2 == SIGKILL;
}

static int kill_for_qemu(pid_t pid, int number)
{
	struct sigaction action;

	if (pid == getpid() && sigaction(number, NULL, &action) == 0 &&
	    action.sa_handler == SIG_DFL)
		on_end();
	return kill(pid, number);
}

void endings_set_up(void (*ends)(void), bool watches_too)
{
	on_end = ends;
	watches = watches_too;
	imports_replace("kill", (import_function *)kill_for_qemu);
}

/* ---- Signals that QEMU does not handle ------------------------------------------------------- */

static void on_signal(int number, siginfo_t *info, void *context)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int error = errno;

	(void)context;
	for (size_t i = 0; i < WATCHED; i++)
		if (watched[i] == number)
			came[i] = 1;
	sem_post(&any);
	/*
	 * A thread that sent it to itself, or wrote to a pipe without a reader, does not return
	 * from that. Another one may have to, because its profile is in use.
	 */
	for (int i = 0; info->si_pid == getpid() && i < PATIENCE_MS; i++)
		nanosleep(&pause, NULL);
	errno = error;
}

static void give_back(size_t i)
{
	if (replaced[i])
		signal(watched[i], SIG_DFL);
	replaced[i] = false;
}

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
			on_end();
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
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};

	if (watching || !watches || sem_init(&any, 0, 0) || !start_thread())
		return;
	watching = true;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < WATCHED; i++) {
		struct sigaction before;

		/* An ignored signal ends nothing. */
		if (sigaction(watched[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			replaced[i] = sigaction(watched[i], &action, NULL) == 0;
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
