/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/turns.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "qemu/calls.h"
#include "qemu/guest.h"
#include "qemu/host_state.h"
#include "shared.h"

#define THREADS_MAX (2 * MODEL_SHARED_THREADS) /* at the same time */
#define AHEAD_APART 8    /* times further ahead while no lines move between cores */
#define AHEAD_AFTER 4096 /* cycles without such moves after which that is so */
#define SPINS       400  /* looks at a word before it is slept on, at most: some microseconds */
#define SPINS_MIN   20   /* while nobody was ready so soon */
#define POLL_NS     20000
#define POLL_MAX_NS 2000000
#define BORN_MAX    15000 /* looks, each after POLL_MAX_NS, for a thread that was made */

/* Without a word from /proc, how often a thread with the turn is seen to do nothing before it is
 * taken for asleep in its call, or stuck in QEMU. Looks and not time: a host may stand still. */
#define UNKNOWN_CALL_LOOKS 8
#define STUCK_LOOKS        1000

/* Looks at whether a thread sleeps on a futex, before it is found out what it does instead. */
#define ENTERS_LOOKS 16

/* Looks at whether those that a call has woken are back, before it is found out who sleeps. */
#define COUNTED_LOOKS 500

enum state {
	STATE_NONE,
	STATE_RUNS,  /* has the turn */
	STATE_CALLS, /* has the turn, in a system call */
	STATE_WAITS, /* for its turn */
	STATE_SLEEPS /* in a system call, without the turn */
};

struct thread {
	struct turn turn;
	struct core *core;
	unsigned index;
	pid_t tid;
	enum state state;
	uint64_t now;          /* model time, when last noted */
	uint64_t begun;        /* order of begin, for equal times */
	uint64_t calls;        /* that it has made */
	uint64_t others;       /* that had begun before its call */
	int64_t call, result;  /* the last system call */
	uint64_t arguments[6]; /* of it */
	uint64_t delays;       /* that the seed gave it */
	uint64_t futex;        /* the address that it sleeps on, if that is known; or 0 */
	uint64_t asleep;       /* order of the sleeps on futexes */
	bool awaited;          /* the call of the thread that has the turn may wake it there */
	bool coming;           /* was woken, and is in the order of turns, but not here yet */
	_Atomic bool returned; /* QEMU is done with the call */
	_Atomic bool here;     /* back from the call, in this file */
	unsigned spins;        /* looks before it sleeps for its turn */
	bool outside;          /* of QEMU's loop of execution, in which others stop it */
	bool passed;           /* executes without its turn, so that QEMU can stop all threads */
	_Atomic bool ready;    /* need not wait: it has its turn, is passed, or turns are over */
	_Atomic uint32_t go;   /* futex, changes with `ready` */
	_Atomic bool parked;   /* sleeps on it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads[THREADS_MAX]; /* never freed; of those that ended, used again */
static unsigned thread_count;               /* of them */
static _Atomic unsigned present;            /* threads that have begun and not ended */
static struct thread *holder;               /* has the turn; NULL: all sleep */
static struct thread *entering;             /* is about to sleep on a futex */
static struct thread *woken_later;          /* on the host, once the lock is free; or NULL */
static uint64_t begun, seed, falls;
static uint64_t moves;             /* of whoever has the turn: calls into this file */
static uint64_t latest;            /* model time of the holder, when last noted */
static _Atomic uint32_t news;      /* futex: changes when a thread begins or is back */
static _Atomic unsigned listeners; /* threads that may sleep on it */
static _Atomic bool over;
static unsigned ahead, processors;

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

/* Waits for news since `seen`, or for some time. */
static void listen(uint32_t seen, long ns)
{
	atomic_fetch_add(&listeners, 1);
	futex_wait(&news, seen, ns);
	atomic_fetch_sub(&listeners, 1);
}

static void announce(void)
{
	atomic_fetch_add(&news, 1);
	if (atomic_load(&listeners))
		futex_wake(&news);
}

static inline void host_pause(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Has a thread woken once the lock is free: it would only wait for that, too. */
static void wake_later(struct thread *thread)
{
	if (woken_later && woken_later != thread)
		futex_wake(&woken_later->go);
	woken_later = thread;
}

static void unlock(void)
{
	struct thread *thread = woken_later;

	woken_later = NULL;
	pthread_mutex_unlock(&lock);
	if (thread)
		futex_wake(&thread->go);
}

static enum host_state state_of(const struct thread *thread)
{
	const bool calls = thread->state == STATE_CALLS || thread->state == STATE_SLEEPS;

	return host_state(thread->tid, (calls || thread->coming) && thread->call == CALL_FUTEX
					       ? thread->arguments[0]
					       : 0);
}

/* ---- Whose turn it is ------------------------------------------------------------------------
 * All of this with the lock held.
 */

static bool before(const struct thread *a, const struct thread *b)
{
	return a->now != b->now ? a->now < b->now : a->begun < b->begun;
}

/* Returns the thread that waits and is the furthest behind, other than one; NULL: none waits. */
static struct thread *first_waiting(const struct thread *other)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i] != other && threads[i]->state == STATE_WAITS &&
		    (!first || before(threads[i], first)))
			first = threads[i];
	return first;
}

