/* SPDX-License-Identifier: Apache-2.0 */
/* Two tables as in RFC 4180: events and metrics. Names in a list are separated by ';'. */
#include "spec/exporter.h"

#include <stdlib.h>
#include <string.h>

static void quoted(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
}

/* Writes a field and its separator, quoted where RFC 4180, section 2, requires it. */
static void field(const char *text, const char *after, FILE *out)
{
	text = text ? text : "";
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, out);
	} else {
		putc('"', out);
		quoted(text, out);
		putc('"', out);
	}
	fputs(after, out);
}

static void names(const struct plumb_spec *spec, export_name_of *name_of, struct plumb_indexes list,
		  const char *after, FILE *out)
{
	putc('"', out);
	for (uint16_t i = 0; i < list.count; i++) {
		if (i > 0)
			putc(';', out);
		quoted(name_of(spec, list.at[i]), out);
	}
	putc('"', out);
	fputs(after, out);
}

static void events_table(const struct plumb_spec *spec, uint16_t *room, FILE *out)
{
	fputs("code,name,title,accesses,kind,functional_groups,metrics\r\n", out);
	for (uint16_t i = 0; i < spec->event_count; i++) {
		const struct plumb_event *event = &spec->events[i];

		fprintf(out, "0x%04x,", event->code);
		field(event->name, ",", out);
		field(event->title, ",", out);
		field(export_event_accesses(event), ",", out);
		field(export_event_kind(event), ",", out);
		names(spec, export_functional_group,
		      export_refs(spec, plumb_spec_functions_of_event, i, room), ",", out);
		names(spec, export_metric, export_refs(spec, plumb_spec_metrics_of_event, i, room),
		      "\r\n", out);
	}
}

static void metrics_table(const struct plumb_spec *spec, uint16_t *room, FILE *out)
{
	fputs("name,title,units,formula,events,sample_events,groups\r\n", out);
	for (uint16_t i = 0; i < spec->metric_count; i++) {
		const struct plumb_metric *metric = &spec->metrics[i];

		field(metric->name, ",", out);
		field(metric->title, ",", out);
		field(metric->units, ",", out);
		field(metric->formula, ",", out);
		names(spec, export_event, metric->events, ",", out);
		names(spec, export_event, metric->sample_events, ",", out);
		names(spec, export_metric_group,
		      export_refs(spec, plumb_spec_groups_of_metric, i, room), "\r\n", out);
	}
}

static const struct {
	const char *part;
	void (*write)(const struct plumb_spec *spec, uint16_t *room, FILE *out);
} tables[] = {
	{"events.csv", events_table},
	{"metrics.csv", metrics_table},
};

static int csv_part(const struct plumb_spec *spec, size_t i, char name[PLUMB_EXPORT_PART_MAX])
{
	(void)spec;
	if (i >= sizeof(tables) / sizeof(tables[0]))
		return PLUMB_ERR_NOT_FOUND;
	snprintf(name, PLUMB_EXPORT_PART_MAX, "%s", tables[i].part);
	return 0;
}

static int csv_write(const struct plumb_spec *spec, size_t part, FILE *out,
		     struct plumb_diagnostics *diagnostics)
{
	uint16_t *room = export_refs_room();

	(void)diagnostics;
	if (!room)
		return PLUMB_ERR_NO_MEMORY;
	tables[part == EXPORT_MAIN ? 0 : part].write(spec, room, out);
	free(room);
	return 0;
}

const struct exporter export_csv = {
	{"csv", "tables of events and metrics (RFC 4180)"},
	csv_part,
	csv_write,
};
