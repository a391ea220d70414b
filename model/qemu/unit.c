/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer of a thread's SPE unit: a ring of bytes, and the frames that report what is in it. */
#include "qemu/sampler_inside.h"

#define AUX_COLLISION 8
#define AUX_OVERWRITE 2

/* How much a unit writes at most before it reports it. */
#define REPORT_CYCLES 1000000u /* some 100 ms of the host's time */
#define REPORT_BYTES  32768u

static uint64_t aux_position(const struct sampler *sampler)
{
	uint64_t from = sampler->window % sampler->sampling->aux_bytes;

	return sampler->window + (uint64_t)(sampler->unit.at - (sampler->aux + from));
}

/* Reports what the unit has written since the last report; in a snapshot, everything there is. */
struct model_frame_aux unit_held(const struct model_sampling *sampling, struct model_ring *ring)
{
	struct model_frame_aux aux = {.offset = atomic_load(&ring->aux_reported)};
	uint64_t head = atomic_load(&ring->aux_head);

	if (sampling->snapshot) {
		aux.flags = AUX_OVERWRITE;
		if (head - aux.offset > sampling->aux_bytes)
			aux.offset = head - sampling->aux_bytes;
	}
	aux.size = head - aux.offset;
	if (atomic_load(&ring->collided))
		aux.flags |= AUX_COLLISION;
	return aux;
}

void unit_report(struct sampler *sampler)
{
	struct model_ring *ring = sampler->ring;
	uint64_t head = aux_position(sampler);
	struct model_frame_aux aux;

	atomic_store(&ring->aux_head, head);
	if (sampler->unit.collided)
		atomic_store(&ring->collided, 1);
	aux = unit_held(sampler->sampling, ring);
	if (!aux.size)
		return;
	sampler->unit.collided = false;
	atomic_store(&ring->collided, 0);
	sampler_send(sampler, FRAME_AUX, sampler_now(sampler), &aux, sizeof(aux), "", 0);
	atomic_store(&ring->aux_reported, head);
}

/*
 * Reports from time to time what the unit has written, so that a reader that is killed has nearly
 * all of it. It goes by the model's time, so that the same program gives the same recording.
 */
static void report_some(struct sampler *sampler)
{
	uint64_t cycle = core_cycle(sampler->core);

	if (sampler->sampling->snapshot)
		return;
	if (cycle - sampler->reported < REPORT_CYCLES &&
	    aux_position(sampler) - atomic_load_explicit(&sampler->ring->aux_reported,
							 memory_order_relaxed) <
		    REPORT_BYTES)
		return;
	sampler->reported = cycle;
	unit_report(sampler);
}

/* Reports half of the ring at a time, like the kernel's driver, which has itself interrupted then.
 */
static void give_window(struct sampler *sampler, uint64_t window)
{
	const uint32_t half = sampler->sampling->aux_bytes / 2;
	unsigned waits = 0;

	while (!sampler->sampling->snapshot &&
	       window + half - atomic_load(&sampler->ring->aux_tail) > sampler->sampling->aux_bytes)
		if (!sampler_wait_for_reader(sampler, &waits))
			break;
	sampler->window = window;
	spe_set_buffer(&sampler->unit, sampler->aux + window % sampler->sampling->aux_bytes, half);
}

/* The buffer management interrupt. */
static void window_full(void *user, struct spe_unit *unit)
{
	struct sampler *sampler = user;

	(void)unit;
	if (!sampler->sampling->snapshot)
		unit_report(sampler);
	give_window(sampler, sampler->window + sampler->sampling->aux_bytes / 2);
}

/* Everything in the ring is reported, and stays unchanged until it was read. */
static void take_snapshot(struct sampler *sampler, uint32_t wanted)
{
	unsigned waits = 0;

	sampler->snapshots = wanted;
	unit_report(sampler);
	while (atomic_load(&sampler->ring->aux_tail) < atomic_load(&sampler->ring->aux_reported))
		if (!sampler_wait_for_reader(sampler, &waits))
			break;
}

void unit_begin(struct sampler *sampler)
{
	struct spe_control control = sampler->sampling->control;

	control.seed ^= sampler->tid * 0x9e3779b97f4a7c15ull;
	control.contexts = true;
	control.context = sampler->tid;
	control.timer_zero = sampler->start_ns;
	control.frequency_mhz = sampler->params->frequency_mhz;
	control.full = window_full;
	control.user = sampler;
	spe_begin(&sampler->unit, &sampler->params->spe, &control);
	/* A ring continues where the previous thread left it, at a record. */
	give_window(sampler,
		    (atomic_load(&sampler->ring->aux_head) + sampler->sampling->aux_bytes / 2 - 1) &
			    ~(uint64_t)(sampler->sampling->aux_bytes / 2 - 1));
	atomic_store(&sampler->ring->aux_reported, sampler->window);
	atomic_store(&sampler->ring->aux_head, sampler->window);
	sampler->watch.spe = &sampler->unit;
	sampler_send(sampler, FRAME_START, sampler_now(sampler), "", 0, "", 0);
}

void unit_block_done(struct sampler *sampler)
{
	uint32_t wanted;

	if (sampler->unit.collided)
		atomic_store_explicit(&sampler->ring->collided, 1, memory_order_relaxed);
	atomic_store_explicit(&sampler->ring->aux_head, aux_position(sampler),
			      memory_order_release);
	report_some(sampler);
	wanted = atomic_load_explicit(&sampler->sampling->snapshots_wanted, memory_order_relaxed);
	if (wanted != sampler->snapshots)
		take_snapshot(sampler, wanted);
}
