/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/exact.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "lines.h"

#define CONTEXT_USER ((uint64_t)-512) /* PERF_CONTEXT_USER */
#define SAMPLE_WORDS 11               /* of a sample at most, without its callers */

/* ---- reading -------------------------------------------------------------------------------- */

uint32_t exact_read_context(struct exact_sums *sums, const struct model_frame *frame, unsigned slot,
			    uint32_t before, const char *body, size_t size, int *error)
{
	struct model_frame_context context;
	struct exact_chain chain = {.slot = slot, .frame = *frame};
	uint64_t addresses[MODEL_CHAIN_MAX];
	uint32_t index;

	memcpy(&context, body, sizeof(context));
	if (context.depth > MODEL_CHAIN_MAX ||
	    context.depth * sizeof(addresses[0]) > size - sizeof(context))
		return EXACT_NO_CHAIN;
	memcpy(addresses, body + sizeof(context), context.depth * sizeof(addresses[0]));
	chain.profile = context.profile;
	chain.context = context.context;
	chain.depth = context.depth;
	chain.last = context.last;
	chain.code = replaced_path(&sums->replaced, frame->tid, addresses, chain.depth);
	index = chain.last ? exact_sums_pass(sums, &chain, addresses, before)
			   : exact_sums_chain(sums, &chain, addresses);
	if (index == UINT32_MAX)
		*error = PLUMB_ERR_NO_MEMORY;
	return index;
}

/* Returns which code is at an address and those of its callers. */
static uint64_t code_of(const struct exact_sums *sums, const struct exact_chain *chain, uint64_t ip)
{
	return chain->code ^ replaced_code(&sums->replaced, chain->frame.tid, ip);
}

void exact_read_mmap(struct exact_sums *sums, const struct model_frame *frame, const char *body,
		     size_t size, int *error)
{
	const char *path = body + sizeof(struct model_frame_mmap);
	const size_t length = strnlen(path, size - sizeof(struct model_frame_mmap));
	struct model_frame_mmap mmap;
	uint64_t file;

	memcpy(&mmap, body, sizeof(mmap));
	file = mmap.inode ^ (uint64_t)mmap.major << 32 ^ (uint64_t)mmap.minor << 40;
	file = (file ^ (mmap.address - mmap.offset)) * 0x9e3779b97f4a7c15ull;
	for (size_t i = 0; i < length; i++)
		file = (file ^ (unsigned char)path[i]) * 0x100000001b3ull;
	if (!replaced_note(&sums->replaced, frame->tid, mmap.address, mmap.length, file))
		*error = PLUMB_ERR_NO_MEMORY;
}

#define LINE_BYTES_MAX 0xffffu

void exact_read_line(struct exact_sums *sums, uint32_t chain, const char *body, int *error)
{
	struct model_frame_line line;
	struct exact_key key = {0};

	memcpy(&line, body, sizeof(line));
	if (chain >= sums->chain_count || line.bytes > LINE_BYTES_MAX || line.access > LINES_ATOMIC)
		return;
	key.ip = line.ip;
	key.address = line.address;
	key.profile = sums->chains[chain].profile;
	key.context = line.access << 16 | line.bytes;
	key.code = replaced_code(&sums->replaced, sums->chains[chain].frame.tid, line.ip);
	if (!(line.accesses | line.moves))
		return;
	if (!exact_sums_enter(sums, &key, chain) ||
	    (line.accesses && !exact_sums_add(sums, EXACT_LINE_ACCESSES, line.accesses)) ||
	    (line.moves && !exact_sums_add(sums, EXACT_LINE_MOVES, line.moves)))
		*error = PLUMB_ERR_NO_MEMORY;
}

/* ---- writing -------------------------------------------------------------------------------- */

static const struct exact_key *key_of(const struct exact_sums *sums, const struct exact_sum *sum)
{
	return &sums->places[sum->place].key;
}

/*
 * The stream of a sample in a sampled run: its group, how many windows that has, and in the highest
 * 16 bits which part of what all windows stand for is in them.
 */
static uint64_t stream_of(const struct exact_sums *sums, const struct exact_sum *sum)
{
	const struct sampled_groups *groups = &sums->groups;
	const uint32_t group = key_of(sums, sum)->group;
	const uint64_t windows = groups->windows[group] & 0xffffffffff;

	return (uint64_t)(groups->modelled * 0xffff) << 48 | windows << 8 | group;
}

