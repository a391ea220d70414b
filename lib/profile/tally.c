/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies samples in constant memory, as doc/statistics.md requires. */
#include "profile/estimate.h"

/* Merges each two batches into one. */
static void halve_batches(struct tally *tally)
{
	unsigned half = tally->batch_count / 2;

	for (unsigned i = 0; i < half; i++) {
		const struct tally_batch *a = &tally->batches[2 * (size_t)i], *b = a + 1;

		tally->batches[i] = (struct tally_batch){a->above + b->above, a->below + b->below};
	}
	/* An odd batch at the end becomes the one being filled. */
	if (tally->batch_count % 2 != 0) {
		const struct tally_batch odd = tally->batches[tally->batch_count - 1];
		const struct tally_batch open = tally->batches[tally->batch_count];

		tally->batches[half] =
			(struct tally_batch){odd.above + open.above, odd.below + open.below};
		tally->filled += tally->batch_size;
	} else {
		tally->batches[half] = tally->batches[tally->batch_count];
	}
	tally->batch_count = half;
	tally->batch_size *= 2;
}

/* Merge until the batch being filled is as large as the others. */
static void close_batch(struct tally *tally)
{
	tally->batch_count++;
	tally->filled = 0;
	tally->batches[tally->batch_count] = (struct tally_batch){0};
	if (tally->batch_count == TALLY_BATCHES)
		halve_batches(tally);
}

static void add_step(struct tally *tally, const double from[2], const double to[2])
{
	double above = to[0] - from[0], below = to[1] - from[1];

	tally->pairs++;
	tally->steps_above += above * above;
	tally->steps_both += above * below;
	tally->steps_below += below * below;
}

void tally_add(struct tally *tally, double above, double below)
{
	const double now[2] = {above, below};
	const double squares[2] = {above * above, below * below};

	tally->powers[1][0] += above;
	tally->powers[0][1] += below;
	tally->powers[2][0] += squares[0];
	tally->powers[1][1] += above * below;
	tally->powers[0][2] += squares[1];
	tally->powers[3][0] += squares[0] * above;
	tally->powers[2][1] += squares[0] * below;
	tally->powers[1][2] += above * squares[1];
	tally->powers[0][3] += squares[1] * below;
	if (tally->samples > 0) {
		add_step(tally, tally->last, now);
	} else {
		tally->first[0] = above;
		tally->first[1] = below;
		tally->batch_size = 1;
	}
	tally->last[0] = above;
	tally->last[1] = below;
	tally->samples++;
	tally->members += below != 0;
	tally->batches[tally->batch_count].above += above;
	tally->batches[tally->batch_count].below += below;
	if (++tally->filled == tally->batch_size)
		close_batch(tally);
}

void tally_join(struct tally *tally, const struct tally *next, bool follows)
{
	struct tally other = *next;

	if (other.samples == 0)
		return;
	if (tally->samples == 0) {
		*tally = other;
		return;
	}
	for (int i = 0; i < 4; i++) {
		for (int j = 0; i + j < 4; j++)
			tally->powers[i][j] += other.powers[i][j];
	}
	if (follows)
		add_step(tally, tally->last, other.first);
	tally->pairs += other.pairs;
	tally->steps_above += other.steps_above;
	tally->steps_both += other.steps_both;
	tally->steps_below += other.steps_below;
	tally->last[0] = other.last[0];
	tally->last[1] = other.last[1];
	tally->samples += other.samples;
	tally->members += other.members;

	/* Adds complete batches of the same size, for which there is room. */
	while (tally->batch_size < other.batch_size)
		halve_batches(tally);
	while (other.batch_size < tally->batch_size)
		halve_batches(&other);
	while (tally->batch_count + other.batch_count >= TALLY_BATCHES) {
		halve_batches(tally);
		halve_batches(&other);
	}
	for (unsigned i = 0; i < other.batch_count; i++)
		tally->batches[tally->batch_count++] = other.batches[i];
	tally->batches[tally->batch_count] = (struct tally_batch){0};
	tally->filled = 0;
}
