/* SPDX-License-Identifier: Apache-2.0 */
/* What each level permits: "perf_event_paranoid" in the kernel's Documentation/admin-guide. */
#include "source/perf/permission.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "cpu/sysfs.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

void perf_read_level(char level[PERF_LEVEL_ROOM])
{
	if (!sysfs_read_line(level, PERF_LEVEL_ROOM, PARANOID))
		memcpy(level, "not there", sizeof("not there"));
}

/* Returns the highest level that permits it. */
static int enough(const struct perf_refused *refused)
{
	if (refused->all_cpus)
		return 0;
	return refused->kernel ? 1 : 2;
}

bool perf_is_filtered(int error, const char *level, const struct perf_refused *refused)
{
	char *end;
	const long now = strtol(level, &end, 10);

	if (end == level || *end)
		return false;
	if (error == -ENOSYS)
		return true;
	/* The level itself, and another user's process, are refused with EACCES. */
	return error == -EPERM && now <= enough(refused);
}

void perf_permission_hint(const struct perf_refused *refused, const char *level,
			  struct plumb_diagnostics *diagnostics)
{
	const char *or_user = refused->kernel ? ", or use the modifier u" : "";
	char *end;
	const long now = strtol(level, &end, 10);
	const bool known = end != level && *end == '\0';

	if (known && now > enough(refused))
		plumb_diagnostics_hint(diagnostics,
				       "as root: sysctl kernel.perf_event_paranoid=%d, or give "
				       "plumb the capability CAP_PERFMON%s",
				       enough(refused), or_user);
	else if (refused->running)
		plumb_diagnostics_hint(diagnostics,
				       "is it another user's process? Run plumb as that user or as "
				       "root, or give it the capability CAP_PERFMON");
	else
		plumb_diagnostics_hint(diagnostics,
				       "run plumb as root, or give it the capability "
				       "CAP_PERFMON%s",
				       or_user);
}
