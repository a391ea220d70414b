/* SPDX-License-Identifier: Apache-2.0 */
/* Reads which CPU, core, socket, node or thread a name of perf's means. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "importing.h"

/* Takes a prefix and a number off a text; returns false and takes nothing if they are not there. */
static bool take(const char **text, const char *prefix, int *number)
{
	const size_t length = strlen(prefix);
	uint64_t value;

	if (strncmp(*text, prefix, length) != 0 ||
	    !number_read_digits(*text + length, INT_MAX, &value, text))
		return false;
	*number = (int)value;
	return true;
}

struct plumb_count_unit import_unit_of(const struct import_unit *from)
{
	const struct plumb_count_unit none = {.name = from->text,
					      .cgroup = from->cgroup,
					      .cpu = -1,
					      .socket = -1,
					      .die = -1,
					      .core = -1,
					      .node = -1,
					      .tid = -1,
					      .cpus = from->cpus ? from->cpus : 1};
	struct plumb_count_unit unit = none;
	const char *at = from->text;

	if (!at)
		return unit;
	if (take(&at, "CPU", &unit.cpu)) {
		unit.by = PLUMB_COUNT_BY_CPU;
	} else if (take(&at, "N", &unit.node)) {
		unit.by = PLUMB_COUNT_BY_NODE;
	} else if (take(&at, "S", &unit.socket)) {
		unit.by = PLUMB_COUNT_BY_SOCKET;
		if (take(&at, "-D", &unit.die) && take(&at, "-C", &unit.core))
			unit.by = PLUMB_COUNT_BY_CORE;
	}
	if (unit.by && !*at)
		return unit;
	/* A program may be called "S0-D1x". */
	unit = none;
	unit.by = PLUMB_COUNT_BY_THREAD;
	at = strrchr(from->text, '-');
	if (at && (!take(&at, "-", &unit.tid) || *at))
		unit.tid = -1;
	return unit;
}
