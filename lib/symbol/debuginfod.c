/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads libdebuginfod only when it is used, so that Plumb works without it and without the
 * libraries that it needs. Its functions, from elfutils/debuginfod.h, are declared here.
 */
#include "symbol/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct debuginfod_client;

typedef int find_file(struct debuginfod_client *client, const unsigned char *build_id, int size,
		      char **path);

struct debuginfod {
	void *library;
	struct debuginfod_client *client;
	void (*end)(struct debuginfod_client *client);
	find_file *find[2]; /* by enum debuginfod_kind */
	bool timed_out;
};

/* ISO C does not convert an object's address to a function's. */
static void *function(void *library, const char *name, void *pointer)
{
	void *found = dlsym(library, name);

	memcpy(pointer, &found, sizeof(found));
	return found;
}

struct debuginfod *debuginfod_new(void)
{
	struct debuginfod *debuginfod = calloc(1, sizeof(*debuginfod));
	struct debuginfod_client *(*begin)(void);

	if (!debuginfod)
		return NULL;
	debuginfod->library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (debuginfod->library && function(debuginfod->library, "debuginfod_begin", &begin) &&
	    function(debuginfod->library, "debuginfod_end", &debuginfod->end) &&
	    function(debuginfod->library, "debuginfod_find_debuginfo",
		     &debuginfod->find[DEBUGINFOD_DEBUG]) &&
	    function(debuginfod->library, "debuginfod_find_executable",
		     &debuginfod->find[DEBUGINFOD_PROGRAM]))
		debuginfod->client = begin();
	return debuginfod;
}

bool debuginfod_is_there(const struct debuginfod *debuginfod)
{
	return debuginfod->client;
}

bool debuginfod_timed_out(const struct debuginfod *debuginfod)
{
	return debuginfod->timed_out;
}

char *debuginfod_find(struct debuginfod *debuginfod, const uint8_t *build_id, size_t size,
		      enum debuginfod_kind kind)
{
	char *path = NULL;
	int descriptor;

	if (!debuginfod->client || debuginfod->timed_out)
		return NULL;
	descriptor = debuginfod->find[kind](debuginfod->client, build_id, (int)size, &path);
	debuginfod->timed_out = descriptor == -ETIME;
	if (descriptor < 0)
		return NULL;
	close(descriptor);
	return path;
}

void debuginfod_free(struct debuginfod *debuginfod)
{
	if (!debuginfod)
		return;
	if (debuginfod->client)
		debuginfod->end(debuginfod->client);
	/* The library stays loaded: libcurl must not be loaded twice. */
	free(debuginfod);
}
