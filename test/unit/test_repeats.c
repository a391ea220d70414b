/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that repeat are compared, counted and skipped on their way to another thread: that
 * executes or skips just what the program did, in order, with the same predictions.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "qemu/aside.h"
#include "qemu/repeats.h"
#include "qemu/sampled.h"

#define BLOCKS 40
#define BYTES  3 /* accesses of a block, at most */
#define LOG    (1u << 21)

/* ---- What stands in for the core, and for the translated blocks ------------------------------ */

struct core {
	const struct predict_outcome *foreseen;
	uint64_t history; /* of the predictors */
	uint32_t branches;
};

struct period {
	uint32_t blocks, length;
	bool whole;
};

static struct core the_core;
static struct period the_period;
static struct insn_notes notes;
static struct insn insns[2][BLOCK_MAX];
static struct block blocks[BLOCKS];
static uint64_t passed; /* instructions */

/* What the program did. */
static struct logged {
	uint16_t block, next;
	uint16_t result;
	uint16_t data; /* all addresses depend on it */
} * logged;
static uint32_t logged_count, come, skipped, wrong, here;
static uint32_t foreseen; /* blocks that were predicted while they were compared */
static uint64_t instructions;
/* How many may execute in the other thread, and after how many it began. */
static uint64_t limit, began;
static bool has_limit;

static uint64_t random_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return state >> 20;
}

void core_set_foreseen(struct core *core, const struct predict_outcome *outcome)
{
	core->foreseen = outcome;
}

void core_set_activity(struct core *core, const uint8_t *activity)
{
	(void)core, (void)activity;
}

void core_set_block_finder(struct core *core, core_find_block *find, void *user,
			   const _Atomic uint32_t *made)
{
	(void)core, (void)find, (void)user, (void)made;
}

/* What is predicted depends on the last branches. */
static uint64_t after(uint64_t history, uint64_t next_pc)
{
	return (history << 8 | (next_pc >> 12 & 0xff)) & 0xffffffff;
}

/* After so many conditional branches, the predictors learn for ever; after as many more, they no
 * longer do. */
#define TURNS 100000
static bool learns(uint32_t branches)
{
	return branches / TURNS % 2;
}

/* While they learn, one in some branches is predicted as never before. */
static unsigned predicted(uint64_t history, uint32_t branches)
{
	const bool surprises = learns(branches) && branches % 9001 == 0;

	return (unsigned)(history * 0x9e3779b97f4a7c15ull >> 62) ^ surprises;
}

bool core_foresee(struct core *core, const struct block *block, unsigned executed, uint64_t next_pc,
		  struct predict_outcome *outcome)
{
	if (executed < block->count)
		return false;
	*outcome = (struct predict_outcome){
		.result = (uint8_t)predicted(core->history, core->branches)};
	core->history = after(core->history, next_pc);
	core->branches += block->insns[block->count - 1].branch == BRANCH_CONDITIONAL;
	return true;
}

bool core_foresee_state(const struct core *core, struct predictor_mark *mark)
{
	memset(mark, 0, sizeof(*mark));
	mark->path = core->history;
	mark->depth = learns(core->branches) ? core->branches : 0;
	return true;
}

uint32_t core_foresee_room(const struct core *core)
{
	return TURNS - core->branches % TURNS;
}

void core_foresee_skip(struct core *core, uint32_t branches)
{
	core->branches += branches;
}

const struct block *blocks_numbered(uint32_t id)
{
	return &blocks[id];
}

const struct block *blocks_find_known(void *user, uint64_t pc)
{
	(void)user, (void)pc;
	return NULL;
}

uint32_t blocks_count(void)
{
	return BLOCKS;
}

void sampled_pass(uint64_t executed)
{
	passed += executed;
}

struct period *period_new(struct core *core)
{
	(void)core;
	return &the_period;
}

void period_free(struct period *period)
{
	(void)period;
}

void period_begin(struct period *period)
{
	*period = (struct period){0};
}

void period_executed(struct period *period, const struct block *block)
{
	(void)block;
	period->blocks++;
}

void period_ended(struct period *period)
{
	period->length = period->blocks;
	period->blocks = 0;
	period->whole = true;
}

/* Some of them are skipped. */
uint64_t period_skip(struct period *period, uint64_t most, uint64_t *settled, uint64_t every)
{
	const uint64_t count = most ? random_number() % (most + 1) : 0;

	(void)settled, (void)every;
	if (!period->whole || random_number() % 4 == 0)
		return 0;
	come += (uint32_t)(count * period->length);
	skipped += (uint32_t)(count * period->length);
	return count;
}

static uint64_t address_of(const struct logged *of, size_t i)
{
	return 0x10000 + of->data * 64ull + 8 * i + of->block;
}

