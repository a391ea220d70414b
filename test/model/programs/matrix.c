/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point that compilers turn into vectors, and reductions that they do not. */
#include <stdio.h>

#define SIZE 64

static float a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++) {
			a[i][j] = (float)(i + j) / SIZE;
			b[i][j] = (float)(i - j) / SIZE;
		}
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++)
			for (int j = 0; j < SIZE; j++)
				c[i][j] += a[i][k] * b[k][j];
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			sum += c[i][j] / (1 + i * j);
	printf("%.6f\n", sum);
	return 0;
}
