/* SPDX-License-Identifier: Apache-2.0 */
/* What to ask for next time, if there were few samples. */
#include <inttypes.h>
#include <math.h>

#include "record.h"
#include "render/figures.h"
#include "tool/complain.h"

#define FEW    100
#define WANTED 5000

/* More is refused. */
#define FREQUENCY_MAX 1000000

/* PMSIRR_EL1.INTERVAL has bits 31:8. */
#define SPE_STEP 256

void record_note_rate(struct record_rate *rate, const struct plumb_source *source,
		      const struct plumb_event_list *events,
		      const struct plumb_recording_setup *setup)
{
	const struct plumb_event_config *event = plumb_event_list_get(events, 0);
	const struct plumb_event_attr *attr = &setup->events[0].attr;

	/* Of several it is not known whose samples are few. */
	if (plumb_event_list_count(events) != 1)
		return;
	rate->known = attr->sample_period > 0;
	rate->value = (double)attr->sample_period;
	rate->frequency = attr->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_FREQ);
	rate->least = 1;
	if (event->kind == PLUMB_EVENT_SPE)
		rate->least = fmax(SPE_STEP, plumb_source_spe_interval(source));
}

static void advise_period(const struct record_rate *rate, uint64_t samples)
{
	double events = rate->value * (double)samples;
	double period = samples ? figure_rounded(events / WANTED) : rate->value / WANTED;

	if (rate->least > 1)
		period = floor(period / SPE_STEP) * SPE_STEP;
	period = fmax(rate->least, floor(period));
	if (period >= rate->value)
		advise("give the program more work: it is sampled as often as can be");
	else if (samples)
		advise("-c %.0f gives some %.0f", period, figure_rounded(events / period));
	else
		advise("use a smaller -c, such as %.0f", period);
}

static void advise_frequency(const struct record_rate *rate, uint64_t samples)
{
	double frequency = samples ? figure_rounded(rate->value * WANTED / (double)samples) : 0;

	if (frequency > 0 && frequency <= FREQUENCY_MAX)
		advise("-F %.0f gives some %d", frequency, WANTED);
	else
		advise("use -c instead of -F, or give the program more work");
}

void record_advise_more(const struct record_rate *rate, uint64_t samples)
{
	if (!rate->known || samples >= FEW)
		return;
	complain("%" PRIu64 " sample%s few to tell where time goes", samples,
		 samples == 1 ? " is" : "s are");
	if (rate->frequency)
		advise_frequency(rate, samples);
	else
		advise_period(rate, samples);
}
