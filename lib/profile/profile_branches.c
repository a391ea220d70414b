/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branch stacks: each branch counts as a sample of its own, as in perf report -b. The branches of a
 * stack follow each other, so they say less than as many that were sampled one by one. Estimates
 * therefore take a stack as one draw, of as many branches as it has: a row's value above the line
 * is the number of its branches in the stack.
 */
#include <math.h>
#include <stdlib.h>

#include "profile/profile.h"

/* So many branches of a longer stack are added together. BRBE keeps 64 at most. */
#define TOGETHER 256

/* Adds `more` to a value of a stack, whose square is in `squares`. */
static void add_square(double *squares, uint32_t *value)
{
	*squares += 2.0 * *value + 1;
	(*value)++;
}

static void add_branch(struct row_branches *row, const struct plumb_branch_entry *branch,
		       uint64_t stack, size_t together)
{
	const bool missed = branch->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_MISPREDICTED);
	const bool known = missed || branch->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_PREDICTED);

	if (row->stack != stack) {
		row->stack = stack;
		row->here = row->known_here = row->missed_here = 0;
	}
	add_square(&row->squares, &row->here);
	row->both += (double)together;
	row->known += known;
	row->missed += missed;
	if (known) {
		row->missed_both += row->missed_here;
		add_square(&row->known_squares, &row->known_here);
	}
	if (missed) {
		row->missed_both += row->known_here;
		add_square(&row->missed_squares, &row->missed_here);
	}
}

/* Finds the rows of up to TOGETHER branches, and adds them as one draw. */
static int add_together_branches(struct plumb_profile *profile, size_t event,
				 const struct plumb_samples_item *item,
				 const struct plumb_branch_entry *branches, size_t count)
{
	const enum plumb_cpu_mode mode = plumb_record_mode(item->record);
	const struct plumb_branch_entry *added[TOGETHER];
	struct profiled_event *of = &profile->events[event];
	uint32_t rows[TOGETHER];
	size_t together = 0;

	if (profile->row_count + count > profile->options.rows_max) {
		const int status = rows_give_up(profile);

		if (status < 0)
			return status;
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t from = branches[i].from;
		struct frame_values frame = {.item = item, .event = of, .branch = &branches[i]};
		int status;

		frame.place =
			place_find(profile, item->task,
				   (struct plumb_frame){.ip = from,
							.mode = plumb_symbolizer_mode(mode, from)});
		if (profile->options.wants &&
		    !profile->options.wants(profile->options.user, item, &frame.place->location)) {
			of->public.left_out++;
			of->public.left_out_period = add_saturating(of->public.left_out_period, 1);
			continue;
		}
		status = row_find(profile, &frame, &rows[together]);
		if (status < 0)
			return status;
		added[together++] = &branches[i];
	}
	if (!together)
		return 0;
	profile->mark++;
	for (size_t i = 0; i < together; i++) {
		struct row_branches *row = &profile->branches[rows[i]];

		add_branch(row, added[i], profile->mark, together);
		profile->rows[rows[i]].own.samples++;
		profile->rows[rows[i]].own.period++;
		of->public.branches |= row->known > 0;
	}
	of->public.samples += together;
	of->public.period = add_saturating(of->public.period, together);
	of->periods[0] += (double)together;
	of->periods[1] += (double)together * (double)together;
	of->members++;
	return 0;
}

bool branches_are_in(const struct plumb_samples_item *item)
{
	return !item->spe && item->record->event->attr.sample_type & PLUMB_SAMPLE_BRANCH_STACK;
}

int branches_add(struct plumb_profile *profile, const struct plumb_samples_item *item)
{
	const struct plumb_sample *sample = &item->record->sample;
	struct profiled_event *event = profiled_event_find(profile, item);
	size_t index, count;
	int status = 0;

	if (!event)
		return PLUMB_ERR_NO_MEMORY;
	index = (size_t)(event - profile->events);
	event->public.stacks++;
	for (size_t i = 0; status == 0 && i < sample->branch_count; i += count) {
		count = sample->branch_count - i < TOGETHER ? sample->branch_count - i : TOGETHER;
		status = add_together_branches(profile, index, item, &sample->branches[i], count);
	}
	return status;
}

/* ---- Estimates --------------------------------------------------------------------------------
 */

static struct plumb_profile_estimate share_of(const struct tally *tally)
{
	const struct estimate estimate = estimate_share(tally, NULL);

	return (struct plumb_profile_estimate){estimate.value, estimate.low, estimate.high};
}

struct plumb_profile_estimate branches_share(const struct profiled_event *event,
					     const struct row_branches *row, uint64_t count)
{
	struct tally tally = {.samples = event->members, .members = event->members};

	if (event->members < 2)
		return (struct plumb_profile_estimate){
			event->periods[0] > 0 ? (double)count / event->periods[0] : NAN, NAN, NAN};
	tally.powers[1][0] = (double)count;
	tally.powers[2][0] = row->squares;
	tally.powers[1][1] = row->both;
	tally.powers[0][1] = event->periods[0];
	tally.powers[0][2] = event->periods[1];
	return share_of(&tally);
}

struct plumb_profile_estimate branches_missed(const struct profiled_event *event,
					      const struct row_branches *row)
{
	struct tally tally = {.samples = event->members, .members = event->members};

	if (!row->known || event->members < 2)
		return (struct plumb_profile_estimate){
			row->known ? (double)row->missed / (double)row->known : NAN, NAN, NAN};
	tally.powers[1][0] = (double)row->missed;
	tally.powers[2][0] = row->missed_squares;
	tally.powers[1][1] = row->missed_both;
	tally.powers[0][1] = (double)row->known;
	tally.powers[0][2] = row->known_squares;
	return share_of(&tally);
}
