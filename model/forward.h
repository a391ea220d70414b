/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes are in stores that have not left yet: core.forwards and core.recent_stores. */
#ifndef MODEL_FORWARD_H
#define MODEL_FORWARD_H

#include "pipeline.h"

/* Returns which of the 8 bytes from `granule * 8` on are in [address, end), as a bit mask. */
static inline unsigned granule_bytes(uint64_t granule, uint64_t address, uint64_t end)
{
	uint64_t base = granule * 8;
	unsigned first = address > base ? (unsigned)(address - base) : 0;
	unsigned last = end < base + 8 ? (unsigned)(end - base) : 8;

	return (0xffu >> (8 - last)) & (0xffu << first) & 0xff;
}

/* Remembers the store number `number`, whose data is there at `ready`, and it in L1D at `gone`. */
static inline void remember_store(struct core *core, uint64_t number, uint64_t address,
				  unsigned bytes, uint64_t ready, uint64_t gone)
{
	uint64_t end = address + bytes;

	core->recent_stores[number % RECENT_STORES] = (struct recent_store){
		.number = number,
		.address = address,
		.ready = ready,
		.gone = gone,
		.bytes = bytes,
	};
	if (__builtin_expect(!((address | bytes) % 8), 1)) {
		for (uint64_t granule = address / 8; granule * 8 < end; granule++)
			core->forwards[granule % FORWARD_ENTRIES] = (struct forward){
				.granule = granule, .stores = {number}, .bytes = {0xff}};
		return;
	}
	for (uint64_t granule = address / 8; granule * 8 < end; granule++) {
		struct forward *entry = &core->forwards[granule % FORWARD_ENTRIES];
		unsigned mask = granule_bytes(granule, address, end), rest = 0;

		if (entry->granule == granule)
			rest = entry->bytes[0] & ~mask;
		*entry = (struct forward){
			.granule = granule,
			.stores = {number, rest ? entry->stores[0] : 0},
			.bytes = {(uint8_t)mask, (uint8_t)rest},
		};
	}
}

#endif
