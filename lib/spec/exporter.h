/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a format of plumb_export(). */
#ifndef SPEC_EXPORTER_H
#define SPEC_EXPORTER_H

#include <plumb/export.h>

/* Selects the format's main stream instead of a part. */
#define EXPORT_MAIN SIZE_MAX

struct exporter {
	struct plumb_export_format format;
	/* Implements plumb_export_part(). */
	int (*part)(const struct plumb_spec *spec, size_t i, char name[PLUMB_EXPORT_PART_MAX]);
	/*
	 * Writes one part or EXPORT_MAIN. It need not check the stream for errors: the caller does.
	 */
	int (*write)(const struct plumb_spec *spec, size_t part, FILE *out,
		     struct plumb_diagnostics *diagnostics);
};

extern const struct exporter export_mrs;
extern const struct exporter export_perf;
extern const struct exporter export_markdown;
extern const struct exporter export_csv;

/* Size of one component of a part's name, with its NUL. */
#define EXPORT_NAME_MAX 64

/* Makes such a component of `text`: lower case, '_' for other than [a-z0-9_-], never empty. */
void export_name(const char *text, char name[EXPORT_NAME_MAX]);

/* Implements exporter.part() for a format with a single part, named after the specification. */
int export_single_part(const struct plumb_spec *spec, const char *ending, size_t i,
		       char name[PLUMB_EXPORT_PART_MAX]);

/* Returns the name of an index, for lists of names. */
typedef const char *export_name_of(const struct plumb_spec *spec, uint16_t index);
export_name_of export_event;
export_name_of export_metric;
export_name_of export_metric_group;
export_name_of export_functional_group;

/* A cross-reference function of plumb/spec.h, such as plumb_spec_metrics_of_event(). */
typedef size_t export_refs_of(const struct plumb_spec *spec, uint16_t index, uint16_t *out,
			      size_t room);

/* Allocates room for the result of any of them; NULL if out of memory. The caller frees it. */
uint16_t *export_refs_room(void);

/* Returns the result of `refs_of` for `index`, held in `room`, from export_refs_room(). */
struct plumb_indexes export_refs(const struct plumb_spec *spec, export_refs_of *refs_of,
				 uint16_t index, uint16_t *room);

/* Returns who defines an event: "common", "implementation-defined" or "supplemental". */
const char *export_event_kind(const struct plumb_event *event);

/* Returns where an event can be seen, such as "PMU ETE". */
const char *export_event_accesses(const struct plumb_event *event);

#endif
