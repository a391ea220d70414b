/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: turns a recording's records and AUX data into one stream.
 *
 * The stream gives everything in the recording: samples of PMU events, records about processes
 * (MMAP, COMM, FORK, EXIT, ...), and samples made from SPE records. Printing, counting, profiles
 * and exports all read this stream, so they all see the same samples. There are two ways to read
 * it, which cannot be mixed:
 *
 * - One sample at a time, as `perf script` prints them. A sample made from an SPE record looks like
 *   any other: a struct plumb_record of type PLUMB_RECORD_SAMPLE whose event is one of the groups
 *   that perf synthesizes ("l1d-miss", "memory"). The SPE record comes with it.
 *
 *	plumb_samples_begin(recording, &options, &samples, diagnostics);
 *	while ((status = plumb_samples_next(samples, &item)) > 0)
 *		if (item->record->type == PLUMB_RECORD_SAMPLE) ...
 *	plumb_losses_report(plumb_samples_totals(samples)->lost, name, diagnostics);
 *	plumb_samples_end(samples);
 *
 * - In batches of SPE records, which is several times faster for adding up records.
 *
 * The order is a choice, see enum plumb_samples_order. Memory does not grow with the recording: AUX
 * data is read in pieces, and only threads are remembered. One thread at a time may use a stream.
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

enum plumb_samples_order {
	/* By time across all CPUs, as `perf script` prints them. */
	PLUMB_ORDER_TIME,
	/*
	 * For adding up samples by thread, function or address: each sample comes at its place
	 * among the records about threads and address spaces, and after the earlier samples of its
	 * ring. Gives longer batches than PLUMB_ORDER_TIME.
	 */
	PLUMB_ORDER_TASKS,
	/*
	 * As in the file: each ring's data in its place. Threads of SPE records are then known only
	 * from context packets or rings. Gives the longest batches.
	 */
	PLUMB_ORDER_FILE,
};

struct plumb_samples_options {
	size_t size; /* sizeof(struct plumb_samples_options) */
	/*
	 * The groups to make from SPE records; NULL: perf's default. Copied.
	 */
	const struct plumb_itrace *itrace;
	/*
	 * Gives each SPE record once, however many groups it is in. item->groups lists all its
	 * groups, or those of `itrace` if given. Its event is "instructions" and its period 1.
	 */
	bool each_record_once;
	enum plumb_samples_order order;
	/*
	 * Gives only the SPE records and the samples of PMU events that match; NULL: all. For PMU
	 * events, cpu, tid, time, level and code addresses are compared; they never match a filter
	 * with conditions on SPE's own data. Other records always come. Copied.
	 */
	const struct plumb_spe_filter *filter;
	/*
	 * The version of perf whose samples are made; see doc/samples.md. All but NEWEST include
	 * that version's errors, so that output can be compared: in timeless recordings each ring's
	 * "instructions" begin with an empty sample at address 0; a context switch without CPU_WIDE
	 * is taken to name the thread that is switched in; ITRACE_START does not tell the thread of
	 * a CPU without context switches; a hypervisor's low addresses are the kernel's; a record
	 * without a timestamp has a time; the address alone tells kernel code from user code; up to
	 * 6.12, the cores that AUXTRACE_INFO describes are unknown; in 6.1, SVE operations are
	 * loads; in 7.3, a record without a data source has data source 0, and calls and returns
	 * are operations on data.
	 */
	enum plumb_perf_version like_perf;
	/* The cores' MIDR for data sources; 0: use the recording's (AUXTRACE_INFO or CPUID). */
	uint32_t midr;
};

/* One item of the stream, which made and owns it; valid until the next call. May grow. */
struct plumb_samples_item {
	/*
	 * From the recording, or synthesized from an SPE record as perf does: .type SAMPLE, .event
	 * the group's (its .attr.sample_type says which members are set), .misc the mode, .time in
	 * ns (without PLUMB_RECORD_HAS_TIME in a timeless recording), .pid, .tid and .cpu (-1 or
	 * UINT32_MAX if unknown), .id; .sample.ip the PC, .address the data's virtual address or
	 * the branch target, .physical_address, .period, .weight the total latency in cycles,
	 * .data_source in perf's encoding (union perf_mem_data_src). .offset is the place of
	 * the SPE record in the file. A sample with the counts of its group (PLUMB_SAMPLE_READ with
	 * PLUMB_FORMAT_ID) comes once for each event whose count has grown, with that event as
	 * .event and the growth as .period, as in perf.
	 */
	const struct plumb_record *record;
	/* The thread of a sample; its comm is ":TID" if unknown. NULL for other records. */
	const struct plumb_task *task;
	/* The SPE record that the sample was made from, or NULL. .offset is in its ring. */
	const struct plumb_spe_record *spe;
	unsigned group;  /* enum plumb_spe_group, for an SPE record */
	uint32_t groups; /* all groups of the SPE record: PLUMB_SPE_GROUP_BIT()s */
	uint32_t ring;   /* index of the AUX ring that it came from */
	uint32_t midr;   /* of the core that made the SPE record; 0: unknown */
};

