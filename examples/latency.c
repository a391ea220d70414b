/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up the latencies of a recording's SPE records by function: which functions waited, and how
 * long.
 *
 *     plumb record -e spe/load/ -o perf.data PROGRAM
 *     latency perf.data
 *
 *     cc latency.c $(pkg-config --cflags --libs plumb)
 */
#include <inttypes.h>
#include <plumb/samples.h>
#include <plumb/symbol.h>
#include <stdio.h>
#include <stdlib.h>

struct row {
	const struct plumb_symbol *symbol; /* NULL: functions without a name */
	const char *path;                  /* of the file with the code; NULL: unknown */
	uint64_t records, cycles;
};

static struct row *rows;
static size_t row_count;
/* Records of operations that did not retire, such as those on a mispredicted path. */
static uint64_t not_retired;

/* Returns the row of a function; NULL: out of memory. A file has one path, which does not move. */
static struct row *row_of(const struct plumb_symbol *symbol, const char *path)
{
	for (size_t i = 0; i < row_count; i++)
		if (rows[i].symbol == symbol && rows[i].path == path)
			return &rows[i];

	struct row *more = realloc(rows, (row_count + 1) * sizeof(*rows));

	if (!more)
		return NULL;
	rows = more;
	rows[row_count] = (struct row){.symbol = symbol, .path = path};
	return &rows[row_count++];
}

/* Adds a sample to the row of its function. */
static int add(struct plumb_symbolizer *symbolizer, const struct plumb_samples_item *item)
{
	const struct plumb_record *record = item->record;
	const char *path = NULL;
	struct plumb_location where;

	if (!item->spe || !(item->spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY))
		return 0;
	plumb_symbolizer_locate(symbolizer,
				plumb_symbolizer_task(symbolizer, record->pid, record->tid),
				plumb_record_mode(record), record->sample.ip, &where);

	if (where.file)
		path = plumb_symbol_file_path(symbolizer, where.file);

	struct row *row = row_of(where.symbol, path);

	if (!row)
		return PLUMB_ERR_NO_MEMORY;
	row->records++;
	not_retired += item->spe->has & PLUMB_SPE_HAS_EVENTS &&
		       !(item->spe->events & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED));
	row->cycles += item->spe->counters[PLUMB_SPE_TOTAL_LATENCY];
	return 0;
}

/* Reads the whole recording. The symbolizer takes the mappings, the rows take the samples. */
static int read_samples(struct plumb_samples *samples, struct plumb_symbolizer *symbolizer)
{
	const struct plumb_samples_item *item;
	int status;

	while ((status = plumb_samples_next(samples, &item)) > 0) {
		if (item->record->type == PLUMB_RECORD_SAMPLE)
			status = add(symbolizer, item);
		else
			status = plumb_symbolizer_add(symbolizer, item->record);
		if (status < 0)
			break;
	}
	return status;
}

static int by_cycles(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

static void print(void)
{
	uint64_t all = 0, records = 0;

	qsort(rows, row_count, sizeof(*rows), by_cycles);
	for (size_t i = 0; i < row_count; i++) {
		all += rows[i].cycles;
		records += rows[i].records;
	}
	printf("      cycles      %%  records    mean  function\n");
	for (size_t i = 0; i < row_count; i++)
		printf("%12" PRIu64 " %6.2f %8" PRIu64 " %7.1f  %s%s%s\n", rows[i].cycles,
		       all ? 100.0 * (double)rows[i].cycles / (double)all : 0.0, rows[i].records,
		       (double)rows[i].cycles / (double)rows[i].records,
		       rows[i].symbol ? plumb_symbol_name(rows[i].symbol) : "[unknown]",
		       rows[i].path ? " in " : "", rows[i].path ? rows[i].path : "");
	printf("%" PRIu64 " of %" PRIu64 " records did not retire\n", not_retired, records);
}

int main(int argc, char **argv)
{
	const struct plumb_samples_options options = {
		.size = sizeof(options), .each_record_once = true, .order = PLUMB_ORDER_TASKS};
	const struct plumb_symbol_paths paths = {.size = sizeof(paths),
						 .debug_dir = "/usr/lib/debug",
						 .kallsyms = "/proc/kallsyms",
						 .kernel_notes = "/sys/kernel/notes"};
	const char *path = argc > 1 ? argv[1] : "perf.data";
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_symbolizer *symbolizer = NULL;
	struct plumb_recording *recording = NULL;
	struct plumb_samples *samples = NULL;
	int status = plumb_recording_open(path, NULL, &recording, diagnostics);

	if (status == 0)
		status = plumb_symbolizer_new(&paths, &symbolizer);
	if (status == 0) {
		plumb_symbolizer_origin(symbolizer, recording);
		status = plumb_samples_begin(recording, &options, &samples, diagnostics);
	}
	if (status == 0)
		status = read_samples(samples, symbolizer);
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++)
		fprintf(stderr, "%s: %s\n", path, plumb_diagnostics_get(diagnostics, i)->message);
	/* A damaged recording still gives what was read before the damage. */
	if (row_count > 0)
		print();
	else if (status == 0)
		fprintf(stderr, "%s: no SPE records with a latency\n", path);
	status = status < 0 || row_count == 0;
	free(rows);
	plumb_samples_end(samples);
	plumb_symbolizer_free(symbolizer);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
	return status;
}
