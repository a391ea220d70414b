/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "qemu/calls.h"
#include "shared.h"

#define THREADS_MAX     (2 * MODEL_SHARED_THREADS) /* at the same time */
#define AHEAD_APART     8    /* times further ahead while no lines move between cores */
#define AHEAD_AFTER     4096 /* cycles without such moves after which that is so */
#define SPINS           400  /* looks at a word before it is slept on: some microseconds */
#define POLL_NS         20000
#define POLL_MAX_NS     2000000
#define SUSPICIOUS_NS   2000000000 /* in which a thread that has the turn does nothing */
#define UNKNOWN_CALL_NS 5000000    /* after which a call counts as asleep if /proc does not tell */

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
	uint64_t others;       /* that had begun before its call */
	int64_t call, result;  /* the last system call */
	uint64_t arguments[6]; /* of it */
	_Atomic bool here;     /* back from the call, in this file */
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
static uint64_t begun, random_state;
static uint64_t moves;        /* of whoever has the turn: calls into this file */
static uint64_t latest;       /* model time of the holder, when last noted */
static _Atomic uint32_t news; /* futex: changes when a thread begins or is back */
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

static inline void host_pause(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static uint64_t host_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Reads a file of a thread in /proc. Returns false if there is none, or no /proc. */
static bool read_about(pid_t tid, const char *what, char *text, size_t size)
{
	char path[64];
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, what);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	length = read(file, text, size - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

enum host_state { HOST_GONE, HOST_UNKNOWN, HOST_BUSY, HOST_ASLEEP };

static enum host_state host_state(pid_t tid)
{
	char text[512];
	const char *name_end;

	if (!read_about(tid, "stat", text, sizeof(text)))
		return syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH ? HOST_GONE
									       : HOST_UNKNOWN;
	name_end = strrchr(text, ')');
	if (!name_end || name_end[1] != ' ')
		return HOST_UNKNOWN;
	switch (name_end[2]) {
	case 'S':
		return HOST_ASLEEP;
	case 'Z':
	case 'X':
		return HOST_GONE;
	default:
		return HOST_BUSY;
	}
}

/*
 * Whether a thread that sleeps does so on a futex that is not its own call's: then QEMU has it
 * wait, for a lock or until all threads have stopped.
 */
static bool waits_in_qemu(const struct thread *thread)
{
	unsigned long long address;
	char text[256], *end;

	/* The call's number and arguments; or "running". */
	if (!read_about(thread->tid, "syscall", text, sizeof(text)) ||
	    strtoull(text, &end, 10) != SYS_futex || end == text)
		return false;
	address = strtoull(end, NULL, 16);
	/* Guest addresses are the host's, but for a page-aligned base. */
	return !(thread->state == STATE_CALLS || thread->state == STATE_SLEEPS) ||
	       thread->call != CALL_FUTEX || ((address ^ thread->arguments[0]) & 0xfff);
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
		    !threads[i]->passed && (!first || before(threads[i], first)))
			first = threads[i];
	return first;
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

static void release(struct thread *thread)
{
	atomic_store(&thread->ready, true);
	atomic_fetch_add(&thread->go, 1);
	if (atomic_load(&thread->parked))
		futex_wake(&thread->go);
}

/* Gives the turn to the first thread that waits for it, if any. */
static void grant(void)
{
	holder = first_waiting(NULL);
	if (!holder)
		return;
	moves++;
	holder->state = STATE_RUNS;
	if (holder->now > latest)
		latest = holder->now;
	set_until(holder);
	release(holder);
}

/* Lets all who wait execute until QEMU stops them. */
static void pass_all(void)
{
	for (unsigned i = 0; i < thread_count; i++) {
		if (threads[i]->state != STATE_WAITS || threads[i]->passed)
			continue;
		threads[i]->passed = true;
		threads[i]->turn.away = true;
		release(threads[i]);
	}
}

/* ---- Waiting ---------------------------------------------------------------------------------
 */

/* Whether a thread that slept in a call still does. */
static bool sleeps_on(const struct thread *thread)
{
	enum host_state host = host_state(thread->tid);

	if (atomic_load(&thread->here) || host == HOST_BUSY)
		return false;
	return host != HOST_ASLEEP || !waits_in_qemu(thread);
}

/*
 * Waits until each thread that sleeps in a call either still does, or is back: what the call of
 * this one has woken is under way.
 */
static void await_woken(const struct thread *self)
{
	for (unsigned i = 0; i < thread_count; i++) {
		struct thread *thread = threads[i];

		for (;;) {
			uint32_t seen = atomic_load(&news);
			bool sleeps;

			pthread_mutex_lock(&lock);
			sleeps = thread != self && thread->state == STATE_SLEEPS;
			pthread_mutex_unlock(&lock);
			if (!sleeps || over || sleeps_on(thread))
				break;
			futex_wait(&news, seen, POLL_NS);
		}
	}
}

/* A thread is gone. Its last call may have woken others. With the lock held, but for a while. */
static void bury(struct thread *gone)
{
	pthread_mutex_unlock(&lock);
	await_woken(gone);
	pthread_mutex_lock(&lock);
	if (holder != gone)
		return;
	gone->state = STATE_NONE;
	present--;
	grant();
}

/* Since when the one that has the turn has done nothing. */
struct watching {
	uint64_t since, moves;
};

/*
 * The first of those who wait looks after the one that has the turn, now and then: it may sleep in
 * a system call, be gone, or wait in QEMU until the others have stopped. Returns how long to wait.
 */
static long look_after(struct thread *self, struct watching *watching, long pause)
{
	struct thread *watched;
	enum host_state host;
	enum state state;

	pthread_mutex_lock(&lock);
	watched = holder;
	if (!watched && self->state == STATE_WAITS)
		grant();
	if (!watched || watched == self || first_waiting(NULL) != self || self->passed) {
		pthread_mutex_unlock(&lock);
		return POLL_MAX_NS;
	}
	state = watched->state;
	if (watching->moves != moves)
		*watching = (struct watching){host_ns(), moves};
	if (state == STATE_RUNS && host_ns() - watching->since < SUSPICIOUS_NS / 2) {
		pthread_mutex_unlock(&lock);
		return POLL_MAX_NS;
	}
	host = host_state(watched->tid);
	if (atomic_load(&watched->here)) {
		; /* it waits for the lock */
	} else if (host == HOST_GONE) {
		bury(watched);
	} else if (host == HOST_ASLEEP && waits_in_qemu(watched)) {
		if ((state == STATE_CALLS &&
		     calls_stop_threads(watched->call, watched->arguments)) ||
		    host_ns() - watching->since > SUSPICIOUS_NS)
			pass_all();
	} else if (state == STATE_CALLS &&
		   (host == HOST_ASLEEP ||
		    (host == HOST_UNKNOWN && host_ns() - watching->since > UNKNOWN_CALL_NS))) {
		watched->state = STATE_SLEEPS;
		grant();
	}
	pthread_mutex_unlock(&lock);
	return pause;
}

/* Returns when the thread is to execute. */
static void wait_for_turn(struct thread *self)
{
	struct watching watching = {0};
	long pause = POLL_NS;

	for (unsigned i = 0; i < SPINS && present <= processors; i++) {
		if (atomic_load_explicit(&self->ready, memory_order_acquire))
			return;
		host_pause();
	}
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

/* Waits for the turn, with the lock held, which it releases. The thread's state is STATE_WAITS. */
static void wait_unlocked(struct thread *self)
{
	if (!holder)
		grant();
	pthread_mutex_unlock(&lock);
	wait_for_turn(self);
}

/* ---- The interface --------------------------------------------------------------------------- */

void turns_set_up(unsigned cycles, uint64_t seed)
{
	cpu_set_t set;

	ahead = cycles ? cycles : 1;
	random_state = seed;
	processors = sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Returns the delay that the seed gives a thread that comes or comes back. */
static uint64_t jitter(void)
{
	uint64_t z;

	if (!random_state)
		return 0;
	z = (random_state += 0x9e3779b97f4a7c15ull);
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

/* The thread comes, or comes back: not before what has woken it. */
static void join(struct thread *self)
{
	uint64_t now = core_time(self->core);

	if (now < latest)
		now = latest;
	now += jitter();
	core_wait_until(self->core, now);
	self->now = now;
	wait_next(self);
	atomic_fetch_add(&news, 1);
	futex_wake(&news);
	end_alone();
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
		pthread_mutex_unlock(&lock);
		return NULL;
	}
	present++;
	self->core = core;
	self->index = index;
	self->tid = (pid_t)syscall(SYS_gettid);
	self->begun = begun++;
	self->turn.away = false;
	self->passed = false;
	join(self);
	wait_unlocked(self);
	return &self->turn;
}

void turn_take(struct turn *turn)
{
	struct thread *self = (struct thread *)turn;
	const struct thread *next;

	atomic_store(&self->here, true);
	pthread_mutex_lock(&lock);
	atomic_store(&self->here, false);
	moves++;
	self->now = core_time(self->core);
	if (self->now > latest)
		latest = self->now;
	next = first_waiting(self);
	set_until(self);
	if (over || holder != self || !next || self->now < atomic_load(&turn->until)) {
		pthread_mutex_unlock(&lock);
		return;
	}
	wait_next(self);
	holder = NULL;
	wait_unlocked(self);
}

void turn_call(struct turn *turn, int64_t number, const uint64_t arguments[6])
{
	struct thread *self = (struct thread *)turn;
	struct thread *next;

	atomic_store(&self->here, true);
	pthread_mutex_lock(&lock);
	moves++;
	turn->away = true;
	self->now = core_time(self->core);
	if (self->now > latest)
		latest = self->now;
	self->call = number;
	self->result = 0;
	self->others = begun;
	memcpy(self->arguments, arguments, sizeof(self->arguments));
	if (holder == self) {
		self->state = STATE_CALLS;
		next = first_waiting(NULL);
		if (next && calls_may_sleep(number, arguments) && atomic_load(&next->parked)) {
			atomic_fetch_add(&next->go, 1);
			futex_wake(&next->go); /* to look after this one */
		}
	}
	pthread_mutex_unlock(&lock);
	atomic_store(&self->here, false);
}

/* Waits for a thread that was just made to begin. */
static void await_born(uint64_t wanted)
{
	uint64_t since = host_ns();

	while (!over && host_ns() - since < 30000000000) {
		uint32_t seen = atomic_load(&news);
		bool born;

		pthread_mutex_lock(&lock);
		born = begun >= wanted;
		pthread_mutex_unlock(&lock);
		if (born)
			return;
		futex_wait(&news, seen, POLL_MAX_NS);
	}
}

void turn_back(struct turn *turn)
{
	struct thread *self = (struct thread *)turn;

	if (over)
		return;
	atomic_store(&self->here, true);
	pthread_mutex_lock(&lock);
	atomic_store(&self->here, false);
	moves++;
	turn->away = false;
	if (self->passed) {
		/* It went on without its turn. It may have got it since. */
		self->passed = false;
		if (self->state == STATE_WAITS) {
			atomic_store(&self->ready, false);
			end_alone();
			wait_unlocked(self);
		} else {
			pthread_mutex_unlock(&lock);
		}
		return;
	}
	if (self->state != STATE_CALLS) {
		join(self);
		wait_unlocked(self);
		return;
	}
	self->state = STATE_RUNS;
	pthread_mutex_unlock(&lock);
	if (calls_may_wake(self->call, self->arguments, self->result))
		await_woken(self);
	if (calls_made_thread(self->call, self->arguments, self->result))
		await_born(self->others + 1);
	turn_take(turn);
}

void turn_returned(struct turn *turn, int64_t result)
{
	((struct thread *)turn)->result = result;
}

void turns_over(void)
{
	pthread_mutex_lock(&lock);
	over = true;
	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i]->state == STATE_WAITS)
			release(threads[i]);
	pthread_mutex_unlock(&lock);
}

void turns_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	for (unsigned i = 0; i < thread_count; i++)
		threads[i]->state = STATE_NONE;
	present = 0;
	holder = NULL;
	over = false;
	latest = 0;
}

void turns_visit_waiting(void (*visit)(unsigned index))
{
	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i]->state == STATE_WAITS)
			visit(threads[i]->index);
}
