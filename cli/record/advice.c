/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests a period for the next recording if there were few samples. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event/config.h"
#include "record.h"
#include "render/figures.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define FEW    100
#define WANTED 5000

/* PMSIRR_EL1.INTERVAL has bits 31:8. */
#define SPE_STEP 256

/* Linux's shortest period of software clocks: kernel/events/core.c, perf_swevent_init_hrtimer(). */
#define CLOCK_LEAST_NS 10000

static bool is_clock(const struct plumb_event_config *event)
{
	return event->kind == PLUMB_EVENT_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						       event->config == PERF_COUNT_SW_TASK_CLOCK);
}

static double least_period(const struct plumb_source *source,
			   const struct plumb_event_config *event)
{
	if (event->kind == PLUMB_EVENT_SPE)
		return fmax(SPE_STEP, plumb_source_spe_interval(source));
	/* The model's clock has no timer that takes time. */
	if (is_clock(event) && !plumb_source_label(source))
		return CLOCK_LEAST_NS;
	return 1;
}

static bool is_filtered(const struct plumb_event_config *event)
{
	const struct plumb_event_spe *spe = &event->spe;

	return event->kind == PLUMB_EVENT_SPE &&
	       (spe->load_filter || spe->store_filter || spe->branch_filter || spe->simd_filter ||
		spe->float_filter || spe->min_latency || spe->event_filter ||
		spe->inv_event_filter);
}

bool record_samples(const struct plumb_event_list *events, size_t i)
{
	const struct plumb_event_config *event = plumb_event_list_get(events, i);

	return !event->sample_read || event->leader == i || event->strobe;
}

static void copy_ids(struct record_rate *rate, const struct plumb_recorded_event *recorded)
{
	rate->id_count = recorded->id_count;
	rate->ids = memory_resize(rate->ids, rate->id_count + 1, sizeof(*rate->ids));
	for (size_t i = 0; i < rate->id_count; i++)
		rate->ids[i] = recorded->ids[i];
}

/* Notes the events of a list, by its PMU's name if there are several types of cores. */
static void note_list(struct record_rates *rates, const struct plumb_source *source,
		      const struct plumb_event_list *events, const char *pmu,
		      const struct plumb_recording_setup *setup)
{
	const struct plumb_event_config *event;

	for (size_t i = 0; (event = plumb_event_list_get(events, i)); i++) {
		const struct plumb_recorded_event *recorded = &setup->events[rates->count];
		const struct plumb_event_attr *attr = &recorded->attr;
		struct record_rate *rate = &rates->at[rates->count];

		if (rates->count == setup->event_count || rates->count == PLUMB_EVENTS_MAX)
			return;
		rates->count++;
		rate->name = pmu ? memory_given(event_name_on_pmu(event, pmu))
				 : memory_copy(event->name, strlen(event->name));
		/* A unit that discards all records is to have no samples. */
		rate->known = attr->sample_period > 0 && record_samples(events, i) &&
			      !event->spe.discard && recorded->name &&
			      strcmp(recorded->name, rate->name) == 0;
		rate->value = (double)attr->sample_period;
		rate->frequency = attr->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_FREQ);
		rate->least = least_period(source, event);
		rate->spe = event->kind == PLUMB_EVENT_SPE;
		rate->filtered = is_filtered(event);
		if (attr->sample_type & PLUMB_SAMPLE_IDENTIFIER)
			copy_ids(rate, recorded);
	}
}

void record_note_rates(struct record_rates *rates, const struct plumb_source *source,
		       const struct record_request *request,
		       const struct plumb_recording_setup *setup)
{
	record_rates_free(rates);
	note_list(rates, source, request->events,
		  request->type_count ? plumb_source_pmu(source) : NULL, setup);
	for (size_t i = 0; i < request->type_count; i++)
		if (plumb_event_list_get(request->besides[i].events, 0)->kind == PLUMB_EVENT_PMU)
			note_list(rates, source, request->besides[i].events,
				  plumb_source_pmu(request->types[i].source), setup);
}

/* Returns the event of a sample record; NULL if it is unknown. */
static struct record_rate *find_rate(struct record_rates *rates, const char *record, size_t size)
{
	uint64_t id;

	if (rates->count == 1)
		return rates->at;
	if (size < 8 + sizeof(id))
		return NULL;
	memcpy(&id, record + 8, sizeof(id));
	for (size_t i = 0; i < rates->count; i++)
		for (size_t k = 0; k < rates->at[i].id_count; k++)
			if (rates->at[i].ids[k] == id)
				return &rates->at[i];
	return NULL;
}

void record_note_sample(struct record_rates *rates, const char *record, size_t size)
{
	struct record_rate *rate = find_rate(rates, record, size);

	if (rate)
		rate->samples++;
}

/* Advises a period: -c for a single event, a term for one of several. */
static void advise_value(const struct record_rate *rate, bool several, double period, double count)
{
	if (several)
		advise("add the term period=%.0f to it for about %.0f", period,
		       figure_rounded(count));
	else if (rate->frequency)
		advise("use -c %.0f instead of a frequency for about %.0f", period,
		       figure_rounded(count));
	else
		advise("use -c %.0f for about %.0f", period, figure_rounded(count));
}

/* Advises on an event that is sampled as often as possible. */
static void advise_work(const struct record_rate *rate)
{
	if (rate->filtered)
		advise("few operations match the terms of spe: use fewer or wider ones, or give "
		       "the program more work");
	else
		advise("give the program more work: it is sampled as often as possible");
}

/* Advises a period for `events` that occurred. */
static void advise_period(const struct record_rate *rate, bool several, double events,
			  uint64_t samples)
{
	double period = floor(figure_rounded(events / WANTED));

	if (rate->spe)
		period = floor(period / SPE_STEP) * SPE_STEP;
	period = fmax(rate->least, period);
	if (rate->frequency ? events / period <= (double)samples : period >= rate->value)
		advise_work(rate);
	else
		advise_value(rate, several, period, events / period);
}

/* `events`: how often it occurred; NaN: unknown. */
static void advise_more(const struct record_rate *rate, bool several, double events,
			uint64_t samples)
{
	const char *what = several ? rate->name : "";

	if (!rate->known || samples >= FEW)
		return;
	complain("%" PRIu64 " sample%s%s%s %s too few to show where time goes", samples,
		 samples == 1 ? "" : "s", several ? " of " : "", what, samples == 1 ? "is" : "are");
	/* Those that match are fewer than those to choose from. */
	if ((isnan(events) || rate->filtered) && samples && !rate->frequency)
		events = rate->value * (double)samples;
	if (events == 0)
		advise("it did not occur: choose another event, or give the program more work");
	else if (!isnan(events) && !(rate->filtered && !samples))
		advise_period(rate, several, events, samples);
	else if (!rate->frequency && rate->value > rate->least)
		advise("use a smaller %s, such as %.0f", several ? "period" : "-c",
		       fmax(rate->least, floor(rate->value / WANTED)));
	else
		advise_work(rate);
}

void record_advise_more(const struct record_rates *rates, const struct plumb_recording_run *run,
			uint64_t samples)
{
	const bool several = rates->count > 1;

	for (size_t i = 0; i < rates->count; i++) {
		const struct record_rate *rate = &rates->at[i];

		if (!several || !rate->spe)
			advise_more(rate, several, run->event_counts[i],
				    several ? rate->samples : samples);
	}
}

void record_rates_free(struct record_rates *rates)
{
	for (size_t i = 0; i < rates->count; i++) {
		free(rates->at[i].ids);
		free(rates->at[i].name);
	}
	*rates = (struct record_rates){.count = 0};
}
