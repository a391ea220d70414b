/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/strobe.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/diagnostics.h"

/* What runs meanwhile may be preempted, or wait for memory, so the distance may be too long. */
#define TRIES     16
#define TURNS_MAX 10000
#define LONGEST   4 /* times the distance that was requested */

/* A leader and its strobed member, on one CPU or for one thread. */
struct strobed {
	int leader, member;
	size_t place;    /* of the member among the group's counts */
	uint64_t strobe; /* counts that are to lie between them */
	uint64_t period;
	const struct perf_program *program; /* NULL: the calling thread runs */
};

/* Where a thread was allowed to run before. */
struct home {
	pid_t thread;
	cpu_set_t cpus;
	bool known;
};

/* ---- what the events have counted ------------------------------------------------------------ */

/* Reads the counts of the leader and of the member. Returns false if the kernel does not. */
static bool read_both(const struct strobed *strobed, uint64_t *leader, uint64_t *member)
{
	/* Their number, then value, id and lost of each. */
	uint64_t all[1 + 3 * PLUMB_EVENTS_MAX];
	const ssize_t got = read(strobed->leader, all, sizeof(all));
	size_t each;

	if (got < (ssize_t)(2 * sizeof(*all)) || all[0] <= strobed->place ||
	    all[0] > PLUMB_EVENTS_MAX)
		return false;
	each = ((size_t)got / sizeof(*all) - 1) / all[0];
	if (each < 1)
		return false;
	*leader = all[1];
	*member = all[1 + each * strobed->place];
	return true;
}

/* Lets the thread run a little. Returns false if the program is gone. */
static bool run_a_little(const struct strobed *strobed)
{
	return !strobed->program || perf_program_turn(strobed->program);
}

/* ---- one pair -------------------------------------------------------------------------------- */

/* Lets the leader count until the member is due. */
static bool run_ahead(const struct strobed *strobed, uint64_t begun)
{
	uint64_t leader = begun, member;

	for (unsigned turn = 0; turn < TURNS_MAX; turn++) {
		if (!run_a_little(strobed) || !read_both(strobed, &leader, &member))
			return false;
		if (leader - begun >= strobed->strobe)
			return true;
	}
	return false;
}

/* Begins both periods anew. Returns the distance between the two, or 0. */
static uint64_t try_once(const struct strobed *strobed)
{
	uint64_t leader, member, begun[2], period = strobed->period;
	bool apart;

	if (ioctl(strobed->leader, PERF_EVENT_IOC_PERIOD, &period) ||
	    ioctl(strobed->member, PERF_EVENT_IOC_PERIOD, &period) ||
	    !read_both(strobed, &begun[0], &begun[1]) ||
	    ioctl(strobed->leader, PERF_EVENT_IOC_ENABLE, 0))
		return 0;
	apart = run_ahead(strobed, begun[0]) &&
		ioctl(strobed->member, PERF_EVENT_IOC_ENABLE, 0) == 0;
	/* A disabled leader stops its members, too. */
	if (ioctl(strobed->leader, PERF_EVENT_IOC_DISABLE, 0) || !apart ||
	    !read_both(strobed, &leader, &member))
		return 0;
	return leader - begun[0] - (member - begun[1]);
}

static bool set_apart(const struct strobed *strobed)
{
	for (unsigned i = 0; i < TRIES; i++) {
		const uint64_t distance = try_once(strobed);

		if (distance >= strobed->strobe / 2 && distance <= strobed->strobe * LONGEST &&
		    distance < strobed->period)
			return true;
		(void)ioctl(strobed->member, PERF_EVENT_IOC_DISABLE, 0);
	}
	return false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void leave_home(struct home *home, pid_t thread)
{
	home->thread = thread;
	home->known = sched_getaffinity(thread, sizeof(home->cpus), &home->cpus) == 0;
}

static void return_home(const struct home *home)
{
	if (home->known)
		(void)sched_setaffinity(home->thread, sizeof(home->cpus), &home->cpus);
}

/* Whether the thread may run on a CPU, as far as that is known; -1: it may run anywhere. */
static bool may_run(const struct home *home, int cpu)
{
	return cpu < 0 || cpu >= CPU_SETSIZE || !home->known || CPU_ISSET((size_t)cpu, &home->cpus);
}

/* Makes the thread run on the CPU; -1: it may run anywhere. */
static bool go_to(const struct home *home, int cpu)
{
	cpu_set_t only;

	if (cpu < 0)
		return true;
	/* It could not be made to run anywhere else again. */
	if (cpu >= CPU_SETSIZE || !home->known)
		return false;
	CPU_ZERO(&only);
	CPU_SET((size_t)cpu, &only);
	return sched_setaffinity(home->thread, sizeof(only), &only) == 0;
}

static int complain(const struct sampling *s, const struct sampled *event, int cpu)
{
	if (cpu < 0)
		plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "strobe", NULL,
				      "%s: cannot set its samples apart from those of its group",
				      event->name);
	else
		plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "strobe", NULL,
				      "%s: cannot set its samples apart from those of its group "
				      "on CPU %d",
				      event->name, cpu);
	plumb_diagnostics_hint(s->diagnostics,
			       "try again, or set more cycles between the samples of a pair");
	return PLUMB_ERR_MACHINE;
}

