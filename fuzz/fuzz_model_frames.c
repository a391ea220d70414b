/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process that records reads of the memory that it shares with the model's plugin, and so
 * with the sampled program, which may write anything there: frames, and the indexes of the rings.
 *
 * The input's first byte chooses what is sampled, the second which ring it is and how much of its
 * indexes is believable; the indexes follow, then the ring's bytes.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "source/model/exact.h"
#include "source/model/frames.h"
#include "source/model/tasks.h"

#define EVENTS     3
#define FILE_BEGIN 4096 /* where the records begin */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

struct indexes {
	uint64_t tail, head, aux_tail, aux_head, aux_reported;
	uint32_t open, collided;
};

/* What the first byte chooses. */
enum {
	WITH_SPE = 1,
	WITH_COUNTERS = 2,
	GROUPED = 4,
	CHAINS = 8,
	PER_THREAD = 16,
	SNAPSHOT = 32,
	EXACT = 64,  /* an exact profile, instead of events */
	GROWS = 128, /* its samples are changed as it grows */
};

struct sampled {
	struct plumb_event_config events[EVENTS];
	struct source_record_job job;
	struct record_setup setup;
	struct model_sampling *asked, *sampling;
	uint8_t *periods; /* for each eight bytes of the file: whether they are a sample's period */
	size_t words;     /* of the file */
};

/* ---- What comes out ---------------------------------------------------------------------------
 */

static uint64_t word(const uint8_t *at, size_t size, size_t i)
{
	uint64_t value;

	require(8 * i + 8 <= size);
	memcpy(&value, at + 8 * i, sizeof(value));
	return value;
}

/* A sample has what its event says, and no more: see perf_event_open(2), PERF_RECORD_SAMPLE. */
static void check_sample(const struct sampled *sampled, const uint8_t *body, size_t size,
			 uint8_t *periods)
{
	const struct record_setup *setup = &sampled->setup;
	uint64_t id = word(body, size, 0), type;
	size_t words = 3; /* of all: id, address, thread */

	require(id > 0 && id <= setup->recording.event_count);
	type = setup->events[id - 1].attr.sample_type;
	words += !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR) +
		 !!(type & PERF_SAMPLE_CPU);
	if (type & PERF_SAMPLE_PERIOD)
		periods[words++] = 1;
	if (type & PERF_SAMPLE_READ)
		words += 1 + 2 * word(body, size, words);
	if (type & PERF_SAMPLE_CALLCHAIN)
		words += 1 + word(body, size, words);
	if (type & PERF_SAMPLE_RAW)
		words += (4 + (word(body, size, words) & UINT32_MAX)) / 8;
	if (type & PERF_SAMPLE_REGS_USER) /* x30 alone, if it is known */
		words += word(body, size, words) == PERF_SAMPLE_REGS_ABI_NONE ? 1 : 2;
	words += !!(type & PERF_SAMPLE_DATA_SRC) + !!(type & PERF_SAMPLE_PHYS_ADDR);
	require(size == 8 * words);
}

static int take_records(void *user, const void *records, size_t size)
{
	struct sampled *sampled = user;
	const uint8_t *at = records;
	uint8_t *periods;

	periods = realloc(sampled->periods, sampled->words + size / 8);
	require(periods);
	sampled->periods = periods;
	memset(sampled->periods + sampled->words, 0, size / 8);
	while (size) {
		struct perf_event_header header;

		require(size >= sizeof(header));
		memcpy(&header, at, sizeof(header));
		require(header.size >= sizeof(header) && header.size <= size);
		require(header.size % 8 == 0);
		if (header.type == PERF_RECORD_SAMPLE)
			check_sample(sampled, at + sizeof(header), header.size - sizeof(header),
				     sampled->periods + sampled->words + 1);
		sampled->words += header.size / 8;
		at += header.size;
		size -= header.size;
	}
	return 0;
}

static uint64_t position(void *user)
{
	const struct sampled *sampled = user;

	return FILE_BEGIN + 8 * sampled->words;
}

/* Nothing but periods is changed, in ascending order. */
static int change(void *user, const struct plumb_recording_change *changes, size_t count)
{
	const struct sampled *sampled = user;

	for (size_t i = 0; i < count; i++) {
		const uint64_t at = changes[i].position;

		require(at >= FILE_BEGIN && at < position(user) && at % 8 == 0);
		require(i == 0 || at > changes[i - 1].position);
		require(sampled->periods[(at - FILE_BEGIN) / 8]);
	}
	return 0;
}

static int take_aux(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		    size_t first_size, const void *second, size_t second_size)
{
	const struct sampled *sampled = user;
	const uint8_t *begin = (const uint8_t *)sampled->sampling, *data = first;
	const uint8_t *end = begin + model_sampling_size(sampled->asked);

	require(first_size + second_size == chunk->size);
	require(chunk->size > 0 && chunk->size <= sampled->asked->aux_bytes);
	require(data >= begin && first_size <= (size_t)(end - data));
	data = second;
	require(!second_size || (data >= begin && second_size <= (size_t)(end - data)));
	return 0;
}

