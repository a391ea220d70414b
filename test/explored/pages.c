/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word of each of 512 pages, over and over, so far apart that few entries of the TLBs may hold
 * them. Their lines stay in the L1 cache. Each address depends on the word before it.
 */
#include <stdint.h>

#define PAGES  512
#define STRIDE 65536

static char pages[PAGES][STRIDE] __attribute__((aligned(STRIDE)));
static volatile uint64_t result;

/* The line's place in its page decides the cache's set: two pages have the same one. */
static uint32_t *word(unsigned page)
{
	return (uint32_t *)&pages[page][page % 256 * 64];
}

__attribute__((noinline)) static uint64_t touch(void)
{
	uint32_t page = 0;

	for (unsigned i = 0; i < 200 * PAGES; i++)
		page = *word(page); /* guilty */
	return page;
}

int main(void)
{
	/* Every page once, in an order that no prefetcher follows. */
	for (unsigned i = 0; i < PAGES; i++)
		*word(i * 309 % PAGES) = (i + 1) * 309 % PAGES;
	result = touch();
	return 0;
}
