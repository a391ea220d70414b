/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the model's plugin, in rings that the measured program may have overwritten. */
#include "check.h"

#include "source/model/exact.h"
#include "source/model/frames.h"

enum { SLOT = 1, LATER_SLOT };

/* A reader of rings, and what fills them. */
struct rings {
	struct source_record_job job;
	struct record_setup setup;
	struct model_sampling asked, *shared;
	struct model_frames frames;
};

static int take_records(void *user, const void *records, size_t size)
{
	(void)user;
	(void)records;
	return size ? 0 : 1;
}

static struct rings *make_rings(void)
{
	struct rings *rings = calloc(1, sizeof(*rings));

	assert_non_null(rings);
	rings->setup.counter_count = rings->asked.counter_count = 1;
	rings->asked.offset = (sizeof(rings->asked) + 7) & ~(uint64_t)7;
	rings->shared = calloc(1, model_sampling_size(&rings->asked));
	assert_non_null(rings->shared);
	rings->frames = (struct model_frames){.job = &rings->job,
					      .setup = &rings->setup,
					      .asked = &rings->asked,
					      .sampling = rings->shared,
					      .out = {.records = take_records}};
	return rings;
}

static void free_rings(struct rings *rings)
{
	record_writer_clean_up(&rings->frames.out);
	free(rings->shared);
	free(rings);
}

/* What the plugin does for a sample, but that the frame says it has `size` bytes; 0: as it has. */
static void put_sample(struct rings *rings, uint32_t size)
{
	const struct model_frame_sample sample = {.ip = 0x400000, .period = 100, .reads = 1};
	const uint64_t count = 100;
	const uint32_t whole = sizeof(struct model_frame) + sizeof(sample) + sizeof(count);
	const struct model_frame frame = {.type = FRAME_SAMPLE, .size = size ? size : whole};
	struct model_ring *ring = &rings->shared->rings[SLOT];
	uint8_t *at = (uint8_t *)rings->shared + model_ring_place(&rings->asked, SLOT) +
		      atomic_load(&ring->head);

	memcpy(at, &frame, sizeof(frame));
	memcpy(at + sizeof(frame), &sample, sizeof(sample));
	memcpy(at + sizeof(frame) + sizeof(sample), &count, sizeof(count));
	atomic_fetch_add(&ring->head, whole);
}

static void test_whole_frames(void **state)
{
	struct rings *rings = make_rings();

	(void)state;
	for (int i = 0; i < 3; i++)
		put_sample(rings, 0);
	assert_true(model_frames_drain(&rings->frames));
	assert_false(model_frames_drain(&rings->frames));
	assert_int_equal(rings->frames.overflows, 3);
	assert_false(rings->frames.damaged);
	assert_int_equal(rings->frames.error, 0);
	free_rings(rings);
}

/* What is behind a frame of a wrong size is lost, and known to be; what comes later is read. */
static void test_damaged_frames(void **state)
{
	static const uint32_t sizes[] = {1, sizeof(struct model_frame) - 1, 4096, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct rings *rings = make_rings();

		put_sample(rings, 0);
		put_sample(rings, sizes[i]);
		put_sample(rings, 0);
		model_frames_drain(&rings->frames);
		assert_int_equal(rings->frames.overflows, 1);
		assert_true(rings->frames.damaged);
		put_sample(rings, 0);
		model_frames_drain(&rings->frames);
		assert_int_equal(rings->frames.overflows, 2);
		free_rings(rings);
	}
}

/* More than a ring holds cannot have been written. */
static void test_damaged_head(void **state)
{
	struct rings *rings = make_rings();

	(void)state;
	atomic_store(&rings->shared->rings[SLOT].head, (uint64_t)MODEL_RING_BYTES + 1);
	assert_false(model_frames_drain(&rings->frames));
	assert_true(rings->frames.damaged);
	assert_int_equal(rings->frames.overflows, 0);
	free_rings(rings);
}

