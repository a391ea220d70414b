/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which fields of a sample are printed: perf script's -F, with its names, grammar and defaults.
 * Each of the few types of events has its own fields.
 */
#ifndef CLI_SCRIPT_FIELDS_H
#define CLI_SCRIPT_FIELDS_H

#include "render/script.h"

/* perf's defaults. */
void script_fields_init(struct script_fields *fields);

/*
 * Applies one -F: "tid,ip,sym", "hw:tid,ip", "+addr,-sym". Returns 0, or, with a finding, NOT_FOUND
 * (a field or type), UNSUPPORTED (a field of perf's that Plumb does not print) or ARGUMENT.
 */
int script_fields_parse(struct script_fields *fields, const char *text,
			struct plumb_diagnostics *diagnostics);

/*
 * Checks that the samples of `event` have the fields to print. If not, removes fields that are only
 * on by default; for one that was requested, returns PLUMB_ERR_INVALID with a finding. `aux`: the
 * recording has AUX data, whose samples may have more.
 */
int script_fields_check(struct script_fields *fields, const struct plumb_recorded_event *event,
			const char *name, bool aux, struct plumb_diagnostics *diagnostics);

/* Returns the i-th field's name; NULL past the end. `*supported`: Plumb prints it. */
const char *script_field_name(unsigned i, bool *supported);

#endif
