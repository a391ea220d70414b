/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplies matrices of doubles row by row: mostly floating-point vectors. */
#include <stdio.h>

#ifndef SIZE
#define SIZE 384
#endif

static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

int main(void)
{
	double trace = 0;

	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++) {
			a[i][j] = i + j;
			b[i][j] = i - 2 * j;
		}
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++)
			for (int j = 0; j < SIZE; j++)
				c[i][j] += a[i][k] * b[k][j];
	for (int i = 0; i < SIZE; i++)
		trace += c[i][i];
	printf("%.0f\n", trace);
	return 0;
}
