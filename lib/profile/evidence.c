/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/callers.h"
#include "profile/estimate.h"
#include "profile/profile.h"
#include "symbol/symbolizer.h"

/* ---- what shows a loss ------------------------------------------------------------------------
 */

/* Losses of data: those for which its address matters. */
static bool is_of_data(const struct weigh_cause *cause)
{
	return cause && (cause->spe == WEIGH_ACCESSES || cause->spe == WEIGH_LOADS ||
			 cause->spe == WEIGH_MISSES || cause->spe == WEIGH_STORES ||
			 cause->spe == WEIGH_WALKS || cause->spe == WEIGH_SHARED);
}

static bool has_exact(const struct plumb_recording *recording, const struct weigh_cause *cause)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->name && weigh_exact(cause, event->name))
			return true;
	return false;
}

static bool has_spe(const struct plumb_recording *recording)
{
	const struct plumb_recording_info *info = plumb_recording_info(recording);
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		for (size_t p = 0; p < info->pmu_count; p++)
			if (info->pmus[p].type == event->attr.type &&
			    strncmp(info->pmus[p].name, "arm_spe", 7) == 0)
				return true;
	return false;
}

struct plumb_indexes evidence_sample_events(const struct plumb_spec *spec, uint16_t metric)
{
	for (uint16_t m = 0; m < spec->methodology_count; m++) {
		const uint16_t node = plumb_methodology_node(&spec->methodologies[m], metric);

		if (node != PLUMB_NONE && spec->methodologies[m].nodes[node].sample_events.count)
			return spec->methodologies[m].nodes[node].sample_events;
	}
	return spec->metrics[metric].sample_events;
}

/* Returns the event by which a node is sampled, of those that were recorded; NULL: none. */
static const char *sampled_event(const struct evidence *evidence,
				 const struct plumb_recording *recording, uint16_t metric)
{
	const struct plumb_indexes events = evidence_sample_events(evidence->spec, metric);
	const struct plumb_recorded_event *event;

	for (uint16_t e = 0; e < events.count; e++)
		for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
			if (event->name &&
			    strncmp(event->name, evidence->spec->events[events.at[e]].name,
				    strlen(evidence->spec->events[events.at[e]].name)) == 0)
				return evidence->spec->events[events.at[e]].name;
	return NULL;
}

static void choose(struct evidence *evidence, const struct plumb_recording *recording, unsigned i)
{
	const struct plumb_loss *of = &evidence->diagnosis->losses[i];
	struct evidence_loss *loss = &evidence->losses[i];
	const bool spe = has_spe(recording);

	loss->cause = weigh_cause(of->partly ? evidence->spec->metrics[of->root].name : of->cause);
	/* A part of slots lost a few per cycle may have advice of its own. */
	if (of->partly && weigh_cause(of->cause))
		loss->cause = weigh_cause(of->cause);
	/* What is only a part of what its root loses is where its node is. */
	if (of->metric != of->root &&
	    (strcmp(of->cause, "dependency_chain") == 0 || strcmp(of->cause, "kernel") == 0) &&
	    weigh_cause(evidence->spec->metrics[of->metric].name))
		loss->cause = weigh_cause(evidence->spec->metrics[of->metric].name);
	loss->event = sampled_event(evidence, recording, of->metric);
	if (evidence->exact_type && loss->cause && has_exact(recording, loss->cause))
		loss->basis = EVIDENCE_EXACT;
	else if (loss->cause && spe && loss->cause->spe != WEIGH_NONE)
		loss->basis = EVIDENCE_SPE;
	else
		loss->basis = EVIDENCE_EVENTS_SAMPLED;
	if (loss->basis == EVIDENCE_SPE)
		loss->callers_event = evidence_chained_event(recording, loss->event);
	if (!is_of_data(loss->cause))
		return;
	/* The model's lines that move are exact; for other data there are only SPE records. */
	loss->data_weigh = loss->cause->spe;
	if (loss->basis == EVIDENCE_EXACT && loss->cause->spe == WEIGH_SHARED)
		loss->data_basis = EVIDENCE_EXACT;
	else if (spe)
		loss->data_basis = EVIDENCE_SPE;
}

