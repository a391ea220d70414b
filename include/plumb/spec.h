/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The telemetry specification of a CPU: its events, metrics, metric groups, functional groups and
 * methodologies, as Arm's telemetry framework defines them (Topdown Methodology Specification,
 * 109542, section 3).
 *
 * A `struct plumb_spec` is constant once made, whether it is one of the built-in ones, which stand
 * in read-only memory, or was read from a file. All of it may be used from any thread. Elements
 * refer to each other by index into the arrays of the same specification, never by pointer.
 *
 * The structures are made by the library alone; later versions may add members at their ends.
 */
#ifndef PLUMB_SPEC_H
#define PLUMB_SPEC_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Index of "nothing". Valid indexes are below it. */
#define PLUMB_NONE UINT16_MAX

/* A list of indexes; which array they point into is said where it is used. */
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
	uint16_t code;             /* what selects it in PMEVTYPER.evtCount */
	uint8_t accesses;          /* bits of enum plumb_access */
	bool architecture_defined; /* common: the Arm architecture defines it */
	bool product_defined;      /* IMPLEMENTATION DEFINED: this product does */
	bool has_attributes;       /* product_defined_attributes was given ... */
	bool debug;                /* ... and says: supplemental, for debugging performance */
};

struct plumb_metric {
	const char *name;  /* "backend_bound" */
	const char *title; /* "Backend Bound" */
	const char *description;
	const char *formula;                /* text; compile with plumb_spec_compile_metric() */
	const char *units;                  /* "percent of slots" */
	struct plumb_indexes events;        /* what the formula needs, into plumb_spec.events */
	struct plumb_indexes sample_events; /* what to sample to find where, likewise */
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

/* Where the decision tree leads next: to a metric (mostly another node) or to a metric group. */
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
	uint16_t slots;               /* operations a cycle at rename; 0: unknown */
	uint16_t bus_slots;           /* as Arm's files give it */
	uint8_t counters; /* programmable counters, the cycle counter apart; 0: unknown */
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

struct plumb_spec {
	const char *id;   /* "neoverse-n2-r0p3" */
	const char *file; /* where it was read from; NULL: built in */
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
	 * Every index once, ordered by name, its bytes compared with 'A' to 'Z' made small, as
	 * strcasecmp() does in the C locale; events also by code. What is equal, by index.
	 */
	const uint16_t *events_by_name;
	const uint16_t *events_by_code;
	const uint16_t *metrics_by_name;
};

/* ---- the built-in specifications --------------------------------------------------------- */

/* How many are built in, and the i-th, ordered by id; NULL past the end. */
PLUMB_API size_t plumb_spec_builtin_count(void);
PLUMB_API const struct plumb_spec *plumb_spec_builtin(size_t i);

/*
 * The built-in specification of a CPU whose MIDR_EL1 is `midr`: an entry for exactly this
 * revision if there is one, else the one for its implementer and part. NULL: none fits.
 */
PLUMB_API const struct plumb_spec *plumb_spec_for_midr(uint32_t midr);

/*
 * The built-in specification called `name`, in any usual spelling: an id ("neoverse-n2-r0p3"), a
 * product name ("Neoverse N2", "n2"), the name of one of Arm's files ("arm_c1_pro_r1p1_pmu.json",
 * no folder), the name of a processor ("graviton4", "Azure Cobalt 100"); all without regard to
 * case, spaces, '-' and '_', and where no revision is given the newest; or a MIDR_EL1 in
 * hexadecimal, after 0x or all 8 or 16 digits of it, as for plumb_spec_for_midr(). Returns 0, or
 * PLUMB_ERR_NOT_FOUND, in which case `*spec` is NULL and `*suggestion`, if asked for, the id whose
 * name is nearest, or NULL if none is near. Both have static storage.
 */
PLUMB_API int plumb_spec_find(const char *name, const struct plumb_spec **spec,
			      const char **suggestion);

/* ---- specifications from files ------------------------------------------------------------ */

/* The largest file that is read, in bytes. */
#define PLUMB_SPEC_MAX_BYTES (64u << 20)

/*
 * Reads one of Arm's machine-readable CPU specifications (JSON, schema v1.0) from a file, a pipe or
 * a device. Findings go to `found` (may be NULL), all there are; doc/specifications.md defines
 * them. Returns 0 and a specification to be freed with plumb_spec_free(), also when there are only
 * warnings; else a negative error and `*spec` NULL: IO (`path` cannot be read), LIMIT (larger than
 * PLUMB_SPEC_MAX_BYTES, or too deep or too much in it), SYNTAX (not JSON), INVALID (errors were
 * found), UNSUPPORTED (the specification of an interconnect), NO_MEMORY. Any bytes may be given:
 * time grows as n log n with their number, and memory stays below 1 GiB.
 */
PLUMB_API int plumb_spec_read_file(const char *path, struct plumb_spec **spec,
				   struct plumb_diagnostics *found);

/* The same from memory; `name` stands for the file in findings and in plumb_spec.file. */
PLUMB_API int plumb_spec_read_memory(const void *bytes, size_t size, const char *name,
				     struct plumb_spec **spec, struct plumb_diagnostics *found);

/* Frees a specification that was read. NULL is fine; a built-in one must not be passed. */
PLUMB_API void plumb_spec_free(struct plumb_spec *spec);

/*
 * Checks what a specification says against itself; plumb_spec_read_*() have done so already.
 * doc/specifications.md lists the findings. Returns 0, INVALID or LIMIT if there are errors, or
 * NO_MEMORY. Names must be there; apart from that nothing is taken on trust.
 */
PLUMB_API int plumb_spec_check(const struct plumb_spec *spec, struct plumb_diagnostics *found);

/* ---- looking things up -------------------------------------------------------------------- */

/* MIDR_EL1 of the product, its architecture field 0xf. */
PLUMB_API uint32_t plumb_spec_midr(const struct plumb_spec *spec);

/*
 * By name or title, without regard to the case of ASCII letters; of several that differ in case
 * alone, the one spelt exactly so, else the first. An index, or PLUMB_NONE.
 */
PLUMB_API uint16_t plumb_spec_event(const struct plumb_spec *spec, const char *name);
PLUMB_API uint16_t plumb_spec_event_by_title(const struct plumb_spec *spec, const char *title);
PLUMB_API uint16_t plumb_spec_metric(const struct plumb_spec *spec, const char *name);
PLUMB_API uint16_t plumb_spec_metric_by_title(const struct plumb_spec *spec, const char *title);
PLUMB_API uint16_t plumb_spec_metric_group(const struct plumb_spec *spec, const char *name);
PLUMB_API uint16_t plumb_spec_functional_group(const struct plumb_spec *spec, const char *name);

/* The first event with this code in the order of plumb_spec.events_by_code, or PLUMB_NONE. */
PLUMB_API uint16_t plumb_spec_event_by_code(const struct plumb_spec *spec, uint16_t code);

/*
 * Cross-references, as the cheat sheets and lookup tables of Arm's documents give them. Each
 * fills `out` with at most `room` ascending indexes without repeats and returns how many there
 * are in all, which may be more than `room`.
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
 * The stage number of a metric group, the first that has it: the N of "stage_N", or the stage's
 * place, from 1, if it is called otherwise. 0 if no stage of `methodology` has it.
 */
PLUMB_API unsigned plumb_methodology_stage(const struct plumb_methodology *methodology,
					   uint16_t metric_group);

/* The first node of `metric`: an index into nodes, or PLUMB_NONE. */
PLUMB_API uint16_t plumb_methodology_node(const struct plumb_methodology *methodology,
					  uint16_t metric);

/* Nodes further from a root than this many levels are taken as not led to. */
#define PLUMB_TREE_MAX_LEVELS 256

/*
 * How deep `node` stands: 1 for a root, 2 for what a root leads to; 0 if no root leads to it. In
 * some specifications several nodes lead to one; the shortest way counts. The parent is the first
 * node one level above that leads to `node`, PLUMB_NONE for a root and for what no root leads to,
 * so that going from parent to parent always ends at a root.
 */
PLUMB_API unsigned plumb_methodology_level(const struct plumb_methodology *methodology,
					   uint16_t node);
PLUMB_API uint16_t plumb_methodology_parent(const struct plumb_methodology *methodology,
					    uint16_t node);

/* The levels of all nodes at once, for no more than it takes to find one: fills node_count of them.
 */
PLUMB_API void plumb_methodology_levels(const struct plumb_methodology *methodology,
					uint16_t *levels);

/*
 * The nodes whose next items name metric or metric group `index`, as enum plumb_item_kind says:
 * indexes into nodes. Fills `out` and returns as the cross-references above do.
 */
PLUMB_API size_t plumb_methodology_leading_to(const struct plumb_methodology *methodology,
					      enum plumb_item_kind kind, uint16_t index,
					      uint16_t *out, size_t room);

/* ---- comparing (exporting: plumb/export.h) ------------------------------------------------ */

/*
 * Calls `differs` for each difference between two specifications until it returns false. `path`
 * is as in findings ("/metrics/ipc/formula"), nodes and stages by name; `a` or `b`, which are
 * valid until it returns, is NULL where one lacks the thing; lists are given as their names with
 * ", " between them. Elements are compared with those of the same name, case included; that they
 * come in another order is one difference for each kind ("/events"), at the first two that do.
 * plumb_spec.file is not compared; with `prose` false, neither are descriptions and the document's
 * own data. Returns how many calls were made, or PLUMB_ERR_NO_MEMORY.
 */
typedef bool plumb_spec_difference(void *user, const char *path, const char *a, const char *b);
PLUMB_API int plumb_spec_compare(const struct plumb_spec *a, const struct plumb_spec *b, bool prose,
				 plumb_spec_difference *differs, void *user);

#ifdef __cplusplus
}
#endif

#endif
