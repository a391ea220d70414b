/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parsers of filters and of --itrace. The first byte of the input chooses: an even one selects
 * filters. Accepted text keeps what the headers promise; refused text gets a finding that says
 * where.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/spe_filter.h>
#include <plumb/spe_groups.h>

#include "spe/filter.h"
#include "spe/itrace.h"

/* Unlike assert(), there in every build. */
static void require(bool promise)
{
	if (!promise)
		abort();
}

static void check_finding(const struct plumb_diagnostics *diagnostics, int error, size_t length)
{
	const struct plumb_diagnostic *finding = plumb_diagnostics_get(diagnostics, 0);

	require(plumb_diagnostics_errors(diagnostics) == (error ? 1 : 0));
	if (error)
		require(finding->column >= 1 && finding->column <= length + 1);
}

/* Whether it has no conditions. */
static bool is_empty(const struct plumb_spe_filter *filter)
{
	unsigned ranges = filter->sources.count + filter->time.count + filter->cpus.count +
			  filter->pids.count + filter->tids.count;

	for (int i = 0; i < 3; i++)
		ranges += filter->counters[i].count;
	for (int i = 0; i < 5; i++)
		ranges += filter->addresses[i].count;
	return !ranges && !filter->kinds && !filter->flags && !filter->levels &&
	       !filter->all_events && !filter->no_events;
}

static void check_filter(const struct plumb_spe_filter *filter)
{
	const struct plumb_spe_record nothing = {0};
	bool passes = spe_filter_matches(filter, &nothing, NULL);

	/* A record without values meets no condition. */
	require(passes == is_empty(filter));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	char *text = malloc(size + 1);
	int error;

	if (!text || !diagnostics)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (size && text[0] % 2 == 0) {
		struct plumb_spe_filter filter;
		uint64_t sources;

		error = spe_filter_parse(text + 1, 0x410fd8e0, &filter, diagnostics);
		if (!error)
			check_filter(&filter);
		(void)spe_filter_sources(text + 1, 0x410fd8e0, &sources, NULL);
	} else {
		struct plumb_itrace itrace;

		const enum plumb_perf_version version =
			text[0] % 4 == 1 ? PLUMB_PERF_6_1 : PLUMB_PERF_NEWEST;

		error = itrace_parse(size ? text + 1 : text, version, &itrace, diagnostics);
		if (!error) {
			require(itrace_groups(&itrace, version) >> PLUMB_SPE_GROUPS == 0);
			plumb_itrace_report(&itrace, version, diagnostics);
		}
	}
	check_finding(diagnostics, error, size);
	plumb_diagnostics_free(diagnostics);
	free(text);
	return 0;
}
