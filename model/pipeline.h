/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the core model, private to its files. Times are cycles of the core. Resources
 * released in order are counted, and released by following the operations' retirement cycles.
 * Resources that may be released out of order (issue queues, ports) have a calendar of cycles.
 * doc/model.md explains how they work together.
 */
#ifndef MODEL_PIPELINE_H
#define MODEL_PIPELINE_H

#include <stddef.h>

#include "core.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/*
 * The calendar covers this many cycles from dispatch on, a power of two. Each cycle has a bit for
 * each port that is taken, and a byte for each issue queue: the number of entries that become free.
 */
#define CALENDAR_CYCLES    512
#define CALENDAR_GROUP     8 /* cycles, aligned, that share a bit of core.marked */
#define QUEUE_SHIFT(queue) (8 * (queue))
#define QUEUE_ENTRY(queue) (1ull << QUEUE_SHIFT(queue))
/* The bits that are set in the bytes of queues that are overfull. */
#define QUEUES_FULL       0x8080808080808080ull
#define QUEUE_ENTRIES_MAX 127

/* Number of operations remembered, by sequence. A power of two. */
#define REORDER_RING     512
#define REORDER_RING_MAX 8192 /* of a shadow whose reorder buffer is unlimited */
#define STORE_RING       512
/* Operations that such a buffer holds. The count of entries in core.held wraps around meanwhile. */
#define REORDER_UNLIMITED (REORDER_RING_MAX - 1024)

/* Instructions executed by the load-store unit. */
#define MEM_ANY (MEM_LOAD | MEM_STORE | MEM_PREFETCH)

/* Besides the registers: a source that is always ready, and a target that nobody reads. */
enum { READY_ALWAYS = REG_COUNT, READY_NOWHERE, READY_COUNT };

/* Resources held from dispatch to retirement; store queue entries until the store leaves. */
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
 * All counts of resources held are in one word: nine bits each, ten for the last. They are biased,
 * so that the highest bit is set if more is held than exists.
 */
#define HOLD_SHIFT(hold) (9 * (hold))
#define HOLD_ONE(hold)   (1ull << HOLD_SHIFT(hold))
#define HOLD_FULL(hold)  (((hold) == HOLD_REORDER ? 512ull : 256ull) << HOLD_SHIFT(hold))
#define HOLDS_FULL       0x8020100804020100ull
/* Resources released at retirement: all but store queue entries. */
#define HOLDS_RETIRED (~(0x1ffull << HOLD_SHIFT(HOLD_STORE)))
/* The maximum of each resource, leaving room for what one operation takes. */
#define HOLD_MAX         240
#define HOLD_REORDER_MAX 448

/* Why the first operation of a backend-stalled cycle could not dispatch. */
enum blocker {
	/* enum hold, and */
	BLOCK_SERIALIZED = HOLD_COUNT, /* an older one goes alone */
	BLOCK_QUEUE                    /* + the issue queue */
};

/* What the oldest unfinished operation waits for. */
enum blame { BLAME_CORE, BLAME_L1D, BLAME_MEM, BLAME_TLB, BLAME_STORE, BLAME_COUNT };

/* Why there is nothing to rename. */
enum starve { STARVE_FLOW, STARVE_FLUSH, STARVE_TLB, STARVE_L1I, STARVE_MEM, STARVE_COUNT };

enum op_flag {
	OP_COMMIT = 1 << 0,      /* has stores, which leave after it retires */
	OP_FOR_STORE = 1 << 1,   /* prefetches for writing */
	OP_FLUSH = 1 << 2,       /* isb: younger instructions are fetched again */
	OP_MORE = 1 << 3,        /* more than one operation */
	OP_ACCUMULATES = 1 << 4, /* would be plain but for an accumulator */
	OP_FUSED = 1 << 5,       /* a compare: the branch behind it is one operation with it */
	OP_FUSES = 1 << 6,       /* such a branch */
};

