/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core model's state, shared by its files and nobody else. Times are cycles of the core.
 * What is given back in order is counted, and given back by going along the operations' cycles of
 * retirement; what may leave out of order (issue queues, ports) has a calendar of cycles.
 * doc/model.md tells how they act together.
 */
#ifndef MODEL_PIPELINE_H
#define MODEL_PIPELINE_H

#include <stddef.h>

#include "core.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/*
 * Cycles from dispatch on for which the calendar says which ports are taken (a bit each, from the
 * lowest) and how many issue queue entries become free (a byte each, above them). A power of two.
 */
#define CALENDAR_CYCLES    512
#define QUEUE_SHIFT(queue) (PORTS_MAX + 8 * (queue))
/* The queues' bytes, and what is set in one that has more entries taken than there are. */
#define QUEUE_BYTES       (~0ull << PORTS_MAX)
#define QUEUES_FULL       (0x8080808080808080ull & QUEUE_BYTES)
#define QUEUE_ENTRIES_MAX 127

/* Operations whose cycles are remembered, by sequence. A power of two. */
#define REORDER_RING 512
#define STORE_RING   512

/* Instructions that the load-store unit executes. */
#define MEM_ANY (MEM_LOAD | MEM_STORE | MEM_PREFETCH)

/* Beyond the registers: a source that is always ready, a target that nobody reads. */
enum { READY_ALWAYS = REG_COUNT, READY_NOWHERE, READY_COUNT };

/* What an operation holds from dispatch to retirement, or for stores until it leaves the queue. */
enum hold {
	HOLD_INT, /* registers */
	HOLD_VECTOR,
	HOLD_FLAGS,
	HOLD_PREDICATE,
	HOLD_LOAD, /* queue entries */
	HOLD_STORE,
	HOLD_REORDER, /* buffer entries */
	HOLD_COUNT
};

/*
 * Counts of what is held in one word: nine bits each, the last has ten. They are biased, so that
 * the highest bit is set when it is more than there is.
 */
#define HOLD_SHIFT(hold) (9 * (hold))
#define HOLD_ONE(hold)   (1ull << HOLD_SHIFT(hold))
#define HOLD_FULL(hold)  (((hold) == HOLD_REORDER ? 512ull : 256ull) << HOLD_SHIFT(hold))
#define HOLDS_FULL       0x8020100804020100ull
/* All but store queue entries: what retirement gives back. */
#define HOLDS_RETIRED (~(0x1ffull << HOLD_SHIFT(HOLD_STORE)))
/* The most there can be of each; what one operation takes goes on top. */
#define HOLD_MAX         240
#define HOLD_REORDER_MAX 448

/* Why a backend-stalled cycle's first operation could not dispatch. */
enum blocker {
	/* enum hold, and */
	BLOCK_QUEUE = HOLD_COUNT /* + the issue queue */
};

/* What the oldest unfinished operation waits for. */
enum blame { BLAME_CORE, BLAME_L1D, BLAME_MEM, BLAME_TLB, BLAME_STORE, BLAME_COUNT };

/* Why nothing is there to rename. */
enum starve { STARVE_FLOW, STARVE_FLUSH, STARVE_TLB, STARVE_L1I, STARVE_MEM, STARVE_COUNT };

enum op_flag {
	OP_CHUNK = 1 << 0,     /* first of a fetch chunk, wherever the block was entered */
	OP_COMMIT = 1 << 1,    /* has stores that leave after it retires */
	OP_FOR_STORE = 1 << 2, /* prefetches to write */
	OP_FLUSH = 1 << 3,     /* isb: what follows is fetched anew */
	OP_MORE = 1 << 4,      /* more than one operation */
};

/* How it executes. */
enum op_path {
	PATH_PLAIN, /* one pipelined piece, three sources, two targets at most */
	PATH_LOAD,  /* one plain access */
	PATH_STORE,
	PATH_OTHER,
};

enum { OP_SOURCES = 8, OP_TARGETS = 4, OP_ADDRESS_SOURCES = 2 };

/* An instruction as the hot loop wants it; what plain ones need comes first. */
struct op {
	uint64_t queued;    /* a byte a queue: issue queue entries that it takes */
	uint32_t ports;     /* of its first piece */
	uint8_t flags;      /* enum op_flag */
	uint8_t path;       /* enum op_path */
	uint8_t operations; /* slots */
	uint8_t latency;
	uint64_t holds;              /* what it holds, as in core.held */
	uint8_t sources[OP_SOURCES]; /* of core.ready; for memory, the first two are the address's
				      */
	uint8_t targets[OP_TARGETS];
	uint8_t base;         /* written-back base */
	uint8_t load_extra;   /* cycles of latency beyond the memory's */
	uint16_t memory;      /* enum insn_memory_flag */
	uint32_t data_ports;  /* of a store's data */
	uint32_t extra_ports; /* of the base's or index's piece; 0 without one */
	uint8_t queue;        /* its issue queue */
	uint8_t class;
	uint8_t pieces;      /* of its class that are not .extra_ports' */
	uint8_t accumulator; /* index of core.ready, READY_ALWAYS without one */
	uint8_t accesses;    /* that it makes, if it makes any */
	uint8_t stores;      /* store queue entries that it takes */
};

