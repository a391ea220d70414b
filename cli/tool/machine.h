/* SPDX-License-Identifier: Apache-2.0 */
/* Who counts and samples, and what is run: for plumb stat, record and list. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <plumb/model.h>
#include <plumb/source.h>

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

struct machine {
	struct plumb_source *source;
	const struct plumb_spec *spec; /* the source's; NULL: software events alone */
	const char *core;              /* of the model; NULL: it is perf */
	struct cpus cpus;              /* that `spec` is one of, if it was read from a file */
	char *program;                 /* its path */
	const char *why;               /* it was chosen, where nobody said */
	bool say_engine;               /* which engines were asked is to be said */
};

/* What a command line says of them; NULL: nothing. */
struct machine_wish {
	int source; /* SOURCE_... */
	const char *cpu, *sysroot, *qemu;
	uint64_t seed;
	bool software; /* software events alone: perf has these on any machine, without a PMU */
};

/*
 * Chooses the source and the CPU, and finds the program argv[0], if there is one. Without `argv`
 * nothing is to be run. Returns EXIT_FINE, or, having said why, the exit status; machine_close()
 * does either way.
 */
int machine_open(struct machine *machine, const struct machine_wish *wish, char *const *argv);
void machine_close(struct machine *machine);

/* Whether all events that the words of -e name are the kernel's software. */
bool machine_only_software(const struct option_words *words);

/* Says what the findings are, and returns the exit status that tells of `error`. */
int machine_complain(const struct plumb_diagnostics *found, const char *what, int error);

#endif
