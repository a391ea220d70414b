/* SPDX-License-Identifier: Apache-2.0 */
/* Writes more memory than the caches of the core hold, from one end to the other. */
#include "kernel.inc"

#define BYTES  (2 * L2_BYTES)
#define ROUNDS 10

zeroes memory, BYTES

begin
	mov x9, #ROUNDS
next_round:
	address x0, memory
	repeat BYTES / 256
	stp q0, q0, [x0] /* guilty */
	stp q0, q0, [x0, #32] /* guilty */
	stp q0, q0, [x0, #64] /* guilty */
	stp q0, q0, [x0, #96] /* guilty */
	stp q0, q0, [x0, #128] /* guilty */
	stp q0, q0, [x0, #160] /* guilty */
	stp q0, q0, [x0, #192] /* guilty */
	stp q0, q0, [x0, #224] /* guilty */
	add x0, x0, #256
	again
	sub x9, x9, #1
	cbnz x9, next_round
	work BYTES / L1D_LINE_BYTES * ROUNDS
finish
