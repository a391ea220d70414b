/* SPDX-License-Identifier: Apache-2.0 */
/* Which events the model has. */
#ifndef SOURCE_MODEL_COUNTED_H
#define SOURCE_MODEL_COUNTED_H

#include <plumb/event.h>

/* The name that the model's PMU has in recordings, and the one that may stand before a '/'. */
#define MODEL_PMU "armv8_pmuv3_0"
#define MODEL_SPE "arm_spe_0"

/* Whether the model counts the PMU event with this code. */
bool model_counts_event(uint16_t code);

/*
 * Which of the model's counts an event is; EVENT_COUNT: none. Its clocks count nanoseconds of its
 * own time, in which a thread runs whenever it is there.
 */
size_t model_index_of(const struct plumb_event_config *event);

/* The specification of one of the model's cores; NULL: it has no core of that name. */
const struct plumb_spec *model_spec(const char *core);

/*
 * Whether the model can count or sample it. Returns 0, NOT_FOUND or UNSUPPORTED with a finding;
 * `spec` is the core's.
 */
int model_check_event(const struct plumb_spec *spec, const struct plumb_event_config *event,
		      struct plumb_diagnostics *found);

#endif
