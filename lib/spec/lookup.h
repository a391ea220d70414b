/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups within the library, of names that are not NUL-terminated: part of a formula, say. */
#ifndef SPEC_LOOKUP_H
#define SPEC_LOOKUP_H

#include <plumb/spec.h>

/* As plumb_spec_event() and plumb_spec_metric(); no NUL among the `length` bytes of `name`. */
uint16_t spec_event_bytes(const struct plumb_spec *spec, const char *name, size_t length);
uint16_t spec_metric_bytes(const struct plumb_spec *spec, const char *name, size_t length);

#endif
