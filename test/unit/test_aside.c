/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks did, on its way to another thread: nothing is lost or changed. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "period.h"
#include "qemu/aside.h"
#include "qemu/sampled.h"

#define BLOCKS   64
#define ROUNDS   50000
#define HERE     4096  /* blocks that are executed here first */
#define MOST     1024  /* accesses that are handed over */
#define EXPECTED 256   /* rounds between two drains */
#define LEFT     70000 /* instructions */

/* ---- What stands in for the core, and for the translated blocks ------------------------------ */

struct core {
	const struct predict_outcome *foreseen;
	const uint8_t *activity;
	core_find_block *find;
	void *find_user;
};

static struct core the_core;
static struct insn_notes notes;
static struct insn insns[BLOCK_MAX];
static struct block blocks[BLOCKS];
static _Atomic uint32_t count_made = 1;
static uint64_t passed; /* instructions */

void core_set_foreseen(struct core *core, const struct predict_outcome *outcome)
{
	core->foreseen = outcome;
}

void core_set_activity(struct core *core, const uint8_t *activity)
{
	core->activity = activity;
}

void core_set_block_finder(struct core *core, core_find_block *find, void *user,
			   const _Atomic uint32_t *made)
{
	core->find = find;
	core->find_user = user;
	assert_ptr_equal(user, made);
}

/* Any outcome that depends on where the block leads. */
bool core_foresee(struct core *core, const struct block *block, unsigned executed, uint64_t next_pc,
		  struct predict_outcome *outcome)
{
	(void)core;
	*outcome = (struct predict_outcome){.result = next_pc >> 3 & 3,
					    .pairs = next_pc >> 5 & 1,
					    .wrong_path = next_pc >> 6 & 1 ? next_pc * 3 : 0};
	return executed == block->count && block->id % 4;
}

/* Nothing is looked for that repeats: test_repeats.c has that. */
bool core_foresee_state(const struct core *core, struct predictor_mark *mark)
{
	(void)core, (void)mark;
	return false;
}

uint32_t core_foresee_room(const struct core *core)
{
	(void)core;
	return 0;
}

void core_foresee_skip(struct core *core, uint32_t branches)
{
	(void)core, (void)branches;
}

struct period *period_new(struct core *core)
{
	(void)core;
	return NULL;
}

void period_free(struct period *period)
{
	(void)period;
}

void period_begin(struct period *period)
{
	(void)period;
}

void period_executed(struct period *period, const struct block *block)
{
	(void)period, (void)block;
}

void period_ended(struct period *period)
{
	(void)period;
}

uint64_t period_skip(struct period *period, uint64_t most, uint64_t *settled, uint64_t every)
{
	(void)period, (void)most, (void)settled, (void)every;
	return 0;
}

const struct block *blocks_numbered(uint32_t id)
{
	return &blocks[id];
}

const struct block *blocks_find_known(void *user, uint64_t pc)
{
	(void)pc;
	return &blocks[atomic_load((const _Atomic uint32_t *)user) - 1];
}

uint32_t blocks_count(void)
{
	return atomic_load(&count_made);
}

void sampled_pass(uint64_t executed)
{
	passed += executed;
}

/* ---- What is expected, and what comes ------------------------------------------------------- */

static struct expected {
	struct aside_block done;
	struct access accesses[MOST];
	struct predict_outcome outcome;
	bool predicted, predicated;
	uint8_t activity[BLOCK_MAX];
	uint32_t known;
} expected[EXPECTED];

static unsigned come; /* since the last drain */
static unsigned wrong;

static void executes(void *user, const struct aside_block *done)
{
	const struct expected *e = &expected[come++];

	wrong += user != &come || done->block != e->done.block ||
		 done->executed != e->done.executed || done->next_pc != e->done.next_pc ||
		 done->follows != e->done.follows || done->access_count != e->done.access_count;
	if (wrong)
		return;
	for (size_t i = 0; i < done->access_count; i++)
		wrong += done->accesses[i].address != e->accesses[i].address ||
			 done->accesses[i].insn != e->accesses[i].insn ||
			 done->accesses[i].bytes != e->accesses[i].bytes;
	if (e->predicted)
		wrong += the_core.foreseen->result != e->outcome.result ||
			 the_core.foreseen->pairs != e->outcome.pairs ||
			 the_core.foreseen->wrong_path != e->outcome.wrong_path;
	if (e->predicated)
		wrong += memcmp(the_core.activity, e->activity, done->block->count) != 0;
	wrong += the_core.find(the_core.find_user, 0) != &blocks[e->known - 1];
}

static uint64_t random_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return state >> 20;
}

