/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes each slot and each stalled cycle to a cause (N3 telemetry specification, 3.1
 * and 6.14), and computes events from the model's own counts.
 */
#include <string.h>

#include "bounds.h"
#include "charge.h"
#include "memo.h"
#include "schedule.h"
#include "watch.h"

/* Returns the slots lost from now until `until`. */
static uint64_t lost_slots(const struct core *core, uint64_t until)
{
	return (core->slots - core->used) + (until - core->cycle - 1) * core->slots;
}

/* Gives the backend what it has of cycles without operations until `until`. */
static void account_recovery(struct core *core, uint64_t until)
{
	const struct cycles recovery = recovery_until(core, until);
	const uint64_t cycles = recovery.end - recovery.begin;

	core->lost_frontend -= cycles * core->slots;
	core->lost_backend += cycles * core->slots;
	core->starved[STARVE_FLUSH] -= cycles;
	core->stalled[BLAME_CORE] += cycles;
}

/*
 * There is nothing to rename until `until`. Cycles without any operation are attributed to a flush
 * until flush_until, then to the flow of instructions as far as they would be lost without a miss,
 * then to the translation, and the rest to the line. The first ones of a flush may be the
 * backend's.
 */
void account_starved(struct core *core, uint64_t until)
{
	const uint64_t ends[] = {core->flush_until, core->unstalled, core->translated, until};
	const unsigned causes[] = {STARVE_FLUSH, STARVE_FLOW, STARVE_TLB, core->fetch_starve};
	uint64_t cycle = first_stalled(core);

	if (unlikely(core->exact != NULL))
		exact_starved(core, until);
	core->lost_frontend += lost_slots(core, until);
	if (core->recovery_cycles)
		account_recovery(core, until);
	for (int i = 0; i < 4 && cycle < until; i++) {
		uint64_t end = ends[i] < until ? ends[i] : until;

		if (end > cycle) {
			core->starved[causes[i]] += end - cycle;
			cycle = end;
		}
	}
	advance_to(core, until);
}

/* The next address to fetch is unknown until `until`. */
void account_unknown(struct core *core, uint64_t until)
{
	if (until <= core->cycle)
		return;
	core->unstalled = until;
	account_starved(core, until);
}

static void charge(struct core *core, unsigned blame, unsigned blocker, uint64_t cycles)
{
	if (blame == BLAME_CORE && blocker == HOLD_STORE)
		blame = BLAME_STORE;
	core->stalled[blame] += cycles;
	if (blame != BLAME_CORE)
		return;
	if (blocker <= HOLD_PREDICATE)
		core->renaming[blocker] += cycles;
	else if (blocker == HOLD_REORDER)
		core->reorder_full += cycles;
}

/*
 * There are operations, but `blocker` prevents the first from dispatching until `until`. The cycles
 * are attributed to what the oldest unfinished operation waits for.
 */
void account_stalled(struct core *core, uint64_t until, unsigned blocker)
{
	uint64_t cycle = first_stalled(core);

	if (unlikely(core->exact != NULL))
		exact_stalled(core, until, blocker);
	core->lost_backend += lost_slots(core, until);
	if (blocker >= BLOCK_QUEUE && until > cycle)
		core->queue_full[blocker - BLOCK_QUEUE] += until - cycle;
	while (cycle < until) {
		uint64_t end = until, for_first = 0, head;
		unsigned blame = BLAME_CORE;
		bool unforwarded = false;

		give_back(core, cycle);
		head = core->head;
		if (head != core->sequence) {
			const struct wait *wait = &core->waits[head & core->reorder_mask];
			uint64_t retired = core->retired[head & core->reorder_mask];

			end = retired < end ? retired : end;
			if (wait->sequence == head) {
				blame = wait->then;
				unforwarded = wait->unforwarded;
				if (wait->until > cycle) {
					end = wait->until < end ? wait->until : end;
					blame = wait->first;
					if (wait->mixed) {
						blame = wait->then;
						for_first = wait_for_first(wait, cycle, end);
						charge(core, wait->first, blocker, for_first);
					}
				}
			}
		}
		charge(core, blame, blocker, end - cycle - for_first);
		if (unforwarded && blame == BLAME_STORE && core->unforwarded)
			*core->unforwarded += end - cycle;
		cycle = end;
	}
	advance_to(core, until);
}

