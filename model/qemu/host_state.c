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

#define TAG_BITS     8 /* at the top of an address */
#define STATUS_BYTES 4096

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

/* Returns what comes after `name` in the lines of a status; "": it is not there. */
static const char *after(const char *status, const char *name)
{
	const char *found = strstr(status, name);

	return found ? found + strlen(name) : "";
}

static enum host_state state_in(const char *status)
{
	switch (after(status, "\nState:\t")[0]) {
	case '\0':
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

static enum host_state state_without_status(pid_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH ? HOST_GONE : HOST_UNKNOWN;
}

/* Returns what a thread does that /proc shows in no system call. */
static enum host_state state_by_status(pid_t tid)
{
	char status[STATUS_BYTES];

	return read_about(tid, "status", status, sizeof(status)) ? state_in(status)
								 : state_without_status(tid);
}

/* Returns what a thread does that sleeps in a call, as the text says, for `futex`. */
static enum host_state state_by_call(const char *text, uint64_t futex)
{
	uint64_t address, operation;
	char *end;

	if (strtoull(text, &end, 10) != SYS_futex)
		return HOST_ASLEEP;
	address = strtoull(end, &end, 16);
	operation = strtoull(end, NULL, 16);
	if (futex && !((address ^ futex) << TAG_BITS))
		return HOST_ASLEEP;
	/* The C library waits so for conditions, and with FUTEX_WAIT for mutexes. */
	return (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ? HOST_EXCLUSIVE : HOST_LOCKED_OUT;
}

/*
 * A thread that waits for a lock of the kernel's, such as that of the process's mappings, shows a
 * call, too, but will go on by itself. Its state tells them apart, if it was the same sleep in
 * which all of this was read.
 */
enum host_state host_state(pid_t tid, uint64_t futex)
{
	static const char switches[] = "\nvoluntary_ctxt_switches:\t";
	char call[256], before[STATUS_BYTES], status[STATUS_BYTES];
	enum host_state state;

	/* "running", or the call in which it sleeps and its arguments; -1: in none, or gone. */
	if (!read_about(tid, "syscall", call, sizeof(call)))
		return state_by_status(tid);
	if (call[0] == '-')
		return state_by_status(tid) == HOST_GONE ? HOST_GONE : HOST_BUSY;
	if (call[0] < '0' || call[0] > '9')
		return HOST_BUSY;
	if (!read_about(tid, "status", before, sizeof(before)) ||
	    !read_about(tid, "syscall", call, sizeof(call)) ||
	    !read_about(tid, "status", status, sizeof(status)))
		return state_without_status(tid);
	state = state_in(status);
	if (state != HOST_ASLEEP)
		return state;
	if (call[0] < '0' || call[0] > '9' || state_in(before) != HOST_ASLEEP ||
	    strtoull(after(before, switches), NULL, 10) !=
		    strtoull(after(status, switches), NULL, 10))
		return HOST_BUSY;
	return state_by_call(call, futex);
}
