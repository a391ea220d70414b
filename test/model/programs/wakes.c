/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wake each other by calls that C libraries seldom make. Usage: wakes WAY */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS  20

static uint32_t gate, second; /* futexes */
static int asleep, through, ends[2][2], events, poll;
static int words[4] __attribute__((aligned(16)));
static pthread_mutex_t lock;

static long futex(uint32_t *word, int operation, uint32_t value, uint64_t more, uint32_t *other,
		  uint32_t last)
{
	return syscall(SYS_futex, word, operation, value, more, other, last);
}

/* Sleeps on the gate of each round, wherever the sleep ends. */
static void *pass_gates(void *user)
{
	for (uint32_t round = 0; round < ROUNDS; round++) {
		__atomic_fetch_add(&asleep, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&gate, __ATOMIC_SEQ_CST) == round)
			futex(&gate, FUTEX_WAIT_PRIVATE, round, 0, 0, 0);
		__atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
	}
	return user;
}

/* Opens a gate: wakes one thread, and the others by the second word, where they are moved to. */
static void requeue(uint32_t round, int compares)
{
	__atomic_store_n(&gate, round + 1, __ATOMIC_SEQ_CST);
	futex(&gate, compares ? FUTEX_CMP_REQUEUE_PRIVATE : FUTEX_REQUEUE_PRIVATE, 1, THREADS,
	      &second, round + 1);
	futex(&second, FUTEX_WAKE_PRIVATE, THREADS, 0, 0, 0);
}

/* Opens a gate and wakes all, by one call that also adds to the second word. */
static void wake_and_add(uint32_t round)
{
	__atomic_store_n(&gate, round + 1, __ATOMIC_SEQ_CST);
	futex(&second, FUTEX_WAKE_OP_PRIVATE, 1, THREADS, &gate,
	      FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_GE, 0));
}

static int open_gates(const char *way)
{
	pthread_t others[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&others[i], 0, pass_gates, 0))
			return 1;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		while (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST) < THREADS * (int)(round + 1))
			;
		if (!strcmp(way, "wake_op"))
			wake_and_add(round);
		else
			requeue(round, !strcmp(way, "cmp_requeue"));
	}
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return through != THREADS * ROUNDS;
}

/* Sleeps on the gate until the thread's own bit of a set is woken, whoever slept there first. */
static void *await_bit(void *user)
{
	const uint32_t bit = 1u << (uintptr_t)user;

	for (int round = 0; round < ROUNDS; round++) {
		futex(&gate, FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, bit);
		__atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
	}
	return user;
}

/* Wakes threads that sleep on one futex, by their bits: the last one first. */
static int wake_bits(void)
{
	pthread_t others[THREADS];
	int woken = 0;

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&others[i], 0, await_bit, (void *)i))
			return 1;
	for (int round = 0; round < ROUNDS; round++)
		for (int i = THREADS - 1; i >= 0; i--) {
			while (futex(&gate, FUTEX_WAKE_BITSET_PRIVATE, 1, 0, 0, 1u << i) != 1)
				;
			woken++;
			while (__atomic_load_n(&through, __ATOMIC_SEQ_CST) != woken)
				;
		}
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return through != THREADS * ROUNDS;
}

/* Sleeps once on a word that never changes, so that nothing but a call that wakes can end that. */
static void *await_call(void *user)
{
	const long result = futex(&gate, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);

	__atomic_fetch_add(&through, result == 0, __ATOMIC_SEQ_CST);
	return user;
}

/* Linux knows a call by the lower half of the register. */
static long wake_one(void)
{
	register uint64_t x0 __asm__("x0") = (uintptr_t)&gate;
	register uint64_t x1 __asm__("x1") = FUTEX_WAKE_PRIVATE;
	register uint64_t x2 __asm__("x2") = 1;
	register uint64_t x8 __asm__("x8") = SYS_futex | 1ull << 32;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	return (long)x0;
}

/* Calls say whom they have woken, and that they were woken; or why they did not sleep. */
static int check_results(void)
{
	pthread_t others[THREADS];
	long woken = 0;

	if (futex(&gate, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0) != -1 || errno != EAGAIN ||
	    futex(&gate, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0) != 0)
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&others[i], 0, await_call, 0))
			return 1;
	while (wake_one() != 1)
		;
	while (woken < THREADS - 1)
		woken += futex(&gate, FUTEX_WAKE_PRIVATE, THREADS, 0, 0, 0);
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return gate || woken != THREADS - 1 || through != THREADS;
}

