/* SPDX-License-Identifier: Apache-2.0 */
/* Adds values to an import: its names, its units and its rows. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/text.h"
#include "import/reader.h"

#define TEXT_MAX 1024

int reader_refuse(const struct reader *reader, int error, const char *format, ...)
{
	const struct place place = {.file = reader->path, .line = reader->line};
	va_list args;

	va_start(args, format);
	diagnostics_vadd(reader->diagnostics, PLUMB_ERROR, "invalid-counts", &place, format, args);
	va_end(args);
	return error;
}

void import_begin(struct import *import)
{
	*import = (struct import){.format = IMPORT_ANY};
}

void import_end(struct import *import)
{
	for (size_t i = 0; i < import->name_count; i++) {
		free(import->names[i].text);
		free(import->names[i].group);
	}
	for (size_t i = 0; i < import->unit_count; i++) {
		free(import->units[i].text);
		free(import->units[i].cgroup);
	}
	free(import->names);
	free(import->units);
	free(import->rows);
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static char *copy(const char *text, bool *failed)
{
	char *copied = text ? strdup(text) : NULL;

	*failed = *failed || (text && !copied);
	return copied;
}

/* Grows an array that doubles: its room is the power of two from its count on. */
static void *grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? 2 * count : 1, size);
}

static bool is_name(const struct import_name *name, const struct addition *a)
{
	return name->metric == a->metric && same(name->text, a->name) &&
	       same(name->group, a->group);
}

/* Finds the name of a value: mostly that after the last row's. */
static int find_name(struct reader *reader, const struct addition *a, size_t *found)
{
	struct import *import = reader->import;
	const size_t count = import->name_count;
	size_t next = import->row_count ? import->rows[import->row_count - 1].name + 1 : 0;
	struct import_name *names;
	bool failed = false;

	for (size_t i = 0; i < count; i++) {
		*found = (next + i) % count;
		if (is_name(&import->names[*found], a))
			return 0;
	}
	if (count == IMPORT_NAMES_MAX)
		return reader_refuse(reader, PLUMB_ERR_LIMIT, "more than %d names",
				     IMPORT_NAMES_MAX);
	names = grow(import->names, count, sizeof(*names));
	if (!names)
		return PLUMB_ERR_NO_MEMORY;
	import->names = names;
	names[count] = (struct import_name){.metric = a->metric,
					    .column = a->column,
					    .gaps = a->gaps,
					    .msec = a->msec,
					    .deviation = a->deviation};
	names[count].text = copy(a->name, &failed);
	names[count].group = copy(a->group, &failed);
	*found = import->name_count++;
	return failed ? PLUMB_ERR_NO_MEMORY : 0;
}

static int find_unit(struct reader *reader, const struct addition *a, size_t *found)
{
	struct import *import = reader->import;
	const size_t count = import->unit_count;
	size_t last = import->row_count ? import->rows[import->row_count - 1].unit : 0;
	struct import_unit *units;
	bool failed = false;

	for (size_t i = 0; i < count; i++) {
		*found = (last + i) % count;
		if (same(import->units[*found].text, a->unit) &&
		    same(import->units[*found].cgroup, a->cgroup))
			return 0;
	}
	if (count == IMPORT_UNITS_MAX)
		return reader_refuse(reader, PLUMB_ERR_LIMIT, "more than %d CPUs or threads",
				     IMPORT_UNITS_MAX);
	units = grow(import->units, count, sizeof(*units));
	if (!units)
		return PLUMB_ERR_NO_MEMORY;
	import->units = units;
	units[count] = (struct import_unit){.cpus = a->cpus};
	units[count].text = copy(a->unit, &failed);
	units[count].cgroup = copy(a->cgroup, &failed);
	*found = import->unit_count++;
	return failed ? PLUMB_ERR_NO_MEMORY : 0;
}

static bool too_long(const char *text)
{
	return text && strlen(text) > TEXT_MAX;
}

int import_add(struct reader *reader, const struct addition *a)
{
	struct import *import = reader->import;
	struct import_row row = {.time = a->time,
				 .value = a->value,
				 .running_ns = a->running_ns,
				 .percent = a->percent};
	struct import_row *rows;
	int error;

	if (too_long(a->name) || too_long(a->group) || too_long(a->unit) || too_long(a->cgroup))
		return reader_refuse(reader, PLUMB_ERR_INVALID, "a name is too long");
	if (!*a->name)
		return reader_refuse(reader, PLUMB_ERR_INVALID, "missing name of an event");
	if (!a->metric && a->value < 0)
		return reader_refuse(reader, PLUMB_ERR_INVALID, "negative count of %s", a->name);
	if (!a->metric && a->value >= 0x1p64)
		return reader_refuse(reader, PLUMB_ERR_INVALID, "the count of %s exceeds 64 bits",
				     a->name);
	if (a->running_ns < 0 || a->running_ns >= 0x1p64)
		return reader_refuse(reader, PLUMB_ERR_INVALID, "invalid running time %g ns of %s",
				     a->running_ns, a->name);
	if (a->percent < 0 || a->percent > 100)
		return reader_refuse(reader, PLUMB_ERR_INVALID,
				     "%s was counted %g %% of the time, not 0 to 100 %%", a->name,
				     a->percent);
	if (import->row_count == IMPORT_ROWS_MAX)
		return reader_refuse(reader, PLUMB_ERR_LIMIT, "more than %zu values",
				     IMPORT_ROWS_MAX);
	if (import->row_count && isnan(import->rows[import->row_count - 1].time) != isnan(a->time))
		return reader_refuse(reader, PLUMB_ERR_INVALID,
				     "counts of intervals and of whole runs cannot be combined");
	error = find_name(reader, a, &row.name);
	if (error == 0)
		error = find_unit(reader, a, &row.unit);
	if (error < 0)
		return error;
	if (import->row_count == import->row_room) {
		import->row_room = import->row_room ? 2 * import->row_room : 64;
		rows = reallocarray(import->rows, import->row_room, sizeof(*rows));
		if (!rows)
			return PLUMB_ERR_NO_MEMORY;
		import->rows = rows;
	}
	import->rows[import->row_count++] = row;
	return 0;
}
