/* SPDX-License-Identifier: Apache-2.0 */
/* What pack.h packs. */
#ifndef COUNT_PACK_ITEM_H
#define COUNT_PACK_ITEM_H

#include <stdint.h>

/* Events that must be counted together: distinct codes in ascending order. */
struct pack_item {
	const uint16_t *codes;
	uint16_t count;
	uint16_t bin; /* the result */
};

#endif