/* Returns how many bytes a sample's stream is before its period. All of them have one layout. */
static unsigned stream_before_period(const struct record_setup *setup)
{
	return setup->events[0].attr.sample_type & PERF_SAMPLE_CPU ? 2 * sizeof(uint64_t)
								   : sizeof(uint64_t);
}

/* A sample, which differs from the others of its place in two words. */
struct cost {
	uint64_t words[SAMPLE_WORDS + MODEL_CHAIN_MAX];
	size_t count;
	size_t id, period; /* indices of those */
};

/* `event`: any of the place's. There are many samples, so their parts are not written one by one.
 */
static void make_cost(struct cost *cost, const struct record_setup *setup, unsigned event,
		      const struct exact_sums *sums, uint32_t of, uint64_t ip, uint64_t time,
		      uint64_t stream)
{
	const struct exact_chain *chain = &sums->chains[of];
	const uint64_t type = setup->events[event].attr.sample_type;
	const uint32_t thread[] = {chain->frame.pid, chain->frame.tid};
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
					   .misc = PERF_RECORD_MISC_USER};
	uint64_t *word = cost->words + 1;

	cost->id = (size_t)(word - cost->words);
	*word++ = setup->ids[event];
	*word++ = ip;
	memcpy(word++, thread, sizeof(thread));
	if (type & PERF_SAMPLE_TIME)
		*word++ = time;
	if (type & PERF_SAMPLE_STREAM_ID)
		*word++ = stream;
	if (type & PERF_SAMPLE_CPU)
		*word++ = chain->slot;
	cost->period = (size_t)(word - cost->words);
	*word++ = 0;
	*word++ = 2 + chain->depth;
	*word++ = CONTEXT_USER;
	*word++ = ip;
	if (chain->depth)
		memcpy(word, sums->addresses + chain->addresses, chain->depth * sizeof(*word));
	cost->count = (size_t)(word - cost->words) + chain->depth;
	header.size = (uint16_t)(cost->count * sizeof(*word));
	memcpy(cost->words, &header, sizeof(header));
}

/* Returns where its period is in `out`. */
static size_t write_cost(struct record_writer *out, const struct record_setup *setup,
			 const struct exact_sums *sums, const struct exact_sum *sum,
			 uint64_t period)
{
	const size_t begin = out->size;
	struct cost cost;

	make_cost(&cost, setup, sum->event, sums, sums->places[sum->place].chain,
		  key_of(sums, sum)->ip, sum->time, stream_of(sums, sum));
	cost.words[cost.period] = period;
	record_whole(out, cost.words, cost.count * sizeof(cost.words[0]));
	return begin + cost.period * sizeof(cost.words[0]);
}

/* union perf_mem_data_src; its other parts are not known, or meaningless. */
static uint64_t data_source(uint32_t access, bool moved)
{
	const uint64_t op = access == LINES_LOAD    ? PERF_MEM_OP_LOAD
			    : access == LINES_STORE ? PERF_MEM_OP_STORE
						    : PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE;

	return op << PERF_MEM_OP_SHIFT |
	       (moved ? PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1 : PERF_MEM_LVL_NA)
		       << PERF_MEM_LVL_SHIFT |
	       (moved ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_NA) << PERF_MEM_SNOOP_SHIFT |
	       (uint64_t)PERF_MEM_LOCK_NA << PERF_MEM_LOCK_SHIFT |
	       (uint64_t)PERF_MEM_TLB_NA << PERF_MEM_TLB_SHIFT;
}

/* Likewise. */
static size_t write_line(struct record_writer *out, const struct record_setup *setup,
			 const struct exact_sums *sums, const struct exact_sum *sum,
			 uint64_t period)
{
	const struct exact_key *key = key_of(sums, sum);
	const struct exact_chain *chain = &sums->chains[sums->places[sum->place].chain];
	const uint64_t type = setup->events[sum->event].attr.sample_type;
	size_t place;

	record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_u64(out, setup->ids[sum->event]);
	record_u64(out, key->ip);
	record_u32(out, chain->frame.pid);
	record_u32(out, chain->frame.tid);
	if (type & PERF_SAMPLE_TIME)
		record_u64(out, sum->time);
	record_u64(out, key->address);
	if (type & PERF_SAMPLE_STREAM_ID)
		record_u64(out, stream_of(sums, sum));
	if (type & PERF_SAMPLE_CPU)
		record_u64(out, chain->slot);
	place = out->size;
	record_u64(out, period);
	record_u32(out, sizeof(uint32_t)); /* raw data */
	record_u32(out, key->context & LINE_BYTES_MAX);
	record_u64(out, data_source(key->context >> 16, sum->event == EXACT_LINE_MOVES));
	record_close(out);
	return place;
}