/* Counts of speculatively executed kinds: a lane for each bit of enum insn_kind, then these. */
#define KIND_BITS 27
enum { LANE_FIXED_OPS = KIND_BITS, LANE_SCALE_OPS, LANE_BRANCHES, LANE_COUNT = 32 };

typedef uint16_t lanes __attribute__((vector_size(2 * LANE_COUNT)));

/* struct block.model */
struct prepared {
	lanes kinds;         /* of all instructions */
	uint32_t operations; /* of all instructions */
	uint16_t count;
	uint16_t largest; /* lane, the bound of what one execution adds */
	uint8_t branch;   /* enum insn_branch_kind of the last instruction */
	bool whole;       /* .kinds holds it all */
	struct op ops[];
};

/* What an operation waits for while it is the oldest: `first` until a cycle, then `then`. */
struct wait {
	uint64_t sequence; /* of the operation that this is about */
	uint64_t until;
	uint8_t first, then; /* enum blame */
};

/* Issue queue entries that become free beyond the calendar. */
struct late_departure {
	uint64_t cycle;
	uint64_t departed;
};

/*
 * When a port is kept busy by operations that are not pipelined: intervals of cycles in ascending
 * order, with gaps between them for others of the kind, which may be younger but ready earlier.
 */
#define BUSY_INTERVALS 16
struct busy_port {
	uint64_t from[BUSY_INTERVALS];
	uint64_t until[BUSY_INTERVALS];
	unsigned count;
};

/* A result that the next operation of its class can have early, as its accumulator. */
struct early_result {
	uint64_t ready;
	uint64_t early;
	uint8_t class;
};

/* What an operation on memory did, for who watches: of several accesses, the slowest. */
struct seen {
	uint64_t issue; /* cycle; also of operations that are not plain */
	uint64_t address;
	struct memory_result result; /* a load's, or a store's translation */
	struct memory_result stored; /* when it left for L1D */
	bool forwarded;              /* its data came from an older store */
};

/* A store that a younger load may hit: what it has of 8 aligned bytes. */
#define FORWARD_ENTRIES 128
struct forward {
	uint64_t granule; /* address / 8 */
	uint64_t ready;   /* its data is there */
	uint64_t gone;    /* it is in L1D */
	uint8_t bytes;    /* bit mask */
};

/* The stores of the operation at hand, which leave when it has retired. */
#define COMMITS_MAX 64
struct commit {
	uint64_t address;
	uint32_t bytes;
};

struct core {
	/* What every operation touches. */
	uint64_t cycle;        /* of dispatch */
	uint64_t used;         /* slots of it */
	uint64_t slots;        /* that it has */
	uint64_t occupied;     /* a byte a queue: 127 - its entries + those taken */
	uint64_t sequence;     /* operations dispatched that retire */
	uint64_t last_retired; /* cycle of the last one's retirement */
	uint64_t held;         /* of each enum hold: what is held, and the bias */
	uint64_t available;    /* cycle at which the fetched chunk can be renamed */

	/* Reorder buffer, by sequence. `head` may lag behind: what is older has given back. */
	uint64_t head;
	uint64_t reorder_entries;
	uint64_t reorder_mask; /* of the part of the rings in use */
	uint64_t retire_width;
	uint64_t retired[REORDER_RING]; /* cycle */
	uint64_t dispatched[REORDER_RING];
	uint64_t holds[REORDER_RING];    /* what it gives back when it retires */
	struct wait waits[REORDER_RING]; /* only of those that wait for something */

	/* Backend. */
	uint64_t ready[READY_COUNT];
	uint64_t memory_floor; /* younger memory accesses wait for it */
	uint64_t loads_done;   /* all loads so far */
	uint64_t stores_gone;  /* all stores so far are in L1D */
	uint64_t release_gone; /* last store-release */
	uint64_t store_left;   /* last store's cycle of leaving for the store buffer */
	uint64_t calendar[CALENDAR_CYCLES];
	struct early_result early[READY_COUNT];
	struct busy_port busy[PORTS_MAX];
	struct forward forwards[FORWARD_ENTRIES];
	uint64_t left[STORE_RING]; /* by store: cycle at which it leaves the store queue */
	uint64_t left_sequence, left_head;
	uint64_t *buffered; /* ring of the store buffer: cycle at which an entry is free */
	uint64_t buffer_sequence;
	uint32_t buffer_mask;
	uint32_t buffer_entries;
	unsigned load_latency; /* of a plain integer load that hits L1D */
	struct commit commits[COMMITS_MAX];
	unsigned commit_count;
	uint64_t commit_ready;
	struct late_departure *late;
	unsigned late_count;
	uint64_t late_sweep; /* cycle by which the late ones must be looked at */

