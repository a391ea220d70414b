/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/frames.h"

#include <string.h>
#include <sys/mman.h>

#include "source/model/exact.h"
#include "source/model/tasks.h"

/* ---- Frames to records ------------------------------------------------------------------------
 */

static void write_comm(struct model_frames *f, const struct model_frame *frame, const void *body)
{
	struct model_frame_comm comm;

	memcpy(&comm, body, sizeof(comm));
	comm.name[sizeof(comm.name) - 1] = '\0';
	record_begin(&f->out, PLUMB_RECORD_COMM, comm.exec ? RECORD_MISC_COMM_EXEC : 0);
	record_u32(&f->out, frame->pid);
	record_u32(&f->out, frame->tid);
	record_string(&f->out, comm.name, strlen(comm.name));
}

static bool is_exec(const void *body)
{
	struct model_frame_comm comm;

	memcpy(&comm, body, sizeof(comm));
	return comm.exec;
}

static void write_mmap(struct model_frames *f, const struct model_frame *frame, const char *body,
		       size_t size)
{
	const char *path = body + sizeof(struct model_frame_mmap);
	struct model_frame_mmap mmap;

	memcpy(&mmap, body, sizeof(mmap));
	record_begin(&f->out, PLUMB_RECORD_MMAP2, RECORD_MISC_USER);
	record_u32(&f->out, frame->pid);
	record_u32(&f->out, frame->tid);
	record_u64(&f->out, mmap.address);
	record_u64(&f->out, mmap.length);
	record_u64(&f->out, mmap.offset);
	record_u32(&f->out, mmap.major);
	record_u32(&f->out, mmap.minor);
	record_u64(&f->out, mmap.inode);
	record_u64(&f->out, 0); /* inode's generation */
	record_u32(&f->out, PROT_READ | PROT_EXEC);
	record_u32(&f->out, MAP_PRIVATE);
	record_string(&f->out, path, strnlen(path, size - sizeof(mmap)));
}

static void write_fork(struct model_frames *f, const struct model_frame *frame, const void *body)
{
	struct model_frame_fork fork;

	memcpy(&fork, body, sizeof(fork));
	record_begin(&f->out, frame->type == FRAME_FORK ? PLUMB_RECORD_FORK : PLUMB_RECORD_EXIT, 0);
	record_u32(&f->out, frame->pid);
	record_u32(&f->out, fork.parent_pid);
	record_u32(&f->out, frame->tid);
	record_u32(&f->out, fork.parent_tid);
	record_u64(&f->out, frame->time);
}

/*
 * Returns the number of counters in this one's group; samples have the values of all.
 */
static uint32_t group_size(const struct record_setup *setup, uint32_t counter)
{
	uint32_t count = 0;

	for (unsigned c = 0; c < setup->counter_count; c++)
		count += setup->asked[c].leader == setup->asked[counter].leader;
	return count;
}

static void write_sample(struct model_frames *f, const struct model_frame *frame, unsigned slot,
			 const char *body, size_t size)
{
	struct model_frame_sample sample;
	uint64_t values[OVERFLOW_COUNTERS + MODEL_CHAIN_MAX];

	memcpy(&sample, body, sizeof(sample));
	size -= sizeof(sample);
	if (sample.counter >= f->asked->counter_count || sample.reads > OVERFLOW_COUNTERS ||
	    sample.reads != group_size(f->setup, sample.counter) ||
	    sample.chain > MODEL_CHAIN_MAX ||
	    (sample.reads + sample.chain) * sizeof(values[0]) > size)
		return;
	memcpy(values, body + sizeof(sample), (sample.reads + sample.chain) * sizeof(values[0]));
	record_sample(&f->out, f->setup, frame, &sample, slot, values);
	f->samples++;
	f->overflows++;
}

static const uint8_t *frames_of(const struct model_frames *f, unsigned slot)
{
	return (const uint8_t *)f->sampling + model_ring_place(f->asked, slot);
}

/* Writes the data that is complete in the slot's ring, and the record about it. */
static void write_aux(struct model_frames *f, unsigned slot, const struct model_frame *frame,
		      const struct model_frame_aux *aux)
{
	const uint32_t ring_size = f->asked->aux_bytes;
	const uint8_t *ring = frames_of(f, slot) + MODEL_RING_BYTES;
	struct plumb_aux_chunk chunk = {
		.size = aux->size,
		.offset = aux->offset,
		.reference = f->reference,
		.index = slot,
		.tid = f->job->per_thread ? (int32_t)frame->tid : -1,
		.cpu = f->job->per_thread ? -1 : (int32_t)slot,
	};
	uint64_t from = aux->offset % ring_size, first = ring_size - from;

	if (!aux->size || aux->size > ring_size)
		return;
	first = first < aux->size ? first : aux->size;
	record_begin(&f->out, PLUMB_RECORD_AUX, 0);
	record_u64(&f->out, aux->offset);
	record_u64(&f->out, aux->size);
	record_u64(&f->out, aux->flags);
	record_end(&f->out, f->setup, frame, slot);
	record_flush(&f->out);
	f->samples += aux->size / f->setup->core->spe.record_bytes;
	if (!f->error && f->job->aux)
		f->error = f->job->aux(f->job->user, &chunk, ring + from, first,
				       first < aux->size ? ring : NULL, aux->size - first);
	atomic_store(&f->sampling->rings[slot].aux_tail, aux->offset + aux->size);
}

