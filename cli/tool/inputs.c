/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/inputs.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plumb/findings.h>

#include "base/file.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Kept to the end of the process: there are as many as words on the command line. */
static struct input {
	dev_t device;
	ino_t inode;
	const char *what;
} * inputs, *folders;
static size_t count, folder_count;

void inputs_note(const char *path, const char *what)
{
	struct stat status;

	if (!path)
		return;
	if ((strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(path, &status)) != 0 ||
	    !S_ISREG(status.st_mode))
		return;
	inputs = memory_resize(inputs, count + 1, sizeof(*inputs));
	inputs[count++] = (struct input){status.st_dev, status.st_ino, what};
}

void inputs_note_folder(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return;
	folders = memory_resize(folders, folder_count + 1, sizeof(*folders));
	folders[folder_count++] = (struct input){status.st_dev, status.st_ino, NULL};
}

/* Sets the folder that a file is in, or would be. Returns false if there is none. */
static bool folder_of(const char *path, struct stat *status)
{
	char *copy = memory_copy(path, strlen(path));
	const bool found = stat(dirname(copy), status) == 0;

	free(copy);
	return found;
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Compares files that are not there yet by their folders and names. */
static bool would_be_one(const char *a, const char *b)
{
	const char *slashes[] = {strrchr(a, '/'), strrchr(b, '/')};
	struct stat folders_of[2];

	return strcmp(slashes[0] ? slashes[0] + 1 : a, slashes[1] ? slashes[1] + 1 : b) == 0 &&
	       folder_of(a, &folders_of[0]) && folder_of(b, &folders_of[1]) &&
	       same(&folders_of[0], &folders_of[1]);
}

bool inputs_are_one(const char *a, const char *b)
{
	struct stat files[2];
	const bool there[] = {stat(a, &files[0]) == 0, stat(b, &files[1]) == 0};
	char *ends[2];
	bool one;

	if (strcmp(a, b) == 0)
		return true;
	if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0 || there[0] != there[1])
		return false;
	if (there[0])
		return S_ISREG(files[0].st_mode) && same(&files[0], &files[1]);
	/* Links may lead to where nothing is yet. */
	ends[0] = file_follow(a);
	ends[1] = file_follow(b);
	one = would_be_one(ends[0] ? ends[0] : a, ends[1] ? ends[1] : b);
	free(ends[0]);
	free(ends[1]);
	return one;
}

const char *inputs_recording(const char *path)
{
	static char *recording;
	char *findings = memory_format("%s/%s", path, PLUMB_FOLDER_FINDINGS);
	struct stat status;
	const bool has_findings = stat(findings, &status) == 0;

	free(findings);
	if (!has_findings)
		return path;
	inputs_note_folder(path);
	free(recording);
	recording = memory_format("%s/%s", path, PLUMB_FOLDER_RECORDING);
	return recording;
}

static const struct input *find(const struct input *all, size_t all_count,
				const struct stat *status)
{
	for (size_t i = 0; i < all_count; i++)
		if (all[i].device == status->st_dev && all[i].inode == status->st_ino)
			return &all[i];
	return NULL;
}

bool inputs_refuse(const char *path)
{
	struct stat status;
	const struct input *input = stat(path, &status) == 0 ? find(inputs, count, &status) : NULL;

	if (input) {
		complain("refusing to write %s: it is %s", path, input->what);
		advise("give the output another name");
		return true;
	}
	if (!folder_count || !folder_of(path, &status) || !find(folders, folder_count, &status))
		return false;
	complain("refusing to write %s: the folder is for results of plumb explore alone", path);
	advise("write it elsewhere");
	return true;
}
