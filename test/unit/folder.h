/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of the test program's own, for cmocka's group set-up and tear-down. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/plumb-test-XXXXXX";
static char path[64]; /* of a file in it, which each test that makes it removes again */

static inline int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

/* Fails if a test has left anything behind. */
static inline int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

#endif
