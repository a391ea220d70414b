/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `plumb stat` share: options, what they ask for, and what runs and counts it.
 * The last is also of `plumb record`. */
#ifndef CLI_STAT_H
#define CLI_STAT_H

#include <plumb/count.h>

#include "cpu/pmu.h"
#include "source/source.h"
#include "tool/cpus.h"
#include "tool/options.h"

enum { SOURCE_AUTO, SOURCE_MODEL, SOURCE_PERF };

extern const char *const machine_sources[];

/* --source, whose value is at `at` of the command's options. */
#define OPTION_ROW_SOURCE(at)                                                                  \
	{                                                                                      \
		.name = "source", .kind = OPTION_CHOICE, .argument = "SOURCE", .offset = (at), \
		.choices = machine_sources,                                                    \
		.help = "model, perf or auto; auto is perf where this machine has an Arm "     \
			"PMU, else the model",                                                 \
	}

struct stat_options {
	struct common_options common;
	int source;
	struct option_words stages, groups, metrics, events;
	const char *node;
	unsigned level;
	int collect_by; /* enum plumb_collect_by */
	bool no_multiplex;
	unsigned interval_ms;
	unsigned repeat;
	bool csv;
	const char *sysroot;
	const char *qemu;
	bool children;
	bool no_progress;
};

/* ---- who counts, and what is run: stat_machine.c -------------------------------------------- */

struct machine {
	const struct source *source;
	const struct plumb_spec *spec;
	struct cpus cpus; /* that `spec` is one of, if it was read from a file */
	uint32_t midr;
	struct cpu_pmu pmu; /* of perf, ... */
	unsigned counters;  /* ... and how many it has, the cycle counter apart */
	const char *core;   /* of the model */
	char *program;      /* its path */
	char **engines;     /* paths of qemu-aarch64, in the order they are tried; ended by NULL */
	char *plugin_dir;
	const char *why; /* it was chosen, where nobody said */
};

/* What a command line says of them; NULL: nothing. */
struct machine_wish {
	int source; /* SOURCE_... */
	const char *cpu, *sysroot, *qemu;
	bool software; /* only software events: perf has these on any machine, without a PMU */
};

/*
 * Chooses the source and the CPU, and finds the program, if there is one. Returns EXIT_FINE, or,
 * having said why, the exit status; machine_close() does either way.
 */
int machine_open(struct machine *machine, const struct machine_wish *wish, char *const *argv);

/* The same without a program: who would count. `cpu` is what --cpu gave, or NULL. */
int machine_choose(struct machine *machine, int source, const char *cpu);
void machine_close(struct machine *machine);

/* Whether all events that the words of -e name are the kernel's software, so that no PMU is needed.
 */
bool machine_only_software(const struct option_words *words);

/* A source's callback `engine`: says what came of asking it. */
void machine_say_engine(void *user, const struct plumb_model_engine *engine);

/* Says what the findings are, and returns the exit status that tells of `error`. */
int machine_complain(const struct plumb_diagnostics *found, const char *what, int error);

/* ---- what is asked for: request.c ------------------------------------------------------------ */

struct stat_selection {
	struct plumb_selection *selection;
	struct plumb_event_list *events; /* that it refers to */
	bool brief;                      /* nothing was asked for in particular */
};

/*
 * Makes the selection. Returns EXIT_FINE, or, having said why, the exit status;
 * stat_selection_free() does either way.
 */
int stat_select(const struct stat_options *options, const struct machine *machine,
		struct stat_selection *selected);
void stat_selection_free(struct stat_selection *selected);

/* ---- running and printing: stat_run.c ---------------------------------------------------------
 */

/* Runs the program as the plan says, prints what it comes to, and returns the exit status. */
int stat_run(const struct stat_options *options, const struct machine *machine,
	     const struct plumb_plan *plan, char *const *argv, bool brief);

#endif
