/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the model's plugin, inside QEMU, and the process that started it: a memory file that
 * both map. Its counts are always up to date, so they survive a program that is killed. Only the
 * plugin writes, except for what is said to be the reader's.
 */
#ifndef MODEL_SHARED_H
#define MODEL_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "change.h"
#include "conditions.h"
#include "events.h"
#include "sampled.h"
#include "ties.h"
#include "what_if.h"

#define MODEL_SHARED_MAGIC   0x426d756c504c444dull
#define MODEL_SHARED_THREADS 512 /* at the same time */

/* Why the model counts no further although the program goes on. */
enum model_gave_up { GAVE_UP_NOT, GAVE_UP_MEMORY, GAVE_UP_THREADS };
#define MODEL_SNAPSHOTS 32 /* that wait for the reader */
#define MODEL_NAME_MAX  256
#define MODEL_MARKS     8192

/*
 * A core's counts: of events, then the cycles of its shadows, by enum what_if, then those in which
 * lines were on their way from other cores, those in which loads waited for stores that could not
 * forward, then those of conditions.h, then all of them by the set of limits at work.
 */
#define MODEL_MOVING      (EVENT_COUNT + WHAT_IF_COUNT)
#define MODEL_UNFORWARDED (MODEL_MOVING + 1)
#define MODEL_CONDITIONS  (MODEL_UNFORWARDED + 1)
#define MODEL_LIMITS      (MODEL_CONDITIONS + CONDITION_COUNTS)
#define MODEL_COUNTS      (MODEL_LIMITS + LIMIT_SETS)

/* The counts of a guest thread's core, and which of them lie outside of the window. */
struct model_thread_counts {
	uint64_t counts[MODEL_COUNTS];
	uint64_t skipped[MODEL_COUNTS];  /* before the window was last opened */
	uint64_t at_close[MODEL_COUNTS]; /* when it was closed, if `closed` */
	_Atomic uint32_t closed;
};

static inline uint64_t model_thread_count(const struct model_thread_counts *thread, unsigned event)
{
	return (atomic_load(&thread->closed) ? thread->at_close[event] : thread->counts[event]) -
	       thread->skipped[event];
}

/* The part of the run that is counted: qemu/window.h. All zero if that is the whole run. */
struct model_window {
	_Atomic uint32_t phase;        /* how often it was opened and closed; odd: it is open */
	_Atomic uint32_t over;         /* a limit was reached, so the program is to be ended */
	_Atomic uint64_t opened;       /* cycle of the model's time, the last time */
	_Atomic uint64_t ends;         /* cycle at which time is over */
	_Atomic uint64_t cycles;       /* it was open, without the last time if it still is */
	_Atomic uint64_t instructions; /* executed while it was open, if they are limited */
};

/*
 * A sampled run: sampled.h. Counts are differences between the sums over all threads. The run's own
 * sums have all retired instructions, but of the other events only what was modelled.
 */
struct model_sampled {
	_Atomic uint32_t state; /* enum sampled_state */
	_Atomic uint32_t left;  /* a second thread began: everything is modelled from there on */
	_Atomic uint32_t count; /* windows */
	uint64_t unit;          /* instructions */
	uint64_t begins;        /* instructions before the first unit */
	uint64_t bare;          /* instructions that executed without the model */
	uint64_t modelled;      /* instructions in detail after the first stretch, up to `left` */
	/* By group: its windows, and their instructions, each as often as its weight says. */
	uint64_t group_windows[SAMPLED_GROUPS + 1];
	uint64_t group_instructions[SAMPLED_GROUPS + 1];
	uint64_t first[MODEL_COUNTS];  /* counted in the first stretch, and where code is new */
	uint64_t before[MODEL_COUNTS]; /* the sums when `left` was set */
	uint32_t windows[SAMPLED_MAX][MODEL_COUNTS];
};

/*
 * By unit of a sampled run with intervals: what a timeline needs beside the window. Code is told by
 * how many instructions of it have executed, in the model or to warm it: a block counts in one of
 * the values, which its address chooses at random. So those of equal code are alike, and those of
 * two different pieces of code hardly ever.
 */
struct model_timeline {
	uint64_t counts[SAMPLED_MAX][EVENT_COUNT]; /* counted in full, where code is new */
	uint32_t code[SAMPLED_MAX][SAMPLED_CODE];
	uint32_t first_code[SAMPLED_CODE]; /* in the first stretch, since the last snapshot */
};

