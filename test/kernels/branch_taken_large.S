/* SPDX-License-Identifier: Apache-2.0 */
/* Too many for the fast target buffer, few for the large one. */
#include "hops.inc"

begin
	hop 16 * PREDICTOR_FAST_TARGET_ENTRIES, 150 /* guilty */
finish
