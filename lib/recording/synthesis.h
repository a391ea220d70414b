/* SPDX-License-Identifier: Apache-2.0 */
/* Samples made of SPE records: the events of perf's groups, and a record like any other sample. */
#ifndef RECORDING_SYNTHESIS_H
#define RECORDING_SYNTHESIS_H

#include <plumb/recording.h>
#include <plumb/spe_groups.h>

struct synthesis {
	uint32_t groups; /* that are made */
	uint64_t period; /* of "instructions" */
	bool timeless, like_perf_6_1;
	bool made;     /* the events below are */
	uint32_t midr; /* asked for; 0: as the recording says */
	struct plumb_recorded_event events[PLUMB_SPE_GROUPS];
	uint64_t ids[PLUMB_SPE_GROUPS];
};

/* What is known of where a record came from. */
struct synthesis_origin {
	uint64_t place; /* in the file */
	uint64_t time;  /* ns */
	bool has_time;
	int32_t pid, tid, cpu;
	uint32_t midr;
};

/* Makes the groups' events after that of SPE. */
void synthesis_make_events(struct synthesis *synthesis, const struct plumb_recorded_event *spe);

/* perf 6.1 takes SVE operations for loads: their bits are the same to it. */
static inline bool synthesis_passes_for_load(uint8_t op_class, uint8_t operation)
{
	return op_class == PLUMB_SPE_OTHER && (operation & 0x89) == 0x08;
}

/* The groups a record is in, whether they are made or not. */
uint32_t synthesis_groups(const struct synthesis *synthesis, const struct plumb_spe_record *record);

/* The sample that a record is in a group. */
void synthesis_sample(const struct synthesis *synthesis, const struct plumb_spe_record *record,
		      const struct synthesis_origin *origin, unsigned group,
		      struct plumb_record *sample);

#endif
