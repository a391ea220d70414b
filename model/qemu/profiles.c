/* SPDX-License-Identifier: Apache-2.0 */
/* The exact profiles of a process's threads: what is told of them, and when. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#include "pipeline.h"
#include "qemu/sampled.h"
#include "qemu/sampler.h"
#include "qemu/sampler_inside.h"

/*
 * How often a profile is told. To tell an instruction takes about as long as to model some
 * operations, or some dozens of cycles. So for each that has changed, that many have to pass; but
 * of cycles in which hardly anything executes, not too many.
 */
#define TELL_CYCLES          200000u
#define TELL_AGAIN_CYCLES    10000u /* until it is looked again whether that is due */
#define TELL_OPERATIONS_EACH 16u
#define TELL_CYCLES_LEAST    50u
#define TELL_CYCLES_MOST     2000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sampler *profiled; /* list of those with a profile; under `lock` */

/* A profile being told. */
struct telling {
	struct sampler *sampler;
	unsigned group; /* as in struct model_frame_cost */
	uint64_t weight;
	uint32_t context;
	bool any;
	bool last; /* it is never told again */
};

static void tell_context(const struct telling *telling, uint32_t context)
{
	struct sampler *sampler = telling->sampler;
	uint64_t addresses[MODEL_CHAIN_MAX];
	struct model_frame_context frame = {
		.profile = sampler->profile, .context = context, .last = telling->last};

	frame.depth = (uint32_t)contexts_sites(exact_contexts(sampler->exact), context, addresses,
					       MODEL_CHAIN_MAX);
	for (size_t i = 0; i < frame.depth; i++)
		addresses[i] += 4; /* return addresses, as in any call chain */
	sampler_send(sampler, FRAME_CONTEXT, sampler_now(sampler), &frame, sizeof(frame), addresses,
		     frame.depth * sizeof(addresses[0]));
}

static void tell_cost(void *user, uint32_t context, uint64_t pc,
		      const struct profile_counts *counts)
{
	struct telling *telling = user;
	struct model_frame_cost frame = {
		.ip = pc, .group = telling->group, .weight = telling->weight};
	struct model_cost costs[EXACT_COUNT];

	if (!telling->any || context != telling->context)
		tell_context(telling, context);
	telling->any = true;
	telling->context = context;
	for (unsigned i = 0; i < sizeof(counts->counted) / sizeof(*counts->counted); i++)
		for (uint64_t bits = counts->counted[i]; bits; bits &= bits - 1) {
			const unsigned e = 64 * i + (unsigned)__builtin_ctzll(bits);

			if (counts->of[e])
				costs[frame.count++] = (struct model_cost){e, counts->of[e]};
		}
	sampler_send(telling->sampler, FRAME_COST, sampler_now(telling->sampler), &frame,
		     sizeof(frame),
		     /* cppcheck-suppress uninitvar ; only those that are counted are read */
		     costs, frame.count * sizeof(costs[0]));
}

static void tell_line(void *user, const struct lines_count *count)
{
	const struct model_frame_line frame = {
		.ip = count->pc,
		.address = count->address,
		.accesses = count->accesses,
		.moves = count->moves,
		.bytes = count->bytes,
		.access = count->access,
	};
	struct telling *telling = user;

	/* Lines belong to the thread of the context that was told last. */
	if (!telling->any)
		tell_context(telling, 0);
	telling->any = true;
	sampler_send(telling->sampler, FRAME_LINE, sampler_now(telling->sampler), &frame,
		     sizeof(frame), NULL, 0);
}

void profiles_tell(struct sampler *sampler, bool last)
{
	struct telling telling = {.sampler = sampler, .weight = 1, .last = last};

	core_counts(sampler->core);
	/* A window that has begun is no window. */
	if (!sampled_counts_all())
		exact_drop(sampler->core);
	exact_tell(sampler->core, tell_cost, &telling);
	exact_tell_lines(sampler->core, true, tell_line, &telling);
	sampler_send(sampler, FRAME_TOLD, sampler_now(sampler), "", 0, "", 0);
	atomic_store_explicit(&sampler->ring->time, sampler_now(sampler), memory_order_relaxed);
}

static void tell_changes(struct sampler *sampler)
{
	struct telling telling = {.sampler = sampler, .weight = 1};

	core_counts(sampler->core);
	exact_tell_changes(sampler->core, tell_cost, &telling);
	exact_tell_lines(sampler->core, false, tell_line, &telling);
	sampler_send(sampler, FRAME_TOLD, sampler_now(sampler), "", 0, "", 0);
}

