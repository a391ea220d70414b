/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as the processed profile of the Firefox Profiler, version 58:
 * https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md.
 *
 * A thread of the profile is a series: one type of a recorded thread. The slots of an exact profile
 * are one series, in which the category of the innermost frame tells what became of them. Samples
 * without times stand in a row, a millisecond apart.
 */
#include <inttypes.h>
#include <plumb/version.h>
#include <stdlib.h>

#include "render/firefox.h"
#include "render/json_stream.h"
#include "render/stacks.h"
#include "tool/memory.h"

#define VERSION       58
#define GECKO_VERSION 31

static const struct {
	const char *name, *color;
} categories[] = {
	{"Other", "grey"},
	{"User", "yellow"},
	{"Kernel", "orange"},
	{"Retiring", "green"},
	{"Bad speculation", "purple"},
	{"Frontend bound", "blue"},
	{"Backend bound", "red"},
};
#define CATEGORIES (sizeof(categories) / sizeof(*categories))

/* ---- Series -----------------------------------------------------------------------------------
 */

static int compare_moments(const void *a, const void *b, void *user)
{
	const struct firefox *f = user;
	const struct stacks *s = f->stacks;
	const struct stacks_moment *x = a, *y = b;
	const uint32_t threads[] = {s->rows[x->row].thread, s->rows[y->row].thread};
	const uint32_t series[] = {f->series_of[x->type], f->series_of[y->type]};

	if (threads[0] != threads[1])
		return threads[0] < threads[1] ? -1 : 1;
	if (series[0] != series[1])
		return series[0] < series[1] ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static bool has_times(const struct stacks *s, uint32_t type)
{
	return s->timed && !s->types[type].exact;
}

/* Makes a moment of each value without a time: the sum is as good as its samples. */
static void add_sums(struct stacks *s)
{
	if (!s->timed)
		s->moment_count = 0;
	for (size_t i = 0; i < s->row_count; i++) {
		const struct stacks_row *row = &s->rows[i];

		for (size_t c = row->first; c < row->first + row->cells; c++) {
			const struct stacks_cell *cell = &s->cells[c];

			if (has_times(s, cell->type))
				continue;
			s->moments = firefox_grow(s->moments, s->moment_count, &s->moment_room,
						  sizeof(*s->moments));
			s->moments[s->moment_count++] = (struct stacks_moment){
				.value = cell->value, .row = cell->row, .type = cell->type};
		}
	}
}

/* Writes the samples of the series: `count` moments, all with times or all without. */
static void write_samples(struct firefox *f, const struct stacks_moment *moments, size_t count,
			  uint64_t origin)
{
	json_stream_open(&f->json, "samples", '{');
	firefox_column(f, "stack");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL, f->ends[i]);
	firefox_column_end(f);
	firefox_column(f, "time");
	for (size_t i = 0; i < count; i++)
		json_stream_millionths(&f->json, NULL,
				       has_times(f->stacks, moments[i].type)
					       ? moments[i].time - origin
					       : i * UINT64_C(1000000));
	firefox_column_end(f);
	firefox_column(f, "weight");
	for (size_t i = 0; i < count; i++)
		json_stream_number(&f->json, NULL, moments[i].value);
	firefox_column_end(f);
	json_stream_text(&f->json, "weightType", "samples");
	firefox_table_end(f, count);
}

/*
 * Writes who a series is: "work (latency)". The viewer wants each to have a number of its own, and
 * each process to have one main thread: the first series of a thread has its number, even if the
 * thread changed its name.
 */
static void write_identity(struct firefox *f, const struct stacks_moment *moment)
{
	const struct stacks *s = f->stacks;
	const struct stacks_thread *thread = &s->threads[s->rows[moment->row].thread];
	const struct stacks_type *type = &s->types[moment->type];
	const char *name = type->slots != SLOTS_NONE ? "slots" : type->name;
	const size_t before = f->tids.count;
	const bool first = firefox_number(&f->tids, (uint32_t)thread->tid) == before;
	char *text = memory_format("%s (%s)", thread->comm, name);

	json_stream_text(&f->json, "name", text);
	free(text);
	json_stream_text(&f->json, "processName", thread->comm);
	json_stream_bool(&f->json, "isMainThread", first && thread->pid == thread->tid);
	text = memory_format("%" PRId32, thread->pid);
	json_stream_text(&f->json, "pid", text);
	free(text);
	text = first ? memory_format("%" PRId32, thread->tid)
		     : memory_format("%" PRId32 ":%" PRIu32, thread->tid, f->series);
	json_stream_text(&f->json, "tid", text);
	free(text);
}

static void write_series(struct firefox *f, const struct stacks_moment *moments, size_t count,
			 uint64_t origin)
{
	const struct stacks *s = f->stacks;
	uint32_t *path = memory_resize(NULL, s->node_count + 1, sizeof(*path));

	firefox_series_begin(f);
	if (count > f->end_room) {
		f->ends = memory_resize(f->ends, count, sizeof(*f->ends));
		f->end_room = count;
	}
	for (size_t i = 0; i < count; i++)
		f->ends[i] =
			firefox_stack_of(f, s->rows[moments[i].row].node, moments[i].type, path);
	free(path);
	json_stream_open(&f->json, NULL, '{');
	write_identity(f, moments);
	json_stream_text(&f->json, "processType", "default");
	json_stream_number(&f->json, "processStartupTime", 0);
	json_stream_text(&f->json, "processShutdownTime", NULL);
	json_stream_number(&f->json, "registerTime", 0);
	json_stream_text(&f->json, "unregisterTime", NULL);
	firefox_constant(f, "pausedRanges", 0, 0);
	write_samples(f, moments, count, origin);
	firefox_write_series(f);
	json_stream_close(&f->json, '}');
}

