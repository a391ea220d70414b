/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading Arm's machine-readable specifications: what the files of the reader share. Each part of
 * the text has a table of its members, which is held against the text first; what is then taken
 * from the text is what passed.
 */
#ifndef SPEC_READ_MRS_H
#define SPEC_READ_MRS_H

#include <jansson.h>

#include <plumb/spec.h>

#include "base/arena.h"
#include "spec/index.h"
#include "spec/report.h"

/* The elements of one kind, once they are read: what references are looked up in. */
struct section {
	struct named named;
	uint16_t *order; /* by bytes of the name */
	uint8_t *known;  /* by element: bits of enum known */
	bool unknown; /* they could not be read, as was reported: what refers to them may be right
		       */
};

struct reader {
	struct report report;
	struct plumb_spec *spec;
	struct arena *arena;  /* the specification's */
	struct arena scratch; /* until the end of reading */
	struct section events;
	struct section metrics;
	struct section metric_groups;
	uint16_t *nodes; /* by metric: see read_methodology.c */
};

/* What a member's value may be, and what becomes of it. */
enum member_rule {
	MEMBER_STRING = 1,
	MEMBER_INTEGER = 2,
	MEMBER_BOOLEAN = 4,
	MEMBER_ARRAY = 8,
	MEMBER_OBJECT = 16,
	MEMBER_NULL = 32,
	MEMBER_ANY = 63,
	MEMBER_REQUIRED = 64,
	MEMBER_UNREAD = 128, /* the model has no place for it: worth a warning unless null */
};

struct member {
	const char *name;
	unsigned rule; /* bits of enum member_rule */
};

/*
 * Holds an object against the table of its members: reports what is missing, unknown or of the
 * wrong type. False if `json` is not an object, which it reports too.
 */
bool read_members(struct reader *reader, const json_t *json, const struct member *members,
		  size_t count);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Reports a value of the wrong type; `rule` is what it should be. The walk stands at it. */
void read_wrong_type(struct reader *reader, const json_t *json, unsigned rule);

/* A copy of string member `name`; `*text` is NULL if there is none. 0 or NO_MEMORY. */
int read_text(struct reader *reader, const json_t *object, const char *name, const char **text);

/* The same of "title" and "description". */
int read_prose(struct reader *reader, const json_t *object, const char **title,
	       const char **description);

/* Digits, or 0x and hexadecimal ones. 0, INVALID (something else) or LIMIT (over `most`). */
int read_digits(const char *text, uint32_t most, uint32_t *value);

/* How many members or elements `json` has, NULL: none. Too many for an index are reported. */
uint16_t read_count(struct reader *reader, const json_t *json);

/*
 * Member `name`, a list of names, as indexes into `target`; those that are not there are reported
 * as `unknown`, and are PLUMB_NONE. 0 or NO_MEMORY.
 */
int read_list(struct reader *reader, const json_t *object, const char *name,
	      const struct section *target, enum finding_kind unknown, struct plumb_indexes *list);

/* The same of an array; the walk stands at it. */
int read_references(struct reader *reader, const json_t *array, const struct section *target,
		    enum finding_kind unknown, struct plumb_indexes *list);

/* One name, as read_list(). The walk stands at it. */
uint16_t read_reference(struct reader *reader, const json_t *json, const struct section *target,
			enum finding_kind unknown);

/* Reads what stands in `element`, which has its name already; `known` is for bits of enum known. */
typedef int read_element(struct reader *reader, const json_t *json, void *element, uint8_t *known);

/*
 * Reads the members of `json`, which stands where the walk does, into an array of structures of
 * `size` bytes. What is not an object, or NULL, has none. 0 or NO_MEMORY.
 */
int read_section(struct reader *reader, const json_t *json, size_t size, read_element *read,
		 struct section *section);

/* The parts of a specification, given the text's root, in this order. 0 or NO_MEMORY. */
int read_elements(struct reader *reader, const json_t *root);
int read_methodologies(struct reader *reader, const json_t *root);

#endif
