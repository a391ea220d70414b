/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

const uint16_t model_event_codes[EVENT_COUNT] = {
#define EVENT(name, code) [EVENT_##name] = (code),
#include "events.def"
#undef EVENT
};

const char *const model_event_names[EVENT_COUNT] = {
#define EVENT(name, code) [EVENT_##name] = #name,
#include "events.def"
#undef EVENT
};
