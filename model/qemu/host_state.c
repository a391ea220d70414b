/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/host_state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAG_BITS 8 /* at the top of an address */

/* Reads a file of a thread in /proc. Returns false if there is none, or no /proc. */
static bool read_about(pid_t tid, const char *what, char *text, size_t size)
{
	char path[64];
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, what);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	length = read(file, text, size - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* Returns what a thread does whose system call /proc does not show. */
static enum host_state state_by_status(pid_t tid)
{
	static const char state[] = "\nState:\t";
	char text[4096];
	const char *found;

	if (!read_about(tid, "status", text, sizeof(text)))
		return syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH ? HOST_GONE
									       : HOST_UNKNOWN;
	found = strstr(text, state);
	switch (found ? found[sizeof(state) - 1] : 0) {
	case 0:
		return HOST_UNKNOWN;
	case 'S':
		return HOST_ASLEEP;
	case 'Z':
	case 'X':
		return HOST_GONE;
	default:
		return HOST_BUSY;
	}
}

enum host_state host_state(pid_t tid, uint64_t futex)
{
	uint64_t address, operation;
	char text[256], *end;

	/* "running", or the call in which it sleeps and its arguments; -1: in none, or gone. */
	if (!read_about(tid, "syscall", text, sizeof(text)))
		return state_by_status(tid);
	if (text[0] == '-')
		return state_by_status(tid) == HOST_GONE ? HOST_GONE : HOST_BUSY;
	if (text[0] < '0' || text[0] > '9')
		return HOST_BUSY;
	if (strtoull(text, &end, 10) != SYS_futex)
		return HOST_ASLEEP;
	address = strtoull(end, &end, 16);
	operation = strtoull(end, NULL, 16);
	if (futex && !((address ^ futex) << TAG_BITS))
		return HOST_ASLEEP;
	/* The C library waits so for conditions, and with FUTEX_WAIT for mutexes. */
	return (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ? HOST_EXCLUSIVE : HOST_LOCKED_OUT;
}
