/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bench for the core model: a small core whose figures are told here, memory and predictor that
 * do as a test says, and a way to write instructions down. What a test expects follows from these
 * figures on paper.
 */
#ifndef TEST_CORE_BENCH_H
#define TEST_CORE_BENCH_H

#include "check.h"

#include "core.h"

/* Addresses tell what an access meets. */
#define NEAR_L1   0x00010000ull
#define NEAR_L2   0x10000000ull
#define NEAR_DRAM 0x20000000ull
#define NEAR_WALK 0x30000000ull /* L1, after a translation walk */
#define NEAR_BOTH 0x40000000ull /* DRAM, after a translation walk */

#define L2_CYCLES   20
#define DRAM_CYCLES 300
#define WALK_CYCLES 100

/* What the memory does, and the requests it got. */
struct memory {
	const struct core_params *params;
	uint64_t *counts;
};

static struct bench_memory {
	unsigned store_cycles; /* until a store's line is there */
	unsigned loads, stores, translations, prefetches, fetches;
	uint64_t last_load_cycle; /* when the last load began */
	uint64_t last_load_address;
	uint64_t last_store_cycle;
	unsigned last_bytes;
	bool full_line;
	uint64_t page_faults;
} bench_memory;

static void bench_answer(uint64_t cycle, uint64_t address, unsigned bytes, unsigned hit,
			 struct memory_result *result)
{
	*result = (struct memory_result){.translated = cycle, .physical = address};
	if (address >= NEAR_WALK) {
		result->tlb = TLB_WALK;
		result->translated = cycle + WALK_CYCLES;
	}
	if (address >= NEAR_BOTH || (address >= NEAR_DRAM && address < NEAR_WALK)) {
		result->level = LEVEL_DRAM;
		hit += DRAM_CYCLES;
	} else if (address >= NEAR_L2 && address < NEAR_DRAM) {
		result->level = LEVEL_L2;
		hit += L2_CYCLES;
	}
	result->ready = result->translated + hit;
	result->crosses_line = address / 64 != (address + bytes - 1) / 64;
	result->crosses_page = address / 4096 != (address + bytes - 1) / 4096;
}

/*
 * Counts an access or fetch as the memory side does, once for each line, in two events and those of
 * its misses.
 */
static void bench_count(const struct memory *memory, unsigned access, unsigned tlb,
			const struct memory_result *result)
{
	unsigned lines = result->crosses_line ? 2 : 1;
	bool fetch = access == EVENT_L1I_CACHE;

	if (access != EVENT_COUNT)
		memory->counts[access] += lines;
	if (access != EVENT_COUNT && result->level != LEVEL_L1)
		memory->counts[fetch ? EVENT_L1I_CACHE_REFILL : EVENT_L1D_CACHE_REFILL]++;
	if (tlb != EVENT_COUNT)
		memory->counts[tlb] += lines;
	if (tlb != EVENT_COUNT && result->tlb)
		memory->counts[fetch ? EVENT_L1I_TLB_REFILL : EVENT_L1D_TLB_REFILL]++;
}

struct memory *memory_new(struct memory_system *system, const struct core_params *params,
			  uint64_t *counts)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	(void)system;
	if (memory)
		*memory = (struct memory){params, counts};
	bench_memory = (struct bench_memory){.store_cycles = 1};
	return memory;
}

void memory_free(struct memory *memory)
{
	free(memory);
}

bool memory_load(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		 unsigned bytes, bool own, struct memory_result *result)
{
	(void)pc, (void)own;
	bench_memory.loads++;
	bench_memory.page_faults +=
		address >= NEAR_WALK && memory->params->conditions.page_fault_cycles;
	bench_memory.last_load_cycle = cycle;
	bench_memory.last_load_address = address;
	bench_memory.last_bytes = bytes;
	bench_answer(cycle, address, bytes, memory->params->l1d.latency, result);
	bench_count(memory, EVENT_L1D_CACHE_RD, EVENT_L1D_TLB, result);
	return !(result->level | result->tlb | result->crosses_line);
}

void memory_store(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		  unsigned bytes, bool full_line, struct memory_result *result)
{
	(void)pc;
	bench_memory.stores++;
	bench_memory.last_store_cycle = cycle;
	bench_memory.last_bytes = bytes;
	bench_memory.full_line = full_line;
	bench_answer(cycle, address, bytes, bench_memory.store_cycles, result);
	bench_count(memory, EVENT_L1D_CACHE_WR, EVENT_COUNT, result);
}

