/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/complain.h"
#include "tool/memory.h"

/* Returns why nothing can be read below `path`, or NULL. */
static const char *no_folder(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return strerror(errno);
	return S_ISDIR(status.st_mode) ? NULL : strerror(ENOTDIR);
}

/* Returns why `path` cannot be read as a file, or NULL. */
static const char *no_file(const char *path)
{
	struct stat status;

	if (access(path, R_OK) != 0 || stat(path, &status) != 0)
		return strerror(errno);
	return S_ISDIR(status.st_mode) ? strerror(EISDIR) : NULL;
}

/* Samples are there without symbols, too, so these are warnings. */
static void warn_of_places(const struct symbols_options *options)
{
	/* Commands that read a recording several times say it once. */
	static bool said;
	const char *reason = options->symfs ? no_folder(options->symfs) : NULL;

	if (said)
		return;
	said = true;
	if (reason)
		complain("--symfs %s: %s; no symbols are read from there", options->symfs, reason);
	reason = options->kallsyms ? no_file(options->kallsyms) : NULL;
	if (reason)
		complain("--kallsyms %s: %s; the kernel's symbols are missing", options->kallsyms,
			 reason);
	reason = options->vmlinux ? no_file(options->vmlinux) : NULL;
	if (reason)
		complain("--vmlinux %s: %s; the kernel's code is not read from there",
			 options->vmlinux, reason);
}

struct plumb_symbolizer *symbols_open(const struct symbols_options *options,
				      const struct plumb_recording *recording)
{
	const char *home = getenv("HOME");
	const char *servers = getenv("DEBUGINFOD_URLS");
	char *cache = home ? memory_format("%s/.debug", home) : NULL;
	struct plumb_symbol_paths paths = {
		.size = sizeof(paths),
		.root = options->symfs,
		.debug_dir = "/usr/lib/debug",
		.build_id_dir = cache,
		.kallsyms = options->symfs ? NULL : "/proc/kallsyms",
		.kernel_notes = "/sys/kernel/notes",
		.perf_maps_dir = "/tmp",
		.own_vdso = true,
		.raw_names = options->raw_names,
		.signatures = options->signatures,
		.vmlinux = options->vmlinux,
		.debuginfod = servers && servers[0],
	};
	struct plumb_symbolizer *symbols;

	warn_of_places(options);
	if (options->kallsyms) {
		paths.kallsyms = options->kallsyms;
		paths.kernel_notes = NULL;
	}
	plumb_symbolizer_new(&paths, &symbols);
	memory_given(symbols);
	plumb_symbolizer_origin(symbols, recording);
	free(cache);
	return symbols;
}

static int compare_warnings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Prints the warnings in an order that does not depend on which file was needed first. */
static void print_warnings(const struct plumb_symbolizer *symbols)
{
	const char **warnings;
	size_t count = 0;

	while (plumb_symbolizer_warning(symbols, count))
		count++;
	warnings = memory_given(calloc(count + 1, sizeof(*warnings)));
	for (size_t i = 0; i < count; i++)
		warnings[i] = plumb_symbolizer_warning(symbols, i);
	qsort(warnings, count, sizeof(*warnings), compare_warnings);
	for (size_t i = 0; i < count; i++)
		complain("%s", warnings[i]);
	free(warnings);
}

bool symbols_report_gone(const struct plumb_symbolizer *symbols, const char *root)
{
	const char *first;
	const size_t count = plumb_symbolizer_gone(symbols, &first);

	if (!count)
		return false;
	if (!root)
		root = "";
	if (count == 1)
		complain("%s%s cannot be read, so its functions are unknown", root, first);
	else
		complain("%s%s and %zu other %s cannot be read, so their functions are unknown",
			 root, first, count - 1, count == 2 ? "file" : "files");
	advise("--symfs names a folder with the programs");
	return true;
}

int symbols_close(struct plumb_symbolizer *symbols, int status)
{
	if (!symbols)
		return status;
	print_warnings(symbols);
	if (plumb_symbolizer_status(symbols) < 0) {
		complain("out of memory or file descriptors; symbols are missing");
		status = status == EXIT_FINE ? EXIT_OTHER : status;
	}
	plumb_symbolizer_free(symbols);
	return status;
}
