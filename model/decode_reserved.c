/* SPDX-License-Identifier: Apache-2.0 */
/* Permanently undefined instructions. */
#include "decode.h"

#define UNDEFINED(m, v)                                                           \
	{                                                                         \
		.mask = m, .value = v, .operands = "=", .class = CLASS_EXCEPTION, \
		.branch = BRANCH_EXCEPTION,                                       \
	}

/* clang-format off */
/* Permanently undefined */
static const struct decode_row permanently_undefined[] = {
	UNDEFINED(0xffff0000, 0x00000000), /* udf */
};

static const struct decode_group groups[] = {
	DECODE_GROUP(0xffff0000, 0x00000000, permanently_undefined),
};
/* clang-format on */

const struct decode_table decode_reserved = DECODE_TABLE(groups);
