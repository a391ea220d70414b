/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses who counts: this machine's PMU or the model; of which CPU; and finds the program. */
#include "tool/machine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <plumb/perf.h>

#include "base/number.h"
#include "folders.h"
#include "source/model/qemu.h"
#include "tool/complain.h"
#include "tool/hints.h"
#include "tool/inputs.h"
#include "tool/join.h"
#include "tool/memory.h"
#include "tool/modules.h"

/* ---- findings ----------------------------------------------------------------------------- */

int machine_complain(const struct plumb_diagnostics *diagnostics, const char *what, int error)
{
	bool said = false;

	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		if (d->severity != PLUMB_ERROR)
			continue;
		if (d->file)
			complain("%s: %s", d->file, d->message);
		else
			complain("%s", d->message);
		advise_on(d);
		said = true;
	}
	if (!said)
		complain("%s: %s", what, plumb_error_name(error));
	if (error == PLUMB_ERR_PERMISSION)
		advise("see plumb doctor for what this user may measure");
	return complain_status(error);
}

/* ---- options -------------------------------------------------------------------------------- */

bool machine_read_seed(const char *text, uint64_t *seed)
{
	return !text || number_read(text, INT64_MAX, seed) ||
	       complain_value("seed", text, INT64_MAX, "use a whole number of at least 0");
}

bool machine_check_host_threads(unsigned count)
{
	if (count <= 2)
		return true;
	complain("invalid value '%u' for --host-threads", count);
	advise("use 1 or 2");
	return false;
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

/* Paths, ended by NULL; each to be freed, and the list. */
struct paths {
	char **at;
	size_t count;
};

static void add_path(struct paths *paths, char *path)
{
	paths->at = memory_resize(paths->at, paths->count + 2, sizeof(char *));
	paths->at[paths->count++] = path;
	paths->at[paths->count] = NULL;
}

static void free_paths(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->at[i]);
	free(paths->at);
}

/*
 * Which engines may run the model: the one asked for; or the one beside the plugins, then each in
 * PATH.
 */
static struct paths list_engines(const char *plugin_dir, const char *asked)
{
	static const char name[] = "qemu-aarch64";
	struct paths engines = {memory_resize(NULL, 1, sizeof(char *)), 0};
	const char *rest = search_path();
	char *path;