static void make_blocks(void)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		blocks[i].id = i;
		blocks[i].pc = 0x400000 + 4096ull * i;
		blocks[i].count = (uint16_t)(i == 1 ? BLOCK_MAX : 1 + random_number() % 20);
		blocks[i].insns = insns;
		blocks[i].next[0] = blocks[i].pc + 4ull * blocks[i].count;
		blocks[i].next[1] = i % 3 ? blocks[i].next[0] : random_number();
	}
}

/* Makes up what a block did. */
static void make_up(struct expected *e)
{
	const struct block *block = &blocks[random_number() % blocks_count()];
	const uint64_t kind = random_number();

	e->done = (struct aside_block){
		.block = block,
		.executed =
			kind % 7 ? block->count : (unsigned)(random_number() % (block->count + 1u)),
		.accesses = e->accesses,
		.access_count = random_number() % (kind % 61 ? 6 : MOST + 1),
		.next_pc = block->next[kind >> 4 & 1],
		.follows = kind >> 5 & 7};
	if (!(kind >> 8 & 7))
		e->done.next_pc = random_number() << 20 | random_number();
	for (size_t i = 0; i < e->done.access_count; i++)
		e->accesses[i] = (struct access){
			.address = random_number() * (random_number() % 50 ? 1 : 0x100000001),
			.insn = (uint16_t)(random_number() % BLOCK_MAX),
			.bytes = (uint16_t)(random_number() % 40 ? 1u << random_number() % 7
								 : random_number() % 1024)};
	e->predicted =
		core_foresee(&the_core, block, e->done.executed, e->done.next_pc, &e->outcome);
	notes.predicated = e->predicated = !(kind >> 12 & 3);
	for (unsigned i = 0; i < block->count; i++)
		e->activity[i] = notes.activity[i] = (uint8_t)(random_number() % ACTIVITY_COUNT);
	e->known = blocks_count();
}

static void blocks_arrive_as_they_were(void **state)
{
	uint64_t executed = 0;

	(void)state;
	make_blocks();
	aside_set_up(2, executes);
	aside_begin(&the_core, &come, &notes, true, NULL, false);
	for (unsigned i = 1; i < HERE; i++)
		assert_false(aside_is_due());
	assert_true(aside_is_due());
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct expected *e = &expected[i % EXPECTED];

		if (!aside.runs) {
			come = 0;
			aside_start(UINT64_MAX);
			assert_true(aside.runs);
		}
		if (random_number() % 100 == 0 && blocks_count() < BLOCKS) {
			atomic_fetch_add(&count_made, 1);
			aside_translated();
		}
		make_up(e);
		executed += e->done.executed;
		assert_true(aside_pass(&e->done));
		if (i % EXPECTED == EXPECTED - 1) {
			aside_stop();
			assert_int_equal(come, EXPECTED);
			assert_int_equal(wrong, 0);
			assert_int_equal(passed, executed);
			assert_null(the_core.foreseen);
			assert_ptr_equal(the_core.activity, notes.activity);
		}
	}
	aside_stop();
	assert_int_equal(wrong, 0);
	assert_int_equal(blocks_count(), BLOCKS);
}

static void what_does_not_fit_is_executed_here(void **state)
{
	static struct access accesses[MOST + 1];
	struct aside_block done = {.block = &blocks[1], /* the longest */
				   .executed = blocks[1].count,
				   .accesses = accesses,
				   .access_count = MOST + 1,
				   .next_pc = blocks[1].next[0],
				   .follows = true};
	unsigned come_most = 0;

	(void)state;
	notes.predicated = false;
	aside_start(UINT64_MAX);
	assert_true(aside.runs);
	assert_false(aside_pass(&done));
	assert_false(aside.runs);

	/* So few instructions are left that the next block could have more. */
	done.access_count = 0;
	come = 0;
	aside_start(LEFT);
	for (unsigned left = LEFT; left >= BLOCK_MAX; left -= done.executed) {
		expected[come_most++] = (struct expected){.done = done, .known = blocks_count()};
		assert_true(aside_pass(&done));
	}
	assert_false(aside_pass(&done));
	assert_false(aside.runs);
	assert_int_equal(come, come_most);
	assert_int_equal(wrong, 0);
}

static void a_short_stretch_is_executed_here(void **state)
{
	(void)state;
	aside_start(1000);
	assert_false(aside.runs);
	assert_true(aside.countdown > HERE);
	aside_end();
	assert_int_equal(aside.countdown, 0);
	assert_false(aside_is_due());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_arrive_as_they_were),
		cmocka_unit_test(what_does_not_fit_is_executed_here),
		cmocka_unit_test(a_short_stretch_is_executed_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