/* Only an exact profile shows all work: samples are of what was lost. */
static void choose_work(struct evidence *evidence, const struct plumb_recording *recording)
{
	struct evidence_loss *work = &evidence->losses[evidence->diagnosis->loss_count];

	work->cause = weigh_cause("retiring");
	if (evidence->exact_type && has_exact(recording, work->cause))
		work->basis = EVIDENCE_EXACT;
}

void evidence_begin(struct evidence *evidence, const struct plumb_diagnosis *diagnosis,
		    const struct plumb_spec *spec, const struct plumb_recording *recording,
		    struct plumb_symbolizer *symbolizer)
{
	evidence->diagnosis = diagnosis;
	evidence->spec = spec;
	evidence->symbolizer = symbolizer;
	if (!recording)
		return;
	evidence->exact_type = plumb_profile_exact_type(recording);
	evidence->count = diagnosis->loss_count + 1;
	choose_work(evidence, recording);
	for (unsigned i = 0; i < diagnosis->loss_count; i++) {
		choose(evidence, recording, i);
		/* Moves of lines have no callers; the slots that they cost have. */
		if (evidence->losses[i].data_weigh == WEIGH_SHARED && evidence->exact_type)
			evidence->shared = weigh_cause("backend_bound");
	}
}

static void free_table(struct evidence_table *table)
{
	free(table->at);
	free(table->slots);
}

void evidence_free(struct evidence *evidence)
{
	free_table(&evidence->code);
	free_table(&evidence->data);
	free_table(&evidence->looked);
	free_table(&evidence->callers);
	free_table(&evidence->calls);
	free_table(&evidence->called);
}

/* Returns whether samples of an event show a loss. */
static bool shows(const struct evidence *evidence, const struct plumb_recorded_event *event,
		  unsigned i)
{
	const struct evidence_loss *loss = &evidence->losses[i];
	const char *name = event->name ? event->name : "";

	if (loss->basis == EVIDENCE_EXACT)
		return event->attr.type == evidence->exact_type && weigh_exact(loss->cause, name);
	if (loss->basis != EVIDENCE_EVENTS_SAMPLED || event->attr.type == evidence->exact_type)
		return false;
	/* Without the node's own event, any that was sampled. */
	return !loss->event || evidence_is_event(name, loss->event);
}

/* Returns what an event shows; remembers it. */
static const struct evidence_seen *shown_by(struct evidence *evidence,
					    const struct plumb_recorded_event *event)
{
	struct evidence_seen *seen = &evidence->seen[((uintptr_t)event >> 4) % EVIDENCE_EVENTS];

	if (seen->event == event)
		return seen;
	*seen = (struct evidence_seen){.event = event};
	for (unsigned i = 0; i < evidence->count; i++) {
		seen->losses |= (uint32_t)shows(evidence, event, i) << i;
		seen->callers |= (uint32_t)evidence_shows_callers(evidence, event, i) << i;
	}
	return seen;
}

/* ---- adding -----------------------------------------------------------------------------------
 */

/* Returns what a sample weighs for a loss; 0: nothing. */
static double weight_of(struct evidence *evidence, const struct plumb_samples_item *item,
			unsigned i)
{
	struct evidence_loss *loss = &evidence->losses[i];

	if (item->spe)
		return loss->basis == EVIDENCE_SPE
			       ? weigh_spe_mean(&loss->code_mean, loss->cause->spe, item)
			       : 0;
	if (!item->record->event || !(shown_by(evidence, item->record->event)->losses >> i & 1))
		return 0;
	return (double)profile_period(item);
}

/* Returns what a sample weighs for the data of a loss; 0: nothing. */
static double data_weight_of(struct evidence *evidence, const struct plumb_samples_item *item,
			     unsigned i)
{
	struct evidence_loss *loss = &evidence->losses[i];

	if (item->spe)
		return loss->data_basis == EVIDENCE_SPE &&
				       item->spe->has & PLUMB_SPE_HAS_DATA_VIRTUAL
			       ? weigh_spe_mean(&loss->data_mean, loss->data_weigh, item)
			       : 0;
	if (loss->data_basis != EVIDENCE_EXACT || !item->record->event ||
	    !(shown_by(evidence, item->record->event)->losses >> i & 1))
		return 0;
	return (double)profile_period(item);
}

