/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/repeats.h"

#include <stdlib.h>
#include <string.h>

#define REPEATS    4     /* periods that the other thread may know at a time */
#define STABLE     4     /* periods in a row with the same predictors before and after, at least, */
#define STABLE_MAX 64    /* and where loops soon ended: then that of a loop around may be found */
#define ALIKE      4     /* times as many periods in a row in which all was predicted alike */
#define FIRST      64    /* blocks in which a period is looked for at first; then, in more */
#define TRIES      128   /* periods in which they have to be so, and ... */
#define TRY_BLOCKS 32768 /* ... at least as many as have so many blocks */
#define TOLD_EACH  65536 /* blocks, about: the other thread is told of periods that often */
#define WORTH      4     /* times as many blocks have to be compared as it took to find them */
#define REST_LEAST 512   /* blocks */
#define REST_MAX   262144
#define NEVER      UINT32_MAX

struct repeats_state repeats = {.rest = NEVER};

static struct {
	struct core *core;
	struct repeat *all[REPEATS];
	unsigned next;     /* of them */
	bool checks;       /* the period may be .of->length long; else blocks are recorded */
	uint32_t count;    /* of them */
	uint32_t accesses; /* theirs */
	uint32_t limit;    /* how many may be, before it begins anew */
	uint32_t conditional;
	uint64_t instructions;
	uint32_t at; /* the next one to check */
	uint32_t stable, tries;
	uint32_t alike;    /* periods in a row that were predicted as the one before */
	bool differs;      /* something in this one was not */
	uint32_t patience; /* how often predictors have to be stable */
	uint32_t rest;     /* the last one */
	uint64_t spent;    /* blocks, to find the period */
	uint64_t compared; /* since then */
	struct predictor_mark mark;
} finder;

/* Whatever comes next is the first block that may be in a period. */
static void forget(void)
{
	finder.count = finder.accesses = 0;
	finder.conditional = 0;
	finder.instructions = 0;
	finder.checks = false;
}

void repeats_begin(struct core *core)
{
	finder.core = core;
	forget();
	finder.rest = 0;
	finder.spent = 0;
	finder.limit = FIRST;
	finder.patience = STABLE;
	repeats = (struct repeats_state){.rest = REST_LEAST};
}

/* Looks for a period in a while. */
static void rest(void)
{
	finder.rest = 2 * finder.rest + REST_LEAST;
	if (finder.rest > REST_MAX)
		finder.rest = REST_MAX;
	repeats.rest = finder.rest;
	forget();
	finder.limit = FIRST;
	finder.spent = 0;
}

/* ---- Finding one -------------------------------------------------------------------------- */

/* Returns a period that may be overwritten, or NULL if out of memory. */
static struct repeat *take_repeat(void)
{
	struct repeat **slot = &finder.all[finder.next];

	if (!*slot)
		*slot = calloc(1, sizeof(**slot));
	if (*slot)
		aside_wait_for((*slot)->sent);
	return *slot;
}

static bool is_expected(const struct repeat *of, uint32_t at, const struct aside_block *done)
{
	const struct expected *expected = &of->blocks[at];

	return expected->block == done->block && expected->accesses == done->access_count &&
	       same_accesses(done->accesses, &of->accesses[expected->first], expected->accesses);
}

static bool is_conditional(const struct block *block)
{
	return block->insns[block->count - 1].branch == BRANCH_CONDITIONAL;
}

/* Adds a block to those that may be a period. Returns false if there is no room. */
static bool record(struct repeat *of, const struct aside_block *done)
{
	if (finder.count == finder.limit || done->access_count > REPEAT_ACCESSES - finder.accesses)
		return false;
	of->blocks[finder.count++] =
		(struct expected){done->block, finder.accesses, (uint32_t)done->access_count};
	for (size_t i = 0; i < done->access_count; i++)
		of->accesses[finder.accesses++] = done->accesses[i];
	finder.instructions += done->block->count;
	finder.conditional += is_conditional(done->block);
	return true;
}

struct aside_block repeats_block(const struct repeat *repeat, uint32_t i)
{
	const struct expected *expected = &repeat->blocks[i];

	return (struct aside_block){.block = expected->block,
				    .executed = expected->block->count,
				    .accesses = &repeat->accesses[expected->first],
				    .access_count = expected->accesses,
				    .next_pc = expected[1].block->pc,
				    .follows = true};
}

/* What was expected did not come: the period is longer. Returns false if there is no room. */
static bool record_more(struct repeat *of, const struct aside_block *done)
{
	finder.checks = false;
	for (uint32_t i = 0; i < finder.at; i++) {
		const struct aside_block before = repeats_block(of, i);

		if (!record(of, &before))
			return false;
	}
	return record(of, done);
}

/* The blocks so far may be a period. */
static void may_be_whole(struct repeat *of)
{
	of->length = finder.count;
	of->blocks[of->length] = of->blocks[0];
	of->instructions = finder.instructions;
	of->conditional = finder.conditional;
	finder.checks = true;
	finder.at = 1;
	finder.stable = finder.tries = finder.alike = 0;
	finder.differs = true;
}

