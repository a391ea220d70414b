/* SPDX-License-Identifier: Apache-2.0 */
#include "exact_events.h"

#include "events.h"

const char *const exact_names[EXACT_COUNT] = {
#define EXACT_EVENT(name)       [EXACT_##name] = #name,
#define EXACT_SLOTS(name, text) [EXACT_SLOTS_##name] = (text),
#include "exact.def"
#undef EXACT_EVENT
#undef EXACT_SLOTS
};

const uint16_t exact_events[EXACT_COUNT] = {
#define EXACT_EVENT(name)       [EXACT_##name] = EVENT_##name,
#define EXACT_SLOTS(name, text) [EXACT_SLOTS_##name] = EVENT_COUNT,
#include "exact.def"
#undef EXACT_EVENT
#undef EXACT_SLOTS
};
