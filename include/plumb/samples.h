/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: what a recording's records and AUX data become, one after another in order of time.
 *
 * A stream gives everything that stands in the recording in the order in which `perf script` sees
 * it: PMU samples, what tells of processes (MMAP, COMM, FORK, EXIT, ...), and samples made of SPE
 * records. The latter look like any other sample: a struct plumb_record of type
 * PLUMB_RECORD_SAMPLE whose event is one of the groups that perf synthesises ("l1d-miss",
 * "memory"), with the SPE record beside it.
 *
 *	plumb_samples_begin(recording, &options, &samples, found);
 *	while ((status = plumb_samples_next(samples, &item)) > 0)
 *		if (item.record->type == PLUMB_RECORD_SAMPLE) ...
 *	plumb_samples_totals(samples, &totals);
 *	plumb_samples_report(&totals, name, found);
 *	plumb_samples_end(samples);
 *
 * Not thread-safe: one thread at a time a stream. Memory does not grow with the recording's length:
 * AUX data is read in pieces. What it does keep is 12 bytes for each thread that is named.
 */
#ifndef PLUMB_SAMPLES_H
#define PLUMB_SAMPLES_H

#include <plumb/recording.h>
#include <plumb/spe.h>
#include <plumb/spe_filter.h>
#include <plumb/spe_groups.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_samples;

struct plumb_samples_options {
	/*
	 * Which groups are made of SPE records; NULL: perf's default, plumb_itrace_default().
	 * Copied.
	 */
	const struct plumb_itrace *itrace;
	/*
	 * Each SPE record once, whatever its groups (item.groups still has them): what counts and
	 * views by instruction want. Its event is "instructions", its period 1. `itrace` then says
	 * only what item.groups can hold.
	 */
	bool each_record_once;
	/*
	 * Only SPE records, and only samples of PMU events, that it matches (of the latter cpu,
	 * tid, time, level and addresses of code are looked at; samples never match a filter that
	 * asks for what only SPE says). Other records pass. NULL: all. Copied.
	 */
	const struct plumb_spe_filter *filter;
	/*
	 * Also what perf 6.1 gets wrong: of timeless recordings each ring's "instructions" begin
	 * with a sample of nothing at address 0; a context switch without CPU_WIDE names the thread
	 * that leaves as the one that comes; of a CPU no context switch was seen on yet,
	 * ITRACE_START does not tell the thread; SVE operations are loads; a hypervisor's low
	 * addresses are the kernel's; a record without a timestamp has a time; kernel and user code
	 * are told apart by the address alone.
	 */
	bool like_perf_6_1;
	/* The core's MIDR for data sources; 0: as the recording says (AUXTRACE_INFO or CPUID). */
	uint32_t midr;
};

/* One thing of the stream. Pointers hold until the next call of plumb_samples_next(). */
struct plumb_samples_item {
	/*
	 * As it stands in the recording, or, of an SPE record, made like perf makes it: .type
	 * SAMPLE, .event the group's (its .attr.sample_type says which members are there), .misc
	 * PERF_RECORD_MISC_KERNEL (1), _USER (2) or _HYPERVISOR (3), .time in ns (without
	 * PLUMB_RECORD_HAS_TIME of a timeless recording), .pid, .tid and .cpu (each -1, or
	 * UINT32_MAX, if not known), .id; .sample.ip the PC, .address the data virtual address, or
	 * the target of a branch-miss, .physical_address, .period, .weight the total latency in
	 * cycles, .data_source perf's encoding (plumb_spe_perf_data_source()). .offset is that of
	 * the AUX data's place in the file plus the SPE record's place in it. A sample that has the
	 * counts of its group (PERF_SAMPLE_READ with PERF_FORMAT_ID) comes as perf has it: once for
	 * each event whose count has grown, with that one as .event, and .period how far.
	 */
	const struct plumb_record *record;
	/* Of a sample made of an SPE record, else NULL. .offset is within the chunk's ring. */
	const struct plumb_spe_record *spe;
	unsigned group;  /* enum plumb_spe_group, of an SPE record */
	uint32_t groups; /* all of the SPE record's groups: bits 1u << enum plumb_spe_group */
	uint32_t ring;   /* index of the AUX ring it came from */
};