static void write_threads(struct firefox *f, uint64_t origin)
{
	const struct stacks *s = f->stacks;
	size_t end;

	json_stream_open(&f->json, "threads", '[');
	for (size_t i = 0; i < s->moment_count; i = end) {
		const uint32_t thread = s->rows[s->moments[i].row].thread;
		const uint32_t series = f->series_of[s->moments[i].type];

		for (end = i + 1; end < s->moment_count; end++)
			if (s->rows[s->moments[end].row].thread != thread ||
			    f->series_of[s->moments[end].type] != series)
				break;
		write_series(f, &s->moments[i], end - i, origin);
	}
	json_stream_close(&f->json, ']');
}

/* ---- The profile ------------------------------------------------------------------------------
 */

/*
 * Numbers the types of slots within their categories; "Other" is the first in each. They are one
 * series: that of the first of them.
 */
static void number_types(struct firefox *f)
{
	const struct stacks *s = f->stacks;
	uint32_t numbers[SLOTS_BACKEND + 1] = {0}, slots = UINT32_MAX;

	f->subcategory = memory_resize(NULL, s->type_count + 1, sizeof(*f->subcategory));
	f->series_of = memory_resize(NULL, s->type_count + 1, sizeof(*f->series_of));
	for (uint32_t t = 0; t < s->type_count; t++) {
		f->subcategory[t] = 0;
		f->series_of[t] = t;
		if (s->types[t].slots == SLOTS_NONE)
			continue;
		f->subcategory[t] = ++numbers[s->types[t].slots];
		slots = slots == UINT32_MAX ? t : slots;
		f->series_of[t] = slots;
	}
}

static void write_categories(struct firefox *f)
{
	const struct stacks *s = f->stacks;

	json_stream_open(&f->json, "categories", '[');
	for (uint32_t c = 0; c < CATEGORIES; c++) {
		json_stream_open(&f->json, NULL, '{');
		json_stream_text(&f->json, "name", categories[c].name);
		json_stream_text(&f->json, "color", categories[c].color);
		json_stream_open(&f->json, "subcategories", '[');
		json_stream_text(&f->json, NULL, "Other");
		for (size_t t = 0; t < s->type_count; t++)
			if (s->types[t].slots != SLOTS_NONE &&
			    CATEGORY_SLOTS + s->types[t].slots - SLOTS_RETIRING == c)
				json_stream_text(&f->json, NULL, s->types[t].name);
		json_stream_close(&f->json, ']');
		json_stream_close(&f->json, '}');
	}
	json_stream_close(&f->json, ']');
}

/* `first` and `last`: when the samples were taken. */
static void write_meta(struct firefox *f, const struct plumb_recording_info *info, uint64_t first,
		       uint64_t last)
{
	const struct stacks *s = f->stacks;
	const uint64_t samples = s->samples ? s->samples : 1;
	uint64_t start = 0;

	if (s->timed && last >= first && info->wall_clock_ns)
		start = info->wall_clock_ns + (first - info->clock_ns);
	json_stream_open(&f->json, "meta", '{');
	json_stream_millionths(&f->json, "interval",
			       s->timed && last > first ? (last - first) / samples + 1 : 1000000);
	json_stream_millionths(&f->json, "startTime", start);
	json_stream_number(&f->json, "processType", 0);
	json_stream_text(&f->json, "product", "Plumb");
	json_stream_text(&f->json, "importedFrom", "plumb " PLUMB_VERSION);
	json_stream_number(&f->json, "stackwalk", 1);
	json_stream_number(&f->json, "version", GECKO_VERSION);
	json_stream_number(&f->json, "preprocessedProfileVersion", VERSION);
	json_stream_bool(&f->json, "symbolicated", true);
	json_stream_bool(&f->json, "usesOnlyOneStackType", true);
	json_stream_bool(&f->json, "sourceCodeIsNotOnSearchfox", true);
	json_stream_bool(&f->json, "keepProfileThreadOrder", true);
	if (info->cpudesc)
		json_stream_text(&f->json, "CPUName", info->cpudesc);
	firefox_constant(f, "markerSchema", 0, 0);
	write_categories(f);
	json_stream_open(&f->json, "sampleUnits", '{');
	json_stream_text(&f->json, "time", "ms");
	json_stream_text(&f->json, "eventDelay", "ms");
	json_stream_text(&f->json, "threadCPUDelta", "ns");
	json_stream_close(&f->json, '}');
	json_stream_close(&f->json, '}');
}

void stacks_firefox(struct output *out, struct stacks *stacks,
		    const struct plumb_recording_info *info)
{
	struct firefox f = {.stacks = stacks, .arch = info->arch, .json.stream = out->stream};
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < stacks->moment_count; i++) {
		first = stacks->moments[i].time < first ? stacks->moments[i].time : first;
		last = stacks->moments[i].time > last ? stacks->moments[i].time : last;
	}
	add_sums(stacks);
	firefox_tables_begin(&f);
	number_types(&f);
	if (stacks->moment_count)
		qsort_r(stacks->moments, stacks->moment_count, sizeof(*stacks->moments),
			compare_moments, &f);
	json_stream_open(&f.json, NULL, '{');
	write_meta(&f, info, first, last);
	firefox_write_libs(&f);
	write_threads(&f, first);
	firefox_write_shared(&f);
	json_stream_close(&f.json, '}');
	fputc('\n', out->stream);
	firefox_tables_end(&f);
	free(f.subcategory);
	free(f.series_of);
	free(f.ends);
}
