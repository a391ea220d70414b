/* SPDX-License-Identifier: Apache-2.0 */
/* After each of these, what follows is fetched anew. */
#include "kernel.inc"

begin
	chain 1000, 64, isb /* guilty */
finish
