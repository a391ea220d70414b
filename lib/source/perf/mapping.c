/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* perf's default: what perf_event_mlock_kb allows any user, and SPE's buffer. */
#define DATA_BYTES      ((size_t)512 << 10)
#define AUX_BYTES       ((size_t)4 << 20)
#define AUX_PAGES_LEAST 2 /* the driver's minimum, in arm_spe_pmu_setup_aux() */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int perf_ring_fd(const struct perf_ring *ring, const struct sampling *sampling)
{
	return ring->watched < ring->past_thread
		       ? sampled_fd(sampling, ring->owner, ring->cpu, ring->watched)
		       : -1;
}

/* ---- whose ring --------------------------------------------------------------------------- */

/*
 * Finds an event that is open there. SPE's comes first: only its PMU's event can map an AUX area.
 */
static bool find_owner(struct perf_ring *ring, const struct sampling *s)
{
	for (int spe = 1; spe >= 0; spe--)
		for (size_t i = 0; i < s->count; i++)
			for (size_t t = ring->first_thread; t < ring->past_thread; t++) {
				if ((s->all[i].spe != NULL) != spe ||
				    sampled_fd(s, &s->all[i], ring->cpu, t) < 0)
					continue;
				ring->owner = &s->all[i];
				ring->watched = t;
				return true;
			}
	return false;
}

/* Lets all other events that are open there write into the ring. */
static int redirect(const struct perf_ring *ring, const struct sampling *s)
{
	const int to = perf_ring_fd(ring, s);

	for (size_t i = 0; i < s->count; i++)
		for (size_t t = ring->first_thread; t < ring->past_thread; t++) {
			int fd = sampled_fd(s, &s->all[i], ring->cpu, t);

			if (fd >= 0 && fd != to && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to))
				return sampled_complain(s, &s->all[i], -errno);
		}
	return PLUMB_OK;
}

/* ---- memory ------------------------------------------------------------------------------- */

static bool is_for_want_of_memory(int error)
{
	return error == EPERM || error == ENOMEM || error == EAGAIN;
}

static bool map_data(struct perf_ring *ring, int fd, size_t pages)
{
	const size_t page = page_size(), size = (pages + 1) * page;
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return false;
	ring->map = map;
	ring->map_size = size;
	ring->data.page = map;
	ring->data.data = (const uint8_t *)map + page;
	ring->data.size = pages * page;
	return true;
}

/* The kernel overwrites the oldest data only if the memory is mapped read-only. */
static bool map_aux(struct perf_ring *ring, int fd, size_t pages, bool snapshot)
{
	const size_t size = pages * page_size();
	void *map;

	ring->data.page->aux_offset = ring->map_size;
	ring->data.page->aux_size = size;
	map = mmap(NULL, size, PROT_READ | (snapshot ? 0 : PROT_WRITE), MAP_SHARED, fd,
		   (off_t)ring->map_size);
	if (map == MAP_FAILED)
		return false;
	ring->aux_map = map;
	ring->aux_map_size = size;
	ring->aux = (struct aux_ring){
		.page = ring->data.page, .data = map, .size = size, .overwrite = snapshot};
	return true;
}

static int complain(const struct sampling *s, const char *what, int error)
{
	plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "no-ring", NULL,
			      "cannot map memory for %s: %s", what, strerror(error));
	if (is_for_want_of_memory(error))
		plumb_diagnostics_hint(s->diagnostics,
				       "sample fewer CPUs or threads; as root: sysctl "
				       "kernel.perf_event_mlock_kb=65536; or give plumb the "
				       "capability CAP_IPC_LOCK");
	return error == ENOMEM  ? PLUMB_ERR_NO_MEMORY
	       : error == EPERM ? PLUMB_ERR_PERMISSION
				: PLUMB_ERR_MACHINE;
}

/* Maps all rings with this number of pages. Returns 0 or errno. */
static int map_all(struct perf_rings *rings, const struct sampling *s)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct perf_ring *ring = &rings->all[i];
		const int fd = perf_ring_fd(ring, s);

		if (!map_data(ring, fd, rings->pages))
			return errno;
		if (ring->owner->spe && !map_aux(ring, fd, rings->aux_pages, s->job->snapshot))
			return errno;
	}
	return 0;
}

static void unmap_all(const struct perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct perf_ring *ring = &rings->all[i];

		if (ring->aux_map)
			munmap(ring->aux_map, ring->aux_map_size);
		if (ring->map)
			munmap(ring->map, ring->map_size);
		ring->aux_map = ring->map = NULL;
	}
}

/*
 * Halves the size of all rings, because otherwise the first ones would take all there is. Returns
 * false if they cannot be smaller.
 */
static bool take_fewer(struct perf_rings *rings, bool spe)
{
	if (spe && rings->aux_pages > AUX_PAGES_LEAST && rings->aux_pages >= rings->pages)
		rings->aux_pages /= 2;
	else if (rings->pages > 1)
		rings->pages /= 2;
	else
		return false;
	return true;
}

