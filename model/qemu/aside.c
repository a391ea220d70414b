/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/aside.h"

#include <sched.h>
#include <string.h>

#include "qemu/belt.h"
#include "qemu/repeats.h"
#include "qemu/sampled.h"

/*
 * To wait for the other thread, and to wake it, takes some microseconds. So, after something had
 * to, blocks are executed here first: a program that calls the system often stays here.
 */
#define HERE_BLOCKS   4096
#define LATER_BLOCKS  65536
#define LEAST         65536 /* instructions for which it is worth while */
#define ACCESSES_MOST 1024  /* of a block that is handed over */
#define PERIODS_AHEAD 4     /* records of periods that the other thread may not have processed */

/*
 * The first word of a record: a block's number, the number of its accesses, and flags. Then come
 * the words that it says there are, in this order, two or fewer for each access, and the block's
 * predicates.
 */
#define COUNT_SHIFT  32
#define COUNT_MASK   0xfffull
#define RESULT_SHIFT 44 /* of a branch: enum predict_result */
#define RESULT_MASK  3ull
#define PAIRS        (1ull << 46)
#define NEXT_SECOND  (1ull << 48) /* block.next[1] followed; else block.next[0] */
#define INTERRUPTED  (1ull << 49) /* aside_block.follows is false */
#define PREDICATED   (1ull << 50)
#define HAS_KNOWN    (1ull << 51) /* a word: blocks of which wrong paths know */
#define HAS_EXECUTED (1ull << 52) /* else all instructions executed */
#define HAS_NEXT     (1ull << 53)
#define HAS_WRONG    (1ull << 54) /* predict_outcome.wrong_path; else it is 0 */
#define PERIODS      (1ull << 55) /* instead of all this: so many periods, whose address follows */
#define IS_RECORD    (1ull << 63) /* always: the belt wants it */
#define FIRST_WORDS  5

/* An access: its address, instruction, and bytes; or 0 bytes, and the address is in a second word.
 */
#define ADDRESS_BITS 48
#define INSN_SHIFT   48
#define INSN_MASK    0x1ffull
#define BYTES_SHIFT  57
#define BYTES_LIMIT  128u

_Static_assert(ACCESSES_MOST <= COUNT_MASK, "the number of accesses fits");
_Static_assert(BLOCK_MAX <= INSN_MASK + 1, "the number of an instruction fits");
_Static_assert(FIRST_WORDS + 2 * ACCESSES_MOST + BLOCK_MAX / 8 <= BELT_RECORD_MAX, "a record fits");

struct aside_state aside;

static bool wanted, over;
static aside_execute *execute_block;

/* The program's thread writes these; the other one writes those in `there`. */
static struct {
	_Alignas(ASIDE_APART) struct core *core;
	struct insn_notes *notes;
	bool predicates;
	uint32_t known; /* what the other thread was told */
	uint64_t left;  /* instructions until it is to stop */
	uint64_t executed;
	uint64_t periods; /* records of them so far */
} here;

static struct {
	_Alignas(ASIDE_APART) _Atomic uint32_t
		known; /* blocks of which the core's wrong paths know */
	void *user;
	struct period *period;
	const struct repeat *repeat; /* what it knows of, or NULL */
	uint64_t *settled;
	_Atomic uint64_t periods; /* records that were processed */
	struct predict_outcome outcome;
	struct access accesses[ACCESSES_MOST];
	uint8_t activity[BLOCK_MAX];
	_Alignas(ASIDE_APART) char end;
} there;

void aside_set_up(unsigned threads, aside_execute *execute)
{
	cpu_set_t set;
	const bool known = !sched_getaffinity(0, sizeof(set), &set);

	wanted = threads > 1 || (!threads && known && CPU_COUNT(&set) > 1);
	if (known)
		belt_allow(&set); /* the program may restrict itself to one */
	execute_block = execute;
}

void aside_begin(struct core *core, void *user, struct insn_notes *notes, bool predicates,
		 uint64_t *settled, bool repeat)
{
	if (!wanted || over)
		return;
	here.core = core;
	here.notes = notes;
	here.predicates = predicates;
	there.user = user;
	there.settled = settled;
	period_free(there.period);
	there.period = repeat ? period_new(core) : NULL;
	there.repeat = NULL;
	if (there.period)
		repeats_begin(core);
	aside.countdown = HERE_BLOCKS;
	atomic_store(&there.known, blocks_count());
	core_set_block_finder(core, blocks_find_known, &there.known, &there.known);
}

