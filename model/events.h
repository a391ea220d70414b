/* SPDX-License-Identifier: Apache-2.0 */
/* The PMU events that the model counts: events.def lists them as EVENT(NAME, code). */
#ifndef MODEL_EVENTS_H
#define MODEL_EVENTS_H

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

#endif