/* Sets the cycle at which it is looked next whether it is time to tell what has changed. */
static void tell_next(struct sampler *sampler, uint64_t cycle)
{
	sampler->next_told = cycle;
	exact_set_told(sampler->exact, cycle);
}

void profiles_tell_changes(struct sampler *sampler)
{
	const uint64_t cycle = core_cycle(sampler->core);
	const uint64_t passed = cycle - sampler->told_cycle;
	const uint64_t operations = sampler->core->sequence - sampler->told_sequence;
	const uint64_t changed = exact_changed(sampler->exact);

	if (likely(cycle < sampler->next_told))
		return;
	tell_next(sampler, cycle + TELL_AGAIN_CYCLES);
	if (passed < TELL_CYCLES + TELL_CYCLES_LEAST * changed ||
	    (operations < TELL_OPERATIONS_EACH * changed && passed < TELL_CYCLES_MOST * changed))
		return;
	tell_changes(sampler);
	sampler->told_cycle = cycle;
	sampler->told_sequence = sampler->core->sequence;
	tell_next(sampler, cycle + TELL_CYCLES);
}

void profiles_tell_before_mapping(struct sampler *sampler)
{
	/* What a window counts is told when it ends. */
	if (sampled_counts_all())
		tell_changes(sampler);
}

void sampler_charged(struct sampler *sampler, unsigned group, uint64_t weight)
{
	struct telling telling = {.sampler = sampler, .group = group, .weight = weight};

	if (sampler->ended || !sampler->exact)
		return;
	core_counts(sampler->core);
	if (!weight) {
		exact_drop(sampler->core);
		return;
	}
	exact_tell_changes(sampler->core, tell_cost, &telling);
	sampler_send(sampler, FRAME_TOLD, sampler_now(sampler), "", 0, "", 0);
}

void profiles_follow_lines(struct sampler *sampler)
{
	if (!exact_follow_lines(sampler->core))
		atomic_store(&sampler->sampling->exact_failed, 1);
}

void profiles_begin(struct sampler *sampler)
{
	atomic_flag_clear(&sampler->busy);
	sampler->exact = exact_new();
	if (!sampler->exact) {
		atomic_store(&sampler->sampling->exact_failed, 1);
		return;
	}
	sampler->profile = atomic_fetch_add(&sampler->sampling->profiles, 1);
	tell_next(sampler, sampler->sampling->as_it_goes ? TELL_CYCLES : UINT64_MAX);
	core_set_exact(sampler->core, sampler->exact);
	if (atomic_load(&sampler->sampling->several))
		profiles_follow_lines(sampler);
	pthread_mutex_lock(&lock);
	sampler->next = profiled;
	profiled = sampler;
	pthread_mutex_unlock(&lock);
}

void profiles_end(struct sampler *sampler)
{
	const struct contexts *contexts = exact_contexts(sampler->exact);
	struct sampler **at;

	pthread_mutex_lock(&lock);
	for (at = &profiled; *at && *at != sampler;)
		at = &(*at)->next;
	if (*at)
		*at = sampler->next;
	pthread_mutex_unlock(&lock);
	if (exact_failed(sampler->exact))
		atomic_store(&sampler->sampling->exact_failed, 1);
	if (exact_lines_incomplete(sampler->exact))
		atomic_store(&sampler->sampling->lines_incomplete, 1);
	atomic_fetch_add(&sampler->sampling->calls_too_deep, contexts->too_deep);
	atomic_fetch_add(&sampler->sampling->calls_too_many, contexts->too_many);
	core_set_exact(sampler->core, NULL);
	exact_free(sampler->exact);
}

bool sampler_enter(struct sampler *sampler)
{
	if (!sampler->exact)
		return true;
	/* Once per block, and another thread only wants it at the end: a mutex takes twice as long.
	 */
	while (atomic_flag_test_and_set_explicit(&sampler->busy, memory_order_acquire))
		sched_yield();
	if (!sampler->ended)
		return true;
	atomic_flag_clear_explicit(&sampler->busy, memory_order_release);
	return false;
}

void sampler_leave(struct sampler *sampler)
{
	if (sampler->exact)
		atomic_flag_clear_explicit(&sampler->busy, memory_order_release);
}

/* Other threads may still be executing: this is the last chance to report their profiles. */
bool sampler_flush_all(bool exit)
{
	if (!sampler_has_profiles())
		return false;
	pthread_mutex_lock(&lock);
	for (struct sampler *sampler = profiled; sampler; sampler = sampler->next) {
		if (!sampler_enter(sampler))
			continue;
		sampler_flush(sampler, exit);
		sampler_leave(sampler);
	}
	pthread_mutex_unlock(&lock);
	return exit;
}

void profiles_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	profiled = NULL;
}
