/* SPDX-License-Identifier: Apache-2.0 */
/* Walks down the decision tree; plumb/diagnosis.h gives the rules. */
#include <plumb/diagnosis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_set.h"
#include "profile/advice.h"
#include "profile/diagnosis_waits.h"
#include "profile/walk.h"

/* LL_CACHE_RD and LL_CACHE_MISS_RD: reads that missed L2, and those that missed the last level,
 * too. */
#define CODE_LAST_LEVEL_READS  0x0036
#define CODE_LAST_LEVEL_MISSES 0x0037

#define CODE_CPU_CYCLES             0x0011
#define CODE_STALL_BACKEND_MEMBOUND 0x8164
#define CODE_STALL_BACKEND_ST       0x8168

/* ---- shares ------------------------------------------------------------------------------- */

/* A formula "NUMERATOR / DENOMINATOR * 100", both without blanks around them. */
struct ratio {
	const char *numerator, *denominator;
	size_t numerator_length, denominator_length;
};

static bool as_ratio(const char *formula, struct ratio *ratio)
{
	static const char percent[] = " * 100", by[] = " / ";
	size_t length = strlen(formula), end;
	int depth = 0;

	if (length < sizeof(percent) - 1)
		return false;
	end = length - (sizeof(percent) - 1);
	if (strcmp(formula + end, percent) != 0)
		return false;
	/* Finds the last division outside parentheses, unless another operator binds as loosely. */
	for (size_t i = end; i-- > 0;) {
		depth += formula[i] == ')';
		depth -= formula[i] == '(';
		if (depth == 0 && strchr("*+-", formula[i]))
			return false;
		if (depth != 0 || i < 1 || strncmp(&formula[i - 1], by, sizeof(by) - 1) != 0)
			continue;
		*ratio = (struct ratio){formula, &formula[i + 2], i - 1, end - i - 2};
		return true;
	}
	return false;
}

static bool same_denominator(const struct plumb_metric *a, const struct plumb_metric *b)
{
	struct ratio x, y;

	return as_ratio(a->formula, &x) && as_ratio(b->formula, &y) &&
	       x.denominator_length == y.denominator_length &&
	       memcmp(x.denominator, y.denominator, x.denominator_length) == 0;
}

static double value_of(const struct walk *w, uint16_t metric)
{
	for (size_t i = 0; i < w->selection->metric_count; i++)
		if (w->selection->metrics[i].metric == metric)
			return w->values[i].value;
	return NAN;
}

/* Returns how much of its parent a child holds, in percent; a root's value. */
double walk_share(const struct walk *w, uint16_t parent, uint16_t metric, double value)
{
	double whole;

	if (parent == PLUMB_NONE ||
	    !same_denominator(&w->spec->metrics[parent], &w->spec->metrics[metric]))
		return value;
	whole = value_of(w, parent);
	return whole > 0 ? value / whole * 100 : (double)NAN;
}

static double count_of(const struct walk *w, uint16_t code)
{
	uint16_t event = plumb_plan_event(w->counted->plan, code);

	return event == PLUMB_NONE ? (double)NAN : w->counted->events[event].count.count;
}

/*
 * Returns the percentage of cycles that the children of a root divide among them: the child's
 * denominator, if that is one event. NaN: unknown.
 */
static double stalled_cycles(const struct walk *w, uint16_t child)
{
	struct ratio ratio;
	char name[64];
	uint16_t event;
	double cycles = count_of(w, PLUMB_CODE_CYCLES);

	if (!as_ratio(w->spec->metrics[child].formula, &ratio) ||
	    ratio.denominator_length >= sizeof(name))
		return NAN;
	memcpy(name, ratio.denominator, ratio.denominator_length);
	name[ratio.denominator_length] = '\0';
	event = plumb_spec_event(w->spec, name);
	if (event == PLUMB_NONE || !(cycles > 0))
		return NAN;
	return count_of(w, w->spec->events[event].code) / cycles * 100;
}

/* ---- the walk ----------------------------------------------------------------------------- */

bool walk_is_work(const struct walk *w, uint16_t metric)
{
	const char *name = w->spec->metrics[metric].name;
	size_t length = strlen(name), suffix = strlen("retiring");

	return length >= suffix && strcmp(name + length - suffix, "retiring") == 0;
}

