/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host threads that execute each other's work. Only one thread of the program executes at a time
 * (turns.h), so the next one can go on where the last one did: on the same host thread, by a
 * switch that takes some ten nanoseconds. A hand-over to another host thread takes a hundred times
 * as long, or thousands while other programs use the processors.
 *
 * What the kernel knows a thread by belongs to the host thread that it began on, its home: there it
 * makes its system calls. A signal that the program handles has to arrive at the thread that the
 * kernel chose. So a program with handlers does without all this. A signal that ends the program
 * may arrive at any thread, unless that blocks it: so threads go on only where the same signals are
 * blocked as at home.
 *
 * Everything here is called with the lock of order.h held, unless it says otherwise.
 */
#ifndef QEMU_CARRIERS_H
#define QEMU_CARRIERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct work;

/* A host thread. */
struct carrier {
	struct work *owner; /* what began on it */
	pid_t tid;
	struct work *carries;        /* what it executes, or is about to; NULL: nothing */
	struct work *left;           /* what it executed before, until that is saved */
	_Atomic(struct work *) next; /* what it is to execute, given to it while it had nothing */
	void *idle;                  /* where it goes on while it has nothing */
	void *stack;                 /* for that, which is kept for the entry's next thread */
	bool looks;                  /* before it sleeps: it may have something to do soon */
	unsigned short_left;         /* times that it looks only for a short while */
	unsigned short_next;         /* the same, when it has next looked in vain */
	_Atomic bool parked;         /* sleeps on `go` */
	_Atomic uint32_t go;         /* futex, changes with `next` */
};

/* What a thread of the program executes. */
struct work {
	struct carrier home;
	_Atomic(struct carrier *) on; /* executes it, or is about to; NULL: it is suspended */
	void *saved_at;               /* its registers and its stack while it is suspended */
	_Atomic bool saved;           /* all of them, so that others can go on with it */
	bool needs_home;              /* goes on only there */
	uint64_t blocked;             /* signals, a bit for each: by its home, for the kernel */
	_Atomic bool signalled;       /* a signal came to its home while that had nothing */
};

/* Whether threads may be suspended; that they may not any more, from now on or at all. */
bool carriers_work(void);
void carriers_stop(void);
/* `futex`: changes, and whoever sleeps there is woken, when a work is signalled. */
void carriers_tell_signals(_Atomic uint32_t *futex);
void carriers_forked(void); /* in the child, whose only thread is at home */

/* The calling thread begins, at home. Without the lock. */
void work_begin(struct work *work);

/* The caller, which is at home, may have blocked signals, or not any more. Without the lock. */
void work_note_blocked(struct work *work);

/* Returns the number of the host thread that executes it, or else its own. Without the lock. */
pid_t work_tid(struct work *work);

/*
 * Suspends the caller's work: its host thread is to go on with `next`, which is suspended and
 * saved, or NULL. `looks`: for which it is worth to wait awake. The caller frees the lock, and then
 * calls work_leave(), which returns when the work goes on.
 */
struct carrier *work_suspend(struct work *self, struct work *next, bool looks);
void work_leave(struct work *self, struct carrier *carrier, struct work *next);

static inline bool work_is_suspended(struct work *work)
{
	return !atomic_load_explicit(&work->on, memory_order_relaxed);
}

/* Whether it is suspended, and the host thread that executes `self` can go on with it at once. */
static inline bool work_can_follow(struct work *work, struct work *self)
{
	const struct carrier *carrier = atomic_load_explicit(&self->on, memory_order_relaxed);

	return work_is_suspended(work) && !work->needs_home &&
	       work->blocked == carrier->owner->blocked &&
	       atomic_load_explicit(&work->saved, memory_order_acquire);
}

/*
 * A host thread without work goes on with one that is suspended. Returns the host thread if it has
 * to be woken, or NULL.
 */
struct carrier *work_resume(struct work *work);
void carrier_wake(struct carrier *carrier); /* with the lock or without */

/* As work_suspend(), but the caller goes on at home as soon as possible. `*woken`: to be woken. */
struct carrier *work_go_home(struct work *self, struct carrier **woken);

static inline bool work_is_at_home(struct work *work)
{
	return atomic_load_explicit(&work->on, memory_order_relaxed) == &work->home;
}

#endif
