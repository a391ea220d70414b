/* SPDX-License-Identifier: Apache-2.0 */
/* plumb spe dump: SPE data packet by packet, as perf report -D prints it. */
#include <stdio.h>
#include <stdlib.h>

#include <plumb/recording.h>
#include <plumb/spe.h>

#include "commands.h"
#include "render/buffer.h"
#include "tool/complain.h"
#include "tool/cpus.h"
#include "tool/inputs.h"
#include "tool/like_perf.h"
#include "tool/memory.h"

/* Data is read in pieces of PIECE bytes; packets are printed while more than MARGIN bytes are left.
 */
#define PIECE  ((size_t)1 << 20)
#define MARGIN ((size_t)1 << 17) /* more than the longest alignment */

/* How many bytes a line shows, and where they begin. */
#define LINE_BYTES   16
#define START_COLUMN 14

/* Room for the longest text of a packet. */
#define TEXT_ROOM 512

struct dump_options {
	struct common_options common;
	const char *input;
	const char *core, *like_perf;
	bool raw;
	bool records;
};

struct dump {
	const struct dump_options *options;
	enum plumb_perf_version version;
	uint32_t asked_midr; /* 0: none */
	uint32_t midr;       /* of the core that made the chunk; 0: unknown */
	struct buffer buffer;
	uint8_t *piece;
	uint64_t chunks;
	uint64_t record_start; /* of the current record; UINT64_MAX: none has begun */
	uint64_t record_count;
};

/* Returns how many paddings to print together on one line. */
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

/* Puts the two digits of a byte and a blank. */
static inline void put_byte(char *to, unsigned byte)
{
	to[0] = "0123456789abcdef"[byte >> 4 & 15];
	to[1] = "0123456789abcdef"[byte & 15];
	to[2] = ' ';
}

/*
 * ".  OFFSET:  BYTES", up to the column of the text: a blank line is copied, and what it shows put
 * into it. Only an alignment is longer.
 */
static void start_line(struct buffer *b, const uint8_t *bytes, size_t length, uint64_t offset)
{
	static const char blank[] =
		".          :                                                  ";
	const size_t shown = length < LINE_BYTES ? length : LINE_BYTES;
	char *to;

	_Static_assert(sizeof(blank) - 1 == START_COLUMN + LINE_BYTES * 3, "a line");
	buffer_reserve(b, sizeof(blank));
	to = b->bytes + b->used;
	memcpy(to, blank, sizeof(blank) - 1);
	b->used += sizeof(blank) - 1;
	for (unsigned i = 0; i < 8; i++)
		to[3 + i] = "0123456789abcdef"[offset >> (28 - 4 * i) & 15];
	for (size_t i = 0; i < shown; i++)
		put_byte(to + START_COLUMN + 3 * i, bytes[i]);
	for (size_t i = shown; i < length; i++) {
		buffer_reserve(b, 3);
		put_byte(b->bytes + b->used, bytes[i]);
		b->used += 3;
	}
}

