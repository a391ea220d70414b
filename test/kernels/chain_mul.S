/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	mov x0, #3
	mov x1, #5
	mov x2, #7
	chain 3000, 64, mul x0, x0, x1 /* guilty */
finish
