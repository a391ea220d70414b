/* SPDX-License-Identifier: Apache-2.0 */
/* Leader clustering, then k-means, by the Manhattan distance: 2 if nothing is in common. */
#include "count/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APART  0.5  /* further apart, a quarter of the instructions or more is of other code */
#define BLEND  0.25 /* at most so far from a mixture of its neighbours' phases */
#define ROUNDS 20

struct clusters {
	double *values; /* of the intervals */
	size_t count, size;
	int *phase;
	double *centers; /* PHASES_MAX of them */
	size_t members[PHASES_MAX];
	unsigned used;
};

static double distance(const double *a, const double *b, size_t size)
{
	double all = 0;

	for (size_t k = 0; k < size; k++)
		all += fabs(a[k] - b[k]);
	return all;
}

/* Scales an interval's values. Returns false if all are 0. */
static bool scale(double *values, size_t size)
{
	double all = 0;

	for (size_t k = 0; k < size; k++)
		all += values[k];
	for (size_t k = 0; all > 0 && k < size; k++)
		values[k] /= all;
	return all > 0;
}

static const double *values_of(const struct clusters *c, size_t interval)
{
	return c->values + interval * c->size;
}

static double *center_of(const struct clusters *c, unsigned cluster)
{
	return c->centers + cluster * c->size;
}

static unsigned nearest(const struct clusters *c, size_t interval, double *least)
{
	unsigned found = 0;

	*least = INFINITY;
	for (unsigned i = 0; i < c->used; i++) {
		const double away = distance(values_of(c, interval), center_of(c, i), c->size);

		if (away < *least) {
			*least = away;
			found = i;
		}
	}
	return found;
}

/* Makes an interval that is far from all centers another one. */
static void choose_leaders(struct clusters *c)
{
	for (size_t i = 0; i < c->count; i++) {
		double least;

		c->phase[i] = PHASE_NONE;
		if (!scale(c->values + i * c->size, c->size))
			continue;
		c->phase[i] = (int)nearest(c, i, &least);
		if (least <= APART || c->used == PHASES_MAX)
			continue;
		memcpy(center_of(c, c->used), values_of(c, i), c->size * sizeof(*c->centers));
		c->phase[i] = (int)c->used++;
	}
}

/* Moves the centers into the middle of their members. */
static void move_centers(struct clusters *c)
{
	memset(c->members, 0, sizeof(c->members));
	for (size_t i = 0; i < c->count; i++)
		if (c->phase[i] >= 0)
			c->members[c->phase[i]]++;
	for (unsigned k = 0; k < c->used; k++)
		if (c->members[k])
			memset(center_of(c, k), 0, c->size * sizeof(*c->centers));
	for (size_t i = 0; i < c->count; i++) {
		const int phase = c->phase[i];
		double *center;

		if (phase < 0)
			continue;
		center = center_of(c, (unsigned)phase);
		for (size_t v = 0; v < c->size; v++)
			center[v] += values_of(c, i)[v] / (double)c->members[phase];
	}
}

/* Gives each interval the nearest center. Returns whether any changed. */
static bool assign(struct clusters *c)
{
	bool changed = false;

	for (size_t i = 0; i < c->count; i++) {
		double least;
		int phase;

		if (c->phase[i] == PHASE_NONE)
			continue;
		phase = (int)nearest(c, i, &least);
		changed |= phase != c->phase[i];
		c->phase[i] = phase;
	}
	return changed;
}

/* Makes two clusters one whose centers have come near each other. Returns whether there were. */
static bool merge(struct clusters *c)
{
	for (unsigned a = 0; a < c->used; a++)
		for (unsigned b = a + 1; b < c->used; b++) {
			if (distance(center_of(c, a), center_of(c, b), c->size) > APART)
				continue;
			c->used--;
			memmove(center_of(c, b), center_of(c, c->used),
				c->size * sizeof(*c->centers));
			for (size_t i = 0; i < c->count; i++) {
				if (c->phase[i] == (int)b)
					c->phase[i] = (int)a;
				else if (c->phase[i] == (int)c->used)
					c->phase[i] = (int)b;
			}
			return true;
		}
	return false;
}

static void refine(struct clusters *c)
{
	do {
		for (unsigned round = 0; round < ROUNDS; round++) {
			move_centers(c);
			if (!assign(c))
				break;
		}
	} while (merge(c));
}

/* Tells whether an interval is what one phase becomes another in. */
static bool is_mixture(const struct clusters *c, size_t interval)
{
	const double *values = values_of(c, interval), *before, *after;
	const int phase = c->phase[interval];
	double least = INFINITY;

	if (interval == 0 || interval + 1 == c->count || c->phase[interval - 1] < 0 ||
	    c->phase[interval + 1] < 0 || c->phase[interval - 1] == phase ||
	    c->phase[interval + 1] == phase || c->phase[interval - 1] == c->phase[interval + 1])
		return false;
	before = values_of(c, interval - 1);
	after = values_of(c, interval + 1);
	for (unsigned part = 0; part <= 20; part++) {
		double away = 0;

		for (size_t v = 0; v < c->size; v++)
			away += fabs(values[v] - before[v] + part / 20.0 * (before[v] - after[v]));
		least = fmin(least, away);
	}
	return least <= BLEND;
}

/* Leaves out the clusters that are no phases, and numbers the others. */
static void number(struct clusters *c)
{
	bool mixed[PHASES_MAX];
	int numbers[PHASES_MAX], next = 0;

	for (unsigned k = 0; k < PHASES_MAX; k++) {
		mixed[k] = true;
		numbers[k] = PHASE_NONE;
		c->members[k] = 0;
	}
	for (size_t i = 0; i < c->count; i++) {
		if (c->phase[i] < 0)
			continue;
		c->members[c->phase[i]]++;
		mixed[c->phase[i]] &= is_mixture(c, i);
	}
	for (size_t i = 0; i < c->count; i++) {
		const int old = c->phase[i];

		if (old < 0)
			continue;
		if (numbers[old] == PHASE_NONE && c->members[old] > 1 && !mixed[old])
			numbers[old] = next++;
	}
	for (size_t i = 0; i < c->count; i++)
		if (c->phase[i] >= 0)
			c->phase[i] = numbers[c->phase[i]];
	c->used = (unsigned)next;
}

bool phases_find(double *values, size_t count, size_t size, int *phase, unsigned *phases)
{
	struct clusters c = {
		.values = values,
		.count = count,
		.size = size,
		.phase = phase,
		.centers = calloc(PHASES_MAX * size + 1, sizeof(*c.centers)),
	};

	if (!c.centers)
		return false;
	choose_leaders(&c);
	refine(&c);
	number(&c);
	*phases = c.used;
	free(c.centers);
	return true;
}
