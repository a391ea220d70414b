/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a core file: refused with an error that names the file, or accepted without one;
 * then the core that it changes has the values that it gives, and is one that the model can have.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <plumb/model.h>

#include "source/model/core_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_accepted(const struct core_file *file)
{
	struct core_params changed = *file->base;
	struct core_size rounded;

	require(file->change_count <= CORE_CHANGES_MAX);
	require(core_change_apply(&changed, file->changes, file->change_count));
	require(!core_change_refusal(&changed));
	for (unsigned i = 0; i < file->change_count; i++) {
		const struct core_change *change = &file->changes[i];
		bool again = false;

		for (unsigned k = i + 1; k < file->change_count; k++)
			again = again || file->changes[k].offset == change->offset;
		require(again || core_change_old(&changed, change) == change->value);
	}
	for (unsigned i = 0; core_change_size(&changed, i, &rounded); i++)
		require(rounded.used <= rounded.given && (rounded.used || !rounded.given));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static int fd = -1;
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct core_file file;
	char path[64];
	int error;

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	if (!diagnostics || ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = core_file_read(path, &file, diagnostics);
	require(!error == !plumb_diagnostics_errors(diagnostics));
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++)
		require(strcmp(plumb_diagnostics_get(diagnostics, i)->file, path) == 0);
	if (!error)
		check_accepted(&file);
	plumb_diagnostics_free(diagnostics);
	return 0;
}
