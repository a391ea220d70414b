/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings of perf_event_open(2), without a kernel: a page and an area of memory that the tests
 * write as it would.
 */
#include "check.h"

#include "source/perf/aux.h"
#include "source/perf/ring.h"

#define RING 4096
#define FAR  UINT64_C(0xfffffffffffff000) /* heads and tails wrap, too */

struct fake {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[RING];
	struct data_ring ring;
	struct aux_ring aux;
	struct ring_tally tally;
	uint8_t spill[RING_RECORD_MAX];
	uint8_t got[4 * RING];
	size_t got_size;
	unsigned calls;
	int answer;
};

static void set_up(struct fake *f, uint64_t at)
{
	memset(f, 0, sizeof(*f));
	f->page.data_head = f->page.data_tail = at;
	f->page.aux_head = f->page.aux_tail = at;
	f->ring = (struct data_ring){&f->page, f->data, RING};
	f->aux = (struct aux_ring){.page = &f->page, .data = f->data, .size = RING};
}

/* As the kernel writes one: its body is `fill`, if it has no words of its own. */
static void write_record(struct fake *f, uint32_t type, uint16_t size, uint8_t fill,
			 const uint64_t *words)
{
	uint8_t record[RING];
	struct perf_event_header header = {.type = type, .size = size};

	memset(record, fill, sizeof(record));
	memcpy(record, &header, sizeof(header));
	if (words)
		memcpy(record + sizeof(header), words, size - sizeof(header));
	for (size_t i = 0; i < size; i++)
		f->data[(f->page.data_head + i) % RING] = record[i];
	f->page.data_head += size;
}

static int take(void *user, const void *records, size_t size)
{
	struct fake *f = user;

	assert_true(f->got_size + size <= sizeof(f->got));
	memcpy(f->got + f->got_size, records, size);
	f->got_size += size;
	f->calls++;
	return f->answer;
}

static int drain(struct fake *f)
{
	return data_ring_drain(&f->ring, f->spill, &f->tally, take, f);
}

/* The record at `*at` of what was got has this size, and is filled with this byte throughout. */
static void assert_record(const struct fake *f, size_t *at, uint16_t size, uint8_t fill)
{
	struct perf_event_header header;

	assert_true(*at + size <= f->got_size);
	memcpy(&header, f->got + *at, sizeof(header));
	assert_int_equal(header.size, size);
	for (size_t i = sizeof(header); i < size; i++)
		assert_int_equal(f->got[*at + i], fill);
	*at += size;
}

static void nothing_is_handed_on_as_nothing(void **state)
{
	struct fake f;

	(void)state;
	set_up(&f, FAR);
	assert_false(data_ring_has(&f.ring));
	assert_int_equal(drain(&f), 0);
	assert_int_equal(f.calls, 0);
}

/* Records of every size from every place: each comes whole, in order, and once. */
static void records_come_whole(void **state)
{
	struct fake f;

	(void)state;
	for (uint64_t start = FAR; start != FAR + RING; start += 8) {
		size_t at = 0;

		set_up(&f, start);
		for (uint16_t i = 0; i < 40; i++)
			write_record(&f, PERF_RECORD_SAMPLE, (uint16_t)(16 + 8 * (i % 20)),
				     (uint8_t)i, NULL);
		assert_true(data_ring_has(&f.ring));
		assert_int_equal(drain(&f), 0);
		for (uint16_t i = 0; i < 40; i++)
			assert_record(&f, &at, (uint16_t)(16 + 8 * (i % 20)), (uint8_t)i);
		assert_int_equal(at, f.got_size);
		assert_true(f.calls <= 3);
		assert_int_equal(f.tally.samples, 40);
		assert_int_equal(f.tally.damaged, 0);
		assert_true(f.page.data_tail == f.page.data_head);
		assert_false(data_ring_has(&f.ring));
	}
}

static void a_full_ring_is_drained(void **state)
{
	struct fake f;
	size_t at = 0;

	(void)state;
	set_up(&f, 1024);
	write_record(&f, PERF_RECORD_SAMPLE, RING - 8, 7, NULL);
	write_record(&f, PERF_RECORD_SAMPLE, 8, 0, NULL);
	assert_int_equal(drain(&f), 0);
	assert_record(&f, &at, RING - 8, 7);
	assert_record(&f, &at, 8, 0);
	assert_int_equal(f.tally.samples, 2);
}

