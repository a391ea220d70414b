/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/sampler.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qemu/guest.h"
#include "qemu/sampler_inside.h"
#include "qemu/share.h"
#include "schedule.h"

#define SYSCALL_SIGRETURN  139
#define SYSCALL_PRCTL      167
#define SYSCALL_MUNMAP     215
#define SYSCALL_CLONE      220
#define SYSCALL_MMAP       222
#define SYSCALL_CLONE3     435
#define MAP_FIXED_FLAG     0x10
#define MAP_ANONYMOUS_FLAG 0x20

#define CONTEXT_USER ((uint64_t)-512) /* PERF_CONTEXT_USER */

/* Who made the next thread, and when. */
struct origin {
	uint32_t pid, tid;
	uint64_t cycle;
};

static struct model_sampling *sampling;
static struct model_shared *shared; /* for checking whether the reader is there */
static const struct core_params *params;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct origin made_by; /* the last thread that made one; tid 0: none */
static uint32_t own_pid;      /* the process's number */
static bool begun;            /* its first thread has */
static bool forked;           /* made_by is another process */
static char command[16];
static __thread struct sampler *mine;

/* ---- Overflows --------------------------------------------------------------------------------
 */

static uint64_t count_of(const struct sampler *sampler, uint32_t event)
{
	return core_counts(sampler->core)[event] - (sampler->skipped ? sampler->skipped[event] : 0);
}

static void overflowed(void *user, const struct overflow_sample *at)
{
	uint64_t values[OVERFLOW_COUNTERS + MODEL_CHAIN_MAX];
	struct sampler *sampler = user;
	const uint32_t leader = sampling->counters[at->counter].leader;
	struct model_frame_sample sample = {
		.counter = at->counter,
		.has_address = at->has_address,
		.ip = at->pc,
		.address = at->address,
		.physical = at->physical,
		.period = at->period,
	};

	if (sampler->ended)
		return;
	for (uint32_t i = 0; i < sampling->counter_count; i++)
		if (sampling->counters[i].leader == leader)
			values[sample.reads++] = count_of(sampler, sampling->counters[i].event);
	if (sampling->callchains) {
		uint64_t *chain = values + sample.reads;

		chain[0] = CONTEXT_USER;
		chain[1] = at->pc;
		sample.chain = 2 + (uint32_t)chains_walk(&sampler->chains, at->sequence, at->pc,
							 chain + 2, MODEL_CHAIN_MAX - 2);
		sample.link = chains_link(&sampler->chains, at->sequence, at->pc);
	}
	sampler_send(sampler, FRAME_SAMPLE, sampler_time_at(sampler, at->cycle), &sample,
		     sizeof(sample),
		     /* cppcheck-suppress uninitvar ; only what was counted and walked is read */
		     values, (sample.reads + sample.chain) * sizeof(values[0]));
	atomic_fetch_add(&sampling->overflows, 1);
}

static void begin_counters(struct sampler *sampler)
{
	struct overflow *overflow = &sampler->overflow;

	overflow->count = sampling->counter_count;
	overflow->overflowed = overflowed;
	overflow->user = sampler;
	for (uint32_t i = 0; i < sampling->counter_count; i++) {
		const struct model_sampled_counter *counter = &sampling->counters[i];

		overflow->counters[i] = (struct overflow_counter){
			.event = counter->event,
			.frequency = counter->frequency,
			.period = counter->frequency ? 1 : counter->period,
			.later = counter->later,
		};
	}
	sampler->watch.overflow = overflow;
}

/* ---- Threads ----------------------------------------------------------------------------------
 */

static uint32_t next_id(void)
{
	return MODEL_FIRST_ID + atomic_fetch_add(&sampling->next_id, 1);
}

/*
 * Returns the number of this process if it has one because it became another program; otherwise 0.
 */
static uint32_t known_id(void)
{
	for (unsigned i = 0; i < MODEL_SHARED_THREADS; i++)
		if (atomic_load(&sampling->ids[i].real) == (int32_t)getpid())
			return sampling->ids[i].id;
	return 0;
}

/*
 * Gives this process a number and a place to find it: a free one, or that of a process that is
 * gone.
 */
static uint32_t new_id(void)
{
	const int32_t self = (int32_t)getpid();
	const uint32_t id = next_id();

	for (unsigned i = 0; i < MODEL_SHARED_THREADS; i++) {
		int32_t before = atomic_load(&sampling->ids[i].real);

		/* Processes that have ended may have had the same number. */
		if ((before == 0 || before == self || share_process_gone(shared, before)) &&
		    atomic_compare_exchange_strong(&sampling->ids[i].real, &before, self)) {
			sampling->ids[i].id = id;
			break;
		}
	}
	return id;
}

