/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads its own instructions without system calls, by user_read() of plumb_region_read(), which is
 * not called itself, and prints whether that works, how many instructions a read takes, how many a
 * loop of LOOP has, and how far a read by the kernel is ahead of one before it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source/perf/user_read.h"

#define LOOP 100000

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, /* the core's PMU */
		.size = sizeof(attr),
		.config = 0x08, /* INST_RETIRED */
		.config1 = USER_READ_CONFIG1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	const struct perf_event_mmap_page *page =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	uint64_t first, second, third, kernel, turns = LOOP;

	if (page == MAP_FAILED)
		return 1;
	if (!user_read(page, user_read_counter, &first) ||
	    !user_read(page, user_read_counter, &first) ||
	    !user_read(page, user_read_counter, &second)) {
		puts("{\"direct\": false}");
		return 0;
	}
	/* Two instructions each. */
	__asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(turns) : : "cc");
	if (!user_read(page, user_read_counter, &third) ||
	    read(fd, &kernel, sizeof(kernel)) != sizeof(kernel))
		return 1;
	printf("{\"direct\": true, \"read\": %llu, \"loop\": %llu, \"ahead\": %lld}\n",
	       (unsigned long long)(second - first), (unsigned long long)(third - second),
	       (long long)(kernel - third));
	return 0;
}
