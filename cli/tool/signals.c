/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/signals.h"

#include <signal.h>

#include <plumb/source.h>

static volatile sig_atomic_t program;     /* the program's process, or 0 */
static volatile sig_atomic_t begun;       /* there is something to report */
static volatile sig_atomic_t interrupted; /* SIGINT arrived */
static volatile sig_atomic_t terminated;  /* SIGTERM or SIGHUP, whichever arrived last, or 0 */
static volatile sig_atomic_t passed_on;   /* the last signal to pass on to the program */
static volatile sig_atomic_t ends;
static volatile sig_atomic_t own_came;
static volatile sig_atomic_t last;     /* the last signal that arrived, or 0 */
static volatile sig_atomic_t last_end; /* the last that ends things, or 0 */
static int own_number;
static struct plumb_source *canceled;
static unsigned cancels_at;

static void end_by(int number)
{
	sigset_t only;

	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static bool is_user_signal(int number)
{
	return number == SIGUSR1 || number == SIGUSR2;
}

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
	if (!begun && !is_user_signal(number))
		end_by(number);
	last = number;
	if (number == SIGINT)
		interrupted = 1;
	if (number == SIGTERM || number == SIGHUP)
		terminated = number;
	if (!is_user_signal(number)) {
		ends = ends + 1;
		last_end = number;
	}
	if (canceled && (unsigned)ends >= cancels_at)
		plumb_source_cancel(canceled);
	if (info->si_code > 0)
		return;
	passed_on = number;
	if (program > 0)
		kill((pid_t)program, number);
}

static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

void signals_catch(int own)
{
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

void signals_cancel(struct plumb_source *source, unsigned signals)
{
	canceled = source;
	cancels_at = signals;
}

void signals_begun(void)
{
	begun = 1;
}

void signals_started(pid_t pid)
{
	begun = 1;
	program = (sig_atomic_t)pid;
	/* A signal that the terminal sent before the program started has not reached it. */
	if (last)
		kill(pid, last);
}

void signals_ended(void)
{
	program = 0;
}

bool signals_passed_on(void)
{
	return passed_on;
}

unsigned signals_ends(void)
{
	return (unsigned)ends;
}

int signals_last(void)
{
	return (int)last_end;
}

bool signals_own(void)
{
	bool came = own_came;

	own_came = 0;
	return came;
}

void signals_release(void)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction now;

		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_sigaction == on_signal)
			signal(numbers[i], SIG_DFL);
	}
}

void signals_end(int number)
{
	if (terminated)
		end_by(terminated);
	if (interrupted && (number == SIGINT || ends > 1))
		end_by(SIGINT);
}

void signals_end_early(void)
{
	if (last)
		end_by(last);
}
