/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/units.h"

#include <stdio.h>
#include <stdlib.h>

#include "cpu/sysfs.h"
#include "cpu/topology.h"

/* Describes the unit of a thread on a CPU. */
static void describe_unit(struct perf_unit *unit, enum plumb_count_by by, int thread, int cpu)
{
	struct plumb_count_unit *u = &unit->given;
	struct cpu_place place = {0, 0, 0, 0};
	char path[64], comm[64];

	*u = (struct plumb_count_unit){
		.by = by, .cpu = -1, .socket = -1, .die = -1, .core = -1, .node = -1, .tid = -1};
	if (by != PLUMB_COUNT_BY_NOTHING && by != PLUMB_COUNT_BY_THREAD)
		place = cpu_place_of("", cpu);
	switch (by) {
	case PLUMB_COUNT_BY_NOTHING:
		break;
	case PLUMB_COUNT_BY_CPU:
		u->cpu = cpu;
		snprintf(unit->name, sizeof(unit->name), "CPU%d", cpu);
		break;
	case PLUMB_COUNT_BY_CORE:
		u->socket = place.socket;
		u->die = place.die;
		u->core = place.core;
		snprintf(unit->name, sizeof(unit->name), "S%d-D%d-C%d", u->socket, u->die, u->core);
		break;
	case PLUMB_COUNT_BY_SOCKET:
		u->socket = place.socket;
		snprintf(unit->name, sizeof(unit->name), "S%d", u->socket);
		break;
	case PLUMB_COUNT_BY_NODE:
		u->node = place.node;
		snprintf(unit->name, sizeof(unit->name), "N%d", u->node);
		break;
	case PLUMB_COUNT_BY_THREAD:
		u->tid = thread;
		snprintf(path, sizeof(path), "/proc/%d/comm", thread);
		if (!sysfs_read_line(comm, sizeof(comm), path))
			snprintf(comm, sizeof(comm), ":%d", thread);
		snprintf(unit->name, sizeof(unit->name), "%s-%d", comm, thread);
		break;
	}
}

static bool is_same_unit(const struct plumb_count_unit *a, const struct plumb_count_unit *b)
{
	return a->cgroup == b->cgroup && a->cpu == b->cpu && a->socket == b->socket &&
	       a->die == b->die && a->core == b->core && a->node == b->node && a->tid == b->tid;
}

int perf_units_find(struct perf_units *all, enum plumb_count_by by, const char *cgroup, int thread,
		    int cpu, size_t *index)
{
	struct perf_unit unit = {.now = NULL};

	describe_unit(&unit, by, thread, cpu);
	unit.given.cgroup = cgroup;
	for (*index = 0; *index < all->count; ++*index)
		if (is_same_unit(&all->at[*index].given, &unit.given))
			return PLUMB_OK;
	if (all->count == all->room) {
		const size_t room = all->room ? 2 * all->room : 16;
		struct perf_unit *more = reallocarray(all->at, room, sizeof(*more));

		if (!more)
			return PLUMB_ERR_NO_MEMORY;
		all->at = more;
		all->room = room;
	}
	unit.now = calloc(all->places + 1, sizeof(*unit.now));
	unit.before = calloc(all->places + 1, sizeof(*unit.before));
	if (!unit.now || !unit.before) {
		free(unit.now);
		free(unit.before);
		return PLUMB_ERR_NO_MEMORY;
	}
	all->at[all->count++] = unit;
	return PLUMB_OK;
}

void perf_units_free(struct perf_units *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->at[i].now);
		free(all->at[i].before);
	}
	free(all->at);
	*all = (struct perf_units){.at = NULL};
}
