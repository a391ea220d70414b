/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples_text FILE ITRACE [like-perf=VERSION] [count ORDER]: the samples of a recording, a line
 * each, as `perf script -F pid,tid,cpu,time,period,event,ip,addr,data_src,weight,phys_addr --ns`
 * has them; with `count`, what they come to, read in batches in that enum plumb_samples_order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/samples.h>

#include "spe/itrace.h"

static struct plumb_diagnostics *diagnostics;

static int fail(int error)
{
	fprintf(stderr, "samples_text: %s\n", plumb_error_name(error));
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++)
		fprintf(stderr, "%s\n", plumb_diagnostics_get(diagnostics, i)->message);
	return 1;
}

static void print_sample(const struct plumb_record *r)
{
	const struct plumb_sample *sample = &r->sample;

	printf("%d/%d ", r->pid, r->tid);
	if (r->has & PLUMB_RECORD_HAS_CPU)
		printf("[%03u] ", r->cpu);
	if (r->has & PLUMB_RECORD_HAS_TIME)
		printf("%llu.%09llu: ", (unsigned long long)r->time / 1000000000,
		       (unsigned long long)r->time % 1000000000);
	printf("%llu %s: %llx %llx %llx %llu %llx\n", (unsigned long long)sample->period,
	       r->event && r->event->name ? r->event->name : "?",
	       (unsigned long long)sample->address, (unsigned long long)sample->data_source,
	       (unsigned long long)sample->ip, (unsigned long long)sample->weight,
	       (unsigned long long)sample->physical_address);
}

static void print_totals(const struct plumb_samples_totals *totals)
{
	printf("%llu %llu %llu %llu %llx %llu", (unsigned long long)totals->bytes,
	       (unsigned long long)totals->records, (unsigned long long)totals->matched,
	       (unsigned long long)totals->lost->aux_skipped,
	       (unsigned long long)totals->lost->aux_first_skipped,
	       (unsigned long long)totals->lost->aux_unfinished);
	for (unsigned i = 0; i < PLUMB_SPE_GROUPS; i++)
		printf(" %s=%llu", plumb_spe_group_name(i), (unsigned long long)totals->groups[i]);
	putchar('\n');
}

static int read_samples(struct plumb_samples *samples)
{
	const struct plumb_samples_item *item;
	int status;

	while ((status = plumb_samples_next(samples, &item)) > 0)
		if (item->record->type == PLUMB_RECORD_SAMPLE)
			print_sample(item->record);
	return status;
}

static int read_batches(struct plumb_samples *samples)
{
	const struct plumb_samples_batch *batch;
	int status;

	while ((status = plumb_samples_next_batch(samples, &batch)) > 0)
		;
	return status;
}

/* Each sample, or only what they come to. */
static int print(const char *path, const struct plumb_samples_options *options, bool counting)
{
	struct plumb_recording *recording;
	struct plumb_samples *samples;
	int status = plumb_recording_open(path, NULL, &recording, diagnostics);

	if (status)
		return fail(status);
	status = plumb_samples_begin(recording, options, &samples, diagnostics);
	if (status)
		return fail(status);
	status = counting ? read_batches(samples) : read_samples(samples);
	if (counting)
		print_totals(plumb_samples_totals(samples));
	plumb_samples_end(samples);
	plumb_recording_close(recording);
	return status ? fail(status) : 0;
}

int main(int argc, char **argv)
{
	struct plumb_samples_options options = {.size = sizeof(options)};
	struct plumb_itrace itrace;
	bool counting = false;
	int status;

	diagnostics = plumb_diagnostics_new();
	if (argc < 3 || !diagnostics)
		return 2;
	for (int i = 3; i < argc; i++) {
		if (strncmp(argv[i], "like-perf=", 10) == 0)
			options.like_perf =
				(enum plumb_perf_version)plumb_perf_version(argv[i] + 10);
		if (strcmp(argv[i], "count") == 0 && i + 1 < argc) {
			counting = true;
			options.order = (enum plumb_samples_order)strtoul(argv[++i], NULL, 10);
		}
	}
	if (strcmp(argv[2], "default") != 0) {
		if (itrace_parse(argv[2], options.like_perf, &itrace, diagnostics))
			return fail(PLUMB_ERR_SYNTAX);
		options.itrace = &itrace;
	}
	status = print(argv[1], &options, counting);
	plumb_diagnostics_free(diagnostics);
	return status;
}
