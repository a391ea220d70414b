/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a counter without a system call, by the protocol of perf_event_open(2): the event's page
 * says which counter the event is on, and what to add to it. Linux lets programs read their own
 * counters since 5.17, if kernel.perf_user_access is 1 and the event asked for it (config1, bit 1):
 * Documentation/arch/arm64/perf.rst.
 */
#ifndef SOURCE_PERF_USER_READ_H
#define SOURCE_PERF_USER_READ_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USER_READ_CONFIG1 2 /* "rdpmc" of drivers/perf/arm_pmuv3.c */

/* Counters that a page's index may name, less 1: those of any event, and that of cycles. */
#define USER_READ_CYCLES 31

/* Reads a counter of this CPU; false if there is none with this number. */
typedef bool (*user_counter_reader)(uint32_t counter, uint64_t *value);

/*
 * Identifies the calling thread among those of its process, in one instruction; NULL where nothing
 * is read without a system call. A new thread may be taken for one that has ended.
 */
static inline const void *user_read_thread(void)
{
#if defined(__aarch64__)
	return __builtin_thread_pointer();
#else
	return NULL;
#endif
}

/* A call would take a third of the instructions. */
#define USER_READ_INLINE __attribute__((always_inline))

#if defined(__aarch64__)
#define USER_READ_COUNTER(n)                                                   \
	case n:                                                                \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(*value)); \
		return true;
#endif

static inline USER_READ_INLINE bool user_read_counter(uint32_t counter, uint64_t *value)
{
#if defined(__aarch64__)
	switch (counter) {
		USER_READ_COUNTER(0)
		USER_READ_COUNTER(1)
		USER_READ_COUNTER(2)
		USER_READ_COUNTER(3)
		USER_READ_COUNTER(4)
		USER_READ_COUNTER(5)
		USER_READ_COUNTER(6)
		USER_READ_COUNTER(7)
		USER_READ_COUNTER(8)
		USER_READ_COUNTER(9)
		USER_READ_COUNTER(10)
		USER_READ_COUNTER(11)
		USER_READ_COUNTER(12)
		USER_READ_COUNTER(13)
		USER_READ_COUNTER(14)
		USER_READ_COUNTER(15)
		USER_READ_COUNTER(16)
		USER_READ_COUNTER(17)
		USER_READ_COUNTER(18)
		USER_READ_COUNTER(19)
		USER_READ_COUNTER(20)
		USER_READ_COUNTER(21)
		USER_READ_COUNTER(22)
		USER_READ_COUNTER(23)
		USER_READ_COUNTER(24)
		USER_READ_COUNTER(25)
		USER_READ_COUNTER(26)
		USER_READ_COUNTER(27)
		USER_READ_COUNTER(28)
		USER_READ_COUNTER(29)
		USER_READ_COUNTER(30)
	case USER_READ_CYCLES:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(*value));
		return true;
	default:
		return false;
	}
#else
	(void)counter;
	(void)value;
	return false;
#endif
}

/* Reads a field once, with its address in the instruction; an atomic load computes it first. */
#define USER_READ_ONCE(field) (*(const volatile __typeof__(field) *)&(field))

/*
 * Reads what an event of the calling thread has counted. Returns false, without a count, if it is
 * on no counter now, or the kernel does not let this thread read it. The kernel changes the page
 * between two instructions of this thread, never during one, and its lock with it.
 */
static inline USER_READ_INLINE bool user_read(const struct perf_event_mmap_page *page,
					      user_counter_reader reader, uint64_t *count)
{
	uint64_t value, offset;
	uint32_t lock, index;
	uint16_t width;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		index = USER_READ_ONCE(page->index);
		width = USER_READ_ONCE(page->pmc_width);
		offset = (uint64_t)USER_READ_ONCE(page->offset);
		if (!(USER_READ_ONCE(page->capabilities) & 4) || !index || !width || width > 64 ||
		    !reader(index - 1, &value))
			return false;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (USER_READ_ONCE(page->lock) != lock);
	/* A counter may have begun below 0. */
	*count = offset + (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
	return true;
}

#endif
