/* SPDX-License-Identifier: Apache-2.0 */
/* Words, lines and digits of random text: several branches are about as bad, so none has the mark.
 */
#include <stdint.h>

#define LENGTH 60000

static char text[LENGTH];
static unsigned words, lines, digits;
static volatile uint64_t result;

static inline int is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t';
}

static inline int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

__attribute__((noinline)) static void scan(void)
{
	int in_word = 0;

	for (unsigned i = 0; i < LENGTH; i++) {
		char c = text[i];

		if (c == '\n')
			lines++;
		if (is_space(c)) {
			in_word = 0;
		} else if (!in_word) {
			in_word = 1;
			words++;
		}
		if (is_digit(c))
			digits += (unsigned)(c - '0');
	}
}

int main(void)
{
	uint64_t number = 88172645463325252;

	for (unsigned i = 0; i < LENGTH; i++) {
		number ^= number << 13;
		number ^= number >> 7;
		number ^= number << 17;
		text[i] = " \n0abcdefgh1ijk "[number >> 60];
	}
	scan();
	result = words + lines + digits;
	return 0;
}
