/* SPDX-License-Identifier: Apache-2.0 */
/* Branches on a bit of a random number: nothing about them can be learned. */
#include "random.inc"

begin
	random_setup
	repeat 4000
	.rept 8
	random
	tbnz x0, #62, 1f /* guilty */
	nop
1:
	.endr
	again
	work 4000 * 8
finish
