/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events that perf's own tables describe for every arm64 CPU, so that a CPU's files need only
 * name them (ArchStdEvent). They are those of common-and-microarch.json and recommended.json in
 * tools/perf/pmu-events/arch/arm64 of Linux 6.1. Later kernels know all of them, and more. An
 * unknown name breaks the kernel's build, so the list is kept at an old version.
 */
#ifndef SPEC_PERF_STD_EVENTS_H
#define SPEC_PERF_STD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether perf knows `name` with this code. */
bool perf_has_std_event(uint16_t code, const char *name);

#endif
