/* SPDX-License-Identifier: Apache-2.0 */
/* More than any target buffer has: decode finds out. */
#include "hops.inc"

begin
	hop PREDICTOR_TARGET_ENTRIES / 2 * 3, 16 /* guilty */
finish
