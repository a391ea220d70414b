/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds what is due of a stream in threads: whole rings, each with its own tallies, lanes and
 * latencies, which are whole numbers, so that it does not matter in which order they are added in
 * the end. What depends on the order of records is left to the stream as a whole: more rows than
 * can be kept, the first context packet, or errors.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_batch.h"
#include "recording/samples_split.h"

/* What all threads together may keep, in bytes. */
#define MEMORY_MAX ((size_t)24 << 20)
/* What a row takes of it, beside its latencies. */
#define ROW_SIZE (sizeof(struct tally_row) + sizeof(struct tally_less))

struct worker {
	struct adding adding;
	struct adding_part part;
	struct tallies tallies;
	struct latencies latencies;
	struct samples_split *split;
	size_t memory;  /* that it may take */
	size_t counted; /* latencies that it has told the others of */
	pthread_t thread;
	bool started;
};

static bool takes_too_much(const struct worker *worker)
{
	return worker->tallies.room * ROW_SIZE + latencies_memory(&worker->latencies) >
	       worker->memory;
}

/*
 * Tells whether the threads have more latencies together than can be counted. Which ones are not
 * counted then depends on the order of records, so only the whole can go on; and it has enough to
 * do with each record for two threads.
 */
static bool counts_too_much(struct worker *worker)
{
	size_t *all = &worker->part.together->latencies;
	const size_t used = worker->latencies.used, more = used - worker->counted;

	worker->counted = used;
	if (__atomic_add_fetch(all, more, __ATOMIC_RELAXED) <= LATENCY_COUNTS_MAX)
		return false;
	worker->adding.late_due = true;
	return true;
}

static void *work(void *user)
{
	struct worker *worker = user;
	struct adding *adding = &worker->adding;
	int status = 0;

	while (status == 0 && !samples_split_is_abandoned(worker->split)) {
		status = plumb_samples_next_batch(adding->samples, &adding->batch);
		if (status <= 0)
			break;
		status = takes_too_much(worker) || counts_too_much(worker) ? PLUMB_ERR_LIMIT
									   : add_batch(adding);
	}
	if (status < 0)
		samples_split_abandon(worker->split);
	return NULL;
}

static bool begin_worker(struct worker *worker, const struct adding *whole,
			 struct samples_split *split, struct adding_together *together)
{
	worker->split = split;
	worker->part = (struct adding_part){.together = together};
	latencies_begin(&worker->latencies, whole->profile->options.latencies);
	worker->adding = (struct adding){
		.profile = whole->profile,
		.samples = samples_part(split),
		.tallies = &worker->tallies,
		.latencies = &worker->latencies,
		.part = &worker->part,
		.parts = whole->parts,
		.has_event = true,
		.event = whole->event,
	};
	record_kinds_begin(worker->adding.kinds);
	return worker->adding.samples;
}

static void end_worker(struct worker *worker, bool keep)
{
	samples_part_end(worker->adding.samples, keep);
	tallies_free(&worker->tallies);
	latencies_end(&worker->latencies);
	free(worker->part.lanes);
}

/* Adds what a worker has added up to the profile. */
static int join(struct adding *whole, struct worker *worker)
{
	struct plumb_profile *profile = whole->profile;
	const struct batch_sums *from = &worker->adding.sums;
	struct batch_sums *sums = &whole->sums;

	tallies_flush(&worker->tallies, profile);
	for (size_t i = 0; i < worker->part.lane_count; i++) {
		struct lane *lane = lane_find(profile, worker->part.lanes[i].key);

		if (!lane)
			return PLUMB_ERR_NO_MEMORY;
		*lane = worker->part.lanes[i];
	}
	sums->count += from->count;
	sums->pairs += from->pairs;
	sums->latency += from->latency;
	sums->left_out += from->left_out;
	sums->not_shown += from->not_shown;
	for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
		sums->kinds[kind] += from->kinds[kind];
	return 0;
}

/* Rows whose latencies a thread adds at once. */
#define ROWS_JOINED 1024

/* Adds the latencies of all workers up. */
struct joining {
	struct latencies *into;
	struct worker *workers;
	size_t count;
	size_t rows, next; /* the next ones are yet to be added */
};

struct joiner {
	struct joining *joining;
	struct latencies memory; /* of tables */
	pthread_t thread;
	bool started;
	int status;
};

static void *join_rows(void *user)
{
	struct joiner *joiner = user;
	struct joining *joining = joiner->joining;

	while (joiner->status == 0) {
		const size_t begin =
			__atomic_fetch_add(&joining->next, ROWS_JOINED, __ATOMIC_RELAXED);

		if (begin >= joining->rows)
			break;
		for (size_t i = 0; joiner->status == 0 && i < joining->count; i++)
			joiner->status = latencies_join_rows(joining->into, &joiner->memory,
							     &joining->workers[i].latencies, begin,
							     begin + ROWS_JOINED);
	}
	return NULL;
}

