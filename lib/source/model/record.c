/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model as a source of samples: has the plugin sample (model/sampling.h), and makes of what it
 * tells the records that a kernel would have written.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "params.h"
#include "source/model/record.h"
#include "source/model/record_setup.h"
#include "source/model/run.h"

#define IDLE_MS 10
#define BUSY_MS 1
#define STOP_MS 2000 /* that a program has to end when it is asked to */

/* One run. */
struct recorder {
	const struct source_record_job *job;
	struct record_setup setup;
	struct model_sampling *sampling; /* shared: the program, gone wild, may write there */
	struct model_sampling *asked;    /* what it was to begin with */
	size_t size;                     /* of the former */
	struct record_writer out;
	uint64_t reference; /* of AUX chunks */
	uint64_t samples;
	double polled; /* when the caller was asked what next, ms */
	double told;   /* and the program to stop */
	bool stopping;
	bool several;                /* there have been several threads: no rounds until the end */
	int error;                   /* of the caller's */
	char frame[MODEL_FRAME_MAX]; /* at hand */
	struct plumb_diagnostics *found;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- Frames to records ------------------------------------------------------------------------
 */

static void write_comm(struct recorder *r, const struct model_frame *frame, const void *body)
{
	struct model_frame_comm comm;

	memcpy(&comm, body, sizeof(comm));
	comm.name[sizeof(comm.name) - 1] = '\0';
	record_begin(&r->out, PLUMB_RECORD_COMM, comm.exec ? RECORD_MISC_COMM_EXEC : 0);
	record_u32(&r->out, frame->pid);
	record_u32(&r->out, frame->tid);
	record_string(&r->out, comm.name, strlen(comm.name));
}

static void write_mmap(struct recorder *r, const struct model_frame *frame, const char *body,
		       size_t size)
{
	const char *path = body + sizeof(struct model_frame_mmap);
	struct model_frame_mmap mmap;

	memcpy(&mmap, body, sizeof(mmap));
	record_begin(&r->out, PLUMB_RECORD_MMAP2, RECORD_MISC_USER);
	record_u32(&r->out, frame->pid);
	record_u32(&r->out, frame->tid);
	record_u64(&r->out, mmap.address);
	record_u64(&r->out, mmap.length);
	record_u64(&r->out, mmap.offset);
	record_u32(&r->out, mmap.major);
	record_u32(&r->out, mmap.minor);
	record_u64(&r->out, mmap.inode);
	record_u64(&r->out, 0); /* inode's generation */
	record_u32(&r->out, PROT_READ | PROT_EXEC);
	record_u32(&r->out, MAP_PRIVATE);
	record_string(&r->out, path, strnlen(path, size - sizeof(mmap)));
}

static void write_fork(struct recorder *r, const struct model_frame *frame, const void *body)
{
	struct model_frame_fork fork;

	memcpy(&fork, body, sizeof(fork));
	record_begin(&r->out, frame->type == FRAME_FORK ? PLUMB_RECORD_FORK : PLUMB_RECORD_EXIT, 0);
	record_u32(&r->out, frame->pid);
	record_u32(&r->out, fork.parent_pid);
	record_u32(&r->out, frame->tid);
	record_u32(&r->out, fork.parent_tid);
	record_u64(&r->out, frame->time);
}

static void write_sample(struct recorder *r, const struct model_frame *frame, unsigned slot,
			 const char *body, size_t size)
{
	struct model_frame_sample sample;
	uint64_t values[OVERFLOW_COUNTERS + MODEL_CHAIN_MAX];

	memcpy(&sample, body, sizeof(sample));
	size -= sizeof(sample);
	if (sample.counter >= r->asked->counter_count || sample.reads > OVERFLOW_COUNTERS ||
	    sample.chain > MODEL_CHAIN_MAX ||
	    (sample.reads + sample.chain) * sizeof(values[0]) > size)
		return;
	memcpy(values, body + sizeof(sample), (sample.reads + sample.chain) * sizeof(values[0]));
	record_sample(&r->out, &r->setup, frame, &sample, slot, values);
	r->samples++;
}

static const uint8_t *frames_of(const struct recorder *r, unsigned slot)
{
	return (const uint8_t *)r->sampling + model_ring_place(r->asked, slot);
}

/* Data that has come to an end in the slot's ring, and the record that tells of it. */
static void write_aux(struct recorder *r, unsigned slot, const struct model_frame *frame,
		      const struct model_frame_aux *aux)
{
	const uint32_t ring_size = r->asked->aux_bytes;
	const uint8_t *ring = frames_of(r, slot) + MODEL_RING_BYTES;
	struct plumb_aux_chunk chunk = {
		.size = aux->size,
		.offset = aux->offset,
		.reference = r->reference,
		.index = slot,
		.tid = r->job->per_thread ? (int32_t)frame->tid : -1,
		.cpu = r->job->per_thread ? -1 : (int32_t)slot,
	};
	uint64_t from = aux->offset % ring_size, first = ring_size - from;

	if (!aux->size || aux->size > ring_size)
		return;
	first = first < aux->size ? first : aux->size;
	record_begin(&r->out, PLUMB_RECORD_AUX, 0);
	record_u64(&r->out, aux->offset);
	record_u64(&r->out, aux->size);
	record_u64(&r->out, aux->flags);
	record_end(&r->out, &r->setup, frame, slot);
	record_flush(&r->out);
	r->samples += aux->size / r->setup.core->spe.record_bytes;
	if (!r->error && r->job->aux)
		r->error = r->job->aux(r->job->user, &chunk, ring + from, first,
				       first < aux->size ? ring : NULL, aux->size - first);
	atomic_store(&r->sampling->rings[slot].aux_tail, aux->offset + aux->size);
}

/* The size that a frame's body has at least. */
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
	default:
		return 0;
	}
}

