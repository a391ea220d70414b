/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of JSON text: a tree of its values with the line and column of each, which jansson does not
 * keep. It also holds every duplicate name of an object; jansson keeps only one, or reports only
 * the first.
 *
 * This is a map of the text, not a parser: it accepts everything a parser accepts, and more. It
 * never reads outside the `size` bytes of the text, valid or not, and takes O(n log n) time.
 */
#ifndef SPEC_JSON_KEYS_H
#define SPEC_JSON_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A CPU specification nests 8 levels deep; Arm's largest has 17 000 values. */
#define JSON_KEYS_MAX_DEPTH  64
#define JSON_KEYS_MAX_VALUES (1u << 21)

#define JSON_KEYS_NONE UINT32_MAX

/* One value. Its children are adjacent: an array's in order, an object's sorted by name. */
struct json_node {
	const char *key;     /* decoded, without a NUL; NULL for an array's element or the root */
	uint32_t key_length; /* bytes */
	uint32_t parent;     /* JSON_KEYS_NONE for the root */
	uint32_t children;   /* index of the first child */
	uint32_t child_count;
	uint32_t line;   /* of the key, or of an element's first byte, from 1 */
	uint32_t column; /* likewise, in bytes, from 1 */
};

struct json_keys {
	struct json_node *nodes;
	uint32_t count;
	uint32_t root;
	uint32_t duplicates;  /* number of nodes with an earlier sibling of the same name */
	uint32_t line;        /* on failure, where scanning ended */
	uint32_t column;      /* ... */
	unsigned depth;       /* on failure, the depth reached */
	struct arena decoded; /* decoded keys that had escapes */
};

/*
 * Maps `text`, which must not change while `keys` is in use. Returns 0, SYNTAX (no value, or not
 * JSON), LIMIT (exceeds a maximum above, at `keys->line` and `column`) or NO_MEMORY. Always free
 * `keys` with json_keys_free(), even after an error.
 */
int json_keys_scan(const char *text, size_t size, struct json_keys *keys);
void json_keys_free(struct json_keys *keys);

/* Returns member `name` of object `node`; the last one if there are several, like jansson. */
uint32_t json_keys_member(const struct json_keys *keys, uint32_t node, const char *name,
			  size_t length);

/* Returns the `index`-th element of array `node`. */
uint32_t json_keys_element(const struct json_keys *keys, uint32_t node, size_t index);

/* Returns the first sibling of the same name if `node` is a duplicate, else JSON_KEYS_NONE. */
uint32_t json_keys_first_of_name(const struct json_keys *keys, uint32_t node);

#endif
