/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything a specification says about one thing, and everything that refers to it, as a JSON
 * object. `plumb spec show` prints this object with --json, and makes its text from it otherwise.
 * man/plumb-spec.1.scd documents the keys.
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

/* Returns "event", "metric", "metric_group", "functional_group" or "cpu". */
const char *thing_kind_name(enum thing_kind kind);

/* Returns a thing's name as Arm spells it, or a CPU's id. `index` is into the array of its kind. */
const char *thing_name(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index);

/* Returns everything known about a thing, as a new object. */
json_t *thing_facts(const struct plumb_spec *spec, enum thing_kind kind, uint16_t index);

/* Adds to `object` what `plumb spec list` shows for a CPU. */
void facts_cpu(json_t *object, const struct plumb_spec *spec);

/* Returns a node of a decision tree at `level`, as a new object. */
json_t *facts_node(const struct plumb_spec *spec, const struct plumb_methodology *methodology,
		   uint16_t node_index, unsigned level);

/* Returns the level of each node; the caller frees the array. */
uint16_t *facts_levels(const struct plumb_methodology *methodology);

/* Returns the lowest stage of a metric group in any methodology, or 0 if it has none. */
unsigned facts_stage(const struct plumb_spec *spec, uint16_t metric_group);

/* Formats a CPU's revision, such as "r0p3". */
#define REVISION_SIZE 12
const char *facts_revision(const struct plumb_spec *spec, char text[REVISION_SIZE]);

#endif