/* Prints the first packet of `bytes` and returns its length. */
static size_t print_packet(struct dump *dump, const uint8_t *bytes, size_t size, uint64_t offset)
{
	struct plumb_spe_packet packet;
	struct buffer *b = &dump->buffer;
	int decoded = plumb_spe_decode_packet(bytes, size, offset, &packet);
	bool bad = decoded <= 0 || packet.type == PLUMB_SPE_INVALID;
	size_t length = bad ? 1 : (size_t)decoded;

	if (!bad && packet.type == PLUMB_SPE_PADDING)
		length = padding_length(bytes, size);
	start_line(b, bytes, length, offset);
	if (bad) {
		buffer_text(b, "Bad packet!");
	} else {
		buffer_reserve(b, TEXT_ROOM);
		b->used += (size_t)plumb_spe_packet_text(&packet, dump->midr, dump->version,
							 b->bytes + b->used, TEXT_ROOM);
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

static int print_chunk(struct dump *dump, const struct plumb_recording *recording,
		       const struct plumb_aux_chunk *chunk)
{
	const uint64_t size = chunk->size;
	uint64_t start = 0;
	int status = 0;

	buffer_format(&dump->buffer, ".\n. ... ARM SPE data: size %s%llx bytes\n", size ? "0x" : "",
		      (unsigned long long)size);
	dump->record_start = UINT64_MAX;
	while (status == 0 && start < size) {
		size_t piece = size - start < PIECE ? (size_t)(size - start) : PIECE;
		size_t stop = start + piece == size ? piece : piece - MARGIN;
		size_t at = 0;

		status = plumb_recording_read_aux(recording, chunk, start, dump->piece, piece);
		while (status == 0 && at < stop)
			at += print_packet(dump, dump->piece + at, piece - at, start + at);
		start += at;
	}
	return status;
}

/* The core that made a chunk's data: the one asked for, else as the recording says. */
static uint32_t chunk_midr(const struct dump *dump, const struct plumb_recording *recording,
			   const struct plumb_aux_chunk *chunk)
{
	return dump->asked_midr ? dump->asked_midr : plumb_recording_midr(recording, chunk->cpu);
}

/* Prints perf's line about the record, before its data. */
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

/* Returns an error of the recording, or 0. */
static int print_chunks(struct dump *dump, struct plumb_recording *recording)
{
	const struct plumb_record *record;
	int status, worst = 0;

	while (worst == 0 && (status = plumb_recording_next(recording, &record)) != 0) {
		if (status < 0)
			return status;
		if (record->type != PLUMB_RECORD_AUXTRACE)
			continue;
		dump->chunks++;
		if (!dump->options->raw)
			print_chunk_record(&dump->buffer, record);
		dump->midr = chunk_midr(dump, recording, &record->auxtrace);
		worst = print_chunk(dump, recording, &record->auxtrace);
	}
	return worst;
}

static int dump_file(struct dump *dump)
{
	const char *path = dump->options->input;
	const struct plumb_recording_options how = {
		.size = sizeof(how), .in_file_order = true, .bare_spe = dump->options->raw};
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	struct plumb_recording *recording = NULL;
	int error = plumb_recording_open(path, &how, &recording, diagnostics);

	if (error == 0)
		error = print_chunks(dump, recording);
	if (error < 0) {
		complain_recording(diagnostics, path, error, !dump->options->raw);
	} else if (dump->chunks == 0) {
		complain("%s: no SPE data in this file", path);
		advise("record some with plumb record -e spe; plumb script prints other samples");
	}
	if (recording)
		plumb_losses_report(plumb_recording_losses(recording), path, diagnostics);
	complain_warnings(diagnostics);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
	return error < 0 ? complain_status(error) : dump->chunks ? EXIT_FINE : EXIT_USAGE;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct option options[] = {
	OPTION_ROW_INPUT(struct dump_options, input),
	{
		.name = "raw",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct dump_options, raw),
		.help = "read bare SPE data without a perf.data file around it",
	},
	{
		.name = "records",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct dump_options, records),
		.help = "print where each record ends",
	},
	OPTION_ROW_CORE(struct dump_options, core),
	OPTION_ROW_LIKE_PERF(struct dump_options, like_perf, "print the text of"),
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
	if (!options_input(&operands, &values.input) ||
	    cpus_midr(values.core, &dump.asked_midr) != EXIT_FINE ||
	    !like_perf_read(values.like_perf, &dump.version))
		return EXIT_USAGE;
	inputs_note(values.input, "the input");
	status = output_open(&out, &values.common);
	if (status != EXIT_FINE)
		return status;
	buffer_open(&dump.buffer, &out);
	dump.piece = memory_alloc(PIECE);
	status = dump_file(&dump);
	free(dump.piece);
	buffer_close(&dump.buffer);
	return output_close(&out, status);
}

const struct command command_spe_dump = {
	.path = "plumb spe dump",
	.name = "dump",
	.summary = "print SPE data packet by packet, as perf report -D does",
	.operands = "[FILE]",
	.most = 1,
	.text = "Prints the packets of a recording's SPE data (default: perf.data), each with its "
		"offset in its buffer, its bytes and its meaning.",
	.options = options,
	.examples =
		(const struct example[]){
			{"plumb spe dump perf.data", "print all packets of a recording"},
			{"plumb spe dump --raw spe.data",
			 "print the packets of a WindowsPerf file"},
			{0},
		},
	.run = run,
};