static void losses_are_counted(void **state)
{
	struct fake f;

	(void)state;
	set_up(&f, RING - 16); /* the first lies across the end */
	write_record(&f, PERF_RECORD_LOST, 24, 0, (const uint64_t[]){17, 1000});
	write_record(&f, PERF_RECORD_LOST, 24, 0, (const uint64_t[]){17, 234});
	write_record(&f, PERF_RECORD_THROTTLE, 32, 0, NULL);
	write_record(&f, PERF_RECORD_FORK, 32, 0, NULL);
	write_record(&f, PERF_RECORD_FORK, 32, 0, NULL);
	write_record(&f, PERF_RECORD_AUX, 32, 0,
		     (const uint64_t[]){0, 64, PERF_AUX_FLAG_TRUNCATED});
	write_record(&f, PERF_RECORD_AUX, 32, 0,
		     (const uint64_t[]){64, 64, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL});
	write_record(&f, PERF_RECORD_AUX, 32, 0,
		     (const uint64_t[]){128, 64, PERF_AUX_FLAG_COLLISION});
	write_record(&f, PERF_RECORD_AUX, 32, 0, (const uint64_t[]){192, 64, 0});
	assert_int_equal(drain(&f), 0);
	assert_int_equal(f.tally.lost, 1234);
	assert_int_equal(f.tally.throttled, 1);
	assert_int_equal(f.tally.forks, 2);
	assert_int_equal(f.tally.aux_truncated, 2);
	assert_int_equal(f.tally.aux_partial, 1);
	assert_int_equal(f.tally.aux_collisions, 1);
	assert_int_equal(f.tally.samples, 0);
}

/* Refused data counts as taken: the rest comes next time. */
static void an_error_ends_it(void **state)
{
	struct fake f;
	size_t at = 0;

	(void)state;
	set_up(&f, RING - 24);
	write_record(&f, PERF_RECORD_SAMPLE, 24, 1, NULL);
	write_record(&f, PERF_RECORD_SAMPLE, 16, 2, NULL);
	f.answer = -2;
	assert_int_equal(drain(&f), -2);
	assert_int_equal(f.calls, 1);
	f.answer = 0;
	assert_int_equal(drain(&f), 0);
	assert_record(&f, &at, 24, 1);
	assert_record(&f, &at, 16, 2);
}

static void what_is_no_record_is_dropped(void **state)
{
	static const uint16_t sizes[] = {0, 4, 12, 64};
	struct fake f;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct perf_event_header header = {.type = 9, .size = sizes[i]};

		set_up(&f, FAR);
		write_record(&f, PERF_RECORD_SAMPLE, 16, 1, NULL);
		memcpy(f.data + 16, &header, sizeof(header));
		f.page.data_head += 32; /* of a larger one there is no more */
		assert_int_equal(drain(&f), 0);
		assert_int_equal(f.got_size, 16);
		assert_int_equal(f.tally.damaged, 1);
		assert_true(f.page.data_tail == f.page.data_head);
	}
	set_up(&f, 0);
	f.page.data_head = RING + 8;
	assert_int_equal(drain(&f), 0);
	assert_int_equal(f.tally.damaged, 1);
	assert_int_equal(f.got_size, 0);
	assert_true(f.page.data_tail == f.page.data_head);
}

/* ---- AUX ---------------------------------------------------------------------------------- */

/* As a PMU: byte N of the stream is N / 8 + 1, so that none is 0 and few are alike. */
static uint8_t stream_byte(uint64_t at)
{
	return (uint8_t)(at / 8 % 251 + 1);
}

static void write_aux(struct fake *f, uint64_t from, size_t size)
{
	for (uint64_t at = from; at < from + size; at++)
		f->data[at % RING] = stream_byte(at);
}

static void assert_stream(const struct aux_data *data, uint64_t from)
{
	for (size_t i = 0; i < data->first_size; i++)
		assert_int_equal(data->first[i], stream_byte(from + i));
	for (size_t i = 0; i < data->second_size; i++)
		assert_int_equal(data->second[i], stream_byte(from + data->first_size + i));
}

static void aux_data_comes_once_and_in_order(void **state)
{
	struct fake f;
	struct aux_data data;
	uint64_t at = 0;

	(void)state;
	set_up(&f, 0);
	assert_int_equal(aux_ring_look(&f.aux, &data), 0);
	for (size_t size = 64; size <= RING; size += 192) {
		write_aux(&f, at, size);
		f.page.aux_head = at + size;
		assert_int_equal(aux_ring_look(&f.aux, &data), size);
		assert_int_equal(data.first_size + data.second_size, size);
		assert_int_equal(data.offset, at);
		assert_stream(&data, at);
		/* Not before it is given back may it be written over. */
		assert_int_equal(f.page.aux_tail, at);
		at += size;
		aux_ring_give_back(&f.aux, &data);
		assert_int_equal(f.page.aux_tail, at);
	}
	assert_true(at > 4L * RING);
	assert_int_equal(aux_ring_look(&f.aux, &data), 0);
}

