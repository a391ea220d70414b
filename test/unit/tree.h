/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of a test's own that stands for a machine's /, with what the test puts below it. */
#ifndef TEST_TREE_H
#define TEST_TREE_H

#include "check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[sizeof("/tmp/plumb-tree-XXXXXX")];

/* Returns 0, or -1 if there can be none. */
static int tree_make(void)
{
	strcpy(root, "/tmp/plumb-tree-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

/* Writes a file below a folder of the root, its folders too. */
static void tree_put(const char *folder, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s%s", root, folder, path);
	for (char *slash = strchr(full + sizeof(root), '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int tree_remove_entry(const char *path, const struct stat *status, int type,
			     struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static int tree_remove(void)
{
	return nftw(root, tree_remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
