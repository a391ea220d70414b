/* SPDX-License-Identifier: Apache-2.0 */
/* As many as the smallest target buffer has room for. */
#include "hops.inc"

begin
	hop PREDICTOR_PAIR_TARGET_ENTRIES / 2, 40000
finish