bool walk_is_child(const struct plumb_selected_metric *metric, uint16_t parent)
{
	return parent == PLUMB_NONE ? metric->level == 1
				    : metric->level > 1 && metric->parent == parent;
}

/*
 * Finds the two largest children of `parent` (PLUMB_NONE: the roots that are losses). Skips
 * children without a value. Returns how many children there are.
 */
static unsigned greatest(const struct walk *w, uint16_t parent, struct plumb_step best[2])
{
	struct index_set seen = {0};
	unsigned count = 0;

	best[0] = best[1] = (struct plumb_step){PLUMB_NONE, NAN, NAN};
	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		struct plumb_step step = {m->metric, w->values[i].value, NAN};

		if (!walk_is_child(m, parent) || !index_set_add(&seen, m->metric) ||
		    (parent == PLUMB_NONE && walk_is_work(w, m->metric)))
			continue;
		count++;
		step.share = walk_share(w, parent, m->metric, step.value);
		if (isnan(step.share))
			continue;
		if (best[0].metric == PLUMB_NONE || step.share > best[0].share) {
			best[1] = best[0];
			best[0] = step;
		} else if (best[1].metric == PLUMB_NONE || step.share > best[1].share) {
			best[1] = step;
		}
	}
	return count;
}

/*
 * Finds the root for work and its value; without one, the value is what the losses leave. NaN if a
 * root has no value, because that could be the largest loss.
 */
static struct plumb_step find_work(const struct walk *w)
{
	struct plumb_step work = {PLUMB_NONE, NAN, NAN};
	struct index_set seen = {0};
	double left = 100;
	uint16_t roots = 0;

	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];

		if (!walk_is_child(m, PLUMB_NONE) || !index_set_add(&seen, m->metric) ||
		    isnan(w->values[i].value))
			continue;
		roots++;
		if (walk_is_work(w, m->metric))
			work.metric = m->metric;
		if (walk_is_work(w, m->metric))
			work.value = work.share = w->values[i].value;
		else
			left -= w->values[i].value;
	}
	if (!w->methodology || roots < w->methodology->roots.count)
		return (struct plumb_step){PLUMB_NONE, NAN, NAN};
	if (work.metric == PLUMB_NONE)
		work.value = work.share = left;
	return work;
}

static bool counts_slots(const struct walk *w, uint16_t root)
{
	return strstr(w->spec->metrics[root].units, "slots");
}

/* Tells whether a root in slots loses most of them in cycles that are not completely stalled. */
bool walk_is_partly_lost(const struct walk *w, struct trail *trail, uint16_t child)
{
	const struct plumb_step *root = &trail->path[0];

	if (child == PLUMB_NONE || !counts_slots(w, root->metric))
		return false;
	trail->stalled = stalled_cycles(w, child);
	return trail->stalled < PLUMB_STALLED_SHARE * root->value;
}

static void walk_down(const struct walk *w, struct plumb_step root, struct trail *trail)
{
	*trail = (struct trail){.path = {root}, .length = 1, .stalled = NAN};
	trail->next = (struct plumb_step){PLUMB_NONE, NAN, NAN};
	for (;;) {
		struct plumb_step *best = trail->below;

		trail->childless = greatest(w, trail->path[trail->length - 1].metric, best) == 0;
		if (trail->length == 1)
			trail->partly = walk_is_partly_lost(w, trail, best[0].metric);
		if (trail->partly || trail->length == PLUMB_PATH_MAX ||
		    best[0].metric == PLUMB_NONE || best[0].share < PLUMB_DOMINANT_SHARE ||
		    (best[1].metric != PLUMB_NONE &&
		     best[0].share - best[1].share < PLUMB_DOMINANT_LEAD))
			return;
		trail->path[trail->length++] = best[0];
		trail->next = best[1];
	}
}

/* Makes this walk the path; `rival` is the runner-up to its root. */
static void follow(struct plumb_diagnosis *d, const struct trail *trail, struct plumb_step rival)
{
	memcpy(d->path, trail->path, sizeof(d->path));
	d->path_length = trail->length;
	d->rival = trail->length > 1 ? trail->next : rival;
	memcpy(d->below, trail->below, sizeof(d->below));
	d->childless = trail->childless;
	d->partly = trail->partly;
	d->stalled = trail->stalled;
}

