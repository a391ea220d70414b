/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters on SPE records: what the unit's own filters can ask for (operation types, events that
 * happened or did not, a minimum latency), and what only an analyst asks for. No function here
 * allocates, but for findings; all may be called by any number of threads.
 */
#ifndef PLUMB_SPE_FILTER_H
#define PLUMB_SPE_FILTER_H

#include <plumb/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From the first to the last, both included. */
struct plumb_spe_range {
	uint64_t first, last;
};

/* The most ranges of one kind that a filter holds. */
#define PLUMB_SPE_RANGES_MAX 16

struct plumb_spe_ranges {
	uint32_t count; /* 0: any will do */
	struct plumb_spe_range at[PLUMB_SPE_RANGES_MAX];
};

/*
 * A record matches if it fulfils all of these. Zeroed: every record does. What a record does not
 * say never fulfils a condition on it.
 */
struct plumb_spe_filter {
	uint32_t kinds;      /* one of these: bits 1u << enum plumb_spe_kind; 0: any */
	uint16_t flags;      /* all of these: enum plumb_spe_operation_flag */
	uint8_t levels;      /* one of these: bits 1u << exception level of the PC; 0: any */
	uint64_t all_events; /* each of these happened */
	uint64_t no_events;  /* none of these did */
	struct plumb_spe_ranges counters[3];  /* cycles, by enum plumb_spe_counter */
	struct plumb_spe_ranges addresses[5]; /* by enum plumb_spe_address, as perf shows them */
	struct plumb_spe_ranges sources;      /* data source numbers */
	struct plumb_spe_ranges time;         /* ns */
	struct plumb_spe_ranges cpus, pids, tids;
};

/* What is known of a record's origin besides the record. */
struct plumb_spe_origin {
	int32_t pid, tid, cpu; /* -1: not known */
	bool has_time;
	uint64_t time; /* ns */
};

/* `origin` may be NULL: nothing is known. */
PLUMB_API bool plumb_spe_filter_matches(const struct plumb_spe_filter *filter,
					const struct plumb_spe_record *record,
					const struct plumb_spe_origin *origin);
/* True if it asks for pid, tid, cpu or time, which stand beside a record. */
PLUMB_API bool plumb_spe_filter_needs_origin(const struct plumb_spe_filter *filter);

/*
 * Parses a filter: terms with commas between, all of which must hold.
 *
 *	load store branch other          operation types; of several, one
 *	simd float atomic conditional    and that kind of operation; each
 *	l1d-miss, retired, ...           that event happened: perf's and Arm's names
 *	!l1d-miss                        it did not
 *	event=l1d-miss+0x20              each of these happened: names, bit masks
 *	event!=retired                   none of these
 *	latency>=100                     cycles; also <=, >, <, =, and =100-200;
 *	                                 issue-latency, translation-latency likewise
 *	pc=0x4000-0x4fff+0x8000          addresses; address, physical, target likewise
 *	el=0  user  kernel               exception levels
 *	source=0xb  source=L2+DRAM       data sources, by number or by the names of `midr`'s core
 *	time=1.5-2.25                    seconds; either end may be left out
 *	cpu=0-3+8  pid=10  tid=11
 *
 * Letters may be of either case. `midr` is 0 if the core is not known. Returns 0, or
 * PLUMB_ERR_SYNTAX, PLUMB_ERR_NOT_FOUND (a name; the hint is the nearest one there is),
 * PLUMB_ERR_INVALID (a number out of range), PLUMB_ERR_LIMIT (more than PLUMB_SPE_RANGES_MAX
 *ranges), with a finding that names the term and its column; then *filter is undefined.
 */
PLUMB_API int plumb_spe_filter_parse(const char *text, uint32_t midr,
				     struct plumb_spe_filter *filter,
				     struct plumb_diagnostics *found);

/*
 * The first term of the filter that no SPE unit can filter by, as a word for a message ("pc",
 * "source"), or NULL if the unit can do all of it: kinds LOAD, STORE and BRANCH, flags SIMD and FP,
 * events, a minimum of the total latency up to 4095. That minimum is stored in *min_latency (0:
 * none), which may be NULL.
 */
PLUMB_API const char *plumb_spe_filter_beyond_hardware(const struct plumb_spe_filter *filter,
						       uint16_t *min_latency);

/* The bit of an event's name, perf's ("L1D-REFILL") or a group's ("l1d-miss"), or NOT_FOUND. */
PLUMB_API int plumb_spe_event_by_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
