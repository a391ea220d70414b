/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that read Arm's machine-readable specifications. Each kind of object has a
 * table of its members. An object is first checked against its table; then values that passed are
 * read.
 */
#ifndef SPEC_READ_MRS_H
#define SPEC_READ_MRS_H

#include <jansson.h>

#include <plumb/spec.h>

#include "base/arena.h"
#include "spec/index.h"
#include "spec/report.h"

/* The elements of one kind, after reading, for looking up references. */
struct section {
	struct named named;
	uint16_t *order; /* sorted by bytes of the name */
	uint8_t *known;  /* bits of enum known for each element */
	bool unknown;    /* could not be read, as reported; do not report references to them */
};

struct reader {
	struct report report;
	struct plumb_spec *spec;
	struct arena *arena;  /* owns the specification */
	struct arena scratch; /* freed after reading */
	struct section events;
	struct section metrics;
	struct section metric_groups;
	uint16_t *nodes; /* node of each metric: see read_methodology.c */
};

/* The allowed types of a member's value, and how it is treated. */
enum member_rule {
	MEMBER_STRING = 1,
	MEMBER_INTEGER = 2,
	MEMBER_BOOLEAN = 4,
	MEMBER_ARRAY = 8,
	MEMBER_OBJECT = 16,
	MEMBER_NULL = 32,
	MEMBER_ANY = 63,
	MEMBER_REQUIRED = 64,
	MEMBER_UNREAD = 128, /* not used: warn unless it is null */
};

struct member {
	const char *name;
	unsigned rule; /* bits of enum member_rule */
};

/*
 * Checks an object against the table of its members: reports members that are missing, unknown or
 * of the wrong type. Reports it and returns false if `json` is not an object.
 */
bool read_members(struct reader *reader, const json_t *json, const struct member *members,
		  size_t count);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reports that the value at the current place has the wrong type; `rule` is the expected one. */
void read_wrong_type(struct reader *reader, const json_t *json, unsigned rule);

/* Copies string member `name` to `*text`, NULL if there is none. Returns 0 or NO_MEMORY. */
int read_text(struct reader *reader, const json_t *object, const char *name, const char **text);

/* Likewise for "title" and "description". */
int read_prose(struct reader *reader, const json_t *object, const char **title,
	       const char **description);

/* Parses decimal digits, or 0x and hexadecimal digits. Returns 0, INVALID or LIMIT (> `most`). */
int read_digits(const char *text, uint32_t most, uint32_t *value);

/* Counts the members or elements of `json`, 0 for NULL. Reports a number too large for an index. */
uint16_t read_count(struct reader *reader, const json_t *json);

/*
 * Reads member `name`, a list of names, as indexes into `target`. Reports unknown names as
 * `unknown` and sets their indexes to PLUMB_NONE. Returns 0 or NO_MEMORY.
 */
int read_list(struct reader *reader, const json_t *object, const char *name,
	      const struct section *target, enum finding_kind unknown, struct plumb_indexes *list);

/* Likewise for the array at the current place. */
int read_references(struct reader *reader, const json_t *array, const struct section *target,
		    enum finding_kind unknown, struct plumb_indexes *list);

/* Likewise for one name, at the current place. */
uint16_t read_reference(struct reader *reader, const json_t *json, const struct section *target,
			enum finding_kind unknown);

/* Reads `json` into `element`, whose name is already set. Sets bits of enum known in `*known`. */
typedef int read_element(struct reader *reader, const json_t *json, void *element, uint8_t *known);

/*
 * Reads the members of `json`, at the current place, into an array of structures of `size` bytes.
 * Anything but an object, even NULL, has no members. Returns 0 or NO_MEMORY.
 */
int read_section(struct reader *reader, const json_t *json, size_t size, read_element *read,
		 struct section *section);

/* Likewise from memory. `name` is used as the file's name in findings and plumb_spec.file. */
int spec_read_memory(const void *bytes, size_t size, const char *name, struct plumb_spec **spec,
		     struct plumb_diagnostics *diagnostics);

/* Read the parts of a specification from the root, in this order. Return 0 or NO_MEMORY. */
int read_elements(struct reader *reader, const json_t *root);
int read_methodologies(struct reader *reader, const json_t *root);

#endif
