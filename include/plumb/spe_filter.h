/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters SPE records, by the criteria that the unit itself supports (operation types, events that
 * happened or did not, a minimum latency), and by others. No function here allocates memory except
 * for findings; any thread may call them.
 */
#ifndef PLUMB_SPE_FILTER_H
#define PLUMB_SPE_FILTER_H

#include <plumb/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From `first` to `last`, inclusive. */
struct plumb_spe_range {
	uint64_t first, last;
};

/* The maximum number of ranges of one kind in a filter. */
#define PLUMB_SPE_RANGES_MAX 16

struct plumb_spe_ranges {
	uint32_t count; /* 0: any value matches */
	struct plumb_spe_range at[PLUMB_SPE_RANGES_MAX];
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
	struct plumb_spe_ranges counters[3];  /* cycles, by enum plumb_spe_counter */
	struct plumb_spe_ranges addresses[5]; /* by enum plumb_spe_address, as perf shows them */
	struct plumb_spe_ranges sources;      /* data source numbers */
	struct plumb_spe_ranges time;         /* ns */
	struct plumb_spe_ranges cpus, pids, tids;
};

/*
 * Parses a filter: terms separated by commas, all of which must match.
 *
 *	load store branch other          operation types; one of those given must match
 *	simd float atomic conditional    properties of the operation; all given must match
 *	l1d-miss, retired, ...           the event happened; perf's and Arm's names
 *	!l1d-miss                        the event did not happen
 *	event=l1d-miss+0x20              all of these happened; names and bit masks
 *	event!=retired                   none of these happened
 *	latency>=100                     cycles; also <=, >, <, =, and =100-200;
 *	                                 issue-latency, translation-latency likewise
 *	pc=0x4000-0x4fff+0x8000          addresses; address, physical, target likewise
 *	el=0  user  kernel               exception levels
 *	source=0xb  source=L2+DRAM       data sources, by number or by the names of `midr`'s core
 *	time=1.5-2.25                    seconds; either end may be left out
 *	cpu=0-3+8  pid=10  tid=11
 *
 * Case is ignored. `midr` is 0 if the core is unknown. Returns 0, or an error with a finding that
 * names the term and its column: PLUMB_ERR_SYNTAX, PLUMB_ERR_NOT_FOUND (an unknown name; the hint
 * has the most similar one), PLUMB_ERR_INVALID (a number out of range), or PLUMB_ERR_LIMIT (more
 * than PLUMB_SPE_RANGES_MAX ranges). After an error *filter is undefined.
 */
PLUMB_API int plumb_spe_filter_parse(const char *text, uint32_t midr,
				     struct plumb_spe_filter *filter,
				     struct plumb_diagnostics *found);

#ifdef __cplusplus
}
#endif

#endif
