/* SPDX-License-Identifier: Apache-2.0 */
/* Writes findings as JSON: doc/explore.md describes the file. */
#include <inttypes.h>
#include <math.h>

#include <plumb/version.h>

#include "base/json_write.h"
#include "profile/findings.h"
#include "profile/findings_json.h"

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *list(const char *const *texts)
{
	json_t *array = json_array();
	bool ok = array;

	for (; texts && *texts; texts++)
		ok &= json_add(array, json_text(*texts));
	return json_if(ok, array);
}

static json_t *interval(const struct plumb_finding_place *place)
{
	json_t *array;
	bool ok;

	if (isnan(place->low) || isnan(place->high))
		return json_null();
	array = json_array();
	ok = json_add(array, number(place->low));
	ok &= json_add(array, number(place->high));
	return json_if(ok, array);
}

static json_t *place_object(const struct plumb_finding_place *place)
{
	json_t *object = json_object();
	bool ok = json_put(object, "name", json_text(place->name));

	ok &= json_put(object, "file", json_text(place->file));
	if (place->line)
		ok &= json_put(object, "line", json_integer(place->line));
	if (place->text)
		ok &= json_put(object, "text", json_text(place->text));
	if (place->bytes)
		ok &= json_put(object, "bytes", json_integer((json_int_t)place->bytes));
	ok &= json_put(object, "share", number(place->share));
	ok &= json_put(object, "interval", interval(place));
	if (place->samples)
		ok &= json_put(object, "samples", json_integer((json_int_t)place->samples));
	return json_if(ok, object);
}

static json_t *places_object(const struct plumb_finding_places *places)
{
	json_t *object = json_object(), *array = json_array();
	bool ok = json_put(object, "basis", json_text(places->basis));

	ok &= json_put(object, "exact", json_boolean(places->exact));
	ok &= json_put(object, "samples",
		       places->exact ? json_null() : json_integer((json_int_t)places->samples));
	for (unsigned i = 0; i < places->count; i++)
		ok &= json_add(array, place_object(&places->at[i]));
	ok &= json_put(object, "places", array);
	return json_if(ok, object);
}

static json_t *when_object(const struct plumb_finding_when *when)
{
	json_t *object, *ranges;
	bool ok;

	if (!when->known)
		return json_null();
	object = json_object();
	ranges = json_array();
	ok = json_put(object, "throughout", json_boolean(when->throughout));
	ok &= json_put(object, "slots", number(when->slots));
	ok &= json_put(object, "elsewhere", number(when->elsewhere));
	for (unsigned i = 0; i < when->range_count && i < PLUMB_RANGES_MAX; i++) {
		json_t *range = json_array();

		ok &= json_add(range, number(when->ranges[i].from));
		ok &= json_add(range, number(when->ranges[i].to));
		ok &= json_add(ranges, range);
	}
	ok &= json_put(object, "ranges", ranges);
	ok &= json_put(object, "range_count", json_integer(when->range_count));
	return json_if(ok, object);
}

static json_t *finding_object(const struct plumb_findings *findings, unsigned i)
{
	const struct plumb_finding *finding = &findings->findings[i];
	const struct plumb_finding_places *waits = &findings->waits[i];

	json_t *object = json_object();
	bool ok = json_put(object, "node", json_text(finding->node));

	ok &= json_put(object, "cause", json_text(finding->cause));
	ok &= json_put(object, "slots", number(finding->slots));
	ok &= json_put(object, "seconds", number(finding->slots / 100 * findings->seconds));
	ok &= json_put(object, "brief", json_text(finding->brief));
	ok &= json_put(object, "means", json_text(finding->means));
	ok &= json_put(object, "helps", json_text(finding->helps));
	ok &= json_put(object, "functions", places_object(&finding->functions));
	ok &= json_put(object, "lines", places_object(&finding->lines));
	ok &= json_put(object, "data", places_object(&finding->data));
	if (findings->callers[i].count)
		ok &= json_put(object, "callers", places_object(&findings->callers[i]));
	if (waits->count)
		ok &= json_put(object, "waits", places_object(waits));
	ok &= json_put(object, "when", when_object(&findings->when[i]));
	ok &= json_put_text(object, "view", findings_views[finding->view]);
	return json_if(ok, object);
}

