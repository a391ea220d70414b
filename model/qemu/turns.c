/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/turns.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qemu/calls.h"
#include "qemu/dozers.h"
#include "qemu/imports.h"
#include "qemu/lookout.h"
#include "qemu/order.h"
#include "qemu/pause.h"
#include "qemu/sleepers.h"

#define SPINS       2000   /* looks at a word before it is slept on: some tens of microseconds */
#define SPINS_MIN   20     /* of them while the last ones were in vain */
#define YIELDS      400    /* of the processor to other threads that wait, before a thread sleeps */
#define YIELD_SPINS 10     /* looks between two of them */
#define YIELD_NS    500000 /* one that takes longer went to another program */
#define YIELDERS    16     /* threads at most that do so */
#define APART_MIN   64     /* turns without yields after such a one; more if it happens again */
#define APART_MAX   131072
#define SLEEPS_MAX  255 /* times that a thread sleeps before it looks for longer again */
#define POLL_NS     20000
#define POLL_MAX_NS 2000000
#define BORN_MAX    15000 /* looks, each after POLL_MAX_NS, for a thread that was made */

/* ---- Waiting ---------------------------------------------------------------------------------
 */

/* How a thread waits, for as long as its turn may come soon. */
enum manner {
	MANNER_SLEEP,
	MANNER_LOOK, /* nobody else needs the processor */
	MANNER_YIELD /* more threads wait than there are processors */
};

/* Whether threads yield the processor to others. Never locked: it changes no count. */
static struct {
	_Atomic uint64_t from; /* number of the move from which on they do */
	_Atomic uint64_t apart;
} yields;

/* Returns how a thread is to wait. With the lock held. */
static enum manner find_manner(const struct thread *self)
{
	unsigned waiting = 0;

	for (unsigned i = 0; i < order.count; i++)
		waiting += order.threads[i]->state == STATE_WAITS;
	if (order.holder == self)
		return MANNER_LOOK;
	if (waiting >= order.processors && waiting <= YIELDERS && order.moves >= yields.from)
		return MANNER_YIELD;
	return order.processors > 1 && order_first_waiting(NULL) == self ? MANNER_LOOK
									 : MANNER_SLEEP;
}

static uint64_t host_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * A thread has yielded for `ns`. Returns whether that went well. While other programs use the
 * processors, who yields gives them a slice of time each, which takes hundreds of times as long as
 * to be woken.
 */
static bool was_quick(uint64_t ns)
{
	uint64_t apart = atomic_load(&yields.apart);

	if (ns < YIELD_NS) {
		if (apart)
			atomic_store(&yields.apart, apart - (apart + 15) / 16);
		return true;
	}
	apart = 2 * apart + APART_MIN;
	if (apart > APART_MAX)
		apart = APART_MAX;
	atomic_store(&yields.apart, apart);
	atomic_store(&yields.from, order.moves + apart);
	return false;
}

static bool look(const struct thread *self, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		if (atomic_load_explicit(&self->ready, memory_order_acquire))
			return true;
		host_pause();
	}
	return false;
}

/*
 * Has other threads that wait use the processor meanwhile: to be woken takes some ten times as long
 * as to be next when another one yields.
 */
static bool look_and_yield(const struct thread *self)
{
	uint64_t before = host_ns(), after;

	for (unsigned i = 0; i < YIELDS; i++) {
		if (look(self, YIELD_SPINS))
			return true;
		sched_yield();
		after = host_ns();
		if (!was_quick(after - before))
			break;
		before = after;
	}
	return false;
}

/*
 * Looks for a while at whether the thread is ready. A thread that looked in vain sleeps at once the
 * next times, for longer each time that happens again: the processors may be busy. It tries again
 * now and then, since to wake a thread takes longer than most turns: once both of two threads
 * sleep, neither would be soon enough any more.
 */
static bool spin(struct thread *self, enum manner manner)
{
	const bool shortly = self->sleeps_left > 0;

	if (manner == MANNER_YIELD)
		return look_and_yield(self);
	self->sleeps_left -= shortly;
	if (shortly)
		return look(self, SPINS_MIN);
	if (look(self, SPINS)) {
		self->sleeps_next /= 2;
		return true;
	}
	self->sleeps_next = 2 * self->sleeps_next + 1;
	if (self->sleeps_next > SLEEPS_MAX)
		self->sleeps_next = SLEEPS_MAX;
	self->sleeps_left = self->sleeps_next;
	return false;
}

/* Returns when the thread is ready. */
static void wait_until_ready(struct thread *self, enum manner manner)
{
	struct watching watching = {0};
	long pause = POLL_NS;

	if (manner != MANNER_SLEEP && spin(self, manner))
		return;
	while (!atomic_load(&self->ready)) {
		uint32_t go = atomic_load(&self->go);
		long ns = lookout_look(self, &watching, pause);

		if (pause < POLL_MAX_NS)
			pause += pause / 2;
		order_park(self, go, ns);
	}
}

