/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seven functions whose slots go different ways, in turns. A call takes some thousand cycles, times
 * LENGTH.
 */
#include <stdint.h>
#ifndef LENGTH
#define LENGTH 1
#endif
#define ROUNDS   (LENGTH > 1 ? 40 : 60)
#define REP4(x)  x x x x
#define REP16(x) REP4(REP4(x))
#define CLASS    __attribute__((noipa)) static void
static uint64_t table[1 << 21]; /* 16 MiB: beyond L2 */
CLASS fp_divides(int n)
{
	double x = 3.7;
	for (int i = 0; i < n; i++)
		__asm__ volatile("fdiv %d0, %d0, %d1" : "+w"(x) : "w"(1.0001));
}
CLASS int_divides(int n)
{
	uint64_t x = ~0ull;
	for (int i = 0; i < n; i++)
		__asm__ volatile("udiv %0, %0, %1\n orr %0, %0, 0xff00000000000000"
				 : "+r"(x)
				 : "r"(3ul));
}
CLASS barriers(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("isb");
}
CLASS mispredicts(int n)
{
	uint64_t x = 88172645463325252ull;
	for (int i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1)
			__asm__ volatile("nop");
		else
			__asm__ volatile("nop\n nop");
	}
}
CLASS converts(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile(
			"fcvtzs x9, d0\n fcvtzs x10, d1\n fcvtzs x11, d2\n fcvtzs x12, d3" ::
				: "x9", "x10", "x11", "x12");
}
CLASS nops(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile(REP16("nop\n"));
}
CLASS misses(int n)
{
	uint64_t at = 1;
	for (int i = 0; i < n; i++) {
		at = (at * 6364136223846793005ull + 1442695040888963407ull + table[at >> 43]);
	}
	table[0] = at;
}
int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		fp_divides(LENGTH * 400);
		int_divides(LENGTH * 470);
		barriers(LENGTH * 660);
		mispredicts(LENGTH * 2300);
		converts(LENGTH * 2000);
		nops(LENGTH * 670);
		misses(LENGTH * 40);
	}
}