/*
 * Rename took all the operations that it can in this cycle, which are fewer than there are slots.
 * The rest is the frontend's: cores with such a rename decode as few.
 */
void account_width(struct core *core)
{
	if (unlikely(core->exact != NULL))
		exact_width(core);
	core->lost_frontend += core->slots - core->width;
}

/* Adds the kinds of one instruction to counts of each. */
void add_kinds(uint64_t kinds[LANE_COUNT], const struct insn *insn)
{
	for (uint32_t own = insn->kinds; own; own &= own - 1)
		kinds[__builtin_ctz(own)]++;
	kinds[insn->fp_ops_scale ? LANE_SCALE_OPS : LANE_FIXED_OPS] += insn->fp_ops;
	kinds[LANE_BRANCHES] += insn->branch != BRANCH_NONE && insn->branch != BRANCH_EXCEPTION;
}

void account_kinds(struct core *core, const struct insn *insn)
{
	add_kinds(core->kinds, insn);
}

/* Adds the counts of whole blocks, in narrow lanes, to the totals. */
void account_recent(struct core *core)
{
	if (core->room == UINT16_MAX)
		return; /* there are none */
	for (int i = 0; i < LANE_COUNT; i++)
		core->kinds[i] += core->recent[i];
	core->recent = (lanes){0};
	core->room = UINT16_MAX;
}

/* Counts the kinds of a block's first instructions. */
void account_prepared(struct core *core, const struct block *block, unsigned executed)
{
	const struct prepared *prepared = block->model;

	if (core->room < prepared->largest)
		account_recent(core);
	if (executed == prepared->count && prepared->whole) {
		core->room -= prepared->largest;
		core->recent += prepared->kinds;
		return;
	}
	for (unsigned i = 0; i < executed; i++)
		account_kinds(core, &block->insns[i]);
}

/*
 * Counts how much of its vector each predicated instruction from `from` to `to` uses. Predicates of
 * the wrong path are not known: they are assumed to be as the right path last found them.
 */
void account_activity(struct core *core, const struct block *block, unsigned from, unsigned to,
		      bool wrong)
{
	if (!core->activity)
		return;
	for (unsigned i = from; i < to; i++) {
		const struct insn *insn = &block->insns[i];
		uint8_t *last = &core->last_activity[(insn->predicate - REG_P0) & 15];

		if (!(insn->kinds & KIND_SVE_PRED))
			continue;
		if (!wrong)
			*last = core->activity[i];
		core->activities[*last]++;
	}
}

/* The event that counts each bit of enum insn_kind. */
static const struct {
	uint32_t kind;
	enum model_event event;
} kind_events[] = {
	{KIND_LD, EVENT_LD_SPEC},
	{KIND_ST, EVENT_ST_SPEC},
	{KIND_DP, EVENT_DP_SPEC},
	{KIND_ASE, EVENT_ASE_SPEC},
	{KIND_VFP, EVENT_VFP_SPEC},
	{KIND_CRYPTO, EVENT_CRYPTO_SPEC},
	{KIND_ISB, EVENT_ISB_SPEC},
	{KIND_DSB, EVENT_DSB_SPEC},
	{KIND_DMB, EVENT_DMB_SPEC},
	{KIND_RC_LD, EVENT_RC_LD_SPEC},
	{KIND_RC_ST, EVENT_RC_ST_SPEC},
	{KIND_STREX, EVENT_STREX_SPEC},
	{KIND_CAS, EVENT_CAS_NEAR_SPEC},
	{KIND_SVE, EVENT_SVE_INST_SPEC},
	{KIND_ASE_INST, EVENT_ASE_INST_SPEC},
	{KIND_SVE_PRED, EVENT_SVE_PRED_SPEC},
	{KIND_FP_HP, EVENT_FP_HP_SPEC},
	{KIND_FP_SP, EVENT_FP_SP_SPEC},
	{KIND_FP_DP, EVENT_FP_DP_SPEC},
	{KIND_INT8, EVENT_ASE_SVE_INT8_SPEC},
	{KIND_INT16, EVENT_ASE_SVE_INT16_SPEC},
	{KIND_INT32, EVENT_ASE_SVE_INT32_SPEC},
	{KIND_INT64, EVENT_ASE_SVE_INT64_SPEC},
	{KIND_LDFF, EVENT_SVE_LDFF_SPEC},
};

