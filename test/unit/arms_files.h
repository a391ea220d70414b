/* SPDX-License-Identifier: Apache-2.0 */
/* Arm's files, for tests that read them: found by the environment, and skipped where absent. */
#ifndef TEST_ARMS_FILES_H
#define TEST_ARMS_FILES_H

#include "check.h"

#include <glob.h>
#include <stdio.h>

#include "base/file.h"

/* The files of the CPUs; freed with globfree(). The test is skipped if they are not here. */
static inline glob_t arms_cpu_files(void)
{
	const char *reference = getenv("PLUMB_REFERENCE");
	char pattern[4096];
	glob_t files = {0};

	snprintf(pattern, sizeof(pattern), "%s/mrs/cpu/*_pmu.json", reference ? reference : "");
	if (!reference || glob(pattern, 0, NULL, &files) != 0) {
		print_message("# Arm's specifications are not here: set PLUMB_REFERENCE\n");
		skip();
	}
	return files;
}

/* All bytes of one, to be freed. */
static inline char *arms_bytes(const char *path, size_t *size)
{
	char *bytes;

	assert_int_equal(file_read(path, 64u << 20, &bytes, size), 0);
	return bytes;
}

#endif
