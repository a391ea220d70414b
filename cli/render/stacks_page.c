/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks for the page, which adds them up for any range of time: column by column, because equal
 * neighbours compress well.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "render/json_stream.h"
#include "render/stacks.h"

/* More moments than these are added up in equal parts of the time. */
#define MOMENTS_MOST 400000
#define PARTS        4000

static const char *const slots_names[] = {
	[SLOTS_NONE] = NULL,
	[SLOTS_RETIRING] = "retiring",
	[SLOTS_BAD_SPECULATION] = "bad_speculation",
	[SLOTS_FRONTEND] = "frontend_bound",
	[SLOTS_BACKEND] = "backend_bound",
};

static const char *kind_name(enum stacks_kind kind)
{
	static const char *const names[] = {[STACKS_PERIOD] = "period",
					    [STACKS_SAMPLES] = "samples",
					    [STACKS_LATENCY] = "latency",
					    [STACKS_EVENT] = "event"};

	return names[kind];
}

static void write_types(struct json_stream *json, const struct stacks *stacks)
{
	json_stream_open(json, "types", '[');
	for (size_t i = 0; i < stacks->type_count; i++) {
		const struct stacks_type *type = &stacks->types[i];

		json_stream_open(json, NULL, '{');
		json_stream_text(json, "name", type->name);
		json_stream_text(json, "unit", type->unit);
		json_stream_text(json, "kind", kind_name(type->kind));
		json_stream_bool(json, "main", type->main);
		json_stream_bool(json, "exact", type->exact);
		json_stream_text(json, "slots", slots_names[type->slots]);
		json_stream_number(json, "total", type->total);
		json_stream_close(json, '}');
	}
	json_stream_close(json, ']');
}

static void write_functions(struct json_stream *json, const struct stacks *stacks)
{
	json_stream_open(json, "functions", '[');
	for (size_t i = 0; i < stacks->function_count; i++) {
		const struct stacks_function *function = &stacks->functions[i];

		json_stream_open(json, NULL, '{');
		json_stream_text(json, "name", function->name);
		json_stream_text(json, "file",
				 function->file ? plumb_symbol_file_name(function->file) : NULL);
		json_stream_text(json, "source", function->source);
		json_stream_bool(json, "inlined", function->inlined);
		json_stream_close(json, '}');
	}
	json_stream_close(json, ']');
}

static void write_threads(struct json_stream *json, const struct stacks *stacks)
{
	json_stream_open(json, "threads", '[');
	for (size_t i = 0; i < stacks->thread_count; i++) {
		const struct stacks_thread *thread = &stacks->threads[i];

		json_stream_open(json, NULL, '{');
		json_stream_text(json, "comm", thread->comm);
		json_stream_index(json, "pid", (uint32_t)thread->pid);
		json_stream_index(json, "tid", (uint32_t)thread->tid);
		json_stream_close(json, '}');
	}
	json_stream_close(json, ']');
}

/* Writes a list of numbers, one for each of `count` elements. */
#define WRITE_COLUMN(json, name, count, write)         \
	do {                                           \
		json_stream_open((json), (name), '['); \
		for (size_t i = 0; i < (count); i++)   \
			write;                         \
		json_stream_close((json), ']');        \
	} while (0)

static void write_rows(struct json_stream *json, const struct stacks *stacks)
{
	json_stream_open(json, "rows", '{');
	WRITE_COLUMN(json, "node", stacks->row_count,
		     json_stream_index(json, NULL, stacks->rows[i].node));
	WRITE_COLUMN(json, "thread", stacks->row_count,
		     json_stream_number(json, NULL, stacks->rows[i].thread));
	WRITE_COLUMN(json, "cpu", stacks->row_count,
		     json_stream_index(json, NULL, (uint32_t)stacks->rows[i].cpu));
	WRITE_COLUMN(json, "source", stacks->row_count,
		     json_stream_text(json, NULL, stacks->rows[i].source));
	json_stream_close(json, '}');
	json_stream_open(json, "cells", '{');
	WRITE_COLUMN(json, "row", stacks->cell_count,
		     json_stream_number(json, NULL, stacks->cells[i].row));
	WRITE_COLUMN(json, "type", stacks->cell_count,
		     json_stream_number(json, NULL, stacks->cells[i].type));
	WRITE_COLUMN(json, "value", stacks->cell_count,
		     json_stream_number(json, NULL, stacks->cells[i].value));
	json_stream_close(json, '}');
}

/* ---- Time -------------------------------------------------------------------------------------
 */