void memory_translate(struct memory *memory, uint64_t cycle, uint64_t address, unsigned bytes,
		      struct memory_result *result)
{
	bench_memory.translations++;
	bench_answer(cycle, address, bytes, 0, result);
	bench_count(memory, EVENT_COUNT, EVENT_L1D_TLB, result);
}

uint64_t memory_time(const struct memory *memory, uint64_t cycle)
{
	(void)memory;
	return cycle;
}

void memory_wait_until(struct memory *memory, uint64_t cycle, uint64_t time)
{
	(void)memory, (void)cycle, (void)time;
}

void memory_count_moving(struct memory *memory, uint64_t *cycles)
{
	(void)memory, (void)cycles;
}

uint64_t memory_lines_moved(const struct memory *memory)
{
	(void)memory;
	return 0;
}

unsigned memory_take_moves(struct memory *memory, uint64_t *lines, unsigned room)
{
	(void)memory, (void)lines, (void)room;
	return 0;
}

uint64_t memory_line_of(const struct memory *memory, uint64_t address)
{
	(void)memory;
	return address;
}

bool memory_has_moved(const struct memory *memory, uint64_t line)
{
	(void)memory, (void)line;
	return false;
}

/* Each access behind NEAR_WALK is the first one of its page, if that costs anything. */
uint64_t memory_page_faults(const struct memory *memory)
{
	(void)memory;
	return bench_memory.page_faults;
}

bool memory_is_touched(const struct memory *memory, uint64_t address)
{
	(void)memory;
	return address < NEAR_WALK;
}

uint32_t memory_remapped(const struct memory *memory)
{
	(void)memory;
	return 0;
}

void memory_expect(const struct memory *memory, uint64_t address)
{
	(void)memory, (void)address;
}

void memory_expect_fetch(const struct memory *memory, uint64_t address)
{
	(void)memory, (void)address;
}

void memory_prefetch(struct memory *memory, uint64_t cycle, uint64_t address, bool for_store)
{
	(void)memory;
	(void)cycle;
	(void)address;
	(void)for_store;
	bench_memory.prefetches++;
}

bool memory_fetch(struct memory *memory, uint64_t cycle, uint64_t address,
		  struct memory_result *result)
{
	bench_memory.fetches++;
	bench_answer(cycle, address, 1, memory->params->l1i.latency, result);
	bench_count(memory, EVENT_L1I_CACHE, EVENT_L1I_TLB, result);
	return false;
}

void memory_busy(struct memory *memory, struct memory_busy *busy)
{
	(void)memory;
	*busy = (struct memory_busy){0};
}

void memory_settle(const struct memory *memory, uint64_t *counts)
{
	(void)memory;
	counts[EVENT_BUS_CYCLES] = counts[EVENT_CPU_CYCLES];
}

/* The predictor says `next` of every branch, or at each `every`th one `sometimes`. */
static struct bench_predictor {
	uint8_t next, sometimes;
	bool pairs;
	unsigned every, asked;
	uint64_t wrong_path;
	bool last_taken;
	uint64_t last_target;
} bench_predictor;

struct predictor *predictor_new(const struct predictor_params *params)
{
	(void)params;
	bench_predictor = (struct bench_predictor){0};
	return calloc(1, 1);
}

void predictor_free(struct predictor *predictor)
{
	free(predictor);
}

void predictor_branch(struct predictor *predictor, uint64_t pc, unsigned kind, bool taken,
		      uint64_t target, struct predict_outcome *outcome)
{
	(void)predictor;
	(void)pc;
	(void)kind;
	outcome->result = bench_predictor.next;
	outcome->pairs = bench_predictor.pairs;
	if (bench_predictor.every && ++bench_predictor.asked % bench_predictor.every == 0)
		outcome->result = bench_predictor.sometimes;
	outcome->wrong_path = bench_predictor.wrong_path;
	bench_predictor.last_taken = taken;
	bench_predictor.last_target = target;
}

/* The core: 4 slots; 2 integer ports, one of which multiplies; 2 load, 1 store, 1 vector port. */
enum { A0 = 1, M0 = 2, L0 = 4, L1 = 8, D0 = 16, V0 = 32, B0 = 64 };

