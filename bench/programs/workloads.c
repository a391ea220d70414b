/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small programs in one, each of 20 to 100 million instructions, for bench/model/coverage.py:
 * `workloads NAME`. They differ in what limits them, and in how it changes as they run.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252;

/* Returns the next random number: xorshift64. */
static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Allocates zeroes, or ends the program. */
static void *take(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		abort();
	return memory;
}

/* Vectors that fit no cache. */
static uint64_t stream(void)
{
	const size_t count = 1u << 20;
	double *a = take(count, sizeof(*a)), *b = take(count, sizeof(*b)),
	       *c = take(count, sizeof(*c));

	for (int round = 0; round < 10; round++)
		for (size_t i = 0; i < count; i++)
			a[i] = b[i] + 3 * c[i] + round;
	return (uint64_t)a[7];
}

/* Follows links at random places of 4 MiB, with some work at each. */
static uint64_t chase(void)
{
	const size_t count = 1u << 16;
	struct link {
		uint32_t next, value[15];
	} *links = take(count, sizeof(*links));
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		links[i].next = (uint32_t)i;
	for (size_t i = count - 1; i > 0; i--) {
		const size_t other = draw() % i;
		const uint32_t next = links[i].next;

		links[i].next = links[other].next;
		links[other].next = next;
	}
	for (uint32_t i = 0, at = 0; i < 2000000; i++, at = links[at].next)
		for (int k = 0; k < 4; k++)
			sum += links[at].value[k] ^ i;
	return sum;
}

struct node {
	uint64_t key;
	struct node *below[2];
};

/* Grows a search tree, and looks up keys. */
static uint64_t tree(void)
{
	struct node *root = NULL, *nodes = take(150000, sizeof(*nodes));
	uint64_t found = 0;

	for (int i = 0; i < 150000; i++) {
		struct node **at = &root;

		nodes[i].key = draw() >> 20;
		while (*at)
			at = &(*at)->below[nodes[i].key > (*at)->key];
		*at = &nodes[i];
	}
	for (int i = 0; i < 300000; i++) {
		const uint64_t key = draw() >> 20;

		for (const struct node *at = root; at; at = at->below[key > at->key])
			found += at->key == key;
	}
	return found;
}

/* A number theoretic transform of 2^15 numbers, a few times. */
static uint64_t transform(void)
{
	const uint32_t count = 1u << 15, modulus = 998244353;
	uint32_t *a = take(count, sizeof(*a));

	for (uint32_t i = 0; i < count; i++)
		a[i] = (uint32_t)(draw() % modulus);
	for (int round = 0; round < 10; round++)
		for (uint32_t half = 1; half < count; half *= 2) {
			uint64_t root = 1, step = 3 + half % 1009;

			for (uint32_t k = 0; k < half; k++) {
				for (uint32_t i = k; i < count; i += 2 * half) {
					const uint32_t x = a[i],
						       y = (uint32_t)(a[i + half] * root % modulus);

					a[i] = x + y < modulus ? x + y : x + y - modulus;
					a[i + half] = x < y ? x + modulus - y : x - y;
				}
				root = root * step % modulus;
			}
		}
	return a[1];
}

/* Bodies that attract each other: long chains, divisions and roots. */
static uint64_t bodies(void)
{
	double place[8][3], speed[8][3] = {{0}};

	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 3; k++)
			place[i][k] = (double)(draw() % 1000);
	for (int step = 0; step < 10000; step++) {
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 8; j++) {
				double apart[3], square = 0.01;

				for (int k = 0; k < 3; k++) {
					apart[k] = place[j][k] - place[i][k];
					square += apart[k] * apart[k];
				}
				for (int k = 0; k < 3; k++)
					speed[i][k] +=
						1e-3 * apart[k] / square / __builtin_sqrt(square);
			}
		for (int i = 0; i < 8; i++)
			for (int k = 0; k < 3; k++)
				place[i][k] += speed[i][k];
	}
	return (uint64_t)place[0][0];
}

/* Primes below four millions. */
static uint64_t sieve(void)
{
	const uint32_t limit = 4000000;
	uint8_t *composite = take(limit, 1);
	uint64_t primes = 0;

	for (uint32_t i = 2; i < limit; i++) {
		if (composite[i])
			continue;
		primes++;
		for (uint64_t k = (uint64_t)i * i; k < limit; k += i)
			composite[k] = 1;
	}
	return primes;
}

