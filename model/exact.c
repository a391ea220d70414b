/* SPDX-License-Identifier: Apache-2.0 */
/* Charges slots, cycles and misses to instructions, beside account.c, which counts them. */
#include "exact.h"

#include <stdlib.h>
#include <string.h>

#include "charge.h"
#include "schedule.h"

#define FETCHES_PLAIN 2 /* L1I_CACHE and L1I_TLB */
#define ACCESS_PLAIN  2 /* L1D_CACHE_RD or _WR, and L1D_TLB */

struct exact *exact_new(void)
{
	struct exact *exact = calloc(1, sizeof(*exact));

	if (!exact || !profile_set_up(&exact->profile) || !contexts_set_up(&exact->contexts)) {
		exact_free(exact);
		return NULL;
	}
	exact->visit = UINT32_MAX;
	exact->continues = true;
	return exact;
}

void exact_free(struct exact *exact)
{
	if (!exact)
		return;
	lines_free(exact->shared);
	profile_clean_up(&exact->profile);
	contexts_clean_up(&exact->contexts);
	free(exact);
}

/* ---- Kinds of losses --------------------------------------------------------------------------
 */

#define BLOCKERS ((unsigned)BLOCK_QUEUE + QUEUES_MAX)
_Static_assert(BLAME_COUNT *BLOCKERS + STARVE_COUNT <= PROFILE_KINDS, "there are more kinds");

static unsigned stall_kind(unsigned blame, unsigned blocker)
{
	return blame * BLOCKERS + blocker;
}

static unsigned starve_kind(unsigned cause)
{
	return BLAME_COUNT * BLOCKERS + cause;
}

/* Names the counts of an issue queue, by its name in the core's data. */
static void name_queue(const char *queue, uint8_t *event, uint8_t *slots)
{
	static const struct {
		const char *queue;
		uint8_t event, slots;
	} names[] = {
		{"SX", EXACT_IMP_STALL_BACKEND_IQ_SX, EXACT_SLOTS_BACKEND_QUEUE_SX},
		{"MX", EXACT_IMP_STALL_BACKEND_IQ_MX, EXACT_SLOTS_BACKEND_QUEUE_MX},
		{"LS", EXACT_IMP_STALL_BACKEND_IQ_LS, EXACT_SLOTS_BACKEND_QUEUE_LS},
		{"VX", EXACT_IMP_STALL_BACKEND_IQ_VX, EXACT_SLOTS_BACKEND_QUEUE_VX},
	};

	*event = EXACT_COUNT;
	*slots = EXACT_SLOTS_BACKEND_QUEUE_OTHER;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].queue, queue)) {
			*event = names[i].event;
			*slots = names[i].slots;
		}
}

/* Returns what a part of a backend stall counts. */
static struct profile_kind stall_counts(const struct core_params *params, unsigned blame,
					unsigned blocker)
{
	static const uint8_t renaming[] = {EXACT_IMP_STALL_BACKEND_RENAME_GRF,
					   EXACT_IMP_STALL_BACKEND_RENAME_VRF,
					   EXACT_IMP_STALL_BACKEND_RENAME_FRF};
	struct profile_kind kind = {(uint8_t)(EXACT_SLOTS_BACKEND_L1D + blame - BLAME_L1D),
				    {EXACT_COUNT, EXACT_COUNT, EXACT_COUNT}};
	uint8_t slots = (uint8_t)(EXACT_SLOTS_BACKEND_INT_REGISTERS + blocker);

	if (blocker >= BLOCK_QUEUE) {
		kind.cycles[1] = EXACT_STALL_BACKEND_BUSY;
		name_queue(params->queue_names[blocker - BLOCK_QUEUE], &kind.cycles[2], &slots);
	}
	if (blame == BLAME_CORE)
		kind.slots = slots;
	if (blame == BLAME_CORE && blocker == HOLD_STORE)
		blame = BLAME_STORE;
	kind.cycles[0] = (uint8_t)(EXACT_STALL_BACKEND_CPUBOUND + blame);
	if (blame == BLAME_CORE && blocker <= HOLD_PREDICATE) {
		kind.cycles[1] = EXACT_STALL_BACKEND_RENAME;
		if (blocker < sizeof(renaming))
			kind.cycles[2] = renaming[blocker];
	} else if (blame == BLAME_CORE && blocker == HOLD_REORDER) {
		kind.cycles[1] = EXACT_IMP_STALL_BACKEND_MCQ;
	}
	return kind;
}