/* How an operation executes. */
enum op_path {
	PATH_PLAIN,   /* one pipelined piece, at most three sources and two targets */
	PATH_RENAMED, /* likewise, without a piece */
	PATH_LOAD,    /* one plain access */
	PATH_STORE,
	PATH_OTHER,
};

enum { OP_SOURCES = 8, OP_TARGETS = 4, OP_ADDRESS_SOURCES = 2 };

/* An instruction, prepared for the hot loop; members used by plain ones come first. */
struct op {
	uint64_t
		queued; /* issue queue entries that it takes, a byte per queue; not if core.binds */
	uint32_t ports; /* of its first piece */
	uint8_t flags;  /* enum op_flag */
	uint8_t path;   /* enum op_path */
	uint8_t operations; /* slots; 0 if it is fused with the next one */
	uint8_t latency;
	uint64_t holds;              /* resources that it holds, as in core.held */
	uint8_t sources[OP_SOURCES]; /* indexes into core.ready; address sources first */
	uint8_t targets[OP_TARGETS];
	uint8_t base;         /* written-back base */
	uint8_t load_extra;   /* cycles of latency added to the memory's */
	uint16_t memory;      /* enum insn_memory_flag */
	uint32_t data_ports;  /* ports for a store's data */
	uint32_t extra_ports; /* ports for the piece of base or index; 0 without one */
	uint16_t class;
	uint8_t queue;       /* its issue queue */
	uint8_t pieces;      /* pieces of its class, without that of .extra_ports */
	uint8_t accumulator; /* index into core.ready, or READY_ALWAYS */
	uint8_t accesses;    /* number of accesses, if it makes any */
	uint8_t stores;      /* store queue entries */
	uint8_t spread;      /* cycles between its first and its last piece, if no port is taken */
	uint8_t queues[PIECES_MAX]; /* in which each piece may wait, as bit masks: queues.c */
} __attribute__((aligned(64)));

/* Counts of speculatively executed kinds: a lane for each bit of enum insn_kind, then these. */
#define KIND_BITS 27
enum { LANE_FIXED_OPS = KIND_BITS, LANE_SCALE_OPS, LANE_BRANCHES, LANE_COUNT = 32 };

typedef uint16_t lanes __attribute__((vector_size(2 * LANE_COUNT)));

/* struct block.model */
struct prepared {
	lanes kinds;         /* of all instructions */
	uint32_t operations; /* of all instructions */
	uint16_t count;
	uint16_t largest; /* largest lane: the most that one execution adds */
	uint8_t branch;   /* enum insn_branch_kind of the last instruction */
	bool whole;       /* .kinds is complete */
	bool predicated;  /* some instructions have a governing predicate */
	bool replayable;  /* what it does can be remembered: memo.h */
	uint64_t serial;  /* no other block has had it */
	struct op ops[];
};

/* What an operation waits for while it is the oldest: `first` until a cycle, then `then`. */
struct wait {
	uint64_t sequence; /* of the operation that waits */
	uint64_t until;
	uint8_t first, then; /* enum blame */
	bool unforwarded;    /* for stores that could not forward to it */
	uint8_t mixed;       /* of WAIT_PARTS until then are for `first`, the others for `then` */
};

#define WAIT_PARTS 128

/* Returns how many of the cycles of a mixed wait are for its `first` cause; they are spread evenly.
 */
static inline uint64_t wait_for_first(const struct wait *wait, uint64_t from, uint64_t to)
{
	return (wait->until - from) * wait->mixed / WAIT_PARTS -
	       (wait->until - to) * wait->mixed / WAIT_PARTS;
}

/* Issue queue entries that become free beyond the calendar. */
struct late_departure {
	uint64_t cycle;
	uint64_t departed;
};

/*
 * When operations that are not pipelined keep a port busy: intervals of cycles in ascending order.
 * The gaps are free for other such operations, which may be younger but ready earlier.
 */
#define BUSY_INTERVALS 16
struct busy_port {
	uint64_t from[BUSY_INTERVALS];
	uint64_t until[BUSY_INTERVALS];
	unsigned count;
};

