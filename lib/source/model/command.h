/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line with which QEMU runs a program under the model's plugin. */
#ifndef SOURCE_MODEL_COMMAND_H
#define SOURCE_MODEL_COMMAND_H

#include "params.h"
#include "source/model/program.h"
#include "source/model/qemu.h"
#include "source/model/window.h"

/* What it is made from. */
struct model_command_parts {
	const struct core_params *core;
	const struct qemu *qemu;
	const struct program *program;
	const char *path;       /* of the program */
	char *const *argv;      /* its own, NULL-ended */
	const char *sysroot;    /* NULL or "/": the host's */
	bool children;          /* count them, too */
	int shared_fd;          /* the memory that the plugin counts in */
	int sampling_fd;        /* the memory that it samples into; -1: none */
	uint64_t key;           /* by which it knows either */
	unsigned interval_ms;   /* the model's time between snapshots; 0: none */
	uint64_t seed;          /* of the order of threads; 0: none */
	uint32_t sampled;       /* the error to reach, in SAMPLED_ERROR_PARTS; 0: all is modelled */
	uint64_t sampled_after; /* instructions; 0: as the model has it */
	uint32_t what_if;       /* a bit for each enum what_if that is asked for */
	uint32_t page_bytes;    /* 0: the core's */
	bool huge_pages;
	struct core_conditions conditions;
	bool reference;        /* no block is replayed */
	unsigned host_threads; /* 0: as many as are useful */
	unsigned mark_call;    /* the number of a system call; 0: none */
	const struct model_window_request *window;
};

struct model_command {
	char **argv; /* NULL-ended */
	char *cpu, *plugin;
	char **environment; /* NULL-ended: this process's, with "_" as if a shell ran the program */
	char *underscore;
	char *libraries; /* the program's LD_LIBRARY_PATH if it must be another; or NULL */
};

/* Returns false if out of memory. Free with model_command_free() either way. */
bool model_command_make(struct model_command *command, const struct model_command_parts *parts);
void model_command_free(struct model_command *command);

#endif
