/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix of 16 MiB stored by rows and added up by columns, with sums that are independent: each
 * load is of another page, and its line is gone when the next column wants it.
 */
#include <stdint.h>

#define ROWS    2048
#define COLUMNS 1056

static double matrix[ROWS][COLUMNS];
static volatile double result;

__attribute__((noinline)) static double add_up(void)
{
	double sum = 0;

	for (unsigned column = 0; column < 24; column++)
		for (unsigned row = 0; row < ROWS; row++)
			sum += matrix[row * 517 % ROWS][column * 8]; /* guilty */
	return sum;
}

int main(void)
{
	for (unsigned row = 0; row < ROWS; row++)
		matrix[row][0] = row;
	result = add_up();
	return 0;
}
