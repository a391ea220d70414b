/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/slots.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qemu/sampler.h"
#include "qemu/share.h"
#include "qemu/timeline.h"

static struct model_shared *shared;
static bool own_slots[MODEL_SHARED_THREADS]; /* those of this process's threads; under `lock` */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t interval;
static _Atomic uint64_t next_snapshot;

void slots_set_up(struct model_shared *memory, uint64_t cycles, uint64_t base_cycle)
{
	shared = memory;
	interval = cycles;
	atomic_store(&next_snapshot, interval ? base_cycle - base_cycle % interval + interval : 0);
}

void slots_note_longest(uint64_t cycle)
{
	uint64_t longest = atomic_load_explicit(&shared->longest_cycles, memory_order_relaxed);

	while (cycle > longest &&
	       !atomic_compare_exchange_weak(&shared->longest_cycles, &longest, cycle))
		;
}

void slots_sum(uint64_t counts[MODEL_COUNTS])
{
	for (unsigned e = 0; e < MODEL_COUNTS; e++)
		counts[e] = atomic_load_explicit(&shared->finished[e], memory_order_relaxed);
	for (unsigned t = 0; t < MODEL_SHARED_THREADS; t++)
		if (atomic_load_explicit(&shared->slot_taken[t], memory_order_acquire))
			for (unsigned e = 0; e < MODEL_COUNTS; e++)
				counts[e] += model_thread_count(&shared->threads[t], e);
}

/* Waits until the reader has taken enough snapshots. Returns false if it takes no more. */
static bool wait_for_room(uint64_t number)
{
	const struct timespec little = {.tv_nsec = 200000};

	for (unsigned waits = 1; number - atomic_load(&shared->snapshots_read) > MODEL_SNAPSHOTS;
	     waits++) {
		if (atomic_load(&shared->ended) || atomic_load(&shared->orphaned) ||
		    (waits % 512 == 0 && share_reader_gone(shared)))
			return false;
		nanosleep(&little, NULL);
	}
	return true;
}

bool slots_have_snapshots(void)
{
	return interval != 0;
}

void slots_snapshot(uint64_t cycle)
{
	uint64_t due = atomic_load_explicit(&next_snapshot, memory_order_relaxed), number;
	struct model_snapshot *snapshot;

	if (!interval || cycle < due ||
	    !atomic_compare_exchange_strong(&next_snapshot, &due,
					    due + interval * ((cycle - due) / interval + 1)))
		return;
	number = atomic_fetch_add(&shared->snapshots, 1) + 1;
	if (!wait_for_room(number))
		return;
	snapshot = &shared->snapshot[number % MODEL_SNAPSHOTS];
	snapshot->cycle = cycle - cycle % interval;
	slots_sum(snapshot->counts);
	timeline_take_code(snapshot->code);
	atomic_store(&snapshot->number, number);
}

void slots_add_to_finished(unsigned slot)
{
	struct model_thread_counts *counts = &shared->threads[slot];

	for (unsigned e = 0; e < MODEL_COUNTS; e++) {
		atomic_fetch_add(&shared->finished[e], model_thread_count(counts, e));
		counts->counts[e] = counts->skipped[e] = counts->at_close[e] = 0;
	}
	atomic_store(&counts->closed, 0);
}

/*
 * Returns whether nobody uses a taken slot any more: most processes end without giving theirs back,
 * by exit_group() or by a signal, and a program that became another one has left those of before.
 */
static bool is_left_behind(unsigned slot, uint32_t owner)
{
	return owner == (uint32_t)getpid() ? !own_slots[slot]
					   : share_process_gone(shared, (int)owner);
}

int slots_take(void)
{
	const uint32_t self = (uint32_t)getpid();
	int taken = -1;

	pthread_mutex_lock(&lock);
	for (unsigned t = 0; taken < 0 && t < MODEL_SHARED_THREADS; t++) {
		uint32_t owner = 0;

		if (atomic_compare_exchange_strong(&shared->slot_taken[t], &owner, self))
			taken = (int)t;
	}
	for (unsigned t = 0; taken < 0 && t < MODEL_SHARED_THREADS; t++) {
		uint32_t owner = atomic_load(&shared->slot_taken[t]);

		if (owner && is_left_behind(t, owner) &&
		    atomic_compare_exchange_strong(&shared->slot_taken[t], &owner, self)) {
			slots_note_longest(shared->threads[t].counts[EVENT_CPU_CYCLES]);
			sampler_end_for(t);
			slots_add_to_finished(t);
			taken = (int)t;
		}
	}
	if (taken >= 0)
		own_slots[taken] = true;
	pthread_mutex_unlock(&lock);
	return taken;
}

void slots_give_back(unsigned slot)
{
	pthread_mutex_lock(&lock);
	own_slots[slot] = false;
	atomic_store_explicit(&shared->slot_taken[slot], 0, memory_order_release);
	pthread_mutex_unlock(&lock);
}

void slots_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	memset(own_slots, 0, sizeof(own_slots));
}
