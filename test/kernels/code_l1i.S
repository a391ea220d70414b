/* SPDX-License-Identifier: Apache-2.0 */
/* Larger than L1I, not than L2. */
#include "code.inc"

begin
	code_lines L2_BYTES / 4 * 3 / PAGE_BYTES, 60 /* guilty */
finish