static json_t *work_object(const struct plumb_finding_work *work)
{
	json_t *object = json_object();
	bool ok = json_put(object, "functions", places_object(&work->functions));

	ok &= json_put(object, "lines", places_object(&work->lines));
	ok &= json_put(object, "callers", places_object(&work->callers));
	return json_if(ok, object);
}

static json_t *ruled_out_list(const struct plumb_findings *findings)
{
	json_t *array = json_array();
	bool ok = array;

	for (unsigned i = 0; i < findings->ruled_out_count; i++) {
		json_t *object = json_object();

		ok &= json_put(object, "node", json_text(findings->ruled_out[i].node));
		ok &= json_put(object, "slots", number(findings->ruled_out[i].slots));
		ok &= json_add(array, object);
	}
	return json_if(ok, array);
}

static json_t *undivided_list(const struct plumb_findings *findings)
{
	json_t *array = json_array();
	bool ok = array;

	for (unsigned i = 0; i < findings->undivided_count; i++) {
		const struct plumb_undivided *left = &findings->undivided[i];
		json_t *object = json_object();

		ok &= json_put(object, "node", json_text(left->node));
		ok &= json_put(object, "slots", number(left->slots));
		ok &= json_put(object, "finding",
			       left->finding ? json_integer(left->finding) : json_null());
		ok &= json_add(array, object);
	}
	return json_if(ok, array);
}

static json_t *cpu_object(const struct plumb_findings *findings)
{
	json_t *object = json_object();
	char midr[16];
	bool ok = json_put(object, "name", json_text(findings->cpu));

	snprintf(midr, sizeof(midr), "0x%08" PRIx32, findings->midr);
	ok &= json_put(object, "midr", findings->midr ? json_string(midr) : json_null());
	return json_if(ok, object);
}

static json_t *findings_object(const struct plumb_findings *findings)
{
	json_t *object = json_object(), *array = json_array();
	bool ok = json_put_text(object, "plumb", PLUMB_VERSION);

	ok &= json_put(object, "format", json_integer(FINDINGS_FORMAT));
	ok &= json_put(object, "source", json_text(findings->source));
	ok &= json_put(object, "label", json_text(findings->label));
	ok &= json_put(object, "cpu", cpu_object(findings));
	ok &= json_put(object, "command", list(findings->command));
	ok &= json_put(object, "target", json_text(findings->target));
	ok &= json_put(object, "seconds", number(findings->seconds));
	ok &= json_put(object, "runs", json_integer(findings->runs));
	ok &= json_put(object, "exit_status", json_integer(findings->exit_status));
	ok &= json_put(object, "signal",
		       findings->signal ? json_integer(findings->signal) : json_null());
	ok &= json_put(object, "interrupted", json_boolean(findings->interrupted));
	ok &= json_put(object, "whole", json_text(findings->whole));
	ok &= json_put_text(object, "verdict", findings_verdicts[findings->verdict]);
	ok &= json_put(object, "work", number(findings->work));
	ok &= json_put(object, "tie", json_text(findings->tie));
	for (unsigned i = 0; i < findings->finding_count; i++)
		ok &= json_add(array, finding_object(findings, i));
	ok &= json_put(object, "findings", array);
	if (!isnan(findings->least)) {
		ok &= json_put(object, "least", number(findings->least));
		ok &= json_put(object, "ruled_out", ruled_out_list(findings));
		ok &= json_put(object, "undivided", undivided_list(findings));
	}
	if (findings->work_at->functions.count)
		ok &= json_put(object, "work_at", work_object(findings->work_at));
	ok &= json_put(object, "recording", json_text(findings->recording));
	ok &= json_put(object, "warnings", list(findings->warnings));
	return json_if(ok, object);
}

int plumb_findings_write(const struct plumb_findings *findings, FILE *out)
{
	json_t *object = findings_object(findings);
	int error = object ? json_write(object, out) : PLUMB_ERR_NO_MEMORY;

	json_decref(object);
	return error;
}