/* Adds to a place of the code. */
static int add_at(struct evidence *evidence, struct evidence_table *table,
		  const struct plumb_location *location, bool atomic, const struct sum *sums)
{
	const uint64_t key[2] = {location->address, (uintptr_t)location->file};
	struct evidence_place *place;
	int error;

	place = evidence_place(table, key, &error);
	if (!place) {
		*(table == &evidence->code ? &evidence->full : &evidence->callers_full) = true;
		return error;
	}
	place->location = *location;
	place->atomic = atomic;
	for (unsigned i = 0; i < evidence->count; i++) {
		place->sums[i].weight += sums[i].weight;
		place->sums[i].squares += sums[i].squares;
		place->sums[i].samples += sums[i].samples;
	}
	return 0;
}

/* Adds a sample in code without lines of its own to the nearest caller that has some. */
static int add_caller(struct evidence *evidence, const struct plumb_samples_item *item,
		      const struct plumb_location *location, struct sum *sums)
{
	struct plumb_location caller;

	/* Moves are shared out at the end, whatever chains a recording has. */
	for (unsigned i = 0; i < evidence->count; i++)
		if (evidence_is_of_moves(&evidence->losses[i]))
			sums[i] = (struct sum){0};
	return callers_find(evidence->symbolizer, item, location, &caller)
		       ? add_at(evidence, &evidence->callers, &caller, false, sums)
		       : 0;
}

static int add_code(struct evidence *evidence, const struct plumb_samples_item *item,
		    const double *weights)
{
	const struct plumb_record *record = item->record;
	struct sum sums[EVIDENCE_PARTS] = {0};
	struct plumb_location location;
	bool atomic;
	int error;

	plumb_symbolizer_locate(evidence->symbolizer, item->task, plumb_record_mode(record),
				record->sample.ip, &location);
	atomic = helper_is(&location);
	if (atomic)
		helper_leave(evidence->symbolizer, item, &location);
	for (unsigned i = 0; i < evidence->count; i++)
		if (weights[i] > 0)
			sum_add(&sums[i], weights[i]);
	error = add_at(evidence, &evidence->code, &location, atomic, sums);
	if (error == 0 && evidence_is_bare(evidence, &location))
		error = add_caller(evidence, item, &location, sums);
	return error;
}

/* Adds an access to the variable at `location` to those of a line. */
static void add_variable(struct evidence_place *place, const struct plumb_location *location,
			 double weight)
{
	struct evidence_variable *found = place->variables;
	const struct evidence_variable *end = found + place->variable_count;
	const uint64_t into = location->address - plumb_symbol_start(location->symbol);

	while (found < end && found->symbol != location->symbol)
		found++;
	if (found == end && place->variable_count < EVIDENCE_VARIABLES) {
		place->variable_count++;
		*found = (struct evidence_variable){location->symbol, location->ip - into, 0};
	} else if (found == end) {
		found = place->variables;
		for (const struct evidence_variable *at = found; at < end; at++)
			if (at->weight < found->weight)
				found = &place->variables[at - place->variables];
		*found = (struct evidence_variable){location->symbol, location->ip - into, 0};
	}
	found->weight += weight;
}

/* Variables are places by themselves; of other memory, and of lines that move, each line is. */
static int add_data(struct evidence *evidence, const struct plumb_samples_item *item,
		    const double *weights, bool by_line)
{
	const uint64_t address =
		item->spe ? plumb_spe_virtual_address(item->spe->addresses[PLUMB_SPE_DATA_VIRTUAL])
			  : item->record->sample.address;
	bool variable;
	struct plumb_location location;
	struct evidence_place *place;
	const uint64_t line = address & ~(uint64_t)(EVIDENCE_LINE - 1);
	uint64_t key[2];
	int error;

	variable =
		symbolizer_object(evidence->symbolizer, item->task, address, &location) && !by_line;
	if (variable) {
		key[0] = plumb_symbol_start(location.symbol);
		key[1] = (uintptr_t)location.file;
	} else {
		key[0] = line;
		key[1] = item->task ? (uint64_t)item->task->pid << 1 | 1 : 1;
	}
	place = evidence_place(&evidence->data, key, &error);
	if (!place) {
		evidence->full = true;
		return error;
	}
	if (!place->location.symbol || location.symbol)
		place->location = location;
	place->line = line;
	place->variable = variable;
	for (unsigned i = 0; i < evidence->count; i++) {
		if (!(weights[i] > 0))
			continue;
		sum_add(&place->sums[i], weights[i]);
		if (!variable && location.symbol)
			add_variable(place, &location, weights[i]);
	}
	return 0;
}