static void tell_origin(struct sampler *sampler, const struct origin *origin)
{
	struct model_frame_fork fork = {origin->pid, origin->tid};

	sampler_send(sampler, FRAME_FORK, sampler_now(sampler), &fork, sizeof(fork), "", 0);
}

/* The thread gives itself a name; Linux cuts long ones. */
static void tell_name(struct sampler *sampler, uint64_t address)
{
	struct model_frame_comm comm = {.exec = 0};
	const size_t most = sizeof(comm.name) - 1;

	if (!guest_read_string(address, comm.name, most) && !comm.name[most - 1])
		return; /* not in memory */
	if (!sampler_enter(sampler))
		return;
	if (!sampler->ended)
		sampler_send(sampler, FRAME_COMM, sampler_now(sampler), &comm, sizeof(comm), "", 0);
	sampler_leave(sampler);
}

static void tell_command(struct sampler *sampler)
{
	struct model_frame_comm comm = {.exec = 1};

	memcpy(comm.name, command, sizeof(comm.name));
	sampler_send(sampler, FRAME_COMM, sampler_now(sampler), &comm, sizeof(comm), "", 0);
}

/* Takes the thread's number, and reports who made it. */
static void introduce(struct sampler *sampler)
{
	bool first, from_fork;
	struct origin origin;

	pthread_mutex_lock(&lock);
	first = !begun;
	from_fork = first && forked;
	begun = true;
	if (!own_pid)
		own_pid = new_id();
	origin = made_by;
	pthread_mutex_unlock(&lock);
	sampler->pid = own_pid;
	sampler->tid = first ? own_pid : next_id();
	sampler->ring->pid = sampler->pid;
	sampler->ring->tid = sampler->tid;
	if (!first || from_fork)
		tell_origin(sampler, &origin);
	else
		tell_command(sampler);
}

/* A thread of its process that is not to be sampled: what it does to mappings counts all the same.
 */
static struct sampler *begin_ignored(struct sampler *sampler)
{
	sampler->pid = sampler->tid = own_pid;
	sampler->ended = true;
	return sampler;
}

static bool is_ignored(void)
{
	bool ignored;

	pthread_mutex_lock(&lock);
	ignored = begun && !sampling->inherit;
	pthread_mutex_unlock(&lock);
	return ignored;
}

struct sampler *sampler_begin(struct core *core, unsigned slot, uint64_t cycle)
{
	struct sampler *sampler = sampling ? calloc(1, sizeof(*sampler)) : NULL;

	if (!sampler)
		return NULL;
	sampler->core = core;
	sampler->sampling = sampling;
	sampler->shared = shared;
	sampler->params = params;
	sampler->ring = &sampling->rings[slot];
	sampler->frames = (uint8_t *)sampling + model_ring_place(sampling, slot);
	sampler->aux = sampler->frames + MODEL_RING_BYTES;
	sampler->start_ns = sampling->time_zero + cycle * 1000 / params->frequency_mhz;
	sampler->snapshots = atomic_load(&sampling->snapshots_wanted);
	if (is_ignored())
		return begin_ignored(sampler);
	introduce(sampler);
	if (sampling->spe)
		unit_begin(sampler);
	if (sampling->counter_count)
		begin_counters(sampler);
	if (sampling->exact)
		profiles_begin(sampler);
	atomic_store(&sampler->ring->time, sampler_now(sampler));
	atomic_store(&sampler->ring->open, 1);
	core_set_watch(core, &sampler->watch);
	mine = sampler;
	return sampler;
}

void sampler_flush(struct sampler *sampler, bool exit)
{
	struct model_frame_fork who = {sampler->pid, sampler->pid};

	if (sampler->ended)
		return;
	if (sampling->spe)
		unit_report(sampler);
	if (sampler->exact)
		profiles_tell(sampler, exit);
	if (!exit) {
		/* Becomes another program: the same thread goes on with another ring. */
		atomic_store(&sampler->ring->open, 0);
		return;
	}
	sampler_send(sampler, FRAME_EXIT, sampler_now(sampler), &who, sizeof(who), "", 0);
	sampler->ended = true;
	atomic_store(&sampler->ring->open, 0);
}

