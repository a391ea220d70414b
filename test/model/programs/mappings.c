/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mappings SEED: maps and unmaps at random, and checks where each mapping goes: in the first free
 * range that is large enough, from the hint on if there is one, which it finds in a plain table of
 * pages. So QEMU 10 chooses from 0x5500000000 on, if it has reserved addresses.
 *
 * mappings many COUNT: makes that many mappings which cannot merge.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BEGIN  0x5500000000
#define PAGE   0x1000ul
#define PAGES  0x40000 /* 1 GiB, of which the program uses a small part */
#define LIVE   1500
#define ROUNDS 12000

static bool used[PAGES];
static struct range {
	size_t page, pages;
} live[LIVE];
static size_t live_n;
static uint64_t state;

static size_t below(size_t end)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (size_t)(state >> 33) % end;
}

static void mark(size_t page, size_t pages, bool value)
{
	memset(used + page, value, pages);
}

/* What the program has from the start, such as its stack. */
static void read_used(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	uint64_t begin, end;
	char line[512];

	if (!file)
		exit(2);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx", &begin, &end) != 2 || end <= BEGIN ||
		    begin >= BEGIN + PAGES * PAGE)
			continue;
		if (begin < BEGIN)
			begin = BEGIN;
		mark((begin - BEGIN) / PAGE, (end - begin) / PAGE, true);
	}
	fclose(file);
}

static size_t first_fit(size_t from, size_t pages)
{
	size_t n = 0;

	for (size_t page = from; page < PAGES; page++) {
		n = used[page] ? 0 : n + 1;
		if (n == pages)
			return page - n + 1;
	}
	exit(2);
}

static void check(const char *what, size_t round, const void *got, size_t page)
{
	const uint64_t expected = BEGIN + page * PAGE;

	if ((uint64_t)got == expected)
		return;
	printf("round %zu: %s is at %p instead of %#lx\n", round, what, got, expected);
	exit(1);
}

static void *at(size_t page)
{
	return (void *)(BEGIN + page * PAGE);
}

static void map_one(size_t round)
{
	const size_t pages = below(20) ? 1 + below(8) : 1 + below(300);
	const size_t hint = below(10) ? 0 : below(8000);
	const size_t page = first_fit(hint, pages);

	check("a mapping", round,
	      mmap(hint ? at(hint) : NULL, pages * PAGE, below(2) ? PROT_READ : PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
	      page);
	mark(page, pages, true);
	live[live_n++] = (struct range){page, pages};
}

/* Unmaps one, or only its end. */
static void unmap_one(void)
{
	struct range *range = &live[below(live_n)];
	const size_t kept = below(3) ? 0 : below(range->pages);

	if (munmap(at(range->page + kept), (range->pages - kept) * PAGE))
		exit(2);
	mark(range->page + kept, range->pages - kept, false);
	range->pages = kept;
	if (!kept)
		*range = live[--live_n];
}

/*
 * Makes one longer, which moves it unless the pages behind it are free. Linux refuses that if its
 * pages have more than one protection.
 */
static void move_one(size_t round)
{
	struct range *range = &live[below(live_n)];
	const size_t pages = range->pages + 1 + below(4);
	const size_t page = first_fit(0, pages);
	void *moved = mremap(at(range->page), range->pages * PAGE, pages * PAGE, MREMAP_MAYMOVE);

	if (moved == MAP_FAILED)
		return;
	if (moved != at(range->page)) {
		check("a moved mapping", round, moved, page);
		mark(range->page, range->pages, false);
		range->page = page;
	}
	range->pages = pages;
	mark(range->page, pages, true);
}

/* Neither makes room. */
static void change_one(void)
{
	const struct range *range = &live[below(live_n)];
	const int prot = below(2) ? PROT_READ : PROT_READ | PROT_WRITE;

	if (below(2) ? mprotect(at(range->page), PAGE, prot)
		     : mmap(at(range->page), PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			    -1, 0) != at(range->page))
		exit(2);
}

static int map_many(size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (mmap(NULL, 2 * PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 2;
	return 0;
}

int main(int argc, char **argv)
{
	static char buffer[4096]; /* so that stdio maps nothing */

	if (argc == 3)
		return map_many(strtoul(argv[2], NULL, 10));
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	state = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	read_used();
	for (size_t round = 0; round < ROUNDS; round++) {
		const size_t choice = below(10);

		if (live_n < LIVE && (choice < 5 || live_n < 10))
			map_one(round);
		else if (choice < 8)
			unmap_one();
		else if (choice == 8)
			move_one(round);
		else
			change_one();
	}
	return 0;
}
