/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the model's plugin, in rings that the measured program may have overwritten. */
#include "check.h"

#include "source/model/frames.h"

enum { SLOT = 1 };

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_frames),
		cmocka_unit_test(test_damaged_frames),
		cmocka_unit_test(test_damaged_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
