/* SPDX-License-Identifier: Apache-2.0 */
/* What a format of plumb_export() provides. */
#ifndef SPEC_EXPORTER_H
#define SPEC_EXPORTER_H

#include <plumb/export.h>

/* Stands for the format's main stream where a part is asked for. */
#define EXPORT_MAIN SIZE_MAX

struct exporter {
	struct plumb_export_format format;
	/* As plumb_export_part(). */
	int (*part)(const struct plumb_spec *spec, size_t i, char name[PLUMB_EXPORT_PART_MAX]);
	/*
	 * Writes one part or EXPORT_MAIN. Failures of the stream need not be noticed: the caller
	 * asks the stream itself.
	 */
	int (*write)(const struct plumb_spec *spec, size_t part, FILE *out,
		     struct plumb_diagnostics *found);
};

extern const struct exporter export_mrs;
extern const struct exporter export_perf;
extern const struct exporter export_markdown;
extern const struct exporter export_csv;

/* What one component of a part's name has room for, its NUL included. */
#define EXPORT_NAME_MAX 64

/* `text` as such a component: small letters, what is not [a-z0-9_-] made '_', cut, never empty. */
void export_name(const char *text, char name[EXPORT_NAME_MAX]);

/* exporter.part() of a format that has a single part, named after the specification. */
int export_single_part(const struct plumb_spec *spec, const char *ending, size_t i,
		       char name[PLUMB_EXPORT_PART_MAX]);

/* The names that indexes stand for, for what lists such names. */
typedef const char *export_name_of(const struct plumb_spec *spec, uint16_t index);
export_name_of export_event;
export_name_of export_metric;
export_name_of export_metric_group;
export_name_of export_functional_group;

/* A cross-reference of plumb/spec.h, such as plumb_spec_metrics_of_event(). */
typedef size_t export_refs_of(const struct plumb_spec *spec, uint16_t index, uint16_t *out,
			      size_t room);

/* Room for the answer of any of them; NULL: out of memory. To be freed. */
uint16_t *export_refs_room(void);

/* What `refs_of` says of `index`. `room` is export_refs_room()'s and backs the answer. */
struct plumb_indexes export_refs(const struct plumb_spec *spec, export_refs_of *refs_of,
				 uint16_t index, uint16_t *room);

/* Who defines an event: "common", "implementation-defined" or "supplemental". */
const char *export_event_kind(const struct plumb_event *event);

/* Where it can be seen: "PMU ETE". */
const char *export_event_accesses(const struct plumb_event *event);

#endif