static struct core_params bench_core(void)
{
	static const struct piece_params alu = {A0 | M0, 1, 1}, mul = {M0, 1, 1}, div = {M0, 12, 1};
	static const struct piece_params ld = {L0 | L1, 1, 1}, two = {L0 | L1, 1, 2};
	static const struct piece_params st = {L0, 1, 1}, data = {D0, 1, 1};
	static const struct piece_params vec = {V0, 1, 1}, branch = {B0, 1, 1};
	struct core_params core = {
		.name = "bench",
		.frequency_mhz = 2000,
		.vector_bytes = 16,
		.page_bytes = 4096,
		.slots = 4,
		.rename_width = 4,
		.rename_group = 1,
		.fetch_bytes = 32,
		.fetch_queue = 32,
		.fetch_ahead = 8,
		.predict_chunks = 1,
		.frontend_cycles = 5,
		.mispredict_cycles = 10,
		.reorder_entries = 64,
		.retire_width = 8,
		.int_registers = 60,
		.vector_registers = 60,
		.flag_registers = 60,
		.predicate_registers = 60,
		.queue_entries = {60, 60, 60, 60},
		.queue_names = {"SX", "MX", "LS", "VX"},
		.queue_count = 4,
		.port_count = 7,
		.load_entries = 60,
		.store_entries = 20,
		.store_buffer_entries = 8,
		.forward_latency = 4,
		.forward_failed = 10,
		.forward_failed_lines = 12,
		.load_line_cycles = 1,
		.load_page_cycles = 1,
		.l1i = {.latency = 1, .line_bytes = 64},
		.l1d = {.latency = 0, .line_bytes = 64},
		.predictor = {.taken_bubble = 3, .decode_redirect = 4},
	};
	struct class_params *c = core.classes;

	c[CLASS_NOP] = (struct class_params){1, 1, 0, 0, 0, {{0}}, false, 0};
	c[CLASS_INT_ALU] = (struct class_params){1, 1, 0, 0, 1, {alu}, false, 0};
	c[CLASS_INT_FLAGS] = (struct class_params){1, 1, 0, 0, 1, {alu}, false, 0};
	c[CLASS_INT_MUL] = (struct class_params){1, 2, 0, 1, 1, {mul}, false, 0};
	c[CLASS_INT_MADD] = (struct class_params){1, 3, 1, 1, 1, {mul}, false, 0};
	c[CLASS_INT_DIV64] = (struct class_params){1, 12, 0, 1, 1, {div}, false, 0};
	c[CLASS_FP_ADD] = (struct class_params){1, 2, 0, 3, 1, {vec}, false, 0};
	c[CLASS_FP_FMA] = (struct class_params){1, 4, 2, 3, 1, {vec}, false, 0};
	c[CLASS_LOAD] = (struct class_params){1, 4, 0, 2, 1, {ld}, false, 0};
	c[CLASS_LOAD_WB] = (struct class_params){2, 4, 0, 2, 2, {ld, alu}, false, 0};
	c[CLASS_VLOAD] = (struct class_params){1, 6, 0, 2, 1, {ld}, false, 0};
	c[CLASS_VLOAD_PAIR_Q] = (struct class_params){1, 6, 0, 2, 1, {two}, false, 0};
	c[CLASS_STORE] = (struct class_params){1, 1, 0, 2, 2, {st, data}, false, 0};
	c[CLASS_STORE_WB] = (struct class_params){2, 1, 0, 2, 3, {st, data, alu}, false, 0};
	c[CLASS_ATOMIC] = (struct class_params){2, 5, 0, 2, 3, {ld, st, data}, false, 0};
	c[CLASS_PREFETCH] = (struct class_params){1, 4, 0, 2, 1, {ld}, false, 0};
	c[CLASS_BRANCH] = (struct class_params){1, 1, 0, 0, 1, {branch}, false, 0};
	c[CLASS_BARRIER_DMB] = (struct class_params){1, 1, 0, 2, 1, {st}, false, 0};
	c[CLASS_BARRIER_DSB] = (struct class_params){1, 1, 0, 2, 1, {st}, true, 0};
	c[CLASS_BARRIER_ISB] = (struct class_params){1, 1, 0, 0, 0, {{0}}, true, 0};
	c[CLASS_EXCEPTION] = (struct class_params){1, 1, 0, 0, 0, {{0}}, true, 0};
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		c[i].accumulates = (uint16_t)i;
	return core;
}

