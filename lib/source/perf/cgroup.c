/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"

#define MOUNTS "/proc/self/mounts"

/* A field of a line, which ends with a blank. */
struct field {
	const char *at;
	size_t length;
};

static bool is(const struct field *field, const char *text)
{
	return field->length == strlen(text) && memcmp(field->at, text, field->length) == 0;
}

/* Whether options, separated by commas, have this one. */
static bool has_option(struct field options, const char *name)
{
	const size_t length = strlen(name);

	while (options.length >= length) {
		const char *comma = memchr(options.at, ',', options.length);
		const size_t one = comma ? (size_t)(comma - options.at) : options.length;

		if (one == length && memcmp(options.at, name, length) == 0)
			return true;
		if (!comma)
			break;
		options.length -= one + 1;
		options.at = comma + 1;
	}
	return false;
}

size_t perf_cgroup_mount(const char *mounts, const char **path)
{
	struct field second = {NULL, 0};

	while (*mounts) {
		const size_t line = strcspn(mounts, "\n");
		struct field fields[4] = {{NULL, 0}};
		const char *at = mounts;

		for (int i = 0; i < 4; i++) {
			fields[i] = (struct field){at, strcspn(at, " \n")};
			at += fields[i].length + (at[fields[i].length] == ' ');
		}
		if (is(&fields[2], "cgroup") && has_option(fields[3], "perf_event")) {
			*path = fields[1].at;
			return fields[1].length;
		}
		if (is(&fields[2], "cgroup2") && !second.length)
			second = fields[1];
		mounts += line + (mounts[line] == '\n');
	}
	*path = second.at;
	return second.length;
}

static char *read_mounts(void)
{
	FILE *file = fopen(MOUNTS, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

/* Returns whether a name leads out of the hierarchy. */
static bool leads_out(const char *name)
{
	for (; *name; name += strcspn(name, "/"), name += *name == '/')
		if (strncmp(name, "..", 2) == 0 && (name[2] == '/' || !name[2]))
			return true;
	return false;
}

int perf_cgroup_open(const char *name, struct plumb_diagnostics *diagnostics)
{
	char path[PATH_MAX];
	char *mounts = read_mounts();
	const char *mount = NULL;
	const size_t length = mounts ? perf_cgroup_mount(mounts, &mount) : 0;
	int fd, needed;

	if (!length) {
		free(mounts);
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-cgroups", NULL,
				      "control group %s: no hierarchy of control groups is mounted "
				      "that perf can use",
				      name);
		plumb_diagnostics_hint(diagnostics, "mount the hierarchy of version 2");
		return PLUMB_ERR_MACHINE;
	}
	needed = snprintf(path, sizeof(path), "%.*s/%s", (int)length, mount, name);
	fd = needed >= (int)sizeof(path) || leads_out(name)
		     ? -ENOENT
		     : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		fd = -errno;
	if (fd == -ENOENT || fd == -ENOTDIR) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-cgroup", NULL,
				      "no control group %s below %.*s", name, (int)length, mount);
		plumb_diagnostics_hint(diagnostics, "name one as /proc/PID/cgroup does, after the "
						    "second colon");
	} else if (fd < 0) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-cgroup", NULL,
				      "control group %s: %s", name, strerror(-fd));
	}
	free(mounts);
	return fd < 0 ? PLUMB_ERR_NOT_FOUND : fd;
}
