/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core's parameters: every size, width and latency of the model. model/cores/NAME.json has their
 * values and sources; model/cores/generate.py turns them into constants of these types.
 */
#ifndef MODEL_PARAMS_H
#define MODEL_PARAMS_H

#include "conditions.h"
#include "insn.h"
#include "what_if.h"

#define PORTS_MAX  24 /* issue ports of a core */
#define QUEUES_MAX 8  /* issue queues */
#define PIECES_MAX 6  /* parts of an instruction, on different ports */

/* A part of an instruction: takes one of `ports` for `busy` cycles, `count` times. */
struct piece_params {
	uint32_t ports; /* bit mask */
	uint8_t busy;   /* cycles until the port accepts the next one; 1: pipelined */
	uint8_t count;
};

/* The costs of the instructions of a class. */
struct class_params {
	uint8_t operations;          /* slots at rename */
	uint8_t latency;             /* cycles from issue until others can use the result */
	uint8_t accumulator_latency; /* to the next accumulator; 0: no late forwarding */
	uint8_t queue;               /* issue queue */
	uint8_t piece_count;
	struct piece_params pieces[PIECES_MAX];
	bool serializes;      /* waits for all older ones, and younger ones wait for it */
	uint16_t accumulates; /* class whose accumulator .accumulator_latency is for */
};

/* Cycles, in hundredths: a path may carry several lines in a cycle, or one in a fraction more. */
typedef uint16_t hundredths;

struct cache_params {
	uint32_t bytes;
	uint16_t ways;
	uint16_t line_bytes;
	uint16_t latency; /* cycles from request to data on a hit, added to the level above */
	uint16_t misses;  /* miss buffers */
	hundredths cycles_per_line; /* bandwidth, of each core; L1I: in whole cycles */
};

/* The bandwidth that all cores share: of reads from the system cache, and of DRAM. */
struct socket_params {
	hundredths llc_cycles_per_line;
	hundredths dram_cycles_per_line;
};

struct tlb_params {
	uint16_t entries;
	uint16_t ways; /* 0: fully associative */
	uint16_t latency;
};

struct predictor_params {
	uint8_t tage_tables;
	uint8_t tage_log2_entries;
	uint8_t tage_bank_bits; /* of the index, which the address alone chooses */
	uint8_t base_log2_entries;
	uint8_t tag_bits;
	uint16_t history[8];     /* bits of global history for each table, ascending */
	uint32_t target_entries; /* branch target buffer */
	uint16_t target_ways;
	uint32_t fast_target_entries; /* taken without a bubble */
	uint16_t pair_target_entries; /* taken together with the branch that follows; 0: none is */
	uint16_t indirect_log2_entries;
	uint8_t return_entries;
	uint8_t taken_bubble;    /* cycles lost at a taken branch found only in the large buffer */
	uint8_t decode_redirect; /* cycles lost at a taken branch found only at decode */
};

/* The unit of the Statistical Profiling Extension, as described by PMSIDR_EL1 and PMBIDR_EL1. */
struct spe_params {
	bool instructions;     /* ArchInst: samples instructions instead of operations */
	bool random_at_end;    /* ERnd: randomizes the sample, not the interval */
	bool data_source;      /* LDS */
	bool previous_target;  /* PBT */
	bool branch_kinds;     /* CRR: distinguishes calls and returns */
	bool fp_kinds;         /* FPF: distinguishes floating-point and SIMD operations */
	bool l2_events;        /* FEAT_SPEv1p4: events 19 and 20 */
	uint16_t min_interval; /* Interval: recommended minimum */
	uint8_t count_bits;    /* CountSize: counters saturate */
	uint8_t record_bytes;  /* MaxSize: size and alignment of a record */
};

/*
 * Tells whether all `bytes` from `address` on are mapped, and to no file: then they are in a huge
 * page. Asked once for each, when it is first touched.
 */
typedef bool core_is_anonymous(uint64_t address, uint64_t bytes);

/* Compares that are one operation with the conditional branch right behind them. */
enum fused_compares {
	FUSED_NONE,
	FUSED_COMPARES /* cmp, cmn */,
	FUSED_TESTS /* tst, bics to zero, too */
};