void core_set_exact(struct core *core, struct exact *exact)
{
	const unsigned blockers = (unsigned)BLOCK_QUEUE + core->params->queue_count;

	core->exact = exact;
	core->observed = core->exact || core->watch;
	if (!exact)
		return;
	for (unsigned blame = 0; blame < BLAME_COUNT; blame++)
		for (unsigned blocker = 0; blocker < blockers; blocker++)
			exact->profile.kinds[stall_kind(blame, blocker)] =
				stall_counts(core->params, blame, blocker);
	for (unsigned cause = 0; cause < STARVE_COUNT; cause++)
		exact->profile.kinds[starve_kind(cause)] = (struct profile_kind){
			(uint8_t)(EXACT_SLOTS_FRONTEND_FLOW + cause),
			{(uint8_t)(EXACT_STALL_FRONTEND_FLOW + cause), EXACT_COUNT, EXACT_COUNT}};
}

const struct contexts *exact_contexts(const struct exact *exact)
{
	return &exact->contexts;
}

bool exact_failed(const struct exact *exact)
{
	return exact->profile.failed;
}

bool exact_lines_incomplete(const struct exact *exact)
{
	return exact->shared && lines_incomplete(exact->shared);
}

bool exact_follow_lines(struct core *core)
{
	struct exact *exact = core->exact;

	if (!exact->shared)
		exact->shared = lines_new(core->memory, core->params->l1d.line_bytes);
	return exact->shared;
}

static void add(struct exact *exact, uint32_t line, unsigned event, uint64_t count)
{
	if (count)
		profile_add(&exact->profile, line, event, (int64_t)count);
}

/* ---- Slots ------------------------------------------------------------------------------------
 */

/* The cycles from `cycle` to `end` that have no operation, and their lost slots. */
struct lost {
	uint64_t cycles, slots;
};

static struct lost lost_between(const struct core *core, uint64_t cycle, uint64_t end)
{
	struct lost lost = {end - cycle, (end - cycle) * core->slots};

	if (cycle == core->cycle && core->used) {
		lost.cycles--;
		lost.slots -= core->used;
	}
	return lost;
}

static void lose(struct exact *exact, uint32_t line, unsigned kind, struct lost lost)
{
	if (lost.slots | lost.cycles)
		profile_lose(&exact->profile, line, kind, lost.slots, lost.cycles);
}

void exact_starved(struct core *core, uint64_t until)
{
	const uint64_t ends[] = {core->flush_until, core->unstalled, core->translated, until};
	const unsigned causes[] = {STARVE_FLUSH, STARVE_FLOW, STARVE_TLB, core->fetch_starve};
	struct exact *exact = core->exact;
	uint64_t cycle = core->cycle;

	for (int i = 0; i < 4 && cycle < until; i++) {
		uint64_t end = ends[i] < until ? ends[i] : until;
		uint32_t line = exact->line;
		struct lost lost;

		if (end <= cycle)
			continue;
		if (causes[i] == STARVE_FLUSH && exact->flusher)
			line = exact->flusher;
		lost = lost_between(core, cycle, end);
		lose(exact, line, starve_kind(causes[i]), lost);
		cycle = end;
	}
}

void exact_width(struct core *core)
{
	core->exact->profile.lines[core->exact->line].narrow += core->slots - core->width;
}

/* Returns the line of the oldest store that is in the store queue at `cycle`. */
static uint32_t oldest_store(const struct core *core, uint64_t cycle)
{
	uint64_t store = core->left_head;

	while (store != core->left_sequence && core->left[store % STORE_RING] <= cycle)
		store++;
	return store == core->left_sequence ? core->exact->line
					    : core->exact->stores[store % STORE_RING];
}

