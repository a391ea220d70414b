/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/encode.h"

#include "check.h"

#include <plumb/spe.h>

#include "spe_bytes.h"

/* ---- Traces: bytes beside what they are and how perf 6.1, and later ones, put it ---- */

#define NEOVERSE_N1 0x413fd0c1

struct line {
	const char *bytes;
	uint8_t type, index;
	uint64_t payload;
	const char *text;
	const char *full; /* NULL: the same */
};

#define PAD   PLUMB_SPE_PADDING
#define EV    PLUMB_SPE_EVENTS
#define DS    PLUMB_SPE_DATA_SOURCE
#define OP    PLUMB_SPE_OPERATION
#define CTX   PLUMB_SPE_CONTEXT
#define LAT   PLUMB_SPE_COUNTER
#define ADDR  PLUMB_SPE_ADDRESS
#define TS    PLUMB_SPE_TIMESTAMP
#define ALIGN PLUMB_SPE_ALIGNMENT
#define NONE  PLUMB_SPE_INVALID

static const struct line lines[] = {
	{"00", PAD, 0, 0, "PAD", NULL},
	{"01", PLUMB_SPE_END, 0, 0, "END", NULL},
	{"71 2e 65 2f 6a 0a 00 00 00", TS, 0, 44731163950, "TS 44731163950", NULL},
	{"71 ff ff ff ff ff ff ff ff", TS, 0, UINT64_MAX, "TS -1", NULL},

	{"42 00", EV, 0, 0, "EV", NULL},
	{"52 16 00", EV, 0, 0x16, "EV RETIRED L1D-ACCESS TLB-ACCESS", NULL},
	{"52 42 00", EV, 0, 0x42, "EV RETIRED NOT-TAKEN", NULL},
	{"52 1e 03", EV, 0, 0x31e,
	 "EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS LLC-ACCESS LLC-REFILL", NULL},
	{"62 e1 0c 06 00", EV, 0, 0x60ce1,
	 "EV EXCEPTION-GEN TLB-REFILL NOT-TAKEN MISPRED REMOTE-ACCESS ALIGNMENT SVE-PARTIAL-PRED "
	 "SVE-EMPTY-PRED",
	 NULL},
	{"62 02 10 f9 03", EV, 0, 0x3f91002, "EV RETIRED",
	 "EV RETIRED TXN L2D-ACCESS L2D-MISS HITM LFB SNOOPED STREAMING-SVE SMCU LATE-PREFETCH"},
	{"72 00 20 00 04 00 00 00 80", EV, 0, 0x8000000004002000, "EV", "EV IMPDEF:13,26,63"},

	{"43 0d", DS, 0, 13, "DATA-SOURCE 13", NULL},
	{"53 00 01", DS, 0, 256, "DATA-SOURCE 256", NULL},
	{"63 ff ff ff ff", DS, 0, 0xffffffff, "DATA-SOURCE 4294967295", NULL},
	{"73 fe ff ff ff ff ff ff ff", DS, 0, 0xfffffffffffffffe, "DATA-SOURCE -2", NULL},

	{"64 80 5f 00 00", CTX, 0, 0x5f80, "CONTEXT 0x5f80 el1", NULL},
	{"65 ff ff ff ff", CTX, 1, 0xffffffff, "CONTEXT 0xffffffff el2", NULL},
	{"67 01 00 00 00", CTX, 3, 1, "CONTEXT 0x1 el4", NULL},

	{"98 0c 00", LAT, 0, 12, "LAT 12 TOT", NULL},
	{"99 04 00", LAT, 1, 4, "LAT 4 ISSUE", NULL},
	{"9a ff 0f", LAT, 2, 4095, "LAT 4095 XLAT", NULL},
	{"9f ff ff", LAT, 7, 65535, "LAT 65535 ", NULL},
	{"20 98 0c 00", LAT, 0, 12, "LAT 12 TOT", NULL},
	{"23 9f 01 00", LAT, 31, 1, "LAT 1 ", NULL},

	{"b0 d0 c2 a1 ed 66 ba ff c0", ADDR, 0, 0xc0ffba66eda1c2d0, "PC 0xffba66eda1c2d0 el2 ns=1",
	 NULL},
	{"b0 5c 8b 40 00 00 00 00 00", ADDR, 0, 0x408b5c, "PC 0x408b5c el0 ns=0", NULL},
	{"b1 e0 89 8c 86 c2 c0 ff a0", ADDR, 1, 0xa0ffc0c2868c89e0, "TGT 0xffc0c2868c89e0 el1 ns=1",
	 NULL},
	{"b2 43 da 5d e6 aa aa 00 5a", ADDR, 2, 0x5a00aaaae65dda43, "VA 0x5a00aaaae65dda43", NULL},
	{"b3 e8 09 8a d8 0b 08 00 c7", ADDR, 3, 0xc70008 * UINT64_C(0x10000000000) + 0x0bd88a09e8,
	 "PA 0x80bd88a09e8 ns=1 ch=1 pat=7", NULL},
	{"b4 10 00 00 00 00 00 00 60", ADDR, 4, 0x6000000000000010, "ADDR 0x6000000000000010 (4)",
	 "PBT 0x10 el3 ns=0"},
	{"b7 10 00 00 00 00 00 00 00", ADDR, 7, 0x10, "ADDR 0x10 (7)", NULL},
	{"20 b0 10 00 00 00 00 00 00 80", ADDR, 0, 0x8000000000000010, "PC 0x10 el0 ns=1", NULL},
	{"21 b0 10 00 00 00 00 00 00 00", ADDR, 8, 0x10, "ADDR 0x10 (8)", NULL},

	{"48 00", OP, 0, 0, "OTHER INSN-OTHER", NULL},
	{"48 01", OP, 0, 1, "OTHER COND-SELECT", NULL},
	{"48 06", OP, 0, 6, "OTHER INSN-OTHER", "OTHER ASE FP INSN-OTHER"},
	{"48 0e", OP, 0, 0x0e, "SVE-OTHER EVLEN 32 FP PRED", NULL},
	{"48 78", OP, 0, 0x78, "SVE-OTHER EVLEN 4096", NULL},
	{"48 9a", OP, 0, 0x9a, "OTHER INSN-OTHER", "SME-OTHER ETS 512 FP"},
	{"48 fc", OP, 0, 0xfc, "OTHER INSN-OTHER", "SME-OTHER ETS 4194304"},
	{"48 09", OP, 0, 0x09, "OTHER COND-SELECT", "OP-TYPE 0x9 (0)"},
	{"49 00", OP, 1, 0, "LD GP-REG", NULL},
	{"49 01", OP, 1, 1, "ST GP-REG", NULL},
	{"49 04", OP, 1, 4, "LD SIMD-FP", NULL},
	{"49 05", OP, 1, 5, "ST SIMD-FP", NULL},
	{"49 10", OP, 1, 0x10, "LD UNSPEC-REG", NULL},
	{"49 31", OP, 1, 0x31, "ST NV-SYSREG", NULL},
	{"49 14", OP, 1, 0x14, "LD", "LD MTE-TAG"},
	{"49 20", OP, 1, 0x20, "LD", "LD MEMCPY"},
	{"49 21", OP, 1, 0x21, "ST", "ST MEMCPY"},
	{"49 25", OP, 1, 0x25, "ST", "ST MEMSET"},
	{"49 24", OP, 1, 0x24, "LD", "OP-TYPE 0x24 (1)"},
	{"49 16", OP, 1, 0x16, "LD AT AR", NULL},
	{"49 0b", OP, 1, 0x0b, "ST EXCL", NULL},
	{"49 9c", OP, 1, 0x9c, "LD EVLEN 64 PRED SG", "LD SVE-SME-REG EVLEN 64 PRED SG"},
	{"49 09", OP, 1, 0x09, "ST EVLEN 32", "ST SVE-SME-REG EVLEN 32"},
	{"49 44", OP, 1, 0x44, "LD", "LD GCS COMM"},
	{"49 41", OP, 1, 0x41, "ST", "ST GCS"},
	{"4a 00", OP, 2, 0, "B", NULL},
	{"4a 01", OP, 2, 1, "B COND", NULL},
	{"4a 03", OP, 2, 3, "B COND IND", NULL},
	{"4a 0a", OP, 2, 0x0a, "B", "B IND CR-BL"},
	{"4a 16", OP, 2, 0x16, "B", "B IND GCS CR-RET"},
	{"4a 1b", OP, 2, 0x1b, "B COND", "B COND IND CR-NON-BL-RET"},
	{"4b 07", OP, 3, 7, "OP-TYPE 0x7 (3)", NULL},

	{"20 00", ALIGN, 0, 2, "PAD", NULL},
	{"21 00 00 00", ALIGN, 0, 4, "PAD", NULL},
	{"22 00 ff ff ff ff ff ff", ALIGN, 0, 8, "PAD", NULL},
	{"25 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
	 "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
	 "00 00 00 00 00 00",
	 ALIGN, 0, 64, "PAD", NULL},

	{"02", NONE, 0, 0, "Bad packet!", NULL},
	{"40", NONE, 0, 0, "Bad packet!", NULL},
	{"4c", NONE, 0, 0, "Bad packet!", NULL},
	{"61", NONE, 0, 0, "Bad packet!", NULL},
	{"ff", NONE, 0, 0, "Bad packet!", NULL},
};

