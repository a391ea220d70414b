/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the command that makes the recording of an exploration once more. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explore.h"
#include "tool/memory.h"

/* What follows the events. */
#define OPTIONS_MOST 30

static void add(struct explore_again *again, size_t *count, const char *word)
{
	again->words[(*count)++] = word;
}

/* Adds the option of the `i`-th cost, if there is one. */
static void add_cost(struct explore_again *again, size_t *count, const char *name, unsigned cycles,
		     size_t i)
{
	if (!cycles)
		return;
	snprintf(again->costs[i], sizeof(again->costs[i]), "%u", cycles);
	add(again, count, name);
	add(again, count, again->costs[i]);
}

/* Adds the events, each by itself: together they would be too long for a line. */
static void add_events(const struct exploration *e, struct explore_again *again, size_t *count)
{
	bool within = false; /* the '/'s of an event's terms */
	char *begin;

	if (e->exact || !e->events)
		return;
	begin = again->events = memory_copy(e->events, strlen(e->events));
	for (char *at = begin; begin; at++) {
		const bool last = !*at;

		within ^= *at == '/';
		if (!last &&
		    (*at != ',' || within || *count + 4 + OPTIONS_MOST > EXPLORE_AGAIN_WORDS))
			continue;
		*at = '\0';
		add(again, count, "-e");
		add(again, count, begin);
		begin = last ? NULL : at + 1;
	}
}

static void find_options(const struct exploration *e, struct explore_again *again)
{
	const struct explore_options *o = e->options;
	const char *const given[][2] = {
		{"--source",
		 o->source != SOURCE_AUTO ? plumb_source_name(e->machine->source) : NULL},
		{"--cpu", o->common.cpu},
		{"--core", o->core_file},
		{"--seed", o->seed},
		{"-L", o->sysroot},
		{"--qemu", o->qemu},
		{"--page-size", o->page_size ? machine_page_sizes[o->page_size] : NULL},
		{"-p", o->pids},
	};
	size_t count = 0;

	add_events(e, again, &count);
	if (e->exact)
		add(again, &count, "--exact");
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		if (!given[i][1])
			continue;
		add(again, &count, given[i][0]);
		add(again, &count, given[i][1]);
	}
	if (o->huge_pages)
		add(again, &count, "--huge-pages");
	if (o->all_cpus)
		add(again, &count, "-a");
	if (o->conditions.wrong_path_loads)
		add(again, &count, "--wrong-path-loads");
	add_cost(again, &count, "--page-fault-cost", o->conditions.page_fault_cost, 0);
	add_cost(again, &count, "--syscall-cost", o->conditions.syscall_cost, 1);
	add(again, &count, NULL);
}

/* Returns the file that standard input reads, if it has a name; free it. */
static char *input_file(void)
{
	char path[PATH_MAX];
	struct stat opened, named;
	const ssize_t length = readlink("/proc/self/fd/0", path, sizeof(path) - 1);

	if (length <= 0)
		return NULL;
	path[length] = '\0';
	if (fstat(0, &opened) != 0 || !S_ISREG(opened.st_mode) || stat(path, &named) != 0 ||
	    named.st_dev != opened.st_dev || named.st_ino != opened.st_ino)
		return NULL;
	return memory_format("%s", path);
}

void explore_find_again(const struct exploration *e, struct explore_again *again)
{
	find_options(e, again);
	again->input = *e->argv ? input_file() : NULL;
	again->given = (struct findings_again){
		.options = again->words, .without_chains = !e->exact, .input = again->input};
}

void explore_free_again(struct explore_again *again)
{
	free(again->events);
	free(again->input);
}
