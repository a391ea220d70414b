/* SPDX-License-Identifier: Apache-2.0 */
/* Names with ", " between them, in time that grows with the text and no faster. */
#ifndef CLI_JOIN_H
#define CLI_JOIN_H

#include <stddef.h>

/* Zero is an empty one. */
struct join {
	char *text;
	size_t length, room;
};

void join_add(struct join *join, const char *name);
void join_add_bytes(struct join *join, const char *name, size_t length);

/* The text, to be freed; `join` is empty again. */
char *join_take(struct join *join);

#endif
