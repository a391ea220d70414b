/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	ptrue p0.b
	fmov z0.d, #1.0
	fmov z1.d, #1.0
	fmov z2.d, #0.125
	chain 3000, 64, fmla z0.d, p0/m, z1.d, z2.d /* guilty */
finish