/* A block under construction. */
#define BENCH_INSNS 256
struct bench_block {
	struct block block;
	struct insn insns[BENCH_INSNS];
	struct access accesses[BENCH_INSNS];
	unsigned access_count;
};

static struct insn *bench_insn(struct bench_block *bench, unsigned class, uint32_t kinds)
{
	struct insn *insn = &bench->insns[bench->block.count++];

	assert_true(bench->block.count <= BENCH_INSNS);
	memset(insn, 0, sizeof(*insn));
	memset(insn->sources, REG_NONE, sizeof(insn->sources));
	memset(insn->targets, REG_NONE, sizeof(insn->targets));
	insn->class = (uint16_t) class;
	insn->kinds = kinds;
	insn->accumulator = 255;
	insn->writes_base = 255;
	return insn;
}

/* target = a op b */
static inline struct insn *bench_op(struct bench_block *bench, unsigned class, unsigned target,
				    unsigned a, unsigned b)
{
	struct insn *insn = bench_insn(bench, class, KIND_DP);

	insn->targets[0] = (uint8_t)target;
	insn->sources[0] = (uint8_t)a;
	insn->sources[1] = (uint8_t)b;
	return insn;
}

static inline void bench_access(struct bench_block *bench, uint64_t address, unsigned bytes)
{
	bench->accesses[bench->access_count++] =
		(struct access){address, (uint16_t)(bench->block.count - 1u), (uint16_t)bytes};
}

static inline struct insn *bench_load(struct bench_block *bench, unsigned target, unsigned base,
				      uint64_t address)
{
	struct insn *insn = bench_insn(bench, CLASS_LOAD, KIND_LD);

	insn->memory = MEM_LOAD;
	insn->targets[0] = (uint8_t)target;
	insn->sources[0] = (uint8_t)base;
	insn->address_count = 1;
	bench_access(bench, address, 8);
	return insn;
}

static inline struct insn *bench_store(struct bench_block *bench, unsigned data, unsigned base,
				       uint64_t address)
{
	struct insn *insn = bench_insn(bench, CLASS_STORE, KIND_ST);

	insn->memory = MEM_STORE;
	insn->sources[0] = (uint8_t)data;
	insn->sources[1] = (uint8_t)base;
	insn->address_count = 1;
	bench_access(bench, address, 8);
	return insn;
}

static inline struct insn *bench_branch(struct bench_block *bench, unsigned kind)
{
	struct insn *insn = bench_insn(bench, CLASS_BRANCH, KIND_PC_WRITE);

	insn->branch = (uint8_t)kind;
	return insn;
}

static inline void bench_begin(struct bench_block *bench, uint64_t pc)
{
	memset(bench, 0, sizeof(*bench));
	bench->block.pc = pc;
	bench->block.insns = bench->insns;
}

static inline void bench_end(const struct core_params *params, struct bench_block *bench)
{
	assert_true(core_prepare_block(params, &bench->block));
}

static inline void bench_run(struct core *core, const struct bench_block *bench, uint64_t next_pc)
{
	core_execute(core, &bench->block, bench->block.count, bench->accesses, bench->access_count,
		     next_pc);
}

static inline uint64_t bench_follows(const struct bench_block *bench)
{
	return bench->block.pc + 4ull * bench->block.count;
}

/* Executes the block over and over, each time as if it followed itself, and finishes. */
static inline void bench_counts(const struct core_params *params, struct bench_block *bench,
				unsigned times, uint64_t *counts)
{
	struct core *core;

	memset(counts, 0, EVENT_COUNT * sizeof(*counts));
	core = core_new(params, NULL, counts);
	assert_non_null(core);
	for (unsigned i = 0; i < times; i++)
		bench_run(core, bench, bench->block.pc);
	core_finish(core);
	core_counts(core);
	core_free(core);
}

/* Cycles that one more execution of the block takes, when it has been going on for long. */
static inline double bench_cycles(const struct core_params *params, struct bench_block *bench)
{
	uint64_t few[EVENT_COUNT], many[EVENT_COUNT];

	bench_end(params, bench);
	bench_counts(params, bench, 200, few);
	bench_counts(params, bench, 400, many);
	core_release_block(&bench->block);
	return (double)(many[EVENT_CPU_CYCLES] - few[EVENT_CPU_CYCLES]) / 200;
}

#endif