/* ---- Exact profiles ---------------------------------------------------------------------------
 */

/* Places in a sample of nothing else. */
enum { FILE_BEGIN = 1000, IP = 16, PERIOD = 32, COUNTS = 32 };

/* A file of records, the first of which is at FILE_BEGIN. */
struct file {
	char bytes[4096];
	size_t size;
	size_t plain; /* if above 0: how much of it can be changed */
	unsigned changes;
};

static int append_to_file(void *user, const void *records, size_t size)
{
	struct file *file = user;

	assert_true(size <= sizeof(file->bytes) - file->size);
	memcpy(file->bytes + file->size, records, size);
	file->size += size;
	return 0;
}

static uint64_t file_position(void *user)
{
	const struct file *file = user;

	return file->plain && file->size >= file->plain ? 0 : FILE_BEGIN + file->size;
}

static int change_file(void *user, const struct plumb_recording_change *changes, size_t count)
{
	struct file *file = user;

	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || changes[i].position >= changes[i - 1].position);
		assert_in_range(changes[i].position, FILE_BEGIN, FILE_BEGIN + file->size - 8);
		memcpy(file->bytes + changes[i].position - FILE_BEGIN, &changes[i].value, 8);
	}
	file->changes += (unsigned)count;
	return 0;
}

static void put_frame_of(struct rings *rings, unsigned slot, uint32_t tid, uint32_t type,
			 const void *body, size_t size)
{
	const uint32_t whole = (uint32_t)(sizeof(struct model_frame) + size);
	const struct model_frame frame = {.type = type, .size = whole, .tid = tid};
	struct model_ring *ring = &rings->shared->rings[slot];
	uint8_t *at = (uint8_t *)rings->shared + model_ring_place(&rings->asked, slot) +
		      atomic_load(&ring->head);

	memcpy(at, &frame, sizeof(frame));
	memcpy(at + sizeof(frame), body, size);
	atomic_fetch_add(&ring->head, whole);
}

static void put_frame(struct rings *rings, unsigned slot, uint32_t type, const void *body,
		      size_t size)
{
	put_frame_of(rings, slot, 0, type, body, size);
}

static void put_weighed(struct rings *rings, unsigned slot, uint32_t profile, uint32_t context,
			uint64_t ip, uint64_t count, unsigned group, uint64_t weight)
{
	const struct model_frame_context in = {.profile = profile, .context = context};
	const struct {
		struct model_frame_cost head;
		struct model_cost cost;
	} cost = {{.ip = ip, .count = 1, .group = group, .weight = weight},
		  {.event = 0, .count = count}};

	put_frame(rings, slot, FRAME_CONTEXT, &in, sizeof(in));
	put_frame(rings, slot, FRAME_COST, &cost, sizeof(cost));
}

static void put_cost(struct rings *rings, unsigned slot, uint32_t profile, uint32_t context,
		     uint64_t ip, uint64_t count)
{
	put_weighed(rings, slot, profile, context, ip, count, 0, 1);
}

static void put_told(struct rings *rings, unsigned slot)
{
	put_frame(rings, slot, FRAME_TOLD, "", 0);
}

/* Ends what the thread tells, and writes the sums that have changed. */
static void tell_and_write(struct rings *rings)
{
	put_told(rings, SLOT);
	assert_true(model_frames_drain(&rings->frames));
	model_frames_write_sums(&rings->frames);
}

/* Returns 64 bits of a sample; all have the same size. */
static uint64_t word_of(const struct file *file, size_t number, size_t place)
{
	uint64_t word;
	uint16_t size;

	memcpy(&size, file->bytes + 6, sizeof(size));
	assert_true((number + 1) * size <= file->size);
	memcpy(&word, file->bytes + number * size + place, sizeof(word));
	return word;
}

static uint64_t period_of(const struct file *file, size_t number)
{
	return word_of(file, number, PERIOD);
}

