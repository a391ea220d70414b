/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts by interval, for the course of a run. How long it takes is not known before, so intervals
 * begin short, and neighbours are joined when there are too many.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore.h"
#include "render/html.h"
#include "render/report.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define MOST 120 /* intervals; half as many when they were just joined */

/* Of the model's time, and of the clock, in which a real CPU's groups of events take turns. */
#define MODEL_MS 1
#define PERF_MS  50

unsigned explore_interval_ms(const struct exploration *e)
{
	return plumb_source_label(e->machine->source) ? MODEL_MS : PERF_MS;
}

static void add_counts(struct plumb_count *to, const struct plumb_count *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i].enabled_ns += from[i].enabled_ns;
		to[i].running_ns += from[i].running_ns;
		if (isnan(to[i].count))
			to[i].count = from[i].count;
		else if (!isnan(from[i].count))
			to[i].count += from[i].count;
	}
}

/* Joins each interval to the one after it. */
static void join(struct explore_intervals *all, size_t places)
{
	for (size_t i = 0; i < all->count; i++) {
		struct plumb_count *to = all->counts + i / 2 * places;

		if (i % 2)
			add_counts(to, all->counts + i * places, places);
		else
			memmove(to, all->counts + i * places, places * sizeof(*to));
		all->ends[i / 2] = all->ends[i];
	}
	all->count = (all->count + 1) / 2;
	all->joined *= 2;
}

void explore_add_interval(struct exploration *e, const struct plumb_count *counts, double seconds)
{
	struct explore_intervals *all = &e->intervals;
	const size_t places = e->plan->place_count;
	const double before = all->count ? all->ends[all->count - 1] : 0;

	/* What ends when the one before it ended has nothing. */
	if (!(seconds > before))
		return;
	if (!all->counts) {
		all->counts = memory_resize(NULL, MOST * places + 1, sizeof(*all->counts));
		all->ends = memory_resize(NULL, MOST, sizeof(*all->ends));
		all->joined = 1;
	}
	if (all->count && all->last < all->joined) {
		add_counts(all->counts + (all->count - 1) * places, counts, places);
		all->ends[all->count - 1] = seconds;
		all->last++;
		return;
	}
	if (all->count == MOST)
		join(all, places);
	memcpy(all->counts + all->count * places, counts, places * sizeof(*counts));
	all->ends[all->count++] = seconds;
	all->last = 1;
}

void explore_free_intervals(struct explore_intervals *all)
{
	free(all->counts);
	free(all->ends);
}

struct plumb_finding_interval *explore_list_intervals(const struct exploration *e)
{
	const struct explore_intervals *all = &e->intervals;
	struct plumb_finding_interval *list = memory_resize(NULL, all->count + 1, sizeof(*list));

	for (size_t i = 0; i < all->count; i++)
		list[i] = (struct plumb_finding_interval){.from = i ? all->ends[i - 1] : 0,
							  .to = all->ends[i],
							  .counts = all->counts +
								    i * e->plan->place_count};
	return list;
}

int explore_print_intervals(const struct exploration *e, const struct common_options *where)
{
	struct plumb_finding_interval *list = explore_list_intervals(e);
	struct output out;
	int status = output_open(&out, where);

	for (size_t i = 0; status == EXIT_FINE && i < e->intervals.count; i++) {
		struct report report = explore_report(e);
		struct plumb_result *result;
		struct plumb_diagnosis *diagnosis;

		if (plumb_result_new(e->plan, &result) < 0)
			memory_given(NULL);
		plumb_result_add(result, list[i].counts, false);
		if (plumb_diagnose(result, &diagnosis) < 0)
			memory_given(NULL);
		report.result = result;
		report.diagnosis = diagnosis;
		report.time = list[i].to;
		report.seconds = list[i].to - list[i].from;
		report.ended = false;
		report.exit_status = report.signal = 0;
		memset(report.limit_cycles, 0, sizeof(report.limit_cycles));
		report_json(&out, &report);
		plumb_diagnosis_free(diagnosis);
		plumb_result_free(result);
	}
	free(list);
	return status == EXIT_FINE ? output_close(&out, EXIT_FINE) : status;
}

/* Adds those of a run, as its folder would have them. */
static void add_own(struct html_page *page, const struct exploration *e)
{
	const struct common_options where = {.no_pager = true};
	size_t length;
	char *text;
	FILE *stream = memory_stream(&text, &length), *file;

	output_collect(stream);
	explore_print_intervals(e, &where);
	output_collect(NULL);
	memory_stream_close(stream, &text);
	file = memory_given(fmemopen(text, length, "r"));
	report_read_intervals(page, file, "intervals");
	fclose(file);
	free(text);
}

void explore_add_intervals(struct html_page *page, const struct exploration *e, const char *folder)
{
	char *path = memory_format("%s/%s", folder ? folder : "", PLUMB_FOLDER_INTERVALS);
	struct stat status;

	if (e && e->intervals.count)
		add_own(page, e);
	/* The folder may have been sent: a pipe would wait. */
	else if (!e && lstat(path, &status) == 0 &&
		 (!S_ISREG(status.st_mode) || report_add_intervals(page, path) != EXIT_FINE))
		complain("%s: cannot be used; the page has no counts by interval", path);
	free(path);
}
