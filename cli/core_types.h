/* SPDX-License-Identifier: Apache-2.0 */
/* Machines with several types of cores, each of which has its own PMU and specification. */
#ifndef CLI_CORE_TYPES_H
#define CLI_CORE_TYPES_H

#include "cpu/pmu.h"
#include "tool/lists.h"
#include "tool/machine.h"
#include "tool/options.h"

struct core_type {
	struct plumb_source *source;
	const struct plumb_spec *spec;
};

/*
 * Opens the types besides the machine's own, which have any of `cpus` (none: all have). Makes the
 * one that has most of the events in `words` the machine's own. `doing`, as in "counting", begins
 * messages: types without a specification are named. Returns how many there are, at most
 * CPU_PMUS_MAX; close their sources.
 */
size_t core_types_open(struct machine *machine, const struct number_list *cpus,
		       const struct option_words *words, bool samples, const char *doing,
		       struct core_type types[CPU_PMUS_MAX]);

/* Returns the words whose events the source has, to count or to sample. */
struct option_words core_types_words(const struct plumb_source *source,
				     const struct option_words *words, bool samples);

#endif
