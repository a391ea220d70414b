/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/calls.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "qemu/guest.h"
#include "shared.h"

#define PATH_BEGIN 32 /* bytes of a path that are looked at */

/* System calls that neither sleep nor wake, in ascending order. All others may do both. */
static const uint16_t plain[] = {
	17,  /* getcwd */
	48,  /* faccessat */
	56,  /* openat */
	62,  /* lseek */
	78,  /* readlinkat */
	79,  /* newfstatat */
	80,  /* fstat */
	96,  /* set_tid_address */
	99,  /* set_robust_list */
	113, /* clock_gettime */
	114, /* clock_getres */
	122, /* sched_setaffinity */
	123, /* sched_getaffinity */
	124, /* sched_yield: to threads whose turn comes, not to any of another program */
	134, /* rt_sigaction */
	135, /* rt_sigprocmask */
	153, /* times */
	160, /* uname */
	165, /* getrusage */
	168, /* getcpu */
	169, /* gettimeofday */
	172, /* getpid */
	173, /* getppid */
	174, /* getuid */
	175, /* geteuid */
	176, /* getgid */
	177, /* getegid */
	178, /* gettid */
	179, /* sysinfo */
	214, /* brk */
	215, /* munmap */
	216, /* mremap */
	222, /* mmap */
	226, /* mprotect */
	233, /* madvise */
	261, /* prlimit64 */
	278, /* getrandom */
	293, /* rseq */
};

/* Those that wake, but only threads that wait for the same file, or for the end of one. */
static const uint16_t leave_futexes[] = {
	19,  /* eventfd2 */
	20,  /* epoll_create1 */
	21,  /* epoll_ctl */
	22,  /* epoll_pwait */
	57,  /* close */
	59,  /* pipe2 */
	63,  /* read */
	64,  /* write */
	65,  /* readv */
	66,  /* writev */
	67,  /* pread64 */
	68,  /* pwrite64 */
	72,  /* pselect6 */
	73,  /* ppoll */
	93,  /* exit: a thread's end is told by a futex that is not private */
	101, /* nanosleep */
	115, /* clock_nanosleep */
	202, /* accept */
	203, /* connect */
	206, /* sendto */
	207, /* recvfrom */
	211, /* sendmsg */
	212, /* recvmsg */
	242, /* accept4 */
	260, /* wait4 */
};

static bool is_among(const uint16_t *list, size_t count, int64_t number)
{
	for (size_t i = 0; i < count && list[i] <= number; i++)
		if (list[i] == number)
			return true;
	return false;
}

static bool is_plain(int64_t number)
{
	return is_among(plain, sizeof(plain) / sizeof(plain[0]), number);
}

bool calls_leave_futexes(int64_t number)
{
	return is_plain(number) ||
	       is_among(leave_futexes, sizeof(leave_futexes) / sizeof(leave_futexes[0]), number);
}

