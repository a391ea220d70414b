/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static enum perf_command command_of(const struct perf_control *control)
{
	static const char *const names[] = {
		[PERF_ENABLE] = "enable", [PERF_DISABLE] = "disable", [PERF_SNAPSHOT] = "snapshot",
		[PERF_STOP] = "stop",     [PERF_PING] = "ping",
	};

	for (int i = 0; i < PERF_UNKNOWN; i++)
		if (!control->too_long && strlen(names[i]) == control->used &&
		    memcmp(names[i], control->line, control->used) == 0)
			return (enum perf_command)i;
	return PERF_UNKNOWN;
}

/*
 * Acknowledges a command. Neither waits for a reader that has stopped reading, nor lets SIGPIPE end
 * this process if there is none any more.
 */
static void answer(struct perf_control *control)
{
	struct pollfd ready = {.fd = control->ack, .events = POLLOUT};
	const struct timespec at_once = {0, 0};
	sigset_t pipe, before, pending;

	if (control->ack < 0 || poll(&ready, 1, 0) <= 0 || !(ready.revents & POLLOUT))
		return;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	if (write(control->ack, "ack\n", 4) < 0 && errno == EPIPE) {
		control->ack = -1;
		/* Take the signal, unless it is someone else's. */
		if (!sigismember(&pending, SIGPIPE))
			(void)sigtimedwait(&pipe, NULL, &at_once);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void perf_control_read(struct perf_control *control,
		       void (*obey)(void *user, enum perf_command command), void *user)
{
	char bytes[256];
	const ssize_t count = read(control->fd, bytes, sizeof(bytes));

	if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
		control->fd = -1;
	for (ssize_t i = 0; i < count; i++) {
		enum perf_command command;

		/* perf ends a command with either. */
		if (bytes[i] != '\n' && bytes[i] != '\0') {
			if (control->used < sizeof(control->line))
				control->line[control->used++] = bytes[i];
			else
				control->too_long = true;
			continue;
		}
		command = command_of(control);
		control->used = 0;
		control->too_long = false;
		if (command == PERF_UNKNOWN || (command == PERF_SNAPSHOT && !control->snapshots))
			continue;
		obey(user, command);
		answer(control);
	}
}
