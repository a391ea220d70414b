/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	fmov s0, #1.0
	fmov s1, #1.0
	fmov s2, #0.125
	chain 1500, 64, fdiv s0, s0, s1 /* guilty */
finish
