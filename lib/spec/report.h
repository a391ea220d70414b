/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports findings about a specification, each with its JSON path and, if read from a file, its
 * line. The current place is set by entering and leaving members and elements. Its line is computed
 * only when there is something to report.
 */
#ifndef SPEC_REPORT_H
#define SPEC_REPORT_H

#include <plumb/error.h>

#include "base/diagnostics.h"
#include "spec/json_keys.h"
#include "spec/path.h"

/* A kind of finding. doc/specifications.md explains each, and what to do about it. */
struct finding {
	const char *id;
	enum plumb_severity severity;
};

#define FINDINGS(X)                                                      \
	X(attributes_unexpected, "attributes-unexpected", PLUMB_WARNING) \
	X(bad_code, "bad-code", PLUMB_ERROR)                             \
	X(bad_index, "bad-index", PLUMB_ERROR)                           \
	X(bad_json, "bad-json", PLUMB_ERROR)                             \
	X(bad_name, "bad-name", PLUMB_ERROR)                             \
	X(bad_number, "bad-number", PLUMB_ERROR)                         \
	X(bad_order, "bad-order", PLUMB_ERROR)                           \
	X(bad_utf8, "bad-utf8", PLUMB_ERROR)                             \
	X(both_defined, "both-defined", PLUMB_ERROR)                     \
	X(cannot_read, "cannot-read", PLUMB_ERROR)                       \
	X(code_range, "code-range", PLUMB_ERROR)                         \
	X(duplicate_code, "duplicate-code", PLUMB_WARNING)               \
	X(duplicate_item, "duplicate-item", PLUMB_WARNING)               \
	X(duplicate_name, "duplicate-name", PLUMB_ERROR)                 \
	X(duplicate_node, "duplicate-node", PLUMB_ERROR)                 \
	X(duplicate_title, "duplicate-title", PLUMB_WARNING)             \
	X(empty_file, "empty-file", PLUMB_ERROR)                         \
	X(empty_text, "empty-text", PLUMB_WARNING)                       \
	X(formula_event_missing, "formula-event-missing", PLUMB_ERROR)   \
	X(formula_event_unused, "formula-event-unused", PLUMB_WARNING)   \
	X(missing_member, "missing-member", PLUMB_ERROR)                 \
	X(neither_defined, "neither-defined", PLUMB_WARNING)             \
	X(no_access, "no-access", PLUMB_WARNING)                         \
	X(node_outside_group, "node-outside-group", PLUMB_WARNING)       \
	X(not_cpu, "not-cpu", PLUMB_ERROR)                               \
	X(not_specification, "not-specification", PLUMB_ERROR)           \
	X(number_range, "number-range", PLUMB_ERROR)                     \
	X(private_event, "private-event", PLUMB_WARNING)                 \
	X(same_name, "same-name", PLUMB_WARNING)                         \
	X(system_event, "system-event", PLUMB_ERROR)                     \
	X(too_deep, "too-deep", PLUMB_ERROR)                             \
	X(too_large, "too-large", PLUMB_ERROR)                           \
	X(too_many, "too-many", PLUMB_ERROR)                             \
	X(tree_cycle, "tree-cycle", PLUMB_ERROR)                         \
	X(two_stages, "two-stages", PLUMB_WARNING)                       \
	X(unknown_access, "unknown-access", PLUMB_ERROR)                 \
	X(unknown_event, "unknown-event", PLUMB_ERROR)                   \
	X(unknown_group, "unknown-group", PLUMB_ERROR)                   \
	X(unknown_item, "unknown-item", PLUMB_ERROR)                     \
	X(unknown_member, "unknown-member", PLUMB_WARNING)               \
	X(unknown_metric, "unknown-metric", PLUMB_ERROR)                 \
	X(unknown_node, "unknown-node", PLUMB_ERROR)                     \
	X(unknown_schema, "unknown-schema", PLUMB_WARNING)               \
	X(unreachable_node, "unreachable-node", PLUMB_WARNING)           \
	X(unread_member, "unread-member", PLUMB_WARNING)                 \
	X(wrong_type, "wrong-type", PLUMB_ERROR)

#define FINDING_CONSTANT(name, id, severity) finding_##name,
enum finding_kind { FINDINGS(FINDING_CONSTANT) finding_count };
#undef FINDING_CONSTANT

extern const struct finding findings[finding_count];

/* One step of a path: member `name` of an object, or element `index` of an array. */
struct report_step {
	const char *name; /* NULL for an element; must outlive the step */
	size_t index;
};

struct report {
	struct plumb_diagnostics *diagnostics; /* or NULL */
	const char *file;                      /* or NULL */
	const struct json_keys *keys; /* the map of the text, or NULL if not read from text */
	struct report_step path[JSON_KEYS_MAX_DEPTH];
	unsigned depth;
	size_t errors;
	int result; /* the outcome: 0, or a negative enum plumb_error */
};

/* Enter a member or an element; leave the last `steps` of them. */
void report_enter(struct report *report, const char *name);
void report_enter_element(struct report *report, size_t index);
void report_leave(struct report *report, unsigned steps);

/*
 * Reports a finding at the current place. An error sets report->result to PLUMB_ERR_INVALID unless
 * it is already set.
 */
void report_add(struct report *report, enum finding_kind kind, const char *format, ...)
	PLUMB_PRINTF(3, 4);

/* Likewise for an error, with another result. */
void report_as(struct report *report, int result, enum finding_kind kind, const char *format, ...)
	PLUMB_PRINTF(4, 5);

/* Likewise at a place in text without a map, so without a path. */
void report_at(struct report *report, int result, enum finding_kind kind, unsigned line,
	       unsigned column, const char *format, ...) PLUMB_PRINTF(6, 7);

/* Counts an error that was reported elsewhere. */
void report_count_error(struct report *report, int result);

/* Sets the hint of the last reported finding. */
#define report_hint(report, ...) plumb_diagnostics_hint((report)->diagnostics, __VA_ARGS__)

/*
 * Returns the current place; the whole text has no path. `place` points into `path`. The line of a
 * missing member is that of the object that lacks it.
 */
void report_place(const struct report *report, struct path *path, struct place *place);

/* Reports every duplicate name in an object, in the order of the text. */
int report_duplicate_keys(struct report *report);

#endif
