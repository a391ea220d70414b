/* SPDX-License-Identifier: Apache-2.0 */
/* No deeper than the return stack remembers. */
#include "nested.inc"

begin
	call_deep PREDICTOR_RETURN_ENTRIES / 2, 2000, 13
