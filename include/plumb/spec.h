/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The telemetry specification of a CPU: its events, metrics, metric groups, functional groups and
 * methodologies, as Arm's telemetry framework defines them (Topdown Methodology Specification,
 * 109542, section 3).
 *
 * A `struct plumb_spec` never changes, whether it is built in, and so in static memory, or was read
 * from a file. Any thread may use all of it. Elements refer to each other by index into the
 * arrays of the same specification, never by pointer.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_SPEC_H
#define PLUMB_SPEC_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The index that means "none". Valid indexes are smaller. */
#define PLUMB_NONE UINT16_MAX

/* A list of indexes. Each use documents which array they refer to. */
struct plumb_indexes {
	const uint16_t *at;
	uint16_t count;
};

/* Where an event can be seen: bits of plumb_event.accesses. */
enum plumb_access {
	PLUMB_ACCESS_PMU = 1, /* the PMU's counters */
	PLUMB_ACCESS_ETE = 2, /* the trace unit's external inputs */
};

struct plumb_event {
	const char *name;          /* mnemonic, "CPU_CYCLES" */
	const char *title;         /* "Cycle" */
	const char *description;   /* prose; may have several paragraphs */
	uint16_t code;             /* selects it in PMEVTYPER.evtCount */
	uint8_t accesses;          /* bits of enum plumb_access */
	bool architecture_defined; /* common: defined by the Arm architecture */
	bool product_defined;      /* IMPLEMENTATION DEFINED: defined by this product */
	bool has_attributes;       /* has product_defined_attributes */
	bool debug; /* and these mark it as supplemental, for performance debugging */
};

struct plumb_metric {
	const char *name;  /* "backend_bound" */
	const char *title; /* "Backend Bound" */
	const char *description;
	const char *formula;                /* "A / B * 100"; plumb/count.h evaluates it */
	const char *units;                  /* "percent of slots" */
	struct plumb_indexes events;        /* used by the formula; into plumb_spec.events */
	struct plumb_indexes sample_events; /* sample these to find the code; likewise */
};

struct plumb_metric_group {
	const char *name; /* "Topdown_L1" */
	const char *title;
	const char *description;
	struct plumb_indexes metrics; /* into plumb_spec.metrics; Arm's files repeat some */
};

struct plumb_functional_group {
	const char *name; /* "L1D_Cache" */
	const char *title;
	const char *description;
	struct plumb_indexes events; /* into plumb_spec.events */
};

/* One stage of a methodology: which metric groups belong to it. */
struct plumb_stage {
	const char *name;            /* "stage_1" */
	struct plumb_indexes groups; /* into plumb_spec.metric_groups */
};

enum plumb_item_kind { PLUMB_ITEM_METRIC, PLUMB_ITEM_METRIC_GROUP };

/* What to look at next: a metric, which is mostly another node, or a metric group. */
struct plumb_next_item {
	uint8_t kind;   /* enum plumb_item_kind */
	uint16_t index; /* into plumb_spec.metrics or plumb_spec.metric_groups */
};

/* A node of the decision tree. */
struct plumb_node {
	uint16_t metric; /* into plumb_spec.metrics */
	uint16_t group;  /* into plumb_spec.metric_groups: the group it is shown under */
	uint16_t next_item_count;
	const struct plumb_next_item *next_items;
	struct plumb_indexes sample_events; /* into plumb_spec.events */
};

struct plumb_methodology {
	const char *name; /* "topdown_methodology" */
	const char *title;
	const char *description;
	const struct plumb_stage *stages;
	uint16_t stage_count;
	const struct plumb_node *nodes;
	uint16_t node_count;
	struct plumb_indexes roots; /* into `nodes` */
};

struct plumb_product {
	const char *name;             /* "Neoverse N3" */
	const char *architecture;     /* "armv9.2" */
	const char *pmu_architecture; /* "pmu_v3" */
	uint8_t implementer;          /* MIDR_EL1[31:24]; 0x41 is Arm */
	uint16_t part;                /* MIDR_EL1[15:4] */
	uint8_t major_revision;       /* the r of rXpY, MIDR_EL1[23:20] */
	uint8_t minor_revision;       /* the p of rXpY, MIDR_EL1[3:0] */
	uint16_t slots;               /* operations per cycle at rename; 0: unknown */
	uint16_t bus_slots;           /* num_bus_slots in Arm's files */
	uint8_t counters; /* programmable counters, without the cycle counter; 0: unknown */
};

struct plumb_document {
	const char *timestamp;
	const char *copyright;
	const char *quality;
	const char *license;
	const char *description;
	const char *revision; /* or NULL */
	const char *sha1;     /* or NULL */
	bool confidential;
};

