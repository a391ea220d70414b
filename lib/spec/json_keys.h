/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where things stand in JSON text: a tree of the text's values with the line and column of each,
 * which jansson does not keep, and every name that an object gives twice, of which jansson keeps
 * only one (or, told to refuse them, reports only the first).
 *
 * It is a map of the text, not a parser: it accepts whatever a parser accepts, and some things one
 * does not. It reads nothing outside `size` bytes of whatever text it is given, in O(n log n) time.
 */
#ifndef SPEC_JSON_KEYS_H
#define SPEC_JSON_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A CPU specification nests 8 deep; Arm's largest has 17 000 values. */
#define JSON_KEYS_MAX_DEPTH  64
#define JSON_KEYS_MAX_VALUES (1u << 21)

#define JSON_KEYS_NONE UINT32_MAX

/* One value. Children of one value stand together: an array's in order, an object's by name. */
struct json_node {
	const char *key;     /* decoded, no NUL at its end; NULL: an array's element, or the root */
	uint32_t key_length; /* bytes */
	uint32_t parent;     /* JSON_KEYS_NONE for the root */
	uint32_t children;   /* index of the first */
	uint32_t child_count;
	uint32_t line;   /* of the key, or of an element's first byte; 1-based */
	uint32_t column; /* likewise, 1-based, in bytes */
};

struct json_keys {
	struct json_node *nodes;
	uint32_t count;
	uint32_t root;
	uint32_t duplicates;  /* how many nodes have an older sibling of the same name */
	uint32_t line;        /* where scanning ended, when it failed ... */
	uint32_t column;      /* ... */
	unsigned depth;       /* ... and how deep that was */
	struct arena decoded; /* keys that had escapes */
};

/*
 * Maps `text`, which must stay as it is while `keys` is in use. Returns 0, SYNTAX (no value, or
 * not JSON), LIMIT (deeper or more values than the maxima above; `keys->line` and `column` say
 * where) or NO_MEMORY. Free with json_keys_free() whatever it returned.
 */
int json_keys_scan(const char *text, size_t size, struct json_keys *keys);
void json_keys_free(struct json_keys *keys);

/* The member called `name` of object `node`; the last one where there are several, as in jansson.
 */
uint32_t json_keys_member(const struct json_keys *keys, uint32_t node, const char *name,
			  size_t length);

/* The `index`-th element of array `node`. */
uint32_t json_keys_element(const struct json_keys *keys, uint32_t node, size_t index);

/* The oldest sibling of the same name if `node` repeats it, else JSON_KEYS_NONE. */
uint32_t json_keys_first_of_name(const struct json_keys *keys, uint32_t node);

#endif
