/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	mov x0, #3
	mov x1, #5
	mov x2, #7
	chain 3000, 128, add x0, x1, x0, lsl #20 /* guilty */
finish
