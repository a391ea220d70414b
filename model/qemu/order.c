/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/order.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "qemu/calls.h"

#define AHEAD_APART 8    /* times further ahead while no lines move between cores */
#define AHEAD_AFTER 4096 /* cycles without such moves after which that is so */

/* The one who looks does so now and then in any case: nobody calls it when a turn is handed over.
 */
#define REST_NS 20000000

struct order order = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};
static uint64_t seed;
static _Atomic uint32_t news;         /* futex: changes when a thread begins or is back */
static _Atomic unsigned listeners;    /* threads that may sleep on it */
static _Atomic uint32_t looks_called; /* futex: changes when the one who looks is to look now */
static _Atomic bool rests;            /* it sleeps until it is needed */
static unsigned ahead;

void order_set_up(unsigned cycles, uint64_t seed_given)
{
	cpu_set_t set;

	ahead = cycles ? cycles : 1;
	seed = seed_given;
	carriers_tell_signals(&looks_called);
	order.processors = sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

void order_forked(void)
{
	order.lock = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	for (unsigned i = 0; i < order.count; i++) {
		order.threads[i]->state = STATE_NONE;
		order.threads[i]->passed = order.threads[i]->coming = false;
		order.threads[i]->dozes = order.threads[i]->altered = false;
		atomic_store(&order.threads[i]->strays, false);
	}
	order.present = 0;
	order.holder = order.entering = order.released_later = order.woken_later = NULL;
	order.carrier_later = NULL;
	carriers_forked();
	order.over = false;
	order.latest = 0;
}

/* ---- The host's threads ----------------------------------------------------------------------
 */

static void futex_wait(_Atomic uint32_t *word, uint32_t value, long ns)
{
	const struct timespec timeout = {ns / 1000000000, ns % 1000000000};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ns ? &timeout : NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

uint32_t order_news(void)
{
	return atomic_load(&news);
}

void order_listen(uint32_t seen, long ns)
{
	atomic_fetch_add(&listeners, 1);
	futex_wait(&news, seen, ns);
	atomic_fetch_sub(&listeners, 1);
}

void order_announce(void)
{
	atomic_fetch_add(&news, 1);
	if (atomic_load(&listeners))
		futex_wake(&news);
}

void order_park(struct thread *thread, uint32_t value, long ns)
{
	atomic_store(&thread->parked, true);
	if (!atomic_load(&thread->ready))
		futex_wait(&thread->go, value, ns);
	atomic_store(&thread->parked, false);
}

uint32_t order_calls(void)
{
	return atomic_load(&looks_called);
}

void order_about_to_rest(void)
{
	atomic_store(&rests, true);
}

void order_rest(uint32_t seen, long ns)
{
	atomic_store(&rests, !ns);
	futex_wait(&looks_called, seen, ns ? ns : REST_NS);
	atomic_store(&rests, false);
}

void order_call_lookout(void)
{
	atomic_fetch_add(&looks_called, 1);
	futex_wake(&looks_called);
}

void order_call_if_at_rest(void)
{
	if (atomic_load(&rests))
		order_call_lookout();
}

/* Has a thread woken once the lock is free: it would only wait for that, too. */
static void wake_later(struct thread *thread)
{
	if (order.woken_later && order.woken_later != thread)
		futex_wake(&order.woken_later->go);
	order.woken_later = thread;
}

static void release(struct thread *thread)
{
	atomic_store(&thread->ready, true);
	atomic_fetch_add(&thread->go, 1);
}

/* A host thread goes on with one that is suspended, with the lock held, and is woken later. */
static void resume(struct thread *thread)
{
	atomic_store(&thread->ready, true);
	if (order.carrier_later)
		carrier_wake(order.carrier_later);
	order.carrier_later = work_resume(&thread->work);
}

void order_lock(void)
{
	pthread_mutex_lock(&order.lock);
}

void order_unlock(void)
{
	struct thread *released = order.released_later, *woken = order.woken_later;
	struct carrier *carrier;

	if (released && work_is_suspended(&released->work)) {
		resume(released);
		released = NULL;
	}
	carrier = order.carrier_later;
	order.released_later = order.woken_later = NULL;
	order.carrier_later = NULL;
	pthread_mutex_unlock(&order.lock);
	if (carrier)
		carrier_wake(carrier);
	if (released) {
		release(released);
		if (atomic_load(&released->parked))
			futex_wake(&released->go);
	}
	if (woken)
		futex_wake(&woken->go);
}

enum host_state order_host_state(struct thread *thread)
{
	const bool calls = thread->state == STATE_CALLS || thread->state == STATE_SLEEPS;

	return host_state(
		work_tid(&thread->work),
		(calls || thread->coming) && thread->call == CALL_FUTEX ? thread->arguments[0] : 0);
}

/* ---- Whose turn it is ------------------------------------------------------------------------
 */

static bool before(const struct thread *a, const struct thread *b)
{
	return a->now != b->now ? a->now < b->now : a->begun < b->begun;
}

struct thread *order_first_waiting(const struct thread *other)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < order.count; i++) {
		struct thread *thread = order.threads[i];

		if (thread != other && thread->state == STATE_WAITS &&
		    (!first || before(thread, first)))
			first = thread;
	}
	return first;
}

