/* SPDX-License-Identifier: Apache-2.0 */
/* What an exact profile counts for each instruction: exact.def. */
#ifndef MODEL_EXACT_EVENTS_H
#define MODEL_EXACT_EVENTS_H

#include <stdint.h>

/* Calls of the deepest context; the kernel's limit of call chains is a little more. */
#define CONTEXT_DEPTH_MAX 120
#define CONTEXTS_MAX      (1u << 20)

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
