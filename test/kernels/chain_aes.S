/* SPDX-License-Identifier: Apache-2.0 */
/* A round is two instructions that are one operation, and waits for the round before it. */
#include "kernel.inc"

begin
	movi v0.16b, #3
	movi v1.16b, #5
	repeat 2000
	.rept 64
	aese v0.16b, v1.16b /* guilty */
	aesmc v0.16b, v0.16b /* guilty */
	.endr
	again
	work 2000 * 64
finish
