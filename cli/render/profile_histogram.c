/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of the latencies of SPE records. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "render/figures.h"
#include "render/fit.h"
#include "render/json.h"
#include "render/profile.h"
#include "tool/memory.h"

#define BAR_WIDTH 40
#define BAR_LEAST 10
#define FIGURES   31 /* the columns before the bar, with up to 9 digits for samples */

static const char *const titles[PLUMB_PROFILE_LATENCIES] = {"total latency", "issue latency",
							    "translation latency"};
static const char *const names[PLUMB_PROFILE_LATENCIES] = {"total", "issue", "translation"};

static uint64_t sum_of(const struct plumb_profile_bin *bins, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += bins[i].samples;
	return sum;
}

static void print_bins(struct output *out, const struct plumb_profile_bin *bins, size_t count)
{
	static const struct table_column columns[] = {
		{"CYCLES", .right = true},
		{"SAMPLES", .right = true},
		{"SHARE", .right = true},
		{"", .style = STYLE_PLAIN},
	};
	struct table table = {.columns = columns, .column_count = 4};
	const double sum = (double)sum_of(bins, count);
	double most = 0, widest = BAR_WIDTH;
	size_t first = 0;

	if (output_is_narrow(out) && out->width < FIGURES + BAR_WIDTH)
		widest = out->width > FIGURES + BAR_LEAST ? out->width - FIGURES : BAR_LEAST;
	while (!bins[first].samples)
		first++;
	for (size_t i = first; i < count; i++)
		most = (double)bins[i].samples > most ? (double)bins[i].samples : most;
	for (size_t i = first; i < count; i++) {
		const double samples = (double)bins[i].samples;
		char bar[BAR_WIDTH + 1] = "";
		size_t width = (size_t)(samples / most * widest + 0.5);

		/* What is there is seen. */
		if (bins[i].samples && !width)
			width = 1;
		for (size_t c = 0; c < width; c++)
			bar[c] = '#';
		if (bins[i].low == bins[i].high)
			table_cell_format(&table, "%u", bins[i].low);
		else
			table_cell_format(&table, "%u-%u", bins[i].low, bins[i].high);
		table_cell_format(&table, "%llu", (unsigned long long)bins[i].samples);
		table_cell_format(&table, "%.2f%%", 100 * samples / sum);
		table_cell(&table, *bar ? bar : " ");
	}
	table_print(&table, out, 0);
	table_free(&table);
}

static void print_saturated(struct output *out, const struct plumb_profile_event *event)
{
	char *text = memory_format(
		"%llu record%s took %d cycles or more, the most that the counters hold",
		(unsigned long long)event->saturated, event->saturated == 1 ? "" : "s",
		PLUMB_PROFILE_SATURATED);

	fit_prose(out, STYLE_DIM, 0, 0, text);
	free(text);
}

void profile_histogram(struct output *out, const struct profile_view *view)
{
	struct plumb_profile_bin bins[PLUMB_PROFILE_BINS];
	struct plumb_profile_event event;
	bool first = true;
	char *text, *records;

	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++) {
			const size_t count = plumb_profile_histogram(view->profile, e, kind, bins);

			if (!count)
				continue;
			if (!first)
				fputc('\n', out->stream);
			first = false;
			records = figure_count(pen_for(out), (double)sum_of(bins, count));
			text = memory_format(": %s of %s SPE records%s", titles[kind], records,
					     view->modelled ? " of the model" : "");
			free(records);
			profile_heading(out, event.name ? event.name : "unnamed event", text);
			free(text);
			print_bins(out, bins, count);
			if (kind == PLUMB_SPE_TOTAL_LATENCY && event.saturated)
				print_saturated(out, &event);
		}
	}
}

void profile_histogram_separated(struct output *out, const struct profile_view *view,
				 const char *separator)
{
	static const char *const headings[] = {"event", "latency", "low", "high", "samples"};
	struct plumb_profile_bin bins[PLUMB_PROFILE_BINS];
	struct plumb_profile_event event;
	struct table table = {0};

	for (; table.column_count < sizeof(headings) / sizeof(*headings); table.column_count++)
		table_cell(&table, headings[table.column_count]);
	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++) {
			const size_t count = plumb_profile_histogram(view->profile, e, kind, bins);

			for (size_t i = 0; i < count; i++) {
				table_cell(&table, event.name ? event.name : "");
				table_cell(&table, names[kind]);
				table_cell_format(&table, "%u", bins[i].low);
				table_cell_format(&table, "%u", bins[i].high);
				table_cell_format(&table, "%" PRIu64, bins[i].samples);
			}
		}
	}
	table_print_separated(&table, out, separator);
	table_free(&table);
}

static json_t *bins_json(const struct plumb_profile_bin *bins, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *bin = json_object();

		json_put(bin, "low", json_integer(bins[i].low));
		json_put(bin, "high", json_integer(bins[i].high));
		json_put(bin, "samples", json_integer((json_int_t)bins[i].samples));
		json_add(list, bin);
	}
	return list;
}

void profile_histogram_json(struct output *out, const struct profile_view *view)
{
	json_t *object = render_object(), *events = json_array();
	struct plumb_profile_bin bins[PLUMB_PROFILE_BINS];
	struct plumb_profile_event event;

	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++) {
		json_t *of = json_object();

		json_put(of, "name", render_string(event.name));
		json_put(of, "saturated", json_integer((json_int_t)event.saturated));
		for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++) {
			const size_t count = plumb_profile_histogram(view->profile, e, kind, bins);

			json_put(of, names[kind], bins_json(bins, count));
		}
		json_add(events, of);
	}
	json_put(object, "recording", render_string(view->path));
	json_put(object, "modelled", json_boolean(view->modelled));
	json_put(object, "incomplete", json_boolean(view->incomplete));
	json_put(object, "events", events);
	render_json(out, object);
}