	engines.at[0] = NULL;
	if (asked) {
		path = find_in_path(asked);
		add_path(&engines, path ? path : memory_copy(asked, strlen(asked)));
		return engines;
	}
	path = memory_format("%s/%s", plugin_dir, name);
	if (is_program(path))
		add_path(&engines, path);
	else
		free(path);
	while ((path = next_in_path(&rest, name)))
		add_path(&engines, path);
	return engines;
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

/* Finds a core or platform of the model as users write its name: graviton4, Graviton 4. */
static const struct plumb_model_core *core_named(const char *name)
{
	const struct plumb_model_core *core;

	for (size_t i = 0; (core = plumb_model_core(i)); i++) {
		const char *a = core->name, *b = name;

		while (*b && (*a == tolower((unsigned char)*b) || strchr(" -_", *b)))
			a += *a == tolower((unsigned char)*b++);
		if (!*a && !*b)
			return core;
	}
	return NULL;
}

uint64_t machine_frequency(const struct machine *machine)
{
	return machine->core ? (uint64_t)core_named(machine->core)->frequency_mhz * 1000000 : 0;
}

static void advise_cores(void)
{
	struct join names = {0};
	char *text;

	for (size_t i = 0; plumb_model_core(i); i++)
		join_add(&names, plumb_model_core(i)->name);
	text = join_take(&names);
	advise("use one of %s", text);
	free(text);
}

static void on_engine(void *user, const struct plumb_model_engine *engine)
{
	struct machine *machine = user;

	if (engine->refusal) {
		if (machine->say_engine)
			complain("skipping %s: %s", engine->path, engine->refusal);
		return;
	}
	if (machine->say_engine)
		complain("the model runs in %s, QEMU %s", engine->path, engine->version);
	/* Later runs find the same one. */
	if (machine->engine_path)
		return;
	machine->engine_path = memory_copy(engine->path, strlen(engine->path));
	machine->engine_version = memory_copy(engine->version, strlen(engine->version));
}

/* Opens a source; what goes wrong is said. */
static int opened(struct machine *machine, int error, struct plumb_diagnostics *diagnostics)
{
	int status = EXIT_FINE;

	if (error < 0)
		status = machine_complain(diagnostics, "cannot open the source", error);
	else
		machine->spec = plumb_source_spec(machine->source);
	complain_warnings(diagnostics);
	plumb_diagnostics_free(diagnostics);
	return status;
}

static char *cost_text(const char *what, unsigned cycles)
{
	return cycles ? memory_format(", %s cost %u cycles", what, cycles) : memory_copy("", 0);
}

/* Returns what tells the model's results from a real core's: the platform, and other pages. */
static char *make_label(const struct machine *machine, const struct machine_wish *wish)
{
	const struct plumb_model_core *core = core_named(machine->core);
	const bool platform = strncmp(core->spec_id, core->name, strlen(core->name)) != 0;
	const char *pages = machine_page_sizes[wish->page_size];
	char *faults = cost_text("page faults", wish->conditions.page_fault_cost);
	char *calls = cost_text("system calls", wish->conditions.syscall_cost);
	char *label;

	label = memory_format(
		"%s%s%s%s%s%s%s%s%s%s%s", plumb_source_label(machine->source),
		wish->core_file ? " changed by " : "", wish->core_file ? wish->core_file : "",
		platform ? " of " : "", platform ? core->name : "",
		wish->page_size ? ", pages of " : "", wish->page_size ? pages : "",
		wish->huge_pages ? ", huge pages" : "", faults, calls,
		wish->conditions.wrong_path_loads ? ", with loads of wrong paths" : "");
	free(faults);
	free(calls);
	return label;
}

static int open_core(struct machine *machine, const struct machine_wish *wish)
{
	char *plugin_dir = modules_find("plumb-model-1.so", PLUMB_BUILD_PLUGINS);
	struct paths engines = list_engines(plugin_dir, wish->qemu);
	const struct plumb_model_options options = {
		.size = sizeof(options),
		.core = machine->core,
		.engines = (const char *const *)engines.at,
		.plugin_dir = plugin_dir,
		.sysroot = wish->sysroot,
		.seed = wish->seed,
		.what_if = wish->what_if,
		.page_bytes = 4096u << 2 * wish->page_size,
		.huge_pages = wish->huge_pages,
		.page_fault_cycles = wish->conditions.page_fault_cost,
		.system_call_cycles = wish->conditions.syscall_cost,
		.wrong_path_loads = wish->conditions.wrong_path_loads,
		.reference = wish->reference,
		.host_threads = wish->host_threads,
		.core_file = wish->core_file,
		.engine = on_engine,
		.user = machine,
	};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	int status = opened(machine, plumb_model_open(&options, &machine->source, diagnostics),
			    diagnostics);

	if (status == EXIT_FINE) {
		machine->core = plumb_model_source_core(machine->source)->name;
		machine->page_bytes = options.page_bytes;
		machine->huge_pages = options.huge_pages;
		machine->conditions = wish->conditions;
		machine->seed = wish->seed;
		machine->label = make_label(machine, wish);
	}
	free_paths(&engines);
	free(plugin_dir);
	return status;
}

char *machine_find_engine(const char *qemu, char **why, char **fix)
{
	char *plugin_dir = modules_find("plumb-model-1.so", PLUMB_BUILD_PLUGINS), *text = NULL;
	struct paths engines = list_engines(plugin_dir, qemu);
	const struct plumb_model_options options = {
		.size = sizeof(options),
		.engines = (const char *const *)engines.at,
		.plugin_dir = plugin_dir,
	};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	struct qemu engine;
	int error;

	*why = *fix = NULL;
	error = qemu_choose(qemu_this_system(), &options, &engine, diagnostics);
	if (error == PLUMB_ERR_NO_MEMORY || (error && !plumb_diagnostics_count(diagnostics)))
		memory_given(NULL);
	if (error == 0) {
		text = memory_format("runs AArch64 programs in %s, QEMU %s", engine.path,
				     engine.version);
	} else {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, 0);
		char room[256];
		const char *hint = hint_of(d, room, sizeof(room));

		*why = memory_format("%s%s%s", d->file ? d->file : "", d->file ? ": " : "",
				     d->message);
		*fix = hint ? memory_copy(hint, strlen(hint)) : NULL;
	}
	plumb_diagnostics_free(diagnostics);
	free_paths(&engines);
	free(plugin_dir);
	return text;
}