static void walk_tree(const struct walk *w, struct trail *trail)
{
	struct plumb_diagnosis *d = &w->result->given;
	struct plumb_step work = find_work(w), losses[2];

	greatest(w, PLUMB_NONE, losses);
	d->work = work.value;
	d->loss = losses[0];
	d->rival = d->below[0] = d->below[1] = (struct plumb_step){PLUMB_NONE, NAN, NAN};
	d->childless = true;
	d->stalled = NAN;
	if (isnan(work.value) || losses[0].metric == PLUMB_NONE)
		return;
	if (losses[0].share >= PLUMB_LOSS_SHARE * work.value) {
		d->verdict = PLUMB_VERDICT_LOSS;
		walk_down(w, losses[0], trail);
		follow(d, trail, losses[1]);
		return;
	}
	d->verdict = work.value >= PLUMB_WORK_GOOD ? PLUMB_VERDICT_WORK : PLUMB_VERDICT_SPREAD;
	d->rival = losses[0];
	if (work.metric != PLUMB_NONE) {
		walk_down(w, work, trail);
		follow(d, trail, losses[0]);
	}
}

/* ---- where the reads beyond L2 went --------------------------------------------------------- */

static double last_level_hits(const struct walk *w)
{
	double reads = count_of(w, CODE_LAST_LEVEL_READS);
	double misses = count_of(w, CODE_LAST_LEVEL_MISSES);

	if (!(reads > 0) || !(misses >= 0) || misses > reads)
		return NAN;
	return (1 - misses / reads) * 100;
}

/* ---- lines that move between cores ---------------------------------------------------------- */

/*
 * A core that waits for a line of another one loses slots to its backend, wherever the tree puts
 * them: loads of it miss L2, stores fill the store buffer, and who waits for a lock spins.
 */
static void find_sharing(const struct walk *w)
{
	struct plumb_diagnosis *d = &w->result->given;
	const double moving = w->counted->moving;

	d->moving = NAN;
	if (d->verdict != PLUMB_VERDICT_LOSS ||
	    strncmp(w->spec->metrics[d->path[0].metric].name, "backend_", strlen("backend_")) != 0)
		return;
	d->sharing = moving >= PLUMB_SHARING_SHARE * d->path[0].value;
	if (d->sharing)
		d->moving = moving;
}

/* ---- waits within the core ------------------------------------------------------------------ */

static bool begins(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

/*
 * Tells whether chains of operations set the pace: at the backend's root, too, unless waits for
 * memory lose half of it.
 */
static bool is_chained(const struct walk *w, const char *name)
{
	double memory;

	if (!(w->counted->chained >= PLUMB_CHAINED_SHARE))
		return false;
	if (begins(name, "backend_core_bound") || begins(name, "backend_core_rename_bound") ||
	    begins(name, "backend_core_other_bound") || strcmp(name, "backend_busy_bound") == 0)
		return true;
	/* The cycles without any operation, by which the tree goes on, may be few. */
	memory = count_of(w, CODE_STALL_BACKEND_MEMBOUND) / count_of(w, CODE_CPU_CYCLES) * 100;
	return strcmp(name, "backend_bound") == 0 && 2 * memory < w->result->given.path[0].value;
}

static bool is_unforwarded(const struct walk *w, const char *name)
{
	const double stores =
		count_of(w, CODE_STALL_BACKEND_ST) / count_of(w, CODE_CPU_CYCLES) * 100;

	return strcmp(name, "backend_mem_store_bound") == 0 &&
	       w->counted->unforwarded >= PLUMB_FAILED_SHARE * stores;
}

/* Tells whether the kernel's work holds up the program: its cycles are the backend's core's. */
bool walk_is_kernel(const struct walk *w, const struct trail *trail)
{
	const char *root = w->spec->metrics[trail->path[0].metric].name;

	return begins(root, "backend_") &&
	       w->counted->kernel >= PLUMB_KERNEL_SHARE * trail->path[0].value;
}

/* ---- where a core's own tree ends ----------------------------------------------------------- */

static const char *root_of(const struct walk *w, const struct trail *trail)
{
	return w->spec->metrics[trail->path[0].metric].name;
}

/* Tells whether the core's tree ends at the root of a side, and the model knows more. */
bool walk_ends_early(const struct walk *w, const struct trail *trail)
{
	return trail->length == 1 && trail->childless &&
	       waits_known(&w->counted->waits, root_of(w, trail));
}

/* Tells whether such a root loses most of its slots in cycles that are not stalled. */
bool walk_is_partly(const struct walk *w, const struct trail *trail)
{
	return counts_slots(w, trail->path[0].metric) &&
	       waits_stalled(&w->counted->waits, root_of(w, trail)) <
		       PLUMB_STALLED_SHARE * trail->path[0].value;
}

/* Returns advice on what the model knows beyond the tree, or NULL. */
static const struct plumb_advice *advice_beyond_tree(const struct walk *w,
						     const struct trail *trail, const char *name)
{
	const struct plumb_core_waits *waits = &w->counted->waits;
	const bool early = walk_ends_early(w, trail);
	const struct plumb_advice *advice, *flushes = NULL;

	if (!early)
		advice = plumb_advice(name);
	else if (walk_is_partly(w, trail))
		advice = advice_partly(root_of(w, trail));
	else
		advice = waits_dominant(waits, root_of(w, trail), w->last_level_hits);
	if (advice && (!strcmp(advice->metric, "bad_speculation") ||
		       !strcmp(advice->metric, "frontend_core_flush_bound")))
		flushes = waits_flushes(waits);
	return flushes ? flushes : early ? advice : NULL;
}

const struct plumb_advice *walk_advice(const struct walk *w, const struct trail *trail)
{
	const char *name = w->spec->metrics[trail->path[trail->length - 1].metric].name;
	const struct plumb_advice *advice;

	if (walk_is_kernel(w, trail))
		return plumb_advice("kernel");
	if (is_chained(w, name))
		return plumb_advice("dependency_chain");
	if (is_unforwarded(w, name))
		return plumb_advice("failed_forwarding");
	advice = advice_beyond_tree(w, trail, name);
	if (advice)
		return advice;
	advice = trail->partly ? advice_partly(name) : advice_beyond_l2(name, w->last_level_hits);
	return advice ? advice : plumb_advice(name);
}

/* ---- shares of all slots -------------------------------------------------------------------- */

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

	if (m->level != 1 || !counts_slots(w, m->metric))
		return slots;
	stalled = stalled_cycles(w, child);
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
			slots[i] = stalled_cycles(w, m->metric) / 100 * w->values[i].value;
		}
	}
}

