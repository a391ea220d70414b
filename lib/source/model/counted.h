/* SPDX-License-Identifier: Apache-2.0 */
/* Which events the model has. */
#ifndef SOURCE_MODEL_COUNTED_H
#define SOURCE_MODEL_COUNTED_H

#include <plumb/event.h>

/* The name of the model's PMU in recordings, and the one that users may write before a '/'. */
#define MODEL_PMU "armv8_pmuv3_0"
#define MODEL_SPE "arm_spe_0"

/* Returns whether the model counts the PMU event with this code. */
bool model_counts_event(uint16_t code);

/*
 * Returns which of the model's counts an event is; EVENT_COUNT: none. Its clocks count nanoseconds
 * of its own time, in which a thread runs from its beginning to its end.
 */
size_t model_index_of(const struct plumb_event_config *event);

/* Returns the specification of a core of the model; NULL: there is no core with this name. */
const struct plumb_spec *model_spec(const char *core);

/*
 * Checks whether the model can count or sample the event. Returns 0, or NOT_FOUND or UNSUPPORTED
 * with a finding; `spec` is the core's.
 */
int model_check_event(const struct plumb_spec *spec, const struct plumb_event_config *event,
		      struct plumb_diagnostics *diagnostics);

#endif