/* Returns the first of those that wait in this file, and in QEMU's loop of execution if `inside`.
 */
static struct thread *first_of_waiting(bool inside)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i]->state == STATE_WAITS && !threads[i]->passed &&
		    !threads[i]->coming && !(inside && threads[i]->outside) &&
		    (!first || before(threads[i], first)))
			first = threads[i];
	return first;
}

/* Returns the one that looks after the one that has the turn. */
static struct thread *first_here(void)
{
	return first_of_waiting(false);
}

/* Has that one look now. */
static void call_first_here(void)
{
	struct thread *first = first_here();

	if (!first || !atomic_load(&first->parked))
		return;
	atomic_fetch_add(&first->go, 1);
	wake_later(first);
}

static unsigned lead(const struct thread *thread)
{
	uint64_t moved = core_lines_moved(thread->core);

	return moved && latest < moved + AHEAD_AFTER ? ahead : ahead * AHEAD_APART;
}

static void set_until(struct thread *thread)
{
	const struct thread *next = first_waiting(thread);

	atomic_store(&thread->turn.until, next ? next->now + lead(thread) : UINT64_MAX);
}

static void keep_latest(const struct thread *thread)
{
	if (thread->now <= latest)
		return;
	latest = thread->now;
	core_note_latest(thread->core);
}

static void note_time(struct thread *thread)
{
	thread->now = core_time(thread->core);
	keep_latest(thread);
}

static void release(struct thread *thread)
{
	atomic_store(&thread->ready, true);
	atomic_fetch_add(&thread->go, 1);
	if (atomic_load(&thread->parked))
		wake_later(thread);
}

/* Gives the turn to the first thread that waits for it, if any. */
static void grant(void)
{
	holder = first_waiting(NULL);
	if (!holder)
		return;
	moves++;
	holder->state = STATE_RUNS;
	keep_latest(holder);
	set_until(holder);
	release(holder);
}

/*
 * QEMU waits until no thread executes, for a fork or to discard its code: a thread that waits for
 * its turn executes one block, at whose end QEMU stops it. One after the other, so that the order
 * is the same on every run. Threads outside of QEMU's loop of execution need not stop. Returns
 * whether there was one to go on.
 */
static bool pass_next(void)
{
	struct thread *next = first_of_waiting(true);

	for (unsigned i = 0; i < thread_count; i++) {
		const struct thread *other = threads[i];
		enum host_state host;

		if (!other->passed)
			continue;
		host = state_of(other);
		if (atomic_load(&other->here) || host == HOST_BUSY || host == HOST_ASLEEP)
			return false;
	}
	if (!next)
		return false;
	next->passed = true;
	next->turn.away = true;
	release(next);
	return true;
}

/* ---- Waiting ---------------------------------------------------------------------------------
 */

/* Returns whether a thread slept in a call and is not back, though it does not sleep any more. */
static bool is_under_way(struct thread *thread, uint32_t *seen)
{
	enum host_state host;
	bool sleeps;

	*seen = atomic_load(&news);
	pthread_mutex_lock(&lock);
	sleeps = thread->state == STATE_SLEEPS;
	unlock();
	if (!sleeps)
		return false;
	if (atomic_load(&thread->here))
		return true;
	host = state_of(thread);
	return host == HOST_BUSY || host == HOST_LOCKED_OUT || host == HOST_EXCLUSIVE;
}

