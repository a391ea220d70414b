/* SPDX-License-Identifier: Apache-2.0 */
/* A loop around a switch: an indirect branch for each step of what it interprets. */
#include <stdint.h>
#include <stdio.h>

enum step { PUSH, ADD, MULTIPLY, DUPLICATE, SWAP, DECREMENT, LOOP, STOP };

static uint64_t interpret(const uint8_t *code, uint64_t rounds)
{
	uint64_t stack[16] = {0}, *top = stack;
	const uint8_t *at = code;

	for (;;) {
		switch ((enum step) * at++) {
		case PUSH:
			*++top = *at++;
			break;
		case ADD:
			top--;
			top[0] += top[1];
			break;
		case MULTIPLY:
			top--;
			top[0] *= top[1];
			break;
		case DUPLICATE:
			top[1] = top[0];
			top++;
			break;
		case SWAP: {
			uint64_t held = top[0];

			top[0] = top[-1];
			top[-1] = held;
			break;
		}
		case DECREMENT:
			rounds--;
			break;
		case LOOP:
			if (rounds)
				at = code + 2;
			break;
		case STOP:
			return *top;
		}
	}
}

int main(void)
{
	static const uint8_t code[] = {PUSH, 1,    DUPLICATE, PUSH, 3, MULTIPLY,  SWAP, ADD,  PUSH,
				       7,    SWAP, ADD,       PUSH, 1, DECREMENT, ADD,  LOOP, STOP};

	printf("%llu\n", (unsigned long long)interpret(code, 20000));
	return 0;
}
