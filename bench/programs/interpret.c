/* SPDX-License-Identifier: Apache-2.0 */
/* Interprets a machine of eight registers that searches for primes: one indirect branch per step.
 */
#include <stdint.h>
#include <stdio.h>

#ifndef UP_TO
#define UP_TO 160000
#endif

enum { SET, MOVE, PLUS, TIMES, REST, LESS, ZERO, JUMP, COUNT, HALT };

struct step {
	uint8_t what, a, b;
	int32_t value;
};

static uint64_t run(const struct step *program)
{
	uint64_t r[8] = {0}, counted = 0;
	const struct step *s = program;

	for (;; s++)
		switch (s->what) {
		case SET:
			r[s->a] = (uint64_t)s->value;
			break;
		case MOVE:
			r[s->a] = r[s->b];
			break;
		case PLUS:
			r[s->a] += (uint64_t)s->value;
			break;
		case TIMES:
			r[s->a] *= r[s->b];
			break;
		case REST:
			r[s->a] %= r[s->b];
			break;
		case LESS:
			if (r[s->a] < r[s->b])
				s += s->value;
			break;
		case ZERO:
			if (!r[s->a])
				s += s->value;
			break;
		case JUMP:
			s += s->value;
			break;
		case COUNT:
			counted++;
			break;
		default:
			return counted;
		}
}

int main(void)
{
	static const struct step primes[] = {
		{SET, 0, 0, 3},     /* n */
		{SET, 7, 0, UP_TO}, /* up to here */
		{SET, 1, 0, 3},     /* d */
		{MOVE, 2, 1, 0},    /* 3: d * d > n: a prime */
		{TIMES, 2, 2, 0},   {LESS, 0, 2, 5},   {MOVE, 3, 0, 0},
		{REST, 3, 1, 0},    {ZERO, 3, 0, 3},                     /* d divides n */
		{PLUS, 1, 0, 2},    {JUMP, 0, 0, -8},  {COUNT, 0, 0, 0}, /* 11 */
		{PLUS, 0, 0, 2},    {LESS, 0, 7, -12}, {HALT, 0, 0, 0},
	};

	printf("%llu\n", (unsigned long long)run(primes));
	return 0;
}
