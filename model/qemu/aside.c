/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/aside.h"

#include <sched.h>
#include <string.h>

#include "qemu/belt.h"
#include "qemu/sampled.h"

/*
 * To wait for the other thread, and to wake it, takes some microseconds. So, after something had
 * to, blocks are executed here first: a program that calls the system often stays here.
 */
#define HERE_BLOCKS   4096
#define LATER_BLOCKS  65536
#define LEAST         65536 /* instructions for which it is worth while */
#define ACCESSES_MOST 1024  /* of a block that is handed over */

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
#define IS_BRANCH    (1ull << 47) /* with a prediction */
#define NEXT_SECOND  (1ull << 48) /* block.next[1] followed; else block.next[0] */
#define INTERRUPTED  (1ull << 49) /* aside_block.follows is false */
#define PREDICATED   (1ull << 50)
#define HAS_KNOWN    (1ull << 51) /* a word: blocks of which wrong paths know */
#define HAS_EXECUTED (1ull << 52) /* else all instructions executed */
#define HAS_NEXT     (1ull << 53)
#define HAS_WRONG    (1ull << 54) /* predict_outcome.wrong_path; else it is 0 */
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
} here;

static struct {
	_Alignas(ASIDE_APART) _Atomic uint32_t
		known; /* blocks of which the core's wrong paths know */
	void *user;
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

void aside_begin(struct core *core, void *user, struct insn_notes *notes, bool predicates)
{
	if (!wanted || over)
		return;
	here.core = core;
	here.notes = notes;
	here.predicates = predicates;
	there.user = user;
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

static size_t take(const uint64_t *record)
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
	execute_block(there.user, &done);
	return (size_t)(at - record);
}

/* ---- The program's thread ----------------------------------------------------------------- */

void aside_start(uint64_t instructions)
{
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

/* Predicts what follows the block, and writes the words before its accesses. */
static inline uint64_t *write_first(uint64_t *record, const struct aside_block *done)
{
	const struct block *block = done->block;
	const uint32_t known = blocks_count();
	uint64_t first = IS_RECORD | block->id | (uint64_t)done->access_count << COUNT_SHIFT;
	uint64_t *at = record + 1;
	struct predict_outcome outcome;

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
	if (core_foresee(here.core, block, done->executed, done->next_pc, &outcome)) {
		first |= IS_BRANCH | (uint64_t)outcome.result << RESULT_SHIFT;
		first |= outcome.pairs ? PAIRS : 0;
		if (outcome.wrong_path) {
			first |= HAS_WRONG;
			*at++ = outcome.wrong_path;
		}
	}
	if (!done->follows)
		first |= INTERRUPTED;
	if (here.notes->predicated)
		first |= PREDICATED;
	*record = first;
	return at;
}

bool aside_pass(const struct aside_block *done)
{
	const struct block *block = done->block;
	uint64_t *record, *at;

	if (done->access_count > ACCESSES_MOST || here.left < BLOCK_MAX ||
	    block->id >= BLOCKS_NUMBERED) {
		aside_stop();
		return false;
	}
	here.left -= done->executed;
	here.executed += done->executed;
	record = belt_room(FIRST_WORDS + 2 * done->access_count + BLOCK_MAX / 8);
	at = write_first(record, done);
	for (size_t i = 0; i < done->access_count; i++)
		at = write_access(at, &done->accesses[i]);
	if (here.notes->predicated) {
		memcpy(at, here.notes->activity, block->count);
		at += (block->count + 7u) / 8;
	}
	belt_put((size_t)(at - record));
	return true;
}

void aside_stop(void)
{
	if (!aside.runs)
		return;
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
