/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of `plumb stat` share. */
#ifndef CLI_STAT_H
#define CLI_STAT_H

#include <plumb/count.h>

#include "tool/machine.h"
#include "tool/options.h"
#include "tool/window.h"

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
	unsigned interval_count;
	bool all_user, all_kernel;
	struct window_options window;
	struct plumb_window counted; /* read from them */
	const char *sysroot;
	const char *qemu;
	unsigned seed;
	int page_size;
	bool huge_pages;
	const char *core_file;
	bool children;
	bool no_progress;
	const char *what_if;    /* as given; NULL: not at all */
	uint32_t what_if_parts; /* read from it: as in struct plumb_model_options */
};

/* ---- what is asked for: request.c ------------------------------------------------------------ */

struct stat_selection {
	struct plumb_selection *selection;
	struct plumb_event_list *events; /* that it refers to */
	bool brief;                      /* nothing was asked for in particular */
};

/*
 * Makes the selection. Returns EXIT_FINE, or prints an error and returns the exit status. In both
 * cases call stat_selection_free().
 */
int stat_select(const struct stat_options *options, const struct machine *machine,
		struct stat_selection *selected);
void stat_selection_free(struct stat_selection *selected);

/* ---- running and printing: run.c ---------------------------------------------------------
 */

/* Runs the program with the plan, prints the results, and returns the exit status. */
int stat_run(const struct stat_options *options, struct machine *machine,
	     const struct plumb_plan *plan, char *const *argv, bool brief);

#endif
