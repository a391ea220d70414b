/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds blocks that repeat in the program's thread: a period (period.h). From then on, each block
 * is only compared with the one that is expected, and whole periods are counted. Whoever executes
 * blocks on the core is told how many periods there were, and skips or executes them. What differs
 * ends that: the begun part of a period then goes the usual way, as if each of its blocks had.
 *
 * A period is looked for from any block on: it ends where the same block with the same accesses is
 * reached again, or later, if what follows differs. It counts once all its blocks have come several
 * times, and the predictors no longer change: predictor_read(). Where there is none, or where it
 * soon ends, it is looked for less often.
 *
 * In some loops, predictors learn for ever, such as those that are too long for them to foresee the
 * end. If all was predicted alike for many periods all the same, each block is still predicted
 * while it is compared, and a prediction that differs ends that as well.
 */
#ifndef QEMU_REPEATS_H
#define QEMU_REPEATS_H

#include "period.h"
#include "qemu/aside.h"

#define REPEAT_BLOCKS   16384 /* of a period, at most */
#define REPEAT_ACCESSES 32768

struct expected {
	const struct block *block;
	uint32_t first, accesses; /* in repeat.accesses */
};

/* A period. The thread that finds it changes it while the other one has nothing to do with it. */
struct repeat {
	uint32_t length;      /* blocks */
	uint32_t conditional; /* branches */
	uint64_t instructions;
	bool foresees; /* each block is predicted, and has to be as it was */
	uint64_t sent; /* number of the last record that is about it */
	struct expected blocks[REPEAT_BLOCKS + 1]; /* behind the last one, the first again */
	struct predict_outcome outcomes[REPEAT_BLOCKS];
	struct access accesses[REPEAT_ACCESSES];
};

/* Of the program's thread. */
struct repeats_state {
	bool compares;  /* blocks are compared only */
	uint32_t rest;  /* blocks until a period is looked for; UINT32_MAX: it never is */
	uint32_t at;    /* the block that executes now */
	uint64_t whole; /* periods so far that nobody was told of */
	uint64_t most;  /* how many there may be */
	struct repeat *of;
};
extern struct repeats_state repeats;

void repeats_begin(struct core *core);

/* A block was handed over in the usual way. `plain`: it may be in a period. */
void repeats_passed(const struct aside_block *done, bool plain,
		    const struct predict_outcome *outcome);

/* So many periods are enough: tells of them. */
void repeats_full(void);

/*
 * Predicts the branch of the block that executes now, which is as expected. Returns whether that
 * differs from what was predicted of it before. Then what is compared has ended, and the block was
 * handed over.
 */
bool repeats_surprised(void);

/* Whether a block made the accesses of another time, by the same instructions. */
static inline bool same_accesses(const struct access *made, const struct access *then,
				 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (made[i].address != then[i].address || made[i].insn != then[i].insn ||
		    made[i].bytes != then[i].bytes)
			return false;
	return true;
}

/*
 * While blocks are compared: `next` begins, after `current`. Returns whether that was expected;
 * then nothing else has to be done about `current`.
 */
static inline bool repeats_goes_on(const struct block *current, const struct block *next,
				   const struct insn_notes *notes)
{
	const struct repeat *of = repeats.of;
	const struct expected *now = &of->blocks[repeats.at];

	if (now->block != current || now[1].block != next || notes->predicated ||
	    notes->accesses.count != now->accesses ||
	    !same_accesses(notes->accesses.list, &of->accesses[now->first], now->accesses))
		return false;
	if (of->foresees && repeats_surprised())
		return true;
	if (++repeats.at == of->length) {
		repeats.at = 0;
		if (++repeats.whole == repeats.most)
			repeats_full();
	}
	return true;
}

/*
 * Ends that: tells of whole periods, and hands over the blocks of the begun one. Afterwards none is
 * looked for until repeats_passed() is called again.
 */
void repeats_stop(void);

/* Returns block `i` of a period. */
struct aside_block repeats_block(const struct repeat *repeat, uint32_t i);

#endif