static int join_in_threads(struct joining *joining)
{
	const size_t most = joining->rows / ROWS_JOINED + 1;
	const size_t count = joining->count < most ? joining->count : most;
	struct joiner *joiners = calloc(count, sizeof(*joiners));
	int status = 0;

	if (!joiners)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		joiners[i].joining = joining;
	for (size_t i = 1; i < count; i++)
		joiners[i].started = threads_start(&joiners[i].thread, join_rows, &joiners[i]);
	join_rows(&joiners[0]);
	for (size_t i = 0; i < count; i++) {
		if (joiners[i].started)
			pthread_join(joiners[i].thread, NULL);
		if (joiners[i].status < 0)
			status = joiners[i].status;
		latencies_take(joining->into, &joiners[i].memory);
	}
	free(joiners);
	return status;
}

static int join_latencies(struct plumb_profile *profile, struct worker *workers, size_t count)
{
	struct joining joining = {.into = &profile->latencies, .workers = workers, .count = count};

	/* The others are added to the largest one. */
	for (size_t i = 0; i < count; i++) {
		const struct latencies smaller = profile->latencies;

		if (smaller.used >= workers[i].latencies.used)
			continue;
		profile->latencies = workers[i].latencies;
		workers[i].latencies = smaller;
	}
	for (size_t i = 0; i < count; i++)
		if (workers[i].latencies.room > joining.rows)
			joining.rows = workers[i].latencies.room;
	if (!joining.rows)
		return 0;
	if (!latencies_reserve(&profile->latencies, joining.rows - 1))
		return PLUMB_ERR_NO_MEMORY;
	return join_in_threads(&joining);
}

/* Returns whether there might be too many latencies of all threads together. */
static bool has_too_many_latencies(const struct adding *whole, const struct worker *workers,
				   size_t count)
{
	size_t used = whole->profile->latencies.used;

	for (size_t i = 0; i < count; i++)
		used += workers[i].latencies.used;
	return used > LATENCY_COUNTS_MAX;
}

static int run(struct adding *whole, struct samples_split *split, struct worker *workers,
	       size_t count)
{
	const size_t rows = whole->profile->row_count;
	int status = 0;
	bool keep;

	for (size_t i = 1; i < count; i++)
		workers[i].started = threads_start(&workers[i].thread, work, &workers[i]);
	work(&workers[0]);
	for (size_t i = 1; i < count; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
	keep = !samples_split_is_abandoned(split) && !has_too_many_latencies(whole, workers, count);
	for (size_t i = 0; keep && status == 0 && i < count; i++)
		status = join(whole, &workers[i]);
	if (keep && status == 0)
		status = join_latencies(whole->profile, workers, count);
	if (!keep) {
		rows_truncate(whole->profile, rows);
		whole->threads = 1;
	}
	for (size_t i = 0; i < count; i++) {
		whole->late_due |= workers[i].adding.late_due;
		end_worker(&workers[i], keep);
	}
	/* What the threads had is not of sizes that one thread will need. */
	if (!keep)
		malloc_trim(0);
	if (samples_split_end(split, keep) < 0)
		status = PLUMB_ERR_NO_MEMORY;
	return status;
}

int add_in_threads(struct adding *whole)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct adding_together together = {
		.lock = &lock,
		.rows_before = whole->profile->row_count,
		.latencies = whole->profile->latencies.used,
	};
	struct samples_split *split;
	struct worker *workers;
	size_t rings, count = 0;
	int status;

	/* Locations are looked up by one thread. */
	if (whole->threads < 2 || !whole->parts.fit ||
	    (whole->profile->options.wants_by | whole->profile->options.shows_by) &
		    PLUMB_WANTS_LOCATION)
		return 0;
	rings = samples_split(whole->samples, &lock, &split);
	if (rings == 0)
		return 0;
	workers = calloc(whole->threads, sizeof(*workers));
	if (!workers) {
		samples_split_end(split, false);
		return 0;
	}
	while (rings + whole->profile->lane_count < LANES_MAX && count < whole->threads &&
	       count < rings && begin_worker(&workers[count], whole, split, &together))
		count++;
	for (size_t i = 0; i < count; i++)
		workers[i].memory = MEMORY_MAX / count;
	if (count < 2) {
		for (size_t i = 0; i < count; i++)
			end_worker(&workers[i], false);
		samples_split_end(split, false);
		status = 0;
	} else {
		status = run(whole, split, workers, count);
	}
	free(workers);
	return status;
}