#define EACH_LINE(line) \
	for (const struct line *line = lines; line < lines + sizeof(lines) / sizeof(*lines); line++)

static void each_packet_reads_as_it_should(void **state)
{
	(void)state;
	EACH_LINE(line)
	{
		uint8_t bytes[SPE_BYTES_MAX];
		size_t size = spe_bytes(line->bytes, bytes);
		struct plumb_spe_packet packet;
		char text[200];

		if (plumb_spe_decode_packet(bytes, size, 0, &packet) != (int)size)
			fail_msg("%s: %u bytes", line->bytes, packet.size);
		if (packet.type != line->type || packet.index != line->index ||
		    packet.payload != line->payload)
			fail_msg("%s: type %u, index %u, payload %llx", line->bytes, packet.type,
				 packet.index, (unsigned long long)packet.payload);
		assert_int_equal(packet.size, size);
		assert_int_equal(plumb_spe_packet_text(&packet, NEOVERSE_N1, PLUMB_PERF_6_1, text,
						       sizeof(text)),
				 strlen(line->text));
		assert_string_equal(text, line->text);
		plumb_spe_packet_text(&packet, NEOVERSE_N1, PLUMB_PERF_NEWEST, text, sizeof(text));
		assert_string_equal(text, line->full ? line->full : line->text);
	}
}

