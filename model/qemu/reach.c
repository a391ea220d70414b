/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/reach.h"

#include <math.h>
#include <string.h>

/* What is in no pair that was compared so far, and more, is compared next. */
#define SURPRISE 2

static double limit;
static uint64_t random_state;
static double differences[REACH_PAIRS]; /* of the pairs compared last: short minus long */
static double costs[REACH_PAIRS];       /* of the more expensive window of each */
static uint64_t compared;               /* pairs */
static uint64_t until_next;             /* pairs until one is compared */
static bool second;                     /* of the pair, is the next window */
static bool comparing, short_first;     /* this pair */
static bool is_short, enough;
static double first_cost;

/* Returns the next random bit: xorshift64*. */
static bool random_bit(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dull >> 63;
}

void reach_set_up(double tolerated, uint64_t seed)
{
	limit = tolerated;
	random_state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	if (!random_state)
		random_state = 1;
	compared = until_next = 0;
	second = comparing = is_short = enough = false;
}

static unsigned remembered(void)
{
	return compared < REACH_PAIRS ? (unsigned)compared : REACH_PAIRS;
}

void reach_choose(void)
{
	if (!second) {
		comparing = until_next == 0;
		until_next -= !comparing;
		short_first = random_bit();
	}
	is_short = comparing ? short_first != second : enough;
}

bool reach_is_short(void)
{
	return is_short;
}

/* Whether the mean difference is small, and known well enough. */
static bool judge(void)
{
	const unsigned count = remembered();
	double mean = 0, squares = 0;

	if (count < REACH_FEW)
		return false;
	for (unsigned i = 0; i < count; i++)
		mean += differences[i] / count;
	for (unsigned i = 0; i < count; i++)
		squares += (differences[i] - mean) * (differences[i] - mean);
	return fabs(mean) + 2 * sqrt(squares / count / (count - 1)) <= limit;
}

static void note_pair(double a, double b)
{
	const unsigned place = compared % REACH_PAIRS;

	if (isnan(a) || isnan(b))
		return;
	differences[place] = short_first ? a - b : b - a;
	costs[place] = fmax(a, b);
	compared++;
	enough = judge();
	if (remembered() < REACH_FEW)
		until_next = 1;
	else
		until_next = (enough ? REACH_TRUSTS : REACH_DOUBTS) - 1;
}

/* Whether a cost is far above all that were compared. */
static bool surprises(double cost)
{
	const unsigned count = remembered();
	double most = limit;

	for (unsigned i = 0; i < count; i++)
		most = fmax(most, costs[i]);
	return cost > SURPRISE * most;
}

void reach_note(double cost)
{
	if (second && comparing)
		note_pair(first_cost, cost);
	else if (enough && !isnan(cost) && surprises(cost))
		until_next = 0;
	first_cost = cost;
	second = !second;
}
