/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.inc"

begin
	movi v0.4s, #3
	movi v1.4s, #5
	movi v2.4s, #7
	chain 3000, 64, add v0.4s, v0.4s, v1.4s /* guilty */
finish