/* A result that the next operation of its class can use early, as its accumulator. */
struct early_result {
	uint64_t ready;
	uint64_t early;
	uint16_t class;
};

/* What a memory operation did, for watchers: of several accesses, the slowest. */
struct seen {
	uint64_t issue; /* cycle; also of operations that are not plain */
	uint64_t address;
	struct memory_result result; /* a load's, or a store's translation */
	struct memory_result stored; /* a store's write to L1D */
	bool forwarded;              /* its data came from an older store */
};

/*
 * The last stores, by number, from which younger loads may get their data; and for 8 aligned bytes
 * the two youngest stores that have some of them.
 */
#define RECENT_STORES   128
#define FORWARD_ENTRIES 128
#define FORWARD_STORES  2 /* at most, to one load */
struct recent_store {
	uint64_t number; /* from 1 */
	uint64_t address;
	uint64_t ready; /* cycle at which its data is available */
	uint64_t gone;  /* cycle at which it is in L1D */
	uint32_t bytes;
};
struct forward {
	uint64_t granule;                /* address / 8 */
	uint64_t stores[FORWARD_STORES]; /* numbers, youngest first */
	uint8_t bytes[FORWARD_STORES];   /* bit masks: which bytes are the store's */
};

/* The stores of the current operation, which leave after it retires. */
#define COMMITS_MAX 64
struct commit {
	uint64_t address;
	uint32_t bytes;
};

/* A second port for each port, with a calendar as of the first ones. */
struct extra_ports {
	uint64_t cycle[CALENDAR_CYCLES]; /* that `taken` is about, plus one */
	uint32_t taken[CALENDAR_CYCLES];
	struct busy_port busy[PORTS_MAX];
};

/* Whether the host should be told of accesses to a cache of the first level. */
struct expecting {
	uint64_t refills; /* of the cache when it was last asked */
	unsigned calls;   /* for which accesses may miss */
};

/* core_add_shadow() */
struct shadow {
	uint64_t *cycles, *latest;
	uint64_t *counts; /* the shadow's own */
};

/*
 * A member that blocks read and change belongs to a state in memo_state.c, too, and a counter of
 * theirs to those of memo_record.c. Who uses others between blocks calls memo_leave() first:
 * memo.h.
 */
struct core {
	/* Used by every operation. */
	uint64_t cycle;     /* of dispatch */
	uint64_t used;      /* slots used in that cycle */
	uint64_t slots;     /* slots per cycle */
	uint64_t width;     /* operations per cycle, which may be fewer */
	uint64_t group;     /* operations that wait for room together */
	uint64_t held_none; /* `held` and `occupied` of an empty core */
	uint64_t occupied_none;
	uint64_t occupied;     /* a byte per queue: 127 - its entries + those taken */
	uint64_t sequence;     /* number of operations dispatched, without the wrong path */
	uint64_t last_retired; /* cycle of the last retirement */
	uint64_t held;         /* for each enum hold: the number held, plus the bias */
	uint64_t available;    /* cycle at which the fetched chunk can be renamed */
	uint64_t queued;       /* issue queue entries of the operation that dispatched last */
	uint32_t bound;        /* ports that it can issue to */
	uint32_t unqueued;     /* ports that no queue belongs to */
	bool binds;            /* queues belong to ports: queues.c */

	/* Reorder buffer, by sequence. Operations before `head`, which may lag, are released. */
	uint64_t head;
	uint64_t reorder_entries;
	uint64_t reorder_mask; /* of the part of the rings in use */
	uint64_t retire_width;
	uint64_t last_wait;     /* the last operation with an entry in .waits */
	bool reorder_unlimited; /* a shadow's, but for the rings' length */

