/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with one plain bottleneck, to try plumb on: it follows a list whose links lie in random
 * order in 48 MiB, so that each step waits for memory. With the argument "straight" the links lie
 * in the order they are followed, and the same work takes a fraction of the time.
 *
 *     plumb stat examples/walk
 *     plumb stat examples/walk straight
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKS (3u << 18)
#define STEPS (3u << 18)

/* A cache line each. */
struct link {
	struct link *next;
	uint64_t value;
	uint64_t unused[6];
};

static uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 32) * limit >> 32);
}

/* Makes one ring of all the links (Sattolo's shuffle), or leaves them in their order. */
static void tie(struct link *links, uint32_t *order, int straight)
{
	for (uint32_t i = 0; i < LINKS; i++)
		order[i] = i;
	for (uint32_t i = LINKS - 1; i > 0 && !straight; i--) {
		uint32_t k = random_below(i), held = order[i];

		order[i] = order[k];
		order[k] = held;
	}
	for (uint32_t i = 0; i < LINKS; i++) {
		links[order[i]].next = &links[order[(i + 1) % LINKS]];
		links[order[i]].value = i;
	}
}

static uint64_t follow(const struct link *at)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < STEPS; i++) {
		sum += at->value;
		at = at->next;
	}
	return sum;
}

int main(int count, char **arguments)
{
	struct link *links = calloc(LINKS, sizeof(*links));
	uint32_t *order = calloc(LINKS, sizeof(*order));

	if (!links || !order) {
		fputs("walk: out of memory\n", stderr);
		return 1;
	}
	tie(links, order, count > 1 && strcmp(arguments[1], "straight") == 0);
	printf("%llu\n", (unsigned long long)follow(links));
	free(order);
	free(links);
	return 0;
}
