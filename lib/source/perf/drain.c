/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/drain.h"

#define ROUND_SECONDS  1
#define RESUME_SECONDS 0.04
#define RECORDS        64 /* SPE records that are counted at a time */

static void count_records(struct perf_drain *d, struct perf_ring *ring, const uint8_t *data,
			  size_t size)
{
	struct plumb_spe_record records[RECORDS];
	size_t count;

	plumb_spe_stream_feed(ring->records, data, size);
	while ((count = plumb_spe_stream_read(ring->records, records, RECORDS)) > 0)
		d->records += count;
}

static int drain_aux(struct perf_drain *d, struct perf_ring *ring)
{
	const struct perf_targets *targets = &d->sampling->targets;
	struct aux_data data;
	struct plumb_aux_chunk chunk;
	int error;

	if (aux_ring_look(&ring->aux, &data) == 0)
		return 0;
	chunk = (struct plumb_aux_chunk){
		.size = data.first_size + data.second_size,
		.offset = data.offset,
		.reference = d->reference,
		.index = (uint32_t)(ring - d->rings->all),
		.tid = targets->threads[ring->first_thread],
		.cpu = targets->cpus[ring->cpu],
	};
	error = d->job->aux(d->job->user, &chunk, data.first, data.first_size, data.second,
			    data.second_size);
	count_records(d, ring, data.first, data.first_size);
	if (data.second_size)
		count_records(d, ring, data.second, data.second_size);
	aux_ring_give_back(&ring->aux, &data);
	return error;
}

int perf_drain(struct perf_drain *d, bool on, double now)
{
	const bool all = now - d->resumed >= RESUME_SECONDS;
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < d->rings->count && error == 0; i++) {
		struct perf_ring *ring = &d->rings->all[i];
		uint64_t taken = ring->aux.taken;

		any |= data_ring_has(&ring->data);
		error = data_ring_drain(&ring->data, d->spill, &d->tally, d->job->records,
					d->job->user);
		if (error == 0 && !ring->aux.overwrite)
			error = drain_aux(d, ring);
		if (on && ring->aux.taken && (all || ring->aux.taken != taken))
			perf_ring_resume(ring, d->sampling);
	}
	if (all)
		d->resumed = now;
	/* Calls it even if nothing came: this is when the caller switches to another file. */
	if (error || !d->job->round || (!any && now - d->round < ROUND_SECONDS))
		return error;
	d->round = now;
	return d->job->round(d->job->user);
}

int perf_drain_snapshots(struct perf_drain *d)
{
	int error = 0;

	for (size_t i = 0; i < d->rings->count && error == 0; i++)
		if (d->rings->all[i].aux.overwrite)
			error = drain_aux(d, &d->rings->all[i]);
	return error;
}
