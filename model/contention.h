/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that several cores ask for at the same time. A core executes some hundred cycles of its
 * program at once, before others do, and would keep such a line for all that time. So it assumes
 * what the others will do: that each of those which queued for the line takes it, in between. These
 * visits are planned, and the others find them when they ask. Times are the model's. Not
 * thread-safe.
 */
#ifndef MODEL_CONTENTION_H
#define MODEL_CONTENTION_H

#include <stdbool.h>
#include <stdint.h>

#define CONTENTION_QUEUE 16 /* cores that came last */
#define CONTENTION_PLANS 32 /* visits of others that are still to come */

struct contention {
	uint64_t line;                    /* plus one */
	uint64_t plans[CONTENTION_PLANS]; /* when the line arrives */
	uint16_t queue[CONTENTION_QUEUE]; /* numbers of cores, the last one first */
	uint16_t queued, planned;         /* length of both */
	uint16_t missed; /* times in a row that others were assumed to come, and nobody did */
	uint16_t doubt;  /* the same, whoever else came since; each visit as planned ends it */
	uint16_t skips;  /* times that nobody is assumed to come, because of this doubt */
	bool unvisited;  /* no visit took place since some were planned last */
};

/* A core asks for a line that has moved before. `queues`: and finds it in use, or just used. */
void contention_ask(struct contention *line, unsigned core, bool queues);

/*
 * Returns how many other cores than this one want the line, which it has and loses to them now; 0:
 * nobody is known to, or nobody came when this was last assumed: cores that queue for a barrier's
 * counter come once, and then wait elsewhere. The more often that happened, the longer it is until
 * this is assumed again.
 */
unsigned contention_others(struct contention *line, unsigned core);

/* One of the others has the line from then on. */
void contention_plan(struct contention *line, uint64_t arrival);

/* Finds the first visit that is planned, from `earliest` on, for a core that asks. */
bool contention_visit(struct contention *line, unsigned core, uint64_t earliest, uint64_t *arrival);

#endif