/* The minimum size of a frame's body. */
static size_t body_size(uint32_t type)
{
	switch (type) {
	case FRAME_COMM:
		return sizeof(struct model_frame_comm);
	case FRAME_MMAP:
		return sizeof(struct model_frame_mmap);
	case FRAME_FORK:
	case FRAME_EXIT:
		return sizeof(struct model_frame_fork);
	case FRAME_AUX:
		return sizeof(struct model_frame_aux);
	case FRAME_SAMPLE:
		return sizeof(struct model_frame_sample);
	case FRAME_CONTEXT:
		return sizeof(struct model_frame_context);
	case FRAME_COST:
		return sizeof(struct model_frame_cost);
	case FRAME_LINE:
		return sizeof(struct model_frame_line);
	default:
		return 0;
	}
}

/* Returns whether frames of this type were requested. */
static bool is_wanted(const struct model_frames *f, uint32_t type)
{
	if (type == FRAME_START || type == FRAME_AUX)
		return f->asked->spe;
	if (type == FRAME_CONTEXT || type == FRAME_COST || type == FRAME_LINE || type == FRAME_TOLD)
		return f->sums != NULL;
	return true;
}

void model_frames_write_sums(struct model_frames *f)
{
	if (!f->sums || f->error)
		return;
	/* With another scale, all sums change. */
	if (f->sums->scaled ? f->sums->groups.scale <= 0 : !f->sums->told_count)
		return;
	record_flush(&f->out);
	f->samples += exact_write(&f->out, f->setup, f->sums);
}

static void read_context(struct model_frames *f, const struct model_frame *frame, unsigned slot,
			 const char *body, size_t size)
{
	const uint32_t chain =
		exact_read_context(f->sums, frame, slot, f->passing[slot], body, size, &f->error);

	f->chains[slot] = chain;
	if (chain < f->sums->chain_count && f->sums->chains[chain].passing)
		f->passing[slot] = chain;
}

/* The counts of the slot's thread add up. */
static void sums_told(struct model_frames *f, unsigned slot)
{
	if (f->chains[slot] >= f->sums->chain_count)
		return;
	exact_sums_told(f->sums, f->sums->chains[f->chains[slot]].profile);
}

/* Ends a record about what runs, which holds for later files, too. */
static void end_task_record(struct model_frames *f, const struct model_frame *frame, unsigned slot)
{
	size_t begin = f->out.begin;

	record_end(&f->out, f->setup, frame, slot);
	if (!f->tasks || f->out.error || f->out.size <= begin)
		return;
	if (!model_tasks_note(f->tasks, frame, f->out.bytes + begin, f->out.size - begin))
		f->out.error = PLUMB_ERR_NO_MEMORY;
}

void model_frames_repeat(struct model_frames *f)
{
	if (f->sums)
		exact_sums_restart(f->sums);
	record_flush(&f->out);
	if (f->tasks && !f->out.error)
		f->out.error = model_tasks_write(f->tasks, f->out.records, f->out.user);
	if (!f->error)
		f->error = f->out.error;
}

static bool is_about_task(uint32_t type)
{
	return type == FRAME_COMM || type == FRAME_MMAP || type == FRAME_FORK || type == FRAME_EXIT;
}

static void write_frame(struct model_frames *f, unsigned slot, const struct model_frame *frame,
			const char *body, size_t size)
{
	struct model_frame_aux aux;

	if (frame->time > f->latest)
		f->latest = frame->time;
	if (size < body_size(frame->type) || !is_wanted(f, frame->type))
		return;
	if (is_about_task(frame->type)) {
		/* What was counted before comes before it. */
		model_frames_write_sums(f);
		record_flush(&f->out);
	}
	switch (frame->type) {
	case FRAME_COMM:
		write_comm(f, frame, body);
		if (f->sums && is_exec(body))
			replaced_forget(&f->sums->replaced, frame->tid);
		break;
	case FRAME_MMAP:
		write_mmap(f, frame, body, size);
		if (f->sums)
			exact_read_mmap(f->sums, frame, body, size, &f->error);
		break;
	case FRAME_FORK:
		f->several = true;
		write_fork(f, frame, body);
		break;
	case FRAME_EXIT:
		write_fork(f, frame, body);
		if (f->sums)
			replaced_forget(&f->sums->replaced, frame->tid);
		break;
	case FRAME_START:
		record_begin(&f->out, PLUMB_RECORD_ITRACE_START, 0);
		record_u32(&f->out, frame->pid);
		record_u32(&f->out, frame->tid);
		break;
	case FRAME_AUX:
		memcpy(&aux, body, sizeof(aux));
		write_aux(f, slot, frame, &aux);
		return;
	case FRAME_SAMPLE:
		write_sample(f, frame, slot, body, size);
		return;
	case FRAME_CONTEXT:
		read_context(f, frame, slot, body, size);
		return;
	case FRAME_LINE:
		exact_read_line(f->sums, f->chains[slot], body, &f->error);
		return;
	case FRAME_COST:
		f->samples += exact_read_cost(&f->out, f->setup, f->sums, f->chains[slot], body,
					      size, &f->error);
		return;
	case FRAME_TOLD:
		sums_told(f, slot);
		return;
	default:
		return;
	}
	if (is_about_task(frame->type))
		end_task_record(f, frame, slot);
	else
		record_end(&f->out, f->setup, frame, slot);
}