static void fill_speculative(struct core *core, uint64_t *counts)
{
	account_recent(core);
	for (size_t i = 0; i < sizeof(kind_events) / sizeof(*kind_events); i++)
		counts[kind_events[i].event] = core->kinds[__builtin_ctz(kind_events[i].kind)];
	counts[EVENT_SVE_PRED_FULL_SPEC] = core->activities[ACTIVITY_FULL];
	counts[EVENT_SVE_PRED_PARTIAL_SPEC] = core->activities[ACTIVITY_PARTIAL];
	counts[EVENT_SVE_PRED_EMPTY_SPEC] = core->activities[ACTIVITY_EMPTY];
	counts[EVENT_DP_SPEC] += core->wrong_unknown;
	counts[EVENT_FP_FIXED_OPS_SPEC] = core->kinds[LANE_FIXED_OPS];
	counts[EVENT_FP_SCALE_OPS_SPEC] = core->kinds[LANE_SCALE_OPS];
	counts[EVENT_INST_SPEC] = core->instructions + core->wrong_instructions;
}

static void fill_branches(struct core *core, uint64_t *counts)
{
	uint64_t immediate[2] = {0}, indirect[2] = {0}, back[2] = {0}, taken = 0;

	for (int wrong = 0; wrong < 2; wrong++) {
		for (int kind = BRANCH_IMMEDIATE; kind <= BRANCH_RETURN; kind++) {
			const uint64_t *side[2] = {core->branches[kind][0],
						   core->branches[kind][1]};
			uint64_t all = side[0][wrong] + side[1][wrong];

			taken += side[1][wrong];
			if (kind == BRANCH_RETURN)
				back[wrong] += all;
			else if (kind == BRANCH_INDIRECT || kind == BRANCH_INDIRECT_CALL)
				indirect[wrong] += all;
			else
				immediate[wrong] += all;
		}
	}
	counts[EVENT_BR_IMMED_PRED_RETIRED] = immediate[0];
	counts[EVENT_BR_IMMED_MIS_PRED_RETIRED] = immediate[1];
	counts[EVENT_BR_INDNR_PRED_RETIRED] = indirect[0];
	counts[EVENT_BR_INDNR_MIS_PRED_RETIRED] = indirect[1];
	counts[EVENT_BR_RETURN_PRED_RETIRED] = back[0];
	counts[EVENT_BR_RETURN_MIS_PRED_RETIRED] = back[1];
	counts[EVENT_BR_IND_PRED_RETIRED] = indirect[0] + back[0];
	counts[EVENT_BR_IND_MIS_PRED_RETIRED] = indirect[1] + back[1];
	counts[EVENT_BR_PRED_RETIRED] = immediate[0] + indirect[0] + back[0];
	counts[EVENT_BR_MIS_PRED_RETIRED] = immediate[1] + indirect[1] + back[1];

	counts[EVENT_BR_IMMED_RETIRED] = immediate[0] + immediate[1];
	counts[EVENT_BR_RETURN_RETIRED] = back[0] + back[1];
	counts[EVENT_BR_INDNR_TAKEN_RETIRED] = indirect[0] + indirect[1];
	counts[EVENT_BR_IND_RETIRED] =
		counts[EVENT_BR_IND_PRED_RETIRED] + counts[EVENT_BR_IND_MIS_PRED_RETIRED];
	counts[EVENT_BR_IMMED_TAKEN_RETIRED] = taken - counts[EVENT_BR_IND_RETIRED];
	counts[EVENT_BR_RETIRED] =
		counts[EVENT_BR_PRED_RETIRED] + counts[EVENT_BR_MIS_PRED_RETIRED];
	counts[EVENT_PC_WRITE_RETIRED] = taken;
	counts[EVENT_PC_WRITE_SPEC] = taken + core->wrong_taken;
	account_recent(core);
	counts[EVENT_BR_PRED] = core->kinds[LANE_BRANCHES];
	counts[EVENT_BR_MIS_PRED] = counts[EVENT_BR_MIS_PRED_RETIRED];
}

