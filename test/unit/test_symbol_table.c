/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses that have the same symbol: symbol_table_extent(). */
#include "check.h"

#include "symbol/table.h"

#define ADDRESSES 400

static void add(struct symbol_table *table, uint64_t start, uint64_t end)
{
	const struct plumb_symbol symbol = {.start = start, .end = end, .name = "f"};

	assert_int_equal(symbol_table_add(table, &symbol), 0);
}

/* Symbols that follow each other, have gaps between them, overlap, and are in one another. */
static struct symbol_table made(void)
{
	struct symbol_table table = {0};

	add(&table, 0, 40);
	add(&table, 40, 100);
	add(&table, 110, 150);
	add(&table, 140, 180);
	add(&table, 200, 300);
	add(&table, 220, 240);
	add(&table, 230, 235);
	add(&table, 320, 320);
	add(&table, 350, 360);
	assert_int_equal(symbol_table_finish(&table, false), 0);
	return table;
}

static void all_of_an_extent_have_its_symbol(void **state)
{
	struct symbol_table table = made();
	size_t known = 0;

	(void)state;
	for (uint64_t address = 0; address < ADDRESSES; address++) {
		const struct plumb_symbol *symbol = symbol_table_find(&table, address);
		uint64_t from, to;

		if (!symbol || !symbol_table_extent(&table, symbol, address, &from, &to))
			continue;
		known++;
		assert_in_range(address, from, to - 1);
		for (uint64_t other = from; other < to; other++)
			assert_ptr_equal(symbol_table_find(&table, other), symbol);
	}
	/* Most addresses are in one symbol alone. */
	assert_true(known > 200);
	symbol_table_free(&table);
}

static void other_symbols_have_no_extent(void **state)
{
	struct symbol_table table = made(), other = made(), none = {0};
	const struct plumb_symbol *symbol = symbol_table_find(&table, 50);
	uint64_t from, to;

	(void)state;
	assert_true(symbol_table_extent(&table, symbol, 50, &from, &to));
	assert_int_equal(from, 40);
	assert_int_equal(to, 100);
	assert_false(symbol_table_extent(&other, symbol, 50, &from, &to));
	assert_false(symbol_table_extent(&none, symbol, 50, &from, &to));
	/* Behind what is nested in it, a symbol goes on; but another one is nearer. */
	symbol = symbol_table_find(&table, 260);
	assert_non_null(symbol);
	assert_false(symbol_table_extent(&table, symbol, 260, &from, &to));
	symbol_table_free(&table);
	symbol_table_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_an_extent_have_its_symbol),
		cmocka_unit_test(other_symbols_have_no_extent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
