/* SPDX-License-Identifier: Apache-2.0 */
/* Against open_memstream() where there is memory, and byte for byte where it runs out. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "scarce_memory.h"

/* Writes `turns` pieces in several ways; returns whether none reported a failure. */
static bool write_pieces(FILE *out, int turns)
{
	char piece[3000];
	bool ok = true;

	for (int i = 0; i < turns; i++) {
		const size_t length = (size_t)(i * 37 % 2999);

		memset(piece, 'a' + i % 26, sizeof(piece));
		ok &= fwrite(piece, 1, length, out) == length;
		ok &= fputc(i % 7 ? '\0' : '\n', out) != EOF;
		ok &= fprintf(out, "%d,", i) > 0;
	}
	return ok;
}

static void as_open_memstream(void **state)
{
	const int turns[] = {0, 1, 2, 10, 300};

	(void)state;
	for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++) {
		char *text, *expected;
		size_t length, expected_length;
		FILE *ours = text_stream(&text, &length);
		FILE *theirs = open_memstream(&expected, &expected_length);

		assert_non_null(ours);
		assert_non_null(theirs);
		assert_true(write_pieces(ours, turns[i]));
		assert_true(write_pieces(theirs, turns[i]));
		assert_int_equal(fclose(ours), 0);
		assert_int_equal(fclose(theirs), 0);
		assert_int_equal(length, expected_length);
		assert_memory_equal(text, expected, length + 1);
		free(text);
		free(expected);
	}
}

/* At each allocation in turn: all of the text, or none and an error. */
static void loses_nothing_unsaid(void **state)
{
	char *expected;
	size_t expected_length;
	FILE *theirs = open_memstream(&expected, &expected_length);
	bool whole = false;
	int failed = 0;

	(void)state;
	assert_true(write_pieces(theirs, 200));
	assert_int_equal(fclose(theirs), 0);
	for (long calls = 0; !whole && calls < 100; calls++) {
		char *text = expected;
		size_t length = 1;
		bool ok;
		FILE *out;

		memory_left = calls;
		out = text_stream(&text, &length);
		if (!out) {
			assert_null(text);
			failed++;
			continue;
		}
		ok = write_pieces(out, 200) && !ferror(out);
		ok &= fclose(out) == 0;
		memory_left = -1;
		assert_int_equal(ok, text != NULL);
		whole = ok;
		failed += !ok;
		if (ok) {
			assert_int_equal(length, expected_length);
			assert_memory_equal(text, expected, length + 1);
		}
		free(text);
	}
	free(expected);
	memory_left = -1;
	assert_true(whole);
	assert_true(failed > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_open_memstream),
		cmocka_unit_test(loses_nothing_unsaid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