static void write_frame(struct recorder *r, unsigned slot, const struct model_frame *frame,
			const char *body, size_t size)
{
	struct model_frame_aux aux;

	if (size < body_size(frame->type))
		return;
	switch (frame->type) {
	case FRAME_COMM:
		write_comm(r, frame, body);
		break;
	case FRAME_MMAP:
		write_mmap(r, frame, body, size);
		break;
	case FRAME_FORK:
		r->several = true;
		write_fork(r, frame, body);
		break;
	case FRAME_EXIT:
		write_fork(r, frame, body);
		break;
	case FRAME_START:
		record_begin(&r->out, PLUMB_RECORD_ITRACE_START, 0);
		record_u32(&r->out, frame->pid);
		record_u32(&r->out, frame->tid);
		break;
	case FRAME_AUX:
		memcpy(&aux, body, sizeof(aux));
		write_aux(r, slot, frame, &aux);
		return;
	case FRAME_SAMPLE:
		write_sample(r, frame, slot, body, size);
		return;
	default:
		return;
	}
	record_end(&r->out, &r->setup, frame, slot);
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

/* Whatever the program has done to this memory does no harm here. */
static bool drain_ring(struct recorder *r, unsigned slot)
{
	struct model_ring *ring = &r->sampling->rings[slot];
	const uint8_t *frames = frames_of(r, slot);
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	uint64_t head = atomic_load(&ring->head);
	bool any = false;

	if (head - tail > MODEL_RING_BYTES)
		tail = head;
	while (head - tail >= sizeof(struct model_frame) && !r->error) {
		struct model_frame frame;

		copy_out(frames, tail, &frame, sizeof(frame));
		if (frame.size < sizeof(frame) || frame.size > sizeof(r->frame) ||
		    frame.size > head - tail) {
			tail = head;
			break;
		}
		copy_out(frames, tail, r->frame, frame.size);
		write_frame(r, slot, &frame, r->frame + sizeof(frame), frame.size - sizeof(frame));
		tail += frame.size;
		atomic_store(&ring->tail, tail);
		any = true;
	}
	atomic_store(&ring->tail, tail);
	return any;
}

static bool drain_all(struct recorder *r)
{
	bool any = false;

	for (unsigned slot = 0; slot < MODEL_SHARED_THREADS; slot++)
		any |= drain_ring(r, slot);
	record_flush(&r->out);
	if (!r->error)
		r->error = r->out.error;
	return any;
}

/* What units held when their programs ended, or were killed. */
static void finish_rings(struct recorder *r)
{
	atomic_store(&r->sampling->closed, 1);
	drain_all(r);
	for (unsigned slot = 0; slot < MODEL_SHARED_THREADS; slot++) {
		struct model_ring *ring = &r->sampling->rings[slot];
		uint64_t reported = atomic_load(&ring->aux_reported);
		uint64_t head = atomic_load(&ring->aux_head);
		struct model_frame frame = {
			.pid = ring->pid, .tid = ring->tid, .time = atomic_load(&ring->time)};
		struct model_frame_aux aux = {.offset = reported, .size = head - reported};

		if (!atomic_load(&ring->open))
			continue;
		if (r->asked->snapshot) {
			aux.flags = PLUMB_AUX_OVERWRITE;
			if (aux.size > r->asked->aux_bytes)
				aux.offset = head - r->asked->aux_bytes;
			aux.size = head - aux.offset;
		}
		if (atomic_load(&ring->collided))
			aux.flags |= PLUMB_AUX_COLLISION;
		if (r->asked->spe)
			write_aux(r, slot, &frame, &aux);
		record_begin(&r->out, PLUMB_RECORD_EXIT, 0);
		record_u32(&r->out, frame.pid);
		record_u32(&r->out, frame.pid);
		record_u32(&r->out, frame.tid);
		record_u32(&r->out, frame.tid);
		record_u64(&r->out, frame.time);
		record_end(&r->out, &r->setup, &frame, slot);
	}
	record_flush(&r->out);
	if (!r->error)
		r->error = r->out.error;
}

/* ---- The run ----------------------------------------------------------------------------------
 */

/* Does what the caller wants next. */
static void ask(struct recorder *r, pid_t pid, double now)
{
	r->polled = now;
	switch (r->job->next ? r->job->next(r->job->user) : RECORD_GO_ON) {
	case RECORD_STOP:
		if (!r->stopping) {
			r->stopping = true;
			r->told = now;
			kill(pid, SIGTERM);
		}
		break;
	case RECORD_SNAPSHOT:
		atomic_fetch_add(&r->sampling->snapshots_wanted, 1);
		break;
	default: /* maps are told by each thread */
		break;
	}
}

static int drain(void *user, pid_t pid)
{
	struct recorder *r = user;
	bool any = drain_all(r);
	double now = now_ms();

	if (any && !r->several && !r->error && r->job->round)
		r->error = r->job->round(r->job->user);
	if (now - r->polled >= IDLE_MS)
		ask(r, pid, now);
	if (r->error || (r->stopping && now - r->told > STOP_MS))
		kill(pid, SIGKILL);
	return any ? BUSY_MS : IDLE_MS;
}

static void on_started(void *user, pid_t pid)
{
	const struct recorder *r = user;

	if (r->job->started)
		r->job->started(r->job->user, pid);
}

static void on_progress(void *user, const struct plumb_model_counts *counts)
{
	const struct recorder *r = user;

	if (r->job->progress)
		r->job->progress(r->job->user, (double)counts->counts[EVENT_INST_RETIRED],
				 counts->seconds);
}

/* The memory that the plugin shares; its descriptor, or -1. */
static int share(struct recorder *r)
{
	int fd;

	r->asked = malloc(sizeof(*r->asked));
	if (!r->asked)
		return -1;
	record_setup_fill(&r->setup, r->job, r->asked);
	r->size = model_sampling_size(r->asked);
	fd = model_run_move_up(memfd_create("plumb-samples", MFD_CLOEXEC));
	if (fd < 0)
		return fd;
	if (!ftruncate(fd, (off_t)r->size))
		r->sampling = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!r->sampling || r->sampling == MAP_FAILED) {
		r->sampling = NULL;
		close(fd);
		return -1;
	}
	memcpy(r->sampling, r->asked, sizeof(*r->asked));
	return fd;
}

