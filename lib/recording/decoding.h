/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a recording's AUX data is to be decoded: what the caller wants, and what the recording says
 * of its SPE event, its clock and its cores.
 */
#ifndef RECORDING_DECODING_H
#define RECORDING_DECODING_H

#include <plumb/samples.h>

#include "recording/synthesis.h"

struct decoding {
	struct plumb_recording *recording;
	struct plumb_diagnostics *found;
	struct plumb_spe_filter filter;
	bool has_filter, each_record_once;
	struct synthesis synthesis;
	uint32_t midr; /* asked for; 0: as the recording says */

	bool decided; /* what follows is known */
	bool is_spe;  /* the AUX data is SPE's */
	bool has_clock;
	struct plumb_time_conv clock;
};

void decoding_begin(struct decoding *decoding, struct plumb_recording *recording,
		    const struct plumb_samples_options *options, struct plumb_diagnostics *found);

/* Takes in what the recording says; the first AUX data has come. */
void decoding_decide(struct decoding *decoding);

/* What is known of the core of a CPU; -1: of a CPU that is not known. */
struct plumb_spe_core decoding_core(const struct decoding *decoding, int32_t cpu);
/* Ticks of SPE's clock at a time of perf's; 0 if there is no telling. */
uint64_t decoding_ticks(const struct decoding *decoding, uint64_t time);
/* Whether the filter lets a PMU sample pass. */
bool decoding_takes_sample(const struct decoding *decoding, const struct plumb_record *record);

#endif
