/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code and the rows of SPE records that were looked up before. One table has the code that a PC
 * is in, the other the row of records with this code. An entry that is in a table does not change
 * while threads use it; a thread adds entries under a lock, the others need none to find them.
 */
#ifndef PROFILE_HOT_H
#define PROFILE_HOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Entries are found in the order of their index exclusive-or 0, 1, 2 ..., nearest lines first. A
 * table begins small, so that it takes few pages and stays in the processor's caches, and becomes
 * large when it is half full.
 */
#define HOT_CODE_BITS_SMALL 15
#define HOT_CODE_BITS_LARGE 18
#define HOT_CODE_WAYS       16
#define HOT_ROW_BITS_SMALL  14
#define HOT_ROW_BITS_LARGE  16
#define HOT_ROW_WAYS        8

/*
 * An instruction in a process; or a block of instructions, which all have the same code. Four
 * blocks share a line, as do four neighbours, and are found in the same order.
 */
struct hot_code {
	uint64_t pc; /* the packet's payload; of a block, the first one's */
	uint32_t space;
	uint32_t code; /* 0: free; a block's has HOT_BLOCK, too */
};
#define HOT_BLOCK      (UINT32_C(1) << 31)
#define HOT_BLOCK_SIZE UINT64_C(16)
#define HOT_LINE_SIZE  (4 * HOT_BLOCK_SIZE) /* of code, that four blocks have */
#define HOT_PIECE_SIZE (4 * HOT_LINE_SIZE)  /* of code, whose blocks are added at once */

/* What decides on a record's row: its code, where it comes from, and what keys need of it. */
struct hot_key {
	uint64_t address, detail;
	uint32_t code, origin;
};

struct hot_row {
	struct hot_key key;
	uint32_t row; /* 1 more than its index; 0: free */
};

/* The rows of an origin, where a record's row depends on nothing but that and the code. */
struct hot_origin {
	uint32_t origin; /* 0: free */
	uint32_t *rows;  /* 1 more than the index of each code's, from code 1 on; 0: unknown */
};
/* The codes of a table without a limit of its own. */
#define CODES_MAX 131072
/* Each takes up to 4 bytes a code. Records of other origins have hot rows. */
#define HOT_ORIGINS 8

struct hot_codes {
	struct hot_code *at; /* NULL: not used yet */
	unsigned bits;       /* of the number of entries */
};
struct hot_rows {
	struct hot_row *at;
	unsigned bits;
};

/* What was mapped for a table. */
struct hot_memory {
	void *at; /* NULL: nothing */
	size_t size;
};

struct hot {
	/* The current tables: the small or the large ones. A thread that has begun with a small one
	 * may go on with it, but finds nothing there any more. */
	const struct hot_codes *codes; /* NULL: not used yet */
	const struct hot_rows *rows;
	struct hot_codes small_codes, large_codes;
	struct hot_rows small_rows, large_rows;
	size_t code_count, row_count; /* entries that were added to the current ones */
	struct hot_memory memory[3];
	struct hot_origin origins[HOT_ORIGINS];
	/* Whether blocks are worth looking for, and what decides on that. */
	bool by_block;
	size_t blocks_added, codes_added;
};

/* Begins without entries. `by_block`: neighbours may have the same code. Returns false if out of
 * memory. */
bool hot_begin(struct hot *hot, bool by_block);
void hot_end(struct hot *hot);
/* Forgets everything. */
void hot_forget(struct hot *hot);

/*
 * Adds blocks of the code of an instruction at `pc`: those in its piece of code that are within the
 * `before` bytes before it, and the `after` bytes from it on, which all have this code. Returns
 * false if its own block is not among them. `entry` is not in the table.
 */
bool hot_add_blocks(struct hot *hot, const struct hot_code *entry, uint64_t before, uint64_t after,
		    bool replace);
/* Add an entry that is not in the table; if there is no room, only in place of another. */
void hot_add_code(struct hot *hot, const struct hot_code *entry, bool replace);
void hot_add_row(struct hot *hot, const struct hot_row *entry, bool replace);
/* Make a table large if as many more instructions, each with its blocks, or rows are too many for a
 * small one. Without memory for that, it stays small. */
void hot_reserve_codes(struct hot *hot, size_t count);
void hot_reserve_rows(struct hot *hot, size_t count);
/* Returns the current tables. */
static inline const struct hot_codes *hot_codes(const struct hot *hot)
{
	return __atomic_load_n(&hot->codes, __ATOMIC_ACQUIRE);
}
static inline const struct hot_rows *hot_rows(const struct hot *hot)
{
	return __atomic_load_n(&hot->rows, __ATOMIC_ACQUIRE);
}