static int open_model(struct machine *machine, const struct machine_wish *wish)
{
	const struct plumb_model_core *core = plumb_model_core(0);

	if (wish->cpu && wish->core_file) {
		complain("--core cannot be combined with --cpu: the file names the core");
		return EXIT_USAGE;
	}
	if (wish->cpu) {
		const struct plumb_spec *spec;

		core = core_named(wish->cpu);
		if (!core && plumb_spec_find(wish->cpu, &spec, NULL) == 0)
			core = core_of(spec);
	}
	if (!core) {
		complain("the model has no core '%s'", wish->cpu);
		advise_cores();
		return EXIT_USAGE;
	}
	/* A core file names its own. */
	machine->core = wish->core_file ? NULL : core->name;
	machine->core_file = wish->core_file;
	machine->sysroot = wish->sysroot;
	return open_core(machine, wish);
}

int machine_check_program(const struct machine *machine, bool others)
{
	struct plumb_diagnostics *diagnostics;
	int status = EXIT_FINE, error;

	if (!machine->core)
		return EXIT_FINE;
	if (others && machine->program && machine->why) {
		complain("this machine has no Arm PMU, and the model covers only the program that "
			 "it runs");
		advise("leave out -a, -C, -G, -p and -t, or use software events: -e cpu-clock; see "
		       "plumb doctor");
		return EXIT_UNABLE;
	}
	if (!machine->program && machine->why) {
		complain("this machine has no Arm PMU, and the model requires a program to run");
		advise("give a program instead of a target, or use software events: -e cpu-clock; "
		       "see plumb doctor");
		return EXIT_UNABLE;
	}
	if (!machine->program) {
		complain("the model requires a program to run");
		return EXIT_USAGE;
	}
	diagnostics = memory_given(plumb_diagnostics_new());
	error = plumb_model_check_program(machine->program, machine->sysroot, diagnostics);
	if (error < 0)
		status = machine_complain(diagnostics, machine->program, error);
	plumb_diagnostics_free(diagnostics);
	return status;
}

/* ---- this machine's PMU ------------------------------------------------------------------- */

/* Checks --cpu where it selects nothing: software events are the same on each CPU. */
static int check_cpu(const char *name)
{
	struct cpus cpus = {0};
	int status;

	if (!name || core_named(name))
		return EXIT_FINE;
	status = cpus_open(&cpus, name, false);
	cpus_close(&cpus);
	return status;
}

static int open_perf(struct machine *machine, const struct machine_wish *wish, bool software)
{
	struct plumb_perf_options options = {
		.size = sizeof(options), .software = software, .root = wish->root};
	struct plumb_diagnostics *diagnostics;
	int status = EXIT_FINE;

	/* Without a PMU this is the matter, not what CPU it would be. */
	if (wish->cpu && !software && (wish->root || plumb_perf_has_pmu()))
		status = cpus_open(&machine->cpus, wish->cpu, false);
	else if (software)
		status = check_cpu(wish->cpu);
	if (status != EXIT_FINE)
		return status;
	options.spec = machine->cpus.count ? machine->cpus.at[0] : NULL;
	diagnostics = memory_given(plumb_diagnostics_new());
	return opened(machine, plumb_perf_open(&options, &machine->source, diagnostics),
		      diagnostics);
}

