/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses what to sample for the losses of a diagnosis, and how often. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "profile/evidence.h"

#define CODE_INST_SPEC 0x001b
#define CODE_LD_SPEC   0x0070
#define CODE_ST_SPEC   0x0071
#define CODE_INST      0x0008
#define CODE_CYCLES    0x0011
#define SPE_STEP       256  /* PMSIRR_EL1.INTERVAL has bits 31:8 */
#define EVENT_SAMPLES  5000 /* of an event, whose samples interrupt the program */

/* What to sample so far. */
struct events {
	const struct plumb_result *counted;
	char *text;
	size_t used;
	bool loads, stores, branches, all;
};

static double count_of(const struct plumb_result *counted, uint16_t code)
{
	const uint16_t event = plumb_plan_event(counted->plan, code);

	return event == PLUMB_NONE ? (double)NAN : counted->events[event].count.count;
}

static void add_word(struct events *events, const char *word)
{
	const size_t room = PLUMB_FINDINGS_EVENTS - events->used;
	const size_t length = strlen(word) + (events->used > 0);

	if (length >= room)
		return;
	events->used += (size_t)snprintf(events->text + events->used, room, "%s%s",
					 events->used ? "," : "", word);
}

/* Rounds down to two digits, which read better. */
static double rounded(double value)
{
	const double unit = value >= 100 ? pow(10, floor(log10(value)) - 1) : 1;

	return floor(value / unit) * unit;
}

/* Adds an event, unless it is there, with a period by its count, or else at a frequency. */
static void add_event(struct events *events, const struct plumb_event *event)
{
	const double count = count_of(events->counted, event->code);
	const double period = fmax(1, rounded(count / EVENT_SAMPLES));
	char word[128];

	snprintf(word, sizeof(word), "%s/", event->name);
	if (strstr(events->text, word))
		return;
	if (isnan(count))
		snprintf(word, sizeof(word), "%s/freq=4000/", event->name);
	else
		snprintf(word, sizeof(word), "%s/period=%.0f/", event->name, period);
	add_word(events, word);
}

/* Notes which operations SPE has to record for a cause. Returns false if it shows nothing of it. */
static bool want(struct events *events, enum weigh weigh)
{
	switch (weigh) {
	case WEIGH_OPERATIONS:
		events->all = true;
		return true;
	case WEIGH_ACCESSES:
	case WEIGH_WALKS:
	case WEIGH_SHARED:
		events->loads = events->stores = true;
		return true;
	case WEIGH_LOADS:
	case WEIGH_MISSES:
		events->loads = true;
		return true;
	case WEIGH_STORES:
		events->stores = true;
		return true;
	case WEIGH_MISPREDICTIONS:
		events->branches = true;
		return true;
	default:
		return false;
	}
}

/* Returns which part of the operations the filter lets pass; counts may be missing. */
static double passing(const struct events *events)
{
	const double all = count_of(events->counted, CODE_INST_SPEC);
	const double loads = count_of(events->counted, CODE_LD_SPEC) / all;
	const double stores = count_of(events->counted, CODE_ST_SPEC) / all;
	double part = 0;

	if (events->all)
		return 1;
	part += events->loads ? (loads > 0 ? loads : 0.25) : 0;
	part += events->stores ? (stores > 0 ? stores : 0.1) : 0;
	part += events->branches ? 0.15 : 0;
	return fmin(1, part);
}

static void add_spe(struct events *events, unsigned least)
{
	double count = count_of(events->counted, CODE_INST_SPEC), period;
	char word[128];

	if (isnan(count))
		count = count_of(events->counted, CODE_INST);
	period = isnan(count) ? 4096 : count * passing(events) / PLUMB_FINDINGS_SAMPLES;
	period = fmax(least, floor(period / SPE_STEP) * SPE_STEP);
	if (events->all)
		snprintf(word, sizeof(word), "spe/period=%.0f/", period);
	else
		snprintf(word, sizeof(word), "spe/%s%s%speriod=%.0f/", events->loads ? "load," : "",
			 events->stores ? "store," : "", events->branches ? "branch," : "", period);
	add_word(events, word);
}

bool plumb_findings_events(const struct plumb_result *counted,
			   const struct plumb_diagnosis *diagnosis, unsigned spe_interval,
			   bool (*counts)(const void *user, uint16_t code), const void *user,
			   char text[PLUMB_FINDINGS_EVENTS])
{
	const struct plumb_spec *spec = counted->plan->selection->spec;
	struct events events = {.counted = counted, .text = text};
	bool spe = false;

	*text = '\0';
	for (unsigned i = 0; i < diagnosis->loss_count; i++) {
		const struct plumb_loss *loss = &diagnosis->losses[i];
		const struct weigh_cause *cause = weigh_cause(loss->cause);
		const struct plumb_indexes list = evidence_sample_events(spec, loss->metric);
		uint16_t e = 0;

		/* SPE records do not say who called: the node's event is sampled beside them. */
		if (spe_interval && cause && want(&events, cause->spe))
			spe = true;
		while (e < list.count && !counts(user, spec->events[list.at[e]].code))
			e++;
		if (e < list.count) {
			add_event(&events, &spec->events[list.at[e]]);
			continue;
		}
		e = plumb_spec_event_by_code(spec, CODE_CYCLES);
		if (e != PLUMB_NONE)
			add_event(&events, &spec->events[e]);
	}
	if (spe)
		add_spe(&events, spe_interval);
	return events.used > 0;
}