void aside_translated(void)
{
	if (!aside.runs)
		atomic_store_explicit(&there.known, blocks_count(), memory_order_relaxed);
}

/* ---- The other thread --------------------------------------------------------------------- */

/* Reads an access. Returns what follows it. */
static inline const uint64_t *read_access(const uint64_t *at, struct access *access)
{
	const uint64_t word = *at++;

	access->insn = (uint16_t)(word >> INSN_SHIFT & INSN_MASK);
	access->bytes = (uint16_t)(word >> BYTES_SHIFT);
	access->address = word & ((1ull << ADDRESS_BITS) - 1);
	if (__builtin_expect(!access->bytes, 0)) {
		access->bytes = (uint16_t)access->address;
		access->address = *at++;
	}
	return at;
}

static void execute_period(const struct repeat *repeat)
{
	for (uint32_t i = 0; i < repeat->length; i++) {
		const struct aside_block done = repeats_block(repeat, i);

		there.outcome = repeat->outcomes[i];
		execute_block(there.user, &done);
		period_executed(there.period, done.block);
	}
	period_ended(there.period);
}

/* Executes periods, or skips them. */
static void take_periods(const struct repeat *repeat, uint64_t count)
{
	if (there.repeat != repeat)
		period_begin(there.period);
	there.repeat = repeat;
	while (count) {
		const uint64_t skipped =
			period_skip(there.period, count, there.settled, ASIDE_SETTLES);

		count -= skipped;
		if (skipped || !count)
			continue;
		execute_period(repeat);
		count--;
	}
	atomic_fetch_add_explicit(&there.periods, 1, memory_order_release);
}

static size_t take_block(const uint64_t *record)
{
	const uint64_t first = *record, *at = record + 1;
	const struct block *block = blocks_numbered((uint32_t)first);
	struct aside_block done = {.block = block,
				   .executed = block->count,
				   .accesses = there.accesses,
				   .access_count = first >> COUNT_SHIFT & COUNT_MASK,
				   .next_pc = block->next[first & NEXT_SECOND ? 1 : 0],
				   .follows = !(first & INTERRUPTED)};

	if (first & HAS_KNOWN)
		atomic_store_explicit(&there.known, (uint32_t)*at++, memory_order_relaxed);
	if (first & HAS_EXECUTED)
		done.executed = (unsigned)*at++;
	if (first & HAS_NEXT)
		done.next_pc = *at++;
	there.outcome.result = first >> RESULT_SHIFT & RESULT_MASK;
	there.outcome.pairs = first & PAIRS;
	there.outcome.wrong_path = first & HAS_WRONG ? *at++ : 0;
	for (size_t i = 0; i < done.access_count; i++)
		at = read_access(at, &there.accesses[i]);
	if (first & PREDICATED) {
		memcpy(there.activity, at, block->count);
		at += (block->count + 7u) / 8;
	}
	there.repeat = NULL;
	execute_block(there.user, &done);
	return (size_t)(at - record);
}

static size_t take(const uint64_t *record)
{
	if (__builtin_expect(*record & PERIODS, 0)) {
		take_periods((const struct repeat *)(uintptr_t)record[1], (uint32_t)*record);
		return 2;
	}
	return take_block(record);
}

/* ---- The program's thread ----------------------------------------------------------------- */

void aside_start(uint64_t instructions)
{
	if (over)
		return;
	if (instructions < LEAST || !belt_start(take)) {
		aside.countdown = LATER_BLOCKS;
		return;
	}
	here.left = instructions;
	here.executed = 0;
	here.known = atomic_load(&there.known);
	aside.runs = true;
	core_set_foreseen(here.core, &there.outcome);
	if (here.predicates)
		core_set_activity(here.core, there.activity);
}

static inline uint64_t *write_access(uint64_t *at, const struct access *access)
{
	const uint64_t insn = (uint64_t)access->insn << INSN_SHIFT;

	if (__builtin_expect(
		    access->address >> ADDRESS_BITS || access->bytes - 1u >= BYTES_LIMIT - 1, 0)) {
		*at++ = access->bytes | insn;
		*at++ = access->address;
	} else {
		*at++ = access->address | insn | (uint64_t)access->bytes << BYTES_SHIFT;
	}
	return at;
}

