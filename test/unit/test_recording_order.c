/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which records are read. */
#include "recording_builder.h"

#include "recording/access.h"
#include "recording/order.h"

static const struct built_attr timed = {
	.type = 1,
	.sample_type = TID | TIME | CPU,
	.flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL),
};

static void put_sample(struct build *b, uint64_t time, uint32_t cpu)
{
	begin(b, 9, 1);
	put64(b, 0);
	put64(b, time);
	put32(b, cpu);
	put32(b, 0);
	end(b);
}

static void put_comm(struct build *b, uint64_t time)
{
	begin(b, 3, 0);
	put64(b, 0);
	put_text(b, "name", 8);
	put64(b, 0);
	put64(b, time);
	put64(b, 0);
	end(b);
}

static void put_round(struct build *b)
{
	begin(b, 68, 0);
	end(b);
}

/* The times of the records read; 0 for a round, 1 for a record without a time. */
static void check_given(struct opened *opened, const uint64_t *times, size_t count)
{
	struct plumb_record record;

	for (size_t i = 0; i < count;) {
		uint64_t time;

		assert_int_equal(recording_next(opened->recording, &record), 1);
		if (record.type == PLUMB_RECORD_HEADER_ATTR)
			continue;
		time = record.has & PLUMB_RECORD_HAS_TIME ? record.time : 1;
		if (record.type == PLUMB_RECORD_FINISHED_ROUND)
			time = 0;
		assert_int_equal(time, times[i]);
		i++;
	}
	no_more(opened);
}
#define CHECK_GIVEN(opened, ...)                             \
	check_given(opened, (const uint64_t[]){__VA_ARGS__}, \
		    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void cpus_are_merged(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;

		build_begin(b, &timed, 1);
		put_sample(b, 100, 0);
		put_sample(b, 300, 0);
		put_comm(b, 500);
		put_sample(b, 200, 1);
		put_comm(b, 400);
		put_sample(b, 150, 2);
		opened = open_built(b);
		CHECK_GIVEN(&opened, 100, 150, 200, 300, 400, 500);
		assert_int_equal(plumb_recording_losses(opened.recording)->out_of_order, 0);
		opened_close(&opened);
	}
}

/* The end of a round may be older than the next round's records, but not than later ones. */
static void rounds_let_records_go(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;

		build_begin(b, &timed, 1);
		put_sample(b, 100, 0);
		put_sample(b, 300, 0);
		put_sample(b, 110, 1);
		put_round(b);
		put_sample(b, 320, 0);
		put_sample(b, 290, 1);
		put_round(b);
		put_sample(b, 310, 1);
		put_round(b);
		opened = open_built(b);
		CHECK_GIVEN(&opened, 0, 100, 110, 290, 300, 0, 310, 320, 0);
		assert_int_equal(plumb_recording_losses(opened.recording)->out_of_order, 0);
		opened_close(&opened);
	}
}

static void what_has_no_time_comes_at_once(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;

		build_begin(b, &timed, 1);
		put_sample(b, 100, 0);
		put_comm(b, 0);
		put_comm(b, 90);
		begin(b, 82, 0);
		end(b);
		opened = open_built(b);
		CHECK_GIVEN(&opened, 1, 1, 90, 100);
		opened_close(&opened);
	}
}

/* Records with equal times keep their order. */
static void order_is_stable(void **state)
{
	struct build *b = build_new(false, false);
	struct opened opened;

	(void)state;
	build_begin(b, &timed, 1);
	for (uint32_t i = 0; i < 100; i++)
		put_sample(b, 1000 + (i % 3 == 0), i);
	opened = open_built(b);
	for (uint32_t later = 0; later < 2; later++) {
		for (uint32_t i = 0; i < 100; i++) {
			if ((i % 3 == 0) == later)
				assert_int_equal(next_of(&opened, PLUMB_RECORD_SAMPLE).cpu, i);
		}
	}
	no_more(&opened);
	opened_close(&opened);
	free(b);
}

