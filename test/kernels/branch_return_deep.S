/* SPDX-License-Identifier: Apache-2.0 */
/* Deeper than the return stack remembers. */
#include "nested.inc"

begin
	call_deep 4 * PREDICTOR_RETURN_ENTRIES, 400, 1 /* guilty */
