/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is known of one thing in one specification, and all that refers to it, as a JSON
 * object: what `plumb spec show --json` prints, and what its text is made from. The keys are
 * documented in man/plumb-spec.1.scd.
 */
#ifndef CLI_SPEC_FACTS_H
#define CLI_SPEC_FACTS_H

#include <jansson.h>

#include <plumb/spec.h>

enum thing_kind {
	THING_EVENT,
	THING_METRIC,
	THING_METRIC_GROUP,
	THING_FUNCTIONAL_GROUP,
	THING_CPU
};

/* "event", "metric", "metric_group", "functional_group", "cpu". */
const char *thing_kind_name(enum thing_kind kind);

/* Its name in Arm's spelling; of a CPU its id. `index` is into the array of its kind. */
const char *thing_name(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index);

/* Its facts: a new object. */
json_t *thing_facts(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index);

/* What is said of a CPU in one line of a list: added to `object`. */
void facts_cpu(json_t *object, const struct plumb_spec *spec);

/* A node of a decision tree, on that level: a new object. */
json_t *facts_node(const struct plumb_spec *spec, const struct plumb_methodology *methodology,
		   uint16_t node_index, unsigned level);

/* The level of each node; to be freed. */
uint16_t *facts_levels(const struct plumb_methodology *methodology);

/* The lowest stage of a metric group in any methodology; 0: none has it. */
unsigned facts_stage(const struct plumb_spec *spec, uint16_t metric_group);

/* "r0p3". */
#define REVISION_SIZE 12
const char *facts_revision(const struct plumb_spec *spec, char text[REVISION_SIZE]);

#endif