	/* Backend. */
	uint64_t ready[READY_COUNT];
	uint64_t memory_floor; /* cycle that younger memory accesses wait for */
	uint64_t loads_done;   /* cycle at which all loads so far are done */
	uint64_t stores_gone;  /* cycle at which all stores so far are in L1D */
	uint64_t release_gone; /* likewise for the last store-release */
	uint64_t store_left;   /* cycle at which the last store left for the store buffer */
	uint32_t taken[CALENDAR_CYCLES];      /* the calendar: ports */
	uint64_t departures[CALENDAR_CYCLES]; /* and entries that become free */
	uint64_t marked; /* groups of its cycles in which anything may be, a bit for each */
	struct early_result early[READY_COUNT];
	uint32_t family[PORTS_MAX]; /* for each port, all that can take over its work */
	uint32_t scarce; /* ports of the last operation in each family that cannot use all of it */
	struct busy_port busy[PORTS_MAX];
	struct recent_store recent_stores[RECENT_STORES];
	struct forward forwards[FORWARD_ENTRIES];
	uint64_t left[STORE_RING]; /* cycle at which each store leaves the store queue */
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
	uint64_t late_sweep; /* cycle by which sweep_late() must run */

	/* Frontend. */
	uint64_t predict; /* cycle of the next prediction */
	uint64_t fetched; /* cycle of the last chunk's fetch */
	uint64_t *chunks; /* ring of the cycles at which chunks were fetched */
	uint64_t chunk_sequence;
	uint64_t resume;      /* address at which the current chunk continues */
	uint64_t chunk_end;   /* address behind the current chunk */
	uint64_t line_filled; /* cycle at which the last line missing in L1I was there */
	uint64_t flush_until; /* starved cycles before it are due to a flush */
	uint64_t unstalled;   /* when the chunk would be available without misses */
	uint64_t translated;  /* likewise, without misses after translation */
	uint8_t fetch_starve; /* enum starve: the cause after that */
	uint64_t bubbles;     /* cycles that prediction lost to taken branches */
	uint64_t paired;      /* chunks that were fetched in the same cycle as the one before */
	uint8_t pairs;        /* 1: the next chunk can be one of these */
	uint8_t second;       /* 1: the current chunk is one */
	uint32_t chunk_mask;
	uint32_t fetch_bytes;
	uint32_t fetch_mask;  /* of the part of an address inside a line */
	uint32_t line_cycles; /* from a line missing in L1I to the next one */
	uint32_t fetch_ahead;
	uint32_t predict_chunks;
	uint32_t predicted; /* chunks in a row in the cycle of the last prediction */
	uint32_t fetch_queue;
	uint32_t frontend_cycles;
	uint32_t mispredict_cycles;
	uint32_t recovery_cycles;
	uint32_t fetch_latency; /* of an L1I hit */

	/* Accounting. */
	uint64_t lost_frontend; /* slots */
	uint64_t lost_backend;
	uint64_t starved[STARVE_COUNT];        /* cycles */
	uint64_t stalled[BLAME_COUNT];         /* cycles, by blame */
	uint64_t renaming[HOLD_PREDICATE + 1]; /* part of stalled[BLAME_CORE]: no free register */
	uint64_t reorder_full;                 /* part of stalled[BLAME_CORE] */
	uint64_t *unforwarded;                 /* part of stalled[BLAME_STORE], or NULL */
	uint64_t queue_full[QUEUES_MAX];       /* part of all stalled cycles */
	uint16_t queue_event[QUEUES_MAX];      /* that counts them; EVENT_COUNT: none */
	uint64_t instructions;                 /* retired */
	uint64_t wrong_instructions, wrong_operations;
	uint64_t wrong_unknown; /* those in unknown code */
	uint64_t wrong_taken;
	uint64_t wrong_kinds;                          /* how much of .room wrong paths took */
	uint64_t branches[BRANCH_EXCEPTION + 1][2][2]; /* kind, taken, mispredicted */
	uint64_t exceptions, supervisor_calls, flushes, isb_flushes;
	uint64_t loads, stores, load_crossings, store_crossings;
	uint64_t load_cycles; /* sum of the latencies of all loads */
	lanes recent;         /* kinds not yet added to .kinds */
	int32_t room;         /* left until a lane of .recent could overflow */
	uint64_t kinds[LANE_COUNT];
	uint64_t activities[ACTIVITY_COUNT]; /* of predicated instructions */
	uint8_t last_activity[16];           /* by predicate */
	const uint8_t *activity;             /* the caller's, by instruction; NULL: not known */