static int run_model(struct recorder *r, int fd, struct source_record_run *run)
{
	const struct source_record_job *job = r->job;
	const struct plumb_model_options options = {
		.core = job->core,
		.program = job->program,
		.argv = job->argv,
		.qemu = job->qemu,
		.plugin_dir = job->plugin_dir,
		.sysroot = job->sysroot,
		.children = job->inherit,
		.started = on_started,
		.progress = on_progress,
		.user = r,
	};
	const struct model_sampler sampler = {.fd = fd, .drain = drain, .user = r};
	struct plumb_model_run *model = calloc(1, sizeof(*model));
	int error;

	if (!model)
		return PLUMB_ERR_NO_MEMORY;
	error = model_run(&options, &sampler, model, r->found);
	finish_rings(r);
	if (!error && !r->error && job->round)
		r->error = job->round(job->user);
	if (!error) {
		*run = (struct source_record_run){
			.seconds = model->counts.seconds,
			.host_seconds = model->host_seconds,
			.exit_status = model->exit_status,
			.signal = model->signal,
			.samples = r->samples,
			.collisions = model->counts.counts[EVENT_SAMPLE_COLLISION],
		};
		model_warn(model, r->found);
	}
	free(model);
	return error ? error : r->error;
}

static int record(struct recorder *r, struct source_record_run *run)
{
	const struct source_record_job *job = r->job;
	int fd = share(r), error = 0;

	if (fd < 0) {
		plumb_diagnostics_add(r->found, PLUMB_ERROR, "no-memory", NULL,
				      "no memory to share with QEMU: %s", strerror(errno));
		return PLUMB_ERR_NO_MEMORY;
	}
	if (job->begin)
		error = job->begin(job->user, &r->setup.recording);
	if (!error)
		error = run_model(r, fd, run);
	close(fd);
	return error;
}

int model_record(const struct source_record_job *job, struct source_record_run *run,
		 struct plumb_diagnostics *found)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int error = PLUMB_ERR_NO_MEMORY;

	if (!r)
		return error;
	r->job = job;
	r->found = found;
	r->reference = job->seed + 1;
	r->out = (struct record_writer){.records = job->records, .user = job->user};
	error = record_setup_make(&r->setup, job, found);
	if (!error)
		error = record(r, run);
	if (r->sampling)
		munmap(r->sampling, r->size);
	free(r->asked);
	record_writer_clean_up(&r->out);
	free(r);
	return error;
}
