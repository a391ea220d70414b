/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/share.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WATCH_MS   100
#define CERTAIN_MS 1000 /* without a heartbeat */
#define PATIENCE_S 2    /* between the last signal and SIGKILL */
#define STACK_SIZE (64u << 10)

/* If the program has opened something else with that number, it is not taken for the memory. */
static bool is_ours(int fd, uint64_t key, size_t *size)
{
	struct stat status;
	uint64_t word = 0;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) ||
	    pread(fd, &word, sizeof(word), 0) != sizeof(word) || word != key)
		return false;
	*size = (size_t)status.st_size;
	return true;
}

static int open_at_reader(const struct share *share, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", share->reader, share->descriptor);
	return open(path, flags | O_CLOEXEC);
}

void *share_map(const struct share *share, size_t *size)
{
	int fd = share->descriptor;
	void *memory;

	if (!is_ours(fd, share->key, size)) {
		fd = open_at_reader(share, O_RDWR);
		if (fd < 0)
			return NULL;
		if (!is_ours(fd, share->key, size)) {
			close(fd);
			return NULL;
		}
	}
	memory = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

bool share_in_reach(const struct share *share)
{
	int fd = open_at_reader(share, O_RDWR);
	size_t size;
	bool ours;

	if (fd < 0)
		return false;
	ours = is_ours(fd, share->key, &size);
	close(fd);
	return ours;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Returns whether the process is gone, or a zombie: killed, but not waited for. */
static bool is_gone(int process)
{
	char path[64], target[8];

	if (kill(process, 0) && errno == ESRCH)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", process);
	return readlink(path, target, sizeof(target)) < 0 && errno == ENOENT &&
	       readlink("/proc/thread-self/exe", target, sizeof(target)) > 0;
}

bool share_reader_gone(struct model_shared *shared)
{
	static _Atomic uint64_t since; /* when it was first missed; 0: it is there */
	static _Atomic uint32_t heartbeat;

	if (atomic_load(&shared->orphaned))
		return true;
	if (!is_gone(shared->reader)) {
		atomic_store(&since, 0);
		return false;
	}
	if (!atomic_load(&since) || atomic_load(&shared->heartbeat) != atomic_load(&heartbeat)) {
		atomic_store(&heartbeat, atomic_load(&shared->heartbeat));
		atomic_store(&since, now_ms());
		return false;
	}
	if (now_ms() - atomic_load(&since) < CERTAIN_MS)
		return false;
	if (!atomic_load(&shared->ended))
		atomic_store(&shared->orphaned, 1);
	return atomic_load(&shared->orphaned);
}

/* A reader in another PID namespace is out of sight, too. */
bool share_process_gone(const struct model_shared *shared, int process)
{
	return is_gone(process) && !is_gone(shared->reader);
}

/* Ends this process, because the run was ended, and with it all that the program left running. */
static void end_with(int number)
{
	struct timespec left = {.tv_sec = PATIENCE_S};

	kill(getpid(), number);
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
	kill(getpid(), SIGKILL);
}

static void *watch(void *user)
{
	const struct timespec pause = {.tv_nsec = WATCH_MS * 1000000L};
	struct model_shared *shared = user;
	int number;

	while (!atomic_load(&shared->ended)) {
		if (share_reader_gone(shared))
			kill(getpid(), SIGKILL);
		nanosleep(&pause, NULL);
	}
	number = (int)atomic_load(&shared->last_signal);
	if (number)
		end_with(number);
	return NULL;
}

void share_watch_reader(struct model_shared *shared)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	if (!shared || pthread_attr_init(&attributes))
		return;
	/* Signals and addresses belong to the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, watch, shared);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}
