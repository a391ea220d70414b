/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	mov w0, #-1
	mov w1, #1
	chain 1000, 64, udiv w0, w0, w1 /* guilty */
finish
