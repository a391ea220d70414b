/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is remembered, for memo.c and memo_record.c: a node is a state in which a block began; a
 * transition leads from one to the next, by what a block did and what it was answered.
 */
#ifndef MODEL_MEMO_GRAPH_H
#define MODEL_MEMO_GRAPH_H

#include "memo.h"

#define HUGE_PAGE    (2u << 20)
#define BUCKETS      (1u << 15)
#define UNDONE_MAX   1024
#define ACCESSES_MAX 240
#define COUNTERS_MAX 128

struct transition;

struct node {
	uint64_t hash;
	struct node *next; /* of the same bucket */
	struct transition *first;
	uint32_t count;
	uint32_t words[];
};

struct delta {
	uint32_t counter, more;
};

/*
 * Cycles are relative to the one in which the block began. Behind it are the shape of its accesses
 * (shape_of()), then steps, loads that are near stores, deltas, and what it charges.
 */
struct transition {
	uint64_t serial;            /* of the block */
	struct transition *next;    /* from the same node */
	struct transition *then[2]; /* those that came next, the last one first; or NULL */
	struct node *to;
	struct charged *charged;    /* NULL without a profile */
	struct transition *counted; /* the next one of which executions are to be counted */
	uint32_t executions;        /* not counted yet */
	uint32_t cycles, operations;
	int32_t last_retired, loads_done, resolved;
	int32_t memory_floor, release_gone;
	uint32_t wrong_operations;
	int32_t wrong;
	uint16_t access_count, step_count, near_count, delta_count;
	uint8_t used; /* slots, in the cycle in which it ends */
	bool loads;
	bool acquires, releases; /* changes core.memory_floor, core.release_gone */
	bool merges;             /* some instructions make several accesses: are_merged() */
	bool counts_kinds;       /* what count_kinds() counts is among the deltas */
} __attribute__((aligned(8)));

static inline uint32_t *shape_in(const struct transition *t)
{
	return (uint32_t *)(uintptr_t)(t + 1);
}

static inline struct step *steps_in(const struct transition *t)
{
	return (struct step *)(void *)(shape_in(t) + ((t->access_count + 1u) & ~1u));
}

static inline struct near *near_in(const struct transition *t)
{
	return (struct near *)(void *)(steps_in(t) + t->step_count);
}

static inline struct delta *deltas_in(const struct transition *t)
{
	return (struct delta *)(void *)(near_in(t) + t->near_count);
}

static inline struct charged *charged_in(const struct transition *t)
{
	return (struct charged *)(void *)(deltas_in(t) + t->delta_count);
}

/*
 * What stores displace until it is known that the block is replayed: in the store buffer's ring,
 * and of what is known of 8 bytes. The older store that one displaces need not be kept if it is
 * gone: no load asks for it any more.
 */
struct undone {
	struct undone_store {
		uint64_t buffered;
		bool displaces; /* .was is set */
		struct recent_store was;
	} stores[STEPS_MAX];
	struct undone_forward {
		struct forward *place, was;
	} forwards[UNDONE_MAX];
};

struct memo {
	struct node *node;                       /* the core's state, or NULL if it is not known */
	struct transition *last;                 /* that led there, or NULL */
	bool stale;                              /* it is not in struct core */
	unsigned undone_stores, undone_forwards; /* how many .undone has */
	struct transition *counted;              /* those with executions that are not counted */
	int32_t ahead;                           /* replays, less what records cost */
	uint64_t replays;
	uint64_t disturbed;       /* how often anything but a replay with usual answers was done */
	uint64_t forgotten;       /* how often all nodes were */
	uint32_t rest, rest_next; /* blocks to execute plainly */
	uint64_t *counters[COUNTERS_MAX];
	unsigned counter_count; /* of those that are compared; then, of instructions, and kinds */
	uint64_t unforwarded;   /* if nobody else counts it */
	uint64_t hit;           /* the answer to a load that hits */
	uint64_t crossing[2];   /* to one of two lines that hits both; [1]: of two pages */
	uint64_t before[COUNTERS_MAX];

	struct told told; /* of the current block */
	struct undone undone;

	struct state state;
	char *arena;
	size_t size, used; /* bytes of it */
	struct node *buckets[BUCKETS];
};

/* An access without its address, in a word. */
static inline uint32_t shape_of(const struct access *access)
{
	return access->insn | (uint32_t)access->bytes << 16;
}

/*
 * Whether each access of an instruction is next to the one before; or at the same place, if it is
 * an atomic, which stores where it has loaded.
 */
static inline bool are_merged(const struct prepared *prepared, const struct access *accesses,
			      size_t count)
{
	const unsigned both = MEM_LOAD | MEM_STORE;

	for (size_t i = 1; i < count; i++) {
		const struct access *before = &accesses[i - 1];
		const bool stores_back = (prepared->ops[before->insn].memory & both) == both;

		if (accesses[i].insn == before->insn &&
		    accesses[i].address != before->address + (stores_back ? 0 : before->bytes))
			return false;
	}
	return true;
}

static inline bool has_shape(const struct transition *t, const struct prepared *prepared,
			     const struct access *accesses, size_t count)
{
	uint32_t differs = 0;

	if (t->access_count != count)
		return false;
	/* Nearly always all are the same, so it is not worth while to stop at one that is not. */
	for (size_t i = 0; i < count; i++)
		differs |= shape_in(t)[i] ^ shape_of(&accesses[i]);
	return likely(!differs) && (likely(!t->merges) || are_merged(prepared, accesses, count));
}

/* memo_record.c: finds the counters of `core`, before anything is recorded */
void memo_find_counters(struct memo *memo, struct core *core);
/* the node of the core's state, perhaps a new one; NULL if there can be none */
struct node *memo_find_node(struct core *core);
/*
 * Executes a block plainly from the current node, with the answers given in memo->told, and
 * remembers that as memo->node and memo->last; these are NULL if that is impossible.
 */
void memo_record(struct core *core, const struct block *block, unsigned executed,
		 const struct access *accesses, size_t access_count, uint64_t next_pc);
/* Forgets all, if there is hardly any room left. */
void memo_make_room(struct core *core);

/* memo.c: whether nothing looks at the core that wants to see each operation */
bool memo_may_replay(const struct core *core);
/* a transition comes after the last one */
void memo_go_on(struct memo *memo, struct transition *t);

#endif