/* Has the frames of exact profiles written to a file. */
static void write_to_file(struct rings *rings, struct exact_sums *sums, struct file *file)
{
	*sums = (struct exact_sums){
		.position = file_position, .change = change_file, .user = file, .in_place = true};
	rings->frames.sums = sums;
	rings->frames.out = (struct record_writer){.records = append_to_file, .user = file};
}

/* Counts of one place add up in its sample, but only where all of them are told. */
static void test_costs_add_up(void **state)
{
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;

	(void)state;
	write_to_file(rings, &sums, &file);
	put_cost(rings, SLOT, 1, 2, 0x400000, 7);
	put_cost(rings, SLOT, 1, 3, 0x400000, 20);
	put_told(rings, SLOT);
	put_cost(rings, SLOT, 1, 4, 0x400000, 30);
	put_cost(rings, SLOT, 1, 2, 0x400000, 5);
	assert_true(model_frames_drain(&rings->frames));
	model_frames_write_sums(&rings->frames);
	/* The last two are not all of it. */
	assert_int_equal(rings->frames.samples, 2);
	assert_int_equal(period_of(&file, 0), 7);
	assert_int_equal(period_of(&file, 1), 20);
	/* The first samples have their periods, but for one: its change brings them into the file.
	 */
	assert_int_equal(file.changes, 1);
	put_cost(rings, SLOT, 1, 2, 0x400004, 1);
	tell_and_write(rings);
	assert_int_equal(rings->frames.samples, 4);
	assert_int_equal(period_of(&file, 0), 12);
	assert_int_equal(period_of(&file, 1), 20);
	assert_int_equal(period_of(&file, 2), 30);
	assert_int_equal(period_of(&file, 3), 1);
	assert_int_equal(file.changes, 3);
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/* What one thread has told says nothing about others; and a killed one may not have told all. */
static void test_threads_tell_for_themselves(void **state)
{
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;

	(void)state;
	write_to_file(rings, &sums, &file);
	put_cost(rings, SLOT, 1, 2, 0x400000, 7);
	put_cost(rings, LATER_SLOT, 2, 2, 0x400000, 30);
	put_told(rings, LATER_SLOT);
	assert_true(model_frames_drain(&rings->frames));
	model_frames_write_sums(&rings->frames);
	assert_int_equal(rings->frames.samples, 1);
	assert_int_equal(period_of(&file, 0), 30);
	tell_and_write(rings);
	assert_int_equal(period_of(&file, 1), 7);
	put_cost(rings, SLOT, 1, 2, 0x400000, 5);
	model_frames_finish(&rings->frames);
	assert_int_equal(rings->frames.samples, 2);
	assert_int_equal(period_of(&file, 1), 7);
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/*
 * Windows are written at the end, as often as they stand for the program; what was counted in full
 * counts once. Groups that do not exist and counts that overflow are left out.
 */
static void test_windows_are_scaled(void **state)
{
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;

	(void)state;
	write_to_file(rings, &sums, &file);
	sums.in_place = false;
	sums.scaled = true;
	put_cost(rings, SLOT, 1, 2, 0x400000, 7);
	put_weighed(rings, SLOT, 1, 2, 0x400000, 5, 1, 3);
	put_weighed(rings, SLOT, 1, 2, 0x400000, 4, 1, 1);
	put_weighed(rings, SLOT, 1, 2, 0x400000, 1, 2, 6);
	put_weighed(rings, SLOT, 1, 2, 0x400000, 1, SAMPLED_GROUPS + 1, 1);
	put_weighed(rings, SLOT, 1, 2, 0x400000, UINT64_MAX, 2, 2);
	tell_and_write(rings);
	assert_int_equal(rings->frames.samples, 0);
	sums.groups.scale = 2.5;
	model_frames_write_sums(&rings->frames);
	assert_int_equal(rings->frames.samples, 3);
	assert_int_equal(period_of(&file, 0), 7);
	assert_int_equal(period_of(&file, 1), 48); /* 2.5 * (5 * 3 + 4) */
	assert_int_equal(period_of(&file, 2), 15);
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/* Where samples can be changed, windows are also written before the end, by another scale. */
static void test_windows_are_written_anew(void **state)
{
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;
	size_t size;

	(void)state;
	write_to_file(rings, &sums, &file);
	sums.scaled = true;
	rings->setup.events[0].attr.sample_type = PLUMB_SAMPLE_STREAM_ID;
	put_cost(rings, SLOT, 1, 2, 0x400000, 7);
	put_weighed(rings, SLOT, 1, 2, 0x400000, 5, 1, 3);
	put_told(rings, SLOT);
	assert_true(model_frames_drain(&rings->frames));
	assert_int_equal(file.size, 0);
	sums.groups = (struct sampled_groups){.scale = 2, .modelled = 0.5, .windows = {0, 8}};
	model_frames_write_sums(&rings->frames);
	assert_int_equal(rings->frames.samples, 2);
	assert_int_equal(word_of(&file, 0, PERIOD + 8), 7);
	assert_int_equal(word_of(&file, 1, PERIOD + 8), 30);
	assert_int_equal(word_of(&file, 0, PERIOD), UINT64_C(0x7fff) << 48);
	assert_int_equal(word_of(&file, 1, PERIOD), UINT64_C(0x7fff) << 48 | 8 << 8 | 1);
	size = file.size;
	put_weighed(rings, SLOT, 1, 2, 0x400000, 2, 1, 3);
	put_told(rings, SLOT);
	assert_true(model_frames_drain(&rings->frames));
	sums.groups = (struct sampled_groups){.scale = 3, .modelled = 0.25, .windows = {0, 9}};
	model_frames_write_sums(&rings->frames);
	assert_int_equal(file.size, size);
	assert_int_equal(word_of(&file, 0, PERIOD + 8), 7);
	assert_int_equal(word_of(&file, 1, PERIOD + 8), 63);
	assert_int_equal(word_of(&file, 1, PERIOD), UINT64_C(0x3fff) << 48 | 9 << 8 | 1);
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/* Where samples cannot be changed, more of them add up; a new file begins again. */
static void test_more_samples_add_up(void **state)
{
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;

	(void)state;
	write_to_file(rings, &sums, &file);
	sums.in_place = false;
	put_cost(rings, SLOT, 1, 2, 0x400000, 7);
	put_told(rings, SLOT);
	put_cost(rings, SLOT, 1, 2, 0x400000, 5);
	assert_true(model_frames_drain(&rings->frames));
	assert_int_equal(rings->frames.samples, 0);
	model_frames_write_sums(&rings->frames);
	model_frames_write_sums(&rings->frames);
	assert_int_equal(rings->frames.samples, 1);
	assert_int_equal(period_of(&file, 0), 7);
	tell_and_write(rings);
	assert_int_equal(rings->frames.samples, 2);
	assert_int_equal(period_of(&file, 1), 5);
	assert_int_equal(file.changes, 0);
	assert_int_equal(sums.at[0].sum, 12);
	model_frames_repeat(&rings->frames);
	assert_int_equal(sums.at[0].sum, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/* From some length on, samples cannot be changed; those before it can. */
static void test_a_file_that_is_compressed_later(void **state)
{
	struct rings *rings = make_rings();
	struct file file = {.plain = 1};
	struct exact_sums sums;

	(void)state;
	write_to_file(rings, &sums, &file);
	put_cost(rings, SLOT, 1, 2, 0x400000, 7);
	tell_and_write(rings);
	assert_int_equal(period_of(&file, 0), 7);
	for (unsigned round = 0; round < 2; round++) {
		put_cost(rings, SLOT, 1, 2, 0x400000, 5);
		put_cost(rings, SLOT, 1, 3, 0x400000, 20);
		put_cost(rings, SLOT, 1, 4, 0x400000, 30);
		tell_and_write(rings);
	}
	assert_int_equal(rings->frames.samples, 5);
	assert_int_equal(period_of(&file, 0), 17);
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(period_of(&file, 1 + 2 * round), 20);
		assert_int_equal(period_of(&file, 2 + 2 * round), 30);
	}
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/* What a thread that ends tells of a place for the first time is written at once. */
static void test_last_is_written_at_once(void **state)
{
	const struct model_frame_context last = {.profile = 1, .context = 2, .last = 1};
	const struct {
		struct model_frame_cost head;
		struct model_cost costs[3];
	} known = {{.ip = 0x400000, .count = 1, .weight = 1}, {{.event = 0, .count = 5}}},
	  unknown = {
		  {.ip = 0x400004, .count = 3, .weight = 1},
		  {{.event = 0, .count = 3}, {.event = 1, .count = 0}, {.event = 2, .count = 4}}};
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;

	(void)state;
	write_to_file(rings, &sums, &file);
	put_cost(rings, SLOT, 1, 2, 0x400000, 7);
	tell_and_write(rings);
	put_frame(rings, SLOT, FRAME_CONTEXT, &last, sizeof(last));
	put_frame(rings, SLOT, FRAME_COST, &known, sizeof(known));
	put_frame(rings, SLOT, FRAME_COST, &unknown, sizeof(unknown));
	put_told(rings, SLOT);
	assert_true(model_frames_drain(&rings->frames));
	assert_int_equal(rings->frames.samples, 3);
	assert_int_equal(sums.place_count, 1);
	assert_int_equal(period_of(&file, 0), 7);
	assert_int_equal(word_of(&file, 1, IP), 0x400004);
	assert_int_equal(word_of(&file, 1, COUNTS), 2);
	assert_int_equal(word_of(&file, 1, COUNTS + 8), 3);
	assert_int_equal(word_of(&file, 1, COUNTS + 24), 4);
	model_frames_write_sums(&rings->frames);
	assert_int_equal(rings->frames.samples, 3);
	assert_int_equal(period_of(&file, 0), 12);
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/* Contexts that pass have one place after another, whatever comes between them. */
static void test_passing_contexts_share_a_place(void **state)
{
	enum { PASSING = 20 };
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;
	uint64_t known = 0;

	(void)state;
	write_to_file(rings, &sums, &file);
	for (unsigned i = 0; i < PASSING; i++) {
		const struct model_frame_context last = {
			.profile = 1, .context = 100 + i, .last = 1};
		const struct {
			struct model_frame_cost head;
			struct model_cost cost;
		} cost = {{.ip = 0x400000 + 4 * i, .count = 1, .weight = 1},
			  {.event = 0, .count = 1000 + i}};

		put_cost(rings, SLOT, 1, 2, 0x400000, i);
		put_frame(rings, SLOT, FRAME_CONTEXT, &last, sizeof(last));
		put_frame(rings, SLOT, FRAME_COST, &cost, sizeof(cost));
		known += i;
	}
	tell_and_write(rings);
	assert_int_equal(sums.chain_count, 2);
	assert_true(sums.address_count <= MODEL_CHAIN_MAX);
	assert_int_equal(rings->frames.samples, PASSING + 1);
	for (unsigned i = 0; i < PASSING; i++)
		assert_int_equal(period_of(&file, i), 1000 + i);
	assert_int_equal(period_of(&file, PASSING), known);
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/*
 * Several counts of a place come in one sample, and grow from each to the next as those of a group.
 * A second thread has a sample for each, as some readers take groups by thread and some do not; and
 * a new file begins with 0.
 */
static void test_counts_come_together(void **state)
{
	const struct model_frame_context last = {.profile = 1, .context = 2, .last = 1},
					 other = {.profile = 2, .context = 2, .last = 1};
	const struct {
		struct model_frame_cost head;
		struct model_cost costs[2];
	} cost = {{.ip = 0x400004, .count = 2, .weight = 1},
		  {{.event = 0, .count = 3}, {.event = 2, .count = 4}}};
	enum { TOGETHER = 96, APART = 64 }; /* bytes of samples */
	struct rings *rings = make_rings();
	struct file file = {.size = 0};
	struct exact_sums sums;

	(void)state;
	write_to_file(rings, &sums, &file);
	put_frame_of(rings, SLOT, 7, FRAME_CONTEXT, &last, sizeof(last));
	put_frame(rings, SLOT, FRAME_COST, &cost, sizeof(cost));
	put_frame(rings, SLOT, FRAME_COST, &cost, sizeof(cost));
	put_frame_of(rings, SLOT, 8, FRAME_CONTEXT, &other, sizeof(other));
	put_frame(rings, SLOT, FRAME_COST, &cost, sizeof(cost));
	assert_true(model_frames_drain(&rings->frames));
	assert_int_equal(rings->frames.samples, 6);
	assert_int_equal(file.size, 2 * TOGETHER + 2 * APART);
	assert_int_equal(word_of(&file, 0, COUNTS + 8), 3);
	assert_int_equal(word_of(&file, 0, COUNTS + 24), 4);
	assert_int_equal(word_of(&file, 1, COUNTS + 8), 6);
	assert_int_equal(word_of(&file, 1, COUNTS + 24), 8);
	assert_int_equal(word_of(&file, 2, PERIOD), 3);
	assert_int_equal(word_of(&file, 2, APART + PERIOD), 4);
	model_frames_repeat(&rings->frames);
	file.size = 0;
	put_frame_of(rings, SLOT, 8, FRAME_CONTEXT, &other, sizeof(other));
	put_frame(rings, SLOT, FRAME_COST, &cost, sizeof(cost));
	assert_true(model_frames_drain(&rings->frames));
	assert_int_equal(word_of(&file, 0, COUNTS + 8), 3);
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

static void put_mmap(struct rings *rings, uint64_t address, const char *path)
{
	struct {
		struct model_frame_mmap mmap;
		char path[8];
	} body = {.mmap = {.address = address, .length = 0x1000}};

	memcpy(body.path, path, strlen(path) + 1);
	put_frame(rings, SLOT, FRAME_MMAP, &body, sizeof(body));
}

/* Code that replaces other code at its addresses has sums of its own, until that returns. */
static void test_replaced_code_is_apart(void **state)
{
	static const struct {
		const char *mapped; /* before; at 0x400000 */
		uint64_t ip, count;
		size_t samples; /* then */
	} steps[] = {
		{"a", 0x400010, 7, 1},  {"a", 0x400010, 2, 1}, {"b", 0x400010, 20, 2},
		{NULL, 0x800000, 5, 3}, {"a", 0x400010, 1, 3}, {"b", 0x400010, 30, 3},
		{NULL, 0x800000, 6, 3}, {"c", 0x400010, 4, 4},
	};
	struct rings *rings = make_rings();
	struct exact_sums sums = {.in_place = false};

	(void)state;
	rings->frames.sums = &sums;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (steps[i].mapped)
			put_mmap(rings, 0x400000, steps[i].mapped);
		put_cost(rings, SLOT, 1, 2, steps[i].ip, steps[i].count);
		put_told(rings, SLOT);
		model_frames_drain(&rings->frames);
		assert_int_equal(sums.count, steps[i].samples);
	}
	assert_int_equal(sums.at[0].told + sums.at[0].sum, 10); /* a */
	assert_int_equal(sums.at[1].told + sums.at[1].sum, 50); /* b */
	assert_int_equal(sums.at[2].told + sums.at[2].sum, 11); /* elsewhere */
	assert_int_equal(sums.at[3].told + sums.at[3].sum, 4);  /* c */
	assert_int_equal(rings->frames.error, 0);
	exact_sums_clean_up(&sums);
	free_rings(rings);
}

/* So has code that it calls. */
static void test_callers_in_replaced_code(void **state)
{
	struct replaced replaced = {.any = false};
	static const uint64_t path[] = {0x900000, 0x400020};

	(void)state;
	assert_true(replaced_note(&replaced, 1, 0x400000, 0x1000, 11));
	assert_true(replaced_note(&replaced, 2, 0x400000, 0x1000, 11));
	assert_true(replaced_note(&replaced, 1, 0x401000, 0x1000, 12));
	assert_false(replaced.any);
	assert_true(replaced_note(&replaced, 1, 0x400800, 0x1000, 13));
	assert_int_equal(replaced_code(&replaced, 1, 0x4007ff), 0);
	assert_int_equal(replaced_code(&replaced, 1, 0x400800), 13);
	assert_int_equal(replaced_code(&replaced, 1, 0x4017ff), 13);
	assert_int_equal(replaced_code(&replaced, 1, 0x401800), 0);
	assert_int_equal(replaced_code(&replaced, 2, 0x400800), 0);
	assert_int_equal(replaced_path(&replaced, 1, path, 2), 0);
	assert_true(replaced_note(&replaced, 1, 0x400000, 0x1000, 14));
	assert_int_not_equal(replaced_path(&replaced, 1, path, 2), 0);
	assert_int_equal(replaced_path(&replaced, 1, path, 1), 0);
	replaced_forget(&replaced, 1);
	assert_int_equal(replaced_path(&replaced, 1, path, 2), 0);
	/* An end beyond the address space is no mapping. */
	assert_true(replaced_note(&replaced, 2, UINT64_MAX, 2, 15));
	assert_int_equal(replaced.count, 1);
	replaced_clean_up(&replaced);
}

/* As many as several times make room for more. */
static void test_many_sums(void **state)
{
	struct file file = {.size = 8};
	struct exact_sums sums = {.change = change_file, .user = &file, .in_place = true};
	const struct exact_chain chain = {.profile = 1};

	(void)state;
	assert_int_equal(exact_sums_chain(&sums, &chain, NULL), 0);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 5000; i++) {
			const struct exact_key key = {
				.ip = i / 50, .profile = 1, .context = i % 50};

			assert_true(exact_sums_enter(&sums, &key, 0));
			assert_true(exact_sums_add(&sums, 3, i + round));
		}
		assert_int_equal(sums.count, 5000);
		assert_int_equal(sums.told_count, 0);
		exact_sums_told(&sums, 2);
		assert_int_equal(sums.told_count, 0);
		exact_sums_told(&sums, 1);
		assert_int_equal(sums.told_count, 5000);
		for (unsigned i = 0; i < 5000; i++)
			sums.at[i].position = FILE_BEGIN;
		assert_int_equal(exact_sums_written(&sums), 0);
		for (unsigned i = 0; i < 5000; i++)
			assert_int_equal(sums.at[i].sum, round ? 2 * i + 1 : i);
	}
	assert_int_equal(file.changes, 10000);
	exact_sums_clean_up(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_frames),
		cmocka_unit_test(test_damaged_frames),
		cmocka_unit_test(test_damaged_head),
		cmocka_unit_test(test_costs_add_up),
		cmocka_unit_test(test_threads_tell_for_themselves),
		cmocka_unit_test(test_more_samples_add_up),
		cmocka_unit_test(test_last_is_written_at_once),
		cmocka_unit_test(test_passing_contexts_share_a_place),
		cmocka_unit_test(test_counts_come_together),
		cmocka_unit_test(test_a_file_that_is_compressed_later),
		cmocka_unit_test(test_windows_are_scaled),
		cmocka_unit_test(test_windows_are_written_anew),
		cmocka_unit_test(test_replaced_code_is_apart),
		cmocka_unit_test(test_callers_in_replaced_code),
		cmocka_unit_test(test_many_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
