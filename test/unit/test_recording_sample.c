/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: each sample_type alone, all together, and each read_format. */
#include "recording_builder.h"

#define ALL_TYPES     ((UINT64_C(1) << 24) - 1) /* with WEIGHT, which excludes WEIGHT_STRUCT */
#define WEIGHT_STRUCT (UINT64_C(1) << 24)

static struct built_attr sampled(uint64_t type)
{
	return (struct built_attr){
		.type = 1,
		.period = 4000,
		.sample_type = type,
		.read_format = 31,
		.regs_user = 0x13,
		.regs_intr = UINT64_C(1) << 63 | 1,
		.branches = 1 << 17,
		.ids = {0x77},
		.id_count = 1,
	};
}

/* mispredicted, aborted, 300 cycles, a call, speculative, extended type 5, privilege 2 */
static void put_branch_flags(struct build *b)
{
	static const struct {
		unsigned value, width;
	} fields[] = {{1, 1}, {0, 1}, {0, 1}, {1, 1}, {300, 16}, {4, 4}, {1, 2}, {5, 4}, {2, 3}};
	uint64_t flags = 0;
	unsigned at = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const unsigned place = b->big ? 64 - at - fields[i].width : at;

		flags |= (uint64_t)fields[i].value << place;
		at += fields[i].width;
	}
	put64(b, flags);
}
#define BRANCH_FLAGS (1 | 1 << 3 | 300 << 4 | 4 << 20 | 1 << 24 | 5 << 26 | UINT64_C(2) << 30)

static void put_lists(struct build *b, uint64_t type)
{
	if (type & READ) {
		put64(b, 2);
		put64(b, 1000);
		put64(b, 900);
		for (uint64_t i = 0; i < 2; i++) {
			put64(b, 50 + i);
			put64(b, 60 + i);
			put64(b, 70 + i);
		}
	}
	if (type & CALLCHAIN) {
		put64(b, 3);
		put64(b, (uint64_t)-512);
		put64(b, 0x400100);
		put64(b, 0x400200);
	}
	if (type & RAW) {
		put32(b, 12);
		put_bytes(b, "raw data....", 12);
	}
	if (type & BRANCHES) {
		put64(b, 2);
		put64(b, 9);
		for (uint64_t i = 0; i < 2; i++) {
			put64(b, 0x1000 + i);
			put64(b, 0x2000 + i);
			put_branch_flags(b);
		}
	}
	if (type & REGS_USER) {
		put64(b, 2);
		put64(b, 0xa0);
		put64(b, 0xa1);
		put64(b, 0xa4);
	}
	if (type & STACK_USER) {
		put64(b, 16);
		put_bytes(b, "stack of 16 byte", 16);
		put64(b, 10);
	}
}

static void put_sample(struct build *b, uint64_t type)
{
	begin(b, 9, 2);
	if (type & IDENTIFIER)
		put64(b, 0x77);
	if (type & IP)
		put64(b, 0x400000);
	if (type & TID) {
		put32(b, 11);
		put32(b, 12);
	}
	if (type & TIME)
		put64(b, 0x123456789abc);
	if (type & ADDR)
		put64(b, 0x7fff0000);
	if (type & ID)
		put64(b, 0x77);
	if (type & STREAM)
		put64(b, 0x78);
	if (type & CPU) {
		put32(b, 3);
		put32(b, 0xdead);
	}
	if (type & PERIOD)
		put64(b, 5000);
	put_lists(b, type);
	if (type & (WEIGHT | WEIGHT_STRUCT))
		put64(b, 0x0003000200000001);
	if (type & DATA_SRC)
		put64(b, 0x68100142);
	if (type & TRANSACTION)
		put64(b, 0x21);
	if (type & REGS_INTR) {
		put64(b, 1);
		put64(b, 0xb0);
		put64(b, 0xb3f);
	}
	if (type & PHYS_ADDR)
		put64(b, 0x80000000);
	if (type & CGROUP)
		put64(b, 0x99);
	if (type & DATA_PAGE)
		put64(b, 4096);
	if (type & CODE_PAGE)
		put64(b, 65536);
	if (type & AUX) {
		put64(b, 8);
		put_bytes(b, "aux data", 8);
	}
	end(b);
}

