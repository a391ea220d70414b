/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and baselines of plumb diff, and its limits: any text is read or refused with a finding.
 * What is read can be written as a baseline, which says the same when it is read again.
 */
#include <stdlib.h>
#include <string.h>

#include "diff/baseline.h"
#include "diff/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static struct diff_side *read_side(const char *bytes, size_t size)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct diff_side *side = diff_side_new("side");
	const int error = diff_side_add_counts(side, "file", bytes, size, diagnostics);

	require((error < 0) == (plumb_diagnostics_errors(diagnostics) > 0));
	plumb_diagnostics_free(diagnostics);
	if (error == 0) {
		require(side->run > 0 && diff_side_finish(side) == 0);
		return side;
	}
	diff_side_free(side);
	return NULL;
}

static char *write_side(const struct diff_side *side, size_t *size)
{
	char *text;
	FILE *out = open_memstream(&text, size);

	require(baseline_write(side, out) == 0);
	fclose(out);
	return text;
}

static void check_limit(const char *text, const struct diff *diff)
{
	struct gate_limit limit;

	if (gate_limit_parse(text, false, &limit, NULL) < 0)
		return;
	gate_apply(&limit, diff);
	gate_limit_free(&limit);
}

/* Compares a side with itself: nothing changed. */
static void check_same(const struct diff_side *side, const char *text)
{
	struct diff *diff;

	require(diff_compare(side, side, NULL, &diff) == 0);
	for (size_t i = 0; i < diff->change_count; i++)
		require(!diff->changes[i].real && diff->changes[i].change == 0);
	check_limit(text, diff);
	diff_free(diff);
}

static void check_baseline(const struct diff_side *side)
{
	size_t sizes[2];
	char *texts[2] = {write_side(side, &sizes[0]), NULL};
	struct diff_side *again = read_side(texts[0], sizes[0]);

	/* A side without values is no baseline. */
	if (again) {
		texts[1] = write_side(again, &sizes[1]);
		require(sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0);
	}
	diff_side_free(again);
	free(texts[0]);
	free(texts[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The limit comes before the first line's end. */
	const char *bytes = (const char *)data;
	const char *end = size ? memchr(bytes, '\n', size) : NULL;
	const size_t length = end ? (size_t)(end - bytes) : size;
	char *limit = strndup(size ? bytes : "", length);
	static const struct diff_side nothing;
	struct diff_side *side;

	require(limit != NULL);
	side = end ? read_side(end + 1, size - length - 1) : NULL;
	if (side) {
		check_same(side, limit);
		check_baseline(side);
	}
	check_limit(limit, &(struct diff){.before = &nothing, .after = &nothing});
	diff_side_free(side);
	free(limit);
	return 0;
}
