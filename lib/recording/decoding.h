/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How to decode a recording's AUX data: the caller's wishes, and the recording's SPE event, clock
 * and cores.
 */
#ifndef RECORDING_DECODING_H
#define RECORDING_DECODING_H

#include <plumb/samples.h>

#include "recording/synthesis.h"
#include "spe/data_source_perf.h"
#include "spe/filter.h"

struct decoding {
	struct plumb_recording *recording;
	struct plumb_diagnostics *diagnostics;
	struct plumb_spe_filter filter;
	struct spe_operations operations; /* that it accepts */
	bool has_filter, each_record_once;
	bool operations_left;     /* the caller checks the filter's conditions on operations ... */
	uint32_t operations_type; /* ... of samples of this PMU's events */
	struct synthesis synthesis;
	uint32_t midr; /* requested; 0: use the recording's */

	bool decided; /* the following members are set */
	bool is_spe;  /* the AUX data is SPE's */
	bool has_clock;
	struct plumb_time_conv clock;
};

void decoding_begin(struct decoding *decoding, struct plumb_recording *recording,
		    const struct plumb_samples_options *options,
		    struct plumb_diagnostics *diagnostics);

/* Takes in what the recording says. Call it at the first AUX data. */
void decoding_decide(struct decoding *decoding);

/* Returns what is known about the core of a CPU; -1: of an unknown CPU. */
struct spe_core decoding_core(const struct decoding *decoding, int32_t cpu);
/* Converts perf's time to ticks of SPE's clock; 0 if that is impossible. */
uint64_t decoding_ticks(const struct decoding *decoding, uint64_t time);
/* Tells whether the filter accepts a PMU sample. */
bool decoding_takes_sample(const struct decoding *decoding, const struct plumb_record *record);

#endif
