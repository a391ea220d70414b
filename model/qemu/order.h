/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose turn it is (turns.h): all threads, and which of them is the furthest behind. Everything
 * here is called with the lock held, unless it says otherwise.
 */
#ifndef QEMU_ORDER_H
#define QEMU_ORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "qemu/carriers.h"
#include "qemu/host_state.h"
#include "qemu/turns.h"
#include "shared.h"

#define HOST_LINE   64
#define THREADS_MAX (2 * MODEL_SHARED_THREADS) /* at the same time */

enum state {
	STATE_NONE,
	STATE_RUNS,  /* has the turn */
	STATE_CALLS, /* has the turn, in a system call */
	STATE_WAITS, /* for its turn */
	STATE_SLEEPS /* in a system call, without the turn */
};

/*
 * Fields that whoever has the turn changes for the next one are in a line of the host by
 * themselves, since it is lines that a change of turns waits for.
 */
struct thread {
	struct turn turn;
	struct work work;
	struct core *core;
	uint64_t now;            /* model time, when last noted */
	uint64_t begun;          /* order of begin, for equal times */
	enum state state;        /* of them, only the one that waits may be changed by others */
	bool shadowed;           /* its core has shadows */
	bool coming;             /* was woken, and is in the order of turns, but not here yet */
	bool passed;             /* executes without its turn, so that QEMU can stop all threads */
	bool outside;            /* of QEMU's loop of execution, in which others stop it */
	_Atomic bool here;       /* back from the call, in turns.c */
	struct thread *follower; /* the first one that waited when it got the turn; or NULL */

	/*
	 * It need not wait: it has its turn, is passed, or turns are over. In a line of the host by
	 * itself: the thread looks at it all the time while others change the rest.
	 */
	_Alignas(HOST_LINE) _Atomic bool ready;
	_Atomic bool parked; /* sleeps on `go` */
	_Atomic uint32_t go; /* futex, changes with `ready` */

	_Alignas(HOST_LINE) unsigned index;
	uint64_t calls;        /* that it has made */
	uint64_t others;       /* that had begun before its call */
	int64_t call, result;  /* the last system call */
	uint64_t arguments[6]; /* of it */
	uint64_t delays;       /* that the seed gave it */
	uint64_t futex;        /* the address that it sleeps on, if that is known; or 0 */
	uint64_t asleep;       /* order of the sleeps on futexes */
	bool dozes;            /* sleeps there, but not in the kernel (dozers.h) */
	bool woken;            /* after that, by another thread */
	bool altered;          /* the word that it slept on, until its call has returned */
	_Atomic bool strays;   /* is awake, but may sleep in the kernel */
	bool awaited;          /* the call of the thread that has the turn may wake it there */
	_Atomic bool returned; /* QEMU is done with the call */
	unsigned sleeps_left;  /* times that it sleeps for its turn without looking for long */
	unsigned sleeps_next;  /* the same, when it has next looked in vain */
};

struct order {
	/* What each change of turns changes, in two lines of the host. */
	_Alignas(2 * HOST_LINE) pthread_mutex_t lock;
	struct thread *holder;  /* has the turn; NULL: all sleep */
	uint64_t latest;        /* model time of the holder, when last noted */
	_Atomic uint64_t moves; /* of whoever has the turn: calls into turns.c */
	/* By the thread that has the lock, once that is free; or NULL. */
	struct thread *released_later, *woken_later;
	struct carrier *carrier_later; /* to be woken */
	struct thread *entering;       /* is about to sleep on a futex */

	_Alignas(2 * HOST_LINE) uint64_t begun;
	_Atomic unsigned count;   /* of `threads`, which never shrink */
	_Atomic unsigned present; /* threads that have begun and not ended */
	_Atomic bool over;
	unsigned processors;                 /* of the host */
	struct thread *threads[THREADS_MAX]; /* never freed; of those that ended, used again */
};

extern struct order order;

/* Without the lock. `cycles` and `seed`: as for turns_set_up(). */
void order_set_up(unsigned cycles, uint64_t seed);
void order_forked(void);

void order_lock(void);
void order_unlock(void); /* whoever was given the turn goes on then */

/* News: a thread begins or is back. Without the lock. */
uint32_t order_news(void);
void order_listen(uint32_t seen, long ns); /* waits for news since `seen`, or for some time */
void order_announce(void);
/* Sleeps on `go` as long as it has the value, or for some time. Without the lock. */
void order_park(struct thread *thread, uint32_t value, long ns);

/*
 * The thread that looks after the one that has the turn (lookout.h), if those that wait do not:
 * sleeps for `ns`, or if that is 0 until it is needed, for some time at most; or until it is
 * called. Without the lock.
 */
uint32_t order_calls(void);
void order_about_to_rest(void); /* before it looks whether it is needed */
void order_rest(uint32_t seen, long ns);
void order_call_lookout(void);
/* A thread is going to be suspended, so that it cannot look itself. */
void order_call_if_at_rest(void);

static inline void order_count_move(void)
{
	atomic_store_explicit(&order.moves,
			      atomic_load_explicit(&order.moves, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* Returns what a thread does on the host. */
enum host_state order_host_state(struct thread *thread);

/* Returns the thread that waits and is the furthest behind, other than one; NULL: none waits. */
struct thread *order_first_waiting(const struct thread *other);
/* Returns the first of those that wait in turns.c, and in QEMU's loop of execution if `inside`. */
struct thread *order_first_here(bool inside);
/* Has the one who looks after the thread that has the turn look now. */
void order_call_first_here(void);

void order_note_time(struct thread *thread);
/* Has a thread execute until it is too far ahead of the first other one that waits, if any. */
void order_set_until(struct thread *thread, struct thread *follower);
/* The thread waits for its turn. */
void order_wait_next(struct thread *thread);
/* Whoever has the turn is not alone any more, and looks again whose it is. */
void order_end_alone(void);
/* The thread has to wait no more, whether it has its turn or not. */
void order_release(struct thread *thread);
/*
 * Returns the thread that is to go on once the lock is free, if the host thread of the caller,
 * `by`, can do that, so that the caller has to see to it; or NULL.
 */
struct thread *order_take_released(struct thread *by);
/* Whether a thread has to wait no more, or once the lock is free. */
bool order_is_ready(const struct thread *thread);
/* Gives the turn to the first thread that waits for it, if any. `by`: who calls this, or NULL. */
void order_grant(const struct thread *by);
/* A thread comes, or comes back: not before what has woken it, and later by what the seed says. */
void order_join(struct thread *thread);

#endif
