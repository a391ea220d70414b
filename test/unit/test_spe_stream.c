/* SPDX-License-Identifier: Apache-2.0 */
/* Traces and the records in them. Each record is written as a line: see describe(). */
#include "spe/stream.h"

#include "check.h"

#include <inttypes.h>
#include <plumb/spe.h>

#include "spe_bytes.h"

/* ---- The language of expected records ---- */

struct text {
	char line[2000];
	size_t length;
};

static PLUMB_PRINTF(2, 3) void add(struct text *text, const char *format, ...)
{
	va_list args;
	int more;

	va_start(args, format);
	more = vsnprintf(text->line + text->length, sizeof(text->line) - text->length, format,
			 args);
	va_end(args);
	assert_true(more >= 0 && (size_t)more < sizeof(text->line) - text->length);
	text->length += (size_t)more;
}

/* "@OFFSET+SIZE pc=400 total=12 ...;": the members that it has, and nothing else. */
static void describe(struct text *text, const struct plumb_spe_record *record)
{
	static const char *const addresses[] = {"pc", "target", "va", "pa", "previous"};
	static const char *const counters[] = {"total", "issue", "xlat"};

	add(text, "@%" PRIu64 "+%u", record->offset, record->size);
	for (unsigned i = 0; i < 5; i++)
		if (record->has & PLUMB_SPE_HAS_PC << i)
			add(text, " %s=%" PRIx64, addresses[i], record->addresses[i]);
	for (unsigned i = 0; i < 3; i++)
		if (record->has & PLUMB_SPE_HAS_TOTAL_LATENCY << i)
			add(text, " %s=%u", counters[i], record->counters[i]);
	if (record->has & PLUMB_SPE_HAS_EVENTS)
		add(text, " events=%" PRIx64 "/%u", record->events, record->events_bytes);
	if (record->has & PLUMB_SPE_HAS_OPERATION)
		add(text, " op=%u:%02x", record->op_class, record->operation);
	if (record->has & PLUMB_SPE_HAS_DATA_SOURCE)
		add(text, " source=%" PRIx64 "/%u", record->data_source, record->data_source_bytes);
	for (unsigned i = 0; i < 2; i++)
		if (record->has & PLUMB_SPE_HAS_CONTEXT_EL1 << i)
			add(text, " el%u=%x", i + 1, record->contexts[i]);
	if (record->has & PLUMB_SPE_HAS_OTHERS)
		add(text, " others");
	if (record->has & PLUMB_SPE_HAS_TIMESTAMP)
		add(text, " ts=%" PRIu64, record->timestamp);
	if (record->has & PLUMB_SPE_HAS_END)
		add(text, " end");
	add(text, ";");
}

/* Bytes outside records: "skipped 3 from 17, 1 unfinished". */
static void describe_rest(struct text *text, const struct plumb_spe_stream *stream)
{
	if (stream->lost.skipped)
		add(text, " skipped %" PRIu64 " from %" PRIu64, stream->lost.skipped,
		    stream->lost.first_skipped);
	else
		assert_true(stream->lost.first_skipped == UINT64_MAX);
	if (stream->lost.unfinished)
		add(text, " unfinished %" PRIu64, stream->lost.unfinished);
}

/* ---- Traces ---- */

#define PC "b0 00 04 00 00 00 00 00 80"
#define TS "71 2a 00 00 00 00 00 00 00"

