/* SPDX-License-Identifier: Apache-2.0 */
/* plumb export: recordings in the forms that others read. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plumb/recording.h>
#include <plumb/samples.h>
#include <plumb/spe.h>

#include "base/near.h"
#include "commands.h"
#include "render/spe_csv.h"
#include "render/table.h"
#include "script/script.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/memory.h"

#define PIECE     ((size_t)1 << 18)
#define RINGS_MAX 65536

struct export_options {
	struct common_options common;
	const char *format, *core;
	bool raw;
};

static const struct {
	const char *name, *title;
} formats[] = {
	{"spe-csv", "SPE records as the three tables of Arm's spe-parser: loads and stores, "
		    "branches, others"},
};

/* What a ring of AUX data has given so far: a record may go on in its next chunk. */
struct ring {
	uint32_t index;
	struct plumb_spe_stream stream;
};

struct exporting {
	struct spe_csv csv;
	struct ring *rings;
	size_t ring_count;
	uint32_t midr; /* that --core names; 0: as the recording says */
	uint8_t *piece;
	uint64_t records;
};

static bool drain(struct exporting *e, struct plumb_spe_stream *stream, uint32_t cpu, uint32_t midr)
{
	struct plumb_spe_record record;

	while (plumb_spe_stream_next(stream, &record)) {
		e->records++;
		if (!spe_csv_add(&e->csv, &record, cpu, midr))
			return false;
	}
	return true;
}

static struct plumb_spe_stream *stream_of(struct exporting *e, uint32_t index)
{
	for (size_t i = 0; i < e->ring_count; i++) {
		if (e->rings[i].index == index)
			return &e->rings[i].stream;
	}
	if (e->ring_count == RINGS_MAX)
		return NULL;
	e->rings = memory_given(reallocarray(e->rings, e->ring_count + 1, sizeof(struct ring)));
	e->rings[e->ring_count].index = index;
	plumb_spe_stream_begin(&e->rings[e->ring_count].stream);
	return &e->rings[e->ring_count++].stream;
}

/* Returns an error of the recording, or 0; then e->csv.failed tells of the tables. */
static int export_chunk(struct exporting *e, const struct plumb_recording *recording,
			const struct plumb_aux_chunk *chunk)
{
	struct plumb_spe_stream *stream = stream_of(e, chunk->index);
	uint32_t midr = e->midr ? e->midr : plumb_recording_midr(recording, chunk->cpu);

	if (!stream)
		return PLUMB_ERR_LIMIT;
	for (uint64_t at = 0; at < chunk->size;) {
		size_t size = chunk->size - at < PIECE ? (size_t)(chunk->size - at) : PIECE;
		int error = plumb_recording_read_aux(recording, chunk, at, e->piece, size);

		if (error < 0)
			return error;
		plumb_spe_stream_feed(stream, e->piece, size);
		if (!drain(e, stream, (uint32_t)chunk->cpu, midr))
			return 0;
		at += size;
	}
	return 0;
}

static int export_recording(struct exporting *e, struct plumb_recording *recording)
{
	struct plumb_record record;
	int status;

	while ((status = plumb_recording_next(recording, &record)) > 0) {
		if (record.type == PLUMB_RECORD_AUXTRACE)
			status = export_chunk(e, recording, &record.auxtrace);
		if (status < 0 || e->csv.failed)
			break;
	}
	return status < 0 ? status : 0;
}

/* A raw SPE buffer, as WindowsPerf keeps it: CPU 0, as spe-parser says of one. */
static int export_raw(struct exporting *e, const char *path)
{
	int descriptor =
		strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	struct plumb_spe_stream *stream = stream_of(e, 0);
	ssize_t size = 0;

	while (descriptor >= 0 && (size = read(descriptor, e->piece, PIECE)) > 0) {
		plumb_spe_stream_feed(stream, e->piece, (size_t)size);
		if (!drain(e, stream, 0, e->midr))
			break;
	}
	if (descriptor < 0 || size < 0)
		complain("cannot read %s: %s", path, strerror(errno));
	if (descriptor >= 0)
		close(descriptor);
	return descriptor < 0 || size < 0 ? EXIT_USAGE : EXIT_FINE;
}

static int export_file(struct exporting *e, const char *path)
{
	const struct plumb_recording_options options = {.in_file_order = true};
	struct plumb_diagnostics *found = memory_given(plumb_diagnostics_new());
	struct plumb_recording *recording = NULL;
	int error = plumb_recording_open(path, &options, &recording, found);

	if (error == 0)
		error = export_recording(e, recording);
	if (recording)
		plumb_recording_report(recording, path, found);
	plumb_recording_close(recording);
	if (error < 0)
		complain_recording(found, path, error);
	complain_warnings(found);
	plumb_diagnostics_free(found);
	return error < 0 ? complain_status(error) : EXIT_FINE;
}

