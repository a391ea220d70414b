/* SPDX-License-Identifier: Apache-2.0 */
/* Ending what a source runs, because its caller wants it to. */
#ifndef SOURCE_CANCEL_H
#define SOURCE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How often a running job looks whether it is to end. */
#define CANCEL_LOOK_MS 100

/* A job's view of its source's cancellations. Zeroed: nobody can cancel it. */
struct source_cancel {
	const atomic_uint *count; /* how many there were */
	unsigned before;          /* and how many when the job began */
};

static inline bool source_is_canceled(const struct source_cancel *cancel)
{
	return cancel->count && atomic_load(cancel->count) != cancel->before;
}

/* A program that is being ended. Zeroed: it has not been asked to yet. */
struct source_ending {
	bool asked;
	double asked_at; /* seconds */
};

/* Asks the program to end, once; kills it if it still runs two seconds later. To be repeated. */
void source_end(struct source_ending *ending, pid_t pid);

#endif
