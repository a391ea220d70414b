/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of findings: refused with an error, or accepted without one. Then its figures
 * are in range, and what is written of them is read again, and written the same.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/findings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_places(const struct plumb_finding_places *places)
{
	require(places->count <= PLUMB_PLACES_MAX);
	for (unsigned i = 0; i < places->count; i++) {
		const struct plumb_finding_place *place = &places->at[i];

		require(place->name && place->share >= 0 && place->share <= 101);
		require(isnan(place->low) == isnan(place->high));
	}
}

static void check(const struct plumb_findings *findings)
{
	require(findings->source && findings->cpu && findings->whole && findings->command &&
		findings->warnings && findings->finding_count <= PLUMB_LOSSES_MAX);
	require(!findings->recording || strcmp(findings->recording, PLUMB_FOLDER_RECORDING) == 0);
	require(findings->ruled_out_count <= PLUMB_RULED_OUT_MAX);
	for (unsigned i = 0; i < findings->ruled_out_count; i++)
		require(findings->ruled_out[i].node && !(findings->ruled_out[i].slots > 200));
	check_places(&findings->work_at->functions);
	check_places(&findings->work_at->lines);
	check_places(&findings->work_at->callers);
	for (unsigned i = 0; i < findings->finding_count; i++) {
		const struct plumb_finding *finding = &findings->findings[i];

		require(finding->node && finding->cause && finding->brief);
		require(finding->view != PLUMB_VIEW_FUNCTION || finding->functions.count);
		check_places(&finding->functions);
		check_places(&finding->lines);
		check_places(&finding->data);
		check_places(&findings->waits[i]);
	}
}

static char *written(const struct plumb_findings *findings, size_t *size)
{
	char *text;
	FILE *out = open_memstream(&text, size);

	require(out && plumb_findings_write(findings, out) == 0);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_findings *findings, *again;
	size_t sizes[2];
	char *texts[2];
	int error;

	require(diagnostics);
	error = findings_parse((const char *)bytes, size, "file", &findings, diagnostics);
	require(!error == !plumb_diagnostics_errors(diagnostics) && !error == !!findings);
	if (findings) {
		check(findings);
		texts[0] = written(findings, &sizes[0]);
		require(findings_parse(texts[0], sizes[0], "again", &again, NULL) == 0);
		texts[1] = written(again, &sizes[1]);
		require(sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0);
		free(texts[0]);
		free(texts[1]);
		plumb_findings_free(again);
	}
	plumb_findings_free(findings);
	plumb_diagnostics_free(diagnostics);
	return 0;
}