struct core_params {
	const char *name; /* "neoverse-n3" */
	const char *spec; /* id of its telemetry specification, "neoverse-n3-r0p0" */
	uint32_t midr;
	const char *features; /* as Linux names them in /proc/cpuinfo */
	/* Those that it has as well, but that Linux lists only where the machine uses them; "none".
	 */
	const char *unlisted_features;
	const char *engine_cpu; /* QEMU's nearest CPU, in the versions that have it */
	uint32_t frequency_mhz;
	uint16_t vector_bytes; /* of SVE's; Advanced SIMD's have 16 */
	bool sve;              /* has SVE; otherwise programs are told that there is none */
	uint32_t page_bytes;

	uint8_t slots;             /* as the specification counts them */
	uint8_t rename_width;      /* operations per cycle, of rename and dispatch */
	uint8_t rename_group;      /* operations that dispatch once there is room for all of them */
	uint8_t fused_compares;    /* enum fused_compares */
	uint8_t fetch_bytes;       /* per cycle */
	uint8_t fetch_queue;       /* operations between fetch and rename */
	uint8_t fetch_ahead;       /* chunks by which the predictor may run ahead of fetch */
	uint8_t predict_chunks;    /* chunks in a row that are predicted per cycle */
	uint8_t frontend_cycles;   /* fetch to rename */
	uint8_t mispredict_cycles; /* minimum, from a branch's resolution to right-path rename */
	uint8_t recovery_cycles;   /* of these, the first that count as stalled by the backend */
	uint16_t reorder_entries;
	uint8_t retire_width;
	uint16_t int_registers; /* rename registers beyond the architectural ones */
	uint16_t vector_registers;
	uint16_t flag_registers;
	uint16_t predicate_registers;
	uint16_t queue_entries[QUEUES_MAX];
	const char *queue_names[QUEUES_MAX]; /* several may have the same name */
	uint32_t queue_ports[QUEUES_MAX];    /* its operations issue to these alone; 0: to any */
	uint8_t queue_count;
	const char *port_names[PORTS_MAX];
	uint8_t port_count;
	uint16_t load_entries;
	uint16_t store_entries;
	uint16_t store_buffer_entries; /* retired stores not yet in L1D */
	uint8_t forward_latency;       /* from a store's data to the load that it forwards to */
	uint8_t forward_failed;        /* likewise, if the store cannot forward; at least */
	uint8_t forward_failed_lines;  /* likewise, to a load that crosses lines */
	uint8_t load_line_cycles;      /* that a load takes longer if it crosses lines of a page */
	uint8_t load_page_cycles;      /* likewise, pages */
	uint8_t store_page_cycles;     /* between stores that each cross a page */

	struct cache_params l1i, l1d, l2, llc;
	uint16_t dram_latency;           /* cycles beyond the system cache */
	hundredths dram_cycles_per_line; /* bandwidth, of each core */
	struct socket_params socket;
	uint16_t peer_latency; /* cycles for a line that is dirty in another core's cache */
	uint16_t line_hold; /* cycles for which a line that was fetched stays, if others want it */
	struct tlb_params l1i_tlb, l1d_tlb, l2_tlb;
	struct tlb_params walk_cache; /* addresses of page tables, of any level */
	uint16_t walk_latency;        /* cycles of each step of a walk, added to the read of L2 */
	uint8_t walkers;
	uint8_t prefetch_streams;     /* L1D stride prefetcher */
	uint8_t prefetch_distance;    /* lines ahead */
	uint8_t l2_prefetch_lines;    /* L2's prefetcher: lines fetched for each of L1's requests */
	uint8_t l2_prefetch_distance; /* of a stream of data: lines ahead */
	uint16_t write_stream_lines;  /* full lines in a row after which stores bypass L1D */
	struct predictor_params predictor;
	struct spe_params spe;
	struct class_params classes[CLASS_COUNT];
	uint16_t ideal; /* enum ideal: parts of a shadow core that are perfect; 0: a real core */
	core_is_anonymous *is_anonymous; /* NULL: no memory is in huge pages */
	struct core_conditions conditions;
};

/* Returns the i-th core of the model; NULL past the end. */
extern const struct core_params *const model_cores[];
const struct core_params *model_core_find(const char *name);

#endif
