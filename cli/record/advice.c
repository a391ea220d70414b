/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests a period for the next recording if there were few samples. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "record.h"
#include "render/figures.h"
#include "tool/complain.h"

#define FEW    100
#define WANTED 5000

/* PMSIRR_EL1.INTERVAL has bits 31:8. */
#define SPE_STEP 256

/* Linux's shortest period of software clocks: kernel/events/core.c, perf_swevent_init_hrtimer(). */
#define CLOCK_LEAST_NS 10000

/* Returns where the period is in a sample record, by the order in perf_event_open(2). */
static unsigned find_period(uint64_t sample_type)
{
	const uint64_t before = PLUMB_SAMPLE_IDENTIFIER | PLUMB_SAMPLE_IP | PLUMB_SAMPLE_TID |
				PLUMB_SAMPLE_TIME | PLUMB_SAMPLE_ADDR | PLUMB_SAMPLE_ID |
				PLUMB_SAMPLE_STREAM_ID | PLUMB_SAMPLE_CPU;
	unsigned fields = (unsigned)__builtin_popcountll(sample_type & before);

	return sample_type & PLUMB_SAMPLE_PERIOD ? 8 * (1 + fields) : 0;
}

static double least_period(const struct plumb_source *source,
			   const struct plumb_event_config *event)
{
	if (event->kind == PLUMB_EVENT_SPE)
		return fmax(SPE_STEP, plumb_source_spe_interval(source));
	/* The model's clock has no timer that takes time. */
	if (event->kind == PLUMB_EVENT_SOFTWARE && !plumb_source_label(source) &&
	    (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK))
		return CLOCK_LEAST_NS;
	return 1;
}

void record_note_rate(struct record_rate *rate, const struct plumb_source *source,
		      const struct plumb_event_list *events,
		      const struct plumb_recording_setup *setup)
{
	const struct plumb_event_config *event = plumb_event_list_get(events, 0);
	const struct plumb_event_attr *attr = &setup->events[0].attr;

	/* With several events it is unknown which of them has few samples. */
	if (plumb_event_list_count(events) != 1)
		return;
	rate->known = attr->sample_period > 0;
	rate->value = (double)attr->sample_period;
	rate->frequency = attr->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_FREQ);
	rate->least = least_period(source, event);
	rate->period_offset = find_period(attr->sample_type);
	rate->spe = event->kind == PLUMB_EVENT_SPE;
}

void record_note_sample(struct record_rate *rate, const char *record, size_t size)
{
	uint64_t period;

	if (!rate->period_offset || size < rate->period_offset + sizeof(period))
		return;
	memcpy(&period, record + rate->period_offset, sizeof(period));
	rate->events += (double)period;
}

/* Advises a period, of `events` that occurred. */
static void advise_period(const struct record_rate *rate, double events, double now)
{
	double period = floor(figure_rounded(events / WANTED));

	if (rate->spe)
		period = floor(period / SPE_STEP) * SPE_STEP;
	period = fmax(rate->least, period);
	if (period >= now)
		advise("give the program more work: it is sampled as often as possible");
	else
		advise("use -c %.0f for about %.0f", period, figure_rounded(events / period));
}

void record_advise_more(const struct record_rate *rate, uint64_t samples)
{
	if (!rate->known || samples >= FEW)
		return;
	complain("%" PRIu64 " sample%s too few to show where time goes", samples,
		 samples == 1 ? " is" : "s are");
	if (samples == 0)
		advise("use a smaller -c, such as %.0f",
		       rate->frequency ? rate->least : fmax(rate->least, rate->value / WANTED));
	else if (!rate->frequency)
		advise_period(rate, rate->value * (double)samples, rate->value);
	else if (rate->events > 0)
		advise_period(rate, rate->events, rate->events / (double)samples);
}