/*
 * Begins a stream over a recording of which no record has been read. From then on only the stream
 * may call plumb_recording_next(). `options` may be NULL. Findings go to `diagnostics` (may be
 * NULL), which must live as long as the stream. Returns 0, NO_MEMORY, or ARGUMENT if `options` has
 * no size or sets members that this version lacks.
 */
PLUMB_API int plumb_samples_begin(struct plumb_recording *recording,
				  const struct plumb_samples_options *options,
				  struct plumb_samples **samples,
				  struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_samples_end(struct plumb_samples *samples); /* accepts NULL */

/*
 * Returns the next item: 1, 0 at the end, or a negative error with a finding. Damage in the middle
 * of a recording does not stop the stream: everything that can be read comes first, and the error
 * replaces the 0 at the end. Only NO_MEMORY and LIMIT (more than 65536 rings) end the stream at
 * once.
 */
PLUMB_API int plumb_samples_next(struct plumb_samples *samples,
				 const struct plumb_samples_item **item);

/*
 * Returns the groups whose samples would come next and be the same as the last item, except for the
 * members of the record that tell its event, addresses, data source and branches: those groups of
 * its SPE record that are left, as PLUMB_SPE_GROUP_BIT()s. The stream does not give their samples
 * any more. Returns 0 if there are none.
 */
PLUMB_API uint32_t plumb_samples_take_alike(struct plumb_samples *samples);

/* A run of SPE records of one ring and one thread, or a record of the file. Made by the library;
 * may grow. */
struct plumb_samples_batch {
	const struct plumb_record *record; /* NULL: SPE records */
	const struct plumb_task *task;     /* as in an item; NULL: unknown */

	const struct plumb_spe_record *spe; /* those that match the filter, at least one */
	const uint32_t *groups;             /* of each record, limited by `itrace` */
	size_t count;
	int32_t pid, tid, cpu; /* -1: unknown */
	uint32_t ring, midr;
};
/* Returns the next batch, as plumb_samples_next() returns items. */
PLUMB_API int plumb_samples_next_batch(struct plumb_samples *samples,
				       const struct plumb_samples_batch **batch);

/*
 * Advances to the next record of the file and sets `*record` to it, as in a batch; the SPE records
 * before it are only counted, in the stream's totals. Up to `threads` threads (0: one for each CPU
 * that the process may use) count rings in parallel where the order is PLUMB_ORDER_TASKS. Records
 * about context switches may be left out. Returns what plumb_samples_next() returns.
 */
PLUMB_API int plumb_samples_next_record(struct plumb_samples *samples, unsigned threads,
					const struct plumb_record **record);

/* Sets the time of a record of the last batch, in ns. Returns false if it is unknown. */
PLUMB_API bool plumb_samples_time(const struct plumb_samples *samples,
				  const struct plumb_spe_record *record, uint64_t *time);

/* Returns the thread `tid` of process `pid` (-1: unknown) at this point, or NULL if out of memory.
 */
PLUMB_API const struct plumb_task *plumb_samples_task(struct plumb_samples *samples, int32_t pid,
						      int32_t tid);

/*
 * Returns the event of a group, as perf synthesizes it: its attribute, its name and one id (the SPE
 * event's plus 1000000000 or more). NULL if the options leave the group out, or before the first
 * AUX data.
 */
PLUMB_API const struct plumb_recorded_event *
plumb_samples_group_event(const struct plumb_samples *samples, unsigned group);

/* What the stream has given so far. The numbers do not depend on the order. Made by the library;
 * may grow. */
struct plumb_samples_totals {
	uint64_t bytes;                            /* of AUX data read */
	uint64_t records;                          /* SPE records in it */
	uint64_t matched;                          /* ... that matched the filter */
	const struct plumb_recording_losses *lost; /* of the recording, including AUX data */
	uint64_t groups[PLUMB_SPE_GROUPS];         /* samples of each group */
};
/* Returns the totals, which are valid until the next call of a function of the stream. */
PLUMB_API const struct plumb_samples_totals *plumb_samples_totals(struct plumb_samples *samples);

#ifdef __cplusplus
}
#endif

#endif
