/* SPDX-License-Identifier: Apache-2.0 */
/* Exporting into memory, for the tests of each format. */
#ifndef TEST_EXPORTED_H
#define TEST_EXPORTED_H

#include <stdio.h>

#include <plumb/export.h>

/* What plumb_export() writes, to be freed; it must succeed. */
static inline char *exported(const struct plumb_spec *spec, const char *format, const char *part,
			     struct plumb_diagnostics *diagnostics)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(plumb_export(spec, format, part, out, diagnostics), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(text), size);
	return text;
}

#endif