struct thread *order_first_here(bool inside)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < order.count; i++) {
		struct thread *thread = order.threads[i];

		if (thread->state == STATE_WAITS && !thread->passed && !thread->coming &&
		    !(inside && thread->outside) && (!first || before(thread, first)))
			first = thread;
	}
	return first;
}

void order_call_first_here(void)
{
	struct thread *first = order_first_here(false);

	if (first && work_is_suspended(&first->work))
		order_call_lookout();
	if (!first || !atomic_load(&first->parked))
		return;
	atomic_fetch_add(&first->go, 1);
	wake_later(first);
}

static unsigned lead(const struct core *core)
{
	uint64_t moved = core_lines_moved(core);

	return moved && order.latest < moved + AHEAD_AFTER ? ahead : ahead * AHEAD_APART;
}

/* `core`: any of this process. */
static void set_until(struct thread *thread, struct thread *follower, const struct core *core)
{
	thread->follower = follower;
	atomic_store_explicit(&thread->turn.until,
			      follower ? follower->now + lead(core) : UINT64_MAX,
			      memory_order_relaxed);
}

void order_set_until(struct thread *thread, struct thread *follower)
{
	set_until(thread, follower, thread->core);
}

static void keep_latest(const struct thread *thread)
{
	if (thread->now <= order.latest)
		return;
	order.latest = thread->now;
	if (thread->shadowed)
		core_note_latest(thread->core);
}

void order_note_time(struct thread *thread)
{
	thread->now = core_time(thread->core);
	keep_latest(thread);
}

void order_wait_next(struct thread *thread)
{
	thread->state = STATE_WAITS;
	atomic_store_explicit(&thread->ready, false, memory_order_relaxed);
}

void order_end_alone(void)
{
	if (order.holder && order.holder->state == STATE_RUNS)
		atomic_store(&order.holder->turn.until, 0);
}

void order_release(struct thread *thread)
{
	if (work_is_suspended(&thread->work)) {
		resume(thread);
		return;
	}
	release(thread);
	if (atomic_load(&thread->parked))
		wake_later(thread);
}

/*
 * Has a thread that was given the turn go on once the lock is free, so that neither waits for the
 * other. Only one that surely waits until then: others may wait again by the time.
 */
static void release_later(struct thread *thread)
{
	if (order.released_later || thread->passed || thread->coming)
		order_release(thread);
	else
		order.released_later = thread;
}

struct thread *order_take_released(struct thread *by)
{
	struct thread *thread = order.released_later;

	if (!thread || !work_can_follow(&thread->work, &by->work))
		return NULL;
	order.released_later = NULL;
	atomic_store_explicit(&thread->ready, true, memory_order_relaxed); /* this host thread's */
	return thread;
}

bool order_is_ready(const struct thread *thread)
{
	return order.released_later == thread || atomic_load(&thread->ready);
}

void order_grant(const struct thread *by)
{
	struct thread *first = order_first_waiting(NULL);

	order.holder = first;
	if (!first)
		return;
	order_count_move();
	first->state = STATE_RUNS;
	keep_latest(first);
	/* Not the core of the first one, whose host has its lines elsewhere. */
	set_until(first, order_first_waiting(first), (by ? by : first)->core);
	release_later(first);
}

/*
 * Returns the delay that the seed gives a thread that comes or comes back while there are others.
 * Without delays, threads that contend for a mutex fall into a rhythm: whoever wakes finds it taken
 * again each time.
 */
static uint64_t jitter(struct thread *thread)
{
	uint64_t z;

	if (order.present < 2)
		return 0;
	z = seed + thread->begun * 0xd1342543de82ef95ull + ++thread->delays * 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % ((uint64_t)ahead * AHEAD_APART);
}

void order_join(struct thread *thread)
{
	core_wait_until(thread->core, order.latest, jitter(thread));
	thread->now = core_time(thread->core);
	order_wait_next(thread);
}
