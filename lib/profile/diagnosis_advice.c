/* SPDX-License-Identifier: Apache-2.0 */
/* What helps at the end of a walk, also where the core's own tree ends early. */
#include <string.h>

#include "profile/advice.h"
#include "profile/diagnosis_waits.h"
#include "profile/walk.h"

#define CODE_CPU_CYCLES             0x0011
#define CODE_STALL_BACKEND_MEMBOUND 0x8164
#define CODE_STALL_BACKEND_ST       0x8168

static bool begins(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

/*
 * Return in how many cycles, in percent, the backend waits for memory, and for stores: as the model
 * says, or as events count it. NaN: unknown.
 */
static double memory_cycles(const struct walk *w)
{
	const struct plumb_core_waits *waits = &w->counted->waits;

	if (waits->cycles)
		return (double)(waits->l1d + waits->beyond_l2 + waits->tlb + waits->store) /
		       (double)waits->cycles * 100;
	return walk_count(w, CODE_STALL_BACKEND_MEMBOUND) / walk_count(w, CODE_CPU_CYCLES) * 100;
}

static double store_cycles(const struct walk *w)
{
	const struct plumb_core_waits *waits = &w->counted->waits;

	if (waits->cycles)
		return (double)waits->store / (double)waits->cycles * 100;
	return walk_count(w, CODE_STALL_BACKEND_ST) / walk_count(w, CODE_CPU_CYCLES) * 100;
}

/*
 * Tells whether chains of operations set the pace: at the backend's root, too, unless waits for
 * memory lose half of it.
 */
static bool is_chained(const struct walk *w, const char *name)
{
	if (!(w->counted->chained >= PLUMB_CHAINED_SHARE))
		return false;
	if (begins(name, "backend_core_bound") || begins(name, "backend_core_rename_bound") ||
	    begins(name, "backend_core_other_bound") || strcmp(name, "backend_busy_bound") == 0)
		return true;
	/* The cycles without any operation, by which the tree goes on, may be few. */
	return (strcmp(name, "backend_bound") == 0 ||
		strcmp(name, "backend_stalled_cycles") == 0) &&
	       2 * memory_cycles(w) < w->result->given.path[0].value;
}

static bool is_unforwarded(const struct walk *w, const char *name)
{
	return strcmp(name, "backend_mem_store_bound") == 0 &&
	       w->counted->unforwarded >= PLUMB_FAILED_SHARE * store_cycles(w);
}

const struct plumb_advice *walk_specific(const struct walk *w, const char *name)
{
	if (is_chained(w, name))
		return plumb_advice("dependency_chain");
	return is_unforwarded(w, name) ? plumb_advice("failed_forwarding") : NULL;
}

bool walk_is_kernel(const struct walk *w, const struct trail *trail)
{
	const char *root = w->spec->metrics[trail->path[0].metric].name;

	return begins(root, "backend_") &&
	       w->counted->kernel >= PLUMB_KERNEL_SHARE * trail->path[0].value;
}

/* Returns whether the kernel holds half of a node that has the core's own stalls, as its do. */
static bool is_kernel_within(const struct walk *w, uint16_t metric)
{
	const char *name = w->spec->metrics[metric].name;

	if (strcmp(name, "backend_core_bound") != 0 &&
	    strcmp(name, "backend_core_other_bound") != 0)
		return false;
	for (size_t i = 0; i < w->selection->metric_count; i++)
		if (w->selection->metrics[i].metric == metric)
			return w->counted->kernel >= PLUMB_KERNEL_SHARE * w->result->slots[i];
	return false;
}

bool walk_ends_early(const struct walk *w, const struct trail *trail)
{
	return trail->length == 1 && trail->childless &&
	       waits_known(&w->counted->waits, walk_root(w, trail));
}

bool walk_is_partly(const struct walk *w, const struct trail *trail)
{
	return walk_counts_slots(w, trail->path[0].metric) &&
	       waits_stalled(&w->counted->waits, walk_root(w, trail)) <
		       PLUMB_STALLED_SHARE * trail->path[0].value;
}

/* Returns advice on what the model knows beyond the tree, or NULL. */
static const struct plumb_advice *advice_beyond_tree(const struct walk *w,
						     const struct trail *trail, const char *name)
{
	const struct plumb_core_waits *waits = &w->counted->waits;
	const bool early = walk_ends_early(w, trail);
	const struct plumb_advice *advice, *flushes = NULL, *specific;

	if (!early)
		advice = plumb_advice(name);
	else if (walk_is_partly(w, trail))
		advice = advice_partly(walk_root(w, trail));
	else
		advice = waits_dominant(waits, walk_root(w, trail), w->last_level_hits);
	if (advice && (!strcmp(advice->metric, "bad_speculation") ||
		       !strcmp(advice->metric, "frontend_core_flush_bound")))
		flushes = waits_flushes(waits);
	if (flushes || !early)
		return flushes;
	specific = advice ? walk_specific(w, advice->metric) : NULL;
	return specific ? specific : advice;
}

const struct plumb_advice *walk_advice(const struct walk *w, const struct trail *trail)
{
	const uint16_t end = trail->path[trail->length - 1].metric;
	const char *name = w->spec->metrics[end].name;
	const struct plumb_advice *advice;

	if (walk_is_kernel(w, trail) || is_kernel_within(w, end))
		return plumb_advice("kernel");
	advice = walk_specific(w, name);
	if (!advice)
		advice = advice_beyond_tree(w, trail, name);
	if (advice)
		return advice;
	advice = trail->partly ? advice_partly(name) : advice_beyond_l2(name, w->last_level_hits);
	return advice ? advice : plumb_advice(name);
}