static int map_fitting(struct perf_rings *rings, const struct sampling *s)
{
	for (;;) {
		int error = map_all(rings, s);

		if (error == 0)
			return PLUMB_OK;
		unmap_all(rings);
		if (!is_for_want_of_memory(error) || !take_fewer(rings, sampling_has_spe(s)))
			return complain(s, "rings", error);
	}
}

/* ---- all of them -------------------------------------------------------------------------- */

static int choose_pages(size_t asked, size_t own, size_t least, size_t *pages,
			const struct sampling *s)
{
	*pages = asked ? asked : own / page_size();
	if (*pages < least)
		*pages = asked ? 0 : least;
	if (*pages && !(*pages & (*pages - 1)) && *pages <= SIZE_MAX / 4 / page_size())
		return PLUMB_OK;
	plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "pages", NULL,
			      "invalid number of pages %zu: use a power of two, at least %zu",
			      asked, least);
	return PLUMB_ERR_ARGUMENT;
}

static void say_fewer(const struct sampling *s, const char *what, size_t asked, size_t got)
{
	if (asked == 0 || got >= asked)
		return;
	plumb_diagnostics_add(s->diagnostics, PLUMB_WARNING, "fewer-pages", NULL,
			      "%s has only %zu of %zu pages: this user cannot lock more memory",
			      what, got, asked);
	plumb_diagnostics_hint(s->diagnostics,
			       "as root: sysctl kernel.perf_event_mlock_kb=65536, or "
			       "give plumb the capability CAP_IPC_LOCK");
}

/* Sets the CPU and the threads of the N-th ring. */
static void set_place(struct perf_ring *ring, const struct sampling *s, size_t n)
{
	const bool per_thread = perf_targets_per_thread(&s->targets);

	ring->cpu = per_thread ? 0 : n;
	ring->first_thread = per_thread ? n : 0;
	ring->past_thread = per_thread ? n + 1 : s->targets.thread_count;
}

int perf_rings_map(struct perf_rings *rings, const struct sampling *s)
{
	const struct source_record_job *job = s->job;
	const bool per_thread = perf_targets_per_thread(&s->targets);
	const size_t most = per_thread ? s->targets.thread_count : s->targets.cpu_count;
	int error;

	*rings = (struct perf_rings){0};
	error = choose_pages(job->mmap_pages, DATA_BYTES, 1, &rings->pages, s);
	if (error == PLUMB_OK)
		error = choose_pages(job->aux_pages, AUX_BYTES, AUX_PAGES_LEAST, &rings->aux_pages,
				     s);
	if (error < 0)
		return error;
	rings->all = calloc(most, sizeof(*rings->all));
	if (!rings->all)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t n = 0; n < most; n++) {
		struct perf_ring *ring = &rings->all[rings->count];

		set_place(ring, s, n);
		rings->count += find_owner(ring, s);
	}
	error = map_fitting(rings, s);
	for (size_t i = 0; i < rings->count && error == PLUMB_OK; i++)
		if (rings->all[i].owner->spe)
			error = plumb_spe_stream_new(&rings->all[i].records);
	for (size_t i = 0; i < rings->count && error == PLUMB_OK; i++)
		error = redirect(&rings->all[i], s);
	if (error < 0)
		return error;
	say_fewer(s, "each buffer", job->mmap_pages, rings->pages);
	if (sampling_has_spe(s))
		say_fewer(s, "each SPE buffer", job->aux_pages, rings->aux_pages);
	return PLUMB_OK;
}

void perf_rings_unmap(struct perf_rings *rings)
{
	unmap_all(rings);
	for (size_t i = 0; i < rings->count; i++)
		plumb_spe_stream_free(rings->all[i].records);
	free(rings->all);
	*rings = (struct perf_rings){0};
}

/* The kernel changes a sequence number around each update: <linux/perf_event.h>, "lock". */
bool perf_ring_time(const struct perf_ring *ring, struct plumb_time_conv *time)
{
	const volatile struct perf_event_mmap_page *page = ring->data.page;
	uint32_t lock;

	do {
		lock = page->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		*time = (struct plumb_time_conv){
			.shift = page->time_shift,
			.mult = page->time_mult,
			.zero = page->time_zero,
			.cycles = page->cap_user_time_short ? page->time_cycles : 0,
			.mask = page->cap_user_time_short ? page->time_mask : 0,
			.cap_user_time_zero = page->cap_user_time_zero,
			.cap_user_time_short = page->cap_user_time_short,
		};
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != lock || lock & 1);
	return time->cap_user_time_zero && time->mult;
}

void perf_ring_resume(const struct perf_ring *ring, const struct sampling *s)
{
	for (size_t t = ring->first_thread; t < ring->past_thread; t++) {
		int fd = sampled_fd(s, ring->owner, ring->cpu, t);

		if (fd >= 0)
			(void)ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
}
