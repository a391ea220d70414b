/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix stored by rows and added up by columns: each load is of another line of the cache. */
#include <stdint.h>

#define ROWS    2048
#define COLUMNS 264

static double matrix[ROWS][COLUMNS];
static volatile double result;

__attribute__((noinline)) static void fill(void)
{
	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned column = 0; column < COLUMNS; column += 8)
			matrix[row][column] = row + column;
}

__attribute__((noinline)) static double add_up(void)
{
	double sum = 0;

	for (unsigned column = 0; column < COLUMNS; column++)
		for (unsigned row = 0; row < ROWS; row++)
			sum += matrix[row][column]; /* guilty */
	return sum;
}

int main(void)
{
	fill();
	result = add_up();
	return 0;
}
