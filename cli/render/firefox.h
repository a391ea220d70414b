/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of stacks_firefox.c: firefox_series.c collects the frames of one series, and
 * firefox_tables.c writes them.
 */
#ifndef RENDER_FIREFOX_H
#define RENDER_FIREFOX_H

#include "render/json_stream.h"
#include "render/stacks.h"

/* Categories: those of slots are in the order of enum slots. */
enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_SLOTS };

struct firefox_frame {
	uint32_t line; /* in `lines` */
	uint32_t code;
	uint32_t depth; /* of inlining */
	uint32_t category, subcategory;
};

struct firefox_stack {
	uint32_t frame, prefix;
};

/* Numbers that things have in the series at hand: another one forgets them. */
struct firefox_local {
	uint32_t *number, *series; /* by the thing's own number */
};

struct firefox {
	struct stacks *stacks;
	const char *arch;
	struct json_stream json;
	struct text_table texts;
	struct code_table strings, sources, libs, tids;
	uint32_t *subcategory, *series_of; /* of each type */

	/* The series at hand. */
	uint32_t series;
	struct firefox_frame *frames;
	struct firefox_stack *stack;
	uint32_t *functions, *symbols, *resources; /* functions; functions with symbols; libs */
	size_t frame_count, stack_count, function_count, symbol_count, resource_count;
	size_t frame_room, stack_room, function_room, symbol_room, resource_room;
	uint32_t *ends; /* the stack of each moment */
	size_t end_room;
	struct firefox_local by_node, by_line, by_function, by_symbol, by_lib;
};

/* firefox_series.c: makes room for another element of an array. Numbers have 32 bits. */
void *firefox_grow(void *array, size_t count, size_t *room, size_t size);
/* Finds or makes the number of a word, of a text, or of the file that a function is in. */
uint32_t firefox_number(struct code_table *table, uint64_t word);
uint32_t firefox_string(struct firefox *f, const char *text);
uint32_t firefox_lib(struct firefox *f, uint32_t function); /* UINT32_MAX: none */

/* Makes the tables of a profile, which go by numbers of the stacks; frees them. */
void firefox_tables_begin(struct firefox *f);
void firefox_tables_end(struct firefox *f);

/* Begins another series: it has no frames yet. */
void firefox_series_begin(struct firefox *f);
/*
 * Finds or makes the stack of a value of a type, which is at `node`. Its parents come first: `path`
 * has room for all nodes.
 */
uint32_t firefox_stack_of(struct firefox *f, uint32_t node, uint32_t type, uint32_t *path);
/* Returns the function that all others at a code are inlined into. */
uint32_t firefox_outer(const struct firefox *f, uint32_t code);
bool firefox_has_symbol(const struct firefox *f, uint32_t function);

/* firefox_tables.c: writes the tables of the series, and those that all share. */
void firefox_write_series(struct firefox *f);
void firefox_write_libs(struct firefox *f);
void firefox_write_shared(struct firefox *f);

/* Begins and ends a column; ends a table of `length` rows. */
void firefox_column(struct firefox *f, const char *name);
void firefox_column_end(struct firefox *f);
void firefox_table_end(struct firefox *f, size_t length);
/* Writes a column of `count` equal values. */
void firefox_constant(struct firefox *f, const char *name, uint32_t value, size_t count);

#endif
