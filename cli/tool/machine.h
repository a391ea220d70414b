/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the source, and finds the program, for plumb stat, record and list. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <plumb/model.h>
#include <plumb/source.h>

#include "tool/cpus.h"
#include "tool/options.h"

enum { SOURCE_AUTO, SOURCE_MODEL, SOURCE_PERF };

extern const char *const machine_sources[];
extern const char *const machine_page_sizes[];

/* The row of --source, whose value is at offset `at` of the command's options. */
#define OPTION_ROW_SOURCE(at)                                                                  \
	{                                                                                      \
		.name = "source", .kind = OPTION_CHOICE, .argument = "SOURCE", .offset = (at), \
		.choices = machine_sources,                                                    \
		.help = "select the source: model, perf or auto (default), which is perf if "  \
			"this machine has an Arm PMU",                                         \
	}

/* A const char *, for machine_read_seed(). */
#define OPTION_ROW_SEED(at)                                                                  \
	{                                                                                    \
		.name = "seed", .kind = OPTION_TEXT, .argument = "N", .offset = (at),        \
		.help = "seed the model's random numbers: its samples, its order of threads" \
	}

/* A const char *. */
#define OPTION_ROW_SYSROOT(at)                                                                 \
	{                                                                                      \
		.letter = 'L', .name = "sysroot", .kind = OPTION_TEXT, .argument = "DIR",      \
		.offset = (at),                                                                \
		.help = "set the folder of the AArch64 libraries for dynamic programs in the " \
			"model"                                                                \
	}

/* A const char *. */
#define OPTION_ROW_QEMU(at)                                                              \
	{                                                                                \
		.name = "qemu", .kind = OPTION_TEXT, .argument = "PATH", .offset = (at), \
		.help = "set the qemu-aarch64 that runs the model"                       \
	}

/* A bool. */
#define OPTION_ROW_HUGE_PAGES(at)                                                         \
	{                                                                                 \
		.name = "huge-pages", .kind = OPTION_FLAG, .offset = (at),                \
		.help = "back the model's anonymous memory with huge pages of 2 MiB, as " \
			"transparent huge pages do",                                      \
	}

/* An int: the index in machine_page_sizes, of which the first is the default. */
#define OPTION_ROW_PAGE_SIZE(at)                                                                \
	{                                                                                       \
		.name = "page-size", .kind = OPTION_CHOICE, .argument = "SIZE", .offset = (at), \
		.choices = machine_page_sizes,                                                  \
		.help = "set the size of the model's pages: 4K (default), 16K or 64K"           \
	}

/* A struct machine_conditions. */
#define OPTION_ROWS_CONDITIONS(at)                                                               \
	{                                                                                        \
		.name = "page-fault-cost",                                                       \
		.kind = OPTION_NUMBER,                                                           \
		.argument = "N",                                                                 \
		.offset = (at) + offsetof(struct machine_conditions, page_fault_cost),           \
		.help = "add N cycles of the model to the first access to each page, "           \
			"for the kernel",                                                        \
	},                                                                                       \
		{                                                                                \
			.name = "syscall-cost",                                                  \
			.kind = OPTION_NUMBER,                                                   \
			.argument = "N",                                                         \
			.offset = (at) + offsetof(struct machine_conditions, syscall_cost),      \
			.help = "add N cycles of the model to each system call, for the kernel", \
		},                                                                               \
	{                                                                                        \
		.name = "wrong-path-loads", .kind = OPTION_FLAG,                                 \
		.offset = (at) + offsetof(struct machine_conditions, wrong_path_loads),          \
		.help = "let loads after mispredicted branches access the model's caches",       \
	}

/* A bool. */
#define OPTION_ROW_REFERENCE(at)                                                             \
	{                                                                                    \
		.name = "reference", .kind = OPTION_FLAG, .offset = (at),                    \
		.help = "model each block anew instead of replaying it: slower, same counts" \
	}

/* An unsigned. */
#define OPTION_ROW_HOST_THREADS(at)                                                             \
	{                                                                                       \
		.name = "host-threads", .kind = OPTION_NUMBER, .argument = "N", .offset = (at), \
		.help = "run the model of a program of one thread in N threads, 1 or 2; "       \
			"the default is 2 if there are two processors"                          \
	}

