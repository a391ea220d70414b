/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spe dump: SPE data packet by packet, as perf report -D prints it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plumb/recording.h>
#include <plumb/samples.h>
#include <plumb/spe.h>

#include "base/file.h"
#include "commands.h"
#include "render/buffer.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define DEFAULT_INPUT "perf.data"

/* Data is read in pieces of so many bytes; packets are looked at while more than MARGIN is left. */
#define PIECE  ((size_t)1 << 20)
#define MARGIN ((size_t)1 << 17) /* the longest alignment, and more */

/* Bytes that a line has columns for. */
#define LINE_BYTES 16

struct dump_options {
	struct common_options common;
	const char *input;
	bool raw;
	bool records;
};

struct dump {
	const struct dump_options *options;
	struct buffer buffer;
	uint64_t record_start; /* of the record at hand; UINT64_MAX: none has begun */
	uint64_t record_count;
};

/* Paddings stand together on a line, as far as it has columns. */
static size_t padding_length(const uint8_t *bytes, size_t size)
{
	size_t length = 1;

	while (length < LINE_BYTES && length < size && bytes[length] == 0)
		length++;
	return length;
}

static void end_record(struct dump *dump, uint64_t end)
{
	buffer_format(&dump->buffer, ".            record %llu: at %08llx, %llu bytes\n",
		      (unsigned long long)dump->record_count++,
		      (unsigned long long)dump->record_start,
		      (unsigned long long)(end - dump->record_start));
	dump->record_start = UINT64_MAX;
}

/* Prints the packet at the beginning of `bytes`; returns its length. */
static size_t print_packet(struct dump *dump, const uint8_t *bytes, size_t size, uint64_t offset)
{
	struct plumb_spe_packet packet;
	struct buffer *b = &dump->buffer;
	int decoded = plumb_spe_decode_packet(bytes, size, offset, &packet);
	bool bad = decoded <= 0 || packet.type == PLUMB_SPE_INVALID;
	size_t length = bad ? 1 : (size_t)decoded;
	char text[256];

	if (!bad && packet.type == PLUMB_SPE_PADDING)
		length = padding_length(bytes, size);
	buffer_bytes(b, ".  ", 3);
	buffer_hex_zeros(b, offset & UINT32_MAX, 8);
	buffer_bytes(b, ": ", 2);
	for (size_t i = 0; i < length; i++) {
		buffer_char(b, ' ');
		buffer_hex_zeros(b, bytes[i], 2);
	}
	for (size_t i = length; i < LINE_BYTES; i++)
		buffer_bytes(b, "   ", 3);
	buffer_char(b, ' ');
	if (bad) {
		buffer_text(b, "Bad packet!");
	} else {
		plumb_spe_packet_text(&packet, text, sizeof(text));
		buffer_text(b, text);
	}
	buffer_char(b, '\n');
	if (dump->options->records && !bad && packet.type != PLUMB_SPE_PADDING) {
		if (dump->record_start == UINT64_MAX)
			dump->record_start = offset;
		if (packet.type == PLUMB_SPE_END || packet.type == PLUMB_SPE_TIMESTAMP)
			end_record(dump, offset + length);
	}
	return length;
}

/* Where a buffer's bytes come from: fills `bytes` with those from `at` on. Returns 0 or an error.
 */
typedef int read_bytes(void *source, uint64_t at, uint8_t *bytes, size_t size);

static int print_buffer(struct dump *dump, uint64_t size, read_bytes *read, void *source)
{
	uint8_t *bytes = memory_alloc(PIECE);
	uint64_t start = 0;
	int status = 0;

	buffer_format(&dump->buffer, ".\n. ... ARM SPE data: size %s%llx bytes\n", size ? "0x" : "",
		      (unsigned long long)size);
	dump->record_start = UINT64_MAX;
	while (status == 0 && start < size) {
		size_t piece = size - start < PIECE ? (size_t)(size - start) : PIECE;
		size_t stop = start + piece == size ? piece : piece - MARGIN;
		size_t at = 0;

		status = read(source, start, bytes, piece);
		while (status == 0 && at < stop)
			at += print_packet(dump, bytes + at, piece - at, start + at);
		start += at;
	}
	free(bytes);
	return status;
}

/* ---- Recordings ------------------------------------------------------------------------------ */

struct chunk_source {
	const struct plumb_recording *recording;
	const struct plumb_aux_chunk *chunk;
};

static int read_chunk(void *source, uint64_t at, uint8_t *bytes, size_t size)
{
	const struct chunk_source *s = source;

	return plumb_recording_read_aux(s->recording, s->chunk, at, bytes, size);
}

