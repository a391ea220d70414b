/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics on one place: each waits until the last one's result is in L1D. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	mov x1, #1
	chain 2000, 64, ldadd x1, x2, [x0] /* guilty */
finish