/* A sparse matrix with rows of varying length times a vector. */
static uint64_t sparse(void)
{
	const uint32_t rows = 1u << 16, most = 16;
	uint32_t *column = take((size_t)rows * most, sizeof(*column)), *length = take(rows, 4);
	double *x = take(rows, sizeof(*x)), *y = take(rows, sizeof(*y));

	for (uint32_t r = 0; r < rows; r++) {
		length[r] = 1 + (uint32_t)(draw() % most);
		for (uint32_t i = 0; i < length[r]; i++)
			column[r * most + i] = (uint32_t)(draw() % rows);
		x[r] = r;
	}
	for (int round = 0; round < 6; round++)
		for (uint32_t r = 0; r < rows; r++) {
			double sum = 0;

			for (uint32_t i = 0; i < length[r]; i++)
				sum += x[column[r * most + i]];
			y[r] += sum;
		}
	return (uint64_t)y[3];
}

/* The longest common subsequence of two texts. */
static uint64_t common(void)
{
	enum { LENGTH = 2400 };
	static uint16_t best[2][LENGTH + 1];
	static char a[LENGTH], b[LENGTH];

	for (int i = 0; i < LENGTH; i++) {
		a[i] = (char)('a' + draw() % 4);
		b[i] = (char)('a' + draw() % 4);
	}
	for (int i = 0; i < LENGTH; i++)
		for (int j = 0; j < LENGTH; j++) {
			const uint16_t up = best[~i & 1][j + 1], left = best[i & 1][j];

			if (a[i] == b[j])
				best[i & 1][j + 1] = (uint16_t)(best[~i & 1][j] + 1);
			else
				best[i & 1][j + 1] = up > left ? up : left;
		}
	return best[1][LENGTH];
}

/* The Mandelbrot set: loops of very different lengths, row by row. */
static uint64_t mandelbrot(void)
{
	uint64_t inside = 0;

	for (int row = 0; row < 220; row++)
		for (int column = 0; column < 220; column++) {
			const double cx = column / 80.0 - 2, cy = row / 110.0 - 1;
			double x = 0, y = 0;
			int i = 0;

			for (; i < 200 && x * x + y * y < 4; i++) {
				const double next = x * x - y * y + cx;

				y = 2 * x * y + cy;
				x = next;
			}
			inside += i == 200;
		}
	return inside;
}

/* Breadth first through a random graph, from several places. */
static uint64_t graph(void)
{
	enum { NODES = 1 << 16, EDGES = 4 };
	uint32_t(*edges)[EDGES] = take(NODES, sizeof(*edges)), *queue = take(NODES, 4),
	*distance = take(NODES, 4);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < NODES; i++)
		for (int k = 0; k < EDGES; k++)
			edges[i][k] = (uint32_t)(draw() % NODES);
	for (int from = 0; from < 12; from++) {
		uint32_t head = 0, tail = 1;

		memset(distance, 0, NODES * sizeof(*distance));
		queue[0] = (uint32_t)(draw() % NODES);
		distance[queue[0]] = 1;
		while (head < tail) {
			const uint32_t at = queue[head++];

			for (int k = 0; k < EDGES; k++)
				if (!distance[edges[at][k]]) {
					distance[edges[at][k]] = distance[at] + 1;
					queue[tail++] = edges[at][k];
				}
			sum += distance[at];
		}
	}
	return sum;
}

/* Reads a text by a switch that no predictor knows. */
static uint64_t scanner(void)
{
	enum { LENGTH = 1 << 20 };
	char *text = take(LENGTH, 1);
	uint64_t words = 0, lines = 0, number = 0, depth = 0;
	int within = 0;

	for (int i = 0; i < LENGTH; i++)
		text[i] = " \n(a5)b  c7defghi"[draw() % 17];
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < LENGTH; i++) {
			switch (text[i]) {
			case '\n':
				lines++;
				/* fall through */
			case ' ':
				within = 0;
				break;
			case '(':
				depth++;
				break;
			case ')':
				depth -= depth > 0;
				break;
			case '5':
			case '7':
				number = number * 10 + (uint64_t)(text[i] - '0');
				break;
			default:
				words += !within;
				within = 1;
			}
		}
	return words + lines + number + depth;
}