/*
 * Begins a stream over the recording's records, none of which may have been read yet;
 * plumb_recording_next() is the stream's from now on. `options` may be NULL. Returns 0 or
 * NO_MEMORY. Findings on the way go to `found` (may be NULL), which must live as long.
 */
PLUMB_API int plumb_samples_begin(struct plumb_recording *recording,
				  const struct plumb_samples_options *options,
				  struct plumb_samples **samples, struct plumb_diagnostics *found);
PLUMB_API void plumb_samples_end(struct plumb_samples *samples); /* takes NULL */

/*
 * The next item. Returns 1, 0 at the end, or a negative error, with a finding: one of
 * plumb_recording_next() or plumb_recording_read_aux(), NO_MEMORY, or LIMIT (more than 65536
 * rings). After a damaged record (INVALID) the call may be repeated: what AUX data there is still
 * comes.
 */
PLUMB_API int plumb_samples_next(struct plumb_samples *samples, struct plumb_samples_item *item);

/*
 * The event of a group, as perf synthesises it: its attribute, its name, one id (that of the SPE
 * event plus 1000000000 and on). NULL if the options leave it out or no SPE event has come yet.
 */
PLUMB_API const struct plumb_recorded_event *
plumb_samples_group_event(const struct plumb_samples *samples, unsigned group);

/* True if nothing tells when an SPE record was made: samples come ring by ring, at the end. */
PLUMB_API bool plumb_samples_timeless(const struct plumb_samples *samples);

/* What was made of the AUX data so far, and what was lost of it. */
struct plumb_samples_totals {
	uint64_t bytes;                    /* of AUX data read */
	uint64_t records;                  /* SPE records in it */
	uint64_t matched;                  /* ... that the filter let pass */
	uint64_t groups[PLUMB_SPE_GROUPS]; /* samples of each */
	uint64_t skipped;                  /* bytes that are no packets */
	uint64_t first_skipped; /* where the first of them is in the file; UINT64_MAX: none */
	uint64_t unfinished;    /* records cut off by the end of their ring's data */
	uint64_t collisions;    /* AUX records with the flag */
	uint64_t truncated, partial;
	uint64_t lost_records, lost_samples, throttled;
	bool cut_off; /* the file ends too early */
};
PLUMB_API void plumb_samples_totals(const struct plumb_samples *samples,
				    struct plumb_samples_totals *totals);

/*
 * Adds what limits every result of the recording as warnings with their hint: data that was lost,
 * AUX data truncated, collisions, throttling, bytes that are no packets with the place of the
 * first, records cut off. `name` is the recording's, for the findings' places.
 */
PLUMB_API void plumb_samples_report(const struct plumb_samples_totals *totals, const char *name,
				    struct plumb_diagnostics *found);

/* The same of what the recording's records so far have said, without a stream of samples. */
PLUMB_API void plumb_recording_report(const struct plumb_recording *recording, const char *name,
				      struct plumb_diagnostics *found);

/*
 * Decodes all AUX data on `threads` threads (0: one for each CPU) and only counts: the totals are
 * those that a stream with the same options comes to, whatever the number of threads, as long as
 * the filter does not ask for cpu, tid or time (ARGUMENT if it does). The recording's records are
 * read to their end. Memory is constant. Returns 0 or a negative error with a finding.
 */
PLUMB_API int plumb_samples_count(struct plumb_recording *recording,
				  const struct plumb_samples_options *options, unsigned threads,
				  struct plumb_samples_totals *totals,
				  struct plumb_diagnostics *found);

#ifdef __cplusplus
}
#endif

#endif
