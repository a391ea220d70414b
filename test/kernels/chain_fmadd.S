/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	fmov d0, #1.0
	fmov d1, #1.0
	fmov d2, #0.125
	chain 3000, 64, fmadd d0, d1, d2, d0 /* guilty */
finish