/* What a program takes from outside, so that its threads may not be in the same order each time. */
enum model_outside {
	OUTSIDE_CLOCK = 1 << 0,  /* reads a clock */
	OUTSIDE_TIMER = 1 << 1,  /* waits for a time */
	OUTSIDE_INPUT = 1 << 2,  /* reads a terminal, a pipe or a socket, or waits for one */
	OUTSIDE_RANDOM = 1 << 3, /* random numbers of the kernel */
	OUTSIDE_CHILD = 1 << 4,  /* waits for another process */
	OUTSIDE_MEMORY = 1 << 5, /* has memory in common with another process */
	OUTSIDE_NUMBER = 1 << 6, /* asks for the number of a process or a thread */
	OUTSIDE_PROC = 1 << 7,   /* opens a file in /proc */
	OUTSIDE_HOST = 1 << 8,   /* asks how many processors there are: the same on each run here */
	OUTSIDE_EVENT = 1 << 9, /* waits for an event, which the model does not: the same as well */
	OUTSIDE_UNALIGNED = 1 << 10, /* unaligned atomics: QEMU stops all threads, in any order */
};

/* The counts at the end of an interval. */
struct model_snapshot {
	_Atomic uint64_t number;     /* of snapshots so far, this one included; written last */
	uint64_t cycle;              /* model time, cycles */
	uint32_t code[SAMPLED_CODE]; /* of the interval, as in struct model_timeline */
	uint64_t counts[MODEL_COUNTS];
};

/* An instruction that requires what the core lacks. */
struct model_lacking {
	_Atomic uint64_t pc;
	_Atomic uint32_t word; /* 0: none */
};

struct model_shared {
	uint64_t key;               /* the reader's: by this the plugin knows the memory */
	int32_t reader;             /* its process */
	_Atomic uint32_t heartbeat; /* the reader's, several times a second */
	_Atomic uint32_t ended;     /* the reader's: it waits for nothing any more, and is fine */
	_Atomic uint32_t orphaned;  /* the reader has gone without that */
	/* The reader's, before `ended`: the signal for processes that run on; 0: they may. */
	_Atomic uint32_t last_signal;
	uint32_t change_count; /* the reader's: how the core differs from the one named */
	struct core_change changes[CORE_CHANGES_MAX];

	_Atomic uint64_t magic; /* written last, when the plugin is ready */
	uint32_t struct_size;   /* of this struct in the plugin; must be the same in the reader */
	uint32_t event_count;
	_Atomic uint32_t processes; /* number that counted: more than 1 with children and execve */
	_Atomic uint32_t left_out;  /* processes that a counted one forked, and that do not count */
	_Atomic uint32_t threads_started;  /* in all */
	_Atomic uint32_t reads_predicates; /* else model_event_of_predicates() are not counted */
	_Atomic uint32_t gave_up;          /* enum model_gave_up: counts are incomplete */
	_Atomic uint64_t longest_cycles;   /* the model's time: that of the core that ran longest */
	_Atomic uint64_t begun_cycle; /* the model's time at the start of the program's own code */
	_Atomic uint32_t begun;       /* `begin_cycle` is set */
	struct model_window window;
	_Atomic uint64_t unknown_words;    /* translated instructions unknown to the decoder */
	struct model_lacking lacking_ran;  /* the first that the engine has all the same */
	struct model_lacking lacking_last; /* the last that it may not have */
	_Atomic uint32_t outside;          /* enum model_outside, or'ed */
	_Atomic uint64_t hidden_accesses;  /* accesses with unknown addresses */
	_Atomic uint64_t dropped_accesses; /* accesses beyond the limit for a block */
	_Atomic uint32_t
		uncounted_execs;  /* became a program in which nothing is counted, or not yet */
	_Atomic uint32_t refused; /* 1: being written; 2: `refused_name` is whole */
	char refused_name[MODEL_NAME_MAX];          /* what it was to become, and could not */
	_Atomic uint64_t snapshots, snapshots_read; /* so far; the latter is the reader's */
	struct model_snapshot snapshot[MODEL_SNAPSHOTS];
	/* Cycles of the thread at each system call with the number that marks. */
	_Atomic uint32_t mark_count;
	uint64_t marks[MODEL_MARKS];
	_Atomic uint64_t finished[MODEL_COUNTS];           /* sum over finished threads */
	_Atomic uint32_t slot_taken[MODEL_SHARED_THREADS]; /* by this process; 0: free */
	struct model_thread_counts threads[MODEL_SHARED_THREADS];
	/* Last, because most of their pages are never touched. */
	struct model_sampled sampled;
	struct model_timeline timeline;
};

#endif