static void each_packet_is_written_as_it_was_read(void **state)
{
	(void)state;
	EACH_LINE(line)
	{
		uint8_t bytes[SPE_BYTES_MAX], again[SPE_BYTES_MAX];
		size_t size = spe_bytes(line->bytes, bytes);
		struct plumb_spe_packet packet;
		int written;

		assert_int_equal(plumb_spe_decode_packet(bytes, size, 0, &packet), size);
		written = spe_encode_packet(&packet, again, sizeof(again));
		if (line->type == NONE) {
			assert_int_equal(written, PLUMB_ERR_ARGUMENT);
			continue;
		}
		assert_int_equal(written, size);
		if (line->type == ALIGN)
			memset(bytes + 2, 0, size - 2);
		assert_memory_equal(bytes, again, size);
		for (size_t room = 0; room < size; room++)
			assert_int_equal(spe_encode_packet(&packet, again, room), PLUMB_ERR_LIMIT);
	}
}

static void a_packet_cut_off_is_none(void **state)
{
	(void)state;
	EACH_LINE(line)
	{
		uint8_t bytes[SPE_BYTES_MAX];
		size_t size = spe_bytes(line->bytes, bytes);
		struct plumb_spe_packet packet;

		for (size_t cut = 0; cut < size; cut++) {
			uint8_t *exact = malloc(cut + 1);

			assert_non_null(exact);
			memcpy(exact, bytes, cut);
			assert_int_equal(plumb_spe_decode_packet(exact, cut, 0, &packet), 0);
			free(exact);
		}
	}
}

