/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON path (RFC 6901, "/metrics/ipc/formula") that grows and shrinks as a walk goes in and out
 * of things. One longer than PATH_ROOM ends in "..." and is right again once it is shorter.
 */
#ifndef SPEC_PATH_H
#define SPEC_PATH_H

#include <stddef.h>

#define PATH_ROOM 1024

/* Empty when zeroed. */
struct path {
	size_t length;
	char text[PATH_ROOM];
};

/* Goes into the member `name`. Returns what path_leave() needs to come back out. */
size_t path_enter(struct path *path, const char *name);
void path_leave(struct path *path, size_t mark);

#endif
