/* SPDX-License-Identifier: Apache-2.0 */
/* Charges slots, cycles and misses to instructions, beside account.c, which counts them. */
#include "exact.h"

#include <stdlib.h>
#include <string.h>

#include "charge.h"
#include "memo.h"
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
#define RECOVERY STARVE_COUNT /* in place of STARVE_FLUSH: what the backend has of it */
_Static_assert(BLAME_COUNT *BLOCKERS + STARVE_COUNT + 1 <= PROFILE_KINDS, "there are more kinds");

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

	memo_forget(core);
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
	exact->profile.kinds[starve_kind(RECOVERY)] =
		(struct profile_kind){EXACT_SLOTS_BACKEND_RECOVERY,
				      {EXACT_STALL_BACKEND_CPUBOUND, EXACT_COUNT, EXACT_COUNT}};
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

/* Adds to the current instruction. */
static void add_own(struct exact *exact, unsigned event, uint64_t count)
{
	add(exact, exact->line, event, count);
	exact_note(exact, event, count);
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

/* Whom a loss is charged to; `number` is that of an operation or a store. */
struct whom {
	uint32_t line;
	enum charge_target target;
	uint64_t number;
};

static struct whom current(const struct exact *exact)
{
	return (struct whom){exact->line, CHARGE_OWN, 0};
}

/* Notes a loss of the block that is recorded: to one of its own instructions, if it is. */
static void note_loss(struct exact *exact, const struct whom *whom, unsigned kind,
		      const struct lost *lost)
{
	const struct notes *notes = &exact->notes;
	enum charge_target target = whom->target;
	int64_t where = whom->line - (int64_t)exact->first, back = 0;

	if (target == CHARGE_OPERATION)
		back = (int64_t)(whom->number - notes->sequence);
	else if (target == CHARGE_STORE)
		back = (int64_t)(whom->number - notes->stored);
	else if (target == CHARGE_FLUSHER)
		where = notes->flusher < 0 ? exact->line - (int64_t)exact->first : notes->flusher;
	if (back < 0)
		where = back;
	else if (target != CHARGE_FLUSHER || notes->flusher >= 0)
		target = CHARGE_OWN;
	note_charge(exact, target, where, EXACT_COUNT + kind, lost->slots, lost->cycles);
}

static void lose(struct exact *exact, struct whom whom, unsigned kind, struct lost lost)
{
	if (!(lost.slots | lost.cycles))
		return;
	profile_lose(&exact->profile, whom.line, kind, lost.slots, lost.cycles);
	if (unlikely(exact->notes.on))
		note_loss(exact, &whom, kind, &lost);
}

void exact_starved(struct core *core, uint64_t until)
{
	const struct cycles recovery = recovery_until(core, until);
	const bool recovers = recovery.begin < recovery.end;
	const uint64_t ends[] = {recovers ? recovery.begin : 0,
				 recovers ? recovery.end : 0,
				 core->flush_until,
				 core->unstalled,
				 core->translated,
				 until};
	const unsigned causes[] = {STARVE_FLUSH, RECOVERY,   STARVE_FLUSH,
				   STARVE_FLOW,  STARVE_TLB, core->fetch_starve};
	struct exact *exact = core->exact;
	uint64_t cycle = core->cycle;

	for (int i = 0; i < 6 && cycle < until; i++) {
		uint64_t end = ends[i] < until ? ends[i] : until;
		struct whom whom = current(exact);

		if (end <= cycle)
			continue;
		if (causes[i] == STARVE_FLUSH || causes[i] == RECOVERY) {
			whom.line = exact->flusher ? exact->flusher : whom.line;
			whom.target = CHARGE_FLUSHER;
		}
		lose(exact, whom, starve_kind(causes[i]), lost_between(core, cycle, end));
		cycle = end;
	}
}

void exact_width(struct core *core)
{
	const uint64_t narrow = core->slots - core->width;

	core->exact->profile.lines[core->exact->line].narrow += narrow;
	exact_note(core->exact, CHARGE_NARROW, narrow);
}

/* Returns the oldest store that is in the store queue at `cycle`. */
static struct whom oldest_store(const struct core *core, uint64_t cycle)
{
	const struct exact *exact = core->exact;
	uint64_t store = core->left_head, number;

	while (store != core->left_sequence && core->left[store % STORE_RING] <= cycle)
		store++;
	if (store == core->left_sequence)
		return current(exact);
	number = exact->stored - (core->left_sequence - store);
	return (struct whom){exact->stores[number % STORE_RING], CHARGE_STORE, number};
}

/*
 * Charges what a mixed wait has for its first cause until `end`, and returns where the rest begins.
 * A cycle that is partly used is no stalled one.
 */
static uint64_t charge_first(struct core *core, struct whom whom, const struct wait *wait,
			     unsigned blocker, uint64_t cycle, uint64_t end)
{
	const uint64_t stalled = cycle + (cycle == core->cycle && core->used);
	const uint64_t count = stalled < end ? wait_for_first(wait, stalled, end) : 0;

	if (!count)
		return cycle;
	lose(core->exact, whom, stall_kind(wait->first, blocker),
	     lost_between(core, cycle, stalled + count));
	return stalled + count;
}

void exact_stalled(struct core *core, uint64_t until, unsigned blocker)
{
	uint64_t cycle = core->cycle, head = core->head;

	while (cycle < until) {
		struct whom whom = current(core->exact);
		unsigned blame = BLAME_CORE;
		uint64_t end = until;

		while (head != core->sequence && core->retired[head & core->reorder_mask] <= cycle)
			head++;
		if (head != core->sequence) {
			const struct wait *wait = &core->waits[head & core->reorder_mask];
			uint64_t retired = core->retired[head & core->reorder_mask];

			whom = (struct whom){core->exact->lines[head % REORDER_RING],
					     CHARGE_OPERATION, head};
			end = retired < end ? retired : end;
			if (wait->sequence == head) {
				blame = wait->then;
				if (wait->until > cycle) {
					end = wait->until < end ? wait->until : end;
					blame = wait->first;
					if (wait->mixed) {
						blame = wait->then;
						cycle = charge_first(core, whom, wait, blocker,
								     cycle, end);
					}
				}
			}
		}
		if (blame == BLAME_CORE && blocker == HOLD_STORE)
			whom = oldest_store(core, cycle);
		lose(core->exact, whom, stall_kind(blame, blocker), lost_between(core, cycle, end));
		cycle = end;
	}
}

void exact_wrong_path(struct core *core, unsigned operations)
{
	struct exact *exact = core->exact;

	add_own(exact, EXACT_SLOTS_BAD_SPECULATION, operations);
	if (core->used != operations)
		return;
	exact->profile.lines[exact->line].cycles++;
	exact_note(exact, CHARGE_CYCLES, 1);
}

void exact_mispredicted(struct core *core)
{
	add_own(core->exact, EXACT_BR_MIS_PRED_RETIRED, 1);
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

/* Counts two events of an access or fetch as charged by its execution. */
static void expect(struct exact *exact, unsigned first, unsigned second)
{
	++*known(exact, first);
	++*known(exact, second);
}

uint64_t exact_changes(struct exact *exact, const uint64_t *counts)
{
	uint64_t changes = 0;

	/* Without a branch or a look-up of what an event counts: most misses come here. */
#define EXACT_SLOTS(name, text)
#define EXACT_EVENT(name)                                                                  \
	if (EXACT_##name >= EXACT_MEMORY_FIRST)                                            \
		changes |= (uint64_t)(counts[EVENT_##name] != *known(exact, EXACT_##name)) \
			   << (unsigned)(EXACT_##name - EXACT_MEMORY_FIRST) % 64;
#include "exact.def"
#undef EXACT_EVENT
#undef EXACT_SLOTS
	return changes;
}
_Static_assert(EXACT_MEMORY_COUNT <= 64, "a word has a bit for each");

void exact_charge_changes(struct exact *exact, uint32_t line, uint64_t changes,
			  const uint64_t *counts)
{
	struct profile_memory *memory = changes ? profile_memory(&exact->profile, line) : NULL;
	uint32_t from = 0;

	if (memory)
		memory->counted |= changes;
	for (; changes; changes &= changes - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(changes);
		const uint64_t now = counts[exact_events[EXACT_MEMORY_FIRST + i]];
		const int64_t more = (int64_t)(now - exact->known[i]);

		if (memory)
			memory->counts[i] += more;
		else
			profile_add_after(&exact->profile, line, &from, EXACT_MEMORY_FIRST + i,
					  more);
		exact->known[i] = now;
	}
}

void exact_count_accesses(const struct core *core, uint64_t counts[4])
{
	counts[0] = core->loads + core->load_crossings;
	counts[1] = core->stores + core->store_crossings;
	counts[2] = core->load_crossings;
	counts[3] = core->store_crossings;
}

/* Charges all that has changed and is not expected. */
static __attribute__((noinline)) void charge_memory(struct core *core)
{
	struct exact *exact = core->exact;
	uint64_t *counts = core->counts, accesses[4];

	if (memory_page_faults(core->memory) != core->faults_taken)
		exact->faulter = exact->line;
	exact_count_accesses(core, accesses);
	for (unsigned e = 0; e < 4; e++)
		counts[exact_events[EXACT_MEMORY_FIRST + e]] = accesses[e];
	exact_charge_changes(exact, exact->line, exact_changes(exact, counts), counts);
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
	uint64_t sum;

	exact->profile.lines[exact->line].fetches++;
	if (unlikely(exact->notes.on)) {
		exact_note(exact, CHARGE_FETCHES, 1);
		return;
	}
	sum = fetch_sum(core->counts);
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

	if (unlikely(exact->notes.on)) {
		note_accesses(core, op);
		return;
	}
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

void exact_shares(struct core *core, const struct block *block, const struct op *op,
		  const struct access *first, const struct access *end)
{
	struct exact *exact = core->exact;
	enum lines_access access = op->memory & MEM_ATOMIC  ? LINES_ATOMIC
				   : op->memory & MEM_STORE ? LINES_STORE
							    : LINES_LOAD;

	/* An attempt to replay the block may have counted them. */
	if (!exact->notes.on || index_of(block, op) >= exact->shared_until)
		lines_accessed(exact->shared, address_of(block, op), access, first, end);
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
	memo_leave(core);
	memo_settle(core);
	adjust(core, -1);
	profile_tell_changes(&core->exact->profile, told, user);
	adjust(core, 1);
	note_in_flight(core);
}

void exact_set_told(struct exact *exact, uint64_t cycle)
{
	exact->told_at = cycle;
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
	memo_leave(core);
	charge_memory(core);
	exact_tell_changes(core, drop, NULL);
}

void exact_tell(struct core *core, profile_told *told, void *user)
{
	memo_leave(core);
	memo_settle(core);
	adjust(core, -1);
	profile_tell(&core->exact->profile, told, user);
	adjust(core, 1);
	note_in_flight(core);
}