/* ---- choosing ----------------------------------------------------------------------------- */

const char *const machine_sources[] = {"auto", "model", "perf", NULL};
const char *const machine_page_sizes[] = {"4K", "16K", "64K", NULL};

/* Tells whether the name of a software event, or the syntax, is wrong: a PMU would not help. */
static bool is_misspelt(const struct plumb_diagnostics *diagnostics, int error)
{
	return error != PLUMB_ERR_MACHINE &&
	       (error != PLUMB_ERR_NOT_FOUND || (plumb_diagnostics_count(diagnostics) &&
						 plumb_diagnostics_get(diagnostics, 0)->hint));
}

bool machine_only_software(const struct option_words *words, int source, bool sampling)
{
	const struct plumb_event_options options = {.size = sizeof(options),
						    .sampling = sampling,
						    .other = sampling ? NULL : plumb_source_other};
	const struct plumb_event_config *event;
	const bool no_pmu = source == SOURCE_PERF && !plumb_perf_has_pmu();
	struct plumb_diagnostics *diagnostics;
	struct plumb_event_list *list;
	bool only = words->count > 0;
	int error = 0;

	if (plumb_event_list_new(&options, &list) < 0)
		return false;
	diagnostics = memory_given(plumb_diagnostics_new());
	for (unsigned i = 0; error == 0 && i < words->count; i++)
		error = plumb_event_list_add(list, words->at[i], diagnostics);
	only = only && (error == 0 || (no_pmu && is_misspelt(diagnostics, error)));
	plumb_diagnostics_free(diagnostics);
	for (size_t i = 0; only && (event = plumb_event_list_get(list, i)); i++)
		only = event->kind == PLUMB_EVENT_SOFTWARE || event->kind == PLUMB_EVENT_OTHER;
	plumb_event_list_free(list);
	return only;
}

char *machine_find_program(const char *name)
{
	const char *rest = search_path();

	return next_in_path(&rest, name);
}

static int find_program(struct machine *machine, const char *name)
{
	if (!*name) {
		complain("the program's name is empty");
		return EXIT_NO_PROGRAM;
	}
	machine->program = find_in_path(name);
	if (machine->program)
		return EXIT_FINE;
	complain("%s: no such program in PATH", name);
	advise("use ./%s for a program in the working directory", name);
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

static int choose(struct machine *machine, const struct machine_wish *wish)
{
	const bool has_pmu = plumb_perf_has_pmu();

	if (wish->core_file && wish->source == SOURCE_PERF) {
		complain("--core requires the model: perf counts the real core");
		advise("use --source model");
		return EXIT_USAGE;
	}
	if (wish->core_file)
		return open_model(machine, wish);
	if (wish->root)
		return open_perf(machine, wish, false);

	if (wish->software && wish->source != SOURCE_MODEL && !runs_in_model(machine, wish))
		return open_perf(machine, wish, true);
	if (wish->source == SOURCE_AUTO)
		machine->why = has_pmu ? "it has an Arm PMU" : "this machine has no Arm PMU";
	if (wish->source == SOURCE_PERF || (wish->source == SOURCE_AUTO && has_pmu))
		return open_perf(machine, wish, false);
	return open_model(machine, wish);
}

int machine_open(struct machine *machine, const struct machine_wish *wish, char *const *argv)
{
	int status = argv && argv[0] ? find_program(machine, argv[0]) : EXIT_FINE;

	inputs_note(machine->program, "the program");
	inputs_note(wish->core_file, "the core file");
	if (status == EXIT_FINE)
		status = choose(machine, wish);
	return status;
}

void machine_close(struct machine *machine)
{
	plumb_source_close(machine->source);
	free(machine->engine_path);
	free(machine->engine_version);
	free(machine->program);
	free(machine->label);
	cpus_close(&machine->cpus);
}