/* Takes and gives back memory of many sizes. */
static uint64_t churn(void)
{
	static void *held[4096];
	uint64_t sum = 0;

	for (int i = 0; i < 200000; i++) {
		const uint64_t random = draw();
		void **slot = &held[random % 4096];
		const size_t size = 16 + (random >> 20) % ((random >> 40) % 16 ? 200 : 4000);

		free(*slot);
		*slot = malloc(size);
		if (!*slot)
			abort();
		memset(*slot, (int)i, size);
		sum += ((uint8_t *)*slot)[size / 2];
	}
	return sum;
}

/* Three kinds of work in turn, each time for longer. */
static uint64_t phases(void)
{
	static uint32_t table[1 << 19];
	uint64_t sum = 0;

	for (uint32_t round = 1; round < 24; round++)
		for (uint32_t i = 0; i < 20000 * round; i++) {
			if (round % 3 == 0)
				sum += table[draw() >> 45]++;
			else if (round % 3 == 1)
				sum += draw() >> 63 ? sum >> 3 : i;
			else
				sum = sum * 3 + i;
		}
	return sum;
}

/* Rounds of a block cipher's kind: short operations in long chains. */
static uint64_t cipher(void)
{
	uint32_t block[16], out = 0;

	for (int i = 0; i < 16; i++)
		block[i] = (uint32_t)draw();
	for (int round = 0; round < 300000; round++)
		for (int i = 0; i < 16; i++) {
			uint32_t *a = &block[i], *b = &block[(i + 5) & 15];

			*a += *b;
			*b = (*b ^ *a) << 7 | (*b ^ *a) >> 25;
			out ^= *b;
		}
	return out;
}

/* Places queens from `row` on. */
static uint64_t queens(int row, uint32_t columns, uint32_t up, uint32_t down)
{
	uint64_t found = 0;

	if (row == 10)
		return 1;
	for (uint32_t free = ~(columns | up | down) & 1023; free; free &= free - 1) {
		const uint32_t one = free & -free;

		found += queens(row + 1, columns | one, (up | one) << 1, (down | one) >> 1);
	}
	return found;
}

static uint64_t search(void)
{
	uint64_t found = 0;

	for (int i = 0; i < 40; i++)
		found += queens(0, 0, 0, 0);
	return found;
}

/* Conway's game of life, which settles: branches become predictable as it runs. */
static uint64_t life(void)
{
	enum { SIDE = 256 };
	static uint8_t cells[2][SIDE][SIDE];
	uint64_t alive = 0;

	for (int i = 0; i < SIDE * SIDE; i++)
		cells[0][i / SIDE][i % SIDE] = draw() % 3 == 0;
	for (int turn = 0; turn < 12; turn++)
		for (int r = 0; r < SIDE; r++)
			for (int c = 0; c < SIDE; c++) {
				uint8_t(*from)[SIDE] = cells[turn & 1];
				int around = -from[r][c];

				for (int y = r - 1; y <= r + 1; y++)
					for (int x = c - 1; x <= c + 1; x++)
						around += from[y & (SIDE - 1)][x & (SIDE - 1)];
				cells[~turn & 1][r][c] = around == 3 || (around == 2 && from[r][c]);
				alive += cells[~turn & 1][r][c];
			}
	return alive;
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		uint64_t (*run)(void);
	} all[] = {
		{"stream", stream},       {"chase", chase},     {"tree", tree},
		{"transform", transform}, {"bodies", bodies},   {"sieve", sieve},
		{"sparse", sparse},       {"common", common},   {"mandelbrot", mandelbrot},
		{"graph", graph},         {"scanner", scanner}, {"churn", churn},
		{"phases", phases},       {"cipher", cipher},   {"search", search},
		{"life", life},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (count > 1 && strcmp(arguments[1], all[i].name) != 0)
			continue;
		if (count < 2)
			puts(all[i].name);
		else
			return printf("%llu\n", (unsigned long long)all[i].run()) < 0;
	}
	return count > 1;
}
