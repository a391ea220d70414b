/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Core files: JSON with the figures in which a core differs from one that the model has. The format
 * is that of the cores' own data (model/cores/generate.py):
 *
 *	{"name": "my-core", "like": "neoverse-n3", "sources": {"measured": "..."},
 *	 "core": {"l2": {"latency": {"value": 9, "source": "measured", "interval": [9, 9]}}},
 *	 "queues": [{"name": "SX", "entries": {"value": 60, "source": "measured"}}],
 *	 "classes": {"INT_MUL": {"latency": 3, "source": "measured"}}}
 *
 * Only what the file has changes. "sources" and "interval" are for readers.
 */
#ifndef SOURCE_MODEL_CORE_FILE_H
#define SOURCE_MODEL_CORE_FILE_H

#include <plumb/error.h>

#include "change.h"

struct core_file {
	const struct core_params *base; /* the core that it is like */
	struct core_change changes[CORE_CHANGES_MAX];
	unsigned change_count;
};

/*
 * Reads a core file. Returns 0; or, with findings, IO, LIMIT, SYNTAX, INVALID (a figure that the
 * model does not have, or cannot have) or NOT_FOUND (the core that it is like); or NO_MEMORY.
 */
int core_file_read(const char *path, struct core_file *file, struct plumb_diagnostics *diagnostics);

#endif