/*
 * Charges what a mixed wait has for its first cause until `end`, and returns where the rest begins.
 * A cycle that is partly used is no stalled one.
 */
static uint64_t charge_first(struct core *core, uint32_t line, const struct wait *wait,
			     unsigned blocker, uint64_t cycle, uint64_t end)
{
	const uint64_t stalled = cycle + (cycle == core->cycle && core->used);
	const uint64_t count = stalled < end ? wait_for_first(wait, stalled, end) : 0;

	if (!count)
		return cycle;
	lose(core->exact, line, stall_kind(wait->first, blocker),
	     lost_between(core, cycle, stalled + count));
	return stalled + count;
}

void exact_stalled(struct core *core, uint64_t until, unsigned blocker)
{
	uint64_t cycle = core->cycle, head = core->head;

	while (cycle < until) {
		uint32_t line = core->exact->line;
		unsigned blame = BLAME_CORE;
		uint64_t end = until;

		while (head != core->sequence && core->retired[head & core->reorder_mask] <= cycle)
			head++;
		if (head != core->sequence) {
			const struct wait *wait = &core->waits[head & core->reorder_mask];
			uint64_t retired = core->retired[head & core->reorder_mask];

			line = core->exact->lines[head % REORDER_RING];
			end = retired < end ? retired : end;
			if (wait->sequence == head) {
				blame = wait->then;
				if (wait->until > cycle) {
					end = wait->until < end ? wait->until : end;
					blame = wait->first;
					if (wait->mixed) {
						blame = wait->then;
						cycle = charge_first(core, line, wait, blocker,
								     cycle, end);
					}
				}
			}
		}
		if (blame == BLAME_CORE && blocker == HOLD_STORE)
			line = oldest_store(core, cycle);
		lose(core->exact, line, stall_kind(blame, blocker), lost_between(core, cycle, end));
		cycle = end;
	}
}

void exact_wrong_path(struct core *core, unsigned operations)
{
	struct exact *exact = core->exact;

	add(exact, exact->line, EXACT_SLOTS_BAD_SPECULATION, operations);
	if (core->used == operations)
		exact->profile.lines[exact->line].cycles++;
}

