/* SPDX-License-Identifier: Apache-2.0 */
#include "contention.h"

#include <string.h>

/* Times in a row that nobody comes as planned, after which nobody is taken to want the line. */
#define MISSED_MAX 0
/* Each time that plans were in vain doubles how often nobody is assumed to come, up to 2^this. */
#define DOUBT_MAX 6

static void forget(struct contention *line)
{
	line->queued = line->planned = line->missed = 0;
}

static void append(struct contention *line, unsigned core)
{
	memmove(&line->queue[1], &line->queue[0], sizeof(line->queue) - sizeof(line->queue[0]));
	line->queue[0] = (uint16_t)core;
	if (line->queued < CONTENTION_QUEUE)
		line->queued++;
	line->missed = 0;
}

void contention_ask(struct contention *line, unsigned core, bool queues)
{
	if (!queues)
		forget(line);
	append(line, core);
}

/* Whether to assume that nobody comes, because others did not when this was last assumed. */
static bool is_doubtful(struct contention *line)
{
	if (line->unvisited) {
		line->unvisited = false;
		line->doubt += line->doubt < DOUBT_MAX;
		line->skips = (uint16_t)((1u << line->doubt) - 1);
	}
	if (!line->skips)
		return false;
	line->skips--;
	return true;
}

unsigned contention_others(struct contention *line, unsigned core)
{
	const bool doubtful = is_doubtful(line);
	unsigned others = 0;

	if (line->missed > MISSED_MAX)
		forget(line);
	if (doubtful)
		return 0;
	for (unsigned i = 0; i < line->queued; i++) {
		bool again = line->queue[i] == core;

		for (unsigned k = 0; k < i; k++)
			again |= line->queue[k] == line->queue[i];
		others += !again;
	}
	line->missed += others != 0;
	line->unvisited = others != 0;
	return others;
}

void contention_plan(struct contention *line, uint64_t arrival)
{
	if (line->planned == CONTENTION_PLANS) {
		memmove(&line->plans[0], &line->plans[1],
			sizeof(line->plans) - sizeof(line->plans[0]));
		line->planned--;
	}
	line->plans[line->planned++] = arrival;
}

bool contention_visit(struct contention *line, unsigned core, uint64_t earliest, uint64_t *arrival)
{
	for (unsigned i = 0; i < line->planned; i++) {
		if (line->plans[i] < earliest)
			continue;
		*arrival = line->plans[i];
		line->unvisited = false;
		line->doubt = line->skips = 0;
		line->planned--;
		memmove(&line->plans[i], &line->plans[i + 1],
			(line->planned - i) * sizeof(line->plans[0]));
		append(line, core);
		return true;
	}
	return false;
}