/*
 * Waits until each thread that sleeps in a call either still does, or is back: what the call of
 * this one has woken is under way, and so is what those have woken in turn.
 */
static void await_woken(const struct thread *self)
{
	uint32_t seen;

	for (unsigned i = 0; i < thread_count && !over; i++) {
		bool waited = false;

		while (threads[i] != self && !over && is_under_way(threads[i], &seen)) {
			listen(seen, POLL_NS);
			waited = true;
		}
		if (waited)
			i = UINT_MAX; /* and once more from the start */
	}
}

/* ---- Futexes ---------------------------------------------------------------------------------
 * Most sleeps are on futexes. Nobody else executes while a thread looks at a word, so that what it
 * reads there is what the kernel will find: it need not be watched to know that it sleeps.
 */

/* Whether a thread is about to sleep on a futex. With the lock held. */
static bool falls_asleep(struct thread *self)
{
	const uint64_t address = calls_sleep_on(self->call, self->arguments);
	uint32_t value;

	if (!address || !guest_read(address, &value, sizeof(value)) ||
	    value != (uint32_t)self->arguments[2])
		return false;
	self->futex = address;
	self->asleep = ++falls;
	return true;
}

/* Returns how many sleep on a private futex: the kernel counts those that it moves to itself. */
static long sleepers_on(uint64_t address)
{
	return syscall(SYS_futex, address, FUTEX_REQUEUE_PRIVATE, 0, INT_MAX, address, 0);
}

/* Whether the kernel has the one that enters among those that sleep. With the lock held. */
static bool has_entered(unsigned *looks)
{
	enum host_state host;
	long expected = 0;

	if (entering->state != STATE_SLEEPS || atomic_load(&entering->here))
		return true;
	for (unsigned i = 0; i < thread_count; i++)
		expected +=
			threads[i]->state == STATE_SLEEPS && threads[i]->futex == entering->futex;
	if (calls_keep_order(entering->arguments) && sleepers_on(entering->futex) >= expected)
		return true;
	if (++*looks < ENTERS_LOOKS)
		return false;
	/* However long the host takes to run it; but QEMU may keep it until others have stopped. */
	host = state_of(entering);
	*looks -= host == HOST_BUSY;
	return host == HOST_ASLEEP || host == HOST_GONE || *looks >= STUCK_LOOKS;
}

/*
 * Before the next thread executes, which could change the word, the kernel has to have the one that
 * was about to sleep among those that sleep there. So they also sleep in their order.
 */
static void await_entered(void)
{
	const struct timespec pause = {.tv_nsec = POLL_NS / 4};
	unsigned looks = 0;

	pthread_mutex_lock(&lock);
	while (entering && !over && !has_entered(&looks)) {
		if (looks < ENTERS_LOOKS / 2 && present <= processors)
			for (unsigned i = 0; i < SPINS / 10; i++)
				host_pause();
		else
			nanosleep(&pause, NULL);
	}
	entering = NULL;
	unlock();
}

/* Marks whom the call of the thread that has the turn may wake. With the lock held. */
static void prepare_to_wake(const struct thread *self)
{
	const uint64_t address = calls_wake_on(self->call, self->arguments);

	for (unsigned i = 0; address && i < thread_count; i++)
		threads[i]->awaited =
			threads[i]->state == STATE_SLEEPS && threads[i]->futex == address;
}

/* Counts those that the call may have woken, and how many of them are back. With the lock held. */
static int64_t count_awaited(int64_t *back)
{
	int64_t count = 0;

	*back = 0;
	for (unsigned i = 0; i < thread_count; i++) {
		count += threads[i]->awaited;
		*back += threads[i]->awaited && threads[i]->state != STATE_SLEEPS;
	}
	return count;
}

/*
 * Waits until as many threads are back as the call of this one has woken. Returns false if that is
 * not known, or they do not come. Without the lock.
 */
static bool await_counted(const struct thread *self)
{
	if (!calls_wake_on(self->call, self->arguments))
		return false;
	for (unsigned looks = 0; !over && looks < COUNTED_LOOKS; looks++) {
		const uint32_t seen = atomic_load(&news);
		int64_t count, back;

		pthread_mutex_lock(&lock);
		count = count_awaited(&back);
		unlock();
		if (count < self->result)
			return false; /* others came from elsewhere */
		if (back >= self->result)
			return true;
		listen(seen, POLL_NS);
	}
	return over;
}