static void tell_skipped(struct exporting *e, const char *path)
{
	uint64_t skipped = 0, unfinished = 0;

	for (size_t i = 0; i < e->ring_count; i++) {
		plumb_spe_stream_end(&e->rings[i].stream);
		skipped += e->rings[i].stream.skipped;
		unfinished += e->rings[i].stream.unfinished;
	}
	if (skipped > 0)
		complain("%s: %" PRIu64 " bytes are no SPE packets: passed over", path, skipped);
	if (unfinished > 0)
		complain("%s: %" PRIu64 " SPE records are cut off: left out", path, unfinished);
}

/* "spe" in the current folder, as spe-parser has it; in the folder that -o names; or what it says.
 */
static char *prefix_of(const char *output)
{
	size_t length = output ? strlen(output) : 0;
	struct stat status;

	if (length == 0)
		return memory_copy("spe", 3);
	if (output[length - 1] == '/') {
		if (mkdir(output, 0777) != 0 && errno != EEXIST)
			complain("cannot make folder %s: %s", output, strerror(errno));
		return memory_format("%sspe", output);
	}
	if (stat(output, &status) == 0 && S_ISDIR(status.st_mode))
		return memory_format("%s/spe", output);
	return memory_copy(output, length);
}

static int export_spe_csv(const struct export_options *options, uint32_t midr, const char *path)
{
	char *prefix = prefix_of(options->common.output);
	struct exporting e = {
		.csv = {.prefix = prefix}, .midr = midr, .piece = memory_given(malloc(PIECE))};
	int status = options->raw ? export_raw(&e, path) : export_file(&e, path);

	tell_skipped(&e, path);
	if (!spe_csv_close(&e.csv))
		status = EXIT_OTHER;
	if (status == EXIT_FINE && e.records == 0) {
		complain("%s: there are no SPE records in it", path);
		if (!options->raw)
			advise("plumb record -e spe samples with SPE");
		status = EXIT_USAGE;
	}
	for (enum spe_table table = 0; status == EXIT_FINE && table < SPE_TABLES; table++) {
		if (options->common.verbose)
			fprintf(stderr, "%s-%s.csv: %" PRIu64 " rows\n", prefix,
				spe_csv_table_name(table), e.csv.files[table].rows);
	}
	free(e.rings);
	free(e.piece);
	free(prefix);
	return status;
}

static bool check_format(const char *format)
{
	struct near near = near_to(format ? format : "");

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (format && strcmp(formats[i].name, format) == 0)
			return true;
		near_offer(&near, formats[i].name, formats[i].name);
	}
	if (format)
		complain("unknown format '%s'", format);
	else
		complain("--format needed");
	if (!format || !advise_near(&near))
		advise("it is one of %s", formats[0].name);
	return false;
}

static void print_formats(struct output *out)
{
	static const struct table_column columns[] = {
		{.style = STYLE_NAME},
		{.wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 2};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		table_cell(&table, formats[i].name);
		table_cell(&table, formats[i].title);
	}
	help_section(out, "Formats");
	table_print(&table, out, 2);
	table_free(&table);
}

static const char *const format_names[] = {"spe-csv", NULL};

static const struct option options[] = {
	{
		.name = "format",
		.kind = OPTION_TEXT,
		.argument = "FORMAT",
		.offset = offsetof(struct export_options, format),
		.choices = format_names,
		.help = "the form; needed",
	},
	{
		.letter = 'o',
		.name = "output",
		.kind = OPTION_TEXT,
		.argument = "PREFIX|FOLDER/",
		.offset = offsetof(struct export_options, common.output),
		.help = "what the files' names begin with, or the folder they go to; else spe",
	},
	{
		.name = "raw",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct export_options, raw),
		.help = "the file is an SPE buffer alone, such as WindowsPerf's spe.data",
	},
	OPTION_ROW_CORE(struct export_options, core),
	OPTION_ROW_VERBOSE("say how many rows each file has"),
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct export_options values = {0};
	struct operands operands;
	uint32_t midr;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	if (!check_format(values.format) || cpus_midr(values.core, &midr) != EXIT_FINE)
		return EXIT_USAGE;
	return export_spe_csv(&values, midr, operands.count > 0 ? operands.at[0] : "perf.data");
}

const struct command command_export = {
	.path = "plumb export",
	.name = "export",
	.summary = "recordings in the forms that others read",
	.operands = "[FILE]",
	.most = 1,
	.text = "Writes what a recording holds, perf.data unless FILE is named, for other tools. A "
		"table without rows is not written.",
	.options = options,
	.more = print_formats,
	.examples =
		(const struct example[]){
			{"plumb export --format spe-csv",
			 "spe-ldst.csv, spe-br.csv and spe-other.csv, as spe-parser -t csv"},
			{"plumb export --format spe-csv -o run1 run1.data",
			 "run1-ldst.csv and so on"},
			{0},
		},
	.run = run,
};
