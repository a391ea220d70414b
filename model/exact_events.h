/* SPDX-License-Identifier: Apache-2.0 */
/* What an exact profile counts for each instruction: exact.def. */
#ifndef MODEL_EXACT_EVENTS_H
#define MODEL_EXACT_EVENTS_H

#include <stdint.h>

enum exact_event {
#define EXACT_EVENT(name)       EXACT_##name,
#define EXACT_SLOTS(name, text) EXACT_SLOTS_##name,
#include "exact.def"
#undef EXACT_EVENT
#undef EXACT_SLOTS
	EXACT_COUNT
};

/* A count's name, and the model event that it is part of, or EVENT_COUNT. */
extern const char *const exact_names[EXACT_COUNT];
extern const uint16_t exact_events[EXACT_COUNT];

#endif