/* Writes the words before the accesses of a block of whose branch this is predicted. */
static inline uint64_t *write_first(uint64_t *record, const struct aside_block *done,
				    bool predicated, const struct predict_outcome *outcome)
{
	const struct block *block = done->block;
	const uint32_t known = blocks_count();
	uint64_t first = IS_RECORD | block->id | (uint64_t)done->access_count << COUNT_SHIFT;
	uint64_t *at = record + 1;

	if (known != here.known) {
		first |= HAS_KNOWN;
		here.known = known;
		*at++ = known;
	}
	if (done->executed != block->count) {
		first |= HAS_EXECUTED;
		*at++ = done->executed;
	}
	if (done->next_pc == block->next[1]) {
		first |= NEXT_SECOND;
	} else if (done->next_pc != block->next[0]) {
		first |= HAS_NEXT;
		*at++ = done->next_pc;
	}
	first |= (uint64_t)outcome->result << RESULT_SHIFT;
	first |= outcome->pairs ? PAIRS : 0;
	if (outcome->wrong_path) {
		first |= HAS_WRONG;
		*at++ = outcome->wrong_path;
	}
	if (!done->follows)
		first |= INTERRUPTED;
	if (predicated)
		first |= PREDICATED;
	*record = first;
	return at;
}

static inline void hand_over(const struct aside_block *done, bool predicated,
			     const struct predict_outcome *outcome)
{
	const struct block *block = done->block;
	uint64_t *record, *at;

	here.left -= done->executed;
	here.executed += done->executed;
	record = belt_room(FIRST_WORDS + 2 * done->access_count + BLOCK_MAX / 8);
	at = write_first(record, done, predicated, outcome);
	for (size_t i = 0; i < done->access_count; i++)
		at = write_access(at, &done->accesses[i]);
	if (predicated) {
		memcpy(at, here.notes->activity, block->count);
		at += (block->count + 7u) / 8;
	}
	belt_put((size_t)(at - record));
}

/* Predicts what follows a block. */
static inline void foresee(const struct aside_block *done, struct predict_outcome *outcome)
{
	core_foresee(here.core, done->block, done->executed, done->next_pc, outcome);
}

void aside_hand_over(const struct aside_block *done, const struct predict_outcome *outcome)
{
	struct predict_outcome foreseen = {0};

	if (!outcome)
		foresee(done, &foreseen);
	hand_over(done, false, outcome ? outcome : &foreseen);
}

/* Whether a block may be in a period: nothing but its accesses is to be compared. */
static bool is_plain(const struct aside_block *done)
{
	const struct block *block = done->block;

	return done->follows && done->executed == block->count && !here.notes->predicated &&
	       !(block->insns[block->count - 1].memory & MEM_HIDDEN);
}

bool aside_pass(const struct aside_block *done)
{
	struct predict_outcome outcome = {0};

	if (done->access_count > ACCESSES_MOST || here.left < BLOCK_MAX ||
	    done->block->id >= BLOCKS_NUMBERED) {
		aside_stop();
		return false;
	}
	foresee(done, &outcome);
	hand_over(done, here.notes->predicated, &outcome);
	if (repeats.rest)
		repeats.rest -= repeats.rest != UINT32_MAX;
	else
		repeats_passed(done, is_plain(done), &outcome);
	return true;
}

uint64_t aside_left(void)
{
	return here.left > BLOCK_MAX ? here.left - BLOCK_MAX : 0;
}

uint64_t aside_pass_periods(const struct repeat *repeat, uint64_t periods)
{
	uint64_t *record;

	if (here.periods - atomic_load_explicit(&there.periods, memory_order_acquire) >=
	    PERIODS_AHEAD)
		belt_drain();
	here.left -= periods * repeat->instructions;
	here.executed += periods * repeat->instructions;
	record = belt_room(2);
	record[0] = IS_RECORD | PERIODS | periods;
	record[1] = (uintptr_t)repeat;
	belt_put(2);
	return ++here.periods;
}

void aside_wait_for(uint64_t record)
{
	if (atomic_load_explicit(&there.periods, memory_order_acquire) < record)
		belt_drain();
}

void aside_stop(void)
{
	if (!aside.runs)
		return;
	repeats_stop();
	belt_drain();
	aside.runs = false;
	core_set_foreseen(here.core, NULL);
	if (here.predicates)
		core_set_activity(here.core, here.notes->activity);
	atomic_store(&there.known, blocks_count());
	sampled_pass(here.executed);
	aside.countdown = HERE_BLOCKS;
}

void aside_end(void)
{
	aside_stop();
	over = true;
	aside.countdown = 0;
}

void aside_forked(void)
{
	aside.countdown = 0;
	over = false;
	belt_forked();
}
