/* SPDX-License-Identifier: Apache-2.0 */
/* Reading recordings while memory runs out at any point. */
#include "recording/access.h"

#include "recording_of_all.h"
#include "scarce_memory.h"

#include <zstd.h>

static void put_compressed(struct build *b)
{
	struct build *inner = build_new(b->big, b->pipe);
	uint8_t packed[4096];
	size_t size;

	all_samples(inner);
	size = ZSTD_compress(packed, sizeof(packed), inner->bytes, inner->size, 1);
	assert_false(ZSTD_isError(size));
	begin(b, 81, 0);
	put_bytes(b, packed, size);
	end(b);
	free(inner);
}

/* Opens and reads everything while `left` allocations succeed. Returns whether they sufficed. */
static bool read_with(const struct build *b, long left)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	int fd = b->pipe ? as_pipe(b->bytes, b->size) : as_file(b->bytes, b->size);
	struct plumb_recording *recording;
	struct plumb_record record;
	int got;

	memory_left = left;
	got = recording_open_fd(fd, "scarce", NULL, &recording, diagnostics);
	if (got == 0) {
		while ((got = recording_next(recording, &record)) > 0)
			;
	}
	memory_left = -1;
	assert_true(got == 0 || got == PLUMB_ERR_NO_MEMORY);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
	return got == 0;
}

static void it_ends_in_an_error_and_nothing_worse(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		long left = 0, enough = 0;

		build_begin(b, attrs_of_all, 2);
		all_features(b);
		all_of_perf(b);
		all_samples(b);
		put_compressed(b);
		all_of_the_kernel(b);
		build_end(b);
		/* Some allocations are optional: names, and the text of findings. */
		for (; enough < 20; left++) {
			assert_true(left < 1000);
			enough = read_with(b, left) ? enough + 1 : 0;
		}
		assert_true(left > 30);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_in_an_error_and_nothing_worse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
