/* SPDX-License-Identifier: Apache-2.0 */
/* The PMU events that the model counts: events.def lists them as EVENT(NAME, code). */
#ifndef MODEL_EVENTS_H
#define MODEL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

enum model_event {
#define EVENT(name, code) EVENT_##name,
#include "events.def"
#undef EVENT
	EVENT_COUNT
};

/* A model event's PMU code and name. */
extern const uint16_t model_event_codes[EVENT_COUNT];
extern const char *const model_event_names[EVENT_COUNT];

/* Returns whether an event takes reading predicates, which not every QEMU lets plugins do. */
static inline bool model_event_of_predicates(enum model_event event)
{
	return event == EVENT_SVE_PRED_EMPTY_SPEC || event == EVENT_SVE_PRED_FULL_SPEC ||
	       event == EVENT_SVE_PRED_PARTIAL_SPEC;
}

#endif