/* Returns how often what was counted occurred, in the whole program if it was in windows. */
static uint64_t period_of(const struct exact_sums *sums, const struct exact_sum *sum,
			  uint64_t counted)
{
	const double estimate = sums->groups.scale * (double)counted;

	if (!key_of(sums, sum)->group)
		return counted;
	return estimate < 0x1p63 ? (uint64_t)llround(estimate) : UINT64_MAX;
}

static struct exact_values values_of(const struct exact_sums *sums, const struct exact_sum *sum)
{
	return (struct exact_values){stream_of(sums, sum), period_of(sums, sum, sum->sum)};
}

uint64_t exact_write(struct record_writer *out, const struct record_setup *setup,
		     struct exact_sums *sums)
{
	uint64_t written = 0;

	for (size_t i = 0; (i = exact_sums_next_told(sums, i)) != SIZE_MAX; i++) {
		struct exact_sum *sum = &sums->at[i];
		/* Closing a sample may hand it over: its place is its own all the same. */
		const uint64_t begin = sums->in_place ? sums->position(sums->user) : 0;
		/*
		 * Samples have their periods, except for the first one if it can be changed: its
		 * change brings all of them into the file. In a sampled run, all are changed.
		 */
		const bool is_current = begin && !sums->scaled && written;
		const uint64_t period = begin && !is_current ? 0 : period_of(sums, sum, sum->told);
		size_t place;

		if (sum->position)
			continue;
		/* From some length on, a file is compressed. */
		sums->in_place = begin != 0;
		place = sum->event < EXACT_COUNT ? write_cost(out, setup, sums, sum, period)
						 : write_line(out, setup, sums, sum, period);
		sum->position = begin ? begin + place : 0;
		sum->is_current = is_current;
		written++;
	}
	record_flush(out);
	if (!out->error && sums->scaled && sums->in_place)
		out->error =
			exact_sums_written_scaled(sums, stream_before_period(setup), values_of);
	else if (!out->error)
		out->error = exact_sums_written(sums);
	return written;
}

/* ---- what an instruction counts --------------------------------------------------------------
 */

/*
 * Returns whether what a place counts is all that it ever will, and nothing was told of it before:
 * then there is no sum to be kept, and its samples are written at once.
 */
static bool is_whole(const struct exact_sums *sums, const struct exact_key *key, uint32_t chain)
{
	return sums->chains[chain].last && !sums->scaled && !key->group &&
	       !exact_sums_know(sums, key);
}

/*
 * Returns whether all counts of a place may come in one sample. Readers take the counts of such
 * samples as those of a group, which grow from sample to sample: some of the program, some of each
 * thread. So that it is the same to all, and whatever the order of threads, one has such samples.
 */
static bool comes_together(struct exact_sums *sums, uint32_t tid)
{
	if (!sums->together_tid)
		sums->together_tid = tid;
	return sums->together_tid == tid;
}

/*
 * Writes a sample with all counts of a place, as perf record does for a group: readers make a
 * sample of each count, with what it has grown by as its period.
 */
static void take_together(struct record_writer *out, const struct record_setup *setup,
			  struct exact_sums *sums, const struct exact_key *key,
			  const struct exact_chain *chain, const struct model_cost *costs,
			  uint32_t count)
{
	const uint64_t type = setup->events[EXACT_TOGETHER].attr.sample_type;
	const size_t size =
		sizeof(uint64_t) * (8 + !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_CPU) +
				    2 * (size_t)count + chain->depth);
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = (uint16_t)size};
	const uint32_t thread[] = {chain->frame.pid, chain->frame.tid};
	uint64_t *word = record_room(out, size);

	if (!word)
		return;
	memcpy(word++, &header, sizeof(header));
	*word++ = setup->ids[EXACT_TOGETHER];
	*word++ = key->ip;
	memcpy(word++, thread, sizeof(thread));
	if (type & PERF_SAMPLE_TIME)
		*word++ = chain->frame.time;
	if (type & PERF_SAMPLE_CPU)
		*word++ = chain->slot;
	*word++ = count;
	for (uint32_t i = 0; i < count; i++) {
		*word++ = sums->together[costs[i].event] += costs[i].count;
		*word++ = setup->ids[costs[i].event];
	}
	*word++ = 2 + chain->depth;
	*word++ = CONTEXT_USER;
	*word++ = key->ip;
	if (chain->depth)
		memcpy(word, sums->addresses + chain->addresses, chain->depth * sizeof(*word));
}