/* ---- The rings --------------------------------------------------------------------------------
 */

static void copy_out(const uint8_t *ring, uint64_t at, void *bytes, size_t size)
{
	size_t from = at % MODEL_RING_BYTES, first = MODEL_RING_BYTES - from;

	if (first > size)
		first = size;
	memcpy(bytes, ring + from, first);
	memcpy((char *)bytes + first, ring, size - first);
}

/* The writer gets room back in parts of so many bytes, as each takes it some time to notice. */
#define GIVEN_BACK_BYTES (MODEL_RING_BYTES / 8)

static bool drain_ring(struct model_frames *f, unsigned slot)
{
	struct model_ring *ring = &f->sampling->rings[slot];
	const uint8_t *frames = frames_of(f, slot);
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	uint64_t head = atomic_load(&ring->head), given_back = tail;
	bool any = false;

	if (head - tail > MODEL_RING_BYTES) {
		f->damaged = true;
		tail = head;
	}
	while (head - tail >= sizeof(struct model_frame) && !f->error) {
		struct model_frame frame;

		copy_out(frames, tail, &frame, sizeof(frame));
		if (frame.size < sizeof(frame) || frame.size > sizeof(f->frame) ||
		    frame.size > head - tail) {
			f->damaged = true;
			tail = head;
			break;
		}
		copy_out(frames, tail, f->frame, frame.size);
		write_frame(f, slot, &frame, f->frame + sizeof(frame), frame.size - sizeof(frame));
		tail += frame.size;
		any = true;
		if (tail - given_back < GIVEN_BACK_BYTES)
			continue;
		atomic_store(&ring->tail, tail);
		given_back = tail;
	}
	atomic_store(&ring->tail, tail);
	return any;
}

bool model_frames_drain(struct model_frames *f)
{
	bool any = false;

	for (unsigned slot = 0; slot < MODEL_SHARED_THREADS; slot++)
		any |= drain_ring(f, slot);
	record_flush(&f->out);
	if (!f->error)
		f->error = f->out.error;
	return any;
}

/* Writes what the unit of a killed thread held. */
static void write_held(struct model_frames *f, unsigned slot, const struct model_frame *frame)
{
	struct model_ring *ring = &f->sampling->rings[slot];
	uint64_t reported = atomic_load(&ring->aux_reported), head = atomic_load(&ring->aux_head);
	struct model_frame_aux aux = {.offset = reported, .size = head - reported};

	if (f->asked->snapshot) {
		aux.flags = PLUMB_AUX_OVERWRITE;
		if (aux.size > f->asked->aux_bytes)
			aux.offset = head - f->asked->aux_bytes;
		aux.size = head - aux.offset;
	}
	if (atomic_load(&ring->collided))
		aux.flags |= PLUMB_AUX_COLLISION;
	write_aux(f, slot, frame, &aux);
}

/* A thread that did not end by itself ends with the program, after everything else was written. */
static void write_exit(struct model_frames *f, unsigned slot, const struct model_frame *frame)
{
	record_begin(&f->out, PLUMB_RECORD_EXIT, 0);
	record_u32(&f->out, frame->pid);
	record_u32(&f->out, frame->pid);
	record_u32(&f->out, frame->tid);
	record_u32(&f->out, frame->tid);
	record_u64(&f->out, frame->time);
	record_end(&f->out, f->setup, frame, slot);
}

void model_frames_finish(struct model_frames *f)
{
	f->taken = atomic_load(&f->sampling->overflows);
	atomic_store(&f->sampling->closed, 1);
	model_frames_drain(f);
	model_frames_write_sums(f);
	for (unsigned slot = 0; slot < MODEL_SHARED_THREADS; slot++) {
		const struct model_ring *ring = &f->sampling->rings[slot];
		struct model_frame frame = {
			.pid = ring->pid, .tid = ring->tid, .time = atomic_load(&ring->time)};

		if (!atomic_load(&ring->open))
			continue;
		if (frame.time > f->latest)
			f->latest = frame.time;
		if (f->asked->spe)
			write_held(f, slot, &frame);
	}
	for (unsigned slot = 0; slot < MODEL_SHARED_THREADS; slot++) {
		const struct model_ring *ring = &f->sampling->rings[slot];
		struct model_frame frame = {.pid = ring->pid, .tid = ring->tid};

		if (!atomic_load(&ring->open))
			continue;
		if (f->asked->exact)
			atomic_fetch_add(&f->sampling->profiles_lost, 1);
		frame.time = f->latest;
		write_exit(f, slot, &frame);
	}
	record_flush(&f->out);
	if (!f->error)
		f->error = f->out.error;
}
