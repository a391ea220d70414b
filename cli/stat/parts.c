/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up what `plumb stat` counted: runs or intervals, repeats, and units such as CPUs. */
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "tool/memory.h"
#include "tool/results.h"

/* ---- parts: runs or intervals --------------------------------------------------------------- */

/* Adds an interval, or the run that `run` tells about. */
void runner_add_part(struct runner *r, const struct plumb_count *counts,
		     const struct plumb_count_run *run)
{
	plumb_result_free(r->part);
	r->part = results_new(r->plan);
	plumb_result_add(r->part, counts, run);
	plumb_result_add(r->whole, counts, run);
	if (run) {
		plumb_result_add_moving(r->part, run->moving_cycles, run->cycles);
		plumb_result_add_waits(r->part, run->unforwarded_cycles, run->cycles,
				       run->limit_cycles);
		plumb_result_add_kernel(r->part, run->conditions.kernel_cycles, run->cycles);
		plumb_result_add_core_waits(r->part, &run->waits);
	}
	if (r->part_count == r->part_room) {
		r->part_room = r->part_room ? 2 * r->part_room : 16;
		r->parts = memory_resize(r->parts, r->part_room, sizeof(struct plumb_diagnosis *));
	}
	r->parts[r->part_count++] = results_diagnose(r->part);
}

/* Keeps what the newest run counted. */
void runner_keep_repeat(struct runner *r, double seconds)
{
	const size_t events = r->plan->event_count, metrics = r->plan->selection->metric_count;
	struct report_repeat *repeat;

	r->repeats = memory_resize(r->repeats, r->repeat_count + 1, sizeof(*r->repeats));
	repeat = &r->repeats[r->repeat_count++];
	repeat->seconds = seconds;
	repeat->counts = memory_resize(NULL, events + 1, sizeof(double));
	repeat->values = memory_resize(NULL, metrics + 1, sizeof(double));
	for (size_t i = 0; i < events; i++)
		repeat->counts[i] = r->part->events[i].count.count;
	for (size_t i = 0; i < metrics; i++)
		repeat->values[i] = r->part->values[i].value;
	r->report.repeats = r->repeats;
}

void runner_free_repeats(struct runner *r)
{
	for (size_t i = 0; i < r->repeat_count; i++) {
		free(r->repeats[i].counts);
		free(r->repeats[i].values);
	}
	free(r->repeats);
}

/* ---- units ---------------------------------------------------------------------------------- */

void runner_on_unit(void *user, size_t index, const struct plumb_count_unit *given,
		    const struct plumb_count *counts)
{
	struct runner *r = user;
	const bool runs = !r->options->interval_ms;
	struct counted_unit *unit;

	while (r->units.count <= index)
		(void)counted_units_add(&r->units, r->plan);
	unit = &r->units.at[index];
	free(unit->name);
	unit->name = given->name ? memory_copy(given->name, strlen(given->name)) : NULL;
	unit->given = *given;
	unit->given.name = unit->name;
	plumb_result_free(unit->part);
	unit->part = results_new(r->plan);
	plumb_result_add(unit->part, counts, runs);
	plumb_result_add(unit->whole, counts, runs);
}

/* Returns how many parts give the diagnosis of the whole run, or a more specific one. */
unsigned runner_agreeing(const struct runner *r, const struct plumb_diagnosis *whole)
{
	unsigned count = 0;

	for (size_t i = 0; i < r->part_count; i++)
		count += r->parts[i]->verdict == whole->verdict &&
			 (r->report.intervals || r->parts[i]->sharing == whole->sharing) &&
			 plumb_diagnosis_common(r->parts[i], whole) == whole->path_length;
	return count;
}
