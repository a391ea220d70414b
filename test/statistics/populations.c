/* SPDX-License-Identifier: Apache-2.0 */
#include "populations.h"

#include <math.h>

/* A number that depends on `i` alone, as good as drawn (SplitMix64's finish). */
static uint64_t mix(uint64_t i)
{
	uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* The same, between 0 and 1; `stream` keeps several of one operation apart. */
static double drawn(uint64_t i, uint64_t stream)
{
	return (double)(mix(i * 16 + stream) >> 11) * 0x1p-53;
}

static void decide(struct operation *operation, uint64_t i, double loads, double missing,
		   uint32_t miss_cycles)
{
	double kind = drawn(i, 0);

	operation->kind = OTHER;
	operation->latency = 2 + (uint32_t)(drawn(i, 1) * 6);
	if (kind < loads) {
		operation->kind = LOAD;
		operation->miss = drawn(i, 2) < missing;
		operation->latency = 6 + (uint32_t)(drawn(i, 3) * 4);
		if (operation->miss)
			operation->latency = miss_cycles + (uint32_t)(drawn(i, 4) * miss_cycles);
	} else if (kind < loads + 0.1) {
		operation->kind = STORE;
	} else if (kind < loads + 0.25) {
		operation->kind = BRANCH;
	}
}

/* Each operation on its own. */
static void make_independent(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	decide(operation, i, 0.3, 0.05, 40);
}

/* Two in a hundred are loads that miss, and have most of all latency. */
static void make_rare(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	decide(operation, i, 0.06, 1.0 / 3, 300);
}

/* Three in a thousand: half a dozen samples see one. */
static void make_very_rare(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	decide(operation, i, 0.01, 0.3, 300);
}

/* A loop of `length` operations that does the same each time. */
static void make_loop(struct operation *operation, uint64_t i, uint64_t length)
{
	decide(operation, 1000003 + i % length, 0.35, 0.2, 30);
}

static void make_loop_37(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	make_loop(operation, i, 37);
}

/* As long as the jitter is wide. */
static void make_loop_256(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	make_loop(operation, i, 256);
}

/* As long as the interval without its jitter. */
static void make_loop_1024(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	make_loop(operation, i, 1024);
}

/* Rows of 24 operations, 40 of them to a block that begins with a burst of misses. */
static void make_nested(struct operation *operation, uint64_t i, uint64_t count)
{
	uint64_t block = i / 960, row = (i % 960 / 24 + mix(block) % 40) % 40;

	(void)count;
	decide(operation, i % 24, 0.3, 0, 0);
	if (operation->kind == LOAD && row < 4) {
		operation->miss = true;
		operation->latency = 100 + (uint32_t)row * 20;
	}
}

/* Four phases, one after the other, with little in common. */
static void make_phases(struct operation *operation, uint64_t i, uint64_t count)
{
	static const struct {
		double loads, missing;
		uint32_t cycles;
	} phases[] = {{0.2, 0.02, 30}, {0.5, 0.4, 90}, {0.1, 0.1, 40}, {0.4, 0.6, 200}};
	unsigned phase = (unsigned)(i * 4 / count);

	decide(operation, i, phases[phase].loads, phases[phase].missing, phases[phase].cycles);
}

/* A hundred and some phases, of two kinds. */
static void make_alternating(struct operation *operation, uint64_t i, uint64_t count)
{
	bool second = i * 120 / count % 2;

	decide(operation, i, second ? 0.5 : 0.2, second ? 0.5 : 0.05, second ? 120 : 40);
}

/* Latencies with a tail: lognormal, one in a thousand is 22 times the median. */
static void make_tails(struct operation *operation, uint64_t i, uint64_t count)
{
	double normal = sqrt(-2 * log(1 - drawn(i, 5))) * cos(2 * M_PI * drawn(i, 6));

	(void)count;
	decide(operation, i, 0.3, 0.3, 20);
	if (operation->miss)
		operation->latency = (uint32_t)(40 * exp(normal));
}

/* Pareto's tail, alpha 1.5: a few operations have much of all latency, and hardly a run sees any.
 */
static void make_extremes(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	decide(operation, i, 0.3, 0.3, 20);
	if (operation->miss)
		operation->latency = (uint32_t)fmin(1e6, 20 * pow(1 - drawn(i, 5), -1 / 1.5));
}

/* Computing, and waiting for memory, by turns: only there samples collide. */
static void make_memory(struct operation *operation, uint64_t i, uint64_t count)
{
	bool waiting = i * 50 / count % 2;

	decide(operation, i, waiting ? 0.5 : 0.3, waiting ? 0.3 : 0.01, waiting ? 250 : 40);
}
/* Misses come in bursts: blocks of `block` operations, of which one in `rarity` is of misses. */
static void make_blocks(struct operation *operation, uint64_t i, uint64_t block, uint64_t rarity)
{
	bool burst = mix(i / block + 77) % rarity == 0;

	decide(operation, i, 0.3, burst ? 0.9 : 0.01, burst ? 150 : 40);
}

static void make_bursts(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	make_blocks(operation, i, 60, 20);
}

/* Bursts longer than the interval: what samples share with their neighbours is not chance. */
static void make_long_bursts(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	make_blocks(operation, i, 6000, 5);
}

/* A loop as long as the mean interval: each sample falls close to where the last one did. */
static void make_resonant(struct operation *operation, uint64_t i, uint64_t count)
{
	(void)count;
	decide(operation, i, 0.3, i * 2 % 2303 < 1100 ? 0.6 : 0.05, 60);
}

const struct population populations[] = {
	{"independent", make_independent, false, false},
	{"rare", make_rare, false, false},
	{"loop of 37", make_loop_37, false, false},
	{"loop of 256", make_loop_256, false, false},
	{"loop of 1024", make_loop_1024, false, false},
	{"nested loops", make_nested, false, false},
	{"four phases", make_phases, true, false},
	{"120 phases", make_alternating, true, false},
	{"memory phases", make_memory, true, false},
	{"heavy tails", make_tails, false, false},
	{"bursts", make_bursts, false, false},
	{"very rare", make_very_rare, false, true},
	{"long bursts", make_long_bursts, true, true},
	{"extreme tails", make_extremes, false, true},
	{"resonance", make_resonant, false, true},
	{0},
};