/* A const char *: a file of figures for the model. */
#define OPTION_ROW_CORE_FILE(at)                                                         \
	{                                                                                \
		.name = "core", .kind = OPTION_TEXT, .argument = "FILE", .offset = (at), \
		.help = "run the model with the figures in this core file, which plumb " \
			"calibrate writes"                                               \
	}

/* What the model adds to the core: struct plumb_model_options. */
struct machine_conditions {
	unsigned page_fault_cost, syscall_cost; /* cycles; 0: none */
	bool wrong_path_loads;
};

struct machine {
	struct plumb_source *source;
	const struct plumb_spec *spec; /* the source's; NULL: only software events */
	const char *core;              /* of the model; NULL: the source is perf */
	const char *core_file;         /* whose figures replace the core's; NULL: none */
	uint32_t page_bytes;           /* of the model's pages */
	bool huge_pages;               /* it has huge ones, too */
	struct machine_conditions conditions;
	char *label;         /* "model of graviton4, huge pages"; NULL: the source is perf */
	struct cpus cpus;    /* owns `spec` if it was read from a file */
	char *program;       /* its path */
	const char *sysroot; /* of the model's programs, or NULL */
	const char *why;     /* why auto chose this source, or NULL */
	uint64_t seed;       /* of the model's random numbers */
	bool say_engine;     /* print which engines were asked */
	/* Of the engine that runs the model; NULL before the first run. */
	char *engine_path, *engine_version;
};

/* The command line's options on them; NULL: not given. */
struct machine_wish {
	int source; /* SOURCE_... */
	const char *cpu, *sysroot, *qemu;
	uint64_t seed;
	uint32_t what_if; /* as in struct plumb_model_options */
	int page_size;    /* the index in machine_page_sizes */
	bool huge_pages;
	struct machine_conditions conditions;
	bool reference;        /* as in struct plumb_model_options */
	unsigned host_threads; /* likewise */
	const char *core_file; /* of figures for the model */
	const char *root;      /* of another machine's files, to be described; NULL: this one */
	bool software;         /* only software events, which perf counts on any machine */
};

/* Reads the value of --seed (NULL: not given); prints an error and returns false if it is invalid.
 */
bool machine_read_seed(const char *text, uint64_t *seed);
/* Checks the value of --host-threads (0: not given); prints an error and returns false if it is
 * invalid. */
bool machine_check_host_threads(unsigned count);

/*
 * Chooses the source and the CPU, and finds the program argv[0], if there is one. `argv` is NULL if
 * nothing will run. Returns EXIT_FINE, or prints an error and returns the exit status. In both
 * cases call machine_close().
 */
int machine_open(struct machine *machine, const struct machine_wish *wish, char *const *argv);
void machine_close(struct machine *machine);

/*
 * Checks that the model, if it is the source, can run the program. Call it once the events have
 * been read, so that a misspelt event is reported first. `others`: CPUs or running processes are
 * asked for, and the program only says how long. Returns as machine_open() does.
 */
int machine_check_program(const struct machine *machine, bool others);

/* Returns the model's cycles per second; 0: the source is perf. */
uint64_t machine_frequency(const struct machine *machine);

/*
 * Tells whether -e names only software events, and, unless they are to be sampled, events of PMUs
 * that belong to no core. If perf is to count on a machine without a core's PMU, this is also true
 * of a misspelt event, so that the spelling is reported.
 */
bool machine_only_software(const struct option_words *words, int source, bool sampling);

/* Returns the path of a program in PATH, to be freed; NULL: there is none. */
char *machine_find_program(const char *name);

/*
 * Returns a text on the engine that runs the model, `qemu` if it is not NULL. If there is none,
 * returns NULL, and sets `*why` and `*fix` to texts or NULL. All are to be freed.
 */
char *machine_find_engine(const char *qemu, char **why, char **fix);

/* Prints the errors in `diagnostics`, and returns the exit status for `error`. */
int machine_complain(const struct plumb_diagnostics *diagnostics, const char *what, int error);

#endif
