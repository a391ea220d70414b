/* SPDX-License-Identifier: Apache-2.0 */
/* The microbenchmarks are counted from measure() to measured(). */
#ifndef VALIDATION_MEASURE_H
#define VALIDATION_MEASURE_H

void measure(void);
void measured(void);
__attribute__((noinline)) void measure(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void measured(void)
{
	__asm__ volatile("nop" ::: "memory");
}

#endif