/* Returns how many periods there may be until somebody has to be told. */
static uint64_t most_of(const struct repeat *of)
{
	const uint64_t left = aside_left() / of->instructions;
	uint64_t most = TOLD_EACH / of->length + 1;

	if (of->conditional && !of->foresees &&
	    most > core_foresee_room(finder.core) / of->conditional)
		most = core_foresee_room(finder.core) / of->conditional;
	return most < left ? most : left;
}

static bool compare(struct repeat *of, bool foresees)
{
	of->foresees = foresees;
	repeats.of = of;
	repeats.at = 0;
	repeats.whole = 0;
	repeats.most = most_of(of);
	repeats.compares = repeats.most > 1;
	finder.compared = 0;
	return repeats.compares;
}

/* A whole period was as expected. Returns false if it is none that can be compared. */
static bool ends_whole(struct repeat *of)
{
	struct predictor_mark mark;

	finder.alike = finder.differs ? 0 : finder.alike + 1;
	finder.differs = false;
	if (core_foresee_state(finder.core, &mark)) {
		finder.stable = memcmp(&mark, &finder.mark, sizeof(mark)) ? 0 : finder.stable + 1;
		finder.mark = mark;
	} else {
		finder.stable = 0;
	}
	if (finder.stable >= finder.patience)
		return compare(of, false);
	if (finder.alike >= ALIKE * finder.patience)
		return compare(of, true);
	return ++finder.tries < TRIES || (uint64_t)finder.tries * of->length < TRY_BLOCKS;
}

static bool same_outcome(const struct predict_outcome *a, const struct predict_outcome *b)
{
	return a->result == b->result && a->pairs == b->pairs && a->wrong_path == b->wrong_path;
}

static bool check(struct repeat *of, const struct aside_block *done,
		  const struct predict_outcome *outcome)
{
	if (!is_expected(of, finder.at, done))
		return record_more(of, done);
	finder.differs |= !same_outcome(&of->outcomes[finder.at], outcome);
	of->outcomes[finder.at] = *outcome;
	if (++finder.at < of->length)
		return true;
	finder.at = 0;
	return ends_whole(of);
}

void repeats_passed(const struct aside_block *done, bool plain,
		    const struct predict_outcome *outcome)
{
	struct repeat *of = finder.count ? finder.all[finder.next] : take_repeat();
	bool goes_on = of && plain;

	finder.spent++;
	if (goes_on && finder.checks) {
		goes_on = check(of, done, outcome);
	} else if (goes_on && finder.count && is_expected(of, 0, done)) {
		may_be_whole(of);
		of->outcomes[0] = *outcome;
		if (of->length == 1) {
			finder.at = 0;
			goes_on = ends_whole(of);
		}
	} else if (goes_on) {
		goes_on = record(of, done);
	}
	if (goes_on)
		return;
	if (of && plain && !finder.checks && finder.limit < REPEAT_BLOCKS) {
		forget();
		finder.limit *= 4;
	} else {
		rest();
	}
}

/* ---- Comparing ---------------------------------------------------------------------------- */

static void tell(void)
{
	struct repeat *of = repeats.of;

	if (!repeats.whole)
		return;
	finder.compared += repeats.whole * of->length;
	if (!of->foresees)
		core_foresee_skip(finder.core, (uint32_t)(repeats.whole * of->conditional));
	of->sent = aside_pass_periods(of, repeats.whole);
	repeats.whole = 0;
}

/* Another period is recorded elsewhere. */
static void end(void)
{
	const bool worth = finder.compared >= WORTH * finder.spent;

	repeats.compares = false;
	finder.next = (finder.next + 1) % REPEATS;
	if (worth)
		finder.rest = 0;
	rest();
	if (worth) {
		repeats.rest = 0;
		finder.patience = STABLE;
	} else if (finder.patience < STABLE_MAX) {
		finder.patience *= 2;
	}
}

void repeats_full(void)
{
	tell();
	repeats.most = most_of(repeats.of);
	if (!repeats.most)
		end();
}

/* Hands over the first blocks of the period, as far as it has begun. */
static void hand_over_begun(const struct repeat *of, uint32_t begun)
{
	for (uint32_t i = 0; i < begun; i++) {
		const struct aside_block done = repeats_block(of, i);

		aside_hand_over(&done, of->foresees ? &of->outcomes[i] : NULL);
	}
}

bool repeats_surprised(void)
{
	const struct repeat *of = repeats.of;
	const uint32_t at = repeats.at;
	const struct aside_block done = repeats_block(of, at);
	struct predict_outcome outcome = {0};

	core_foresee(finder.core, done.block, done.executed, done.next_pc, &outcome);
	if (same_outcome(&outcome, &of->outcomes[at]))
		return false;
	forget();
	tell();
	end();
	hand_over_begun(of, at);
	aside_hand_over(&done, &outcome);
	return true;
}

void repeats_stop(void)
{
	const struct repeat *of = repeats.of;
	const uint32_t begun = repeats.at;

	forget();
	if (!repeats.compares)
		return;
	tell();
	end();
	hand_over_begun(of, begun);
}
