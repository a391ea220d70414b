/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three phases of known length, one after the other, again and again: a product of matrices, a
 * branch at random, and a chase of pointers. Each is a loop of as many instructions per turn as its
 * assembly has, so phases are equally long, and their places are known on paper: phase `k` of a
 * round begins about `3 * round + k` times LENGTH instructions after the first.
 *
 *     alternate [ROUNDS] [LENGTH, in thousands of instructions]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE   64
#define NODES  (1u << 15) /* of 8 bytes: 256 KiB, which L2 has */
#define ROUNDS 4
#define LENGTH 200000

/* Instructions per turn of each loop. */
enum { MULTIPLY = 8, BRANCH = 10, CHASE = 4 };

static double a[SIDE * SIDE], b[SIDE * SIDE];
static uint64_t nodes[NODES];

/* Eight instructions a turn: load, load, multiply and add, wrap. */
static double multiply(uint64_t turns)
{
	uint64_t at = 0, x;
	double sum = 0, p, q;

	__asm__ volatile("1:\n\t"
			 "ldr %d[p], [%[a], %[at], lsl 3]\n\t"
			 "ldr %d[q], [%[b], %[at], lsl 3]\n\t"
			 "fmadd %d[sum], %d[p], %d[q], %d[sum]\n\t"
			 "add %[at], %[at], 65\n\t"
			 "and %[at], %[at], %[mask]\n\t"
			 "eor %[x], %[at], %[turns]\n\t"
			 "subs %[turns], %[turns], 1\n\t"
			 "b.ne 1b"
			 : [sum] "+w"(sum), [at] "+r"(at), [turns] "+r"(turns), [p] "=&w"(p),
			   [q] "=&w"(q), [x] "=&r"(x)
			 : [a] "r"(a), [b] "r"(b), [mask] "i"(SIDE * SIDE - 1)
			 : "cc", "memory");
	return sum;
}

/* Ten instructions a turn, of which a branch at random skips none that counts: both ways have as
 * many. */
static uint64_t branch(uint64_t turns)
{
	uint64_t state = 88172645463325252ull, sum = 0;

	__asm__ volatile("1:\n\t"
			 "eor %[state], %[state], %[state], lsl 13\n\t"
			 "eor %[state], %[state], %[state], lsr 7\n\t"
			 "eor %[state], %[state], %[state], lsl 17\n\t"
			 "tbz %[state], 5, 2f\n\t"
			 "add %[sum], %[sum], 3\n\t"
			 "eor %[sum], %[sum], %[state]\n\t"
			 "b 3f\n\t"
			 "2:\n\t"
			 "sub %[sum], %[sum], 1\n\t"
			 "orr %[sum], %[sum], %[state]\n\t"
			 "nop\n\t"
			 "3:\n\t"
			 "nop\n\t"
			 "subs %[turns], %[turns], 1\n\t"
			 "b.ne 1b"
			 : [state] "+r"(state), [sum] "+r"(sum), [turns] "+r"(turns)
			 :
			 : "cc");
	return sum;
}

/* Four instructions a turn, of which the first waits for that of the last turn. */
static uint64_t chase(uint64_t turns)
{
	uint64_t at = 0;

	__asm__ volatile("1:\n\t"
			 "ldr %[at], [%[nodes], %[at], lsl 3]\n\t"
			 "nop\n\t"
			 "subs %[turns], %[turns], 1\n\t"
			 "b.ne 1b"
			 : [at] "+r"(at), [turns] "+r"(turns)
			 : [nodes] "r"(nodes)
			 : "cc", "memory");
	return at;
}

/* One cycle through all nodes, at random: Sattolo's shuffle. */
static void link_nodes(void)
{
	uint64_t state = 1;

	for (uint64_t i = 0; i < NODES; i++)
		nodes[i] = i;
	for (uint64_t i = NODES - 1; i > 0; i--) {
		uint64_t k, other;

		state = state * 6364136223846793005ull + 1442695040888963407ull;
		k = (state >> 33) % i;
		other = nodes[i];
		nodes[i] = nodes[k];
		nodes[k] = other;
	}
}

int main(int count, char **arguments)
{
	const uint64_t rounds = count > 1 ? strtoull(arguments[1], NULL, 10) : ROUNDS;
	const uint64_t length = 1000 * (count > 2 ? strtoull(arguments[2], NULL, 10) : LENGTH);
	uint64_t sum = 0;

	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		a[i] = i;
		b[i] = 1.0 / (i + 1);
	}
	link_nodes();
	for (uint64_t round = 0; round < rounds; round++) {
		sum += (uint64_t)multiply(length / MULTIPLY);
		sum += branch(length / BRANCH);
		sum += chase(length / CHASE);
	}
	return printf("%llu\n", (unsigned long long)sum) < 0;
}
