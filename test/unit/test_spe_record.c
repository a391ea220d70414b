/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are written, and what is read from their payloads: operations, addresses, names. */
#include "spe/encode.h"

#include "check.h"

#include <plumb/spe.h>

#include "spe_bytes.h"

#define LOAD                                                                                \
	(PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_CONTEXT_EL2 | PLUMB_SPE_HAS_OPERATION |           \
	 PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_ISSUE_LATENCY | PLUMB_SPE_HAS_TOTAL_LATENCY | \
	 PLUMB_SPE_HAS_DATA_VIRTUAL | PLUMB_SPE_HAS_TRANSLATION_LATENCY |                   \
	 PLUMB_SPE_HAS_DATA_SOURCE | PLUMB_SPE_HAS_TIMESTAMP)

/* ---- The Neoverse layout ---- */

static void check_layout(const struct plumb_spe_record *record, enum spe_layout layout,
			 const char *expected)
{
	uint8_t bytes[SPE_BYTES_MAX], got[SPE_RECORD_MAX];
	size_t size = spe_bytes(expected, bytes);

	assert_int_equal(spe_encode_record(record, layout, got, sizeof(got)), size);
	assert_memory_equal(got, bytes, size);
	for (size_t room = 0; room < size; room++)
		assert_int_equal(spe_encode_record(record, layout, got, room), PLUMB_ERR_LIMIT);
}

/* Two records of a real core: those in the unit test of quipper, which reads perf's recordings. */
static void as_a_real_core_writes_them(void **state)
{
	const struct plumb_spe_record load = {
		.has = LOAD,
		.addresses = {0xc0ffba66eda1c2d0, 0, 0x00ff0e3703096b28},
		.contexts = {0, 0x5f80},
		.op_class = PLUMB_SPE_LOAD_STORE,
		.events = 0x16,
		.counters = {12, 4, 1},
		.timestamp = 44731163950,
	};
	const struct plumb_spe_record branch = {
		.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_BRANCH_TARGET | PLUMB_SPE_HAS_CONTEXT_EL2 |
		       PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_EVENTS |
		       PLUMB_SPE_HAS_ISSUE_LATENCY | PLUMB_SPE_HAS_TOTAL_LATENCY |
		       PLUMB_SPE_HAS_TIMESTAMP,
		.addresses = {0xc0ffba66edefb0e0, 0xc0ffba66edefb0e4},
		.contexts = {0, 0xe},
		.op_class = PLUMB_SPE_BRANCH,
		.operation = 1,
		.events = 0x42,
		.counters = {17, 16},
		.timestamp = 44731164045,
	};

	(void)state;
	check_layout(&load, SPE_LAYOUT_NEOVERSE,
		     "b0 d0 c2 a1 ed 66 ba ff c0 " /* PC */
		     "00 00 00 00 00 "
		     "65 80 5f 00 00 "             /* CONTEXT el2 */
		     "49 00 "                      /* LD GP-REG */
		     "52 16 00 "                   /* EV */
		     "99 04 00 "                   /* LAT ISSUE */
		     "98 0c 00 "                   /* LAT TOT */
		     "b2 28 6b 09 03 37 0e ff 00 " /* VA */
		     "9a 01 00 "                   /* LAT XLAT */
		     "00 00 00 00 00 00 00 00 00 "
		     "43 00 " /* DATA-SOURCE */
		     "00 00 "
		     "71 2e 65 2f 6a 0a 00 00 00"); /* TS */
	check_layout(&branch, SPE_LAYOUT_NEOVERSE,
		     "b0 e0 b0 ef ed 66 ba ff c0 "
		     "00 00 00 00 00 "
		     "65 0e 00 00 00 "
		     "4a 01 "
		     "52 42 00 "
		     "99 10 00 "
		     "98 11 00 "
		     "b1 e4 b0 ef ed 66 ba ff c0 "
		     "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
		     "71 8d 65 2f 6a 0a 00 00 00");
	check_layout(&branch, SPE_LAYOUT_COMPACT,
		     "b0 e0 b0 ef ed 66 ba ff c0 65 0e 00 00 00 4a 01 52 42 00 99 10 00 98 11 00 "
		     "b1 e4 b0 ef ed 66 ba ff c0 71 8d 65 2f 6a 0a 00 00 00");
}

