/* SPDX-License-Identifier: Apache-2.0 */
/* Joins names with ", ", in linear time. */
#ifndef CLI_JOIN_H
#define CLI_JOIN_H

#include <stddef.h>

/* Begins empty if zeroed. */
struct join {
	char *text; /* terminated; NULL before the first name */
	size_t length, room;
};

void join_add(struct join *join, const char *name);
void join_add_bytes(struct join *join, const char *name, size_t length);

/* Returns the text, which the caller frees, and empties `join`. */
char *join_take(struct join *join);

#endif