/* ---- What goes in -----------------------------------------------------------------------------
 */

static void choose(struct sampled *sampled, unsigned how)
{
	static const struct plumb_model_options first_core = {.size = sizeof(first_core)};
	struct source_record_job *job = &sampled->job;
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

	*job = (struct source_record_job){
		.events = sampled->events,
		.program = "program",
		.per_thread = how & PER_THREAD,
		.callchains = how & CHAINS,
		.snapshot = how & SNAPSHOT && how & WITH_SPE,
		.exact = how & EXACT,
		.data_addresses = true,
		.aux_pages = 2,
		.clockid = -1,
		.model = &first_core,
		.records = take_records,
		.aux = take_aux,
		.user = sampled,
	};
	if (how & WITH_SPE && !job->exact)
		sampled->events[job->event_count++] =
			(struct plumb_event_config){.kind = PLUMB_EVENT_SPE, .name = "arm_spe//"};
	for (unsigned i = 0; i < 2 && !job->exact && (how & WITH_COUNTERS || !(how & WITH_SPE));
	     i++) {
		unsigned at = (unsigned)job->event_count++;

		sampled->events[at] = (struct plumb_event_config){
			.kind = PLUMB_EVENT_PMU, .name = "r11", .config = 0x11, .period = 1000};
		sampled->events[at].leader = how & GROUPED ? at - i : at;
		sampled->events[at].sample_read = how & GROUPED;
	}
	require(diagnostics && record_setup_make(&sampled->setup, job, diagnostics) == 0);
	plumb_diagnostics_free(diagnostics);
	record_setup_fill(&sampled->setup, job, sampled->asked);
}

/* Puts the input where the plugin would. */
static void put(const struct sampled *sampled, unsigned slot, const struct indexes *indexes,
		const uint8_t *data, size_t size)
{
	struct model_ring *ring = &sampled->sampling->rings[slot];
	uint8_t *frames = (uint8_t *)sampled->sampling + model_ring_place(sampled->asked, slot);

	for (size_t i = 0; i < size && i < MODEL_RING_BYTES; i++)
		frames[(indexes->tail + i) % MODEL_RING_BYTES] = data[i];
	atomic_store(&ring->tail, indexes->tail);
	atomic_store(&ring->head, indexes->head);
	atomic_store(&ring->aux_tail, indexes->aux_tail);
	atomic_store(&ring->aux_head, indexes->aux_head);
	atomic_store(&ring->aux_reported, indexes->aux_reported);
	atomic_store(&ring->open, indexes->open);
	atomic_store(&ring->collided, indexes->collided);
}

/* As large as any of the choices makes it; pages that nobody writes to cost nothing. */
static struct model_sampling *shared_memory(struct sampled *sampled)
{
	static struct model_sampling *memory;

	if (!memory) {
		choose(sampled, WITH_SPE);
		memory = calloc(1, model_sampling_size(sampled->asked));
	}
	return memory;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct model_sampling asked;
	static struct model_frames frames;
	struct sampled sampled = {.asked = &asked};
	struct exact_sums sums = {.position = position, .change = change, .user = &sampled};
	struct model_tasks *tasks = model_tasks_new();
	struct indexes indexes;
	unsigned how, slot;

	if (size < 2 + sizeof(indexes)) {
		model_tasks_free(tasks);
		return 0;
	}
	sampled.sampling = shared_memory(&sampled);
	require(sampled.sampling && tasks);
	how = data[0];
	choose(&sampled, how);
	slot = data[1] & 1 ? MODEL_SHARED_THREADS - 1 : data[1] >> 4;
	memcpy(&indexes, data + 2, sizeof(indexes));
	data += 2 + sizeof(indexes);
	size -= 2 + sizeof(indexes);
	if (data[-1 - (ptrdiff_t)sizeof(indexes)] & 2)
		indexes.head = indexes.tail + size;
	put(&sampled, slot, &indexes, data, size);
	frames = (struct model_frames){
		.job = &sampled.job,
		.setup = &sampled.setup,
		.asked = &asked,
		.sampling = sampled.sampling,
		.sums = asked.exact ? &sums : NULL,
		.tasks = tasks,
		.out = {.records = take_records, .user = &sampled},
	};
	sums.in_place = how & GROWS;
	memset(frames.chains, 0xff, sizeof(frames.chains));
	model_frames_drain(&frames);
	model_frames_write_sums(&frames);
	/* Everything is delivered: the next records go to another file. */
	sampled.words = 0;
	model_frames_repeat(&frames);
	model_frames_finish(&frames);
	require(!frames.error);
	record_writer_clean_up(&frames.out);
	exact_sums_clean_up(&sums);
	model_tasks_free(tasks);
	free(sampled.periods);
	memset(&sampled.sampling->rings[slot], 0, sizeof(struct model_ring));
	memset((char *)sampled.sampling + model_ring_place(&asked, slot), 0, MODEL_RING_BYTES);
	return 0;
}
