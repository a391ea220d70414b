/* SPDX-License-Identifier: Apache-2.0 */
/* A heap that shrinks and grows again in every round. */
#include "unmap.inc"

begin
	mov x0, #0
	set_break
	add x19, x0, #PAGE_BYTES
	and x19, x19, #-PAGE_BYTES
	constant x1, BYTES
	add x23, x19, x1
	repeat 50
	mov x0, x23
	set_break
	touch 0 /* guilty */
	mov x0, x19
	set_break
	again
	work 50 * PAGES
finish