/* Writes CPUs as "0-3,5". Returns false if there are none, or too many to write. */
static bool list_cpus(const cpu_set_t *cpus, char *list, size_t size)
{
	size_t used = 0;

	list[0] = '\0';
	for (size_t first = 0; first < CPU_SETSIZE; first++) {
		size_t last = first;

		if (!CPU_ISSET(first, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		used += (size_t)snprintf(list + used, size - used, "%s%zu", used ? "," : "", first);
		if (last > first && used < size)
			used += (size_t)snprintf(list + used, size - used, "-%zu", last);
		if (used >= size)
			return false;
		first = last;
	}
	return used > 0;
}

/* The calling thread has to run on each CPU, which a container, for example, can forbid. */
static int complain_of_cpu(const struct sampling *s, const struct sampled *event,
			   const struct home *home, int cpu)
{
	char list[256];

	plumb_diagnostics_add(s->diagnostics, PLUMB_ERROR, "strobe", NULL,
			      "%s: cannot set its samples apart on CPU %d, where this process may "
			      "not run",
			      event->name, cpu);
	if (home->known && list_cpus(&home->cpus, list, sizeof(list)))
		diagnostics_remedy(s->diagnostics, "own-cpus", list, "sample only CPUs %s", list);
	return PLUMB_ERR_MACHINE;
}

/* Returns which of its group's counts an event has. */
static size_t place_of(const struct sampling *s, const struct sampled *event)
{
	size_t place = 0;

	for (const struct sampled *other = &s->all[event->leader]; other < event; other++)
		place += other->leader == event->leader;
	return place;
}

static int set_event_apart(const struct sampling *s, const struct sampled *event,
			   const struct perf_program *program, const struct home *home)
{
	const struct perf_targets *targets = &s->targets;
	struct strobed strobed = {
		.place = place_of(s, event),
		.strobe = event->event->strobe,
		.period = event->event->period,
		.program = perf_targets_all(targets) ? NULL : program,
	};

	for (size_t cpu = 0; cpu < targets->cpu_count; cpu++) {
		/* A program that is kept to other CPUs, as in a container, is not sampled here. */
		if (strobed.program && !may_run(home, targets->cpus[cpu]))
			continue;
		for (size_t thread = 0; thread < targets->thread_count; thread++) {
			strobed.leader = sampled_fd(s, &s->all[event->leader], cpu, thread);
			strobed.member = sampled_fd(s, event, cpu, thread);
			if (strobed.leader < 0 || strobed.member < 0)
				continue;
			if (!go_to(home, targets->cpus[cpu]))
				return strobed.program ? complain(s, event, targets->cpus[cpu])
						       : complain_of_cpu(s, event, home,
									 targets->cpus[cpu]);
			if (!set_apart(&strobed))
				return complain(s, event, targets->cpus[cpu]);
		}
	}
	return PLUMB_OK;
}

int strobe_set_apart(const struct sampling *s, const struct perf_program *program)
{
	struct home home = {0};
	int error = PLUMB_OK;

	for (size_t i = 0; i < s->count && error == PLUMB_OK; i++) {
		const struct sampled *event = &s->all[i];

		if (!event->event || !event->event->strobe)
			continue;
		if (!home.thread && !home.known)
			leave_home(&home, perf_targets_all(&s->targets) ? 0 : program->pid);
		error = set_event_apart(s, event, program, &home);
	}
	return_home(&home);
	return error;
}
