/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters SPE records, by the criteria that the unit itself supports (operation types, events that
 * happened or did not, a minimum latency), and by others. A parsed filter never changes: any number
 * of threads may use it.
 */
#ifndef PLUMB_SPE_FILTER_H
#define PLUMB_SPE_FILTER_H

#include <plumb/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parsed filter. A record matches if it meets all conditions. A condition never matches a record
 * that lacks the value. */
struct plumb_spe_filter;

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
 * Case is ignored; an empty text matches every record. `midr` is 0 if the core is unknown. Free
 * with plumb_spe_filter_free(), which accepts NULL. Returns 0, NO_MEMORY, or an error with a
 *finding that names the term and its column: SYNTAX, NOT_FOUND (an unknown name; the hint has the
 *most similar one), INVALID (a number out of range), or LIMIT (more than 16 ranges in a term).
 *After an error *filter is NULL.
 */
PLUMB_API int plumb_spe_filter_parse(const char *text, uint32_t midr,
				     struct plumb_spe_filter **filter,
				     struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_spe_filter_free(struct plumb_spe_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
