/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	movi v0.4s, #3
	movi v1.4s, #5
	movi v2.4s, #7
	chain 3000, 64, udot v0.4s, v1.16b, v2.16b /* guilty */
finish
