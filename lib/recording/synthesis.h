/* SPDX-License-Identifier: Apache-2.0 */
/* Samples made of SPE records: the events of perf's groups, and a record like any other sample. */
#ifndef RECORDING_SYNTHESIS_H
#define RECORDING_SYNTHESIS_H

#include <plumb/recording.h>
#include <plumb/spe_groups.h>

struct synthesis {
	uint32_t groups;         /* that are made */
	uint64_t period;         /* one of so many records is made samples of */
	unsigned branch_entries; /* that a sample may have at most */
	enum plumb_perf_version version;
	bool timeless;
	bool made; /* the events below are */
	struct plumb_recorded_event events[PLUMB_SPE_GROUPS];
	uint64_t ids[PLUMB_SPE_GROUPS];
};

/* What is known of where a record came from. */
struct synthesis_origin {
	uint64_t place; /* in the file */
	uint64_t time;  /* ns */
	bool has_time;
	int32_t pid, tid, cpu;
	struct plumb_spe_core core;
};

/* What a record knows of branches: the one that it is, and the one before. */
#define SYNTHESIS_BRANCH_ENTRIES 2
struct synthesized {
	struct plumb_record record;
	struct plumb_branch_entry branches[SYNTHESIS_BRANCH_ENTRIES];
};

/* Makes the groups' events after that of SPE. */
void synthesis_make_events(struct synthesis *synthesis, const struct plumb_recorded_event *spe);

/* The groups that a record becomes samples of; `since` counts its ring's, from one to the next. */
uint32_t synthesis_choose(const struct synthesis *synthesis, const struct plumb_spe_record *record,
			  uint64_t *since);

/* The sample that a record is in a group. */
void synthesis_sample(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		      const struct synthesis_origin *origin, unsigned group,
		      struct synthesized *sample);

#endif
