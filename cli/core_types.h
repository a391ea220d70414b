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

/* The events of -e that one type gets. */
struct core_words {
	struct option_words words;      /* as -e takes them; theirs to free */
	unsigned count;                 /* events and groups in them */
	char *lacking;                  /* the events that it lacks, "A, B"; NULL: none */
	bool lacks_several, has_others; /* others: of no core, which are counted once */
};

/*
 * Chooses the events and groups that the source has, to count or to sample. Those of no core, such
 * as software events, are left to the machine's own type. In `lacking`, those that name the PMU of
 * another type are not listed. Free it with core_words_free().
 */
struct core_words core_types_words(const struct plumb_source *source,
				   const struct option_words *words, bool samples);
/*
 * Chooses likewise for the machine's own type, with those of no core and, so that errors name them,
 * those that no type has.
 */
struct core_words core_types_own_words(const struct machine *machine, const struct core_type *types,
				       size_t count, const struct option_words *words,
				       bool samples);
void core_words_free(struct core_words *words);
/* Says what a type lacks, if anything: "not counting L1D_TLB_RD on armv9_c1_pro, which...". */
void core_words_complain(const struct core_words *words, const char *doing, const char *pmu);

#endif