/* Made by the library; may grow. */
struct plumb_spec {
	const char *id;   /* "neoverse-n2-r0p3" */
	const char *file; /* the file it was read from; NULL if built in */
	struct plumb_product product;
	struct plumb_document document;

	const struct plumb_event *events;
	const struct plumb_metric *metrics;
	const struct plumb_metric_group *metric_groups;
	const struct plumb_functional_group *functional_groups;
	const struct plumb_methodology *methodologies;
	uint16_t event_count;
	uint16_t metric_count;
	uint16_t metric_group_count;
	uint16_t functional_group_count;
	uint16_t methodology_count;

	/*
	 * Every index once, sorted by name, ignoring case like strcasecmp() in the C locale; events
	 * also by code. Equal ones are sorted by index.
	 */
	const uint16_t *events_by_name;
	const uint16_t *events_by_code;
	const uint16_t *metrics_by_name;
};

/* ---- the built-in specifications --------------------------------------------------------- */

/* The number of built-in specifications, and the i-th, sorted by id; NULL past the end. */
PLUMB_API size_t plumb_spec_builtin_count(void);
PLUMB_API const struct plumb_spec *plumb_spec_builtin(size_t i);

/*
 * Returns the built-in specification of a CPU whose MIDR_EL1 is `midr`: the one for exactly this
 * revision if there is one, else the one for its implementer and part, else NULL.
 */
PLUMB_API const struct plumb_spec *plumb_spec_for_midr(uint32_t midr);

/*
 * Finds the built-in specification called `name`, which may be
 *
 *   - an id: "neoverse-n2-r0p3";
 *   - a product: "Neoverse N2", "n2";
 *   - one of Arm's files, without its folder: "arm_c1_pro_r1p1_pmu.json";
 *   - a processor: "graviton4", "Azure Cobalt 100";
 *   - a MIDR_EL1 in hexadecimal, as for plumb_spec_for_midr(): after 0x, or all 8 or 16 digits.
 *
 * Case, spaces, '-' and '_' are ignored. A name without a revision finds the newest one. Returns 0,
 * or PLUMB_ERR_NOT_FOUND with `*spec` NULL and `*suggestion`, unless `suggestion` is NULL, the id
 * with the most similar name, or NULL. Both results have static storage.
 */
PLUMB_API int plumb_spec_find(const char *name, const struct plumb_spec **spec,
			      const char **suggestion);

/*
 * Returns the i-th name of a processor that plumb_spec_find() takes, such as "graviton4", or NULL
 * past the end. Sets `*spec` to that of its cores. Both have static storage; may grow.
 */
PLUMB_API const char *plumb_spec_alias(size_t i, const struct plumb_spec **spec);

/* ---- specifications from files ------------------------------------------------------------ */

/* The largest file accepted, in bytes. */
#define PLUMB_SPEC_MAX_BYTES (64u << 20)

/*
 * Reads one of Arm's machine-readable CPU specifications (JSON, schema v1.0) from a file, a pipe or
 * a device. Reports all findings to `diagnostics` (may be NULL); doc/specifications.md defines
 * them. If there are no errors, though perhaps warnings, returns 0 and a specification to be freed
 * with plumb_spec_free(). Otherwise sets `*spec` to NULL and returns a negative error:
 *
 *     PLUMB_ERR_IO           `path` cannot be read
 *     PLUMB_ERR_LIMIT        exceeds PLUMB_SPEC_MAX_BYTES, or is nested too deep or too large
 *     PLUMB_ERR_SYNTAX       not JSON
 *     PLUMB_ERR_INVALID      errors were found
 *     PLUMB_ERR_UNSUPPORTED  the specification of an interconnect
 *     PLUMB_ERR_NO_MEMORY
 *
 * Safe for any bytes: takes O(n log n) time, and less than 1 GiB of memory.
 */
PLUMB_API int plumb_spec_read_file(const char *path, struct plumb_spec **spec,
				   struct plumb_diagnostics *diagnostics);

/* Frees a specification that was read, or NULL; do not pass a built-in one. */
PLUMB_API void plumb_spec_free(struct plumb_spec *spec);

/* ---- lookups ------------------------------------------------------------------------------- */

/* Returns the MIDR_EL1 of the product, with 0xf as its architecture field. */
PLUMB_API uint32_t plumb_spec_midr(const struct plumb_spec *spec);

/*
 * Find an element by name or title, ignoring the case of ASCII letters. If several differ only in
 * case, prefer an exact match, else return the first. Return an index, or PLUMB_NONE.
 */
