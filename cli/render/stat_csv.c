/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as topdown-tool writes them: time,group,stage,level,metric,value,units. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/report.h"
#include "tool/memory.h"

/* A field, quoted where what it holds would be taken for something else. */
static void field(struct output *out, const char *text, const char *separator)
{
	bool quoted = strstr(text, separator) || text[strcspn(text, "\"\r\n")];

	if (!quoted) {
		fputs(text, out->stream);
		return;
	}
	fputc('"', out->stream);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out->stream);
		fputc(*text, out->stream);
	}
	fputc('"', out->stream);
}

/* Fields in the order of the headings; NULL and NaN are empty ones. */
struct row {
	double time;
	const char *group;
	unsigned stage, level;
	const char *metric;
	double value;
	const char *units;
};

static void row(struct output *out, const struct row *row, const char *separator, const char *end)
{
	if (!isnan(row->time))
		fprintf(out->stream, "%.9f", row->time);
	fputs(separator, out->stream);
	field(out, row->group ? row->group : "", separator);
	fputs(separator, out->stream);
	if (row->stage)
		fprintf(out->stream, "%u", row->stage);
	fputs(separator, out->stream);
	if (row->level)
		fprintf(out->stream, "%u", row->level);
	fputs(separator, out->stream);
	field(out, row->metric, separator);
	fputs(separator, out->stream);
	if (isfinite(row->value))
		fprintf(out->stream, "%.15g", row->value);
	fputs(separator, out->stream);
	field(out, row->units, separator);
	fputs(end, out->stream);
}

void report_csv_headings(struct output *out)
{
	fputs("time,group,stage,level,metric,value,units\r\n", out->stream);
}

void report_csv(struct output *out, const struct report *report, const char *separator)
{
	/* RFC 4180 ends lines with both; what is not that has lines as every tool of Unix. */
	const char *end = separator ? "\n" : "\r\n";
	const struct plumb_selection *selection = report->result->plan->selection;
	const struct plumb_spec *spec = report->spec;

	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];

		row(out,
		    &(struct row){
			    report->time,
			    m->group == PLUMB_NONE ? NULL : spec->metric_groups[m->group].name,
			    m->stage, m->stage == 1 ? m->level : 0, spec->metrics[m->metric].name,
			    report->result->values[i].value, spec->metrics[m->metric].units},
		    separator ? separator : ",", end);
	}
	for (uint16_t i = 0; i < report->result->plan->code_count; i++) {
		const struct plumb_event_count *e = &report->result->events[i];
		uint16_t event = plumb_spec_event_by_code(spec, e->code);
		char *name;

		if (!report_shows_event(report, e->code))
			continue;
		name = event == PLUMB_NONE ? memory_format("r%x", e->code) : NULL;
		row(out,
		    &(struct row){report->time, NULL, 0, 0, name ? name : spec->events[event].name,
				  e->count.count, "events"},
		    separator ? separator : ",", end);
		free(name);
	}
}