static void executes(void *user, const struct aside_block *done)
{
	const struct logged *of = &logged[come++];

	wrong += user != &come || done->block->id != of->block ||
		 done->next_pc != blocks[of->next].pc || done->executed != done->block->count ||
		 done->access_count != of->block % (BYTES + 1u) ||
		 the_core.foreseen->result != of->result;
	for (size_t i = 0; i < done->access_count; i++)
		wrong += done->accesses[i].address != address_of(of, i);
}

/* ---- The program's thread -------------------------------------------------------------------- */

/* The program's own thread executes a block: the other one has stopped, or did not begin. */
static void execute_here(const struct aside_block *done, uint64_t history)
{
	the_core.history = history;
	the_core.branches +=
		done->block->insns[done->block->count - 1].branch == BRANCH_CONDITIONAL;
	passed += done->executed;
	come++;
	here++;
}

/* Block `at` executes, with these data, and `next` follows. */
static void step(unsigned at, unsigned data, unsigned next)
{
	static uint64_t history;
	static uint32_t branches;
	struct logged *of = &logged[logged_count++];
	const struct block *current = &blocks[at];
	struct aside_block done = {.block = current,
				   .executed = current->count,
				   .accesses = notes.accesses.list,
				   .next_pc = blocks[next].pc,
				   .follows = random_number() % 5000 != 0};

	if (!has_limit && logged_count > LOG / 2) {
		repeats_stop();
		aside_stop();
		has_limit = true;
	}
	*of = (struct logged){(uint16_t)at, (uint16_t)next, (uint16_t)predicted(history, branches),
			      (uint16_t)data};
	history = after(history, done.next_pc);
	branches += current->insns[current->count - 1].branch == BRANCH_CONDITIONAL;
	instructions += current->count;
	notes.accesses.count = at % (BYTES + 1);
	for (size_t i = 0; i < notes.accesses.count; i++)
		notes.accesses.list[i] =
			(struct access){.address = address_of(of, i), .insn = 0, .bytes = 8};
	if (repeats.compares) {
		foreseen += repeats.of->foresees;
		if (repeats_goes_on(current, &blocks[next], &notes)) {
			assert_true(instructions - began <= limit);
			return;
		}
		repeats_stop();
	}
	if (!aside.runs) {
		repeats_stop();
		/* At times too low to begin. */
		limit = has_limit ? 60000 + random_number() % 100000 : UINT64_MAX;
		began = instructions - current->count;
		aside_start(limit);
	}
	done.access_count = notes.accesses.count;
	if (!aside.runs || !aside_pass(&done)) {
		assert_true(has_limit);
		execute_here(&done, history);
		return;
	}
	assert_true(instructions - began <= limit);
	if (random_number() % 20000 == 0)
		aside_stop();
}

/* Loops in loops, some of which do other things at times. */
static void run_loop(unsigned depth, unsigned first, unsigned next)
{
	const unsigned length = 1 + (unsigned)random_number() % 8;
	unsigned times = 1 + (unsigned)random_number() % (depth ? 40 : 3000);
	const unsigned period = 1 + (unsigned)random_number() % 3;
	const bool varies = random_number() % 4 == 0;

	for (unsigned t = 0; t < times && logged_count < LOG - 100000; t++) {
		const bool last = t + 1 == times;

		for (unsigned i = 0; i < length; i++) {
			const unsigned at = (first + i) % BLOCKS;
			const unsigned then = i + 1 < length ? (at + 1) % BLOCKS
					      : last         ? next
							     : first;

			if (depth && i == 0 && random_number() % 3)
				run_loop(depth - 1, (first + 20) % BLOCKS, at);
			step(at, varies ? t % period : 0, then);
		}
	}
}

static void what_repeats_is_as_it_was(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BLOCKS; i++) {
		blocks[i].id = i;
		blocks[i].pc = 0x400000 + 4096ull * i;
		blocks[i].count = (uint16_t)(1 + random_number() % 20);
		blocks[i].insns = insns[i % 2];
		blocks[i].next[0] = blocks[i].pc + 4ull * blocks[i].count;
		blocks[i].next[1] = blocks[(i + 1) % BLOCKS].pc;
	}
	for (unsigned i = 0; i < BLOCK_MAX; i++)
		insns[0][i].branch = BRANCH_CONDITIONAL;
	logged = calloc(LOG, sizeof(*logged));
	assert_non_null(logged);
	aside_set_up(2, executes);
	aside_begin(&the_core, &come, &notes, false, NULL, true);
	while (logged_count < LOG - 200000) {
		const unsigned first = (unsigned)random_number() % BLOCKS;

		run_loop((unsigned)random_number() % 3, first, (first + 7) % BLOCKS);
	}
	aside_stop();
	assert_int_equal(come, logged_count);
	assert_int_equal(wrong, 0);
	assert_int_equal(passed, instructions);
	assert_true(skipped > logged_count / 10);
	assert_true(foreseen > logged_count / 20);
	assert_true(here > 0 && here < logged_count / 4);
	free(logged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_repeats_is_as_it_was)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