/* Returns the rows of an origin, CODES_MAX of them, or NULL if there are no more or no memory. */
uint32_t *hot_rows_of_origin(struct hot *hot, uint32_t origin);
/* Frees the rows of all origins. */
void hot_forget_origins(struct hot *hot);

#define HOT_ROW_GONE UINT32_MAX
/* Sets the row of each entry to renumbered[row]; entries of rows that are gone are, too. No other
 * thread uses the table meanwhile. */
void hot_renumber_rows(struct hot *hot, const uint32_t *renumbered, size_t count);

/* Returns where to look for an instruction: four neighbours share a line. */
static inline uint32_t hot_code_home(const struct hot_codes *codes, uint64_t pc, uint32_t space)
{
	const uint64_t hash = (pc >> 4 ^ (uint64_t)space << 40) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(hash >> (64 - codes->bits + 2) << 2 | (pc >> 2 & 3));
}

/* Likewise for a block. */
static inline uint32_t hot_block_home(const struct hot_codes *codes, uint64_t pc, uint32_t space)
{
	const uint64_t hash =
		(pc / HOT_LINE_SIZE ^ (uint64_t)space << 40) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(hash >> (64 - codes->bits + 2) << 2 | (pc / HOT_BLOCK_SIZE & 3));
}

/* Returns where to look first. */
static inline uint32_t hot_home(const struct hot_codes *codes, bool by_block, uint64_t pc,
				uint32_t space)
{
	return by_block ? hot_block_home(codes, pc, space) : hot_code_home(codes, pc, space);
}

/* Returns the code of the entry with this `pc`, of a block or not, or 0. */
static inline uint32_t hot_search(const struct hot_codes *codes, uint32_t home, uint64_t pc,
				  uint32_t space, uint32_t block)
{
	for (uint32_t way = 0; way < HOT_CODE_WAYS; way++) {
		const struct hot_code *entry = &codes->at[home ^ way];
		const uint32_t code = __atomic_load_n(&entry->code, __ATOMIC_ACQUIRE);

		if (!code)
			return 0;
		if (entry->pc == pc && entry->space == space && (code & HOT_BLOCK) == block)
			return code & ~HOT_BLOCK;
	}
	return 0;
}

/* Returns the code where it is not in the first place, or 0. */
uint32_t hot_find_further(const struct hot_codes *codes, bool by_block, uint64_t pc,
			  uint32_t space);

/* Returns the code, or 0. `home` is as of hot_home(). Most codes are in the first place. */
static inline uint32_t hot_find_code(const struct hot_codes *codes, bool by_block, uint32_t home,
				     uint64_t pc, uint32_t space)
{
	const uint64_t first = by_block ? pc & ~(uint64_t)(HOT_BLOCK_SIZE - 1) : pc;
	const struct hot_code *entry = &codes->at[home];
	const uint32_t code =
		__atomic_load_n(&entry->code, __ATOMIC_ACQUIRE) ^ (by_block ? HOT_BLOCK : 0);
	/* An entry may just be written; it has no code yet then, and is not found. */
	const uint64_t pc_differs = __atomic_load_n(&entry->pc, __ATOMIC_RELAXED) ^ first;
	const uint32_t space_differs = __atomic_load_n(&entry->space, __ATOMIC_RELAXED) ^ space;

	if ((pc_differs | space_differs | (code & HOT_BLOCK)) == 0)
		return code;
	return hot_find_further(codes, by_block, pc, space);
}

/* The code and the origin are not read as one word: they were just written one by one, and the
 * processor would wait for both to reach the cache. */
static inline uint32_t hot_row_home(const struct hot_rows *rows, const struct hot_key *key)
{
	const uint64_t hash = (key->code * UINT64_C(0x27d4eb2f165667c5) ^
			       key->origin * UINT64_C(0x85ebca77c2b2ae63) ^
			       key->address * UINT64_C(0xc2b2ae3d27d4eb4f) ^
			       key->detail * UINT64_C(0x165667b19e3779f9)) *
			      UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(hash >> (64 - rows->bits));
}

static inline bool hot_find_row(const struct hot_rows *rows, uint32_t home,
				const struct hot_key *key, uint32_t *row)
{
	for (uint32_t way = 0; way < HOT_ROW_WAYS; way++) {
		const struct hot_row *entry = &rows->at[home ^ way];
		const uint32_t found = __atomic_load_n(&entry->row, __ATOMIC_ACQUIRE);

		if (!found)
			return false;
		if (entry->key.code == key->code && entry->key.origin == key->origin &&
		    entry->key.address == key->address && entry->key.detail == key->detail) {
			*row = found - 1;
			return true;
		}
	}
	return false;
}

#endif
