/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/sized.h"
#include "params.h"
#include "plugin_dir.h"
#include "source/model/core_file.h"
#include "source/model/counted.h"
#include "source/source.h"

#define ENGINE "qemu-aarch64"

/* Where engines are by default: beside the plugins, then where distributions install them. */
static char **default_engines(const char *plugin_dir)
{
	char **engines = calloc(3, sizeof(*engines)), *beside;

	if (!engines || asprintf(&beside, "%s/" ENGINE, plugin_dir) < 0) {
		free(engines);
		return NULL;
	}
	if (access(beside, X_OK) == 0)
		engines[0] = beside;
	else
		free(beside);
	engines[engines[0] != NULL] = strdup("/usr/bin/" ENGINE);
	return engines;
}

static char **copy_engines(const char *const *given)
{
	size_t count = 0;
	char **engines;

	while (given[count])
		count++;
	engines = calloc(count + 1, sizeof(*engines));
	for (size_t i = 0; engines && i < count; i++) {
		engines[i] = strdup(given[i]);
		if (!engines[i])
			break;
	}
	return engines;
}

static size_t count_engines(const char *const *engines)
{
	size_t count = 0;

	while (engines && engines[count])
		count++;
	return count;
}

void model_options_free(struct plumb_model_options *options)
{
	/* These are this file's own copies. */
	for (size_t i = 0; options->engines && options->engines[i]; i++)
		free((char *)(uintptr_t)options->engines[i]);
	free((void *)(uintptr_t)options->engines);
	free((char *)(uintptr_t)options->core);
	free((char *)(uintptr_t)options->plugin_dir);
	free((char *)(uintptr_t)options->sysroot);
	free((char *)(uintptr_t)options->core_file);
}

/* Copies what `given` points to. Returns false if out of memory. */
static bool copy_options(struct plumb_model_options *options,
			 const struct plumb_model_options *given, const char *core)
{
	const char *plugin_dir = given->plugin_dir ? given->plugin_dir : PLUMB_PLUGIN_DIR;

	options->core = strdup(core);
	options->plugin_dir = strdup(plugin_dir);
	options->sysroot = given->sysroot ? strdup(given->sysroot) : NULL;
	options->core_file = given->core_file ? strdup(given->core_file) : NULL;
	options->engines = (const char *const *)(given->engines ? copy_engines(given->engines)
								: default_engines(plugin_dir));
	options->seed = given->seed;
	options->what_if = given->what_if;
	options->page_bytes = given->page_bytes;
	options->huge_pages = given->huge_pages;
	options->page_fault_cycles = given->page_fault_cycles;
	options->system_call_cycles = given->system_call_cycles;
	options->wrong_path_loads = given->wrong_path_loads;
	options->reference = given->reference;
	options->host_threads = given->host_threads;
	options->engine = given->engine;
	options->user = given->user;
	return options->core && options->plugin_dir && options->engines &&
	       (options->sysroot || !given->sysroot) && (options->core_file || !given->core_file) &&
	       (!given->engines ? options->engines[0] != NULL
				: count_engines(options->engines) == count_engines(given->engines));
}

static const struct plumb_model_core *find_core(const char *name)
{
	const struct plumb_model_core *core;

	if (!name)
		return plumb_model_core(0);
	for (size_t i = 0; (core = plumb_model_core(i)); i++)
		if (strcmp(core->name, name) == 0)
			return core;
	return NULL;
}

/* Reads the core file of `given`, and sets its core. */
static int read_core_file(struct plumb_model_options *given, struct plumb_source *source,
			  struct plumb_diagnostics *diagnostics)
{
	struct core_file *file = source->core_file = malloc(sizeof(*file));
	int error =
		file ? core_file_read(given->core_file, file, diagnostics) : PLUMB_ERR_NO_MEMORY;

	if (error)
		return error;
	if (given->core && strcmp(given->core, file->base->name) != 0) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "other-core",
				&(struct place){.file = given->core_file},
				"the file describes a core like %s, not like %s", file->base->name,
				given->core);
		return PLUMB_ERR_ARGUMENT;
	}
	given->core = file->base->name;
	return 0;
}

const struct plumb_model_core *plumb_model_source_core(const struct plumb_source *source)
{
	return source->kind == &source_model ? find_core(source->model.core) : NULL;
}

int plumb_model_open(const struct plumb_model_options *options, struct plumb_source **source,
		     struct plumb_diagnostics *diagnostics)
{
	struct plumb_model_options given;
	const struct plumb_model_core *core;
	struct plumb_source *made;
	int error;

	*source = NULL;
	if (!sized_read(&given, sizeof(given), options))
		return PLUMB_ERR_ARGUMENT;
	if (given.page_bytes && given.page_bytes != 4096 && given.page_bytes != 16384 &&
	    given.page_bytes != 65536) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-page-size", NULL,
				      "pages have 4096, 16384 or 65536 bytes, not %u",
				      given.page_bytes);
		return PLUMB_ERR_ARGUMENT;
	}
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	error = given.core_file ? read_core_file(&given, made, diagnostics) : 0;
	core = error ? NULL : find_core(given.core);
	if (!error && !core) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-core", NULL,
				      "the model has no core '%s'", given.core);
		error = PLUMB_ERR_NOT_FOUND;
	}
	if (error) {
		plumb_source_close(made);
		return error;
	}
	made->kind = &source_model;
	made->spec = model_spec(core->name);
	made->midr = core->midr;
	made->has_spe = true;
	made->spe_interval = model_core_find(core->name)->spe.min_interval;
	if (!copy_options(&made->model, &given, core->name)) {
		plumb_source_close(made);
		return PLUMB_ERR_NO_MEMORY;
	}
	*source = made;
	return 0;
}