/* Longer events shift what follows them; a load has just enough room. */
static void longer_payloads_push_on(void **state)
{
	struct plumb_spe_record record = {
		.has = LOAD | PLUMB_SPE_HAS_CONTEXT_EL1 | PLUMB_SPE_HAS_DATA_PHYSICAL,
		.addresses = {1, 0, 2, 3},
		.contexts = {4, 5},
		.op_class = PLUMB_SPE_LOAD_STORE,
		.events = 0x80002,
		.counters = {6, 7, 8},
		.data_source = 9,
		.timestamp = 10,
	};

	(void)state;
	check_layout(&record, SPE_LAYOUT_NEOVERSE,
		     "b0 01 00 00 00 00 00 00 00 "
		     "64 04 00 00 00 65 05 00 00 00 "
		     "49 00 "
		     "62 02 00 08 00 "
		     "99 07 00 98 06 00 "
		     "b2 02 00 00 00 00 00 00 00 "
		     "9a 08 00 "
		     "b3 03 00 00 00 00 00 00 00 "
		     "43 09 "
		     "71 0a 00 00 00 00 00 00 00");
	record.has = PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_DATA_SOURCE;
	record.events_bytes = 8;
	record.data_source_bytes = 2;
	check_layout(&record, SPE_LAYOUT_COMPACT, "72 02 00 08 00 00 00 00 00 53 09 00 01");
}

/* The longest record takes two times 64 bytes. */
static void a_full_record_takes_128_bytes(void **state)
{
	struct plumb_spe_record record = {.has = 0x3fff, .events_bytes = 8, .data_source_bytes = 8};
	uint8_t bytes[SPE_RECORD_MAX];

	(void)state;
	assert_int_equal(spe_encode_record(&record, SPE_LAYOUT_NEOVERSE, bytes, sizeof(bytes)),
			 128);
	assert_int_equal(bytes[128 - 9], 0x71);
	record.has &= ~(uint32_t)PLUMB_SPE_HAS_TIMESTAMP;
	assert_int_equal(spe_encode_record(&record, SPE_LAYOUT_NEOVERSE, bytes, sizeof(bytes)),
			 128);
	assert_int_equal(bytes[127], 0x01);
	assert_true(spe_encode_record(&record, SPE_LAYOUT_COMPACT, bytes, sizeof(bytes)) < 128);
}

static void an_empty_record_is_an_end(void **state)
{
	const struct plumb_spe_record record = {.has = 0};

	(void)state;
	check_layout(&record, SPE_LAYOUT_COMPACT, "01");
	check_layout(&record, SPE_LAYOUT_NEOVERSE,
		     "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
		     "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
		     "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
		     "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01");
}

