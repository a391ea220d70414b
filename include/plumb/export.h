/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a specification in the forms that others read.
 *
 *     mrs        Arm's machine-readable specification: JSON, schema v1.0. Reading it gives the
 *                same specification again.
 *     perf-json  what Linux's tools/perf/pmu-events takes: the events and metrics that perf then
 *                knows by name. A folder of files, one a topic.
 *     markdown   a reference of the CPU, to be read.
 *     csv        RFC 4180: a table of the events and one of the metrics.
 *
 * Any specification can be written, built in or read from a file. All text is UTF-8. These
 * functions keep no state: they may be called from any thread, each with its own stream.
 */
#ifndef PLUMB_EXPORT_H
#define PLUMB_EXPORT_H

#include <stdio.h>

#include <plumb/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_export_format {
	const char *name;  /* "perf-json" */
	const char *title; /* what it is, in one line */
};

/* The i-th format, in the order above; NULL past the end. */
PLUMB_API const struct plumb_export_format *plumb_export_format(size_t i);

/* Room for the longest name of a part, its NUL included. */
#define PLUMB_EXPORT_PART_MAX 256

/*
 * A format consists of parts, each of which is meant to become a file of its own: "metrics.csv",
 * "arm/neoverse-n3-r0p0/l1d_cache.json". The names are those of the files, '/' between folders,
 * of the characters [a-z0-9_./-] alone, whatever the specification holds; no two are alike and
 * none is absolute or contains "..". perf's are relative to tools/perf/pmu-events/arch/arm64 of
 * the kernel's source.
 *
 * Puts the name of the i-th part into `name`. Returns 0, NOT_FOUND (no such part or format) or
 * NO_MEMORY.
 */
PLUMB_API int plumb_export_part(const struct plumb_spec *spec, const char *format, size_t i,
				char name[PLUMB_EXPORT_PART_MAX]);

/*
 * Writes `part` of `spec` to `out`, which is flushed but not closed. `part` is a part's name; its
 * folders and its ending may be left out ("metrics"). With NULL the format's main stream is
 * written: all events and metrics for perf-json, the events for csv, everything for the others.
 *
 * What perf-json cannot say is left out with a warning in `found` (may be NULL), given with the
 * main stream and with "metrics":
 *     export-formula   perf's expressions cannot say a metric's formula
 *     export-name      perf cannot say the name of an event or a metric
 * Events that only the trace unit sees are left out of it without one.
 *
 * Returns 0 or NOT_FOUND (no such format or part), IO (the stream failed), NO_MEMORY; after an
 * error the stream may hold a beginning.
 */
PLUMB_API int plumb_export(const struct plumb_spec *spec, const char *format, const char *part,
			   FILE *out, struct plumb_diagnostics *found);

#ifdef __cplusplus
}
#endif

#endif
