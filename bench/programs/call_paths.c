/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of 32,768 paths of calls, most of which are taken once: what exact profiles take most time
 * for beside counting.
 */
static volatile int sum;

static __attribute__((noinline)) void leaf(void)
{
	sum++;
}

static __attribute__((noinline)) void level0(void)
{
	leaf();
}

#define LEVEL(number, below)                                      \
	static __attribute__((noinline)) void level##number(void) \
	{                                                         \
		sum++;                                            \
		level##below();                                   \
		sum++;                                            \
		level##below();                                   \
		sum++;                                            \
	}

LEVEL(1, 0)
LEVEL(2, 1)
LEVEL(3, 2)
LEVEL(4, 3)
LEVEL(5, 4)
LEVEL(6, 5)
LEVEL(7, 6)
LEVEL(8, 7)
LEVEL(9, 8)
LEVEL(10, 9)
LEVEL(11, 10)
LEVEL(12, 11)
LEVEL(13, 12)
LEVEL(14, 13)

int main(void)
{
	level14();
	return 0;
}