	/* conditions.c */
	uint64_t *condition_counts;      /* by enum condition_count, or NULL */
	uint64_t faults_taken;           /* of memory_page_faults() */
	struct wrong_loads *wrong_loads; /* NULL: wrong paths load nothing */
	bool conditioned;                /* each block ends with conditions_of_block() */

	struct wrong_paths *wrong_paths; /* wrong_path.c */

	struct watch *watch;   /* NULL if nothing samples */
	struct exact *exact;   /* NULL if nothing is charged: exact.h */
	struct bounds *bounds; /* NULL if nobody asks which limits coincide: ties.h */
	bool observed;         /* any of them, now */
	struct seen seen;

	struct expecting data, code; /* expect_accesses(), expect_fetch() */

	/* memo.h */
	struct memo *memo; /* NULL: nothing is remembered */
	struct told *told; /* the block is being remembered; or NULL */

	const struct core_params *params;
	struct memory *memory;
	struct predictor *predictor;
	core_find_block *find_block;
	void *find_user;
	const _Atomic uint32_t *blocks_made; /* changes whenever its answers may; or NULL */
	uint64_t *counts;                    /* EVENT_COUNT long, owned by the caller */

	struct shadow shadow;            /* of a shadow: what it is to its core */
	struct core *shadows;            /* the first shadow; of a shadow: the next one */
	struct extra_ports *extra_ports; /* of a shadow with twice the ports, or NULL */