/* The line that perf prints of the record before its data. */
static void print_chunk_record(struct buffer *b, const struct plumb_record *record)
{
	const struct plumb_aux_chunk *chunk = &record->auxtrace;

	buffer_char(b, '\n');
	buffer_hex_0x(b, record->offset);
	buffer_format(b, " [%#zx]: PERF_RECORD_AUXTRACE size: ", record->size);
	buffer_hex_0x(b, chunk->size);
	buffer_text(b, "  offset: ");
	buffer_hex_0x(b, chunk->offset);
	buffer_text(b, "  ref: ");
	buffer_hex_0x(b, chunk->reference);
	buffer_format(b, "  idx: %u  tid: %d  cpu: %d\n", chunk->index, chunk->tid, chunk->cpu);
}

static int dump_recording(struct dump *dump)
{
	const struct plumb_recording_options in_file_order = {.in_file_order = true};
	struct plumb_diagnostics *found = memory_given(plumb_diagnostics_new());
	const char *path = dump->options->input;
	struct plumb_recording *recording = NULL;
	struct plumb_record record;
	int worst = 0, status = plumb_recording_open(path, &in_file_order, &recording, found);
	size_t chunks = 0;

	if (status < 0)
		worst = status;
	while (worst == 0 && (status = plumb_recording_next(recording, &record)) != 0) {
		struct chunk_source source = {recording, &record.auxtrace};

		if (status < 0) {
			worst = status;
		} else if (record.type == PLUMB_RECORD_AUXTRACE) {
			chunks++;
			print_chunk_record(&dump->buffer, &record);
			worst = print_buffer(dump, record.auxtrace.size, read_chunk, &source);
		}
	}
	if (worst < 0) {
		complain_recording(found, path, worst);
	} else if (chunks == 0) {
		complain("%s: there is no SPE data in it", path);
		advise("plumb record -e spe samples with SPE; plumb script shows other samples");
	}
	if (recording)
		plumb_recording_report(recording, path, found);
	complain_warnings(found);
	plumb_recording_close(recording);
	plumb_diagnostics_free(found);
	return worst < 0 ? complain_status(worst) : chunks ? EXIT_FINE : EXIT_USAGE;
}

/* ---- Bare data ------------------------------------------------------------------------------- */

/* The most bytes of bare data that are taken from a pipe, which must be read whole. */
#define BARE_MAX ((size_t)4 << 30)

static int copy_bytes(void *source, uint64_t at, uint8_t *bytes, size_t size)
{
	memcpy(bytes, (const char *)source + at, size);
	return 0;
}

static int dump_bare(struct dump *dump)
{
	const char *path = dump->options->input;
	char *bytes;
	size_t size;
	int status =
		file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, BARE_MAX, &bytes, &size);

	if (status < 0) {
		complain("cannot read %s: %s", path,
			 status == PLUMB_ERR_IO ? strerror(errno) : plumb_error_name(status));
		return complain_status(status);
	}
	print_buffer(dump, size, copy_bytes, bytes);
	free(bytes);
	return EXIT_FINE;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct option options[] = {
	{
		.name = "raw",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct dump_options, raw),
		.help = "the file is bare SPE data, without perf.data around it",
	},
	{
		.name = "records",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct dump_options, records),
		.help = "say where each record ends",
	},
	OPTION_ROW_OUTPUT,
	OPTION_ROW_NO_PAGER,
	OPTION_ROW_HELP,
	{0},
};

static int run(const struct command *command, int count, char **arguments)
{
	struct dump_options values = {0};
	struct dump dump = {.options = &values, .record_start = UINT64_MAX};
	struct operands operands;
	struct output out;
	int status;

	if (!options_parse(command, count, arguments, &values, &operands, &status))
		return status;
	values.input = operands.count ? operands.at[0] : DEFAULT_INPUT;
	status = output_open(&out, &values.common);
	if (status != EXIT_FINE)
		return status;
	buffer_open(&dump.buffer, &out);
	status = values.raw ? dump_bare(&dump) : dump_recording(&dump);
	buffer_close(&dump.buffer);
	return output_close(&out, status);
}

const struct command command_spe_dump = {
	.path = "plumb spe dump",
	.name = "dump",
	.summary = "packet by packet, as perf report -D prints them",
	.operands = "[FILE]",
	.most = 1,
	.text = "Prints the packets of a recording's SPE data (perf.data if no file is named), "
		"each "
		"with its place in its buffer, its bytes, and what it says.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb spe dump perf.data", "all of a recording's packets"},
			{"plumb spe dump --raw spe.data", "those of WindowsPerf's"},
			{0},
		},
	.run = run,
};