PLUMB_API uint16_t plumb_spec_event(const struct plumb_spec *spec, const char *name);
PLUMB_API uint16_t plumb_spec_event_by_title(const struct plumb_spec *spec, const char *title);
PLUMB_API uint16_t plumb_spec_metric(const struct plumb_spec *spec, const char *name);
PLUMB_API uint16_t plumb_spec_metric_by_title(const struct plumb_spec *spec, const char *title);
PLUMB_API uint16_t plumb_spec_metric_group(const struct plumb_spec *spec, const char *name);
PLUMB_API uint16_t plumb_spec_functional_group(const struct plumb_spec *spec, const char *name);

/* Returns the first event with this code in plumb_spec.events_by_code, or PLUMB_NONE. */
PLUMB_API uint16_t plumb_spec_event_by_code(const struct plumb_spec *spec, uint16_t code);

/*
 * Cross-references, as in the cheat sheets and lookup tables of Arm's documents. Each fills `out`
 * with at most `room` distinct indexes in ascending order, and returns how many there are in all,
 * which may exceed `room`.
 */
PLUMB_API size_t plumb_spec_metrics_of_event(const struct plumb_spec *spec, uint16_t event,
					     uint16_t *out, size_t room);
PLUMB_API size_t plumb_spec_metrics_sampling_event(const struct plumb_spec *spec, uint16_t event,
						   uint16_t *out, size_t room);
PLUMB_API size_t plumb_spec_functions_of_event(const struct plumb_spec *spec, uint16_t event,
					       uint16_t *out, size_t room);
PLUMB_API size_t plumb_spec_groups_of_event(const struct plumb_spec *spec, uint16_t event,
					    uint16_t *out, size_t room);
PLUMB_API size_t plumb_spec_groups_of_metric(const struct plumb_spec *spec, uint16_t metric,
					     uint16_t *out, size_t room);
PLUMB_API size_t plumb_spec_events_of_group(const struct plumb_spec *spec, uint16_t metric_group,
					    uint16_t *out, size_t room);

/*
 * Returns the number of the first stage that has a metric group, or 0 if none has it. The number is
 * the N of "stage_N", or the stage's place, from 1, if it has another name.
 */
PLUMB_API unsigned plumb_methodology_stage(const struct plumb_methodology *methodology,
					   uint16_t metric_group);

/* Returns the first node of `metric`, an index into nodes, or PLUMB_NONE. */
PLUMB_API uint16_t plumb_methodology_node(const struct plumb_methodology *methodology,
					  uint16_t metric);

/* Nodes on deeper levels count as unreachable. */
#define PLUMB_TREE_MAX_LEVELS 256

/*
 * Returns the level of `node`: 1 for a root, 2 for what a root leads to, and so on; 0 if no root
 * leads to it. If several nodes lead to one, the shortest path counts.
 */
PLUMB_API unsigned plumb_methodology_level(const struct plumb_methodology *methodology,
					   uint16_t node);

/* Fills in the levels of all node_count nodes at once, for the cost of finding one. */
PLUMB_API void plumb_methodology_levels(const struct plumb_methodology *methodology,
					uint16_t *levels);

/*
 * Finds the nodes that have metric or metric group `index`, according to `kind`, as a next item.
 * Fills `out` with indexes into nodes, and returns their number, like the cross-references above.
 */
PLUMB_API size_t plumb_methodology_leading_to(const struct plumb_methodology *methodology,
					      enum plumb_item_kind kind, uint16_t index,
					      uint16_t *out, size_t room);

/* ---- comparing (exporting: plumb/export.h) ------------------------------------------------ */

/*
 * Calls `differs` for each difference between two specifications, until it returns false. Returns
 * the number of calls, or PLUMB_ERR_NO_MEMORY.
 *
 * `path` is as in findings ("/metrics/ipc/formula"), with nodes and stages by name. `a` and `b` are
 * the two values, valid during the call; one is NULL if its specification lacks the thing. A list
 * is given as names joined by ", ". Elements with exactly the same name are compared. A different
 * order is reported once for each kind ("/events"), at the first two elements that are swapped.
 * plumb_spec.file is never compared; descriptions and the document's own data only if `prose` is
 * true.
 */
typedef bool plumb_spec_difference(void *user, const char *path, const char *a, const char *b);
PLUMB_API int plumb_spec_compare(const struct plumb_spec *a, const struct plumb_spec *b, bool prose,
				 plumb_spec_difference *differs, void *user);

#ifdef __cplusplus
}
#endif

#endif
