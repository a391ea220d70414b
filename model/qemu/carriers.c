/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/carriers.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qemu/host_switch.h"
#include "qemu/pause.h"
#include "shared.h"

#define STACK_BYTES 65536 /* signals may be handled on it */
#define WORKS_MAX   (2 * MODEL_SHARED_THREADS)
#define LOOKS       2000 /* at whether there is work, before a host thread sleeps: microseconds */
#define LOOKS_MIN   20   /* while the last ones were in vain */
#define SHORT_MAX   255  /* times that it looks so shortly */

static _Atomic enum { UNKNOWN, WORK, STOPPED } state;
static struct work *works[WORKS_MAX]; /* all there ever were: they are not freed */
static unsigned count;
static _Atomic uint32_t *signals_told_by; /* futex; or NULL */

bool carriers_work(void)
{
	if (state == UNKNOWN)
		state = host_switch_supported() ? WORK : STOPPED;
	return state == WORK;
}

void carriers_stop(void)
{
	state = STOPPED;
}

void carriers_tell_signals(_Atomic uint32_t *futex)
{
	signals_told_by = futex;
}

static void be_at_home(struct work *work)
{
	atomic_store(&work->on, &work->home);
	atomic_store(&work->saved, false);
	atomic_store(&work->home.next, NULL);
	work->needs_home = false;
	atomic_store(&work->signalled, false);
	work->home.carries = work;
	work->home.left = NULL;
}

void carriers_forked(void)
{
	for (unsigned i = 0; i < count; i++)
		be_at_home(works[i]);
}

/* ---- Host threads without work ---------------------------------------------------------------
 *
 * They are on a stack of their own, but their thread-local variables are those of their owner,
 * which may be executed elsewhere: so they use none, not even errno.
 */

/* What the host thread has left is saved from here on. */
static void finish_switch(struct carrier *carrier)
{
	struct work *left = carrier->left;

	carrier->left = NULL;
	if (left)
		atomic_store_explicit(&left->saved, true, memory_order_release);
}

static bool look(struct carrier *carrier, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		if (atomic_load_explicit(&carrier->next, memory_order_acquire))
			return true;
		host_pause();
	}
	return false;
}

/* Waits for work awake for a while; for a shorter one after that was in vain. */
static bool look_for_work(struct carrier *carrier)
{
	if (!carrier->looks)
		return false;
	if (carrier->short_left) {
		carrier->short_left--;
		return look(carrier, LOOKS_MIN);
	}
	if (look(carrier, LOOKS)) {
		carrier->short_next /= 2;
		return true;
	}
	carrier->short_next = 2 * carrier->short_next + 1;
	if (carrier->short_next > SHORT_MAX)
		carrier->short_next = SHORT_MAX;
	carrier->short_left = carrier->short_next;
	return false;
}

/* The engine's handler has put the signal down as its owner's, who may be asleep elsewhere. */
static void note_signal(struct carrier *carrier)
{
	atomic_store(&carrier->owner->signalled, true);
	if (!signals_told_by)
		return;
	atomic_fetch_add(signals_told_by, 1);
	host_wake(signals_told_by);
}

static struct work *await_work(struct carrier *carrier)
{
	struct work *next;

	if (!look_for_work(carrier)) {
		atomic_store(&carrier->parked, true);
		for (;;) {
			const uint32_t go = atomic_load(&carrier->go);

			if (atomic_load(&carrier->next))
				break;
			if (!host_sleep(&carrier->go, go))
				note_signal(carrier);
		}
		atomic_store(&carrier->parked, false);
	}
	next = atomic_load(&carrier->next);
	atomic_store(&carrier->next, NULL);
	/* Another host thread is just leaving it. */
	while (!atomic_load_explicit(&next->saved, memory_order_acquire))
		host_yield();
	return next;
}

static void idle(void *user)
{
	struct carrier *carrier = user;

	for (;;) {
		finish_switch(carrier);
		host_switch(&carrier->idle, await_work(carrier)->saved_at);
	}
}

void carrier_wake(struct carrier *carrier)
{
	if (atomic_load(&carrier->parked))
		syscall(SYS_futex, &carrier->go, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* A host thread that has nothing is given work. */
static void give(struct carrier *carrier, struct work *work)
{
	work->needs_home = false;
	carrier->carries = work;
	atomic_store(&work->on, carrier);
	atomic_store(&carrier->next, work);
	atomic_fetch_add(&carrier->go, 1);
}

/* ---- Work ------------------------------------------------------------------------------------ */

void work_note_blocked(struct work *work)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &work->blocked, sizeof(work->blocked));
}

void work_begin(struct work *work)
{
	unsigned known = 0;

	be_at_home(work);
	work->home.owner = work;
	work->home.tid = (pid_t)syscall(SYS_gettid);
	work->home.short_left = work->home.short_next = 0;
	atomic_store(&work->home.parked, false);
	if (!carriers_work())
		return;
	work_note_blocked(work);
	if (!work->home.stack) {
		void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		work->home.stack = stack == MAP_FAILED ? NULL : stack;
	}
	while (known < count && works[known] != work)
		known++;
	if (!work->home.stack || known == WORKS_MAX) {
		carriers_stop();
		return;
	}
	works[known] = work;
	count += known == count;
	work->home.idle = host_switch_prepare(work->home.stack, STACK_BYTES, idle, &work->home);
}

pid_t work_tid(struct work *work)
{
	const struct carrier *on = atomic_load(&work->on);

	return on ? on->tid : work->home.tid;
}

/* The host thread has nothing to execute. */
static void rest(struct carrier *carrier, bool looks)
{
	carrier->carries = NULL;
	carrier->looks = looks;
	if (carrier->owner->needs_home)
		give(carrier, carrier->owner);
}

struct carrier *work_suspend(struct work *self, struct work *next, bool looks)
{
	struct carrier *carrier = atomic_load(&self->on);

	/* The lock orders all this, at each change of turns. */
	atomic_store_explicit(&self->on, NULL, memory_order_relaxed);
	if (next) {
		carrier->carries = next;
		atomic_store_explicit(&next->on, carrier, memory_order_relaxed);
	} else {
		rest(carrier, looks);
	}
	return carrier;
}

void work_leave(struct work *self, struct carrier *carrier, struct work *next)
{
	carrier->left = self;
	host_switch(&self->saved_at, next ? next->saved_at : carrier->idle);
	finish_switch(atomic_load(&self->on));
	/* Nobody asks before it is suspended again, with the lock held. */
	atomic_store_explicit(&self->saved, false, memory_order_relaxed);
}

struct carrier *work_resume(struct work *work)
{
	if (!work->home.carries) {
		give(&work->home, work);
		return &work->home;
	}
	for (unsigned i = 0; i < count && !work->needs_home; i++)
		if (!works[i]->home.carries && works[i]->blocked == work->blocked) {
			give(&works[i]->home, work);
			return &works[i]->home;
		}
	work->needs_home = true; /* as soon as that has nothing */
	return NULL;
}

struct carrier *work_go_home(struct work *self, struct carrier **woken)
{
	struct carrier *carrier = atomic_load(&self->on);

	*woken = NULL;
	atomic_store(&self->on, NULL);
	self->needs_home = true;
	if (!self->home.carries) {
		give(&self->home, self);
		*woken = &self->home;
	}
	rest(carrier, false);
	return carrier;
}
