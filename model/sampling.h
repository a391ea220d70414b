/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the model's plugin and the process that records: a memory file with the sampling
 * request, and two rings per core, like the kernel's: one for frames, one for the SPE unit's bytes.
 * The rings survive the program, however it ends. The plugin waits if a ring is full, so nothing is
 * lost.
 */
#ifndef MODEL_SAMPLING_H
#define MODEL_SAMPLING_H

#include <stdatomic.h>
#include <string.h>

#include "overflow.h"
#include "shared.h"
#include "spe.h"

#define MODEL_SAMPLING_MAGIC 0x534d41534c504d50ull
#define MODEL_RING_BYTES     (1u << 18)
#define MODEL_FRAME_MAX      (1u << 14)
#define MODEL_CHAIN_MAX      127 /* Linux's default */
#define MODEL_FIRST_ID       1001

/* One core's rings. The plugin moves heads, the reader tails; they count bytes and never wrap. */
struct model_ring {
	_Atomic uint64_t head, tail;
	_Atomic uint64_t aux_head, aux_tail;
	_Atomic uint64_t aux_reported; /* bytes of .aux_head announced by frames */
	_Atomic uint32_t open;         /* a thread uses these rings */
	_Atomic uint32_t collided;     /* since the last frame that reported them */
	uint32_t pid, tid;
	_Atomic uint64_t time; /* time of the thread at .aux_head, in ns */
};

struct model_sampled_counter {
	uint64_t period, later;
	uint32_t frequency;
	uint32_t event;  /* enum model_event */
	uint32_t leader; /* the leader of its group */
};

struct model_sampling {
	uint64_t key; /* as model_shared.key */
	uint64_t magic;
	uint32_t struct_size;

	/* The request; constant. */
	bool spe, snapshot, callchains, exact;
	bool as_it_goes;            /* tell exact profiles from time to time, not only at the end */
	bool inherit;               /* also sample the threads that the first one creates */
	struct spe_control control; /* .seed is for all cores */
	/*
	 * In a sampled run: the interval within windows, and how many instructions have one window,
	 * such that operations are sampled as often as the control says. 0: it is not sampled.
	 */
	uint32_t window_interval;
	uint64_t unit;
	uint32_t counter_count;
	struct model_sampled_counter counters[OVERFLOW_COUNTERS];
	uint64_t time_zero; /* time in ns, and the generic timer, at the start of the program */
	uint32_t aux_bytes; /* of each core's ring; a power of two */
	uint64_t offset;    /* offset of the first core's rings in the file */

	_Atomic uint32_t closed;           /* the reader reads no more */
	_Atomic uint32_t several;          /* a second thread begins, some time from now on */
	_Atomic uint32_t snapshots_wanted; /* so far */
	_Atomic uint32_t next_id;          /* next number of a process or thread */
	_Atomic uint32_t profiles;         /* begun so far */
	_Atomic uint64_t overflows;        /* samples so far */
	_Atomic uint32_t exact_failed;     /* out of memory: counts are missing */
	_Atomic uint32_t profiles_lost;    /* threads killed before theirs was delivered */
	_Atomic uint32_t lines_incomplete; /* accesses to shared lines are missing */
	_Atomic uint64_t calls_too_deep;   /* call sites whose context is their caller's */
	_Atomic uint64_t calls_too_many;
	struct {
		_Atomic int32_t real; /* the first thread of a process, and its number */
		uint32_t id;
	} ids[MODEL_SHARED_THREADS];
	struct model_ring rings[MODEL_SHARED_THREADS];
};

static inline size_t model_sampling_stride(const struct model_sampling *sampling)
{
	return (size_t)MODEL_RING_BYTES + sampling->aux_bytes;
}

static inline size_t model_sampling_size(const struct model_sampling *sampling)
{
	return sampling->offset + MODEL_SHARED_THREADS * model_sampling_stride(sampling);
}

/* Returns the offset of a core's frames in the file; its SPE bytes follow. */
static inline size_t model_ring_place(const struct model_sampling *sampling, unsigned slot)
{
	return sampling->offset + slot * model_sampling_stride(sampling);
}

/* A frame is a header and data that depends on its type, padded to a multiple of 8 bytes. */
enum model_frame_type {
	FRAME_COMM = 1,
	FRAME_MMAP,
	FRAME_FORK,
	FRAME_EXIT,
	FRAME_START, /* the SPE unit starts for a thread */
	FRAME_AUX,
	FRAME_SAMPLE,
	FRAME_CONTEXT, /* where the following costs of this core were called from */
	FRAME_COST,    /* exact counts of an instruction */
	FRAME_LINE,    /* exact counts of its accesses to a shared line */
	FRAME_TOLD,    /* the costs so far of this core's thread add up */
};

struct model_frame {
	uint32_t type;
	uint32_t size; /* of the whole frame */
	uint32_t pid, tid;
	uint64_t time; /* ns */
};

struct model_frame_comm {
	char name[16];
	uint64_t exec;
};

struct model_frame_mmap {
	uint64_t address, length, offset, inode;
	uint32_t major, minor;
	/* the path follows, with a NUL */
};

struct model_frame_fork {
	uint32_t parent_pid, parent_tid;
};

struct model_frame_aux {
	uint64_t offset, size;
	uint64_t flags; /* PERF_AUX_FLAG_* */
};

struct model_frame_sample {
	uint32_t counter;
	uint32_t has_address;
	uint64_t ip, address, physical, period;
	uint64_t link; /* x30 there, with call chains; 0: unknown */
	uint32_t reads,
		chain; /* number of values that follow: of its group's counters; return addresses */
};

struct model_frame_context {
	uint32_t profile, context; /* numbers: no other profile, or context of it, has them */
	uint32_t depth;            /* number of return addresses that follow, the innermost first */
	uint32_t last;             /* its profile is told completely now, and then never again */
};

struct model_frame_cost {
	uint64_t ip;
	uint32_t count;  /* number of struct model_cost that follow */
	uint32_t group;  /* of a sampled run's windows; 0: counted in full (sampled.h) */
	uint64_t weight; /* how often they count */
};

struct model_frame_line {
	uint64_t ip, address, accesses, moves;
	uint32_t bytes, access; /* enum lines_access */
};

struct model_cost {
	uint64_t event; /* enum exact_event */
	uint64_t count;
};

#endif
