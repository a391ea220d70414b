/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Arm's files cut off and with flipped bits: each gives an error or a sound specification,
 * and no leak under AddressSanitizer. `test_read_mrs_damage [STEP FLIPS]` cuts every file at every
 * STEP-th byte, and flips one bit at FLIPS places of each.
 */
#include "spec/check.h"
#include "spec/read_mrs.h"

#include "check.h"

#include <plumb/spec.h>

#include "arms_files.h"
#include "thorough.h"

static size_t step = 4096 * ONE_IN(4), flips = 40 / ONE_IN(4);
static size_t cuts, flipped, loaded;

/* Checks what must hold for any bytes. Returns whether they were loaded. */
static bool read_any(const char *bytes, size_t size)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *spec;
	/* An exact copy, so that a sanitizer notices reads past its end. */
	char *copy = malloc(size ? size : 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	result = spec_read_memory(copy, size, "damaged", &spec, diagnostics);
	free(copy);
	if (result == 0) {
		assert_non_null(spec);
		assert_int_equal(plumb_diagnostics_errors(diagnostics), 0);
		/* The specification must not refer to the text, and must stay as checked. */
		assert_int_equal(spec_check(spec, NULL), 0);
	} else {
		assert_true(result == PLUMB_ERR_SYNTAX || result == PLUMB_ERR_INVALID ||
			    result == PLUMB_ERR_UNSUPPORTED || result == PLUMB_ERR_LIMIT);
		assert_null(spec);
		assert_true(plumb_diagnostics_errors(diagnostics) > 0);
	}
	plumb_spec_free(spec);
	plumb_diagnostics_free(diagnostics);
	return result == 0;
}

static bool is_blank(const char *bytes, size_t size)
{
	while (size && strchr(" \n\r\t", bytes[size - 1]))
		size--;
	return !size;
}

static void cut_off_files_are_refused(void **state)
{
	glob_t files = arms_cpu_files();

	(void)state;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		size_t size;
		char *bytes = arms_bytes(files.gl_pathv[i], &size);
		/* The smallest file, of a CPU with few events, always at every 64th byte, or where
		 * steps are slow at every 256th. */
		size_t stride = strstr(files.gl_pathv[i], "neoverse_n1") ? 64 * ONE_IN(4) : step;

		for (size_t cut = 0; cut < size; cut += stride) {
			bool whole = is_blank(bytes + cut, size - cut);

			assert_int_equal(read_any(bytes, cut), whole);
			cuts++;
		}
		free(bytes);
	}
	globfree(&files);
	print_message("# %zu cuts\n", cuts);
}

static void flipped_bits_do_no_harm(void **state)
{
	glob_t files = arms_cpu_files();
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		size_t size;
		char *bytes = arms_bytes(files.gl_pathv[i], &size);

		for (size_t k = 0; k < flips; k++) {
			char *at;

			/* Knuth's MMIX generator; its high bits are the better ones. */
			random = random * 6364136223846793005u + 1442695040888963407u;
			at = &bytes[(random >> 20) % size];
			*at ^= (char)(1 << (random >> 61));
			loaded += read_any(bytes, size);
			*at ^= (char)(1 << (random >> 61));
			flipped++;
		}
		free(bytes);
	}
	globfree(&files);
	/* Much of a file is prose, where one letter is as good as another. */
	print_message("# %zu bits flipped, of which %zu still gave a specification\n", flipped,
		      loaded);
	assert_true(loaded > 0 && loaded < flipped);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_off_files_are_refused),
		cmocka_unit_test(flipped_bits_do_no_harm),
	};

	if (argc == 3) {
		step = strtoul(argv[1], NULL, 10);
		flips = strtoul(argv[2], NULL, 10);
	}
	return step ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