static void all_headers_are_those_of_the_manual(void **state)
{
	(void)state;
	for (unsigned header = 0; header < 256; header++) {
		uint8_t bytes[16] = {(uint8_t)header, 0xff};
		struct plumb_spe_packet packet;
		unsigned sized = 1u << (header >> 4 & 3), type = NONE, payload = 0;

		if (header == 0x00)
			type = PAD;
		else if (header == 0x01)
			type = PLUMB_SPE_END;
		else if (header == 0x71)
			type = TS, payload = 8;
		else if ((header & 0xcf) == 0x42)
			type = EV, payload = sized;
		else if ((header & 0xcf) == 0x43)
			type = DS, payload = sized;
		else if ((header & 0xfc) == 0x48)
			type = OP, payload = 1;
		else if ((header & 0xfc) == 0x64)
			type = CTX, payload = 4;
		else if ((header & 0xf8) == 0x98)
			type = LAT, payload = 2;
		else if ((header & 0xf8) == 0xb0)
			type = ADDR, payload = 8;
		assert_int_equal(plumb_spe_decode_packet(bytes, sizeof(bytes), 0, &packet),
				 1 + payload);
		assert_int_equal(packet.type, type);
		assert_int_equal(packet.payload_bytes, payload);
		assert_int_equal(packet.header_bytes, 1);
	}
}

static void extended_headers_hold_all_indexes(void **state)
{
	(void)state;
	for (unsigned first = 0x20; first < 0x30; first++) {
		for (unsigned second = 1; second < 256; second++) {
			uint8_t bytes[16] = {(uint8_t)first, (uint8_t)second, 0x34, 0x12};
			unsigned index = (first & 3) << 3 | (second & 7);
			struct plumb_spe_packet packet;
			int size = plumb_spe_decode_packet(bytes, sizeof(bytes), 0, &packet);

			if (first < 0x24 && (second & 0xf8) == 0x98) {
				assert_int_equal(size, 4);
				assert_int_equal(packet.type, LAT);
				assert_int_equal(packet.index, index);
			} else if (first < 0x24 && (second & 0xf8) == 0xb0) {
				assert_int_equal(size, 10);
				assert_int_equal(packet.type, ADDR);
				assert_int_equal(packet.index, index);
			} else {
				assert_int_equal(size, 1);
				assert_int_equal(packet.type, NONE);
				continue;
			}
			assert_int_equal(packet.payload, 0x1234);
			assert_int_equal(packet.header_bytes, 2);
		}
	}
}

/* From any place to the next multiple that leaves room for the packet's two bytes. */
static void alignments_end_at_a_multiple(void **state)
{
	static uint8_t bytes[2 * 65536];

	(void)state;
	for (unsigned power = 0; power < 16; power++) {
		uint32_t multiple = 2u << power;

		for (uint64_t offset = 0; offset < 3 * (uint64_t)multiple;
		     offset += 1 + offset / 64) {
			struct plumb_spe_packet packet;
			uint64_t end = offset + 2;

			while (end % multiple)
				end++;
			bytes[0] = (uint8_t)(0x20 | power);
			assert_int_equal(
				plumb_spe_decode_packet(bytes, sizeof(bytes), offset, &packet),
				end - offset);
			assert_int_equal(packet.type, ALIGN);
			assert_int_equal(packet.payload, multiple);
			assert_int_equal(
				plumb_spe_decode_packet(bytes, end - offset - 1, offset, &packet),
				0);
		}
	}
}

