/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts a specification for other tools.
 *
 *     mrs        Arm's machine-readable specification: JSON, schema v1.0. Plumb reads it back
 *                without loss.
 *     perf-json  files for Linux's tools/perf/pmu-events, so that perf knows the events and metrics
 *                by name: a folder with one file per topic.
 *     markdown   a reference manual of the CPU.
 *     csv        RFC 4180: a table of events and one of metrics.
 *
 * Any specification can be written, built in or read from a file. All text is UTF-8. These
 * functions keep no state: any thread may call them, each with its own stream.
 */
#ifndef PLUMB_EXPORT_H
#define PLUMB_EXPORT_H

#include <stdio.h>

#include <plumb/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Static storage; may grow. */
struct plumb_export_format {
	const char *name;  /* "perf-json" */
	const char *title; /* a one-line description */
};

/* Returns the i-th format, in the order above; NULL past the end. */
PLUMB_API const struct plumb_export_format *plumb_export_format(size_t i);

/* Enough for the name of any part and its NUL. */
#define PLUMB_EXPORT_PART_MAX 256

/*
 * A format consists of parts. Each part is meant to become a file, and its name is the file's name:
 * "metrics.csv", "arm/neoverse-n3-r0p0/l1d_cache.json". Names use only the characters [a-z0-9_./-],
 * with '/' between folders, whatever the specification contains. They are distinct, never absolute,
 * and never contain "..". perf's are relative to tools/perf/pmu-events/arch/arm64 in the kernel's
 * source.
 *
 * Sets `name` to the name of the i-th part. Returns 0, NOT_FOUND (no such part or format) or
 * NO_MEMORY.
 */
PLUMB_API int plumb_export_part(const struct plumb_spec *spec, const char *format, size_t i,
				char name[PLUMB_EXPORT_PART_MAX]);

/*
 * Writes `part` of `spec` to `out`, and flushes but does not close it. `part` is the name of a
 * part, with or without folders and extension ("metrics"). NULL writes the format's main stream:
 * all events and metrics for perf-json, the events for csv, everything for the others.
 *
 * perf-json leaves out what perf cannot express. The main stream and "metrics" add a warning to
 * `diagnostics` (may be NULL) for each:
 *     export-formula   a metric's formula cannot be expressed
 *     export-name      the name of an event or a metric cannot be expressed
 * Events that only the trace unit sees are left out without a warning.
 *
 * Returns 0, NOT_FOUND (no such format or part), IO (the stream failed) or NO_MEMORY. After an
 * error, part of the output may have been written.
 */
PLUMB_API int plumb_export(const struct plumb_spec *spec, const char *format, const char *part,
			   FILE *out, struct plumb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