void sampler_end_for(unsigned slot)
{
	struct model_ring *ring = sampling ? &sampling->rings[slot] : NULL;
	struct model_frame_fork who;
	struct model_frame_aux aux;
	struct sampler gone;

	if (!ring || !atomic_load(&ring->open))
		return;
	gone = (struct sampler){.sampling = sampling,
				.shared = shared,
				.ring = ring,
				.frames = (uint8_t *)sampling + model_ring_place(sampling, slot),
				.pid = ring->pid,
				.tid = ring->tid};
	who = (struct model_frame_fork){gone.pid, gone.pid};
	aux = unit_held(sampling, ring);
	if (aux.size)
		sampler_send(&gone, FRAME_AUX, atomic_load(&ring->time), &aux, sizeof(aux), "", 0);
	if (sampling->exact)
		atomic_fetch_add(&sampling->profiles_lost, 1);
	atomic_store(&ring->aux_reported, atomic_load(&ring->aux_head));
	sampler_send(&gone, FRAME_EXIT, atomic_load(&ring->time), &who, sizeof(who), "", 0);
	atomic_store(&ring->open, 0);
}

void sampler_pause(struct sampler *sampler)
{
	if (!sampler->ended)
		watch_pause(sampler->core, &sampler->watch);
}

void sampler_resume(struct sampler *sampler, uint64_t pc, const uint64_t *skipped)
{
	if (sampler->ended)
		return;
	sampler->skipped = skipped;
	watch_resume(sampler->core, &sampler->watch, pc);
}

void sampler_watch(struct sampler *sampler, enum sampled_watch what, uint64_t pc)
{
	sampler_pause(sampler);
	if (what == SAMPLED_WATCH_NOTHING)
		return;
	spe_set_interval(&sampler->unit, what == SAMPLED_WATCH_WINDOW ? sampling->window_interval
								      : sampling->control.interval);
	sampler_resume(sampler, pc, NULL);
}

uint64_t sampler_unit(void)
{
	return sampling && sampling->spe ? sampling->unit : 0;
}

void sampler_free(struct sampler *sampler)
{
	if (sampler && sampler->exact)
		profiles_end(sampler);
	if (mine == sampler)
		mine = NULL;
	free(sampler);
}

/* ---- Blocks and system calls ------------------------------------------------------------------
 */

static void tell_mapping(struct sampler *sampler, const struct mapping *mapping)
{
	struct model_frame_mmap mmap = {
		.address = mapping->from,
		.length = mapping->to - mapping->from,
		.offset = mapping->offset,
		.inode = mapping->inode,
		.major = mapping->major,
		.minor = mapping->minor,
	};

	sampler_send(sampler, FRAME_MMAP, sampler_now(sampler), &mmap, sizeof(mmap), mapping->path,
		     strlen(mapping->path) + 1);
}

bool sampler_has_profiles(void)
{
	return sampling && sampling->exact;
}

bool sampler_only_charges(const struct sampler *sampler)
{
	return sampler->exact && !sampling->spe && !sampling->counter_count;
}

bool sampler_knows(struct sampler *sampler, uint64_t pc)
{
	return mappings_know(&sampler->known, pc);
}

bool sampler_wants_registers(void)
{
	return sampling && sampling->callchains;
}

void sampler_block_begins(struct sampler *sampler, const struct block *block,
			  const struct registers *registers)
{
	struct mapping mapping;

	if (sampler->ended)
		return;
	if (!mappings_know(&sampler->known, block->pc)) {
		/* Nothing is known: something was unmapped. */
		if (sampler->exact && !sampler->known.count)
			profiles_tell_before_mapping(sampler);
		if (mappings_find(&sampler->known, block->pc, &mapping))
			tell_mapping(sampler, &mapping);
	}
	if (sampling->callchains) {
		const bool known = registers_have_general(registers);

		chains_note(&sampler->chains, sampler->core->sequence, block->pc,
			    known ? registers_general(registers, 29) : 0,
			    known ? registers_general(registers, 30) : 0);
	}
}

/* How often the time is told if only a profile is wanted. */
#define TIME_CYCLES 1000

