/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	repeat 4000
	.rept 128
	nop
	.endr
	again
	work 4000 * 128
finish
