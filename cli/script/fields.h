/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which fields of a sample are printed: perf script's -F, with its names, grammar and defaults.
 * Events are of a few types, and each type has fields of its own.
 */
#ifndef CLI_SCRIPT_FIELDS_H
#define CLI_SCRIPT_FIELDS_H

#include "render/script.h"

/* perf's defaults. */
void script_fields_init(struct script_fields *fields);

/*
 * Takes in one -F: "tid,ip,sym", "hw:tid,ip", "+addr,-sym". Returns 0, or NOT_FOUND (a field or
 * type), UNSUPPORTED (one of perf's that Plumb does not print), ARGUMENT, with a finding.
 */
int script_fields_parse(struct script_fields *fields, const char *text,
			struct plumb_diagnostics *found);

/*
 * Checks that the samples of `event` have what is to be printed of them. A field that is only on by
 * default is left out if they do not; for one that was asked for, returns PLUMB_ERR_INVALID with a
 * finding. `aux`: the recording has AUX data, whose samples may have more.
 */
int script_fields_check(struct script_fields *fields, const struct plumb_recorded_event *event,
			const char *name, bool aux, struct plumb_diagnostics *found);

/* The i-th field's name; NULL past the end. `*supported`: Plumb prints it. */
const char *script_field_name(unsigned i, bool *supported);

#endif