static const struct {
	const char *title, *bytes, *records;
} traces[] = {
	{"nothing", "", ""},
	{"padding alone is no record", "00 00 00 00 00 00 00 00 00 00", ""},
	{"an END alone is one", "01", "@0+1 end;"},
	{"a timestamp alone is one", TS, "@0+9 ts=42;"},
	{"the usual order",
	 PC " 65 07 00 00 00 49 00 52 16 00 99 04 00 98 0c 00 b2 28 6b 09 03 37 0e ff 00 9a 01 00 "
	    "b3 10 00 00 00 00 00 00 80 43 0d " TS,
	 "@0+57 pc=8000000000000400 va=ff0e3703096b28 pa=8000000000000010 total=12 issue=4 xlat=1 "
	 "events=16/2 op=1:00 source=d/1 el2=7 ts=42;"},
	{"another order, as HiSilicon's, END and no timestamp",
	 "49 01 b2 01 00 00 00 00 00 00 00 9a 02 00 42 16 " PC " 98 03 00 01",
	 "@0+29 pc=8000000000000400 va=1 total=3 xlat=2 events=16/1 op=1:01 end;"},
	{"padding before, between and after", "00 00 98 0c 00 00 00 00 4a 01 00 " TS " 00 00 00 01",
	 "@2+18 total=12 op=2:01 ts=42;@23+1 end;"},
	{"what comes twice: the last counts", "98 01 00 98 02 00 42 ff 52 01 00 48 00 49 05 01",
	 "@0+16 total=2 events=1/2 op=1:05 end;"},
	{"all sizes of events and data sources",
	 "42 01 43 02 01 52 01 02 53 03 04 01 62 01 02 03 84 63 05 06 07 88 01 "
	 "72 01 02 03 04 05 06 07 88 73 09 0a 0b 0c 0d 0e 0f 80 01",
	 "@0+5 events=1/1 source=2/1 end;@5+7 events=201/2 source=403/2 end;"
	 "@12+11 events=84030201/4 source=88070605/4 end;"
	 "@23+19 events=8807060504030201/8 source=800f0e0d0c0b0a09/8 end;"},
	{"a previous target", PC " b1 08 04 00 00 00 00 00 80 b4 00 02 00 00 00 00 00 80 4a 00 01",
	 "@0+30 pc=8000000000000400 target=8000000000000408 previous=8000000000000200 op=2:00 "
	 "end;"},
	{"indexes that no member is for",
	 "9b 01 00 01 b5 01 02 03 04 05 06 07 08 01 66 01 00 00 00 01",
	 "@0+4 others end;@4+10 others end;@14+6 others end;"},
	{"extended headers: the same members", "20 98 05 00 20 b4 01 00 00 00 00 00 00 00 01",
	 "@0+15 previous=1 total=5 end;"},
	{"extended headers: indexes above 7", "21 98 05 00 23 b7 01 00 00 00 00 00 00 00 01",
	 "@0+15 others end;"},
	{"a reserved class", "4b 12 01", "@0+3 op=3:12 end;"},
	{"an alignment between records",
	 "01 25 00 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff "
	 "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff "
	 "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff "
	 "ff ff ff ff ff ff ff ff ff 98 07 00 01",
	 "@0+1 end;@64+4 total=7 end;"},
	{"an alignment within a record", "98 07 00 22 00 ff ff ff 01 20 00 ff 01",
	 "@0+9 total=7 end;@12+1 end;"},
	{"an alignment that needs its two bytes",
	 "98 07 00 01 00 00 00 22 00 ff ff ff ff ff ff ff 01", "@0+4 total=7 end;@16+1 end;"},
	{"an alignment past the end", "01 2f 00 01", "@0+1 end;"},
	{"bytes that begin no packet, between records", "01 02 ff 03 98 01 00 01",
	 "@0+1 end;@4+4 total=1 end; skipped 3 from 1"},
	{"... and within one: it goes, and what follows is another", PC " 99 01 00 ff 98 02 00 " TS,
	 "@13+12 total=2 ts=42; skipped 1 from 12 unfinished 1"},
	{"extended headers of no packet", "20 42 16 01 24 98 01 00 01",
	 "@1+3 events=16/1 end;@5+4 total=1 end; skipped 2 from 0"},
	{"cut off between packets", PC " 98 01 00", " unfinished 1"},
	{"cut off within the first packet", "b0 01", " unfinished 1"},
	{"cut off within the timestamp", "98 01 00 71 01 02", " unfinished 1"},
	{"cut off within an extended header", "01 20", "@0+1 end; unfinished 1"},
	{"cut off by padding", "98 01 00 00 00 00", " unfinished 1"},
};

static void read_piece(struct plumb_spe_stream *stream, const uint8_t *bytes, size_t size,
		       struct text *text)
{
	struct plumb_spe_record record;
	uint8_t *exact = malloc(size + 1); /* shows reads past the end of the piece */

