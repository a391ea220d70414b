/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory and the branch predictor of a replay, which do as samples say: struct memory and
 * struct predictor are defined here and in replay_core.h instead of in the model.
 */
#include <stdlib.h>

#include "bandwidth.h"
#include "disasm/replay_core.h"

/* Cycles until the line of a store that missed L1D is there, for which there is no latency. */
#define STORE_MISS 30

/* SplitMix64, as model/spe.c. */
double replay_draw(struct replay *replay)
{
	uint64_t z = replay->chance += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* ---- The memory ------------------------------------------------------------------------------ */

struct memory {
	struct replay *replay;
	struct bandwidth l2_path;
};

struct memory *memory_new(struct memory_system *system, const struct core_params *params,
			  uint64_t *counts)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	(void)counts;
	if (!memory)
		return NULL;
	memory->replay = &system->replay;
	bandwidth_set_up(&memory->l2_path, params->l2.cycles_per_line);
	return memory;
}

void memory_free(struct memory *memory)
{
	free(memory);
}

static inline const struct replay_instruction *instruction_at(const struct replay *replay,
							      uint64_t pc)
{
	return &replay->instructions[(pc - replay->address) / 4];
}

/*
 * Takes its samples, of loads that hit L1D or that did not, from `*left`. Returns true with the
 * latency of the one where that is used up; else `*latency` is that of the last one.
 */
static bool find_latency(const struct replay_instruction *instruction, bool far, double *left,
			 double *latency)
{
	for (unsigned i = 0; i < instruction->source_count; i++) {
		const struct replay_source *source = &instruction->sources[i];

		if (replay_is_far(source) != far)
			continue;
		*latency = source->cycles;
		if (*left < source->samples)
			return true;
		*left -= source->samples;
	}
	return false;
}

/*
 * Returns the cycles from the issue of a load to its data, those in the core included; 0 if no
 * sample of it, or of loads that are alike, tells. Those tell how often it misses; how long it then
 * takes, only if its own samples do not.
 */
static double draw_latency(struct replay *replay, size_t i)
{
	const struct replay_instruction *load = &replay->instructions[i];
	const struct replay_count own = replay_count_sources(load);
	double pool_far = 0, left, latency = 0;
	bool far;

	if (!(own.all + load->alike_weight > 0))
		return 0;
	if (load->alike_weight > 0)
		pool_far = load->alike_weight * load->alike_far / load->alike_samples;
	far = replay_draw(replay) * (own.all + load->alike_weight) < own.far + pool_far;
	left = replay_draw(replay) * (far ? own.far : own.all - own.far);
	if (find_latency(load, far, &left, &latency) || latency > 0)
		return latency;
	left = replay_draw(replay) *
	       (far ? load->alike_far : load->alike_samples - load->alike_far);
	for (unsigned n = 0; n < load->alike; n++) {
		if (find_latency(&replay->instructions[i], far, &left, &latency))
			break;
		i = replay->instructions[i].next_alike;
	}
	return latency;
}

static uint64_t line_of(uint64_t address)
{
	return address & ~(uint64_t)(ACCESS_STEP - 1);
}

/*
 * Returns when a load has its data if its line is not on its way. From then on it is, unless nobody
 * knows how long the load takes.
 */
static uint64_t bring_line(struct memory *memory, size_t i, uint64_t cycle, uint64_t address)
{
	struct replay *replay = memory->replay;
	const uint64_t hit = cycle + replay->params->l1d.latency;
	const double latency = draw_latency(replay, i);
	const double own = replay->params->classes[replay->insns[i].class].latency;
	const uint64_t ready = hit + (latency > own ? (uint64_t)(latency - own + 0.5) : 0);

	/* The time of its turn is in the latency. */
	if (ready > hit)
		bandwidth_take(&memory->l2_path, cycle);
	if (latency > 0)
		*replay_arrival(replay, i) = (struct arrival){line_of(address), ready};
	return ready;
}

double replay_memory_slots(const struct plumb_cost_core *core)
{
	const struct core_params *params = replay_params(core);

	return (double)params->slots * (params->l1d.latency + params->l2.latency +
					params->llc.latency + params->dram_latency);
}

