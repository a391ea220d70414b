/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	mov x0, #3
	mov x1, #5
	mov x2, #7
	chain 4000, 64, madd x0, x1, x2, x0 /* guilty */
finish
