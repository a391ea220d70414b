/* SPDX-License-Identifier: Apache-2.0 */
/* How plumb diff words a change: of sides without samples, no more than their intervals allow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/cause_names.h"
#include "render/diff.h"
#include "render/short_names.h"
#include "tool/complain.h"

/* Nothing here complains. */
void complain(const char *format, ...)
{
	(void)format;
	abort();
}

/* The change of a function's cycles from `before` to `after`, by up to `low` and `high`. */
static struct diff_change sampled(double before, double after, double low, double high)
{
	return (struct diff_change){
		.key.view = DIFF_FUNCTIONS,
		.unit = "events",
		.before = before,
		.after = after,
		.change = after - before,
		.relative = before != 0 ? (after - before) / before : INFINITY,
		.method = DIFF_INTERVALS,
		.unseen = {NAN, NAN},
		.adjusted = 0.02,
		.difference = {after - before, low, high},
	};
}

static void expect(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

static void words_a_change(void **state)
{
	const struct diff_change change = sampled(200, 150, -80, -20);

	(void)state;
	expect(diff_change_text(NULL, &change), "-25.0 %");
	expect(diff_evidence(&change), "-40.0..-10.0 %");
	expect(diff_side_text(&change, 1), "150");
}

/* 200, or as few as 160, become at most 30: from -200 to -200 + hypot(40, 30). */
static void says_what_is_gone_at_least(void **state)
{
	struct diff_change gone = sampled(200, 0, -260, -150);

	(void)state;
	gone.unseen[1] = 30;
	expect(diff_change_text(NULL, &gone), "< -75.0 %");
	expect(diff_evidence(&gone), "-100.0..-75.0 %");
	expect(diff_side_text(&gone, 1), "< 30");
	/* So uncertain that it may have grown. */
	gone.difference.high = 10;
	expect(diff_change_text(NULL, &gone), "unknown");
}

/* At most 40 become 200, or as few as 170: by 200 - hypot(30, 40). */
static void says_what_is_new_at_least(void **state)
{
	struct diff_change new = sampled(0, 200, 150, 260);

	(void)state;
	new.unseen[0] = 40;
	expect(diff_change_text(NULL, &new), "> x4.8");
	expect(diff_evidence(&new), "p 0.0200");
	expect(diff_side_text(&new, 0), "< 40");
	new.difference.low = -1;
	expect(diff_change_text(NULL, &new), "unknown");
}

static void expect_short(const char *name, const char *expected)
{
	expect(short_name(name, "."), expected);
}

static void leaves_arguments_of_templates_out(void **state)
{
	(void)state;
	expect_short("std::map<int, std::pair<long, char> >::find", "std::map<.>::find");
	expect_short("f<(a > b)>::g", "f<.>::g");
	/* Operators stay, but not their arguments. */
	expect_short("operator< <int>", "operator< <.>");
	expect_short("std::operator<< <char, t<char> >(int)", "std::operator<< <.>(int)");
	expect_short("operator<=> <int>", "operator<=> <.>");
	expect_short("a::operator()<int>", "a::operator()<.>");
	expect_short("a::operator[]<int>", "a::operator[]<.>");
	expect_short("a<b>::operator->", "a<.>::operator->");
	expect_short("operator<", "operator<");
	expect_short("operator<<", "operator<<");
	expect_short("my_operator<int>", "my_operator<.>");
	/* What is no template, or does not end, stays. */
	expect_short("<lambda(int)>", "<lambda(int)>");
	expect_short("f()<int>", "f()<int>");
	expect_short("a < b", "a < b");
	expect_short("f<int", "f<int");
	expect_short("", "");
}

static void expect_all(const char *const *names, const char *const *expected, size_t count)
{
	const char *cells[4];
	char **copies;

	memcpy(cells, names, count * sizeof(*cells));
	copies = short_names(cells, count, 1, 6, ".");
	for (size_t i = 0; i < count; i++)
		assert_string_equal(cells[i], expected[i]);
	short_names_free(copies);
}

static void keeps_what_tells_names_apart(void **state)
{
	static const char *const short_ones[] = {"f<int>", "f<long long>::g", "f<long long>::g"};
	static const char *const as_short[] = {"f<int>", "f<.>::g", "f<.>::g"};
	static const char *const last[] = {"v<int>::add<p<int, int> >",
					   "v<int>::add<p<int> const&>",
					   "v<int>::add<p<int, int> >", "v<int>::add_2"};
	static const char *const as_last[] = {"v<.>::add<p<.> >", "v<.>::add<p<.> const&>",
					      "v<.>::add<p<.> >", "v<.>::add_2"};
	static const char *const first[] = {"v<int>::add<long>", "v<char>::add<long>"};

	(void)state;
	expect(short_name_but_last("a<b<c> >::d<e<f>, g>(h) const", "."),
	       "a<.>::d<e<.>, g>(h) const");
	expect(short_name_but_last("a", "."), "a");
	expect_all(short_ones, as_short, 3);
	expect_all(last, as_last, 4);
	/* These differ elsewhere. */
	expect_all(first, first, 2);
}

static void names_causes_like_nodes(void **state)
{
	(void)state;
	assert_string_equal(cause_shown("backend_mem"), "backend_cache_l2d");
	assert_string_equal(cause_shown("frontend_flush"), "frontend_core_flush");
	/* The tree has no finer node. */
	assert_string_equal(cause_shown("backend_queue_mx"), "backend_queue_mx");
	assert_null(cause_shown(NULL));
}

static void says_names_briefly(void **state)
{
	const struct diff_change whole = {
		.key = {DIFF_EVENTS, "CPU_CYCLES", "", ""},
		.unit = "events",
		.before = 100,
		.after = 114,
		.change = 14,
		.relative = 0.14,
		.method = DIFF_EXACT,
		.real = true,
		.unseen = {NAN, NAN},
	};
	struct diff_change function = {
		.key = {DIFF_FUNCTIONS,
			"std::map<std::basic_string<char>, std::vector<unsigned long> >::find", "",
			"slots"},
		.share = 0.13,
	};
	const struct diff diff = {.reason = {.whole = &whole, .function = &function}};

	(void)state;
	expect(diff_headline(&diff, ".."), "CPU_CYCLES +14.0 %: +13.0 % in std::map<..>::find");
	expect(diff_headline(&diff, NULL),
	       "CPU_CYCLES +14.0 %: +13.0 % in std::map<std::basic_string<char>, "
	       "std::vector<unsigned long> >::find");
	function.key.name = "std::vector<unsigned long>::push_back";
	expect(diff_headline(&diff, ".."),
	       "CPU_CYCLES +14.0 %: +13.0 % in std::vector<unsigned long>::push_back");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_a_change),
		cmocka_unit_test(says_what_is_gone_at_least),
		cmocka_unit_test(says_what_is_new_at_least),
		cmocka_unit_test(leaves_arguments_of_templates_out),
		cmocka_unit_test(keeps_what_tells_names_apart),
		cmocka_unit_test(names_causes_like_nodes),
		cmocka_unit_test(says_names_briefly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