static void broken_rounds_are_counted(void **state)
{
	struct build *b = build_new(false, false);
	struct opened opened;

	(void)state;
	build_begin(b, &timed, 1);
	put_sample(b, 100, 0);
	put_sample(b, 300, 0);
	put_round(b);
	put_round(b);
	put_sample(b, 200, 1);
	opened = open_built(b);
	CHECK_GIVEN(&opened, 0, 100, 300, 0, 200);
	assert_int_equal(plumb_recording_losses(opened.recording)->out_of_order, 1);
	assert_true(has_finding(opened.diagnostics, "out-of-order"));
	opened_close(&opened);
	free(b);
}

/* Those that come too late are sorted among themselves, and wait for the end of their round. */
static void late_records_wait_for_their_round(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;

		build_begin(b, &timed, 1);
		put_sample(b, 100, 0);
		put_sample(b, 300, 0);
		put_round(b);
		put_round(b);
		put_sample(b, 400, 0);
		put_sample(b, 200, 1);
		put_comm(b, 0);
		put_sample(b, 150, 2);
		put_round(b);
		put_sample(b, 500, 0);
		opened = open_built(b);
		CHECK_GIVEN(&opened, 0, 100, 300, 0, 1, 150, 200, 0, 400, 500);
		assert_int_equal(plumb_recording_losses(opened.recording)->out_of_order, 2);
		opened_close(&opened);
	}
}

/* What has been let go does not count as the youngest record, nor does a round without records. */
static void rounds_go_by_what_is_held(void **state)
{
	struct build *b = build_new(false, false);
	struct opened opened;

	(void)state;
	build_begin(b, &timed, 1);
	put_sample(b, 900, 0);
	put_round(b); /* nothing; from now on up to 900 */
	put_round(b); /* 900 */
	put_sample(b, 200, 0);
	put_sample(b, 100, 0);
	put_round(b); /* both; from now on up to 200 */
	put_round(b); /* changes nothing */
	put_sample(b, 300, 0);
	put_sample(b, 150, 0);
	put_round(b); /* 150 */
	opened = open_built(b);
	CHECK_GIVEN(&opened, 0, 900, 0, 100, 200, 0, 0, 150, 0, 300);
	opened_close(&opened);
	free(b);
}

static void file_order_is_kept_if_asked_for(void **state)
{
	const struct plumb_recording_options options = {.size = sizeof(options),
							.in_file_order = true};
	struct build *b = build_new(false, false);
	struct opened opened;

	(void)state;
	build_begin(b, &timed, 1);
	put_sample(b, 300, 0);
	put_sample(b, 100, 0);
	put_round(b);
	put_sample(b, 200, 1);
	build_end(b);
	opened = open_bytes(b->bytes, b->size, false, &options);
	assert_int_equal(opened.error, 0);
	CHECK_GIVEN(&opened, 300, 100, 0, 200);
	opened_close(&opened);
	free(b);
}

/* Threads of the model have times of their own, and one round: that of one that waited comes last.
 */
static void without_rounds_all_are_sorted(void **state)
{
	enum { COUNT = 1500, TEXT = 60000, HALF = COUNT / 2 };
	struct build *b = build_new(false, false);
	struct opened opened;
	struct plumb_record record;
	uint64_t length, before;
	uint8_t *bytes;
	size_t size;

	(void)state;
	build_begin(b, &timed, 1);
	before = b->size;
	begin(b, 3, 0);
	put64(b, 0);
	put_zeros(b, TEXT);
	put64(b, 0);
	put64(b, 0); /* the time */
	put64(b, 0);
	end(b);
	size = b->size - before;
	length = COUNT * size;
	bytes = malloc(before + length);
	assert_non_null(bytes);
	memcpy(bytes, b->bytes, before);
	memcpy(bytes + 48, &length, sizeof(length));
	for (uint64_t i = 0; i < COUNT; i++) {
		const uint64_t time = i < HALF ? 10 * COUNT + i : 1 + i;
		uint8_t *at = bytes + before + i * size;

		memcpy(at, b->bytes + before, size);
		memcpy(at + size - 16, &time, sizeof(time));
	}
	assert_true(length > (size_t)64 << 20);
	opened = open_bytes(bytes, before + length, false, NULL);
	assert_int_equal(opened.error, 0);
	for (uint64_t i = 0; i < COUNT; i++) {
		assert_int_equal(recording_next(opened.recording, &record), 1);
		assert_int_equal(record.time,
				 i < COUNT - HALF ? 1 + HALF + i : 10 * COUNT + i - (COUNT - HALF));
	}
	no_more(&opened);
	assert_int_equal(plumb_recording_losses(opened.recording)->out_of_order, 0);
	opened_close(&opened);
	free(bytes);
	free(b);
}

