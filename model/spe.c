/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/encode.h"

#include "spe.h"

#include <plumb/spe.h>
#include <string.h>

#define RANDOM_RANGE 256 /* random numbers have the low eight */
#define EVERY_ONE    1   /* of the model alone: a record for every operation */

/* SplitMix64 (Steele, Lea, Flood 2014): good with any seed. The architecture does not define it. */
static uint64_t draw(struct spe_unit *unit)
{
	uint64_t z = unit->chance += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint32_t whole_interval(const struct spe_control *control)
{
	uint32_t interval = control->interval & ~(SPE_INTERVAL_STEP - 1u);

	if (control->interval == EVERY_ONE)
		return EVERY_ONE;
	return interval ? interval : SPE_INTERVAL_STEP;
}

static bool is_random(const struct spe_control *control)
{
	return control->random && control->interval != EVERY_ONE;
}

/*
 * Without ERnd, a random number is added to the interval. With it, intervals are fixed, and each
 * sample is moved by a random number from the end of its interval (PMSICR_EL1.ECOUNT).
 */
static void reload(struct spe_unit *unit)
{
	uint32_t random = is_random(&unit->control) ? (uint32_t)(draw(unit) % RANDOM_RANGE) : 0;

	unit->left = unit->interval + random;
	if (unit->params->random_at_end && unit->interval != EVERY_ONE) {
		unit->left -= unit->moved;
		unit->moved = random;
	}
}

void spe_begin(struct spe_unit *unit, const struct spe_params *params,
	       const struct spe_control *control)
{
	*unit = (struct spe_unit){
		.params = params,
		.control = *control,
		.chance = control->seed,
		.interval = whole_interval(control),
	};
	reload(unit);
}

void spe_set_buffer(struct spe_unit *unit, void *bytes, size_t size)
{
	unit->at = bytes;
	unit->end = unit->at + size;
	if (unit->stopped && size >= unit->params->record_bytes) {
		unit->stopped = false;
		reload(unit);
	}
}

void spe_set_interval(struct spe_unit *unit, uint32_t interval)
{
	const double before = spe_mean_interval(unit->params, &unit->control);
	double left;

	if (unit->control.interval == interval)
		return;
	unit->control.interval = interval;
	unit->interval = whole_interval(&unit->control);
	if (unit->stopped)
		return;
	left = (double)unit->left * spe_mean_interval(unit->params, &unit->control) / before;
	/* Rounded up or down at random, or stretches of equal length would lose as much each time.
	 */
	left += (double)(draw(unit) >> 11) * 0x1p-53;
	unit->left = left > 1 ? (uint64_t)left : 1;
}

double spe_mean_interval(const struct spe_params *params, const struct spe_control *control)
{
	double interval = whole_interval(control);

	if (is_random(control) && !params->random_at_end)
		interval += (RANDOM_RANGE - 1) / 2.0;
	return interval;
}

bool spe_choose(struct spe_unit *unit, uint64_t cycle)
{
	unit->counts.population++;
	reload(unit);
	if (cycle < unit->busy && unit->interval != EVERY_ONE) {
		unit->counts.collisions++;
		unit->collided = true;
		return false;
	}
	unit->counts.taken++;
	unit->busy = UINT64_MAX; /* until spe_complete() */
	return true;
}

static uint16_t saturated(const struct spe_unit *unit, uint64_t cycles)
{
	uint64_t limit = (1ull << unit->params->count_bits) - 1;

	return (uint16_t)(cycles < limit ? cycles : limit);
}

static bool right_operation(const struct spe_control *control, const struct spe_sample *sample)
{
	if (!control->loads && !control->stores && !control->branches)
		return true;
	return (control->loads && sample->load) || (control->stores && sample->store) ||
	       (control->branches && sample->op_class == PLUMB_SPE_BRANCH);
}

/* Counts the sample; returns whether it passes the filters. */
static bool passes_filters(struct spe_unit *unit, const struct spe_sample *sample)
{
	const struct spe_control *control = &unit->control;
	struct spe_counts *counts = &unit->counts;
	bool operation = right_operation(control, sample);
	bool events = (sample->events & control->events_all) == control->events_all &&
		      !(sample->events & control->events_none);
	bool latency =
		saturated(unit, sample->completed - sample->dispatched) >= control->min_latency;

	counts->branches += sample->op_class == PLUMB_SPE_BRANCH;
	counts->loads += sample->load;
	counts->stores += sample->store;
	counts->right_operation += operation;
	counts->right_events += events;
	counts->right_latency += latency;
	counts->recorded += operation && events && latency;
	return operation && events && latency;
}

static void give_latencies(const struct spe_unit *unit, const struct spe_sample *sample,
			   struct plumb_spe_record *record)
{
	record->has |= PLUMB_SPE_HAS_TOTAL_LATENCY;
	record->counters[PLUMB_SPE_TOTAL_LATENCY] =
		saturated(unit, sample->completed - sample->dispatched);
	if (sample->issued) {
		record->has |= PLUMB_SPE_HAS_ISSUE_LATENCY;
		record->counters[PLUMB_SPE_ISSUE_LATENCY] =
			saturated(unit, sample->issued - sample->dispatched);
	}
	if (sample->has_address) {
		record->has |= PLUMB_SPE_HAS_TRANSLATION_LATENCY;
		record->counters[PLUMB_SPE_TRANSLATION_LATENCY] =
			saturated(unit, sample->translation);
	}
}

static void give_addresses(const struct spe_unit *unit, const struct spe_sample *sample,
			   struct plumb_spe_record *record)
{
	const uint64_t level = 1ull << 63; /* EL0, non-secure */

	record->has |= PLUMB_SPE_HAS_PC;
	record->addresses[PLUMB_SPE_PC] = sample->pc | level;
	if (sample->taken) {
		record->has |= PLUMB_SPE_HAS_BRANCH_TARGET;
		record->addresses[PLUMB_SPE_BRANCH_TARGET] = sample->target | level;
	}
	if (unit->params->previous_target && sample->previous_target) {
		record->has |= PLUMB_SPE_HAS_PREVIOUS_TARGET;
		record->addresses[PLUMB_SPE_PREVIOUS_TARGET] = sample->previous_target | level;
	}
	if (!sample->has_address)
		return;
	record->has |= PLUMB_SPE_HAS_DATA_VIRTUAL;
	record->addresses[PLUMB_SPE_DATA_VIRTUAL] = sample->virtual_address;
	if (unit->control.physical_addresses) {
		record->has |= PLUMB_SPE_HAS_DATA_PHYSICAL;
		record->addresses[PLUMB_SPE_DATA_PHYSICAL] = sample->physical_address | level;
	}
}

static struct plumb_spe_record make_record(const struct spe_unit *unit,
					   const struct spe_sample *sample)
{
	const struct spe_control *control = &unit->control;
	struct plumb_spe_record record = {
		.has = PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION,
		.events = sample->events,
		.events_bytes = sample->events >> 16 ? 4 : 2,
		.op_class = sample->op_class,
		.operation = sample->operation,
	};

	give_addresses(unit, sample, &record);
	give_latencies(unit, sample, &record);
	if (sample->has_source && unit->params->data_source) {
		record.has |= PLUMB_SPE_HAS_DATA_SOURCE;
		record.data_source = sample->data_source;
		record.data_source_bytes = 1;
	}
	if (control->contexts) {
		record.has |= PLUMB_SPE_HAS_CONTEXT_EL1;
		record.contexts[0] = control->context;
	}
	if (control->timestamps) {
		record.has |= PLUMB_SPE_HAS_TIMESTAMP;
		record.timestamp =
			control->timer_zero + sample->completed * 1000 / control->frequency_mhz;
	} else {
		record.has |= PLUMB_SPE_HAS_END;
	}
	return record;
}

static bool is_full(const struct spe_unit *unit)
{
	return unit->end - unit->at < unit->params->record_bytes;
}

static void write_record(struct spe_unit *unit, const struct plumb_spe_record *record)
{
	int size;

	if (is_full(unit))
		return;
	size = spe_encode_record(record, SPE_LAYOUT_NEOVERSE, unit->at,
				 (size_t)(unit->end - unit->at));
	if (size > 0)
		unit->at += size;
}

void spe_complete(struct spe_unit *unit, const struct spe_sample *sample)
{
	struct plumb_spe_record record;

	unit->busy = sample->retired;
	if (!passes_filters(unit, sample) || unit->control.discard)
		return;
	record = make_record(unit, sample);
	write_record(unit, &record);
	if (!is_full(unit))
		return;
	if (unit->control.full)
		unit->control.full(unit->control.user, unit);
	if (is_full(unit)) {
		unit->stopped = true;
		unit->left = UINT64_MAX;
	}
}