bool memory_load(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		 unsigned bytes, bool owning, struct memory_result *result)
{
	struct replay *replay = memory->replay;
	const size_t i = (pc - replay->address) / 4;
	const uint64_t hit = cycle + replay->params->l1d.latency;
	struct arrival *arrival = replay_arrival(replay, i);
	uint64_t ready = arrival->ready;

	(void)bytes;
	(void)owning;
	if (!(ready > cycle && arrival->address == line_of(address)))
		ready = bring_line(memory, i, cycle, address);
	ready = ready > hit ? ready : hit;
	*result = (struct memory_result){.ready = ready,
					 .translated = cycle,
					 .physical = address,
					 .level = ready > hit ? LEVEL_L2 : LEVEL_L1};
	return ready == hit;
}

void memory_store(struct memory *memory, uint64_t cycle, uint64_t pc, uint64_t address,
		  unsigned bytes, bool full_line, struct memory_result *result)
{
	struct replay *replay = memory->replay;
	const struct replay_instruction *instruction = instruction_at(replay, pc);
	struct arrival *arrival = replay_arrival(replay, (pc - replay->address) / 4);
	uint64_t ready = cycle + 1;

	(void)bytes;
	(void)full_line;
	if (arrival->ready > cycle && arrival->address == line_of(address)) {
		ready = arrival->ready;
	} else {
		const double drawn = replay_draw(replay) * instruction->samples;

		if (drawn < instruction->misses)
			ready = cycle + STORE_MISS;
		else if (drawn < instruction->misses + instruction->moves)
			ready = bandwidth_take(&memory->l2_path, cycle) + 1;
	}
	*arrival = (struct arrival){line_of(address), ready};
	*result = (struct memory_result){.ready = ready, .translated = cycle, .physical = address};
}

void memory_translate(struct memory *memory, uint64_t cycle, uint64_t address, unsigned bytes,
		      struct memory_result *result)
{
	(void)memory;
	(void)bytes;
	*result = (struct memory_result){.ready = cycle, .translated = cycle, .physical = address};
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
}

bool memory_fetch(struct memory *memory, uint64_t cycle, uint64_t address,
		  struct memory_result *result)
{
	*result = (struct memory_result){.ready = cycle + memory->replay->params->l1i.latency,
					 .translated = cycle,
					 .physical = address};
	return false;
}

uint64_t memory_time(const struct memory *memory, uint64_t cycle)
{
	(void)memory;
	return cycle;
}

void memory_wait_until(struct memory *memory, uint64_t cycle, uint64_t time)
{
	(void)memory;
	(void)cycle;
	(void)time;
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

uint64_t memory_page_faults(const struct memory *memory)
{
	(void)memory;
	return 0;
}

bool memory_is_touched(const struct memory *memory, uint64_t address)
{
	(void)memory, (void)address;
	return true;
}

uint32_t memory_remapped(const struct memory *memory)
{
	(void)memory;
	return 0;
}

void memory_busy(struct memory *memory, struct memory_busy *busy)
{
	(void)memory;
	*busy = (struct memory_busy){0};
}

void memory_settle(const struct memory *memory, uint64_t *counts)
{
	(void)memory;
	(void)counts;
}

/* ---- The predictor --------------------------------------------------------------------------- */

struct predictor *predictor_new(const struct predictor_params *params)
{
	struct predictor *predictor = calloc(1, sizeof(*predictor));

	if (!predictor)
		return NULL;
	predictor->targets = target_buffer_new(params);
	if (predictor->targets)
		return predictor;
	free(predictor);
	return NULL;
}

void predictor_free(struct predictor *predictor)
{
	if (!predictor)
		return;
	target_buffer_free(predictor->targets);
	free(predictor);
}

void predictor_branch(struct predictor *predictor, uint64_t pc, unsigned kind, bool taken,
		      uint64_t target, struct predict_outcome *outcome)
{
	const struct replay *replay = predictor->replay;

	(void)kind;
	*outcome = (struct predict_outcome){.result = PREDICT_RIGHT};
	if (taken) {
		outcome->pairs = target_buffer_pairs(predictor->targets, pc, target);
		if (target_buffer_access(predictor->targets, pc, target) == TARGET_LARGE)
			outcome->result = PREDICT_TAKEN_BUBBLE;
	}
	if (replay->mispredicts)
		*outcome = (struct predict_outcome){.result = PREDICT_WRONG,
						    .wrong_path = replay->wrong_path};
}