static int compare_moments(const void *a, const void *b)
{
	const struct stacks_moment *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

/* Sorts moments; adds up those of the same part of the time, unless they are few. Returns whether
 * it did. */
static bool sort_moments(struct stacks *stacks)
{
	struct stacks_moment *at = stacks->moments;
	const bool many = stacks->moment_count > MOMENTS_MOST;
	size_t kept = 0;

	if (!stacks->moment_count)
		return false;
	qsort(at, stacks->moment_count, sizeof(*at), compare_moments);
	if (many) {
		const uint64_t first = at[0].time;
		const uint64_t part = (at[stacks->moment_count - 1].time - first) / PARTS + 1;

		for (size_t i = 0; i < stacks->moment_count; i++)
			at[i].time -= (at[i].time - first) % part;
		qsort(at, stacks->moment_count, sizeof(*at), compare_moments);
	}
	for (size_t i = 1; i < stacks->moment_count; i++) {
		if (compare_moments(&at[kept], &at[i]) == 0)
			at[kept].value = add_saturating(at[kept].value, at[i].value);
		else
			at[++kept] = at[i];
	}
	stacks->moment_count = kept + 1;
	return many;
}

static void write_moments(struct json_stream *json, struct stacks *stacks)
{
	const bool joined = sort_moments(stacks);
	uint64_t last = stacks->moment_count ? stacks->moments[0].time : 0;

	json_stream_open(json, "moments", '{');
	json_stream_bool(json, "joined", joined);
	json_stream_number(json, "start", last);
	json_stream_open(json, "step", '[');
	for (size_t i = 0; i < stacks->moment_count; i++) {
		json_stream_number(json, NULL, stacks->moments[i].time - last);
		last = stacks->moments[i].time;
	}
	json_stream_close(json, ']');
	WRITE_COLUMN(json, "row", stacks->moment_count,
		     json_stream_number(json, NULL, stacks->moments[i].row));
	WRITE_COLUMN(json, "type", stacks->moment_count,
		     json_stream_number(json, NULL, stacks->moments[i].type));
	WRITE_COLUMN(json, "value", stacks->moment_count,
		     json_stream_number(json, NULL, stacks->moments[i].value));
	json_stream_close(json, '}');
}

/* ---- Details ----------------------------------------------------------------------------------
 */

static int compare_details(const void *a, const void *b)
{
	const struct stacks_detail *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Writes what samples have in common: a list for each key. */
static void write_part(struct json_stream *json, const struct stacks *stacks, enum stacks_part part,
		       const char *name)
{
	const struct stacks_values *values = &stacks->values[part];
	size_t keys = 0;

	while (stacks_part_key(part, keys) >= 0)
		keys++;
	json_stream_open(json, name, '{');
	for (size_t k = 0; k < keys; k++)
		WRITE_COLUMN(json, plumb_profile_key_name((unsigned)stacks_part_key(part, k)),
			     values->count,
			     json_stream_text(json, NULL, values->texts[i * keys + k]));
	if (part == STACKS_CODE) {
		char text[24];

		json_stream_open(json, "linked", '[');
		for (size_t i = 0; i < values->count; i++) {
			snprintf(text, sizeof(text), "0x%" PRIx64, values->linked[i]);
			json_stream_text(json, NULL, text);
		}
		json_stream_close(json, ']');
	}
	json_stream_close(json, '}');
}

static void write_latency(struct json_stream *json, uint16_t cycles)
{
	json_stream_index(json, NULL, cycles == STACKS_NO_LATENCY ? UINT32_MAX : cycles);
}

/* Times are from the first moment on, as those of moments are. */
static void write_details(struct json_stream *json, struct stacks *stacks)
{
	static const char *const parts[] = {
		[STACKS_CODE] = "code", [STACKS_OPERATION] = "operation", [STACKS_DATA] = "data"};
	static const char *const latencies[PLUMB_PROFILE_LATENCIES] = {"total", "issue",
								       "translation"};
	struct stacks_detail *at = stacks->details;
	uint64_t last = stacks->moments[0].time;

	qsort(at, stacks->detail_count, sizeof(*at), compare_details);
	json_stream_open(json, "details", '{');
	json_stream_open(json, "parts", '{');
	for (enum stacks_part part = 0; part < STACKS_PARTS; part++)
		write_part(json, stacks, part, parts[part]);
	json_stream_close(json, '}');
	json_stream_open(json, "step", '[');
	for (size_t i = 0; i < stacks->detail_count; i++) {
		const uint64_t time = at[i].time > last ? at[i].time : last;

		json_stream_number(json, NULL, time - last);
		last = time;
	}
	json_stream_close(json, ']');
	for (enum stacks_part part = 0; part < STACKS_PARTS; part++)
		WRITE_COLUMN(json, parts[part], stacks->detail_count,
			     json_stream_number(json, NULL, at[i].parts[part]));
	for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++)
		WRITE_COLUMN(json, latencies[kind], stacks->detail_count,
			     write_latency(json, at[i].latencies[kind]));
	WRITE_COLUMN(json, "period", stacks->detail_count,
		     json_stream_number(json, NULL, at[i].period));
	WRITE_COLUMN(json, "type", stacks->detail_count,
		     json_stream_number(json, NULL, at[i].type));
	WRITE_COLUMN(json, "thread", stacks->detail_count,
		     json_stream_number(json, NULL, at[i].thread));
	WRITE_COLUMN(json, "cpu", stacks->detail_count,
		     json_stream_index(json, NULL, (uint32_t)at[i].cpu));
	WRITE_COLUMN(json, "flags", stacks->detail_count,
		     json_stream_number(json, NULL, at[i].flags));
	json_stream_close(json, '}');
}

void stacks_page(FILE *stream, struct stacks *stacks)
{
	struct json_stream json = {.stream = stream};

	json_stream_open(&json, NULL, '{');
	json_stream_number(&json, "samples", stacks->samples);
	if (stacks->grouping.windows > 0)
		json_stream_number(&json, "windows", (uint64_t)stacks->grouping.windows);
	write_types(&json, stacks);
	write_functions(&json, stacks);
	write_threads(&json, stacks);
	json_stream_open(&json, "nodes", '{');
	WRITE_COLUMN(&json, "parent", stacks->node_count,
		     json_stream_index(&json, NULL, stacks->nodes[i].parent));
	WRITE_COLUMN(&json, "function", stacks->node_count,
		     json_stream_number(&json, NULL, stacks->nodes[i].item));
	json_stream_close(&json, '}');
	write_rows(&json, stacks);
	if (stacks->timed)
		write_moments(&json, stacks);
	if (stacks->timed && stacks->detail_count && stacks->moment_count)
		write_details(&json, stacks);
	json_stream_close(&json, '}');
}
