/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a busy host of a quiet one: preloaded into QEMU, it delays threads at random, where they
 * lock, unlock, wait, wake and map memory. A delay either keeps the processor, as if the thread had
 * been preempted, or sleeps in a system call that nothing interrupts, as threads do that wait for a
 * lock of the kernel's. DELAYS=SEED in the environment; with a seed of 0 nothing is delayed.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES 8192

static uint64_t seed;
static __thread uint64_t state;
static __thread struct timespec asleep;
static __thread char stack[STACK_BYTES] __attribute__((aligned(16)));

__attribute__((constructor)) static void set_up(void)
{
	const char *value = getenv("DELAYS");
	char name[256] = "";

	if (value && readlink("/proc/self/exe", name, sizeof(name) - 1) > 0 &&
	    strstr(name, "qemu-aarch64"))
		seed = strtoull(value, NULL, 10);
}

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* SplitMix64 */
static uint64_t draw(void)
{
	uint64_t z;

	if (!state)
		state = seed * 0xd1342543de82ef95ull + (uint64_t)getpid() * 0x2545f4914f6cdd1dull +
			(uint64_t)syscall(SYS_gettid) * 0x9e3779b97f4a7c15ull;
	z = state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void keep_busy(uint64_t ns)
{
	for (const uint64_t until = now() + ns; now() < until;)
		;
}

static int sleep_and_end(void *user)
{
	syscall(SYS_nanosleep, user, NULL);
	syscall(SYS_exit, 0);
	return 0;
}

/* The parent of a process that has its memory sleeps until that one ends, whatever happens. It does
 * not sleep in waitpid(), as a signal could end that. */
static void sleep_deeply(uint64_t ns)
{
	pid_t child;

	asleep = (struct timespec){.tv_nsec = (long)ns};
	child = clone(sleep_and_end, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, &asleep);
	while (child > 0 && waitpid(child, NULL, __WALL | WNOHANG) == 0)
		;
}

/* `deep`: how often of 1000 times it sleeps. */
static void delay(unsigned deep)
{
	uint64_t drawn;

	if (!seed)
		return;
	drawn = draw();
	if (drawn % 1000 < deep)
		sleep_deeply(50000 + (drawn >> 20) % 3000000);
	else if (drawn % 16 == 1)
		keep_busy((drawn >> 20) % 30000);
	else if (drawn % 1024 == 2)
		keep_busy((drawn >> 20) % 2000000);
}

#define DELAYED(result, name, deep, parameters, arguments)                   \
	result name parameters                                               \
	{                                                                    \
		static result(*real) parameters;                             \
		result value;                                                \
                                                                             \
		if (!real)                                                   \
			real = (result(*) parameters)(uintptr_t)next(#name); \
		delay(deep);                                                 \
		value = real arguments;                                      \
		delay(deep);                                                 \
		return value;                                                \
	}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved */
DELAYED(int, pthread_mutex_lock, 2, (pthread_mutex_t * mutex), (mutex))
DELAYED(int, pthread_mutex_unlock, 2, (pthread_mutex_t * mutex), (mutex))
DELAYED(int, munmap, 300, (void *address, size_t size), (address, size))
DELAYED(int, mprotect, 300, (void *address, size_t size, int rights), (address, size, rights))
DELAYED(int, madvise, 300, (void *address, size_t size, int advice), (address, size, advice))
DELAYED(void *, mmap, 300,
	(void *address, size_t size, int rights, int flags, int file, off_t offset),
	(address, size, rights, flags, file, offset))
DELAYED(void *, mmap64, 300,
	(void *address, size_t size, int rights, int flags, int file, off64_t offset),
	(address, size, rights, flags, file, offset))
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
