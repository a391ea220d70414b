/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses lines of numbers, for doc/ci.md: a program whose cycles a gate watches. Built with
 * -DREGRESSION, parse_line() looks for the line's end once for each of its fields.
 */
#include <stdio.h>
#include <string.h>

#define LINES  2000
#define FIELDS 8

static char text[LINES * FIELDS * 8];

/* Fills the text with lines such as "17,4,2091,...". */
static void make_text(void)
{
	unsigned number = 1;
	char *at = text;

	for (int i = 0; i < LINES; i++) {
		for (int k = 0; k < FIELDS; k++) {
			number = number * 1103515245u + 12345u;
			at += sprintf(at, "%u%c", number >> 16 & 4095, k + 1 < FIELDS ? ',' : '\n');
		}
	}
}

/* Returns the length of the line at `line`, without its end. */
static size_t line_length(const char *line)
{
	size_t length = 0;

	while (line[length] && line[length] != '\n')
		length++;
	return length;
}

/* Adds up the numbers of a line, and sets `*next` to the one after it. */
static __attribute__((noinline)) unsigned long parse_line(const char *line, const char **next)
{
	unsigned long sum = 0, number = 0;
	size_t length = line_length(line);

	for (size_t i = 0; i < length; i++) {
		if (line[i] == ',') {
			sum += number;
			number = 0;
#ifdef REGRESSION
			length = i + line_length(line + i);
#endif
		} else {
			number = number * 10 + (unsigned)(line[i] - '0');
		}
	}
	*next = line + length + 1;
	return sum + number;
}

int main(void)
{
	const char *line = text;
	unsigned long sum = 0;

	make_text();
	while (*line)
		sum += parse_line(line, &line);
	printf("%lu\n", sum);
	return 0;
}