static void what_no_packet_can_say_is_refused(void **state)
{
	static const struct plumb_spe_record wrong[] = {
		{.has = PLUMB_SPE_HAS_EVENTS, .events = 0x100, .events_bytes = 1},
		{.has = PLUMB_SPE_HAS_EVENTS, .events_bytes = 5},
		{.has = PLUMB_SPE_HAS_DATA_SOURCE, .data_source = 0x10000, .data_source_bytes = 2},
		{.has = PLUMB_SPE_HAS_OPERATION, .op_class = 4},
	};
	uint8_t bytes[SPE_RECORD_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(
			spe_encode_record(&wrong[i], SPE_LAYOUT_COMPACT, bytes, sizeof(bytes)),
			PLUMB_ERR_ARGUMENT);
}

/* ---- What payloads say ---- */

static const struct {
	uint8_t op_class, payload, kind, subclass;
	uint16_t flags;
	uint32_t vector_bits;
} operations[] = {
#define OTHER      PLUMB_SPE_OTHER
#define ACCESS     PLUMB_SPE_LOAD_STORE
#define BRANCH     PLUMB_SPE_BRANCH
#define KIND(name) PLUMB_SPE_KIND_##name
#define SUB(name)  PLUMB_SPE_SUB_##name
#define OP(name)   PLUMB_SPE_OP_##name
	{OTHER, 0x00, KIND(OTHER), SUB(NONE), 0, 0},
	{OTHER, 0x01, KIND(OTHER), SUB(NONE), OP(CONDITIONAL), 0},
	{OTHER, 0x02, KIND(OTHER), SUB(NONE), OP(FP), 0},
	{OTHER, 0x06, KIND(OTHER), SUB(NONE), OP(FP) | OP(SIMD), 0},
	{OTHER, 0x08, KIND(OTHER), SUB(SVE), 0, 32},
	{OTHER, 0x2e, KIND(OTHER), SUB(SVE), OP(FP) | OP(PREDICATED), 128},
	{OTHER, 0x78, KIND(OTHER), SUB(SVE), 0, 4096},
	{OTHER, 0x88, KIND(OTHER), SUB(SME), 0, 128},
	{OTHER, 0x8c, KIND(OTHER), SUB(SME), 0, 256},
	{OTHER, 0x9a, KIND(OTHER), SUB(SME), OP(FP), 512},
	{OTHER, 0xfc, KIND(OTHER), SUB(SME), 0, 4194304},
	{OTHER, 0x09, KIND(OTHER), SUB(UNKNOWN), 0, 0},
	{OTHER, 0x80, KIND(OTHER), SUB(UNKNOWN), 0, 0},
	{OTHER, 0x10, KIND(OTHER), SUB(UNKNOWN), 0, 0},
	{ACCESS, 0x00, KIND(LOAD), SUB(GENERAL), 0, 0},
	{ACCESS, 0x01, KIND(STORE), SUB(GENERAL), 0, 0},
	{ACCESS, 0x04, KIND(LOAD), SUB(SIMD_FP), 0, 0},
	{ACCESS, 0x11, KIND(STORE), SUB(UNSPECIFIED), 0, 0},
	{ACCESS, 0x14, KIND(LOAD), SUB(TAG), 0, 0},
	{ACCESS, 0x20, KIND(LOAD), SUB(MEMORY_COPY), 0, 0},
	{ACCESS, 0x21, KIND(STORE), SUB(MEMORY_COPY), 0, 0},
	{ACCESS, 0x25, KIND(STORE), SUB(MEMORY_SET), 0, 0},
	{ACCESS, 0x24, KIND(LOAD), SUB(UNKNOWN), 0, 0},
	{ACCESS, 0x30, KIND(LOAD), SUB(NESTED_VIRTUAL), 0, 0},
	{ACCESS, 0x02, KIND(LOAD), SUB(EXTENDED), 0, 0},
	{ACCESS, 0x06, KIND(LOAD), SUB(EXTENDED), OP(ATOMIC), 0},
	{ACCESS, 0x0b, KIND(STORE), SUB(EXTENDED), OP(EXCLUSIVE), 0},
	{ACCESS, 0x1e, KIND(LOAD), SUB(EXTENDED), OP(ATOMIC) | OP(EXCLUSIVE) | OP(ACQUIRE_RELEASE),
	 0},
	{ACCESS, 0x42, KIND(LOAD), SUB(UNKNOWN), 0, 0},
	{ACCESS, 0x08, KIND(LOAD), SUB(SVE_SME), 0, 32},
	{ACCESS, 0xad, KIND(STORE), SUB(SVE_SME), OP(PREDICATED) | OP(GATHER_SCATTER), 128},
	{ACCESS, 0x40, KIND(LOAD), SUB(GCS), OP(GCS), 0},
	{ACCESS, 0x45, KIND(STORE), SUB(GCS), OP(GCS) | OP(COMMON), 0},
	{ACCESS, 0x60, KIND(LOAD), SUB(UNKNOWN), 0, 0},
	{ACCESS, 0x81, KIND(STORE), SUB(UNKNOWN), 0, 0},
	{BRANCH, 0x00, KIND(BRANCH), SUB(DIRECT), 0, 0},
	{BRANCH, 0x01, KIND(BRANCH), SUB(DIRECT), OP(CONDITIONAL), 0},
	{BRANCH, 0x02, KIND(BRANCH), SUB(INDIRECT), 0, 0},
	{BRANCH, 0x08, KIND(BRANCH), SUB(DIRECT), OP(LINK), 0},
	{BRANCH, 0x0a, KIND(BRANCH), SUB(INDIRECT), OP(LINK), 0},
	{BRANCH, 0x16, KIND(BRANCH), SUB(INDIRECT), OP(GCS) | OP(RETURN), 0},
	{BRANCH, 0x18, KIND(BRANCH), SUB(DIRECT), 0, 0},
	{3, 0x00, KIND(UNKNOWN), SUB(UNKNOWN), 0, 0},
	{255, 0xff, KIND(UNKNOWN), SUB(UNKNOWN), 0, 0},
};

static void operations_by_class_and_payload(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		struct plumb_spe_operation got =
			plumb_spe_operation(operations[i].op_class, operations[i].payload);

		if (got.kind != operations[i].kind || got.subclass != operations[i].subclass ||
		    got.flags != operations[i].flags ||
		    got.vector_bits != operations[i].vector_bits)
			fail_msg("class %u, payload 0x%02x: %s, %s, flags 0x%x, %u bits",
				 operations[i].op_class, operations[i].payload,
				 plumb_spe_kind_name(got.kind),
				 plumb_spe_subclass_name(got.subclass), got.flags, got.vector_bits);
	}
}

