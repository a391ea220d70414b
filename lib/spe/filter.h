/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter consists of, and whether a record matches it. */
#ifndef SPE_FILTER_H
#define SPE_FILTER_H

#include <plumb/spe_filter.h>

/* From `first` to `last`, inclusive. */
struct spe_range {
	uint64_t first, last;
};

/* The maximum number of ranges of one kind in a filter. */
#define SPE_RANGES_MAX 16

struct spe_ranges {
	uint32_t count; /* 0: any value matches */
	struct spe_range at[SPE_RANGES_MAX];
};

/*
 * A record matches if it fulfils all conditions. A zeroed filter matches every record. A condition
 * never matches a record that lacks the value.
 */
struct plumb_spe_filter {
	uint32_t kinds;      /* one of these: bits 1u << enum plumb_spe_kind; 0: any */
	uint16_t flags;      /* all of these: enum plumb_spe_operation_flag */
	uint8_t levels;      /* one of these: bits 1u << exception level of the PC; 0: any */
	uint64_t all_events; /* all of these happened */
	uint64_t no_events;  /* none of these happened */
	struct spe_ranges counters[3];  /* cycles, by enum plumb_spe_counter */
	struct spe_ranges addresses[5]; /* by enum plumb_spe_address, as perf shows them */
	struct spe_ranges sources;      /* data source numbers */
	struct spe_ranges time;         /* ns */
	struct spe_ranges cpus, pids, tids;
};

/* Where and when a record was made, which the record itself does not tell. */
struct spe_origin {
	int32_t pid, tid, cpu; /* -1: unknown */
	bool has_time;
	uint64_t time; /* ns */
};

/* Which operations a filter accepts: bit payload % 64 of accepted[class][payload / 64]. */
struct spe_operations {
	bool alone; /* the filter has no other condition */
	uint64_t accepted[4][4];
};

/* Lists the operations that a filter accepts, so that records need not be looked at closely. */
void spe_operations_list(struct spe_operations *operations, const struct plumb_spe_filter *filter);

static inline bool spe_operation_is_accepted(const struct spe_operations *operations,
					     const struct plumb_spe_record *record)
{
	const unsigned payload = record->operation;

	return record->has & PLUMB_SPE_HAS_OPERATION &&
	       operations->accepted[record->op_class & 3][payload / 64] >> payload % 64 & 1;
}

/* Returns true if the record matches. `origin` may be NULL if nothing is known. */
bool spe_filter_matches(const struct plumb_spe_filter *filter,
			const struct plumb_spe_record *record, const struct spe_origin *origin);

/*
 * Parses data sources as the term source= does, "L2+DRAM", into a word with a bit for each: bits 0
 * to 63. Returns 0, or an error with a finding: see plumb_spe_filter_parse(), and INVALID for a
 * number beyond 63, for which the unit's filter has no bit.
 */
int spe_filter_sources(const char *text, uint32_t midr, uint64_t *sources,
		       struct plumb_diagnostics *diagnostics);

/* Parses as spe_filter_parse() does. After an error *filter is undefined. */
int spe_filter_parse(const char *text, uint32_t midr, struct plumb_spe_filter *filter,
		     struct plumb_diagnostics *diagnostics);

#endif