static void check_lists(const struct plumb_sample *sample, uint64_t type)
{
	if (type & READ) {
		assert_int_equal(sample->read_count, 2);
		assert_int_equal(sample->time_enabled, 1000);
		assert_int_equal(sample->time_running, 900);
		assert_int_equal(sample->reads[1].value, 51);
		assert_int_equal(sample->reads[1].id, 61);
		assert_int_equal(sample->reads[1].lost, 71);
	}
	assert_int_equal(sample->callchain_length, type & CALLCHAIN ? 3 : 0);
	if (type & CALLCHAIN) {
		assert_int_equal(sample->callchain[0], (uint64_t)-512);
		assert_int_equal(sample->callchain[2], 0x400200);
	}
	assert_int_equal(sample->raw_size, type & RAW ? 12 : 0);
	if (type & RAW)
		assert_memory_equal(sample->raw, "raw data....", 12);
	assert_int_equal(sample->branch_count, type & BRANCHES ? 2 : 0);
	if (type & BRANCHES) {
		assert_int_equal(sample->branch_hw_index, 9);
		assert_int_equal(sample->branches[1].from, 0x1001);
		assert_int_equal(sample->branches[1].to, 0x2001);
		assert_int_equal(sample->branches[1].flags, BRANCH_FLAGS);
	}
	assert_int_equal(sample->user_register_count, type & REGS_USER ? 3 : 0);
	if (type & REGS_USER) {
		assert_int_equal(sample->user_abi, 2);
		assert_int_equal(sample->user_registers[2], 0xa4);
	}
	assert_int_equal(sample->user_stack_size, type & STACK_USER ? 10 : 0);
	if (type & STACK_USER)
		assert_memory_equal(sample->user_stack, "stack of 1", 10);
	assert_int_equal(sample->intr_register_count, type & REGS_INTR ? 2 : 0);
	if (type & REGS_INTR) {
		assert_int_equal(sample->intr_abi, 1);
		assert_int_equal(sample->intr_registers[1], 0xb3f);
	}
	assert_int_equal(sample->aux_size, type & AUX ? 8 : 0);
	if (type & AUX)
		assert_memory_equal(sample->aux, "aux data", 8);
}

static void check_sample(const struct plumb_record *record, uint64_t type)
{
	const struct plumb_sample *sample = &record->sample;
	uint32_t has = 0;

	has |= type & TID ? PLUMB_RECORD_HAS_PID : 0;
	has |= type & TIME ? PLUMB_RECORD_HAS_TIME : 0;
	has |= type & CPU ? PLUMB_RECORD_HAS_CPU : 0;
	has |= type & (ID | IDENTIFIER) ? PLUMB_RECORD_HAS_ID : 0;
	has |= type & STREAM ? PLUMB_RECORD_HAS_STREAM : 0;
	assert_int_equal(record->has, has);
	assert_non_null(record->event);
	assert_int_equal(record->pid, type & TID ? 11 : 0);
	assert_int_equal(record->tid, type & TID ? 12 : 0);
	assert_int_equal(record->time, type & TIME ? 0x123456789abc : 0);
	assert_int_equal(record->cpu, type & CPU ? 3 : 0);
	assert_int_equal(record->id, type & (ID | IDENTIFIER) ? 0x77 : 0);
	assert_int_equal(record->stream_id, type & STREAM ? 0x78 : 0);
	assert_int_equal(sample->ip, type & IP ? 0x400000 : 0);
	assert_int_equal(sample->address, type & ADDR ? 0x7fff0000 : 0);
	/* If missing, the event's value is used. */
	assert_int_equal(sample->period, type & PERIOD ? 5000 : 4000);
	assert_int_equal(sample->data_source, type & DATA_SRC ? 0x68100142 : 0);
	assert_int_equal(sample->transaction, type & TRANSACTION ? 0x21 : 0);
	assert_int_equal(sample->physical_address, type & PHYS_ADDR ? 0x80000000 : 0);
	assert_int_equal(sample->cgroup, type & CGROUP ? 0x99 : 0);
	assert_int_equal(sample->data_page_size, type & DATA_PAGE ? 4096 : 0);
	assert_int_equal(sample->code_page_size, type & CODE_PAGE ? 65536 : 0);
	if (type & WEIGHT)
		assert_int_equal(sample->weight, 0x0003000200000001);
	if (type & WEIGHT_STRUCT) {
		assert_int_equal(sample->weight, 1);
		assert_int_equal(sample->weight2, 2);
		assert_int_equal(sample->weight3, 3);
	}
	check_lists(sample, type);
}