	/* Frontend. */
	uint64_t predict; /* cycle of the next prediction */
	uint64_t fetched; /* last chunk's cycle of fetch */
	uint64_t *chunks; /* ring of the cycles at which chunks were fetched */
	uint64_t chunk_sequence;
	uint64_t resume;      /* address that the current chunk goes on with, if not aligned */
	uint64_t flush_until; /* starved cycles before it are a flush's */
	uint64_t unstalled;   /* chunk would have been available but for memory */
	uint64_t translated;  /* and but for what comes after translation */
	uint8_t fetch_starve; /* enum starve of what comes after that */
	uint32_t chunk_mask;
	uint32_t fetch_ahead;
	uint32_t fetch_queue;
	uint32_t frontend_cycles;
	uint32_t mispredict_cycles;
	uint32_t fetch_latency; /* of an L1I hit */

	/* Accounts. */
	uint64_t lost_frontend; /* slots */
	uint64_t lost_backend;
	uint64_t starved[STARVE_COUNT];        /* cycles */
	uint64_t stalled[BLAME_COUNT];         /* cycles, by blame */
	uint64_t renaming[HOLD_PREDICATE + 1]; /* of stalled[BLAME_CORE]: no such register */
	uint64_t reorder_full;                 /* of stalled[BLAME_CORE] */
	uint64_t queue_full[QUEUES_MAX];       /* of all stalled */
	uint64_t instructions;                 /* retired */
	uint64_t wrong_instructions, wrong_operations;
	uint64_t wrong_unknown; /* of these, of code never seen */
	uint64_t wrong_taken;
	uint64_t branches[BRANCH_EXCEPTION + 1][2][2]; /* kind, taken, mispredicted */
	uint64_t exceptions, supervisor_calls, flushes, isb_flushes;
	uint64_t loads, stores, load_crossings, store_crossings;
	uint64_t load_cycles; /* the sum over the loads of how long each was under way */
	lanes recent;         /* kinds, not yet in .kinds */
	int32_t room;         /* until a lane of .recent could overflow */
	uint64_t kinds[LANE_COUNT];

	struct watch *watch; /* NULL: nothing samples */
	struct seen seen;

	const struct core_params *params;
	struct memory *memory;
	struct predictor *predictor;
	core_find_block *find_block;
	void *find_user;
	uint64_t *counts; /* EVENT_COUNT, the caller's */
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A block's accesses that are yet to be made. */
struct cursor {
	const struct block *block;
	const struct access *next, *end;
};

/* account.c: what happens to slots until the cycle `until`, to which dispatch advances */
void account_starved(struct core *core, uint64_t until);
void account_unknown(struct core *core, uint64_t until);
void account_stalled(struct core *core, uint64_t until, unsigned blocker);
void account_kinds(struct core *core, const struct insn *insn);
void account_recent(struct core *core);
void account_prepared(struct core *core, const struct block *block, unsigned executed);
/* Which parts of the counts, a bit each, have to be settled for an event's to be right; settles. */
uint32_t account_parts_of(struct core *core, enum model_event event);
void account_settle(struct core *core, uint32_t wanted);

/* backend.c, loadstore.c: executes the operation dispatched in core.cycle; when it is done. */
uint64_t execute_other(struct core *core, const struct op *op, struct cursor *cursor);
uint64_t execute_load(struct core *core, const struct op *op, struct cursor *cursor);
uint64_t execute_store(struct core *core, const struct op *op, struct cursor *cursor);
uint64_t execute_memory(struct core *core, const struct op *op, struct cursor *cursor);
uint64_t issue_pieces(struct core *core, const struct op *op, unsigned first, uint64_t ready);
uint64_t barrier_done(struct core *core, const struct insn *insn);
void commit_stores(struct core *core, const struct op *op, uint64_t pc);

/* frontend.c */
void fetch_chunk(struct core *core, uint64_t pc);
void resolve_branch(struct core *core, const struct block *block, uint64_t next_pc, uint64_t done);
void resolve_watched_branch(struct core *core, const struct block *block, uint64_t next_pc,
			    uint64_t done);
void flush_pipeline(struct core *core, uint64_t at);

/* room.c */
void give_back(struct core *core, uint64_t cycle);
void wait_for_room(struct core *core, const struct op *op);
void dispatch_more(struct core *core, unsigned operations);

/* calendar.c */
void late_departure(struct core *core, uint64_t cycle, uint64_t departed);
void sweep_late(struct core *core);
void advance_to(struct core *core, uint64_t cycle);

#endif
