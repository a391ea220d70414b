/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	fmov h0, #1.0
	fmov h1, #1.0
	chain 1500, 64, fdiv h0, h0, h1 /* guilty */
finish
