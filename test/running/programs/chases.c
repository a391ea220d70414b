/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows pointers through 4 MiB at random, 200,000 times, by one load that misses; all other loads
 * hit. With an argument it ends by that signal.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LINES (1u << 16)

struct line {
	struct line *next;
	char rest[56];
};

static struct line lines[LINES];

__attribute__((noinline)) static const struct line *chase(const struct line *line, unsigned steps)
{
	__asm__ volatile(".globl missing_load\n"
			 "1:\n"
			 "missing_load: ldr %0, [%0]\n\t"
			 "subs %w1, %w1, #1\n\t"
			 "b.ne 1b"
			 : "+r"(line), "+r"(steps)
			 :
			 : "cc", "memory");
	return line;
}

__attribute__((noinline)) static const struct line *work(void)
{
	const struct line *line = lines;

	for (int i = 0; i < 100; i++)
		line = chase(line, 2000);
	return line;
}

int main(int argc, char **argv)
{
	const struct line *line;
	uint32_t at = 0;

	/* A cycle through all lines: the multiplier and increment make a full period. */
	for (unsigned i = 0; i < LINES; i++) {
		uint32_t next = (at * 40501 + 12345) % LINES;

		lines[at].next = &lines[next];
		at = next;
	}
	line = work();
	if (argc > 1)
		raise(atoi(argv[1]));
	printf("%d\n", line != NULL);
	return 0;
}
