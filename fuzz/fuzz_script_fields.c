/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script's -F and --time: any text is accepted, or refused with a finding. */
#include <stdlib.h>
#include <string.h>

#include "script/fields.h"
#include "tool/times.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_fields(const char *text)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct script_fields fields;
	int status;

	script_fields_init(&fields);
	status = script_fields_parse(&fields, text, diagnostics);
	require(status == 0 ? !plumb_diagnostics_errors(diagnostics)
			    : plumb_diagnostics_errors(diagnostics));
	for (unsigned i = 0; status == 0 && i < FIELD_COUNT; i++) {
		bool supported = true;

		require(script_field_name(i, &supported));
		for (int type = 0; type < TYPE_COUNT; type++)
			require(supported || !(fields.types[type].asked & FIELD_BIT(i)));
	}
	plumb_diagnostics_free(diagnostics);
}

static void check_times(const char *text)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct time_ranges times;
	int status = times_parse(&times, text, 5, UINT64_MAX / 2, diagnostics);

	require(status == 0 ? !plumb_diagnostics_errors(diagnostics)
			    : plumb_diagnostics_errors(diagnostics));
	if (status == 0) {
		require(times.count >= 1 && times.count <= TIMES_MAX);
		times_match(&times, 7);
	}
	plumb_diagnostics_free(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	check_fields(text);
	check_times(text);
	free(text);
	return 0;
}