/* Returns the number of counts written. */
static uint64_t take_costs(struct record_writer *out, const struct record_setup *setup,
			   struct exact_sums *sums, const struct exact_key *key, uint32_t of,
			   const struct model_cost *costs, uint32_t count)
{
	const struct exact_chain *chain = &sums->chains[of];
	struct cost sample;

	if (count > 1 && comes_together(sums, chain->frame.tid)) {
		take_together(out, setup, sums, key, chain, costs, count);
		return count;
	}
	make_cost(&sample, setup, (unsigned)costs[0].event, sums, of, key->ip, chain->frame.time,
		  0);
	for (uint32_t i = 0; i < count; i++) {
		sample.words[sample.id] = setup->ids[costs[i].event];
		sample.words[sample.period] = costs[i].count;
		record_whole(out, sample.words, sample.count * sizeof(sample.words[0]));
	}
	return count;
}

static bool add_costs(struct exact_sums *sums, const struct exact_key *key, uint32_t chain,
		      const struct model_cost *costs, uint32_t count)
{
	if (!exact_sums_enter(sums, key, chain))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!exact_sums_add(sums, (unsigned)costs[i].event, costs[i].count))
			return false;
	return true;
}

uint64_t exact_read_cost(struct record_writer *out, const struct record_setup *setup,
			 struct exact_sums *sums, uint32_t chain, const char *body, size_t size,
			 int *error)
{
	struct model_cost costs[EXACT_COUNT];
	struct model_frame_cost head;
	struct exact_key key = {0};
	uint32_t count = 0;

	memcpy(&head, body, sizeof(head));
	body += sizeof(head);
	size -= sizeof(head);
	if (chain >= sums->chain_count || head.count > size / sizeof(struct model_cost) ||
	    head.count > EXACT_COUNT || head.group > SAMPLED_GROUPS)
		return 0;
	key.ip = head.ip;
	key.group = head.group;
	key.profile = sums->chains[chain].profile;
	key.context = sums->chains[chain].context;
	key.code = code_of(sums, &sums->chains[chain], head.ip);
	for (uint32_t i = 0; i < head.count; i++) {
		struct model_cost *cost = &costs[count];

		memcpy(cost, body + i * sizeof(*cost), sizeof(*cost));
		count += cost->event < EXACT_COUNT &&
			 !__builtin_mul_overflow(cost->count, head.weight, &cost->count) &&
			 cost->count;
	}
	if (!count)
		return 0;
	if (is_whole(sums, &key, chain))
		return take_costs(out, setup, sums, &key, chain, costs, count);
	if (!add_costs(sums, &key, chain, costs, count))
		*error = PLUMB_ERR_NO_MEMORY;
	return 0;
}

void exact_warn(const struct model_sampling *sampling, struct plumb_diagnostics *diagnostics)
{
	uint64_t deep = atomic_load(&sampling->calls_too_deep);
	uint64_t many = atomic_load(&sampling->calls_too_many);
	uint32_t lost = atomic_load(&sampling->profiles_lost);

	if (atomic_load(&sampling->exact_failed))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "exact-incomplete", NULL,
				      "the profile is incomplete: out of memory");
	if (lost)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "profiles-lost", NULL,
				      "the profile is incomplete: %" PRIu32 " %s before delivering "
				      "what it had counted",
				      lost,
				      lost == 1 ? "thread was killed" : "threads were each killed");
	if (atomic_load(&sampling->lines_incomplete))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "lines-incomplete", NULL,
				      "threads share more cache lines than the model follows: "
				      "some of their accesses are missing");
	if (deep)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "deep-calls", NULL,
				      "%" PRIu64 " call sites are more than %d calls deep: they "
				      "count for their caller's context",
				      deep, CONTEXT_DEPTH_MAX);
	if (many)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "many-contexts", NULL,
				      "the program has more than %u calling contexts: %" PRIu64
				      " call sites count for their caller's context",
				      CONTEXTS_MAX, many);
}