static void all_operations_have_names(void **state)
{
	(void)state;
	for (unsigned op_class = 0; op_class < 5; op_class++) {
		for (unsigned payload = 0; payload < 256; payload++) {
			struct plumb_spe_operation op =
				plumb_spe_operation((uint8_t)op_class, (uint8_t)payload);

			assert_true(op.kind <= KIND(UNKNOWN) && op.subclass <= SUB(UNKNOWN));
			assert_non_null(plumb_spe_kind_name(op.kind));
			assert_non_null(plumb_spe_subclass_name(op.subclass));
		}
	}
	assert_string_equal(plumb_spe_kind_name(KIND(LOAD)), "load");
	assert_string_equal(plumb_spe_kind_name(KIND(STORE)), "store");
	assert_string_equal(plumb_spe_kind_name(KIND(BRANCH)), "branch");
	assert_string_equal(plumb_spe_kind_name(KIND(UNKNOWN)), "other");
	assert_string_equal(plumb_spe_subclass_name(SUB(SIMD_FP)), "simd-fp");
	assert_string_equal(plumb_spe_subclass_name(1000), "unknown");
}

static void addresses_are_sign_extended(void **state)
{
	(void)state;
	/*
	 * EL0; EL1, a kernel address; EL2, a host kernel address; EL2 without: not a kernel
	 * address.
	 */
	assert_int_equal(plumb_spe_code_address(0x8000aaaae4a9b600), 0x0000aaaae4a9b600);
	assert_int_equal(plumb_spe_code_address(0xa0ff80001029d3f4), 0xffff80001029d3f4);
	assert_int_equal(plumb_spe_code_address(0xc0ffba66eda1c2d0), 0xffffba66eda1c2d0);
	assert_int_equal(plumb_spe_code_address(0xc0000000eda1c2d0), 0x00000000eda1c2d0);
	assert_int_equal(plumb_spe_code_address(0x80ff80001029d3f4), 0x00ff80001029d3f4);
	assert_int_equal(plumb_spe_exception_level(0xc0ffba66eda1c2d0), 2);
	assert_int_equal(plumb_spe_exception_level(0xe000000000000000), 3);
	assert_true(plumb_spe_non_secure(0x8000000000000000));
	assert_false(plumb_spe_non_secure(0x7fffffffffffffff));
	/* A tagged address, and a kernel address. */
	assert_int_equal(plumb_spe_virtual_address(0x5a00aaaae65dda43), 0x0000aaaae65dda43);
	assert_int_equal(plumb_spe_virtual_address(0x00ff0e3703096b28), 0xffff0e3703096b28);
	assert_int_equal(plumb_spe_virtual_address(0x5affba6603096b28), 0xffffba6603096b28);
	assert_int_equal(plumb_spe_physical_address(0xc70880bd88a09e80), 0x000880bd88a09e80);
}

static void events_have_perfs_names(void **state)
{
	(void)state;
	assert_string_equal(plumb_spe_event_name(0, PLUMB_SPE_EV_L1D_REFILL), "L1D-REFILL");
	assert_string_equal(plumb_spe_event_name(0, PLUMB_SPE_EV_TLB_WALK), "TLB-REFILL");
	assert_string_equal(plumb_spe_event_name(0, PLUMB_SPE_EV_SHARED_SME), "SMCU");
	assert_null(plumb_spe_event_name(0, 13));
	assert_null(plumb_spe_event_name(0, 63));
	assert_null(plumb_spe_event_name(0, 64));
}

static void data_sources_by_core(void **state)
{
	static const struct {
		uint32_t midr;
		uint64_t number;
		const char *name;
	} sources[] = {
		{0x410fd8e0, 0x0, "L1D"},
		{0x411fd0c1, 0x8, "L2"},
		{0x410fd490, 0xe, "DRAM"},
		{0x6d0fd493, 0xd, "remote socket"},
		{0x410fd401, 0xb, "system cache"},
		{0x410fd821, 0xc, "peer cluster"},
		{0x410fd8e0, 0x1, NULL},
		{0x410fd8e0, 0x100000000, NULL},
		{0xc00fac30, 0x7, "DDR"},
		{0xc00fac40, 0x9, "L2D"},
		{0xc00fac30, 0xe, NULL},
		{0x480fd060, 18, "L1"},
		{0x480fd060, 3, "L3, modified"},
		{0x480fd010, 18, NULL},
		{0x410fd050, 0x0, NULL},
		{0, 0, NULL},
		{0xffffffff, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		const char *name = plumb_spe_data_source_name(sources[i].midr, sources[i].number);

		if (sources[i].name)
			assert_string_equal(name, sources[i].name);
		else
			assert_null(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_a_real_core_writes_them),
		cmocka_unit_test(longer_payloads_push_on),
		cmocka_unit_test(a_full_record_takes_128_bytes),
		cmocka_unit_test(an_empty_record_is_an_end),
		cmocka_unit_test(what_no_packet_can_say_is_refused),
		cmocka_unit_test(operations_by_class_and_payload),
		cmocka_unit_test(all_operations_have_names),
		cmocka_unit_test(addresses_are_sign_extended),
		cmocka_unit_test(events_have_perfs_names),
		cmocka_unit_test(data_sources_by_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
