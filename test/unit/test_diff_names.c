/* SPDX-License-Identifier: Apache-2.0 */
/* Which function code belongs to, where builds inline and copy differently. */
#include "check.h"

#include "diff/names.h"

static void add_function(struct diff_side *side, const char *name)
{
	side->functions =
		realloc(side->functions, (side->function_count + 1) * sizeof(*side->functions));
	side->functions[side->function_count++] = (struct diff_function){.name = name};
}

static void add_inlining(struct diff_side *side, const char *function, const char *into)
{
	side->inlinings =
		realloc(side->inlinings, (side->inlining_count + 1) * sizeof(*side->inlinings));
	side->inlinings[side->inlining_count++] = (struct diff_inlining){function, into};
}

static void declare(struct diff_side *side, const char *function, const char *file, unsigned line)
{
	side->declarations = realloc(side->declarations,
				     (side->declaration_count + 1) * sizeof(*side->declarations));
	side->declarations[side->declaration_count++] =
		(struct diff_declaration){function, file, line};
}

/* Two sides with debug information, and main(). */
static void make_sides(struct diff_side *sides[2])
{
	for (int s = 0; s < 2; s++) {
		sides[s] = diff_side_new(s ? "after" : "before");
		add_function(sides[s], "main");
		declare(sides[s], "main", "a.c", 50);
	}
}

static struct diff_names *decide(struct diff_side *sides[2])
{
	struct diff_names *names;

	for (int s = 0; s < 2; s++)
		diff_side_sort_code(sides[s]);
	assert_int_equal(diff_names_new(sides, 2, &names), 0);
	return names;
}

static void release(struct diff_side *sides[2], struct diff_names *names)
{
	diff_names_free(names);
	diff_side_free(sides[0]);
	diff_side_free(sides[1]);
}

static void knows_parts_and_copies(void **state)
{
	(void)state;
	assert_int_equal(diff_base_length("f"), 1);
	assert_int_equal(diff_base_length("f.part.0"), 1);
	assert_int_equal(diff_base_length("f.cold"), 1);
	assert_int_equal(diff_base_length("parse.constprop.0.isra.1"), 5);
	assert_int_equal(diff_base_length("a::b(int) [clone .part.0]"), 9);
	assert_int_equal(diff_base_length("file.parts"), 10);
	assert_int_equal(diff_base_length(".cold"), 5);
	assert_int_equal(diff_base_length(""), 0);
}

/* What one side calls, and the other inlines, belongs to itself on both. */
static void gives_inlined_code_to_its_function(void **state)
{
	struct diff_side *sides[2];
	struct diff_names *names;

	(void)state;
	make_sides(sides);
	add_function(sides[0], "f");
	add_inlining(sides[1], "f", "main");
	/* Inlined on both sides alike, or with no code of its own. */
	add_inlining(sides[0], "same", "main");
	add_inlining(sides[1], "same", "main");
	add_function(sides[0], "same");
	add_function(sides[1], "same");
	add_inlining(sides[0], "moved", "main");
	add_inlining(sides[1], "moved", "same");
	/* Called by some, inlined into others. */
	add_function(sides[0], "often");
	add_function(sides[1], "often");
	add_inlining(sides[0], "often", "main");
	add_inlining(sides[1], "often", "main");
	add_inlining(sides[1], "often", "same.isra.0");
	names = decide(sides);
	assert_string_equal(diff_names_function(names, "f", true), "f");
	assert_string_equal(diff_names_function(names, "f", false), "f");
	assert_null(diff_names_function(names, "same", true));
	assert_null(diff_names_function(names, "moved", true));
	assert_string_equal(diff_names_function(names, "often", true), "often");
	assert_null(diff_names_function(names, "unknown", true));
	assert_string_equal(diff_names_function(names, "unknown", false), "unknown");
	release(sides, names);
}

static void needs_debug_information_on_both_sides(void **state)
{
	struct diff_side *sides[2];
	struct diff_names *names;

	(void)state;
	make_sides(sides);
	add_function(sides[0], "f");
	add_inlining(sides[1], "f", "main");
	sides[0]->declaration_count = 0;
	names = decide(sides);
	assert_null(diff_names_function(names, "f", true));
	release(sides, names);
}

/* If the sides have other copies of a function, they are its; if they agree, each is compared. */
static void joins_parts_and_copies(void **state)
{
	struct diff_side *sides[2];
	struct diff_names *names;

	(void)state;
	make_sides(sides);
	add_function(sides[0], "f");
	add_function(sides[1], "f");
	add_function(sides[1], "f.part.0");
	add_function(sides[0], "g.constprop.0");
	add_function(sides[1], "g.constprop.0");
	add_function(sides[0], "h.isra.0");
	add_function(sides[1], "h.constprop.0");
	add_function(sides[0], "f2");
	names = decide(sides);
	assert_string_equal(diff_names_function(names, "f.part.0", false), "f");
	assert_string_equal(diff_names_function(names, "f", false), "f");
	assert_string_equal(diff_names_function(names, "g.constprop.0", false), "g.constprop.0");
	assert_string_equal(diff_names_function(names, "h.isra.0", false), "h");
	assert_string_equal(diff_names_function(names, "h.cold", false), "h");
	assert_string_equal(diff_names_function(names, "f2", false), "f2");
	assert_true(diff_names_joined(names, "f"));
	assert_false(diff_names_joined(names, "f2"));
	assert_false(diff_names_joined(NULL, "f"));
	release(sides, names);
}

static void lists_the_symbols_of_a_function(void **state)
{
	struct diff_side *side = diff_side_new("side");
	const struct diff_function *symbol;

	(void)state;
	add_function(side, "f2");
	add_function(side, "f.part.0");
	add_function(side, "f");
	add_function(side, "f.cold");
	add_function(side, "f.cold");
	add_function(side, "e");
	diff_side_sort_code(side);
	symbol = diff_side_next_symbol(side, "f", NULL);
	assert_string_equal(symbol->name, "f");
	symbol = diff_side_next_symbol(side, "f", symbol);
	assert_string_equal(symbol->name, "f.cold");
	symbol = diff_side_next_symbol(side, "f", symbol);
	assert_string_equal(symbol->name, "f.part.0");
	assert_null(diff_side_next_symbol(side, "f", symbol));
	assert_null(diff_side_next_symbol(side, "g", NULL));
	diff_side_free(side);
}

static void finds_the_function_of_a_line(void **state)
{
	struct diff_side *side = diff_side_new("side");

	(void)state;
	declare(side, "main", "a.c", 50);
	declare(side, "f", "a.c", 10);
	declare(side, "g", "b.c", 1);
	diff_side_sort_code(side);
	assert_null(diff_side_declared(side, "a.c", 9));
	assert_string_equal(diff_side_declared(side, "a.c", 10)->function, "f");
	assert_string_equal(diff_side_declared(side, "a.c", 49)->function, "f");
	assert_string_equal(diff_side_declared(side, "a.c", 51)->function, "main");
	assert_string_equal(diff_side_declared(side, "b.c", 1)->function, "g");
	assert_null(diff_side_declared(side, "c.c", 1));
	diff_side_free(side);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_parts_and_copies),
		cmocka_unit_test(gives_inlined_code_to_its_function),
		cmocka_unit_test(needs_debug_information_on_both_sides),
		cmocka_unit_test(joins_parts_and_copies),
		cmocka_unit_test(lists_the_symbols_of_a_function),
		cmocka_unit_test(finds_the_function_of_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