void sampler_block_done(struct sampler *sampler)
{
	if (sampler->ended)
		return;
	/* It was to become another program, but could not. */
	if (!atomic_load_explicit(&sampler->ring->open, memory_order_relaxed))
		atomic_store(&sampler->ring->open, 1);
	/*
	 * The time comes first: what is in the rings is not younger. A profile is told with its
	 * time, so now and then is enough.
	 */
	if (sampling->spe || sampling->counter_count ||
	    core_cycle(sampler->core) >= sampler->next_time) {
		atomic_store_explicit(&sampler->ring->time, sampler_now(sampler),
				      memory_order_relaxed);
		sampler->next_time = core_cycle(sampler->core) + TIME_CYCLES;
	}
	if (sampler->exact)
		profiles_tell_changes(sampler);
	if (sampling->spe)
		unit_block_done(sampler);
}

void sampler_system_call(struct sampler *sampler, int64_t number, uint64_t a1, uint64_t a2,
			 uint64_t a4)
{
	if (number == SYSCALL_MUNMAP || (number == SYSCALL_MMAP && a4 & MAP_FIXED_FLAG)) {
		mappings_gone(a1, a2);
	} else if (number == SYSCALL_PRCTL && a1 == PR_SET_NAME) {
		tell_name(sampler, a2);
	} else if (number == SYSCALL_SIGRETURN && sampler->exact && sampler_enter(sampler)) {
		exact_signal_returns(sampler->exact);
		sampler_leave(sampler);
	} else if (number == SYSCALL_CLONE || number == SYSCALL_CLONE3) {
		uint64_t since = sampler->start_ns - sampling->time_zero;

		/* What it does has times that this thread will have passed. */
		atomic_store(&sampling->several, 1);
		/* Lines can move from now on. */
		if (sampler->exact && sampler_enter(sampler)) {
			profiles_follow_lines(sampler);
			sampler_leave(sampler);
		}
		pthread_mutex_lock(&lock);
		made_by = (struct origin){sampler->pid, sampler->tid,
					  since * params->frequency_mhz / 1000 +
						  core_cycle(sampler->core)};
		pthread_mutex_unlock(&lock);
	}
}

void sampler_mapped(struct sampler *sampler, uint64_t protection, uint64_t flags, uint64_t address)
{
	struct mapping mapping;

	/* A run-time system maps it so that a recording names it. */
	if (!sampler->ended && protection & PROT_EXEC && !(flags & MAP_ANONYMOUS_FLAG) &&
	    maps_find(address, &mapping) && mappings_are_jitdump(&mapping))
		tell_mapping(sampler, &mapping);
}

uint64_t sampler_made_at(void)
{
	uint64_t cycle;

	pthread_mutex_lock(&lock);
	cycle = begun ? made_by.cycle : 0;
	pthread_mutex_unlock(&lock);
	return cycle;
}

void sampler_forked(bool goes_on)
{
	pthread_mutex_init(&lock, NULL);
	mappings_forked();
	mine = NULL;
	profiles_forked();
	own_pid = 0;
	begun = false;
	forked = true;
	if (!goes_on)
		sampling = NULL;
}

/* Closes the rings of the program that this process was before: no thread uses them any more. */
static void close_rings(void)
{
	for (unsigned i = 0; i < MODEL_SHARED_THREADS; i++)
		if (sampling->rings[i].pid == own_pid)
			atomic_store(&sampling->rings[i].open, 0);
}

/*
 * Returns the program's name as Linux has it, from QEMU's command line: it follows "-0" and
 * argv[0].
 */
static void read_command(unsigned prefix)
{
	int fd = open("/proc/thread-self/cmdline", O_RDONLY | O_CLOEXEC);
	static char line[1u << 16];
	const char *at = line, *slash;
	ssize_t size;

	if (fd < 0)
		return;
	size = read(fd, line, sizeof(line) - 1);
	close(fd);
	for (unsigned i = 0; size > 0 && i < prefix + 2; i++) {
		const char *end = memchr(at, '\0', (size_t)(line + size - at));

		if (!end)
			return;
		at = end + 1;
	}
	slash = strrchr(at, '/');
	snprintf(command, sizeof(command), "%s", slash ? slash + 1 : at);
}

bool sampler_set_up(const struct share *share, struct model_shared *memory,
		    const struct core_params *core_params, unsigned prefix)
{
	size_t size;

	sampling = share_map(share, &size);
	if (sampling && (size < sizeof(*sampling) || sampling->magic != MODEL_SAMPLING_MAGIC ||
			 sampling->struct_size != sizeof(*sampling)))
		sampling = NULL;
	if (!sampling)
		return false;
	shared = memory;
	params = core_params;
	own_pid = known_id();
	if (!own_pid)
		own_pid = new_id();
	close_rings();
	read_command(prefix);
	return true;
}
