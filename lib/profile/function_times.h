/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long functions take, by the timestamps of SPE records, where a program goes to and fro
 * between them too quickly for one to be timed by itself: then they are timed together.
 * doc/statistics.md explains it.
 */
#ifndef PROFILE_FUNCTION_TIMES_H
#define PROFILE_FUNCTION_TIMES_H

#include "profile/loop_times.h"

#define FUNCTION_TIMES_MAX 65

struct timed_function {
	const struct plumb_symbol *symbol; /* NULL: all that the others do not name */
	double records;
	double slots; /* that it costs by a replay, or by the average */
	double ticks; /* that it took: set to its part of those it is timed with; 0: unknown */
	/* Functions of the same number, which is that of one of them, are timed together. */
	size_t together;
	double variance; /* of the time of all that are timed together, relative to its square */
};

/*
 * Sets times, `together` and `variance` of at most FUNCTION_TIMES_MAX functions. A function with
 * ticks already keeps them unless others are timed with it. Call it after loop_times_sort().
 * Returns 0 or NO_MEMORY.
 */
int function_times_find(const struct loop_times *times, struct timed_function *functions,
			size_t count);

#endif
