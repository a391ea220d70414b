/* SPDX-License-Identifier: Apache-2.0 */
/* One word of each of more pages than the TLBs have entries. Its lines fit into the L2 cache. */
#include <stdint.h>

#define PAGES 4096
#define PAGE  4096
#define LINE  64

static char pages[PAGES][PAGE] __attribute__((aligned(PAGE)));
static volatile uint64_t result;

__attribute__((noinline)) static uint64_t touch(void)
{
	uint64_t sum = 0;

	for (unsigned round = 0; round < 20; round++)
		for (unsigned i = 0, page = 0; i < PAGES; i++) {
			/* Every page once, in no order that a prefetcher follows. */
			page = (page * 5 + 1) % PAGES;
			sum += *(const uint64_t *)&pages[page][page * LINE % PAGE]; /* guilty */
		}
	return sum;
}

int main(void)
{
	result = touch();
	return 0;
}
