/* SPDX-License-Identifier: Apache-2.0 */
/* Counts parts of the calling thread with its own events, which are enabled and disabled. */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "count/scaled.h"
#include "cpu/sysfs.h"
#include "source/perf/events.h"
#include "source/perf/record.h"
#include "source/perf/user_read.h"
#include "source/source.h"

struct plumb_region {
	struct source_job job;
	struct perf_events events;
	struct perf_reading *before; /* of each place, when the region began */
	struct direct *direct;       /* likewise */
	const void *thread;          /* that is counted: only it may read directly */
};

/* For reading an event without system calls. */
struct direct {
	const struct perf_event_mmap_page *page; /* NULL: that cannot be */
	uint64_t before;                         /* its count when the region began */
};

#define USER_ACCESS "/proc/sys/kernel/perf_user_access"

/*
 * Whether the kernel lets this thread read the PMU's counters. On a core with another PMU the
 * instruction would be illegal, and the thread could come there just before it.
 */
static bool has_user_access(const struct cpu_pmu *pmu)
{
	unsigned long long access;

	return pmu && cpu_pmu_covers_thread(pmu) &&
	       sysfs_read_number(USER_ACCESS, 10, 1, &access) && access;
}

/* Maps the pages of the core's events, as far as the kernel permits. */
static int map_pages(struct plumb_region *region)
{
	const size_t count = region->job.plan->place_count;
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);

	region->direct = calloc(count + 1, sizeof(*region->direct));
	if (!region->direct)
		return PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; region->job.user_access && i < count; i++) {
		void *page = MAP_FAILED;

		if (region->events.fds[i] >= 0)
			page = mmap(NULL, size, PROT_READ, MAP_SHARED, region->events.fds[i], 0);
		region->direct[i].page = page == MAP_FAILED ? NULL : page;
	}
	return 0;
}

static void unmap_pages(struct plumb_region *region)
{
	for (size_t i = 0; region->direct && i < region->job.plan->place_count; i++)
		if (region->direct[i].page)
			munmap((void *)(uintptr_t)region->direct[i].page,
			       (size_t)sysconf(_SC_PAGESIZE));
	free(region->direct);
}

static int warn(const struct plumb_region *region, struct plumb_diagnostics *diagnostics)
{
	const struct perf_limits *limits = &region->events.limits;
	char *names = perf_names(region->job.plan, &limits->refused);

	if (!names)
		return PLUMB_ERR_NO_MEMORY;
	if (*names)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "unknown-events", NULL,
				      "this machine does not count %s", names);
	free(names);
	if (limits->no_kernel)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "no-kernel", NULL,
				      "kernel code is not counted: that requires sysctl "
				      "kernel.perf_event_paranoid=1 or the capability CAP_PERFMON");
	return 0;
}

static int open_region(struct plumb_region *region, struct plumb_diagnostics *diagnostics)
{
	int error = perf_check_pmu(&region->job, diagnostics);

	region->before = calloc(region->job.plan->place_count + 1, sizeof(*region->before));
	if (error < 0 || !region->before)
		return error < 0 ? error : PLUMB_ERR_NO_MEMORY;
	error = perf_events_open(&region->events, &region->job, 0, 0, diagnostics);
	if (error < 0)
		return perf_status_of(error);
	error = map_pages(region);
	return error < 0 ? error : warn(region, diagnostics);
}

int plumb_region_open(struct plumb_source *source, const struct plumb_plan *plan,
		      struct plumb_region **region, struct plumb_diagnostics *diagnostics)
{
	struct plumb_region *made;
	int error;

	*region = NULL;
	if (source->kind != &source_perf) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-region", NULL,
				      "the %s counts programs that it runs itself, not this thread",
				      source->kind->name);
		return PLUMB_ERR_UNSUPPORTED;
	}
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->thread = user_read_thread();
	made->job = (struct source_job){.plan = plan,
					.region = true,
					.user_access = has_user_access(source_pmu(source)),
					.pmu = source_pmu(source)};
	error = source_check_here(source, diagnostics);
	if (error == 0)
		error = source_check_plan(source, plan, diagnostics);
	if (error == 0)
		error = open_region(made, diagnostics);
	if (error < 0) {
		plumb_region_close(made);
		return error;
	}
	*region = made;
	return 0;
}

void plumb_region_close(struct plumb_region *region)
{
	if (!region)
		return;
	unmap_pages(region);
	if (region->events.job)
		perf_events_close(&region->events);
	free(region->before);
	free(region);
}

void plumb_region_begin(struct plumb_region *region)
{
	const size_t count = region->job.plan->place_count;

	for (size_t i = 0; i < count; i++) {
		if (!perf_events_read(&region->events, i, &region->before[i]))
			region->before[i] = (struct perf_reading){0};
		region->direct[i].before = region->before[i].raw;
	}
	perf_events_switch(&region->events, true);
}

void plumb_region_end(struct plumb_region *region, struct plumb_count *counts)
{
	const size_t count = region->job.plan->place_count;

	perf_events_switch(&region->events, false);
	for (size_t i = 0; i < count; i++) {
		struct perf_reading reading;

		counts[i] = (struct plumb_count){NAN, 0, 0};
		if (perf_events_read(&region->events, i, &reading))
			counts[i] = perf_count_since(&region->before[i], &reading);
	}
}

/*
 * Reads what an event has counted since it was opened. Returns false if that takes a system call:
 * in another thread the instruction would read another counter, or be illegal.
 */
static inline USER_READ_INLINE bool read_directly(const struct plumb_region *region, size_t place,
						  uint64_t *count)
{
	return place < region->job.plan->place_count && region->direct[place].page &&
	       region->thread == user_read_thread() &&
	       user_read(region->direct[place].page, user_read_counter, count);
}

bool plumb_region_reads_directly(const struct plumb_region *region, size_t place)
{
	uint64_t count;

	return read_directly(region, place, &count);
}

/* Not in plumb_region_read(), so that its short way needs no stack. */
static __attribute__((noinline)) int read_by_call(const struct plumb_region *region, size_t place,
						  uint64_t *count)
{
	struct perf_reading reading;

	if (place >= region->job.plan->place_count)
		return PLUMB_ERR_ARGUMENT;
	if (!perf_events_read(&region->events, place, &reading))
		return PLUMB_ERR_MACHINE;
	*count = reading.raw - region->before[place].raw;
	return 0;
}

int plumb_region_read(const struct plumb_region *region, size_t place, uint64_t *count)
{
	if (!read_directly(region, place, count))
		return read_by_call(region, place, count);
	*count -= region->direct[place].before;
	return 0;
}
