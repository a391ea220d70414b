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
	_Atomic bool here;     /* back from the call, in turns.c */
	unsigned sleeps_left;  /* times that it sleeps for its turn without looking for long */
	unsigned sleeps_next;  /* the same, when it has next looked in vain */
	bool outside;          /* of QEMU's loop of execution, in which others stop it */
	bool passed;           /* executes without its turn, so that QEMU can stop all threads */
	_Atomic uint32_t go;   /* futex, changes with `ready` */
	_Atomic bool parked;   /* sleeps on it */
	/*
	 * It need not wait: it has its turn, is passed, or turns are over. In a line of the host by
	 * itself: the thread looks at it all the time while others change the rest.
	 */
	_Alignas(HOST_LINE) _Atomic bool ready;
};

struct order {
	struct thread *threads[THREADS_MAX]; /* never freed; of those that ended, used again */
	unsigned count;                      /* of them */
	_Atomic unsigned present;            /* threads that have begun and not ended */
	struct thread *holder;               /* has the turn; NULL: all sleep */
	struct thread *entering;             /* is about to sleep on a futex */
	uint64_t begun;
	uint64_t moves;  /* of whoever has the turn: calls into turns.c */
	uint64_t latest; /* model time of the holder, when last noted */
	_Atomic bool over;
	unsigned processors; /* of the host */
};

extern struct order order;

/* Without the lock. `cycles` and `seed`: as for turns_set_up(). */
void order_set_up(unsigned cycles, uint64_t seed);
void order_forked(void);

void order_lock(void);
void order_unlock(void);

/* News: a thread begins or is back. Without the lock. */
uint32_t order_news(void);
void order_listen(uint32_t seen, long ns); /* waits for news since `seen`, or for some time */
void order_announce(void);
/* Sleeps on `go` as long as it has the value, or for some time. Without the lock. */
void order_park(struct thread *thread, uint32_t value, long ns);

/* Returns what a thread does on the host. */
enum host_state order_host_state(const struct thread *thread);

/* Returns the thread that waits and is the furthest behind, other than one; NULL: none waits. */
struct thread *order_first_waiting(const struct thread *other);
/* Returns the first of those that wait in turns.c, and in QEMU's loop of execution if `inside`. */
struct thread *order_first_here(bool inside);
/* Has the first one in turns.c, which looks after the one that has the turn, look now. */
void order_call_first_here(void);

void order_note_time(struct thread *thread);
void order_set_until(struct thread *thread);
/* The thread waits for its turn. */
void order_wait_next(struct thread *thread);
/* The thread has to wait no more, whether it has its turn or not. */
void order_release(struct thread *thread);
/* Gives the turn to the first thread that waits for it, if any. */
void order_grant(void);
/* A thread comes, or comes back: not before what has woken it, and later by what the seed says. */
void order_join(struct thread *thread);

#endif