/* Has the host fetch what the end of the turn will change, while the thread executes. */
static void fetch_for_next_turn(const struct thread *self)
{
	host_fetch_to_write(&order.lock);
	host_fetch_to_write(&order.moves);
	if (self->follower)
		host_fetch_to_write(self->follower);
}

/*
 * The host thread goes on with another one, or with nothing. Returns when the thread is ready. With
 * the lock held, which it releases.
 */
static void be_suspended(struct thread *self)
{
	struct thread *next = order_take_released(self);
	struct work *work = next ? &next->work : NULL;
	const bool looks = !next && find_manner(self) == MANNER_LOOK;
	struct carrier *carrier = work_suspend(&self->work, work, looks);

	order_unlock();
	if (!next)
		order_call_if_at_rest();
	work_leave(&self->work, carrier, work);
}

/* Returns when the thread is to execute. With the lock held, which it releases. */
static void wait_for_turn(struct thread *self)
{
	if (order.over || order_is_ready(self)) {
		order_unlock();
	} else if (carriers_work()) {
		be_suspended(self);
	} else {
		const enum manner manner = find_manner(self);

		order_unlock();
		wait_until_ready(self, manner);
	}
	fetch_for_next_turn(self);
	if (order.entering && !self->passed)
		sleepers_await_entered();
	core_catch_up(self->core);
}

/* Waits for the turn, with the lock held, which it releases. The thread's state is STATE_WAITS. */
static void wait_unlocked(struct thread *self)
{
	if (!order.holder)
		order_grant(self);
	wait_for_turn(self);
}

/* The thread comes, or comes back. Waits for the turn, with the lock held, which it releases. */
static void join(struct thread *self)
{
	order_join(self);
	order_end_alone();
	if (!order.holder)
		order_grant(self);
	order_announce();
	wait_for_turn(self);
}

/* ---- The interface --------------------------------------------------------------------------- */

/*
 * The program's sched_yield(), in QEMU. It is the end of a turn (end_call()); the host would give
 * other programs a slice of time each. Who is alone may wait for another process.
 */
static int yield_for_qemu(void)
{
	return order.present > 1 && !order.over ? 0 : sched_yield();
}

void turns_set_up(unsigned cycles, uint64_t order_seed)
{
	imports_replace("sched_yield", (import_function *)yield_for_qemu);
	order_set_up(cycles, order_seed);
}

/* Returns an entry for a thread that begins, or NULL. With the lock held. */
static struct thread *take_entry(void)
{
	struct thread *made;

	for (unsigned i = 0; i < order.count; i++)
		if (order.threads[i]->state == STATE_NONE)
			return order.threads[i];
	made = order.count < THREADS_MAX ? aligned_alloc(HOST_LINE, sizeof(*made)) : NULL;
	if (!made)
		return NULL;
	memset(made, 0, sizeof(*made));
	order.threads[order.count] = made;
	order.count++; /* behind it, for those who look without the lock */
	return made;
}

struct turn *turn_begin(unsigned index, struct core *core)
{
	struct thread *self;

	if (atomic_load(&order.present) && carriers_work() && !lookout_start())
		carriers_stop();
	order_lock();
	self = take_entry();
	if (!self) {
		order_unlock();
		return NULL;
	}
	order.present++;
	self->core = core;
	self->shadowed = core_has_shadows(core);
	self->index = index;
	work_begin(&self->work);
	self->begun = order.begun++;
	self->delays = 0;
	self->sleeps_left = self->sleeps_next = 0;
	self->turn.away = false;
	self->outside = self->passed = self->coming = false;
	join(self);
	return &self->turn;
}

/*
 * Takes the lock in turns.c. Whoever looks at `here` has first seen the host thread asleep, perhaps
 * for this lock, so it need not be there any sooner.
 */
static void lock_here(struct thread *self)
{
	atomic_store_explicit(&self->here, true, memory_order_release);
	order_lock();
	atomic_store_explicit(&self->here, false, memory_order_release);
}

/* `gives_way`: to whoever is not ahead of it. */
static void take(struct thread *self, bool gives_way)
{
	struct thread *next;

	lock_here(self);
	if (order.over || order.holder != self || self->passed) {
		order_unlock();
		return;
	}
	order_count_move();
	order_note_time(self);
	next = order_first_waiting(self);
	order_set_until(self, next);
	if (!next || self->now < (gives_way ? next->now : atomic_load(&self->turn.until))) {
		order_unlock();
		return;
	}
	order_wait_next(self);
	order.holder = NULL;
	wait_unlocked(self);
}

void turn_take(struct turn *turn)
{
	take((struct thread *)turn, false);
}

/* The thread sleeps without the kernel. With the lock held. Returns whether it was woken. */
static bool doze(struct thread *self)
{
	self->state = STATE_SLEEPS;
	self->outside = true;
	atomic_store(&self->ready, false);
	order_grant(self);
	wait_for_turn(self);
	order_lock();
	self->outside = false;
	if (order.holder == self)
		self->state = STATE_CALLS;
	return dozers_awake(self);
}