/* ---- The queue by itself ----------------------------------------------------------------------
 */

static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (random_state >> 33) % below;
}

static void add(struct order *order, uint64_t time, uint64_t number, size_t size)
{
	static uint64_t bytes[8192];
	const struct raw_record record = {
		.bytes = (const uint8_t *)bytes, .size = size, .time = time, .offset = number};

	bytes[0] = number;
	assert_int_equal(order_add(order, &record), 0);
}

static uint64_t take(struct order *order)
{
	struct raw_record record;

	assert_true(order_take(order, &record));
	assert_memory_equal(record.bytes, &record.offset, 8);
	assert_int_equal((uintptr_t)record.bytes % 8, 0);
	return record.time;
}

static void any_order_becomes_sorted(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct order order = {0};
		uint64_t last = 0, added = 0, taken = 0;
		const uint64_t range = 1 + draw(100000);

		for (uint64_t i = 0; i < 3000; i++) {
			/* Never older than what was already read. */
			add(&order, last + draw(range), i, 8 + draw(200));
			added++;
			while (taken < added && draw(3) == 0) {
				uint64_t time = take(&order);

				assert_true(time >= last);
				last = time;
				taken++;
			}
		}
		for (; taken < added; taken++) {
			uint64_t time = take(&order);

			assert_true(time >= last);
			last = time;
		}
		assert_false(order_has(&order, UINT64_MAX));
		order_free(&order);
		assert_int_equal(order.held, 0);
	}
}

static void descending_times_are_sorted_too(void **state)
{
	struct order order = {0};

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		add(&order, 100000 - i, i, 64);
	for (uint64_t i = 0; i < 20000; i++)
		assert_int_equal(take(&order), 80001 + i);
	order_free(&order);
}

/* However long it runs: records that were read free their memory. */
static void memory_does_not_grow(void **state)
{
	struct order order = {0};
	size_t held = 0;

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		add(&order, 1000 + i + draw(50), i, 64);
		if (i >= 1000)
			(void)take(&order);
		if (i == 20000)
			held = order.held;
	}
	assert_true(order.held <= 2 * held);
	assert_true(order.held < 1 << 20);
	order_free(&order);
}

static void what_is_left_is_freed(void **state)
{
	struct order order = {0};

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		add(&order, draw(1000) + 1, i, 65535);
	for (uint64_t i = 0; i < 100; i++)
		(void)take(&order);
	assert_true(order.held > (size_t)64 << 20);
	order_free(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_merged),
		cmocka_unit_test(rounds_let_records_go),
		cmocka_unit_test(what_has_no_time_comes_at_once),
		cmocka_unit_test(order_is_stable),
		cmocka_unit_test(broken_rounds_are_counted),
		cmocka_unit_test(late_records_wait_for_their_round),
		cmocka_unit_test(rounds_go_by_what_is_held),
		cmocka_unit_test(file_order_is_kept_if_asked_for),
		cmocka_unit_test(without_rounds_all_are_sorted),
		cmocka_unit_test(any_order_becomes_sorted),
		cmocka_unit_test(descending_times_are_sorted_too),
		cmocka_unit_test(memory_does_not_grow),
		cmocka_unit_test(what_is_left_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
