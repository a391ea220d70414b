/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who called code without source of its own, where what shows a loss has no call chains: samples
 * of other events tell.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/callers.h"
#include "profile/evidence.h"
#include "profile/profile.h"

bool evidence_is_event(const char *recorded, const char *name)
{
	const size_t length = strlen(name);

	return recorded && strncmp(recorded, name, length) == 0 &&
	       (!recorded[length] || recorded[length] == ':' || recorded[length] == '/');
}

/* Returns whether a recording has samples of an event with call chains. */
static bool has_chains(const struct plumb_recording *recording, const char *name)
{
	const struct plumb_recorded_event *event;

	for (size_t i = 0; (event = plumb_recording_event(recording, i)); i++)
		if (event->attr.sample_type & PLUMB_SAMPLE_CALLCHAIN &&
		    evidence_is_event(event->name, name))
			return true;
	return false;
}

/* Returns the event whose samples tell who called: a node's own, or else cycles; NULL: none does.
 */
const char *evidence_chained_event(const struct plumb_recording *recording, const char *own)
{
	const char *const names[] = {own ? own : "CPU_CYCLES", own ? own : "cycles"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (has_chains(recording, names[i]))
			return names[i];
	return NULL;
}

/* Returns whether a loss is of moves of lines, which an exact profile has without call chains. */
bool evidence_is_of_moves(const struct evidence_loss *loss)
{
	return loss->basis == EVIDENCE_EXACT && loss->data_weigh == WEIGH_SHARED;
}

/* Returns whether what shows a loss has no call chains, but other samples have. */
static bool lacks_chains(const struct evidence_loss *loss)
{
	return evidence_is_of_moves(loss) || (loss->basis == EVIDENCE_SPE && loss->callers_event);
}

/* Returns whether samples of an event tell who called for a loss. */
bool evidence_shows_callers(const struct evidence *evidence,
			    const struct plumb_recorded_event *event, unsigned i)
{
	const struct evidence_loss *loss = &evidence->losses[i];

	if (evidence_is_of_moves(loss))
		return evidence->shared &&
		       weigh_exact(evidence->shared, event->name ? event->name : "");
	return lacks_chains(loss) && evidence_is_event(event->name, loss->callers_event);
}

/* Returns the place of code, after looking up whose it is; NULL: there are too many. */
static const struct evidence_place *look_up(struct evidence *evidence,
					    const struct plumb_location *location)
{
	const uint64_t key[2] = {location->address, (uintptr_t)location->file};
	struct plumb_source_frame line;
	int error;
	const size_t known = evidence->looked.count;
	struct evidence_place *place = evidence_place(&evidence->looked, key, &error);

	evidence->callers_full |= !place;
	if (!place || evidence->looked.count == known)
		return place;
	place->bare = !callers_is_own_code(evidence->symbolizer, location);
	place->inlined = place->bare && location->symbol &&
			 callers_own_line(evidence->symbolizer, location, &line);
	return place;
}

/* Returns whether the code at a location has no line of its own. */
bool evidence_is_bare(struct evidence *evidence, const struct plumb_location *location)
{
	const struct evidence_place *place = look_up(evidence, location);

	return place && place->bare;
}

/* Returns whether only samples with call chains tell which line called the code at a location. */
static bool needs_chains(struct evidence *evidence, const struct plumb_location *location)
{
	const struct evidence_place *place = look_up(evidence, location);

	return place && place->bare && (evidence->exact_type || !place->inlined);
}

/* Returns the index of a place in a table, which is made if need be; negative: an error. */
static int64_t index_of(struct evidence_table *table, const struct plumb_location *location)
{
	const uint64_t key[2] = {location->address, (uintptr_t)location->file};
	int error;
	struct evidence_place *place = evidence_place(table, key, &error);

	if (!place)
		return error < 0 ? error : PLUMB_ERR_LIMIT;
	if (!place->location.ip) /* the place is new */
		place->location = *location;
	return place - table->at;
}

/*
 * Moves a location to the beginning of its function: SPE records and samples of events are at
 * different instructions. Exact profiles have the same ones for all that they count.
 */
static void leave_instruction(const struct evidence *evidence, struct plumb_location *location)
{
	if (!evidence->exact_type && location->symbol)
		location->address = plumb_symbol_start(location->symbol);
}

/* Notes who called code without source, for the losses whose own evidence has no call chains. */
int evidence_note_call(struct evidence *evidence, const struct plumb_samples_item *item,
		       uint32_t losses)
{
	struct plumb_location location, caller;
	struct evidence_place *call;
	int64_t code, from;
	int error;

	plumb_symbolizer_locate(evidence->symbolizer, item->task, plumb_record_mode(item->record),
				item->record->sample.ip, &location);
	if (helper_is(&location))
		helper_leave(evidence->symbolizer, item, &location);
	if (!needs_chains(evidence, &location) ||
	    !callers_find(evidence->symbolizer, item, &location, &caller))
		return 0;
	leave_instruction(evidence, &location);
	code = index_of(&evidence->called, &location);
	from = index_of(&evidence->callers, &caller);
	if (code < 0 || from < 0) {
		evidence->callers_full = true;
		return code == PLUMB_ERR_NO_MEMORY || from == PLUMB_ERR_NO_MEMORY
			       ? PLUMB_ERR_NO_MEMORY
			       : 0;
	}
	call = evidence_place(&evidence->calls, (uint64_t[2]){(uint64_t)code, (uint64_t)from},
			      &error);
	evidence->callers_full |= !call;
	for (unsigned i = 0; call && i < evidence->count; i++)
		if (losses >> i & 1)
			sum_add(&call->sums[i], (double)profile_period(item));
	return error;
}

/* Returns the index in `called` that calls of the code at a place have; negative: there are none.
 */
static int64_t called_place(struct evidence *evidence, size_t at)
{
	struct plumb_location location = evidence->code.at[at].location;
	size_t slot;

	leave_instruction(evidence, &location);
	slot = evidence_slot(&evidence->called,
			     (uint64_t[2]){location.address, (uintptr_t)location.file});
	return (int64_t)evidence->called.slots[slot] - 1;
}

/* Shares out what code without source has of a loss among the calls that were noted. */
static void share_out_loss(struct evidence *evidence, unsigned loss, double *have, double *all)
{
	const double whole = evidence->losses[loss].code.weight;

	memset(have, 0, evidence->called.count * sizeof(*have));
	memset(all, 0, evidence->called.count * sizeof(*all));
	for (size_t i = 0; i < evidence->code.count; i++) {
		const struct evidence_place *code = &evidence->code.at[i];
		const int64_t called =
			code->sums[loss].weight > 0 && needs_chains(evidence, &code->location)
				? called_place(evidence, i)
				: -1;

		if (called >= 0)
			have[called] += code->sums[loss].weight;
	}
	for (size_t i = 0; i < evidence->calls.count; i++)
		all[evidence->calls.at[i].key[0]] += evidence->calls.at[i].sums[loss].weight;
	for (size_t i = 0; i < evidence->calls.count; i++) {
		const struct evidence_place *call = &evidence->calls.at[i];
		const double sum = all[call->key[0]];
		/* A recording may have samples whose period is 0. */
		const double share = sum > 0 ? call->sums[loss].weight / sum : 0;
		const double part = share * have[call->key[0]];

		evidence->callers.at[call->key[1]].sums[loss].weight += part;
		if (share < 1 && part > EVIDENCE_TOLD_SHARE * whole)
			evidence->calls_shared_out = true;
	}
}

int evidence_share_out_calls(struct evidence *evidence)
{
	double *sums = calloc(2 * evidence->called.count + 1, sizeof(*sums));

	if (!sums)
		return PLUMB_ERR_NO_MEMORY;
	for (unsigned i = 0; evidence->calls.count && i < evidence->count; i++)
		if (lacks_chains(&evidence->losses[i]))
			share_out_loss(evidence, i, sums, sums + evidence->called.count);
	free(sums);
	return 0;
}