static void round_trip(struct build *b, uint64_t type)
{
	const struct built_attr attr = sampled(type);
	struct plumb_record record;
	struct opened opened;

	build_begin(b, &attr, 1);
	put_sample(b, type);
	opened = open_built(b);
	record = next_of(&opened, PLUMB_RECORD_SAMPLE);
	check_sample(&record, type);
	no_more(&opened);
	assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
	opened_close(&opened);
}

static void every_member_by_itself(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 25; bit++) {
		FOR_EACH_FORM(b)
		{
			round_trip(b, UINT64_C(1) << bit);
		}
	}
}

static void every_member_but_one(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 25; bit++) {
		FOR_EACH_FORM(b)
		{
			round_trip(b, ALL_TYPES & ~(UINT64_C(1) << bit));
		}
	}
	FOR_EACH_FORM(b)
	{
		round_trip(b, (ALL_TYPES & ~(uint64_t)WEIGHT) | WEIGHT_STRUCT);
	}
}

static void put_read(struct build *b, uint64_t format)
{
	const uint64_t count = format & 8 ? 3 : 1;

	begin(b, 9, 2);
	if (format & 8)
		put64(b, count);
	else
		put64(b, 50);
	if (format & 1)
		put64(b, 1000);
	if (format & 2)
		put64(b, 900);
	for (uint64_t i = 0; i < count; i++) {
		if (format & 8)
			put64(b, 50 + i);
		if (format & 4)
			put64(b, 60 + i);
		if (format & 16)
			put64(b, 70 + i);
	}
	end(b);
}

static void every_read_format(void **state)
{
	(void)state;
	for (uint64_t format = 0; format < 32; format++) {
		FOR_EACH_FORM(b)
		{
			struct built_attr attr = sampled(READ);
			const uint64_t last = format & 8 ? 2 : 0;
			struct plumb_record record;
			struct opened opened;

			attr.read_format = format;
			build_begin(b, &attr, 1);
			put_read(b, format);
			opened = open_built(b);
			record = next_of(&opened, PLUMB_RECORD_SAMPLE);
			assert_int_equal(record.sample.read_count, last + 1);
			assert_int_equal(record.sample.time_enabled, format & 1 ? 1000 : 0);
			assert_int_equal(record.sample.time_running, format & 2 ? 900 : 0);
			assert_int_equal(record.sample.reads[last].value, 50 + last);
			assert_int_equal(record.sample.reads[last].id, format & 4 ? 60 + last : 0);
			assert_int_equal(record.sample.reads[last].lost,
					 format & 16 ? 70 + last : 0);
			opened_close(&opened);
		}
	}
}

static void registers_and_stack_may_be_absent(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct built_attr attr = sampled(REGS_USER | STACK_USER | REGS_INTR);
		struct plumb_record record;
		struct opened opened;

		build_begin(b, &attr, 1);
		begin(b, 9, 2);
		put_zeros(b, 24);
		end(b);
		opened = open_built(b);
		record = next_of(&opened, PLUMB_RECORD_SAMPLE);
		assert_int_equal(record.sample.user_register_count, 0);
		assert_int_equal(record.sample.user_stack_size, 0);
		assert_int_equal(record.sample.intr_register_count, 0);
		opened_close(&opened);
	}
}

/* One counter value per branch, since Linux 6.8. */
static void branch_counters_are_passed(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct built_attr attr = sampled(BRANCHES | DATA_SRC);
		struct plumb_record record;
		struct opened opened;

		attr.branches = 1 << 19;
		build_begin(b, &attr, 1);
		begin(b, 9, 2);
		put64(b, 1);
		put64(b, 0x1000);
		put64(b, 0x2000);
		put_branch_flags(b);
		put64(b, 0xc0);
		put64(b, 0xd0);
		end(b);
		opened = open_built(b);
		record = next_of(&opened, PLUMB_RECORD_SAMPLE);
		assert_int_equal(record.sample.branch_hw_index, 0);
		assert_int_equal(record.sample.branches[0].flags, BRANCH_FLAGS);
		assert_int_equal(record.sample.data_source, 0xd0);
		opened_close(&opened);
	}
}

