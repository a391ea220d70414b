/* SPDX-License-Identifier: Apache-2.0 */
/* As many as the fast target buffer has room for. */
#include "hops.inc"

begin
	hop PREDICTOR_FAST_TARGET_ENTRIES / 2, 4000 /* guilty */
finish
