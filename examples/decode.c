/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the bytes that an SPE unit wrote, without a recording around them. Prints one line per
 * record.
 *
 *     decode spe.data
 *     decode <spe.data
 *
 *     cc decode.c $(pkg-config --cflags --libs plumb)
 */
#include <errno.h>
#include <inttypes.h>
#include <plumb/spe.h>
#include <stdio.h>
#include <string.h>

/* Some events are each implementer's own, and the bytes do not tell whose they are. */
#define MIDR_UNKNOWN 0

static void print_events(uint64_t events)
{
	for (unsigned bit = 0; bit < 64; bit++)
		if (events & PLUMB_SPE_EVENT_BIT(bit)) {
			const char *name = plumb_spe_event_name(MIDR_UNKNOWN, bit);

			if (name)
				printf(" %s", name);
			else
				printf(" EVENT-%u", bit);
		}
}

static void print(const struct plumb_spe_record *record)
{
	unsigned kind = PLUMB_SPE_KIND_UNKNOWN;

	if (record->has & PLUMB_SPE_HAS_OPERATION)
		kind = plumb_spe_operation(record->op_class, record->operation).kind;
	printf("%-6s", plumb_spe_kind_name(kind));
	if (record->has & PLUMB_SPE_HAS_PC) {
		uint64_t pc = record->addresses[PLUMB_SPE_PC];

		printf(" pc 0x%" PRIx64 " el%u%s", plumb_spe_code_address(pc),
		       plumb_spe_exception_level(pc), plumb_spe_non_secure(pc) ? "" : " secure");
	}
	if (record->has & PLUMB_SPE_HAS_DATA_VIRTUAL)
		printf(" data 0x%" PRIx64,
		       plumb_spe_virtual_address(record->addresses[PLUMB_SPE_DATA_VIRTUAL]));
	if (record->has & PLUMB_SPE_HAS_BRANCH_TARGET)
		printf(" to 0x%" PRIx64,
		       plumb_spe_code_address(record->addresses[PLUMB_SPE_BRANCH_TARGET]));
	if (record->has & PLUMB_SPE_HAS_TOTAL_LATENCY)
		printf(" latency %u", record->counters[PLUMB_SPE_TOTAL_LATENCY]);
	print_events(record->events);
	printf("\n");
}

/* Prints all records. Returns how many. */
static uint64_t decode(struct plumb_spe_stream *stream, FILE *file)
{
	struct plumb_spe_record records[64];
	uint8_t bytes[1 << 16];
	uint64_t sum = 0;
	size_t size, count;

	do {
		size = fread(bytes, 1, sizeof(bytes), file);
		plumb_spe_stream_feed(stream, bytes, size);
		while ((count = plumb_spe_stream_read(stream, records, 64)) > 0) {
			for (size_t i = 0; i < count; i++)
				print(&records[i]);
			sum += count;
		}
	} while (size == sizeof(bytes));
	plumb_spe_stream_end(stream);
	return sum;
}

static int decode_file(FILE *file, const char *name)
{
	struct plumb_spe_stream *stream;
	int status = plumb_spe_stream_new(&stream);

	if (status < 0) {
		fprintf(stderr, "%s: %s\n", name, plumb_error_name(status));
		return 1;
	}

	const struct plumb_spe_losses *lost = plumb_spe_stream_losses(stream);

	const bool none = decode(stream, file) == 0;

	status = none || lost->skipped > 0;
	if (ferror(file)) {
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
		status = 1;
	} else if (lost->skipped > 0) {
		fprintf(stderr,
			"%s: skipped %" PRIu64
			" bytes of invalid SPE data, the first at offset %" PRIu64 "\n",
			name, lost->skipped, lost->first_skipped);
	}
	if (lost->unfinished > 0)
		fprintf(stderr, "%s: %" PRIu64 " records are truncated\n", name, lost->unfinished);
	if (none && !ferror(file))
		fprintf(stderr, "%s: no SPE records\n", name);
	plumb_spe_stream_free(stream);
	return status;
}

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;

	if (!file) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 1;
	}

	int status = decode_file(file, argc > 1 ? argv[1] : "standard input");

	if (argc > 1)
		fclose(file);
	return status;
}
