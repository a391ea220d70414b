/* SPDX-License-Identifier: Apache-2.0 */
/* Who counts for `plumb stat`: this machine's PMU or the model; of which CPU; which program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <plumb/model.h>

#include "source/perf/events.h"
#include "stat.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"

/* Programmable counters of a Neoverse, where nobody tells. */
#define COUNTERS_USUAL 6

/* ---- findings ----------------------------------------------------------------------------- */

int machine_complain(const struct plumb_diagnostics *found, const char *what, int error)
{
	bool said = false;

	for (size_t i = 0; i < plumb_diagnostics_count(found); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(found, i);

		if (d->severity != PLUMB_ERROR)
			continue;
		if (d->file)
			complain("%s: %s", d->file, d->message);
		else
			complain("%s", d->message);
		if (d->hint)
			advise("%s", d->hint);
		said = true;
	}
	if (!said)
		complain("%s: %s", what, plumb_error_name(error));
	return complain_status(error);
}

/* ---- files -------------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* The next program called `name` in the folders at `*rest` of PATH, which moves on; NULL: none. */
static char *next_in_path(const char **rest, const char *name)
{
	while (*rest) {
		size_t length = strcspn(*rest, ":");
		/* An empty part is the working directory. */
		char *path = length ? memory_format("%.*s/%s", (int)length, *rest, name)
				    : memory_format("./%s", name);

		*rest = (*rest)[length] ? *rest + length + 1 : NULL;
		if (is_program(path))
			return path;
		free(path);
	}
	return NULL;
}

static const char *search_path(void)
{
	const char *path = getenv("PATH");

	return path ? path : "/bin:/usr/bin";
}

/* As execvp() would: `name` itself if there is a '/' in it, else the first in PATH. NULL: none. */
static char *find_in_path(const char *name)
{
	const char *rest = search_path();

	return strchr(name, '/') ? memory_copy(name, strlen(name)) : next_in_path(&rest, name);
}

/* Is this the program that was built, in the place where it was built? */
static bool runs_from_build(void)
{
	struct stat self, built;

	return stat("/proc/self/exe", &self) == 0 &&
	       stat(PLUMB_BUILD_DIR "/cli/plumb", &built) == 0 && self.st_dev == built.st_dev &&
	       self.st_ino == built.st_ino;
}

/*
 * Where the model's plugins are: in the build tree of a program that runs from there; else where
 * both were installed, wherever that was moved to as a whole.
 */
static char *find_plugins(void)
{
	char self[4096], *slash, *path, *plugin = NULL;
	ssize_t length;

	if (runs_from_build())
		return memory_copy(PLUMB_BUILD_PLUGINS, strlen(PLUMB_BUILD_PLUGINS));
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[length > 0 ? length : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash) {
		path = memory_format("%.*s/" PLUMB_PLUGIN_FROM_BIN "/plumb-model-1.so",
				     (int)(slash - self), self);
		plugin = realpath(path, NULL);
		free(path);
	}
	if (plugin) {
		*strrchr(plugin, '/') = '\0';
		return plugin;
	}
	return memory_copy(PLUMB_PLUGIN_DIR, strlen(PLUMB_PLUGIN_DIR));
}

static void add_engine(struct machine *machine, size_t *count, char *path)
{
	machine->engines = memory_resize(machine->engines, *count + 2, sizeof(char *));
	machine->engines[*count] = path;
	if (path)
		machine->engines[++*count] = NULL;
}

/*
 * Which engines may run the model: the one asked for; or the one beside the plugins, then each in
 * PATH.
 */
static void list_engines(struct machine *machine, const char *asked)
{
	static const char name[] = "qemu-aarch64";
	const char *rest = search_path();
	size_t count = 0;
	char *path;

	if (asked) {
		path = find_in_path(asked);
		add_engine(machine, &count, path ? path : memory_copy(asked, strlen(asked)));
		return;
	}
	path = memory_format("%s/%s", machine->plugin_dir, name);
	if (is_program(path)) {
		add_engine(machine, &count, path);
	} else {
		free(path);
	}
	do {
		path = next_in_path(&rest, name);
		add_engine(machine, &count, path);
	} while (path);
}

/* ---- the model ---------------------------------------------------------------------------- */

static const struct plumb_model_core *core_of(const struct plumb_spec *spec)
{
	const struct plumb_model_core *core;

	for (size_t i = 0; (core = plumb_model_core(i)); i++)
		if (strcmp(core->spec_id, spec->id) == 0)
			return core;
	return NULL;
}

static void advise_cores(void)
{
	struct join names = {0};
	char *text;

	for (size_t i = 0; plumb_model_core(i); i++)
		join_add(&names, plumb_model_core(i)->name);
	text = join_take(&names);
	advise("it has %s", text);
	free(text);
}

static int choose_core(struct machine *machine, const char *name)
{
	const struct plumb_model_core *core = plumb_model_core(0);

	machine->source = &source_model;
	if (name) {
		const struct plumb_spec *spec;

		core = plumb_spec_find(name, &spec, NULL) == 0 ? core_of(spec) : NULL;
	}
	if (!core) {
		complain("the model has no core '%s'", name);
		advise_cores();
		return EXIT_USAGE;
	}
	machine->core = core->name;
	machine->midr = core->midr;
	if (plumb_spec_find(core->spec_id, &machine->spec, NULL) == 0)
		return EXIT_FINE;
	complain("no specification for the model's core %s", core->name);
	return EXIT_OTHER;
}