static void what_is_no_packet_is_refused(void **state)
{
	static const struct plumb_spe_packet wrong[] = {
		{.type = EV, .payload_bytes = 3},
		{.type = EV},
		{.type = EV, .payload = 0x100, .payload_bytes = 1},
		{.type = EV, .index = 1, .payload_bytes = 1},
		{.type = EV, .payload_bytes = 1, .header_bytes = 2},
		{.type = DS, .payload = UINT64_C(1) << 32, .payload_bytes = 4},
		{.type = OP, .index = 4, .payload_bytes = 1},
		{.type = OP, .payload_bytes = 2},
		{.type = CTX, .index = 4, .payload_bytes = 4},
		{.type = CTX, .payload_bytes = 8},
		{.type = LAT, .index = 32, .payload_bytes = 2},
		{.type = LAT, .payload = 0x10000, .payload_bytes = 2},
		{.type = ADDR, .index = 32, .payload_bytes = 8},
		{.type = ADDR, .payload_bytes = 4},
		{.type = ADDR, .payload_bytes = 8, .header_bytes = 3},
		{.type = TS, .payload_bytes = 4},
		{.type = TS, .index = 1, .payload_bytes = 8},
		{.type = PAD, .payload_bytes = 1},
		{.type = PAD, .payload = 1},
		{.type = PLUMB_SPE_END, .index = 1},
		{.type = ALIGN, .payload = 1, .size = 2},
		{.type = ALIGN, .payload = 3, .size = 3},
		{.type = ALIGN, .payload = 0x20000, .size = 3},
		{.type = ALIGN, .payload = 4, .size = 1},
		{.type = ALIGN, .payload = 4, .size = 6},
		{.type = NONE},
		{.type = 255},
	};
	uint8_t bytes[32];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (spe_encode_packet(&wrong[i], bytes, sizeof(bytes)) != PLUMB_ERR_ARGUMENT)
			fail_msg("%zu is taken", i);
}

/* Version 6.12 knows part of what newer versions print. */
static void versions_in_between_know_some(void **state)
{
	static const struct {
		uint8_t class, payload;
		const char *text;
	} cases[] = {
		{1, 0x14, "LD MTE-TAG"},       {1, 0x21, "ST MEMCPY"},
		{1, 0x25, "ST MEMSET"},        {1, 0x44, "LD"},
		{1, 0x18, "LD EVLEN 64"},      {2, 0x0b, "B COND IND CR-BL"},
		{0, 0x88, "OTHER INSN-OTHER"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct plumb_spe_packet packet = {.type = OP,
							.index = cases[i].class,
							.payload = cases[i].payload,
							.payload_bytes = 1};
		char text[40];

		plumb_spe_packet_text(&packet, 0, PLUMB_PERF_6_12, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

/* Bit 12 is implementation defined: only a Neoverse N1 uses it for late prefetches. */
static void a_late_prefetch_is_known_of_one_core(void **state)
{
	struct plumb_spe_packet packet = {.type = EV, .payload = 0x1002, .payload_bytes = 2};
	char text[40];

	(void)state;
	plumb_spe_packet_text(&packet, NEOVERSE_N1, PLUMB_PERF_NEWEST, text, sizeof(text));
	assert_string_equal(text, "EV RETIRED LATE-PREFETCH");
	plumb_spe_packet_text(&packet, 0x410fd490, PLUMB_PERF_NEWEST, text, sizeof(text));
	assert_string_equal(text, "EV RETIRED IMPDEF:12");
}

/* Like snprintf(): returns the whole length, and writes as much text as fits. */
static void text_is_cut_off_at_its_room(void **state)
{
	struct plumb_spe_packet packet = {.type = EV, .payload = 0x16, .payload_bytes = 2};
	const char *whole = "EV RETIRED L1D-ACCESS TLB-ACCESS";
	char text[40];

	(void)state;
	assert_int_equal(plumb_spe_packet_text(&packet, 0, PLUMB_PERF_NEWEST, NULL, 0),
			 strlen(whole));
	for (size_t room = 1; room < sizeof(text); room++) {
		memset(text, 'x', sizeof(text));
		assert_int_equal(plumb_spe_packet_text(&packet, 0, PLUMB_PERF_NEWEST, text, room),
				 strlen(whole));
		assert_int_equal(strlen(text), room <= strlen(whole) ? room - 1 : strlen(whole));
		assert_memory_equal(text, whole, strlen(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_packet_reads_as_it_should),
		cmocka_unit_test(each_packet_is_written_as_it_was_read),
		cmocka_unit_test(a_packet_cut_off_is_none),
		cmocka_unit_test(all_headers_are_those_of_the_manual),
		cmocka_unit_test(extended_headers_hold_all_indexes),
		cmocka_unit_test(alignments_end_at_a_multiple),
		cmocka_unit_test(what_is_no_packet_is_refused),
		cmocka_unit_test(versions_in_between_know_some),
		cmocka_unit_test(a_late_prefetch_is_known_of_one_core),
		cmocka_unit_test(text_is_cut_off_at_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
