/* SPDX-License-Identifier: Apache-2.0 */
/* plumb annotate: what its parts share. */
#ifndef CLI_ANNOTATE_H
#define CLI_ANNOTATE_H

#include "render/annotation.h"
#include "tool/choice.h"
#include "tool/options.h"
#include "tool/reading.h"

#define CANDIDATES_MAX 100
#define FILES_CHECKED  64

struct annotate_options {
	struct common_options common;
	struct reading_options from;
	const char *symbol, *percent_limit;
	const char *start, *stop; /* as given */
	uint64_t part_start, part_end;
	char part[48]; /* its name as a function */
	/* If the symbol that was asked for is an address; NULL: it is a name. */
	const char *place_text;
	struct choice_place place;
	unsigned limit;
	bool stdio, print_line, no_source, show_samples;
	bool force; /* has no effect */
};

struct annotate_run {
	const struct annotate_options *options;
	struct reading reading;
	struct annotation_view view;
	/* Where most samples without a function are: the candidate of a majority vote. */
	struct plumb_symbol_file *unknown;
	uint64_t unknown_votes;
	bool chosen; /* there are options that choose samples */
	/* The full name of the function if the one that was asked for leaves parts out, or NULL. */
	const char *name;
	const char *candidates[CANDIDATES_MAX]; /* names that it may mean, the hottest first */
	size_t candidate_count;
	/* The code to show instead of the heaviest function, as it is in none; 0: there is none. */
	uint64_t part_start, part_end;
	char *unread[FILES_CHECKED]; /* files of source of what was shown that cannot be read */
	size_t unread_count;
};

/* show.c: prints the i-th function, as JSON if `functions` is not NULL. Returns an exit status. */
int annotate_show(struct annotate_run *run, size_t i, struct output *out,
		  struct json_list *functions);

/* show.c: says which files of source could not be read, and forgets them. */
void annotate_note_unread(struct annotate_run *run);

/*
 * names.c: looks for functions that the requested name means if it leaves out arguments of
 * templates, or parameters. Returns whether there is exactly one name, which is then run->name.
 */
bool annotate_find_name(struct annotate_run *run);
/* Likewise returns the symbol's name of the function that has most of the weight of what is inlined
 * into it by the requested name; NULL: nothing has that name. */
const char *annotate_find_inlined(const struct annotate_run *run);
/* Prints an error with the names that the requested one may mean, of which there are several. */
void annotate_complain_candidates(const struct annotate_run *run);

/* annotate.c: reads the recording and shows it. Sets the code to show next instead, or 0. Returns
 * an exit status. */
int annotate_recording(struct annotate_options *options, uint64_t part[2]);

#endif