/* ---- what to look at next ----------------------------------------------------------------- */

/* Leave out stage 1, whose groups are the tree itself. */
static void add_group(const struct walk *w, uint16_t group)
{
	struct diagnosis *r = w->result;

	if (plumb_methodology_stage(w->methodology, group) == 1 ||
	    r->given.next_group_count == GROUPS_MAX)
		return;
	for (size_t i = 0; i < r->given.next_group_count; i++)
		if (r->groups[i] == group)
			return;
	r->groups[r->given.next_group_count++] = group;
}

static void add_groups_of_node(const struct walk *w, uint16_t metric)
{
	uint16_t node = plumb_methodology_node(w->methodology, metric);

	if (node == PLUMB_NONE)
		return;
	for (uint16_t i = 0; i < w->methodology->nodes[node].next_item_count; i++) {
		const struct plumb_next_item *item = &w->methodology->nodes[node].next_items[i];

		if (item->kind == PLUMB_ITEM_METRIC_GROUP)
			add_group(w, item->index);
	}
}

/* Adds the groups of the notable children, and of their notable children, each child once. */
static void add_groups_below(const struct walk *w, uint16_t parent, struct index_set *done,
			     unsigned depth)
{
	if (depth == PLUMB_PATH_MAX)
		return;
	for (size_t i = 0; i < w->selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &w->selection->metrics[i];
		double share;

		if (!walk_is_child(m, parent) || !index_set_add(done, m->metric))
			continue;
		share = walk_share(w, parent, m->metric, w->values[i].value);
		if (!(share >= PLUMB_NOTABLE_SHARE))
			continue;
		add_groups_of_node(w, m->metric);
		add_groups_below(w, m->metric, done, depth + 1);
	}
}

/* Adds the groups that the advice names, separated by ',', if this CPU has them. */
static void add_advised_groups(const struct walk *w, const struct plumb_advice *advice)
{
	const char *at = advice ? advice->groups : "";

	while (*at) {
		size_t length = strcspn(at, ",");
		char name[64];
		uint16_t group;

		if (length < sizeof(name)) {
			memcpy(name, at, length);
			name[length] = '\0';
			group = plumb_spec_metric_group(w->spec, name);
			if (group != PLUMB_NONE)
				add_group(w, group);
		}
		at += length + (at[length] == ',');
	}
}

