/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop whose chain and whose fetch take two cycles each: a multiplication that depends on the
 * last one, and two taken branches, each of which ends a chunk of code.
 */
#include "kernel.inc"

begin
	mov x1, #1
	repeat 200000
	mul x0, x0, x1
	b 1f
1:
	again
	work 200000
finish
