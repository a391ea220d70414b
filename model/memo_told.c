/* SPDX-License-Identifier: Apache-2.0 */
/* Notes what a block asks while it is recorded, and gives it the answers that are known already. */
#include "memo_answers.h"

/* The results that have an answer, as far as they matter. */

static inline uint64_t take_cycles(uint64_t *answer)
{
	const uint64_t cycles = *answer & ((1u << ANSWER_CYCLES) - 1);

	*answer >>= ANSWER_CYCLES;
	return cycles;
}

static struct memory_result load_result(uint64_t answer, uint64_t cycle)
{
	struct memory_result result = {0};

	result.translated = cycle + take_cycles(&answer);
	result.ready = cycle + take_cycles(&answer);
	result.level = answer & 15;
	result.tlb = answer >> 4 & 7;
	result.crosses_line = answer >> 7 & 1;
	result.crosses_page = answer >> 8;
	return result;
}

static struct memory_result translate_result(uint64_t answer, uint64_t cycle)
{
	struct memory_result result = {.ready = cycle, .translated = cycle};

	if (answer == TRANSLATE_HITS_BOTH) {
		result.crosses_line = true;
	} else if (answer) {
		result.ready = result.translated = cycle + take_cycles(&answer);
		result.tlb = TLB_WALK;
	}
	return result;
}

static struct memory_result store_result(uint64_t answer, uint64_t cycle)
{
	struct memory_result result = {.translated = cycle};

	result.ready = cycle + take_cycles(&answer);
	result.crosses_line = answer;
	return result;
}

static struct memory_result fetch_result(uint64_t answer, uint64_t cycle)
{
	struct memory_result result = {.ready = cycle, .translated = cycle};

	if (answer) {
		result.translated = cycle + take_cycles(&answer);
		result.ready = cycle + take_cycles(&answer);
		result.tlb = answer & 2 ? TLB_WALK : TLB_L1_HIT;
		result.level = answer & 4 ? LEVEL_DRAM : LEVEL_L2;
	}
	return result;
}

/* A store that has some of a load's bytes: how old it is, where it is, and which they are. */
static inline uint64_t describe_store(const struct core *core, const struct recent_store *store,
				      uint64_t address)
{
	const uint64_t page = core->params->page_bytes;
	const uint64_t last = store->address + store->bytes - 1;

	return 1 | (core->buffer_sequence - store->number) << 1 |
	       ((store->address - address) & 0x3ff) << 9 | (uint64_t)store->bytes << 19 |
	       (uint64_t)(((store->address ^ last) & ~(page - 1)) != 0) << 31;
}

bool describe_stores(const struct core *core, uint64_t cycle, uint64_t address, unsigned bytes,
		     uint64_t forward[2])
{
	const uint64_t end = address + bytes;

	for (uint64_t granule = address / 8; granule * 8 < end; granule++) {
		const struct forward *entry = &core->forwards[granule % FORWARD_ENTRIES];

		for (unsigned i = 0; i < FORWARD_STORES && entry->granule == granule; i++) {
			const struct recent_store *store =
				&core->recent_stores[entry->stores[i] % RECENT_STORES];
			const unsigned have =
				granule_bytes(granule, address, end) & entry->bytes[i];
			unsigned k = 0;
			uint64_t all, known;

			if (!have || store->number != entry->stores[i] || store->gone <= cycle)
				continue;
			if (bytes > 16 || store->bytes > ACCESS_BYTES)
				return false;
			known = describe_store(core, store, address);
			while (k < 2 && forward[k] && (uint32_t)forward[k] != (uint32_t)known)
				k++;
			if (k == 2)
				return false;
			/* The bytes from the first one's granule on, of which there are at most 23.
			 */
			all = (uint64_t)have << (granule - address / 8) * 8;
			forward[k] |= known | all << 32;
		}
	}
	return true;
}

enum given { GIVEN_NOT, GIVEN_ANSWER, GIVEN_LAST };

/* Notes what is asked, and tells whether the answer is given. */
static struct step *ask(struct told *told, unsigned kind, uint64_t cycle, enum given *given)
{
	struct step *step = &told->steps[told->count];

	*given = GIVEN_NOT;
	if (told->count < told->given)
		*given = told->count == told->last_at ? GIVEN_LAST : GIVEN_ANSWER;
	*step = (struct step){.kind = (uint8_t)kind, .cycle = (int32_t)(cycle - told->begun)};
	if (*given == GIVEN_ANSWER)
		step->answer = told->answers[told->count].answer;
	if (told->count == STEPS_MAX - 2) /* the last two are for this, and STEP_END */
		told->fails = true;
	else
		told->count++;
	return step;
}

/* Charges the instruction at `pc` with what memory has counted since charges_step_begins(). */
static void charge_asked(struct core *core, const struct step *step, uint64_t pc, uint64_t begun,
			 uint64_t answer)
{
	charges_step_ends(core, step->kind, hits_both(core, step->kind, answer),
			  (unsigned)(pc - core->told->block->pc) / 4, core->told->usual, begun);
}

/* Notes where an address is from. */
static void note_address(struct told *told, struct step *step, uint64_t pc, uint64_t address,
			 unsigned bytes)
{
	const uint64_t insn = (pc - told->block->pc) / 4;
	unsigned i = 0;

	while (i < told->access_count && told->accesses[i].insn != insn)
		i++;
	step->access = (uint8_t)i;
	step->bytes = (uint16_t)bytes;
	if (i == told->access_count || address - told->accesses[i].address > ACCESS_BYTES ||
	    bytes > ACCESS_BYTES)
		told->fails = true;
	else
		step->offset = (int32_t)(address - told->accesses[i].address);
}

