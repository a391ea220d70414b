/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/lookout.h"

#include <pthread.h>
#include <signal.h>

#include "qemu/calls.h"
#include "qemu/dozers.h"
#include "qemu/sleepers.h"

#define POLL_NS     20000
#define POLL_MAX_NS 2000000

/* Without a word from /proc, how often a thread with the turn is seen to do nothing before it is
 * taken for asleep in its call, or stuck in QEMU. Looks and not time: a host may stand still. */
#define UNKNOWN_CALL_LOOKS 8
#define STUCK_LOOKS        1000

/* ---- Those that a call has woken ------------------------------------------------------------- */

/*
 * Returns whether a thread that slept in a call sleeps no more, but is not back. Not once `caller`
 * has gone on: it may wait in QEMU until that thread stops.
 */
static bool is_under_way(struct thread *thread, const struct thread *caller, uint64_t calls,
			 enum state state, uint32_t *seen)
{
	enum host_state host;
	bool may_wake;

	*seen = order_news();
	order_lock();
	may_wake = thread->state == STATE_SLEEPS && !thread->dozes && caller->calls == calls &&
		   caller->state == state && !sleepers_left_alone(thread, caller);
	order_unlock();
	if (!may_wake)
		return false;
	if (atomic_load(&thread->here))
		return true;
	host = order_host_state(thread);
	return host == HOST_BUSY || host == HOST_LOCKED_OUT || host == HOST_EXCLUSIVE;
}

/* Looks at all threads once. Returns whether it waited for one. */
static bool await_each(const struct thread *caller, uint64_t calls, enum state state)
{
	bool waited = false;
	uint32_t seen;

	for (unsigned i = 0; i < order.count && !order.over; i++)
		while (order.threads[i] != caller && !order.over &&
		       is_under_way(order.threads[i], caller, calls, state, &seen)) {
			order_listen(seen, POLL_NS);
			waited = true;
		}
	return waited;
}

void lookout_await_woken(const struct thread *caller)
{
	uint64_t calls;
	enum state state;

	order_lock();
	calls = caller->calls;
	state = caller->state;
	order_unlock();
	while (await_each(caller, calls, state))
		;
}

/* ---- The one that has the turn ---------------------------------------------------------------
 * With the lock held.
 */

/*
 * QEMU waits until no thread executes, for a fork or to discard its code: a thread that waits for
 * its turn executes one block, at whose end QEMU stops it. One after the other, so that the order
 * is the same on every run. Threads outside of QEMU's loop of execution need not stop. Returns
 * whether there was one to go on.
 */
static bool pass_next(void)
{
	struct thread *next = order_first_here(true);

	for (unsigned i = 0; i < order.count; i++) {
		struct thread *other = order.threads[i];
		enum host_state host;

		if (!other->passed)
			continue;
		host = order_host_state(other);
		if (atomic_load(&other->here) || host == HOST_BUSY || host == HOST_ASLEEP)
			return false;
	}
	if (!next)
		return false;
	next->passed = true;
	next->turn.away = true;
	order_release(next);
	return true;
}

/*
 * The thread that has the turn sleeps in its call, or is gone, as `host` says. Its call may have
 * woken others before: they are waited for, and may wake it in turn. Releases the lock for a while.
 */
static void leave_behind(struct thread *left, enum host_state host)
{
	const enum state state = left->state;
	const uint64_t calls = left->calls;

	order_unlock();
	lookout_await_woken(left);
	order_lock();
	if (order.holder != left || left->state != state || left->calls != calls ||
	    atomic_load(&left->here) || order_host_state(left) != host)
		return;
	left->state = host == HOST_GONE ? STATE_NONE : STATE_SLEEPS;
	if (host == HOST_GONE)
		order.present--;
	order_grant(NULL);
}

/* Whether the thread that has the turn waits in QEMU until no other executes. */
static bool is_stuck(const struct thread *watched, enum host_state host, unsigned looks)
{
	if (host != HOST_EXCLUSIVE)
		return (host == HOST_LOCKED_OUT || host == HOST_UNKNOWN) && looks > STUCK_LOOKS;
	/* Until a call that makes a thread has returned, it waits for that thread. */
	return watched->state != STATE_CALLS || atomic_load(&watched->returned) ||
	       !calls_clones_thread(watched->call, watched->arguments);
}

static void look_at(struct thread *watched, unsigned looks)
{
	enum host_state host = order_host_state(watched);
	bool asleep = watched->state == STATE_CALLS && watched->call != CALL_EXIT &&
		      !atomic_load(&watched->strays) &&
		      (host == HOST_ASLEEP || (host == HOST_UNKNOWN && looks > UNKNOWN_CALL_LOOKS));

	if (atomic_load(&watched->here))
		return; /* it waits for the lock */
	if (watched->coming && host == HOST_ASLEEP && looks > UNKNOWN_CALL_LOOKS) {
		/* It was not woken after all, but another one. */
		watched->coming = false;
		watched->state = STATE_SLEEPS;
		order_grant(NULL);
	} else if (asleep || host == HOST_GONE) {
		leave_behind(watched, host);
	} else if (is_stuck(watched, host, looks) && pass_next()) {
		order_call_first_here();
	}
}

/* Whether the caller is to look: the first of those who wait, or for it if it is suspended. */
static bool has_to_look(const struct thread *self)
{
	struct thread *first = order_first_here(false);

	return first && (self ? first == self : work_is_suspended(&first->work));
}

long lookout_look(struct thread *self, struct watching *watching, long pause)
{
	struct thread *watched;

	order_lock();
	watched = order.holder;
	if (!watched && (!self || self->state == STATE_WAITS))
		order_grant(self);
	if (!watched || watched == self || !has_to_look(self)) {
		pause = self || order_first_here(false) ? POLL_MAX_NS : 0;
	} else if (watching->moves != order.moves) {
		*watching = (struct watching){order.moves, 0};
		if (watched->state == STATE_CALLS)
			look_at(watched, 0);
		else
			pause = POLL_MAX_NS;
	} else {
		look_at(watched, ++watching->looks);
	}
	order_unlock();
	return pause;
}

/* ---- The thread that looks ------------------------------------------------------------------- */

static bool started;

static void *look_always(void *user)
{
	struct watching watching = {0};
	long pause = POLL_NS;

	(void)user;
	for (;;) {
		const uint32_t seen = order_calls();
		long ns;

		/* A thread that begins to wait behind this look sees it, and calls. */
		order_about_to_rest();
		dozers_look_for_signals();
		ns = lookout_look(NULL, &watching, pause);
		if (dozers_wake_in_kernel())
			ns = POLL_NS;
		order_rest(seen, ns);
		pause = order_calls() != seen ? POLL_NS : pause + pause / 2;
		if (pause > POLL_MAX_NS)
			pause = POLL_MAX_NS;
	}
	return NULL;
}

bool lookout_start(void)
{
	sigset_t all, old;
	pthread_attr_t attributes;
	pthread_t thread;

	if (started)
		return true;
	/* It receives no signals, because QEMU could not handle them there. */
	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = pthread_create(&thread, &attributes, look_always, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

void lookout_forked(void)
{
	started = false;
}
