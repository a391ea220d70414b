/* SPDX-License-Identifier: Apache-2.0 */
/* Internal lookups of names that are not NUL-terminated, such as those in a formula. */
#ifndef SPEC_LOOKUP_H
#define SPEC_LOOKUP_H

#include <plumb/spec.h>

/* Like plumb_spec_event() and plumb_spec_metric(). `name` has no NUL in its `length` bytes. */
uint16_t spec_event_bytes(const struct plumb_spec *spec, const char *name, size_t length);
uint16_t spec_metric_bytes(const struct plumb_spec *spec, const char *name, size_t length);

#endif