int evidence_add(struct evidence *evidence, const struct plumb_samples_item *item)
{
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);
	double code[EVIDENCE_PARTS] = {0}, data[EVIDENCE_PARTS] = {0};
	bool any = false, any_data = false, by_line = false;
	uint32_t callers;
	int error = 0;

	if (!item->task || mode == PLUMB_MODE_GUEST_KERNEL || mode == PLUMB_MODE_GUEST_USER)
		return 0;
	for (unsigned i = 0; i < evidence->count; i++) {
		struct evidence_loss *loss = &evidence->losses[i];

		code[i] = weight_of(evidence, item, i);
		data[i] = data_weight_of(evidence, item, i);
		if (code[i] > 0)
			sum_add(&loss->code, code[i]);
		if (data[i] > 0)
			sum_add(&loss->data, data[i]);
		any = any || code[i] > 0;
		any_data = any_data || data[i] > 0;
		by_line = by_line || (data[i] > 0 && loss->data_weigh == WEIGH_SHARED);
	}
	callers = !item->spe && item->record->event
			  ? shown_by(evidence, item->record->event)->callers
			  : 0;
	if (callers) {
		helpers_note(&evidence->helpers, evidence->symbolizer, item);
		error = evidence_note_call(evidence, item, callers);
	}
	if (any && error == 0)
		error = add_code(evidence, item, code);
	if (any_data && error == 0)
		error = add_data(evidence, item, data, by_line);
	return error;
}

/* Shares out what a helper has among its callers, of whose weights `all` is the sum. */
static int share_out(struct evidence *evidence, const struct evidence_place *helper, double all)
{
	int error = 0;

	for (size_t k = 0; error == 0 && k < evidence->helpers.count; k++) {
		const struct helper_call *call = &evidence->helpers.at[k];
		const double share = call->weight / all;
		struct sum part[EVIDENCE_PARTS] = {0};

		if (call->helper != helper->location.symbol)
			continue;
		for (unsigned i = 0; i < evidence->count; i++) {
			part[i] = helper->sums[i];
			part[i].weight *= share;
			part[i].squares *= share * share;
			if (share < 1 &&
			    part[i].weight > EVIDENCE_TOLD_SHARE * evidence->losses[i].code.weight)
				evidence->shared_out = true;
		}
		error = add_at(evidence, &evidence->code, &call->caller, true, part);
	}
	return error;
}

int evidence_finish(struct evidence *evidence)
{
	const size_t count = evidence->code.count;
	int error = 0;

	for (size_t i = 0; error == 0 && i < count; i++) {
		const struct evidence_place helper = evidence->code.at[i];
		const double all =
			helper.atomic ? helpers_weight(&evidence->helpers, &helper.location) : 0;

		if (!(all > 0))
			continue;
		memset(evidence->code.at[i].sums, 0, sizeof(helper.sums));
		error = share_out(evidence, &helper, all);
	}
	return error < 0 ? error : evidence_share_out_calls(evidence);
}

/*
 * A share is a quotient of two sums over the samples, w of them x. Its variance, if samples are
 * independent, is the sum of w^2 (x - share)^2, by the square of the sum of w.
 */
void evidence_share(const struct sum *part, const struct sum *whole, bool exact,
		    struct plumb_finding_place *place)
{
	const double share = part->weight / whole->weight;
	double variance;
	struct estimate estimate;

	place->share = 100 * share;
	place->low = place->high = NAN;
	place->samples = exact ? 0 : part->samples;
	if (exact || whole->samples < 2)
		return;
	variance = (part->squares * (1 - share) * (1 - share) +
		    (whole->squares - part->squares) * share * share) /
		   (whole->weight * whole->weight);
	estimate = estimate_share_by_variance(share, variance, whole->samples);
	place->low = 100 * estimate.low;
	place->high = 100 * estimate.high;
}