/* Sleeps on a word of a page, which never changes. */
static void *await_page(void *page)
{
	for (int round = 0; round < ROUNDS; round++) {
		if (futex(page, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0))
			break;
		__atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
		for (volatile int i = 0; i < 100; i++)
			;
	}
	return page;
}

/*
 * Wakes threads, one at a time, that sleep on a word which the program cannot write; `late`: not
 * any more.
 */
static int wake_unwritable(int late)
{
	uint32_t *page = mmap(0, 4096, late ? PROT_READ | PROT_WRITE : PROT_READ,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t others[THREADS];

	if (page == MAP_FAILED)
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&others[i], 0, await_page, page))
			return 1;
	for (int woken = 0; woken < THREADS * ROUNDS; woken++) {
		if (late && mprotect(page, 4096, woken % 2 ? PROT_READ : PROT_READ | PROT_WRITE))
			return 1;
		while (futex(page, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0) != 1)
			;
		while (!late && __atomic_load_n(&through, __ATOMIC_SEQ_CST) <= woken)
			;
	}
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return through != THREADS * ROUNDS;
}

/* Gives the processor to other threads until it is this one's turn. */
static void *yield(void *user)
{
	for (int turn = (int)(uintptr_t)user; turn < 10 * ROUNDS * THREADS; turn += THREADS) {
		while (__atomic_load_n(&through, __ATOMIC_SEQ_CST) != turn)
			if (sched_yield())
				return user;
		__atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
	}
	return user;
}

/* An atomic that is not aligned, for which QEMU stops all other threads. */
static void *add_unaligned(void *user)
{
	uint64_t *word = (uint64_t *)(uintptr_t)(words + 1);

	for (int i = 0; i < 5 * ROUNDS; i++)
		__asm__ volatile(".arch_extension lse\n\tldadd %0, xzr, [%1]"
				 :
				 : "r"(1ul), "r"(word)
				 : "memory");
	return user;
}

static int run_all(void *(*run)(void *))
{
	pthread_t others[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&others[i], 0, run, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return 0;
}

/* The first one sleeps for an hour at most, and the others for any time. */
static void *pass_gate(void *user)
{
	const struct timespec hour = {.tv_sec = 3600};

	__atomic_fetch_add(&asleep, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&gate, __ATOMIC_SEQ_CST))
		futex(&gate, FUTEX_WAIT_PRIVATE, 0, user ? 0 : (uint64_t)(uintptr_t)&hour, 0, 0);
	return user;
}

static int wake_timed(void)
{
	pthread_t others[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&others[i], 0, pass_gate, (void *)(THREADS - 1 - i)))
			return 1;
	while (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST) < THREADS)
		;
	__atomic_store_n(&gate, 1, __ATOMIC_SEQ_CST);
	futex(&gate, FUTEX_WAKE_PRIVATE, THREADS, 0, 0, 0);
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return 0;
}

static int say(const char *line)
{
	return write(1, line, strlen(line)) < 0;
}

/* Says so, and sleeps for good, in two threads. */
static int sleep_for_good(void)
{
	pthread_t other;

	if (pthread_create(&other, 0, await_call, 0) || say("asleep\n"))
		return 1;
	await_call(0);
	return 1;
}

/* Executes for good, and leaves signals to others. */
static void *block_signals(void *user)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, 0);
	__atomic_fetch_add(&asleep, 1, __ATOMIC_SEQ_CST);
	for (volatile unsigned i = 0;; i++)
		;
	return user;
}

/* Only this thread receives signals, and takes turns with the others. */
static int receive_signals(void)
{
	pthread_t other;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&other, 0, block_signals, 0))
			return 1;
	while (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST) < THREADS)
		;
	if (say("masked\n"))
		return 1;
	for (volatile unsigned i = 0;; i++)
		;
}

/* Sleeps until it is woken, and then executes for good. */
static void *execute_when_woken(void *user)
{
	await_call(user);
	for (volatile unsigned i = 0;; i++)
		;
	return user;
}