	assert_non_null(exact);
	if (size)
		memcpy(exact, bytes, size);
	plumb_spe_stream_feed(stream, exact, size);
	while (spe_stream_next(stream, &record))
		describe(text, &record);
	free(exact);
}

/* Splits the trace into a piece of `first` bytes and pieces of `each`. */
static void check_pieces(size_t trace, size_t first, size_t each)
{
	uint8_t bytes[SPE_BYTES_MAX];
	size_t size = spe_bytes(traces[trace].bytes, bytes), piece = first;
	struct plumb_spe_stream stream;
	struct text text = {.length = 0};

	spe_stream_begin(&stream);
	for (size_t at = 0; at < size; at += piece, piece = each) {
		if (piece > size - at)
			piece = size - at;
		read_piece(&stream, bytes + at, piece, &text);
	}
	plumb_spe_stream_end(&stream);
	describe_rest(&text, &stream);
	if (strcmp(text.line, traces[trace].records) != 0)
		fail_msg("%s, in pieces of %zu and %zu:\n%s\nexpected:\n%s", traces[trace].title,
			 first, each, text.line, traces[trace].records);
}

#define EACH_TRACE(i) for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++)

static void traces_are_their_records(void **state)
{
	(void)state;
	EACH_TRACE(i)
	{
		check_pieces(i, SPE_BYTES_MAX, SPE_BYTES_MAX);
	}
}

static void pieces_make_no_difference(void **state)
{
	(void)state;
	EACH_TRACE(i)
	{
		for (size_t first = 1; first < 80; first++)
			check_pieces(i, first, SPE_BYTES_MAX);
		for (size_t each = 1; each < 20; each++)
			check_pieces(i, each, each);
	}
}

static void empty_pieces_make_no_difference(void **state)
{
	struct plumb_spe_stream stream;
	struct text text = {.length = 0};
	const uint8_t bytes[] = {0x98, 0x07, 0x00, 0x01};

	(void)state;
	spe_stream_begin(&stream);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		read_piece(&stream, NULL, 0, &text);
		read_piece(&stream, bytes + i, 1, &text);
	}
	read_piece(&stream, NULL, 0, &text);
	assert_string_equal(text.line, "@0+4 total=7 end;");
}

/* A trace cut off anywhere gives its complete records, and at most one unfinished. */
static void cut_off_anywhere(void **state)
{
	(void)state;
	EACH_TRACE(i)
	{
		uint8_t bytes[SPE_BYTES_MAX];
		size_t size = spe_bytes(traces[i].bytes, bytes);

		for (size_t cut = 0; cut < size; cut++) {
			struct plumb_spe_stream stream;
			struct text text = {.length = 0};
			uint64_t before;

			spe_stream_begin(&stream);
			read_piece(&stream, bytes, cut, &text);
			before = stream.lost.unfinished;
			plumb_spe_stream_end(&stream);
			assert_true(stream.lost.unfinished <= before + 1);
			assert_memory_equal(text.line, traces[i].records, text.length);
		}
	}
}

/* Padding within a record may be longer than .size can express. */
static void sizes_are_limited(void **state)
{
	struct plumb_spe_stream stream;
	struct plumb_spe_record record;
	const uint8_t counter[] = {0x98, 1, 0}, end[] = {0x01};

	(void)state;
	spe_stream_begin(&stream);
	plumb_spe_stream_feed(&stream, counter, sizeof(counter));
	assert_false(spe_stream_next(&stream, &record));
	stream.offset += UINT64_C(1) << 32; /* pretends that so much was read before */
	plumb_spe_stream_feed(&stream, end, sizeof(end));
	assert_true(spe_stream_next(&stream, &record));
	assert_int_equal(record.size, UINT32_MAX);
	assert_int_equal(record.offset, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_are_their_records),
		cmocka_unit_test(pieces_make_no_difference),
		cmocka_unit_test(empty_pieces_make_no_difference),
		cmocka_unit_test(cut_off_anywhere),
		cmocka_unit_test(sizes_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
