/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events that perf's own tables describe for every arm64 CPU, so that a CPU's files need only
 * name them (ArchStdEvent): those of tools/perf/pmu-events/arch/arm64/common-and-microarch.json
 * and recommended.json of Linux 6.1. Later kernels know them all, and more; naming one that the
 * kernel does not know fails its build, so this list had better stay short than new.
 */
#ifndef SPEC_PERF_STD_EVENTS_H
#define SPEC_PERF_STD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether perf knows `name`, and knows it by this code. */
bool perf_has_std_event(uint16_t code, const char *name);

#endif