void exact_mispredicted(struct core *core)
{
	add(core->exact, core->exact->line, EXACT_BR_MIS_PRED_RETIRED, 1);
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

/*
 * Sums of counts that tell whether an access or a fetch did anything out of the ordinary: each
 * miss, prefetch or second line adds more to them than a plain hit.
 */
static uint64_t data_sum(const uint64_t *counts)
{
	return counts[EVENT_L1D_CACHE_RD] + counts[EVENT_L1D_CACHE_WR] + counts[EVENT_L1D_TLB] +
	       counts[EVENT_L1D_TLB_REFILL] + counts[EVENT_L1D_CACHE_REFILL] +
	       counts[EVENT_L1D_CACHE_HWPRF] + counts[EVENT_L1D_CACHE_INVAL] +
	       counts[EVENT_L2D_CACHE_INVAL] + counts[EVENT_L2D_CACHE_WR] +
	       counts[EVENT_BUS_ACCESS_WR];
}

static uint64_t fetch_sum(const uint64_t *counts)
{
	return counts[EVENT_L1I_CACHE] + counts[EVENT_L1I_TLB] + counts[EVENT_L1I_CACHE_REFILL] +
	       counts[EVENT_L1I_TLB_REFILL];
}

static uint64_t *known(struct exact *exact, unsigned event)
{
	return &exact->known[event - EXACT_MEMORY_FIRST];
}

/* Counts two events of an access or fetch as charged by its execution. */
static void expect(struct exact *exact, unsigned first, unsigned second)
{
	++*known(exact, first);
	++*known(exact, second);
}

/* Charges all that has changed and is not expected. */
static __attribute__((noinline)) void charge_memory(struct core *core)
{
	struct exact *exact = core->exact;
	uint64_t *counts = core->counts;
	uint32_t from = 0;

	if (memory_page_faults(core->memory) != core->faults_taken)
		exact->faulter = exact->line;
	counts[EVENT_MEM_ACCESS_RD] = core->loads + core->load_crossings;
	counts[EVENT_MEM_ACCESS_WR] = core->stores + core->store_crossings;
	counts[EVENT_LD_ALIGN_LAT] = core->load_crossings;
	counts[EVENT_ST_ALIGN_LAT] = core->store_crossings;
	for (unsigned e = EXACT_MEMORY_FIRST; e < EXACT_COUNT; e++) {
		uint64_t now = counts[exact_events[e]];

		if (now == *known(exact, e))
			continue;
		profile_add_after(&exact->profile, exact->line, &from, e,
				  (int64_t)(now - *known(exact, e)));
		*known(exact, e) = now;
	}
	exact->data_sum = data_sum(counts);
	exact->fetch_sum = fetch_sum(counts);
}

void exact_wrong_loads(struct core *core)
{
	charge_memory(core);
}

void exact_fetched(struct core *core)
{
	struct exact *exact = core->exact;
	uint64_t sum = fetch_sum(core->counts);

	exact->profile.lines[exact->line].fetches++;
	expect(exact, EXACT_L1I_CACHE, EXACT_L1I_TLB);
	if (likely(sum == exact->fetch_sum + FETCHES_PLAIN))
		exact->fetch_sum = sum;
	else
		charge_memory(core);
}

void exact_accessed(struct core *core, const struct op *op)
{
	struct exact *exact = core->exact;
	uint64_t sum = data_sum(core->counts);
	uint64_t plain = 0;

	if (op->path == PATH_LOAD) {
		expect(exact, EXACT_L1D_CACHE_RD, EXACT_L1D_TLB);
		++*known(exact, EXACT_MEM_ACCESS_RD);
		plain = ACCESS_PLAIN;
	} else if (op->path == PATH_STORE) {
		expect(exact, EXACT_L1D_CACHE_WR, EXACT_L1D_TLB);
		++*known(exact, EXACT_MEM_ACCESS_WR);
		plain = ACCESS_PLAIN;
	}
	if (likely(sum == exact->data_sum + plain))
		exact->data_sum = sum;
	else
		charge_memory(core);
}

void exact_shares(struct core *core, const struct op *op, uint64_t pc, const struct access *first,
		  const struct access *end)
{
	enum lines_access access = op->memory & MEM_ATOMIC  ? LINES_ATOMIC
				   : op->memory & MEM_STORE ? LINES_STORE
							    : LINES_LOAD;

	lines_accessed(core->exact->shared, pc, access, first, end);
}

void exact_tell_lines(struct core *core, bool last, lines_told *told, void *user)
{
	struct lines *lines = core->exact->shared;

	if (lines && last)
		lines_tell(lines, told, user);
	else if (lines)
		lines_tell_changes(lines, told, user);
}

/* ---- Blocks -----------------------------------------------------------------------------------
 */

/* Counts the first instructions of a block, up to a fault. */
static void count_part(struct core *core, const struct block *block, uint32_t line,
		       unsigned executed)
{
	const struct prepared *prepared = block->model;
	struct exact *exact = core->exact;

	for (unsigned i = 0; i < executed; i++, line++) {
		const struct op *op = &prepared->ops[i];

		add(exact, line, EXACT_INST_RETIRED, 1);
		add(exact, line, EXACT_OP_RETIRED, op->operations);
		if (op->path == PATH_LOAD || op->path == PATH_STORE) {
			bool load = op->path == PATH_LOAD;

			add(exact, line, load ? EXACT_MEM_ACCESS_RD : EXACT_MEM_ACCESS_WR, 1);
			add(exact, line, load ? EXACT_L1D_CACHE_RD : EXACT_L1D_CACHE_WR, 1);
			add(exact, line, EXACT_L1D_TLB, 1);
		}
	}
}

/* Enters and leaves the handlers of signals. */
static void note_interruption(struct exact *exact, uint64_t pc)
{
	if (!exact->continues)
		contexts_signal(&exact->contexts, exact->last_pc, pc);
	exact->continues = false;
	exact->interrupted = false;
}

bool exact_block_begins(struct core *core, const struct block *block, unsigned executed)
{
	const struct prepared *prepared = block->model;
	struct exact *exact = core->exact;
	struct profile_visit *visit;

	if (unlikely(exact->interrupted || exact->continues || block->pc != exact->next_pc))
		note_interruption(exact, block->pc);
	exact->visit = profile_visit(&exact->profile, exact->visit, exact->contexts.current, block);
	if (unlikely(exact->visit == UINT32_MAX))
		return false;
	profile_note(&exact->profile, exact->visit);
	visit = &exact->profile.visits[exact->visit];
	exact->first = exact->line = visit->lines;
	if (likely(executed == prepared->count))
		visit->executions++;
	else
		count_part(core, block, visit->lines, executed);
	return true;
}

void exact_block_ends(struct core *core, const struct block *block, unsigned executed,
		      uint64_t next_pc)
{
	const struct prepared *prepared = block->model;
	struct exact *exact = core->exact;
	uint64_t end = block->pc + 4ull * executed;

	exact->next_pc = next_pc;
	exact->last_pc = end - 4;
	if (executed != prepared->count)
		return;
	switch (prepared->branch) {
	case BRANCH_CALL:
	case BRANCH_INDIRECT_CALL:
		contexts_call(&exact->contexts, end - 4, next_pc, end);
		break;
	case BRANCH_RETURN:
		contexts_return(&exact->contexts, next_pc);
		break;
	case BRANCH_IMMEDIATE:
		contexts_branch(&exact->contexts, end - 4, next_pc);
		break;
	case BRANCH_INDIRECT:
		contexts_jump(&exact->contexts, end - 4, next_pc);
		break;
	default:
		break;
	}
}

void exact_passes(struct core *core, const struct block *block, unsigned executed, uint64_t next_pc)
{
	struct exact *exact = core->exact;

	if (!exact || !executed)
		return;
	if (unlikely(exact->interrupted || exact->continues || block->pc != exact->next_pc))
		note_interruption(exact, block->pc);
	exact_block_ends(core, block, executed, next_pc);
}

void exact_signal_returns(struct exact *exact)
{
	contexts_signal_returns(&exact->contexts);
	exact->continues = true;
}

/*
 * The counts cover the cycles before the current one. Takes the operations dispatched in it back,
 * or gives them back after that.
 */
static void adjust(struct core *core, int64_t sign)
{
	struct exact *exact = core->exact;
	uint64_t first = core->sequence - core->used;

	if (!core->used)
		return;
	for (uint64_t at = first; at != core->sequence; at++)
		profile_add(&exact->profile, exact->lines[at % REORDER_RING], EXACT_OP_RETIRED,
			    sign);
	profile_add(&exact->profile, exact->lines[first % REORDER_RING], EXACT_CPU_CYCLES, sign);
}

/* What is in flight may yet be charged, although its block has executed. */
static void note_in_flight(const struct core *core)
{
	struct exact *exact = core->exact;

	for (uint64_t at = core->head; at != core->sequence; at++)
		profile_note_line(&exact->profile, exact->lines[at % REORDER_RING]);
	for (uint64_t at = core->left_head; at != core->left_sequence; at++)
		profile_note_line(&exact->profile, exact->stores[at % STORE_RING]);
	profile_note_line(&exact->profile, exact->flusher);
	profile_note_line(&exact->profile, exact->line);
}

void exact_tell_changes(struct core *core, profile_told *told, void *user)
{
	adjust(core, -1);
	profile_tell_changes(&core->exact->profile, told, user);
	adjust(core, 1);
	note_in_flight(core);
}

size_t exact_changed(const struct exact *exact)
{
	return exact->profile.changed;
}

static void drop(void *user, uint32_t context, uint64_t pc, const struct profile_counts *counts)
{
	(void)user, (void)context, (void)pc, (void)counts;
}

void exact_drop(struct core *core)
{
	charge_memory(core);
	exact_tell_changes(core, drop, NULL);
}

void exact_tell(struct core *core, profile_told *told, void *user)
{
	adjust(core, -1);
	profile_tell(&core->exact->profile, told, user);
	adjust(core, 1);
	note_in_flight(core);
}
