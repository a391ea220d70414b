/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <limits.h>

#include "base/near.h"

/*
 * The judge: every string of up to LONGEST letters of an alphabet of three is a place, each edit a
 * step between two; the distance is the length of the shortest way. No way needs to pass through a
 * string longer than both its ends, so those of up to LONGEST letters are enough.
 */
#define ALPHABET 3
#define LONGEST  4
#define PLACES   (1 + 3 + 9 + 27 + 81)

static char places[PLACES][LONGEST + 1];

static void list_places(void)
{
	size_t count = 1;

	for (size_t i = 0; count < PLACES; i++) {
		for (char c = 'a'; c < 'a' + ALPHABET && count < PLACES; c++) {
			size_t length = strlen(places[i]);

			memcpy(places[count], places[i], length);
			places[count][length] = c;
			places[count++][length + 1] = '\0';
		}
	}
}

/* Whether one edit makes `b` of `a`. */
static int one_step(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), same = 0;

	if (n > m)
		return one_step(b, a);
	while (same < n && a[same] == b[same])
		same++;
	if (m == n + 1)
		return strcmp(a + same, b + same + 1) == 0;
	if (m != n || same == n)
		return 0;
	if (strcmp(a + same + 1, b + same + 1) == 0)
		return 1;
	return a[same] == b[same + 1] && a[same + 1] == b[same] && a[same] &&
	       strcmp(a + same + 2, b + same + 2) == 0;
}

static void as_the_shortest_way_of_edits(void **state)
{
	(void)state;
	list_places();
	for (size_t from = 0; from < PLACES; from++) {
		unsigned steps[PLACES];
		size_t queue[PLACES], head = 0, tail = 0;

		memset(steps, 0xff, sizeof(steps));
		steps[from] = 0;
		queue[tail++] = from;
		while (head < tail) {
			size_t at = queue[head++];

			for (size_t to = 0; to < PLACES; to++) {
				if (steps[to] != UINT_MAX || !one_step(places[at], places[to]))
					continue;
				steps[to] = steps[at] + 1;
				queue[tail++] = to;
			}
		}
		for (size_t to = 0; to < PLACES; to++)
			if (near_distance(places[from], places[to]) != steps[to])
				fail_msg("\"%s\" to \"%s\" takes %u edits, not %u", places[from],
					 places[to], steps[to],
					 near_distance(places[from], places[to]));
	}
}

static void case_does_not_matter(void **state)
{
	(void)state;
	assert_int_equal(near_distance("cpu_cycles", "CPU_CYCLES"), 0);
	assert_int_equal(near_distance("Kitten", "sItting"), 3);
	assert_int_equal(near_distance("stta", "STAT"), 1);
	assert_int_equal(near_distance("\xc3\xa9", "\xc3\xa8"), 1);
}

static void long_words_are_near_to_nothing(void **state)
{
	char most[NEAR_MAX_LENGTH + 1], more[NEAR_MAX_LENGTH + 2];

	(void)state;
	memset(most, 'a', sizeof(most));
	memset(more, 'a', sizeof(more));
	most[NEAR_MAX_LENGTH] = more[NEAR_MAX_LENGTH + 1] = '\0';
	assert_int_equal(near_distance(most, most), 0);
	assert_int_equal(near_distance(most, ""), NEAR_MAX_LENGTH);
	assert_int_equal(near_distance("", most), NEAR_MAX_LENGTH);
	assert_int_equal(near_distance(most, more), UINT_MAX);
	assert_int_equal(near_distance(more, most), UINT_MAX);
	memset(more, 'b', NEAR_MAX_LENGTH);
	more[NEAR_MAX_LENGTH] = '\0';
	assert_int_equal(near_distance(most, more), NEAR_MAX_LENGTH);
}

static const char *nearest(const char *word)
{
	static const char *const commands[] = {"stat", "record", "report", "annotate", "script",
					       "spec", "doctor", "diff",   "monitor"};
	struct near near = near_to(word);

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		near_offer(&near, commands[i], commands[i]);
	return near.best;
}

static void the_nearest_if_it_is_near(void **state)
{
	struct near near = near_to("graviton9");

	(void)state;
	assert_string_equal(nearest("stats"), "stat");
	assert_string_equal(nearest("Reprot"), "report");
	assert_string_equal(nearest("recrod"), "record");
	assert_string_equal(nearest("anotate"), "annotate");
	assert_string_equal(nearest("doctor"), "doctor");
	assert_null(nearest("flamegraph"));
	assert_null(nearest("x"));
	assert_null(nearest(""));
	near_offer(&near, "graviton", "neoverse-n1");
	assert_string_equal(near.best, "neoverse-n1");
	near_offer(&near, "graviton2", "neoverse-v1"); /* no nearer: the first stays */
	assert_string_equal(near.best, "neoverse-n1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_shortest_way_of_edits),
		cmocka_unit_test(case_does_not_matter),
		cmocka_unit_test(long_words_are_near_to_nothing),
		cmocka_unit_test(the_nearest_if_it_is_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
