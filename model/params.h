/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core's parameters: every size, width and latency of the model. They are data, in
 * model/cores/NAME.json, each with its source; model/cores/generate.py compiles them into
 * constants of these types.
 */
#ifndef MODEL_PARAMS_H
#define MODEL_PARAMS_H

#include "insn.h"

#define PORTS_MAX  24 /* issue ports of a core */
#define QUEUES_MAX 5  /* issue queues */
#define PIECES_MAX 4  /* parts of one instruction that go to different ports */

/* One part of an instruction: needs one of `ports` for `busy` cycles; made `count` times. */
struct piece_params {
	uint32_t ports; /* bit mask */
	uint8_t busy;   /* cycles until the port takes the next one; 1: pipelined */
	uint8_t count;
};

/* What the instructions of one class cost. */
struct class_params {
	uint8_t operations;          /* slots at rename */
	uint8_t latency;             /* cycles from issue to a result that others can use */
	uint8_t accumulator_latency; /* to the next one's accumulator operand; 0: no late forwarding
				      */
	uint8_t queue;               /* issue queue */
	uint8_t piece_count;
	struct piece_params pieces[PIECES_MAX];
	bool serializes; /* waits until all older ones are done, and younger ones wait */
};

struct cache_params {
	uint32_t bytes;
	uint16_t ways;
	uint16_t line_bytes;
	uint16_t latency; /* cycles from request to data, on a hit, beyond the level above */
	uint16_t misses;  /* miss buffers */
	uint16_t cycles_per_line; /* bandwidth: a line each so many cycles */
};

struct tlb_params {
	uint16_t entries;
	uint16_t ways; /* 0: fully associative */
	uint16_t latency;
};

struct predictor_params {
	uint8_t tage_tables;
	uint8_t tage_log2_entries;
	uint8_t base_log2_entries;
	uint8_t tag_bits;
	uint16_t history[8];     /* bits of global history, one a table, ascending */
	uint32_t target_entries; /* branch target buffer */
	uint16_t target_ways;
	uint32_t fast_target_entries; /* taken without a bubble */
	uint16_t indirect_log2_entries;
	uint8_t return_entries;
	uint8_t taken_bubble;    /* cycles lost at a taken branch that only the large buffer has */
	uint8_t decode_redirect; /* cycles lost when decode finds a taken branch no buffer had */
};

/* The Statistical Profiling Extension's unit, as PMSIDR_EL1 and PMBIDR_EL1 tell it. */
struct spe_params {
	bool instructions;     /* ArchInst: samples instructions; else operations */
	bool random_at_end;    /* ERnd: chance moves the sample, not the interval */
	bool data_source;      /* LDS */
	bool previous_target;  /* PBT */
	bool branch_kinds;     /* CRR: calls and returns are told apart */
	bool fp_kinds;         /* FPF: other operations are told floating-point or SIMD */
	bool l2_events;        /* FEAT_SPEv1p4: events 19 and 20 */
	uint16_t min_interval; /* Interval: the shortest recommended */
	uint8_t count_bits;    /* CountSize: counters saturate */
	uint8_t record_bytes;  /* MaxSize: of a record, and its alignment */
};

struct core_params {
	const char *name; /* "neoverse-n3" */
	const char *spec; /* id of its telemetry specification, "neoverse-n3-r0p0" */
	uint32_t midr;
	uint32_t frequency_mhz;
	uint16_t vector_bytes;
	uint16_t page_bytes;

	uint8_t slots;             /* rename and dispatch width; must equal the specification's */
	uint8_t fetch_bytes;       /* a cycle */
	uint8_t fetch_queue;       /* operations between fetch and rename */
	uint8_t fetch_ahead;       /* fetch blocks the predictor may run ahead of fetch */
	uint8_t frontend_cycles;   /* fetch to rename */
	uint8_t mispredict_cycles; /* resolution of a branch to right-path operations at rename, at
				      the least */
	uint16_t reorder_entries;
	uint8_t retire_width;
	uint16_t int_registers; /* rename registers beyond the architectural ones */
	uint16_t vector_registers;
	uint16_t flag_registers;
	uint16_t predicate_registers;
	uint16_t queue_entries[QUEUES_MAX];
	const char *queue_names[QUEUES_MAX];
	uint8_t queue_count;
	const char *port_names[PORTS_MAX];
	uint8_t port_count;
	uint16_t load_entries;
	uint16_t store_entries;
	uint16_t store_buffer_entries; /* retired stores on their way to L1D */
	uint8_t forward_latency;       /* store to load */

	struct cache_params l1i, l1d, l2, llc;
	uint16_t dram_latency; /* cycles beyond the system cache */
	uint16_t dram_cycles_per_line;
	uint16_t peer_latency; /* a line that another core's cache holds dirty */
	struct tlb_params l1i_tlb, l1d_tlb, l2_tlb;
	uint16_t walk_latency; /* a step of a walk that hits the L2 cache counts as a load; this is
				  added */
	uint8_t walkers;
	uint8_t prefetch_streams;    /* L1D stride prefetcher */
	uint8_t prefetch_distance;   /* lines ahead */
	uint8_t l2_prefetch_lines;   /* next-line prefetch into L2 */
	uint16_t write_stream_lines; /* full lines stored in a row until stores stop allocating in
					L1D */
	struct predictor_params predictor;
	struct spe_params spe;
	struct class_params classes[CLASS_COUNT];
};

/* The cores that the model has, by name; NULL past the end. */
extern const struct core_params *const model_cores[];
const struct core_params *model_core_find(const char *name);

#endif
