/* SPDX-License-Identifier: Apache-2.0 */
/* Synthesizes samples from SPE records: the events of perf's groups, and a record like any other
 * sample. */
#ifndef RECORDING_SYNTHESIS_H
#define RECORDING_SYNTHESIS_H

#include <plumb/recording.h>
#include <plumb/spe_groups.h>

#include "spe/data_source_perf.h"
#include "spe/groups.h"

struct synthesis {
	uint32_t groups;         /* to make */
	uint64_t period;         /* make samples of one record in this many */
	unsigned branch_entries; /* maximum number per sample */
	enum plumb_perf_version version;
	struct spe_group_tables tables; /* of that version */
	bool timeless;
	bool made; /* the events below are set */
	struct plumb_recorded_event events[PLUMB_SPE_GROUPS];
	uint64_t ids[PLUMB_SPE_GROUPS];
};

/* What is known about the origin of a record. */
struct synthesis_origin {
	uint64_t place; /* offset in the file */
	uint64_t time;  /* ns */
	bool has_time;
	int32_t pid, tid, cpu;
	const struct spe_core *core;
};

/* The branches that a record tells: itself, and the one before it. */
#define SYNTHESIS_BRANCH_ENTRIES 2
struct synthesized {
	struct plumb_record record;
	struct plumb_branch_entry branches[SYNTHESIS_BRANCH_ENTRIES];

	/* What the samples of some groups have. */
	uint64_t data_address, target, physical_address, data_source;
	uint32_t trace_flags;
};

/* Makes the groups' events from that of SPE. */
void synthesis_make_events(struct synthesis *synthesis, const struct plumb_recorded_event *spe);

/* Returns the groups to make samples of for a record. `since` counts the ring's records since the
 * last one. */
uint32_t synthesis_choose(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			  uint64_t *since);

/* Returns the address of a record's code, and sets its mode. */
uint64_t synthesis_code(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			enum plumb_cpu_mode *mode);
/*
 * Makes a sample that only knows where and when the record was taken, and its latency. `sample` is
 * zeroed, or was made from another record by the functions below.
 */
void synthesis_place(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		     const struct synthesis_origin *origin, struct plumb_record *sample);
/* Makes what the samples of a record have in common. */
void synthesis_common(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		      const struct synthesis_origin *origin, struct synthesized *sample);
/* Returns those of `groups` whose samples have the same period as that of `group`. */
uint32_t synthesis_alike(const struct synthesis *synthesis, unsigned group, uint32_t groups);
/* Makes it the sample of that record in a group. */
void synthesis_sample(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		      unsigned group, struct synthesized *sample);

#endif
