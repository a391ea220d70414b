/* SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include <stdlib.h>

#include "host_table.h"

uint64_t system_translate(struct memory_system *system, uint64_t page)
{
	uint64_t frame;

	pthread_mutex_lock(&system->lock);
	frame = frames_of(system->frames, page);
	pthread_mutex_unlock(&system->lock);
	return frame;
}

bool system_is_touched(struct memory_system *system, uint64_t page)
{
	bool touched;

	pthread_mutex_lock(&system->lock);
	touched = frames_are_touched(system->frames, page);
	pthread_mutex_unlock(&system->lock);
	return touched;
}

bool system_is_huge(struct memory_system *system, uint64_t page)
{
	bool huge;

	pthread_mutex_lock(&system->lock);
	huge = frames_are_huge(system->frames, page);
	pthread_mutex_unlock(&system->lock);
	return huge;
}

bool system_read(struct memory_system *system, uint64_t line, bool *wrote_back)
{
	return tags_use(&system->llc, line, false, wrote_back);
}

uint64_t system_llc_take(struct memory_system *system, uint64_t time)
{
	return bandwidth_take(&system->llc_path, time);
}

uint64_t system_dram_take(struct memory_system *system, uint64_t time)
{
	return bandwidth_take(&system->dram_path, time);
}

void system_write(struct memory_system *system, uint64_t line, bool *wrote_back)
{
	tags_use(&system->llc, line, true, wrote_back);
}

struct memory_system *memory_system_new(const struct core_params *params)
{
	struct memory_system *system = calloc(1, sizeof(*system));

	if (!system)
		return NULL;
	system->params = params;
	pthread_mutex_init(&system->lock, NULL);
	system->ownership = host_table(OWNERSHIP_LINES * sizeof(*system->ownership));
	system->arrivals = calloc(OWNERSHIP_LINES, sizeof(*system->arrivals));
	system->moved_lines = calloc(OWNERSHIP_LINES / 8, sizeof(*system->moved_lines));
	bandwidth_set_up(&system->llc_path, params->socket.llc_cycles_per_line);
	bandwidth_set_up(&system->dram_path, params->socket.dram_cycles_per_line);
	system->frames = frames_new(params);
	if (!system->ownership || !system->arrivals || !system->moved_lines || !system->frames ||
	    !tags_set_up(&system->llc, params->llc.bytes, params->llc.ways,
			 params->llc.line_bytes)) {
		memory_system_free(system);
		return NULL;
	}
	return system;
}

void memory_system_free(struct memory_system *system)
{
	if (!system)
		return;
	tags_clean_up(&system->llc);
	frames_free(system->frames);
	host_table_free((void *)(uintptr_t)system->ownership);
	free(system->arrivals);
	free((void *)(uintptr_t)system->moved_lines);
	pthread_mutex_destroy(&system->lock);
	free(system);
}