static inline void note_answer(struct core *core, struct step *step, uint64_t answer)
{
	struct told *told = core->told;

	step->answer = answer;
	usual_add(told->usual, step->kind, hits_both(core, step->kind, answer));
	told->fails |= answer == ANSWER_NONE;
}

void told_issue(struct core *core, uint64_t issue, uint64_t address, unsigned bytes)
{
	struct told *told = core->told;
	struct near *near = &told->near[told->near_count];

	told->is_near = false;
	if (!find_stores(core, issue, address, bytes, near->stores) ||
	    (near->stores[0] && told->near_count == NEAR_MAX - 1)) {
		told->fails = true;
	} else if (near->stores[0]) {
		near->issue = (int64_t)(issue - told->begun);
		told->is_near = true;
		told->near_count++;
	}
}

bool told_load(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address, unsigned bytes,
	       bool own, struct memory_result *result)
{
	struct told *told = core->told;
	enum given given;
	const unsigned far = own ? STEP_OWN : STEP_LOAD, near = own ? STEP_OWN_NEAR : STEP_NEAR;
	struct step *step = ask(told, told->is_near ? near : far, cycle, &given);
	const uint64_t begun = charges_step_begins(core, step->kind);

	step->near = told->is_near ? told->near_count - 1 : 0;
	if (given == GIVEN_ANSWER)
		*result = load_result(step->answer, cycle);
	else if (given == GIVEN_LAST)
		*result = told->last;
	else
		memory_load(core->memory, cycle, pc, address, bytes, own, result);
	if (given == GIVEN_NOT)
		charge_asked(core, step, pc, begun, load_answer(result, cycle));
	note_address(told, step, pc, address, bytes);
	note_answer(core, step, load_answer(result, cycle));
	return !(result->level | result->tlb | result->crosses_line);
}

void told_translate(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address,
		    unsigned bytes, struct memory_result *result)
{
	struct told *told = core->told;
	enum given given;
	struct step *step = ask(told, STEP_TRANSLATE, cycle, &given);
	const uint64_t begun = charges_step_begins(core, step->kind);

	if (given == GIVEN_ANSWER)
		*result = translate_result(step->answer, cycle);
	else if (given == GIVEN_LAST)
		*result = told->last;
	else
		memory_translate(core->memory, cycle, address, bytes, result);
	if (given == GIVEN_NOT)
		charge_asked(core, step, pc, begun, translate_answer(result, cycle));
	note_address(told, step, pc, address, bytes);
	note_answer(core, step, translate_answer(result, cycle));
}

void told_store(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address, unsigned bytes,
		bool full_line, struct memory_result *result)
{
	struct told *told = core->told;
	enum given given;
	struct step *step = ask(told, STEP_STORE, cycle, &given);
	const uint64_t begun = charges_step_begins(core, step->kind);

	if (given == GIVEN_ANSWER)
		*result = store_result(step->answer, cycle);
	else if (given == GIVEN_LAST)
		*result = told->last;
	else
		memory_store(core->memory, cycle, pc, address, bytes, full_line, result);
	if (given == GIVEN_NOT)
		charge_asked(core, step, pc, begun, store_answer(result, cycle));
	note_address(told, step, pc, address, bytes);
	note_answer(core, step, store_answer(result, cycle));
}

void told_prefetch(struct core *core, uint64_t cycle, uint64_t pc, uint64_t address, bool for_store)
{
	struct told *told = core->told;
	enum given given;
	struct step *step = ask(told, STEP_PREFETCH, cycle, &given);
	const uint64_t begun = charges_step_begins(core, step->kind);

	if (given == GIVEN_NOT) {
		memory_prefetch(core->memory, cycle, address, for_store);
		charge_asked(core, step, pc, begun, step->answer);
	}
	note_address(told, step, pc, address, 1);
	step->bytes = for_store;
}

bool told_fetch(struct core *core, uint64_t cycle, uint64_t pc, struct memory_result *result)
{
	struct told *told = core->told;
	enum given given;
	struct step *step = ask(told, STEP_FETCH, cycle, &given);
	const uint64_t begun = charges_step_begins(core, step->kind);
	bool at_hand;

	if (given == GIVEN_ANSWER) {
		at_hand = !step->answer;
		*result = fetch_result(step->answer, cycle);
	} else if (given == GIVEN_LAST) {
		at_hand = told->at_hand;
		*result = told->last;
	} else {
		at_hand = fetch_line(core, cycle, pc, result);
		charge_asked(core, step, pc, begun, fetch_answer(result, cycle, at_hand));
	}
	step->offset = (int32_t)(pc - told->block->pc);
	note_answer(core, step, fetch_answer(result, cycle, at_hand));
	return at_hand;
}

uint64_t told_loads_done(struct core *core)
{
	struct told *told = core->told;
	const uint64_t cycles = cycles_left(told->loads_done, told->begun);
	enum given given;

	note_answer(core, ask(told, STEP_LOADS_DONE, told->begun, &given), cycles);
	return told->begun + cycles;
}

void told_branch(struct core *core, uint64_t pc, unsigned kind, bool taken, uint64_t target,
		 struct predict_outcome *outcome)
{
	struct told *told = core->told;
	enum given given;
	struct step *step = ask(told, STEP_BRANCH, told->begun, &given);

	told->resolved = core->cycle;
	if (given == GIVEN_NOT)
		predictor_branch(core->predictor, pc, kind, taken, target, outcome);
	else
		*outcome = told->outcome;
	step->answer = branch_answer(outcome, pc, taken);
}

void told_wrong_path(struct core *core, uint64_t operations, uint64_t begun)
{
	core->told->operations = operations;
	core->told->wrong = begun;
}