static void aux_data_across_the_end_is_in_two_parts(void **state)
{
	struct fake f;
	struct aux_data data;

	(void)state;
	set_up(&f, 3 * RING - 100);
	write_aux(&f, 3 * RING - 100, 300);
	f.page.aux_head += 300;
	assert_int_equal(aux_ring_look(&f.aux, &data), 300);
	assert_int_equal(data.first_size, 100);
	assert_int_equal(data.second_size, 200);
	assert_ptr_equal(data.second, f.data);
	assert_stream(&data, 3 * RING - 100);
	/* Just up to the end: one part. */
	set_up(&f, RING - 64);
	f.page.aux_head += 64;
	assert_int_equal(aux_ring_look(&f.aux, &data), 64);
	assert_null(data.second);
	assert_int_equal(data.second_size, 0);
}

static void an_impossible_head_does_no_harm(void **state)
{
	struct fake f;
	struct aux_data data;

	(void)state;
	set_up(&f, 0);
	f.page.aux_head = UINT64_C(1) << 60;
	assert_int_equal(aux_ring_look(&f.aux, &data), RING);
	f.aux.size = 0;
	assert_int_equal(aux_ring_look(&f.aux, &data), 0);
}

/* In a snapshot's area the head is a place in it, and the tail is not looked at. */
static void a_snapshot_takes_what_is_new_until_all_is(void **state)
{
	struct fake f;
	struct aux_data data;

	(void)state;
	set_up(&f, 0);
	f.aux.overwrite = true;
	write_aux(&f, 0, 640);
	f.page.aux_head = 640;
	assert_int_equal(aux_ring_look(&f.aux, &data), 640);
	assert_int_equal(data.offset, 0);
	assert_stream(&data, 0);
	aux_ring_give_back(&f.aux, &data);
	assert_int_equal(f.page.aux_tail, 0);

	write_aux(&f, 640, 128);
	f.page.aux_head = 768;
	assert_int_equal(aux_ring_look(&f.aux, &data), 128);
	assert_int_equal(data.offset, 640);
	assert_stream(&data, 640);
	aux_ring_give_back(&f.aux, &data);

	/* The ring wraps: the oldest record comes after the head. */
	write_aux(&f, 768, RING);
	f.page.aux_head = 768;
	assert_int_equal(aux_ring_look(&f.aux, &data), RING);
	assert_int_equal(data.offset, 768);
	assert_stream(&data, 768);
	aux_ring_give_back(&f.aux, &data);

	/* And from now on all of it. */
	write_aux(&f, 768 + RING, 64);
	f.page.aux_head = 768 + 64;
	assert_int_equal(aux_ring_look(&f.aux, &data), RING);
	assert_int_equal(data.offset, 768 + RING);
	assert_stream(&data, 768 + 64);
}

/* The driver pads what is left before the end, if it is less than a record. */
static void a_snapshot_knows_its_wrap_without_a_last_record(void **state)
{
	struct fake f;
	struct aux_data data;

	(void)state;
	set_up(&f, 0);
	f.aux.overwrite = true;
	write_aux(&f, 0, RING - 2048);
	f.page.aux_head = 64;
	assert_int_equal(aux_ring_look(&f.aux, &data), RING);
	assert_int_equal(data.first_size, RING - 64);
	assert_int_equal(data.second_size, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_handed_on_as_nothing),
		cmocka_unit_test(records_come_whole),
		cmocka_unit_test(a_full_ring_is_drained),
		cmocka_unit_test(losses_are_counted),
		cmocka_unit_test(an_error_ends_it),
		cmocka_unit_test(what_is_no_record_is_dropped),
		cmocka_unit_test(aux_data_comes_once_and_in_order),
		cmocka_unit_test(aux_data_across_the_end_is_in_two_parts),
		cmocka_unit_test(an_impossible_head_does_no_harm),
		cmocka_unit_test(a_snapshot_takes_what_is_new_until_all_is),
		cmocka_unit_test(a_snapshot_knows_its_wrap_without_a_last_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