static int prepare_model(struct machine *machine, const struct machine_wish *wish)
{
	struct plumb_diagnostics *found;
	int status = EXIT_FINE, error;

	if (!machine->program) {
		complain("the model needs a program to run");
		return EXIT_USAGE;
	}
	found = plumb_diagnostics_new();
	error = plumb_model_check_program(machine->program, wish->sysroot, found);
	if (error < 0)
		status = machine_complain(found, machine->program, error);
	plumb_diagnostics_free(found);
	machine->plugin_dir = find_plugins();
	list_engines(machine, wish->qemu);
	return status;
}

void machine_say_engine(void *user, const struct plumb_model_engine *engine)
{
	(void)user;
	if (engine->refusal)
		complain("passing over %s: %s", engine->path, engine->refusal);
	else
		complain("the model runs in %s, QEMU %s", engine->path, engine->version);
}

/* ---- this machine's PMU ------------------------------------------------------------------- */

static int choose_spec(struct machine *machine, const struct cpu_pmu *pmus, size_t count,
		       const char *cpu)
{
	const struct cpu_pmu *pmu;
	int status = EXIT_FINE;

	if (cpu)
		status = cpus_open(&machine->cpus, cpu, false);
	if (status != EXIT_FINE)
		return status;
	machine->spec = cpu ? machine->cpus.at[0] : NULL;
	pmu = cpu_choose_pmu(pmus, count, machine->spec);
	machine->pmu = *pmu;
	machine->midr = pmu->midr;
	if (!cpu && pmu->midr)
		machine->spec = plumb_spec_for_midr(pmu->midr);
	if (machine->spec) {
		if (!machine->midr)
			machine->midr = plumb_spec_midr(machine->spec);
		return EXIT_FINE;
	}
	complain("no specification for this machine's CPU, MIDR_EL1 0x%08x", pmu->midr);
	advise("name one with --cpu: plumb spec list cpus");
	return EXIT_UNABLE;
}

static int choose_perf(struct machine *machine, const struct cpu_pmu *pmus, size_t count,
		       const char *cpu)
{
	machine->source = &source_perf;
	if (count > 0)
		return choose_spec(machine, pmus, count, cpu);
	complain("this machine has no Arm PMU, so perf has nothing to count with");
	advise("--source model counts AArch64 programs on any machine");
	return EXIT_UNABLE;
}

/*
 * How many counters there are is for the kernel to say, who may have some for itself; there are no
 * more than the specification says.
 */
static unsigned count_counters(const struct machine *machine)
{
	int counters = perf_counters(machine->pmu.type);
	uint8_t most = machine->spec->product.counters;

	if (counters < 0 || (most && counters > most))
		counters = most;
	return counters ? (unsigned)counters : COUNTERS_USUAL;
}

const char *const machine_sources[] = {"auto", "model", "perf", NULL};

/* ---- choosing ----------------------------------------------------------------------------- */

int machine_choose(struct machine *machine, int source, const char *cpu)
{
	struct cpu_pmu pmus[CPU_PMUS_MAX];
	size_t count = cpu_find_pmus("", pmus, CPU_PMUS_MAX);

	if (count > CPU_PMUS_MAX)
		count = CPU_PMUS_MAX;
	if (source == SOURCE_AUTO)
		machine->why = count ? "it has an Arm PMU" : "this machine has no Arm PMU";
	if (source == SOURCE_PERF || (source == SOURCE_AUTO && count))
		return choose_perf(machine, pmus, count, cpu);
	return choose_core(machine, cpu);
}

bool machine_only_software(const struct option_words *words)
{
	const struct plumb_event_options options = {.size = sizeof(options), .sampling = true};
	const struct plumb_event_config *event;
	struct plumb_event_list *list;
	bool only = words->count > 0;

	if (plumb_event_list_new(&options, &list) < 0)
		return false;
	for (unsigned i = 0; only && i < words->count; i++)
		only = plumb_event_list_add(list, words->at[i], NULL) == 0;
	for (size_t i = 0; only && (event = plumb_event_list_get(list, i)); i++)
		only = event->kind == PLUMB_EVENT_SOFTWARE;
	plumb_event_list_free(list);
	return only;
}

static int find_program(struct machine *machine, const char *name)
{
	machine->program = find_in_path(name);
	if (machine->program)
		return EXIT_FINE;
	complain("%s: no such program in PATH", name);
	advise("./%s is one in the working directory", name);
	return EXIT_NO_PROGRAM;
}

/* Whether nobody said who counts, and only the model can run the program. */
static bool runs_in_model(const struct machine *machine, const struct machine_wish *wish)
{
	struct utsname system;

	return wish->source == SOURCE_AUTO && machine->program && uname(&system) == 0 &&
	       strcmp(system.machine, "aarch64") != 0 &&
	       plumb_model_check_program(machine->program, wish->sysroot, NULL) == 0;
}

int machine_open(struct machine *machine, const struct machine_wish *wish, char *const *argv)
{
	int status = argv[0] ? find_program(machine, argv[0]) : EXIT_FINE;

	if (status != EXIT_FINE)
		return status;
	if (wish->software && wish->source != SOURCE_MODEL && !runs_in_model(machine, wish)) {
		machine->source = &source_perf;
		return EXIT_FINE;
	}
	status = machine_choose(machine, wish->source, wish->cpu);
	if (status != EXIT_FINE)
		return status;
	if (machine->source == &source_model)
		return prepare_model(machine, wish);
	machine->counters = count_counters(machine);
	return EXIT_FINE;
}

void machine_close(struct machine *machine)
{
	free(machine->program);
	for (char **engine = machine->engines; engine && *engine; engine++)
		free(*engine);
	free(machine->engines);
	free(machine->plugin_dir);
	cpus_close(&machine->cpus);
}
