/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/diagnosis_waits.h"

#include <math.h>
#include <string.h>

#include "profile/advice.h"

/* The name of a node, and in how many cycles a side waits for what it means. */
struct waited {
	const char *name;
	uint64_t cycles;
};

struct side_waits {
	struct waited waited[PLUMB_WAITS_MAX];
};

static struct side_waits waits_at(const struct plumb_core_waits *of, const char *root)
{
	if (!strncmp(root, "frontend_", strlen("frontend_")))
		return (struct side_waits){{{"frontend_core_flush_bound", of->flush},
					    {"frontend_core_flow_bound", of->flow},
					    {"frontend_cache_l1i_bound", of->code_l1i},
					    {"frontend_cache_l2i_bound", of->code_beyond_l2},
					    {"frontend_mem_tlb_bound", of->code_tlb}}};
	return (struct side_waits){{{"backend_core_bound", of->core},
				    {"backend_cache_l1d_bound", of->l1d},
				    {"backend_cache_l2d_bound", of->beyond_l2},
				    {"backend_mem_tlb_bound", of->tlb},
				    {"backend_mem_store_bound", of->store}}};
}

static uint64_t stalled_cycles(const struct plumb_core_waits *waits, const char *root)
{
	const struct side_waits side = waits_at(waits, root);
	uint64_t all = 0;

	for (unsigned i = 0; i < PLUMB_WAITS_MAX; i++)
		all += side.waited[i].cycles;
	return all;
}

double waits_stalled(const struct plumb_core_waits *waits, const char *root)
{
	return waits->cycles ? (double)stalled_cycles(waits, root) / (double)waits->cycles * 100
			     : (double)NAN;
}

bool waits_known(const struct plumb_core_waits *waits, const char *root)
{
	static const char *const roots[] = {"backend_bound", "backend_stalled_cycles",
					    "frontend_bound", "frontend_stalled_cycles"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (!strcmp(root, roots[i]))
			return waits_stalled(waits, root) > 0;
	return false;
}

unsigned waits_find(const struct plumb_core_waits *waits, const char *root,
		    struct plumb_wait found[PLUMB_WAITS_MAX])
{
	const struct side_waits side = waits_at(waits, root);
	const double all = (double)stalled_cycles(waits, root);
	unsigned count = 0;

	for (unsigned i = 0; i < PLUMB_WAITS_MAX; i++) {
		const double share = (double)side.waited[i].cycles / all * 100;
		unsigned at = count;

		if (!(share >= PLUMB_WAIT_SHARE))
			continue;
		for (; at && found[at - 1].share < share; at--)
			found[at] = found[at - 1];
		found[at] = (struct plumb_wait){plumb_advice(side.waited[i].name), share};
		count++;
	}
	return count;
}

const struct plumb_advice *waits_dominant(const struct plumb_core_waits *waits, const char *root,
					  double last_level_hits)
{
	struct plumb_wait found[PLUMB_WAITS_MAX];
	const unsigned count = waits_find(waits, root, found);
	const struct plumb_advice *advice;

	if (!count || found[0].share < PLUMB_DOMINANT_SHARE ||
	    (count > 1 && found[0].share - found[1].share < PLUMB_DOMINANT_LEAD))
		return NULL;
	advice = advice_beyond_l2(found[0].advice->metric, last_level_hits);
	return advice ? advice : found[0].advice;
}

const struct plumb_advice *waits_flushes(const struct plumb_core_waits *waits)
{
	const double all =
		(double)waits->mispredictions + (double)waits->exceptions + (double)waits->barriers;

	if (!(all > 0))
		return NULL;
	if ((double)waits->exceptions >= PLUMB_FLUSH_SHARE * all)
		return plumb_advice("exceptions");
	if ((double)waits->barriers >= PLUMB_FLUSH_SHARE * all)
		return plumb_advice("barriers");
	return NULL;
}
