/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON path (RFC 6901, such as "/metrics/ipc/formula") that grows and shrinks as a walk enters
 * and leaves things. A path longer than PATH_ROOM ends in "..." until it gets shorter again.
 */
#ifndef SPEC_PATH_H
#define SPEC_PATH_H

#include <stddef.h>

#define PATH_ROOM 1024

/* Zero-initialize for an empty path. */
struct path {
	size_t length;
	char text[PATH_ROOM];
};

/* Enters member `name`. Returns the mark that path_leave() takes to leave it. */
size_t path_enter(struct path *path, const char *name);
void path_leave(struct path *path, size_t mark);

#endif
