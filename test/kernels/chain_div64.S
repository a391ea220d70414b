/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	mov x0, #-1
	mov x1, #1
	chain 1000, 64, sdiv x0, x0, x1 /* guilty */
finish
