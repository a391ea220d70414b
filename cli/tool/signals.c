/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/signals.h"

#include <signal.h>

static volatile sig_atomic_t program;     /* the program's process, or 0 */
static volatile sig_atomic_t interrupted; /* SIGINT arrived */
static volatile sig_atomic_t passed_on;   /* the last signal to pass on to the program */
static volatile sig_atomic_t ends;
static volatile sig_atomic_t own_came;
static volatile sig_atomic_t last; /* the last signal that arrived, or 0 */
static int own_number;

/*
 * The terminal sends its signals to the program, too; a signal sent to this process alone is passed
 * on. In both cases this process waits for the program and prints the results.
 */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == own_number) {
		own_came = 1;
		return;
	}
	last = number;
	if (number == SIGINT)
		interrupted = 1;
	if (number != SIGUSR1 && number != SIGUSR2)
		ends = ends + 1;
	if (info->si_code > 0)
		return;
	passed_on = number;
	if (program > 0)
		kill((pid_t)program, number);
}

void signals_catch(int own)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	own_number = own;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction before;

		/* Signals that were ignored stay ignored, for the program too. */
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

void signals_started(pid_t pid)
{
	program = (sig_atomic_t)pid;
	/* A signal that the terminal sent before the program started has not reached it. */
	if (last)
		kill(pid, last);
}

void signals_ended(void)
{
	program = 0;
}

bool signals_interrupted(void)
{
	return interrupted;
}

bool signals_passed_on(void)
{
	return passed_on;
}

unsigned signals_ends(void)
{
	return (unsigned)ends;
}

bool signals_own(void)
{
	bool came = own_came;

	own_came = 0;
	return came;
}

void signals_end_interrupted(int number)
{
	if (!interrupted || number != SIGINT)
		return;
	signal(SIGINT, SIG_DFL);
	raise(SIGINT);
}

void signals_end_early(void)
{
	if (!last)
		return;
	signal(last, SIG_DFL);
	raise(last);
}
