/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where data came from in perf's words: the fields of PERF_SAMPLE_DATA_SRC, a union
 * perf_mem_data_src of <linux/perf_event.h>. They are written out here because not every system
 * that reads recordings has that header, and not every one that has it has all of them.
 */
#ifndef BASE_MEM_SOURCE_H
#define BASE_MEM_SOURCE_H

#include <stdint.h>

/* The fields, by the bit that each begins at. */
enum mem_field {
	MEM_OP = 0,
	MEM_LEVEL = 5,
	MEM_SNOOP = 19,
	MEM_LOCK = 24,
	MEM_TLB = 26,
	MEM_LEVEL_NUMBER = 33,
	MEM_REMOTE = 37,
	MEM_SNOOPX = 38,
	MEM_BLOCK = 40,
	MEM_HOPS = 43,
	MEM_REGION = 46,
};

enum mem_op {
	MEM_OP_NA = 0x01,
	MEM_OP_LOAD = 0x02,
	MEM_OP_STORE = 0x04,
};

enum mem_level {
	MEM_LEVEL_NA = 0x01,
	MEM_LEVEL_HIT = 0x02,
	MEM_LEVEL_MISS = 0x04,
	MEM_LEVEL_L1 = 0x08,
	MEM_LEVEL_LFB = 0x10,
	MEM_LEVEL_L2 = 0x20,
	MEM_LEVEL_L3 = 0x40,
	MEM_LEVEL_RAM = 0x80,
	MEM_LEVEL_REMOTE_RAM = 0x100,
	MEM_LEVEL_REMOTE_CACHE_1 = 0x400, /* one hop away */
	MEM_LEVEL_REMOTE_CACHE_2 = 0x800, /* two */
	MEM_LEVEL_IO = 0x1000,
};

enum mem_level_number {
	MEM_NUMBER_L1 = 0x1,
	MEM_NUMBER_L2 = 0x2,
	MEM_NUMBER_L3 = 0x3,
	MEM_NUMBER_L2_MHB = 0x5,
	MEM_NUMBER_MSC = 0x6, /* a cache on the memory's side */
	MEM_NUMBER_L0 = 0x7,
	MEM_NUMBER_UNCACHED = 0x8,
	MEM_NUMBER_CXL = 0x9,
	MEM_NUMBER_IO = 0xa,
	MEM_NUMBER_ANY_CACHE = 0xb,
	MEM_NUMBER_LFB = 0xc,
	MEM_NUMBER_RAM = 0xd,
	MEM_NUMBER_PMEM = 0xe,
	MEM_NUMBER_NA = 0xf,
};

enum mem_snoop {
	MEM_SNOOP_NA = 0x01,
	MEM_SNOOP_NONE = 0x02,
	MEM_SNOOP_HIT = 0x04,
	MEM_SNOOP_MISS = 0x08,
	MEM_SNOOP_HITM = 0x10,
};

enum mem_snoopx {
	MEM_SNOOPX_FORWARD = 0x1,
	MEM_SNOOPX_PEER = 0x2,
};

enum mem_lock {
	MEM_LOCK_NA = 0x1,
	MEM_LOCK_LOCKED = 0x2,
};

enum mem_tlb {
	MEM_TLB_NA = 0x01,
	MEM_TLB_HIT = 0x02,
	MEM_TLB_MISS = 0x04,
	MEM_TLB_WALKER = 0x20,
};

/* The value of a field, and the field of a value. */
static inline uint64_t mem_put(enum mem_field field, uint64_t value)
{
	return value << field;
}

static inline unsigned mem_get(uint64_t source, enum mem_field field)
{
	static const uint8_t widths[] = {
		[MEM_OP] = 5,    [MEM_LEVEL] = 14,       [MEM_SNOOP] = 5,  [MEM_LOCK] = 2,
		[MEM_TLB] = 7,   [MEM_LEVEL_NUMBER] = 4, [MEM_REMOTE] = 1, [MEM_SNOOPX] = 2,
		[MEM_BLOCK] = 3, [MEM_HOPS] = 3,         [MEM_REGION] = 5,
	};

	return (unsigned)(source >> field) & ((1u << widths[field]) - 1);
}

/* A value without its other fields. */
static inline uint64_t mem_only(uint64_t source, enum mem_field field)
{
	return mem_put(field, mem_get(source, field));
}

#endif
