/* SPDX-License-Identifier: Apache-2.0 */
/* Small enough for a seed: a function inlined into another, and calls that unwinding goes up. */
typedef long word;
volatile word sink;

static inline __attribute__((always_inline)) word twice(word x)
{
	sink = x;
	return 2 * x;
}

__attribute__((noinline)) word inner(word x)
{
	word kept[4] = {x, twice(x), x, x};

	for (int i = 0; i < 4; i++)
		sink = kept[i];
	return kept[1] + 1;
}

__attribute__((noinline)) word outer(word x)
{
	word got = inner(x + 1);

	sink = got;
	return got + x;
}

void _start(void)
{
	sink = outer(1);
	for (;;)
		sink = 0;
}