/* ---- Which event a sample is of ---------------------------------------------------------------
 */

static void check_two_events(struct build *b, uint64_t first, uint64_t second)
{
	struct built_attr attrs[2] = {sampled(first), sampled(second)};
	struct plumb_record record;
	struct opened opened;

	attrs[0].ids[0] = 0x66;
	build_begin(b, attrs, 2);
	put_sample(b, second);
	opened = open_built(b);
	record = next_of(&opened, PLUMB_RECORD_SAMPLE);
	assert_ptr_equal(record.event, plumb_recording_event(opened.recording, 1));
	check_sample(&record, second);
	opened_close(&opened);
}

static void ids_tell_events_apart(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		check_two_events(b, IDENTIFIER | IP, IDENTIFIER | IP | TID | ADDR | CALLCHAIN);
	}
	FOR_EACH_FORM(b)
	{
		check_two_events(b, ID | IP | TID | TIME | ADDR,
				 ID | IP | TID | TIME | ADDR | CPU | PERIOD);
	}
}

static void an_unknown_id_is_of_no_event(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct built_attr attrs[2] = {sampled(IDENTIFIER | IP), sampled(IDENTIFIER | ADDR)};
		struct plumb_record record;
		struct opened opened;

		attrs[0].ids[0] = 1;
		attrs[1].ids[0] = 2;
		build_begin(b, attrs, 2);
		put_sample(b, IDENTIFIER | IP);
		opened = open_built(b);
		record = next_of(&opened, PLUMB_RECORD_SAMPLE);
		assert_null(record.event);
		assert_int_equal(record.sample.ip, 0);
		assert_true(has_finding(opened.diagnostics, "unknown-event"));
		opened_close(&opened);
	}
	/* With equal layouts, samples can still be read. */
	FOR_EACH_FORM(b)
	{
		struct built_attr attrs[2] = {sampled(IDENTIFIER | IP), sampled(IDENTIFIER | IP)};
		struct plumb_record record;
		struct opened opened;

		attrs[0].ids[0] = 1;
		attrs[1].ids[0] = 2;
		build_begin(b, attrs, 2);
		put_sample(b, IDENTIFIER | IP);
		opened = open_built(b);
		record = next_of(&opened, PLUMB_RECORD_SAMPLE);
		assert_null(record.event);
		assert_int_equal(record.sample.ip, 0x400000);
		opened_close(&opened);
	}
}

static void many_ids_are_found(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct built_attr attrs[100];
		struct opened opened;

		for (uint64_t i = 0; i < 100; i++) {
			attrs[i] = sampled(IDENTIFIER | IP);
			attrs[i].id_count = 4;
			for (uint64_t k = 0; k < 4; k++)
				attrs[i].ids[k] = (4 * i + k + 1) << 20;
		}
		build_begin(b, attrs, 100);
		for (uint64_t i = 0; i < 400; i++) {
			begin(b, 9, 2);
			put64(b, (i + 1) << 20);
			put64(b, i);
			end(b);
		}
		opened = open_built(b);
		for (uint64_t i = 0; i < 400; i++) {
			struct plumb_record record = next_of(&opened, PLUMB_RECORD_SAMPLE);

			assert_int_equal(record.sample.ip, i);
			assert_ptr_equal(record.event,
					 plumb_recording_event(opened.recording, i / 4));
		}
		opened_close(&opened);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_by_itself),
		cmocka_unit_test(every_member_but_one),
		cmocka_unit_test(every_read_format),
		cmocka_unit_test(registers_and_stack_may_be_absent),
		cmocka_unit_test(branch_counters_are_passed),
		cmocka_unit_test(ids_tell_events_apart),
		cmocka_unit_test(an_unknown_id_is_of_no_event),
		cmocka_unit_test(many_ids_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