/*
 * Says so, executes for a while beside a thread that sleeps, wakes that one, and executes for good.
 * From then on, the two give the turn to each other, and no call tells anybody of it. They do so on
 * the first of the host's threads, which is where signals arrive, since the last call was made
 * there.
 */
static int execute_beside(void)
{
	pthread_t other;

	if (pthread_create(&other, 0, execute_when_woken, 0) || say("beside\n"))
		return 1;
	for (volatile unsigned i = 0; i < 50000; i++)
		;
	while (futex(&gate, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0) != 1)
		;
	for (volatile unsigned i = 0; i < 5000; i++)
		;
	getuid();
	for (volatile unsigned i = 0;; i++)
		;
}

static void *count_inheriting(void *user)
{
	for (int i = 0; i < 100; i++) {
		if (pthread_mutex_lock(&lock))
			break;
		through++;
		for (volatile int k = 0; k < 50; k++)
			;
		pthread_mutex_unlock(&lock);
	}
	return user;
}

static int inherit(void)
{
	pthread_mutexattr_t attributes;
	pthread_t others[THREADS];

	if (pthread_mutexattr_init(&attributes) ||
	    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) ||
	    pthread_mutex_init(&lock, &attributes))
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&others[i], 0, count_inheriting, 0))
			return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(others[i], 0))
			return 1;
	return through != THREADS * 100;
}

/* Sends a byte back for each that comes. */
static void *echo(void *user)
{
	char byte;

	while (read(ends[0][0], &byte, 1) == 1)
		if (write(ends[1][1], &byte, 1) != 1)
			break;
	return user;
}

static int ping(void)
{
	pthread_t other;
	char byte = 'x';

	if (pipe(ends[0]) || pipe(ends[1]) || pthread_create(&other, 0, echo, 0))
		return 1;
	for (int i = 0; i < 5 * ROUNDS; i++)
		if (write(ends[0][1], &byte, 1) != 1 || read(ends[1][0], &byte, 1) != 1)
			return 1;
	close(ends[0][1]);
	return pthread_join(other, 0);
}

/* Waits for an event with epoll, takes it, and answers through a pipe. */
static void *answer_events(void *user)
{
	for (int i = 0; i < 5 * ROUNDS; i++) {
		struct epoll_event event;
		uint64_t count;

		if (epoll_wait(poll, &event, 1, -1) != 1 ||
		    read(events, &count, sizeof(count)) != sizeof(count) ||
		    write(ends[0][1], "x", 1) != 1)
			break;
		through += (int)count;
	}
	return user;
}

static int send_events(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	const uint64_t one = 1;
	pthread_t other;
	char byte;

	poll = epoll_create1(0);
	events = eventfd(0, 0);
	if (poll < 0 || events < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, events, &event) ||
	    pipe(ends[0]) || pthread_create(&other, 0, answer_events, 0))
		return 1;
	for (int i = 0; i < 5 * ROUNDS; i++)
		if (write(events, &one, sizeof(one)) != sizeof(one) ||
		    read(ends[0][0], &byte, 1) != 1)
			return 1;
	return pthread_join(other, 0) || through != 5 * ROUNDS;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (!strcmp(way, "requeue") || !strcmp(way, "cmp_requeue") || !strcmp(way, "wake_op"))
		return open_gates(way);
	if (!strcmp(way, "bits"))
		return wake_bits();
	if (!strcmp(way, "results"))
		return check_results();
	if (!strcmp(way, "unwritable") || !strcmp(way, "protected"))
		return wake_unwritable(!strcmp(way, "protected"));
	if (!strcmp(way, "yields"))
		return run_all(yield) || through != 10 * ROUNDS * THREADS;
	if (!strcmp(way, "unaligned"))
		return run_all(add_unaligned) || words[1] != 5 * ROUNDS * THREADS;
	if (!strcmp(way, "timed"))
		return wake_timed();
	if (!strcmp(way, "asleep"))
		return sleep_for_good();
	if (!strcmp(way, "masked"))
		return receive_signals();
	if (!strcmp(way, "beside"))
		return execute_beside();
	if (!strcmp(way, "inherit"))
		return inherit();
	if (!strcmp(way, "ping"))
		return ping();
	if (!strcmp(way, "epoll"))
		return send_events();
	return 2;
}