/* The call of a thread moves those that sleep on a futex to another one. With the lock held. */
static void move_sleepers(const struct thread *self)
{
	const uint64_t address = calls_move_from(self->call, self->arguments);

	for (unsigned i = 0; address && i < thread_count; i++)
		if (threads[i]->futex == address)
			threads[i]->futex = 0;
}

/* Whether it is known who sleeps on a futex, and in which order. */
static bool knows_sleepers(uint64_t address)
{
	for (unsigned i = 0; i < thread_count; i++) {
		const struct thread *thread = threads[i];

		if (thread->state != STATE_SLEEPS || thread->call != CALL_FUTEX)
			continue;
		if (!thread->futex ||
		    (thread->futex == address && !calls_keep_order(thread->arguments)))
			return false;
	}
	return true;
}

static struct thread *first_asleep(uint64_t address)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i]->state == STATE_SLEEPS && threads[i]->futex == address &&
		    (!first || threads[i]->asleep < first->asleep))
			first = threads[i];
	return first;
}

/*
 * The thread that has the turn sleeps in its call, or is gone, as `host` says. Its call may have
 * woken others before: they are waited for, and may wake it in turn. With the lock held, but for a
 * while.
 */
static void leave_behind(struct thread *left, enum host_state host)
{
	const enum state state = left->state;
	const uint64_t calls = left->calls;

	unlock();
	await_woken(left);
	pthread_mutex_lock(&lock);
	if (holder != left || left->state != state || left->calls != calls ||
	    atomic_load(&left->here) || state_of(left) != host)
		return;
	left->state = host == HOST_GONE ? STATE_NONE : STATE_SLEEPS;
	if (host == HOST_GONE)
		present--;
	grant();
}

/* How often the one that has the turn was seen to do nothing. */
struct watching {
	uint64_t moves;
	unsigned looks;
};

/* Whether the thread that has the turn waits in QEMU until no other executes. */
static bool is_stuck(const struct thread *watched, enum host_state host, unsigned looks)
{
	if (host != HOST_EXCLUSIVE)
		return (host == HOST_LOCKED_OUT || host == HOST_UNKNOWN) && looks > STUCK_LOOKS;
	/* Until a call that makes a thread has returned, it waits for that thread. */
	return watched->state != STATE_CALLS || atomic_load(&watched->returned) ||
	       !calls_clones_thread(watched->call, watched->arguments);
}

/* Looks after the one that has the turn, for look_after(). With the lock held. */
static void look_at(struct thread *watched, unsigned looks)
{
	enum host_state host = state_of(watched);
	bool asleep = watched->state == STATE_CALLS &&
		      (host == HOST_ASLEEP || (host == HOST_UNKNOWN && looks > UNKNOWN_CALL_LOOKS));

	if (atomic_load(&watched->here))
		return; /* it waits for the lock */
	if (watched->coming && host == HOST_ASLEEP && looks > UNKNOWN_CALL_LOOKS) {
		/* It was not woken after all, but another one. */
		watched->coming = false;
		watched->state = STATE_SLEEPS;
		grant();
	} else if (asleep || host == HOST_GONE) {
		leave_behind(watched, host);
	} else if (is_stuck(watched, host, looks) && pass_next()) {
		call_first_here();
	}
}

/*
 * The first of those who wait looks after the one that has the turn, now and then: it may sleep in
 * a system call, be gone, or wait in QEMU until the others have stopped. Returns how long to wait.
 */
static long look_after(struct thread *self, struct watching *watching, long pause)
{
	struct thread *watched;

	pthread_mutex_lock(&lock);
	watched = holder;
	if (!watched && self->state == STATE_WAITS)
		grant();
	if (!watched || watched == self || first_here() != self) {
		pause = POLL_MAX_NS;
	} else if (watching->moves != moves) {
		*watching = (struct watching){moves, 0};
		if (watched->state == STATE_CALLS)
			look_at(watched, 0);
		else
			pause = POLL_MAX_NS;
	} else {
		look_at(watched, ++watching->looks);
	}
	unlock();
	return pause;
}

