/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script: what its parts share. */
#ifndef CLI_SCRIPT_H
#define CLI_SCRIPT_H

#include "render/script.h"
#include "tool/options.h"
#include "tool/reading.h"

struct script_options {
	struct common_options common;
	struct reading_options from;
	struct option_words fields;
	bool dump, quiet, header, header_only, full_header;
	bool hide_call_graph, inlined, no_inlined, nanoseconds, reltime, deltatime;
	bool show_mmap, show_task, show_lost, show_switch;
};

struct script {
	const struct script_options *options;
	struct script_fields fields;
	struct reading reading;
	struct output out;
	struct buffer buffer;
	struct script_printer printer;
	uint32_t checked_types; /* types whose fields were checked: bits of enum event_type */
	bool aux;               /* the recording has AUX data */
};

/*
 * Returns whether a sample is shown. The others belong to no event of the recording, or come from a
 * guest, whose address spaces are unknown.
 */
bool script_shows_sample(const struct plumb_record *record);

/* total.c: --quiet. Returns an exit status. */
int script_print_totals(struct script *script);

#endif
