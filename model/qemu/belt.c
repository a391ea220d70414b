/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/belt.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qemu/pause.h"

#define LINE          64
#define RING_WORDS    (32u << 10) /* a power of two, well above BELT_RECORD_MAX */
#define PUBLISH_WORDS 512         /* that one side may have done before it tells the other one */
#define AHEAD_WORDS   128         /* how far ahead the host fetches lines */
#define SPINS         300         /* looks before a thread sleeps: some microseconds */
#define STACK_BYTES   (256u << 10)

/*
 * Positions count words since the start, those that were left out at the ring's end included. Each
 * side writes its own lines, and reads the other's position only when it has to.
 */
static struct {
	/* Of the thread that puts. */
	_Alignas(2 * LINE) uint64_t written; /* up to here */
	uint64_t published;                  /* what `put` is */
	uint64_t taken_seen;                 /* what `taken` was when it was last read */

	/* Of the thread that takes. */
	_Alignas(2 * LINE) uint64_t read;
	uint64_t returned; /* what `taken` is */

	_Alignas(2 * LINE) _Atomic uint64_t put; /* records up to here may be taken */
	_Alignas(2 * LINE) _Atomic uint64_t taken;

	/* What the sleeping side wants: the position that the other one is to reach; else 0. */
	_Alignas(2 * LINE) _Atomic uint64_t put_wanted;
	_Atomic uint32_t put_call; /* futex: changes when it is there */
	_Alignas(2 * LINE) _Atomic uint64_t taken_wanted;
	_Atomic uint32_t taken_call;
} belt;

static _Alignas(2 * LINE) uint64_t ring[RING_WORDS];
static belt_take *take_record;
static bool started, allowed;
static cpu_set_t processors;

/* ---- Waiting ------------------------------------------------------------------------------ */

static void call(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/*
 * Tells the other side how far this one is, and wakes it if it waits for that. With the fences here
 * and in wait_for(), either it sees the position, or its wish is seen here. The accesses'
 * sequential consistency would do, but for emulators in which an AArch64 host may be: QEMU lets a
 * load-acquire pass a store-release.
 */
static void tell(_Atomic uint64_t *position, uint64_t now, _Atomic uint64_t *wanted,
		 _Atomic uint32_t *word)
{
	uint64_t wish;

	atomic_store(position, now);
	atomic_thread_fence(memory_order_seq_cst);
	wish = atomic_load(wanted);
	if (__builtin_expect(wish != 0, 0) && now >= wish) {
		atomic_store(wanted, 0);
		call(word);
	}
}

/* Returns the other side's position once it is at `least`; sleeps until it is at `enough`. */
static uint64_t wait_for(_Atomic uint64_t *position, uint64_t least, uint64_t enough,
			 _Atomic uint64_t *wanted, _Atomic uint32_t *word)
{
	uint64_t now;

	for (unsigned i = 0; i < SPINS; i++) {
		now = atomic_load_explicit(position, memory_order_acquire);
		if (now >= least)
			return now;
		host_pause();
	}
	for (;;) {
		const uint32_t before = atomic_load(word);

		atomic_store(wanted, enough);
		atomic_thread_fence(memory_order_seq_cst);
		now = atomic_load(position);
		if (now >= least) {
			atomic_store(wanted, 0);
			return now;
		}
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, before, NULL, NULL, 0);
	}
}

/* ---- The thread that puts ----------------------------------------------------------------- */

static void publish(void)
{
	if (belt.published == belt.written)
		return;
	belt.published = belt.written;
	tell(&belt.put, belt.written, &belt.put_wanted, &belt.put_call);
}

/* Waits until words up to `end` fit, and then some, so that neither side wakes the other often. */
static __attribute__((noinline)) void wait_for_room(uint64_t end)
{
	belt.taken_seen = atomic_load_explicit(&belt.taken, memory_order_acquire);
	if (end - belt.taken_seen <= RING_WORDS)
		return;
	publish();
	belt.taken_seen = wait_for(&belt.taken, end - RING_WORDS, end - RING_WORDS / 2,
				   &belt.taken_wanted, &belt.taken_call);
}

uint64_t *belt_room(size_t words)
{
	uint64_t left = RING_WORDS - belt.written % RING_WORDS;

	if (left >= words)
		left = 0;
	if (__builtin_expect(belt.written + left + words - belt.taken_seen > RING_WORDS, 0))
		wait_for_room(belt.written + left + words);
	if (left) {
		ring[belt.written % RING_WORDS] = 0;
		belt.written += left;
	}
	return ring + belt.written % RING_WORDS;
}

void belt_put(size_t words)
{
	belt.written += words;
	/* The other side has read this, and will not until it is written again. */
	if (belt.written + AHEAD_WORDS + LINE / 8 - belt.taken_seen <= RING_WORDS)
		host_fetch_to_write(ring + (belt.written + AHEAD_WORDS) % RING_WORDS);
	if (belt.written - belt.published >= PUBLISH_WORDS)
		publish();
}

void belt_drain(void)
{
	if (!started)
		return;
	publish();
	belt.taken_seen = wait_for(&belt.taken, belt.written, belt.written, &belt.taken_wanted,
				   &belt.taken_call);
}

/* ---- The thread that takes ---------------------------------------------------------------- */

static void give_back(void)
{
	belt.returned = belt.read;
	tell(&belt.taken, belt.read, &belt.taken_wanted, &belt.taken_call);
}

/* Processes the next record, or goes to the ring's begin. */
static void take_next(uint64_t end)
{
	const uint64_t *record = ring + belt.read % RING_WORDS;

	if (end - belt.read > AHEAD_WORDS)
		__builtin_prefetch(ring + (belt.read + AHEAD_WORDS) % RING_WORDS);
	belt.read += *record ? take_record(record) : RING_WORDS - belt.read % RING_WORDS;
}

static void *take_all(void *user)
{
	uint64_t end = belt.read;

	(void)user;
	if (allowed)
		sched_setaffinity(0, sizeof(processors), &processors);
	for (;;) {
		/* To sleep until more is there takes less of the processors' time. */
		while (belt.read == end)
			end = wait_for(&belt.put, end + 1, end + 1, &belt.put_wanted,
				       &belt.put_call);
		while (belt.read != end) {
			take_next(end);
			if (belt.read - belt.returned >= PUBLISH_WORDS)
				give_back();
		}
		if (belt.read != belt.returned)
			give_back();
	}
	return NULL;
}

void belt_allow(const cpu_set_t *set)
{
	processors = *set;
	allowed = true;
}

bool belt_start(belt_take *take)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	if (started)
		return true;
	if (pthread_attr_init(&attributes))
		return false;
	take_record = take;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	started = pthread_create(&thread, &attributes, take_all, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

/* All was processed, so both sides are at the same position, and a new thread goes on there. */
void belt_forked(void)
{
	started = false;
	atomic_store(&belt.put_wanted, 0);
	atomic_store(&belt.taken_wanted, 0);
}