/* Looks for a while at whether the thread is ready: for longer if that has helped before. */
static bool spin(struct thread *self)
{
	for (unsigned i = 0; i < self->spins; i++) {
		if (atomic_load_explicit(&self->ready, memory_order_acquire)) {
			self->spins = 2 * self->spins < SPINS ? 2 * self->spins : SPINS;
			return true;
		}
		host_pause();
	}
	self->spins = self->spins / 2 > SPINS_MIN ? self->spins / 2 : SPINS_MIN;
	return false;
}

/* Returns when the thread is ready. */
static void wait_until_ready(struct thread *self)
{
	struct watching watching = {0};
	long pause = POLL_NS;

	if (present <= processors && spin(self))
		return;
	while (!atomic_load(&self->ready)) {
		uint32_t go = atomic_load(&self->go);
		long ns = look_after(self, &watching, pause);

		if (pause < POLL_MAX_NS)
			pause += pause / 2;
		atomic_store(&self->parked, true);
		if (!atomic_load(&self->ready))
			futex_wait(&self->go, go, ns);
		atomic_store(&self->parked, false);
	}
}

/* Returns when the thread is to execute. */
static void wait_for_turn(struct thread *self)
{
	wait_until_ready(self);
	if (entering && !self->passed)
		await_entered();
	core_catch_up(self->core);
}

/* Waits for the turn, with the lock held, which it releases. The thread's state is STATE_WAITS. */
static void wait_unlocked(struct thread *self)
{
	if (!holder)
		grant();
	unlock();
	wait_for_turn(self);
}

/* ---- The interface --------------------------------------------------------------------------- */

void turns_set_up(unsigned cycles, uint64_t order)
{
	cpu_set_t set;

	ahead = cycles ? cycles : 1;
	seed = order;
	processors = sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/*
 * Returns the delay that the seed gives a thread that comes or comes back while there are others.
 * Without delays, threads that contend for a mutex fall into a rhythm: whoever wakes finds it taken
 * again each time.
 */
static uint64_t jitter(struct thread *self)
{
	uint64_t z;

	if (present < 2)
		return 0;
	z = seed + self->begun * 0xd1342543de82ef95ull + ++self->delays * 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % ((uint64_t)ahead * AHEAD_APART);
}

static void wait_next(struct thread *self)
{
	self->state = STATE_WAITS;
	atomic_store(&self->ready, false);
}

/* Whoever has the turn is not alone any more, and looks again whose it is. */
static void end_alone(void)
{
	if (holder && holder->state == STATE_RUNS)
		atomic_store(&holder->turn.until, 0);
}

/*
 * The thread comes, or comes back: not before what has woken it. Waits for the turn, with the lock
 * held, which it releases.
 */
static void join(struct thread *self)
{
	core_wait_until(self->core, latest, jitter(self));
	self->now = core_time(self->core);
	wait_next(self);
	end_alone();
	if (!holder)
		grant();
	unlock();
	announce();
	wait_for_turn(self);
}

/*
 * Puts the threads that a call has woken back into the order of turns: the kernel wakes those first
 * that slept first. So nobody waits until the host has run them; they find their place when they
 * come. Returns false if it is not known who was woken. With the lock held.
 */
static bool put_woken_back(const struct thread *self)
{
	const uint64_t address = calls_wake_on(self->call, self->arguments);
	int64_t back;

	if (!address || !calls_keep_order(self->arguments) || !knows_sleepers(address))
		return false;
	count_awaited(&back); /* some may have been quicker than this one */
	for (int64_t left = self->result - back; left > 0; left--) {
		struct thread *woken = first_asleep(address);

		if (!woken)
			return false;
		core_wait_until(woken->core, latest, jitter(woken));
		woken->now = core_time(woken->core);
		woken->coming = true;
		wait_next(woken);
	}
	return true;
}

/* Returns an entry for a thread that begins, or NULL. With the lock held. */
static struct thread *take_entry(void)
{
	struct thread *made;

	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i]->state == STATE_NONE)
			return threads[i];
	made = thread_count < THREADS_MAX ? calloc(1, sizeof(*made)) : NULL;
	if (made)
		threads[thread_count++] = made;
	return made;
}