	/* By sequence, as far as .reorder_mask goes. */
	uint64_t retired[REORDER_RING_MAX]; /* cycle */
	uint64_t dispatched[REORDER_RING_MAX];
	uint64_t holds[REORDER_RING_MAX];    /* resources released at retirement */
	struct wait waits[REORDER_RING_MAX]; /* only valid for operations that wait */
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Tell the memory side which accesses come next. The host's caches have little of what the model
 * knows of lines beyond the first level, so that saves time where that misses, and only there.
 */
#define EXPECTING 16 /* calls after a miss */
static inline bool expects(struct expecting *expecting, uint64_t refills)
{
	if (refills != expecting->refills) {
		expecting->refills = refills;
		expecting->calls = EXPECTING;
	}
	if (likely(!expecting->calls))
		return false;
	expecting->calls--;
	return true;
}

static inline void expect_accesses(struct core *core, const struct access *accesses, size_t count)
{
	if (!expects(&core->data, core->counts[EVENT_L1D_CACHE_REFILL]))
		return;
	for (size_t i = 0; i < count; i++)
		memory_expect(core->memory, accesses[i].address);
}

static inline void expect_fetch(struct core *core, uint64_t pc)
{
	if (expects(&core->code, core->counts[EVENT_L1I_CACHE_REFILL]))
		memory_expect_fetch(core->memory, pc);
}

/* The remaining accesses of a block. */
struct cursor {
	const struct block *block;
	const struct access *next, *end;
};

/* account.c */
void account_set_up(struct core *core);
/* account for slots until the cycle `until`, and advance dispatch to it */
void account_starved(struct core *core, uint64_t until);
void account_unknown(struct core *core, uint64_t until);
void account_stalled(struct core *core, uint64_t until, unsigned blocker);
void account_width(struct core *core);
void account_kinds(struct core *core, const struct insn *insn);
void add_kinds(uint64_t kinds[LANE_COUNT], const struct insn *insn);
void account_recent(struct core *core);
void account_prepared(struct core *core, const struct block *block, unsigned executed);
void account_activity(struct core *core, const struct block *block, unsigned from, unsigned to,
		      bool wrong);
/* Counts are updated in parts. Returns a bit for each part that updates this event's. */
uint32_t account_parts_of(struct core *core, enum model_event event);
void account_settle(struct core *core, uint32_t wanted);

/* Settles the counts when a block's kinds have no room left beside those of others. */
static inline void count_room(struct core *core, const struct prepared *prepared)
{
	core->room -= prepared->largest;
	if (unlikely(core->room < 0)) {
		core_counts(core);
		core->room -= prepared->largest;
	}
}

/* Counts executed instructions, for the *_SPEC events. */
static inline void count_kinds(struct core *core, const struct block *block, unsigned executed)
{
	const struct prepared *prepared = block->model;

	core->instructions += executed;
	count_room(core, prepared);
	if (likely(executed == prepared->count && prepared->whole))
		core->recent += prepared->kinds;
	else
		account_prepared(core, block, executed);
	if (unlikely(prepared->predicated))
		account_activity(core, block, 0, executed, false);
}

/* core.c: executes a block as core_execute() does when nothing looks, and nothing is remembered */
void run_plain(struct core *core, const struct block *block, unsigned executed,
	       const struct access *accesses, size_t access_count, uint64_t next_pc);

/* likewise while slots are charged: exact.h; the block has begun for the profile */
void run_charged(struct core *core, const struct block *block, unsigned executed,
		 const struct access *accesses, size_t access_count, uint64_t next_pc);

/* backend.c, loadstore.c: execute the operation dispatched in core.cycle; return when it is done */
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

/* The first cycle from now on in which nothing has dispatched. */
static inline uint64_t first_stalled(const struct core *core)
{
	return core->used ? core->cycle + 1 : core->cycle;
}

struct cycles {
	uint64_t begin, end;
};

/*
 * Returns the cycles from now until `until` in which rename recovers from the last flush: the first
 * recovery_cycles behind it. Nothing dispatches in them. There may be none: begin is end.
 */
struct cycles recovery_until(const struct core *core, uint64_t until);

/*
 * conditions.c. kernel_called(): the kernel executes a system call from a cycle on; returns when it
 * is done. wrong_path_loads(): the wrong path executes the first instructions of a block.
 */
bool conditions_set_up(struct core *core);
void conditions_of_block(struct core *core, const struct block *block,
			 const struct access *accesses, size_t access_count);
uint64_t kernel_called(struct core *core, uint64_t from);
void wrong_path_begins(struct core *core);
void wrong_path_loads(struct core *core, const struct block *block, unsigned count, uint64_t cycle);

/*
 * queues.c: for cores whose queues belong to ports. queues_of() returns those in which a piece may
 * wait, as a bit mask. queues_take() takes entries for all pieces beside those `occupied`, adds the
 * ports to which the pieces can issue then, and returns false if a queue is too full.
 */
unsigned queues_of(const struct core_params *params, const struct piece_params *piece);
bool queues_take(const struct core_params *params, const struct op *op, uint64_t *occupied,
		 uint32_t *ports);
bool queues_bind(struct core *core, const struct op *op);

/* room.c */
void give_back(struct core *core, uint64_t cycle);
void make_room(struct core *core, const struct op *op, const struct op *end);
void wait_for_group(struct core *core, const struct op *op, const struct op *end);
void dispatch_more(struct core *core, unsigned operations);

/* calendar.c */
void late_departure(struct core *core, uint64_t cycle, uint64_t departed);
void sweep_late(struct core *core);
void advance_to(struct core *core, uint64_t cycle);
/* issue_at(), when it has found no open port yet: goes on from `cycle` */
uint64_t issue_later(struct core *core, uint64_t cycle, uint32_t ports, uint64_t departed);
/*
 * Ports are taken in `cycle`, the last one of eight that are aligned in the calendar: returns the
 * last of those eights that follow in which they are taken throughout.
 */
uint64_t skip_taken(const struct core *core, uint64_t cycle, uint32_t ports);

#endif
