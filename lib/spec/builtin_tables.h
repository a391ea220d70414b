/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that specs/generate.py makes. They have no pointers, which would be relocated each
 * time a program starts: a text is an offset into builtin_text (0: NULL), a list a part of another
 * table. Of equal lists, within a specification or between two, there is one.
 */
#ifndef SPEC_BUILTIN_TABLES_H
#define SPEC_BUILTIN_TABLES_H

#include <plumb/spec.h>

#include <stdatomic.h>

/* `count` elements of a table, from `first` on. */
struct packed_list {
	uint32_t first;
	uint16_t count;
};

struct packed_event {
	uint32_t name, title, description;
	uint16_t code;
	uint8_t accesses;
	bool architecture_defined, product_defined, has_attributes, debug;
};

struct packed_metric {
	uint32_t name, title, description, formula, units;
	struct packed_list events, sample_events; /* of builtin_indexes */
};

/* A metric group or a functional group. */
struct packed_group {
	uint32_t name, title, description;
	struct packed_list members; /* of builtin_indexes */
};

struct packed_stage {
	uint32_t name;
	struct packed_list groups; /* of builtin_indexes */
};

struct packed_node {
	uint16_t metric, group;
	struct packed_list next_items;    /* of builtin_next_items */
	struct packed_list sample_events; /* of builtin_indexes */
};

struct packed_methodology {
	uint32_t name, title, description;
	struct packed_list stages, nodes;
	struct packed_list roots; /* of builtin_indexes */
};

struct packed_product {
	uint32_t name, architecture, pmu_architecture;
	uint8_t implementer;
	uint16_t part;
	uint8_t major_revision, minor_revision;
	uint16_t slots, bus_slots;
	uint8_t counters;
};

struct packed_document {
	uint32_t timestamp, copyright, quality, license, description, revision, sha1;
	bool confidential;
};

struct packed_spec {
	uint32_t id;
	struct packed_product product;
	struct packed_document document;
	struct packed_list events, metrics, metric_groups, functional_groups, methodologies;
	struct packed_list events_by_name, events_by_code, metrics_by_name; /* of builtin_indexes */
};

extern const char builtin_text[];
extern const uint16_t builtin_indexes[];
extern const struct plumb_next_item builtin_next_items[];
extern const struct packed_event builtin_events[];
extern const struct packed_metric builtin_metrics[];
extern const struct packed_group builtin_metric_groups[];
extern const struct packed_group builtin_functional_groups[];
extern const struct packed_stage builtin_stages[];
extern const struct packed_node builtin_nodes[];
extern const struct packed_methodology builtin_methodologies[];
extern const struct packed_spec builtin_specs[];

/*
 * Room for what is made of each element of a table, at the same index. An element that has been
 * made has a name; nodes have none.
 */
extern struct plumb_event builtin_event_room[];
extern struct plumb_metric builtin_metric_room[];
extern struct plumb_metric_group builtin_metric_group_room[];
extern struct plumb_functional_group builtin_functional_group_room[];
extern struct plumb_stage builtin_stage_room[];
extern struct plumb_node builtin_node_room[];
extern bool builtin_node_is_made[];
extern struct plumb_methodology builtin_methodology_room[];
extern struct plumb_spec builtin_spec_room[];
extern atomic_bool builtin_spec_is_made[];

#endif