struct turn *turn_begin(unsigned index, struct core *core)
{
	struct thread *self;

	pthread_mutex_lock(&lock);
	self = take_entry();
	if (!self) {
		unlock();
		return NULL;
	}
	present++;
	self->core = core;
	self->index = index;
	self->tid = (pid_t)syscall(SYS_gettid);
	self->begun = begun++;
	self->delays = 0;
	self->spins = SPINS;
	self->turn.away = false;
	self->outside = self->passed = self->coming = false;
	join(self);
	return &self->turn;
}

void turn_take(struct turn *turn)
{
	struct thread *self = (struct thread *)turn;
	const struct thread *next;

	atomic_store(&self->here, true);
	pthread_mutex_lock(&lock);
	atomic_store(&self->here, false);
	if (over || holder != self || self->passed) {
		unlock();
		return;
	}
	moves++;
	note_time(self);
	next = first_waiting(self);
	set_until(self);
	if (!next || self->now < atomic_load(&turn->until)) {
		unlock();
		return;
	}
	wait_next(self);
	holder = NULL;
	wait_unlocked(self);
}

void turn_call(struct turn *turn, int64_t number, const uint64_t arguments[6])
{
	struct thread *self = (struct thread *)turn;

	atomic_store(&self->here, true);
	pthread_mutex_lock(&lock);
	moves++;
	turn->away = true;
	note_time(self);
	self->calls++;
	self->call = number;
	self->result = 0;
	atomic_store(&self->returned, false);
	self->others = begun;
	memcpy(self->arguments, arguments, sizeof(self->arguments));
	atomic_store(&self->here, false);
	if (holder == self) {
		self->state = STATE_CALLS;
		self->futex = 0;
		if (falls_asleep(self)) {
			self->state = STATE_SLEEPS;
			entering = self;
			grant();
		} else if (calls_may_sleep(number, arguments)) {
			call_first_here();
		} else {
			prepare_to_wake(self);
			move_sleepers(self);
		}
	}
	unlock();
}

/* Waits for a thread that was just made to begin. */
static void await_born(uint64_t wanted)
{
	for (unsigned looks = 0; !over && looks < BORN_MAX; looks++) {
		uint32_t seen = atomic_load(&news);
		bool born;

		pthread_mutex_lock(&lock);
		born = begun >= wanted;
		unlock();
		if (born)
			return;
		listen(seen, POLL_MAX_NS);
	}
}

/* The thread was passed, and went on without its turn. It may have got it since. */
static void end_pass(struct thread *self)
{
	self->passed = false;
	if (self->state != STATE_WAITS) {
		unlock();
		return;
	}
	atomic_store(&self->ready, false);
	wait_unlocked(self);
}

/* The thread is back from a call in which it had its turn all the time. */
static void end_call(struct thread *self)
{
	const bool wakes = calls_may_wake(self->call, self->arguments, self->result);
	const bool known = wakes && put_woken_back(self);

	self->state = STATE_RUNS;
	unlock();
	if (wakes && !known && !await_counted(self))
		await_woken(self);
	if (calls_made_thread(self->call, self->arguments, self->result))
		await_born(self->others + 1);
	turn_take(&self->turn);
}

/* The thread was woken, and has its place in the order already. */
static void arrive(struct thread *self)
{
	self->coming = false;
	unlock();
	wait_for_turn(self);
}

void turn_back(struct turn *turn, bool outside)
{
	struct thread *self = (struct thread *)turn;

	if (over)
		return;
	atomic_store(&self->here, true);
	pthread_mutex_lock(&lock);
	atomic_store(&self->here, false);
	moves++;
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

	self->result = result;
	atomic_store(&self->returned, true);
}

void turns_over(void)
{
	pthread_mutex_lock(&lock);
	over = true;
	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i]->state == STATE_WAITS)
			release(threads[i]);
	unlock();
}

void turns_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	for (unsigned i = 0; i < thread_count; i++) {
		threads[i]->state = STATE_NONE;
		threads[i]->passed = threads[i]->coming = false;
	}
	present = 0;
	holder = entering = woken_later = NULL;
	over = false;
	latest = 0;
}

void turns_visit_waiting(void (*visit)(unsigned index))
{
	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i]->state == STATE_WAITS)
			visit(threads[i]->index);
}
