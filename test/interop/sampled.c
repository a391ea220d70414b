// SPDX-License-Identifier: Apache-2.0
/*
 * What is sampled: sampled TURNS PAGES. Three quarters of its time is leaf() called by hot(), a
 * quarter is leaf() called by cold(); then it writes to so many pages for the first time. TURNS 0:
 * it goes on for ever. Its status is 7.
 */
#include <stdlib.h>
#include <sys/mman.h>

static volatile unsigned sink;

__attribute__((noinline)) static void leaf(long count)
{
	for (long i = 0; i < count; i++)
		sink += 1;
}

__attribute__((noinline)) static void hot(void)
{
	leaf(300000);
	sink += 1;
}

__attribute__((noinline)) static void cold(void)
{
	leaf(100000);
	sink += 1;
}

static void touch(size_t pages)
{
	const size_t page = 4096;
	char *memory = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, (pages + 1) * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * page] = 1;
}

int main(int count, char **arguments)
{
	const long turns = count > 1 ? strtol(arguments[1], NULL, 10) : 0;
	const size_t pages = count > 2 ? strtoul(arguments[2], NULL, 10) : 0;

	for (long i = 0; turns == 0 || i < turns; i++) {
		hot();
		cold();
	}
	touch(pages);
	return 7;
}
