/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what holds up a program; plumb/diagnosis.h gives the rules. */
#include <plumb/diagnosis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/advice.h"
#include "profile/diagnosis_waits.h"
#include "profile/walk.h"

/* LL_CACHE_RD and LL_CACHE_MISS_RD: reads that missed L2, and those that missed the last level,
 * too. */
#define CODE_LAST_LEVEL_READS  0x0036
#define CODE_LAST_LEVEL_MISSES 0x0037

/* ---- Where the reads beyond L2 went
 * -------------------------------------------------------------- */

static double last_level_hits(const struct walk *w)
{
	double reads = walk_count(w, CODE_LAST_LEVEL_READS);
	double misses = walk_count(w, CODE_LAST_LEVEL_MISSES);

	if (!(reads > 0) || !(misses >= 0) || misses > reads)
		return NAN;
	return (1 - misses / reads) * 100;
}

/* ---- Lines that move between cores
 * --------------------------------------------------------------- */

/* Tells whether moves of lines are so much of what a root loses that they are what it loses. */
static bool is_moving(const struct walk *w, const struct plumb_step *root)
{
	return strncmp(w->spec->metrics[root->metric].name, "backend_", strlen("backend_")) == 0 &&
	       w->counted->moving >= PLUMB_SHARING_SHARE * root->value;
}

/*
 * A core that waits for a line of another one loses slots to its backend, wherever the tree puts
 * them: loads of it miss L2, stores fill the store buffer, and who waits for a lock spins.
 */
static void find_sharing(const struct walk *w)
{
	struct plumb_diagnosis *d = &w->result->given;
	const double moving = w->counted->moving;

	d->sharing = d->verdict == PLUMB_VERDICT_LOSS && is_moving(w, &d->path[0]);
	d->moving = d->sharing || moving >= PLUMB_MOVING_SHARE ? moving : NAN;
}

/* A thread that spins may lose most of its slots elsewhere, while its partner waits for lines. */
static void find_sharing_beside(const struct walk *w)
{
	struct plumb_diagnosis *d = &w->result->given;

	for (unsigned i = 0; i < d->runner_up_count; i++) {
		if (!is_moving(w, &d->runners_up[i].root))
			continue;
		d->runners_up[i].advice = plumb_advice(PLUMB_STEP_SHARING);
		d->moving = w->counted->moving;
	}
}

/* ---- Shares of all slots
 * ------------------------------------------------------------------------- */

static size_t selected(const struct walk *w, uint16_t metric)
{
	size_t i = 0;

	while (i < w->selection->metric_count && w->selection->metrics[i].metric != metric)
		i++;
	return i;
}

/*
 * Returns what the children of a node divide among them, in percent of all slots. The children of a
 * root in slots divide its stalled cycles, each of which lost all its slots, but no more than the
 * root lost.
 */
static double divided_slots(const struct walk *w, size_t parent, uint16_t child)
{
	const struct plumb_selected_metric *m = &w->selection->metrics[parent];
	double slots = w->result->slots[parent], stalled;

	if (m->level != 1 || !walk_counts_slots(w, m->metric))
		return slots;
	stalled = walk_stalled_cycles(w, child);
	return stalled < slots ? stalled : slots;
}

/* In the selection's order, a node precedes its children. */
static void find_slots(const struct walk *w)
{
	double *slots = w->result->slots;

	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		size_t first = selected(w, m->metric), parent;

		slots[i] = NAN;
		if (first < i) {
			slots[i] = slots[first];
		} else if (m->level == 1) {
			slots[i] = w->values[i].value;
		} else if (m->level > 1 && (parent = selected(w, m->parent)) < i) {
			slots[i] = divided_slots(w, parent, m->metric) / 100 *
				   walk_share(w, m->parent, m->metric, w->values[i].value);
		} else if (m->stage == 1) {
			/* No root leads to it: its value is a share of stalled cycles, if it is a
			 * share. */
			slots[i] = walk_stalled_cycles(w, m->metric) / 100 * w->values[i].value;
		}
	}
}

/* ---- The diagnosis --------------------------------------------------------------------------- */

int plumb_diagnose(const struct plumb_result *counted, struct plumb_diagnosis **diagnosis)
{
	const struct plumb_selection *selection = counted->plan->selection;
	struct diagnosis *result =
		calloc(1, sizeof(*result) + selection->metric_count * sizeof(*result->slots));
	struct walk walk = {selection->spec,
			    selection->methodology,
			    selection,
			    counted,
			    counted->values,
			    result,
			    NAN};
	struct plumb_diagnosis *d;
	struct trail trail = {0};

	*diagnosis = NULL;
	if (!result)
		return PLUMB_ERR_NO_MEMORY;
	d = &result->given;
	d->last_level_hits = NAN;
	walk.last_level_hits = last_level_hits(&walk);
	walk_tree(&walk, &trail);
	find_slots(&walk);
	find_sharing(&walk);
	if (d->sharing) {
		d->advice = plumb_advice(PLUMB_STEP_SHARING);
	} else if (d->path_length) {
		uint16_t end = d->path[d->path_length - 1].metric;

		d->advice = walk_advice(&walk, &trail);
		if (walk_ends_early(&walk, &trail) && !walk_is_partly(&walk, &trail))
			d->wait_count = waits_find(&walk.counted->waits, walk_root(&walk, &trail),
						   d->waits);
		if (advice_is_beyond_l2(selection->spec->metrics[end].name))
			d->last_level_hits = walk.last_level_hits;
	}
	walk_losses(&walk);
	if (selection->methodology)
		walk_find_next(&walk, &trail);
	find_sharing_beside(&walk);
	d->next_groups = result->groups;
	d->sample_events = result->samples;
	d->slots = result->slots;
	*diagnosis = d;
	return PLUMB_OK;
}

void plumb_diagnosis_free(struct plumb_diagnosis *diagnosis)
{
	free(diagnosis);
}

unsigned plumb_diagnosis_common(const struct plumb_diagnosis *a, const struct plumb_diagnosis *b)
{
	unsigned i = 0;

	while (i < a->path_length && i < b->path_length && a->path[i].metric == b->path[i].metric)
		i++;
	return i;
}
