/* SPDX-License-Identifier: Apache-2.0 */
/* Larger than L2. */
#include "code.inc"

begin
	code_lines L2_BYTES / 4 * 5 / PAGE_BYTES, 8 /* guilty */
finish
