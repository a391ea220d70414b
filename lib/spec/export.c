/* SPDX-License-Identifier: Apache-2.0 */
/* The export formats, and how to find one and its parts. */
#include "spec/exporter.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const struct exporter *const exporters[] = {
	&export_mrs,
	&export_perf,
	&export_markdown,
	&export_csv,
};

#define EXPORTER_COUNT (sizeof(exporters) / sizeof(exporters[0]))

static const struct exporter *find(const char *format)
{
	for (size_t i = 0; i < EXPORTER_COUNT; i++)
		if (strcmp(exporters[i]->format.name, format) == 0)
			return exporters[i];
	return NULL;
}

const struct plumb_export_format *plumb_export_format(size_t i)
{
	return i < EXPORTER_COUNT ? &exporters[i]->format : NULL;
}

int plumb_export_part(const struct plumb_spec *spec, const char *format, size_t i,
		      char name[PLUMB_EXPORT_PART_MAX])
{
	const struct exporter *exporter = find(format);

	return exporter ? exporter->part(spec, i, name) : PLUMB_ERR_NOT_FOUND;
}

int export_single_part(const struct plumb_spec *spec, const char *ending, size_t i,
		       char name[PLUMB_EXPORT_PART_MAX])
{
	char id[EXPORT_NAME_MAX];

	if (i > 0)
		return PLUMB_ERR_NOT_FOUND;
	export_name(spec->id, id);
	snprintf(name, PLUMB_EXPORT_PART_MAX, "%s%s", id, ending);
	return 0;
}

/* Whether `asked` is `name`, with or without its folders and its extension. */
static bool names_part(const char *asked, const char *name)
{
	const char *file = strrchr(name, '/');
	const char *ending = strrchr(name, '.');
	size_t length = strlen(asked);

	file = file ? file + 1 : name;
	if (strcmp(asked, name) == 0 || strcmp(asked, file) == 0)
		return true;
	return ending && ((size_t)(ending - name) == length || (size_t)(ending - file) == length) &&
	       memcmp(ending - length, asked, length) == 0;
}

static int find_part(const struct exporter *exporter, const struct plumb_spec *spec,
		     const char *part, size_t *index)
{
	char name[PLUMB_EXPORT_PART_MAX];
	int result;

	for (size_t i = 0; (result = exporter->part(spec, i, name)) == 0; i++) {
		if (names_part(part, name)) {
			*index = i;
			return 0;
		}
	}
	return result;
}

int plumb_export(const struct plumb_spec *spec, const char *format, const char *part, FILE *out,
		 struct plumb_diagnostics *diagnostics)
{
	const struct exporter *exporter = find(format);
	size_t index = EXPORT_MAIN;
	int result = 0;

	if (!exporter)
		return PLUMB_ERR_NOT_FOUND;
	if (part)
		result = find_part(exporter, spec, part, &index);
	if (!result)
		result = exporter->write(spec, index, out, diagnostics);
	if (!result && (fflush(out) != 0 || ferror(out)))
		result = PLUMB_ERR_IO;
	return result;
}

void export_name(const char *text, char name[EXPORT_NAME_MAX])
{
	size_t length = 0;

	for (; text && *text && length < EXPORT_NAME_MAX - 1; text++) {
		char c = text_lower(*text);
		bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';

		name[length++] = fine ? c : '_';
	}
	if (length == 0)
		name[length++] = '_';
	name[length] = '\0';
}

const char *export_event(const struct plumb_spec *spec, uint16_t index)
{
	return spec->events[index].name;
}

const char *export_metric(const struct plumb_spec *spec, uint16_t index)
{
	return spec->metrics[index].name;
}

const char *export_metric_group(const struct plumb_spec *spec, uint16_t index)
{
	return spec->metric_groups[index].name;
}

const char *export_functional_group(const struct plumb_spec *spec, uint16_t index)
{
	return spec->functional_groups[index].name;
}

uint16_t *export_refs_room(void)
{
	return calloc(UINT16_MAX, sizeof(uint16_t));
}

struct plumb_indexes export_refs(const struct plumb_spec *spec, export_refs_of *refs_of,
				 uint16_t index, uint16_t *room)
{
	size_t count = refs_of(spec, index, room, UINT16_MAX);

	return (struct plumb_indexes){room, (uint16_t)count};
}

const char *export_event_kind(const struct plumb_event *event)
{
	if (event->debug)
		return "supplemental";
	if (event->product_defined)
		return "implementation-defined";
	return event->architecture_defined ? "common" : "";
}

const char *export_event_accesses(const struct plumb_event *event)
{
	static const char *const accesses[] = {"", "PMU", "ETE", "PMU ETE"};

	return accesses[event->accesses & (PLUMB_ACCESS_PMU | PLUMB_ACCESS_ETE)];
}