/* The thread is about to sleep on a futex. With the lock held. */
static void fall_asleep(struct thread *self)
{
	if (dozers_take(self) && (doze(self) || order.over))
		return;
	if (!work_is_at_home(&self->work)) {
		order_unlock();
		turn_go_home(&self->turn);
		order_lock();
	}
	if (!sleepers_falls_asleep(self))
		return;
	self->state = STATE_SLEEPS;
	order.entering = self;
	order_grant(self);
}

void turn_call(struct turn *turn, int64_t number, const uint64_t arguments[6])
{
	struct thread *self = (struct thread *)turn;

	atomic_store(&self->here, true);
	order_lock();
	order_count_move();
	if (calls_handle_signals(number, arguments)) {
		carriers_stop();
		dozers_stop();
	}
	turn->away = true;
	turn->replaced = false;
	order_note_time(self);
	self->calls++;
	self->call = number;
	self->result = 0;
	atomic_store(&self->returned, false);
	self->others = order.begun;
	memcpy(self->arguments, arguments, sizeof(self->arguments));
	atomic_store(&self->here, false);
	dozers_call(self);
	if (order.holder == self) {
		self->state = STATE_CALLS;
		self->futex = 0;
		if (sleepers_falls_asleep(self)) {
			fall_asleep(self);
		} else if (calls_may_sleep(number, arguments)) {
			order_call_first_here();
		} else {
			sleepers_call(self);
		}
	}
	order_unlock();
}

/* Waits for a thread that was just made to begin. */
static void await_born(uint64_t wanted)
{
	for (unsigned looks = 0; !order.over && looks < BORN_MAX; looks++) {
		uint32_t seen = order_news();
		bool born;

		order_lock();
		born = order.begun >= wanted;
		order_unlock();
		if (born)
			return;
		order_listen(seen, POLL_MAX_NS);
	}
}

/* The thread was passed, and went on without its turn. It may have got it since. */
static void end_pass(struct thread *self)
{
	self->passed = false;
	if (self->state != STATE_WAITS) {
		order_unlock();
		return;
	}
	atomic_store(&self->ready, false);
	wait_unlocked(self);
}

/* The thread is back from a call in which it had its turn all the time. */
static void end_call(struct thread *self)
{
	const bool wakes = calls_may_wake(self->call, self->arguments, self->result);
	const bool known = wakes && sleepers_put_back(self);

	self->state = STATE_RUNS;
	order_unlock();
	if (wakes && !known && !sleepers_await_counted(self))
		lookout_await_woken(self);
	if (calls_made_thread(self->call, self->arguments, self->result))
		await_born(self->others + 1);
	take(self, self->call == CALL_SCHED_YIELD);
}

/* The thread was woken, and has its place in the order already. */
static void arrive(struct thread *self)
{
	self->coming = false;
	wait_for_turn(self);
}

void turn_back(struct turn *turn, bool outside)
{
	struct thread *self = (struct thread *)turn;

	if (order.over)
		return;
	if (self->call == CALL_RT_SIGPROCMASK && work_is_at_home(&self->work))
		work_note_blocked(&self->work);
	lock_here(self);
	order_count_move();
	turn->away = false;
	self->outside = outside;
	if (self->passed) {
		end_pass(self);
	} else if (self->coming) {
		arrive(self);
	} else if (self->state == STATE_CALLS) {
		end_call(self);
	} else {
		join(self);
	}
	self->outside = false;
}

void turn_returned(struct turn *turn, int64_t result)
{
	struct thread *self = (struct thread *)turn;

	self->result = turn->returned = result;
	dozers_returned(self);
	atomic_store(&self->returned, true);
}

void turn_go_home(struct turn *turn)
{
	struct thread *self = (struct thread *)turn;
	struct carrier *carrier, *woken;

	if (work_is_at_home(&self->work))
		return;
	order_lock();
	carrier = work_go_home(&self->work, &woken);
	order_unlock();
	if (woken)
		carrier_wake(woken);
	work_leave(&self->work, carrier, NULL);
}

bool turn_may_stay(int64_t number, const uint64_t arguments[6])
{
	if (number == CALL_SCHED_YIELD)
		return carriers_work() && !order.over;
	return dozers_may_serve(number, arguments);
}

void turns_over(void)
{
	order_lock();
	order.over = true;
	carriers_stop();
	for (unsigned i = 0; i < order.count; i++)
		if (order.threads[i]->state == STATE_WAITS || order.threads[i]->dozes)
			order_release(order.threads[i]);
	order_unlock();
}

void turns_forked(void)
{
	order_forked();
	lookout_forked();
}

void turns_visit_waiting(void (*visit)(unsigned index))
{
	for (unsigned i = 0; i < order.count; i++)
		if (order.threads[i]->state == STATE_WAITS)
			visit(order.threads[i]->index);
}

void turns_visit_quiet(void (*visit)(unsigned index))
{
	struct thread *holder;

	order_lock();
	holder = order.holder;
	turns_visit_waiting(visit);
	if (holder && holder->state != STATE_WAITS && work_tid(&holder->work) == gettid())
		visit(holder->index);
	order_unlock();
}