static bool futex_waits(uint64_t operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

uint64_t calls_sleep_on(int64_t number, const uint64_t arguments[6])
{
	const uint64_t operation = arguments[1] & FUTEX_CMD_MASK;

	return number == CALL_FUTEX && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
		       ? arguments[0]
		       : 0;
}

uint64_t calls_wake_on(int64_t number, const uint64_t arguments[6])
{
	const uint64_t operation = arguments[1] & FUTEX_CMD_MASK;

	return number == CALL_FUTEX && (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
		       ? arguments[0]
		       : 0;
}

uint64_t calls_move_from(int64_t number, const uint64_t arguments[6])
{
	switch (number == CALL_FUTEX ? arguments[1] & FUTEX_CMD_MASK : FUTEX_WAKE) {
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		return arguments[0];
	default:
		return 0;
	}
}

bool calls_keep_order(const uint64_t arguments[6])
{
	switch (arguments[1] & (unsigned)~FUTEX_CLOCK_REALTIME) {
	case FUTEX_WAIT_PRIVATE:
	case FUTEX_WAKE_PRIVATE:
		return true;
	case FUTEX_WAIT_BITSET_PRIVATE:
	case FUTEX_WAKE_BITSET_PRIVATE:
		return (uint32_t)arguments[5] == FUTEX_BITSET_MATCH_ANY;
	default:
		return false;
	}
}

/* A thread's memory is its parent's; QEMU takes vfork for fork. */
bool calls_clones_thread(int64_t number, const uint64_t arguments[6])
{
	return number == CALL_CLONE && arguments[0] & CLONE_VM && !(arguments[0] & CLONE_VFORK);
}

bool calls_may_sleep(int64_t number, const uint64_t arguments[6])
{
	if (number == CALL_FUTEX)
		return futex_waits(arguments[1]);
	return !is_plain(number) && !calls_clones_thread(number, arguments);
}

bool calls_may_wake(int64_t number, const uint64_t arguments[6], int64_t result)
{
	if (number == CALL_FUTEX)
		/* Unlocking tells no number. */
		return !futex_waits(arguments[1]) &&
		       (result > 0 || (arguments[1] & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI);
	return !is_plain(number) && !calls_clones_thread(number, arguments);
}

bool calls_made_thread(int64_t number, const uint64_t arguments[6], int64_t result)
{
	return calls_clones_thread(number, arguments) && result > 0;
}

/* Signals that the C library keeps for itself, and sends to a certain thread. */
static bool is_of_library(uint64_t signal)
{
	return signal >= 32 && signal <= 34;
}

bool calls_handle_signals(int64_t number, const uint64_t arguments[6])
{
	uint64_t handler; /* 0: the default action; 1: the signal is ignored */

	switch (number) {
	case CALL_TKILL:
		return is_of_library(arguments[1]);
	case CALL_TGKILL:
		return is_of_library(arguments[2]);
	case CALL_RT_SIGACTION:
		return arguments[1] && !is_of_library(arguments[0]) &&
		       (!guest_read(arguments[1], &handler, sizeof(handler)) || handler > 1);
	default:
		return false;
	}
}

/* Processes run at the same time: what they write to common memory comes at any time. */
static unsigned shares_memory(int64_t number, const uint64_t arguments[6])
{
	static _Atomic bool has_shared, has_forked;

	if (number == CALL_CLONE && !(arguments[0] & CLONE_VM))
		has_forked = true;
	else if (number == CALL_SHMAT ||
		 (number == CALL_MMAP && arguments[2] & PROT_WRITE && arguments[3] & MAP_SHARED))
		has_shared = true;
	return has_shared && has_forked ? OUTSIDE_MEMORY : 0;
}

static bool from_outside(uint64_t descriptor)
{
	struct stat status;

	return !fstat((int)descriptor, &status) && !S_ISREG(status.st_mode) &&
	       !S_ISDIR(status.st_mode);
}

static bool begins_with(uint64_t path, const char *folder)
{
	const size_t length = strlen(folder);
	char begin[PATH_BEGIN];

	return length <= sizeof(begin) && guest_read(path, begin, length) &&
	       !memcmp(begin, folder, length);
}

/* Returns what a path leads to: what the host's kernel tells of processes or of processors. */
static unsigned from_kernel(uint64_t path)
{
	if (begins_with(path, "/proc/"))
		return OUTSIDE_PROC;
	return begins_with(path, "/sys/devices/system/cpu/") ? OUTSIDE_HOST : 0;
}

static unsigned taken_from_outside(int64_t number, const uint64_t arguments[6])
{
	switch (number) {
	case 95:  /* waitid */
	case 260: /* wait4 */
		return OUTSIDE_CHILD;
	case 113: /* clock_gettime */
	case 153: /* times */
	case 165: /* getrusage */
	case 168: /* getcpu */
	case 169: /* gettimeofday */
		return OUTSIDE_CLOCK;
	case 101: /* nanosleep */
	case 103: /* setitimer */
	case 110: /* timer_settime */
	case 115: /* clock_nanosleep */
	case 137: /* rt_sigtimedwait */
		return OUTSIDE_TIMER;
	case CALL_FUTEX:
		return futex_waits(arguments[1]) && arguments[3] ? OUTSIDE_TIMER : 0;
	case 56: /* openat */
		return from_kernel(arguments[1]);
	case 123: /* sched_getaffinity */
		return OUTSIDE_HOST;
	case 172: /* getpid */
	case 173: /* getppid */
	case 178: /* gettid */
		return OUTSIDE_NUMBER;
	case 63: /* read */
	case 65: /* readv */
		return from_outside(arguments[0]) ? OUTSIDE_INPUT : 0;
	case 72: /* pselect6; of no descriptors: a sleep, or pause() */
		return arguments[0] ? OUTSIDE_INPUT : arguments[4] ? OUTSIDE_TIMER : 0;
	case 73: /* ppoll; likewise */
		return arguments[1] ? OUTSIDE_INPUT : arguments[2] ? OUTSIDE_TIMER : 0;
	case 22:  /* epoll_pwait */
	case 202: /* accept */
	case 207: /* recvfrom */
	case 212: /* recvmsg */
	case 242: /* accept4 */
	case 243: /* recvmmsg */
	case 441: /* epoll_pwait2 */
		return OUTSIDE_INPUT;
	case 278: /* getrandom; without waiting, the C library does so for malloc's own use */
		return arguments[2] & GRND_NONBLOCK ? 0 : OUTSIDE_RANDOM;
	default:
		return 0;
	}
}

unsigned calls_outside(int64_t number, const uint64_t arguments[6])
{
	return taken_from_outside(number, arguments) | shares_memory(number, arguments);
}
