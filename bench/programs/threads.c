/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that share the work: private, reads, false, mutex, spin, tickets or adds.
 * Usage: threads WAY THREADS, a power of two up to 8. All threads together do the same, however
 * many they are.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 8
#define WORDS       (1u << 18) /* 2 MiB */

static volatile uint64_t words[WORDS];
static struct {
	uint64_t counts[THREADS_MAX]; /* neighbours, on one line */
} shared __attribute__((aligned(64)));
static uint64_t total __attribute__((aligned(64)));
static volatile uint64_t results[THREADS_MAX * 8] __attribute__((aligned(64)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static uint32_t next_ticket __attribute__((aligned(64)));
static uint32_t served __attribute__((aligned(64)));
static pthread_barrier_t ready;
static unsigned threads;

static void compute(unsigned me, unsigned times)
{
	uint64_t value = me;

	for (unsigned i = 0; i < times; i++)
		value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9u + i;
	results[8 * me] = value;
}

static void read_at_random(unsigned me, unsigned times)
{
	uint64_t state = me + 1, sum = 0;

	for (unsigned i = 0; i < times; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += words[(state >> 40) % WORDS];
	}
	results[8 * me] = sum;
}

static void count_beside(unsigned me, unsigned times)
{
	volatile uint64_t *mine = &shared.counts[me];

	for (unsigned i = 0; i < times; i++)
		++*mine;
}

static void count_locked(unsigned me, unsigned times)
{
	(void)me;
	for (unsigned i = 0; i < times; i++) {
		pthread_mutex_lock(&mutex);
		total++;
		pthread_mutex_unlock(&mutex);
	}
}

static void count_spinning(unsigned me, unsigned times)
{
	(void)me;
	for (unsigned i = 0; i < times; i++) {
		pthread_spin_lock(&spin);
		total++;
		pthread_spin_unlock(&spin);
	}
}

static void count_in_turn(unsigned me, unsigned times)
{
	(void)me;
	for (unsigned i = 0; i < times; i++) {
		uint32_t mine = __atomic_fetch_add(&next_ticket, 1, __ATOMIC_RELAXED);

		while (__atomic_load_n(&served, __ATOMIC_ACQUIRE) != mine)
			;
		total++;
		__atomic_store_n(&served, mine + 1, __ATOMIC_RELEASE);
	}
}

static void add(unsigned me, unsigned times)
{
	(void)me;
	for (unsigned i = 0; i < times; i++)
		__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

static const struct way {
	const char *name;
	void (*work)(unsigned me, unsigned times);
	unsigned times; /* of all threads */
} ways[] = {
	{"private", compute, 4000000},   {"reads", read_at_random, 1200000},
	{"false", count_beside, 800000}, {"mutex", count_locked, 100000},
	{"spin", count_spinning, 40000}, {"tickets", count_in_turn, 80000},
	{"adds", add, 400000},
};
static const struct way *way;

static void *thread(void *me)
{
	pthread_barrier_wait(&ready);
	way->work((unsigned)(uintptr_t)me, way->times / threads);
	return 0;
}

int main(int count, char **arguments)
{
	pthread_t others[THREADS_MAX];

	for (unsigned i = 0; count == 3 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(arguments[1], ways[i].name))
			way = &ways[i];
	threads = count == 3 ? (unsigned)atoi(arguments[2]) : 0;
	if (!way || threads < 1 || threads > THREADS_MAX || way->times % threads)
		return 2;
	if (pthread_barrier_init(&ready, 0, threads) || pthread_spin_init(&spin, 0))
		return 1;
	for (uintptr_t i = 1; i < threads; i++)
		if (pthread_create(&others[i], 0, thread, (void *)i))
			return 1;
	thread(0);
	for (unsigned i = 1; i < threads; i++)
		if (pthread_join(others[i], 0))
			return 1;
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
