/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups into which perf sorts SPE records when it synthesizes samples, and the --itrace string
 * that selects groups. A record may be in several groups, or in none. A parsed string never
 * changes: any number of threads may use it.
 */
#ifndef PLUMB_SPE_GROUPS_H
#define PLUMB_SPE_GROUPS_H

#include <plumb/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of a record's samples. */
enum plumb_spe_group {
	PLUMB_SPE_GROUP_L1D_MISS,
	PLUMB_SPE_GROUP_L1D_ACCESS,
	PLUMB_SPE_GROUP_L2D_MISS,   /* perf has no such group: no samples are made of it */
	PLUMB_SPE_GROUP_L2D_ACCESS, /* likewise */
	PLUMB_SPE_GROUP_LLC_MISS,
	PLUMB_SPE_GROUP_LLC_ACCESS,
	PLUMB_SPE_GROUP_TLB_MISS,
	PLUMB_SPE_GROUP_TLB_ACCESS,
	PLUMB_SPE_GROUP_BRANCH,      /* every branch */
	PLUMB_SPE_GROUP_BRANCH_MISS, /* mispredicted branches; perf up to 6.12 has only these */
	PLUMB_SPE_GROUP_REMOTE_ACCESS,
	PLUMB_SPE_GROUP_MEMORY,
	PLUMB_SPE_GROUP_INSTRUCTIONS, /* every record */
	PLUMB_SPE_GROUPS
};
#define PLUMB_SPE_GROUP_BIT(group) (1u << (group))

/* Returns the name of a group, such as "l1d-miss", or NULL for other numbers. */
PLUMB_API const char *plumb_spe_group_name(unsigned group);

/* ---- --itrace ---------------------------------------------------------------------------------
 */

/* A parsed --itrace string, with everything that perf knows; only part of it applies to SPE. */
struct plumb_itrace;

/*
 * Parses an --itrace string as perf does: letters in any order, each with its number, unit or
 * flags; "i1i" is every record. An empty string selects nothing. Free with plumb_itrace_free(),
 * which accepts NULL. Returns 0, PLUMB_ERR_NO_MEMORY, or PLUMB_ERR_SYNTAX or PLUMB_ERR_INVALID (a
 * number out of range, or a period that is not in instructions, which perf up to 6.12 ignores) with
 * a finding that names the letter and its column; then *itrace is NULL.
 */
PLUMB_API int plumb_itrace_parse(const char *text, enum plumb_perf_version version,
				 struct plumb_itrace **itrace,
				 struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_itrace_free(struct plumb_itrace *itrace);

/* Adds a warning for each letter that does not apply to SPE. */
PLUMB_API void plumb_itrace_report(const struct plumb_itrace *itrace,
				   enum plumb_perf_version version,
				   struct plumb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
