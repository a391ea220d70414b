/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes SPE records as the three tables of Arm's spe-parser (0.5): PREFIX-ldst.csv, PREFIX-br.csv
 * and PREFIX-other.csv. plumb-export(1) lists the columns. Tables without rows are not written.
 */
#ifndef RENDER_SPE_CSV_H
#define RENDER_SPE_CSV_H

#include <plumb/spe.h>

#include "render/buffer.h"

enum spe_table { SPE_TABLE_ACCESSES, SPE_TABLE_BRANCHES, SPE_TABLE_OTHERS, SPE_TABLES };

struct spe_csv {
	const char *prefix;
	struct spe_csv_file {
		struct output out; /* no stream if there are no rows */
		struct buffer text;
		char *path;
		uint64_t rows;
	} files[SPE_TABLES];
	bool failed; /* an error has been printed */
};

/* Adds a row. `cpu` is the recording's number; `midr` is 0 if unknown. Returns false if it cannot
 * be written. */
bool spe_csv_add(struct spe_csv *csv, const struct plumb_spe_record *record, uint32_t cpu,
		 uint32_t midr);

/* Ends all files, or removes them after a failure. Returns false after a failure. */
bool spe_csv_close(struct spe_csv *csv);

const char *spe_csv_table_name(enum spe_table table); /* "ldst" */

#endif
