/* SPDX-License-Identifier: Apache-2.0 */
/* Something for every view of the page: calls, loads that miss, branches, and a shared cache line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* 64: both counters are in one cache line. */
#ifndef ALIGNED
#define ALIGNED 8
#endif

#define NODES (1 << 12)
#define STEPS 20000

struct node {
	struct node *next;
	long pad[15];
};

static struct node nodes[NODES];
static struct {
	volatile long first, second;
} shared __attribute__((aligned(ALIGNED)));

__attribute__((noinline)) static long chase(struct node *node, int steps)
{
	long sum = 0;

	while (steps--) {
		sum += node->pad[0];
		node = node->next;
	}
	return sum;
}

__attribute__((noinline)) static unsigned branches(unsigned seed, int count)
{
	unsigned sum = 0;

	for (int i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		if (seed >> 31)
			sum += seed;
		else
			sum ^= (unsigned)i;
	}
	return sum;
}

__attribute__((noinline)) static void work(void)
{
	printf("%ld %u\n", chase(nodes, STEPS), branches(7, STEPS));
}

static void *count(void *counter)
{
	for (int i = 0; i < STEPS; i++)
		++*(volatile long *)counter;
	return NULL;
}

/* With a word, some of it once more. */
int main(int count_of_words, char **words)
{
	pthread_t thread;

	for (unsigned i = 0; i < NODES; i++)
		nodes[i].next = &nodes[(i * 2621u + 7) % NODES];
	pthread_create(&thread, NULL, count, (void *)&shared.first);
	count((void *)&shared.second);
	pthread_join(thread, NULL);
	work();
	if (count_of_words > 1 && words[1][0])
		work();
	return 0;
}