static void fill_stalls(struct core *core, uint64_t *counts)
{
	const uint64_t *starved = core->starved, *stalled = core->stalled;

	counts[EVENT_STALL_SLOT_FRONTEND] = core->lost_frontend;
	counts[EVENT_STALL_SLOT_BACKEND] = core->lost_backend;
	counts[EVENT_STALL_SLOT] = core->lost_frontend + core->lost_backend;

	counts[EVENT_STALL_FRONTEND_FLOW] = starved[STARVE_FLOW];
	counts[EVENT_STALL_FRONTEND_FLUSH] = starved[STARVE_FLUSH];
	counts[EVENT_STALL_FRONTEND_TLB] = starved[STARVE_TLB];
	counts[EVENT_STALL_FRONTEND_L1I] = starved[STARVE_L1I];
	counts[EVENT_STALL_FRONTEND_MEM] = starved[STARVE_MEM];
	counts[EVENT_STALL_FRONTEND_CPUBOUND] = starved[STARVE_FLOW] + starved[STARVE_FLUSH];
	counts[EVENT_STALL_FRONTEND_MEMBOUND] =
		starved[STARVE_TLB] + starved[STARVE_L1I] + starved[STARVE_MEM];
	counts[EVENT_STALL_FRONTEND] =
		counts[EVENT_STALL_FRONTEND_CPUBOUND] + counts[EVENT_STALL_FRONTEND_MEMBOUND];

	counts[EVENT_STALL_BACKEND_CPUBOUND] = stalled[BLAME_CORE];
	counts[EVENT_STALL_BACKEND_L1D] = stalled[BLAME_L1D];
	counts[EVENT_STALL_BACKEND_MEM] = stalled[BLAME_MEM];
	counts[EVENT_STALL_BACKEND_TLB] = stalled[BLAME_TLB];
	counts[EVENT_STALL_BACKEND_ST] = stalled[BLAME_STORE];
	counts[EVENT_STALL_BACKEND_MEMBOUND] =
		stalled[BLAME_L1D] + stalled[BLAME_MEM] + stalled[BLAME_TLB] + stalled[BLAME_STORE];
	counts[EVENT_STALL_BACKEND] =
		counts[EVENT_STALL_BACKEND_CPUBOUND] + counts[EVENT_STALL_BACKEND_MEMBOUND];
	counts[EVENT_STALL] = counts[EVENT_STALL_FRONTEND] + counts[EVENT_STALL_BACKEND];

	counts[EVENT_IMP_STALL_BACKEND_RENAME_GRF] = core->renaming[HOLD_INT];
	counts[EVENT_IMP_STALL_BACKEND_RENAME_VRF] = core->renaming[HOLD_VECTOR];
	counts[EVENT_IMP_STALL_BACKEND_RENAME_FRF] = core->renaming[HOLD_FLAGS];
	counts[EVENT_STALL_BACKEND_RENAME] = 0;
	for (int i = HOLD_INT; i <= HOLD_PREDICATE; i++)
		counts[EVENT_STALL_BACKEND_RENAME] += core->renaming[i];
	counts[EVENT_IMP_STALL_BACKEND_MCQ] = core->reorder_full;
}

/* The issue queues' events, by the queues' names in the core's data. */
static const struct {
	const char *queue;
	enum model_event event;
} queue_events[] = {
	{"SX", EVENT_IMP_STALL_BACKEND_IQ_SX},
	{"MX", EVENT_IMP_STALL_BACKEND_IQ_MX},
	{"LS", EVENT_IMP_STALL_BACKEND_IQ_LS},
	{"VX", EVENT_IMP_STALL_BACKEND_IQ_VX},
};

void account_set_up(struct core *core)
{
	for (unsigned i = 0; i < core->params->queue_count; i++) {
		core->queue_event[i] = EVENT_COUNT;
		for (size_t e = 0; e < sizeof(queue_events) / sizeof(*queue_events); e++)
			if (!strcmp(queue_events[e].queue, core->params->queue_names[i]))
				core->queue_event[i] = queue_events[e].event;
	}
}

static void fill_queues(struct core *core, uint64_t *counts)
{
	counts[EVENT_STALL_BACKEND_BUSY] = 0;
	for (size_t e = 0; e < sizeof(queue_events) / sizeof(*queue_events); e++)
		counts[queue_events[e].event] = 0;
	for (unsigned i = 0; i < core->params->queue_count; i++) {
		counts[EVENT_STALL_BACKEND_BUSY] += core->queue_full[i];
		if (core->queue_event[i] != EVENT_COUNT)
			counts[core->queue_event[i]] += core->queue_full[i];
	}
}

