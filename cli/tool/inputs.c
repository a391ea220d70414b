/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plumb/findings.h>

#include "tool/complain.h"
#include "tool/memory.h"

/* Kept to the end of the process: there are as many as words on the command line. */
static struct input {
	dev_t device;
	ino_t inode;
	const char *what;
} * inputs;
static size_t count;

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

const char *inputs_recording(const char *path)
{
	static char *recording;
	char *findings = memory_format("%s/%s", path, PLUMB_FOLDER_FINDINGS);
	struct stat status;
	const bool has_findings = stat(findings, &status) == 0;

	free(findings);
	if (!has_findings)
		return path;
	free(recording);
	recording = memory_format("%s/%s", path, PLUMB_FOLDER_RECORDING);
	return recording;
}

bool inputs_refuse(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (inputs[i].device != status.st_dev || inputs[i].inode != status.st_ino)
			continue;
		complain("refusing to write %s: it is %s", path, inputs[i].what);
		advise("give the output another name");
		return true;
	}
	return false;
}
