/* SPDX-License-Identifier: Apache-2.0 */
/* Like tie_chain_fetch, but its chain takes one cycle: an addition that depends on the last one. */
#include "kernel.inc"

begin
	mov x1, #1
	repeat 200000
	add x0, x0, x1
	b 1f
1:
	again
	work 200000
finish