/*
 * Counts cover the cycles before the current dispatch cycle. Operations dispatched in that cycle
 * are left out. All of them are of the right path: a wrong path ends with a cycle.
 */
static void fill_others(struct core *core, uint64_t *counts)
{
	uint64_t retired = core->sequence - core->used;

	counts[EVENT_INST_RETIRED] = core->instructions;
	counts[EVENT_OP_SPEC] = retired + core->wrong_operations;
	counts[EVENT_OP_RETIRED] = retired;
	counts[EVENT_CPU_CYCLES] = core->cycle;
	counts[EVENT_CNT_CYCLES] = core->cycle * 1000 / core->params->frequency_mhz;
	counts[EVENT_EXC_TAKEN] = core->exceptions;
	counts[EVENT_EXC_SVC] = core->supervisor_calls;
	counts[EVENT_IMP_CT_FLUSH] = core->flushes;
	counts[EVENT_IMP_CT_FLUSH_ISB] = core->isb_flushes;
	counts[EVENT_MEM_ACCESS_RD] = core->loads + core->load_crossings;
	counts[EVENT_MEM_ACCESS_WR] = core->stores + core->store_crossings;
	counts[EVENT_MEM_ACCESS] = counts[EVENT_MEM_ACCESS_RD] + counts[EVENT_MEM_ACCESS_WR];
	counts[EVENT_MEM_ACCESS_RD_PERCYC] = core->load_cycles;
	counts[EVENT_LD_ALIGN_LAT] = core->load_crossings;
	counts[EVENT_ST_ALIGN_LAT] = core->store_crossings;
	counts[EVENT_LDST_ALIGN_LAT] = core->load_crossings + core->store_crossings;
	memory_settle(core->memory, counts);
}

/* Adds the counts of the SPE unit, if there is one. */
static void fill_samples(struct core *core, uint64_t *counts)
{
	const struct spe_counts *samples;

	if (!core->watch || !core->watch->spe)
		return;
	samples = &core->watch->spe->counts;
	counts[EVENT_SAMPLE_POP] = samples->population;
	counts[EVENT_SAMPLE_FEED] = samples->taken;
	counts[EVENT_SAMPLE_FILTRATE] = samples->recorded;
	counts[EVENT_SAMPLE_COLLISION] = samples->collisions;
	counts[EVENT_SAMPLE_FEED_BR] = samples->branches;
	counts[EVENT_SAMPLE_FEED_LD] = samples->loads;
	counts[EVENT_SAMPLE_FEED_ST] = samples->stores;
	counts[EVENT_SAMPLE_FEED_OP] = samples->right_operation;
	counts[EVENT_SAMPLE_FEED_EVENT] = samples->right_events;
	counts[EVENT_SAMPLE_FEED_LAT] = samples->right_latency;
}

/* The counts in parts, for callers that often read a few of them. */
static void (*const parts[])(struct core *core, uint64_t *counts) = {
	fill_speculative, fill_branches, fill_stalls, fill_queues, fill_others, fill_samples,
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

const uint64_t *core_counts(struct core *core)
{
	memo_settle(core);
	if (core->bounds)
		bounds_begin(core);
	for (size_t i = 0; i < PARTS; i++)
		parts[i](core, core->counts);
	for (const struct core *shadow = core->shadows; shadow; shadow = shadow->shadows)
		*shadow->shadow.cycles = shadow->cycle;
	return core->counts;
}

uint32_t account_parts_of(struct core *core, enum model_event event)
{
	const uint64_t unfilled = UINT64_MAX;
	uint32_t found = 0;

	for (size_t i = 0; i < PARTS; i++) {
		uint64_t counts[EVENT_COUNT] = {0};

		counts[event] = unfilled;
		parts[i](core, counts);
		if (counts[event] != unfilled)
			found |= 1u << i;
	}
	return found;
}

void account_settle(struct core *core, uint32_t wanted)
{
	memo_settle(core);
	for (; wanted; wanted &= wanted - 1)
		parts[__builtin_ctz(wanted)](core, core->counts);
}