static void add_sample(const struct walk *w, uint16_t event)
{
	struct diagnosis *r = w->result;

	if (r->given.sample_event_count == SAMPLES_MAX)
		return;
	for (size_t i = 0; i < r->given.sample_event_count; i++)
		if (r->samples[i] == event)
			return;
	r->samples[r->given.sample_event_count++] = event;
}

static void add_samples(const struct walk *w, struct plumb_indexes events)
{
	for (uint16_t i = 0; i < events.count; i++)
		add_sample(w, events.at[i]);
}

/*
 * Adds the events to sample: the node's own, which show where the time goes, and those of the
 * misses that the next groups count, which show why.
 */
static void find_samples(const struct walk *w, uint16_t metric)
{
	uint16_t node = plumb_methodology_node(w->methodology, metric);
	struct plumb_indexes events = w->spec->metrics[metric].sample_events;

	if (node != PLUMB_NONE && w->methodology->nodes[node].sample_events.count)
		events = w->methodology->nodes[node].sample_events;
	add_samples(w, events);
	for (size_t g = 0; g < w->result->given.next_group_count; g++) {
		const struct plumb_metric_group *group =
			&w->spec->metric_groups[w->result->groups[g]];

		for (uint16_t i = 0; i < group->metrics.count; i++) {
			const struct plumb_metric *m = &w->spec->metrics[group->metrics.at[i]];

			if (strcmp(m->units, "MPKI") == 0)
				add_samples(w, m->sample_events);
		}
	}
}

/* Adds the groups to look at for the end of a walk. */
static void add_groups_of_trail(const struct walk *w, const struct trail *trail)
{
	size_t before = w->result->given.next_group_count;
	uint16_t leaf = trail->path[trail->length - 1].metric;
	struct index_set done = {0};

	if (trail->partly) {
		add_advised_groups(w, advice_partly(w->spec->metrics[leaf].name));
	} else {
		add_groups_of_node(w, leaf);
		add_groups_below(w, leaf, &done, 0);
	}
	if (w->result->given.next_group_count == before)
		add_advised_groups(w, plumb_advice(w->spec->metrics[leaf].name));
}

/* Finds the losses that are not on the path, the largest first. */
static void find_runners_up(const struct walk *w)
{
	struct plumb_diagnosis *d = &w->result->given;
	struct index_set done = {0};

	if (d->verdict == PLUMB_VERDICT_UNKNOWN)
		return;
	if (d->path_length)
		index_set_add(&done, d->path[0].metric);
	while (d->runner_up_count < PLUMB_RUNNERS_UP_MAX) {
		struct plumb_step best = {PLUMB_NONE, NAN, NAN};
		struct trail trail;

		for (size_t i = 0; i < w->selection->metric_count; i++) {
			const struct plumb_selected_metric *m = &w->selection->metrics[i];
			double value = w->values[i].value;

			if (walk_is_child(m, PLUMB_NONE) && !walk_is_work(w, m->metric) &&
			    !index_set_has(&done, m->metric) && value >= PLUMB_RUNNER_UP &&
			    !(value <= best.value))
				best = (struct plumb_step){m->metric, value, value};
		}
		if (best.metric == PLUMB_NONE)
			return;
		index_set_add(&done, best.metric);
		walk_down(w, best, &trail);
		d->runners_up[d->runner_up_count++] = (struct plumb_runner_up){
			best, trail.path[trail.length - 1], walk_advice(w, &trail)};
		add_groups_of_trail(w, &trail);
	}
}

/* `trail` is the walk of the path. */
static void find_next(const struct walk *w, const struct trail *trail)
{
	const struct plumb_diagnosis *d = &w->result->given;

	if (d->path_length) {
		add_groups_of_trail(w, trail);
		find_samples(w, d->path[d->path_length - 1].metric);
	} else if (d->verdict != PLUMB_VERDICT_UNKNOWN) {
		add_advised_groups(w, plumb_advice("retiring"));
	}
	/* Do this last, so that what the path leads to comes first. */
	find_runners_up(w);
}

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
			d->wait_count =
				waits_find(&walk.counted->waits, root_of(&walk, &trail), d->waits);
		if (advice_is_beyond_l2(selection->spec->metrics[end].name))
			d->last_level_hits = walk.last_level_hits;
	}
	walk_losses(&walk);
	if (selection->methodology)
		find_next(&walk, &trail);
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
