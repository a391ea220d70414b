/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics on one place that return nothing: each still waits until the last one's is in L1D. */
#include "kernel.inc"

zeroes memory, PAGE_BYTES

begin
	address x0, memory
	mov x1, #1
	chain 2000, 64, stadd x1, [x0] /* guilty */
finish
