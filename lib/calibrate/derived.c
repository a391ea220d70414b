/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that are computed from others, with further trials at sizes that these tell. */
#include <math.h>

#include "calibrate/fitting.h"

#define TRIALS 3 /* of a figure, at most */

/* Trials of one derived figure, with their sizes. Returns their number. */
static size_t derived_trials(const struct fit *fit, enum figure_id id, struct trial trials[TRIALS])
{
	const struct search *searches = fit->searches;

	for (unsigned i = 0; i < TRIALS; i++)
		trials[i] = (struct trial){0};
	switch (id) {
	case FIGURE_FORWARD:
		trials[0].kernel = KERNEL_FORWARD;
		return 1;
	case FIGURE_FORWARD_FAILED:
		trials[0].kernel = KERNEL_HALVES;
		trials[1].kernel = KERNEL_FORWARD;
		return 2;
	case FIGURE_MISPREDICT:
		for (unsigned i = 0; i < 3; i++) {
			trials[i].kernel = KERNEL_BRANCHES;
			trials[i].size = i;
		}
		return 3;
	case FIGURE_L2_LATENCY:
		trials[0].kernel = KERNEL_CHASE;
		trials[0].size = searches[FIGURE_L1D].found ? 2 * searches[FIGURE_L1D].fits : 0;
		return searches[FIGURE_L2].found &&
		       2 * trials[0].size <= searches[FIGURE_L2].fits && trials[0].size;
	case FIGURE_LLC_LATENCY:
	case FIGURE_DRAM_LATENCY:
		trials[0].kernel = KERNEL_CHASE;
		trials[0].size = searches[FIGURE_L2].found ? 2 * searches[FIGURE_L2].fits : 0;
		trials[1].kernel = KERNEL_FAR;
		return trials[0].size ? id == FIGURE_DRAM_LATENCY ? 2 : 1 : 0;
	case FIGURE_PEER_LATENCY:
		trials[0].kernel = KERNEL_PEER;
		return 1;
	case FIGURE_MISSES:
		trials[0].kernel = KERNEL_MISSES;
		trials[1].kernel = KERNEL_FAR;
		return 2;
	case FIGURE_TLB_LATENCY:
		trials[0] = figures[FIGURE_DTLB].trial;
		trials[0].size = 2 * searches[FIGURE_DTLB].fits;
		return searches[FIGURE_DTLB].found;
	case FIGURE_WALK_LATENCY:
		trials[0] = figures[FIGURE_TLB].trial;
		/* More by a quarter: with four ways or more, every set has too many pages. */
		trials[0].size = searches[FIGURE_TLB].fits * 5 / 4;
		return fit->results[FIGURE_TLB].known;
	case FIGURE_DECODE_REDIRECT:
		trials[0] = figures[FIGURE_TARGETS].trial;
		trials[0].size = searches[FIGURE_TARGETS].fits * 3 / 2;
		return fit->results[FIGURE_TARGETS].known &&
		       trials[0].size * trials[0].stride <=
			       searches[FIGURE_L1I].fits * figures[FIGURE_L1I].trial.stride;
	case FIGURE_L1I_LINE:
		trials[0].kernel = KERNEL_STRAIGHT;
		trials[0].size = 4 * searches[FIGURE_L1I].fits * figures[FIGURE_L1I].trial.stride;
		return searches[FIGURE_L1I].found;
	case FIGURE_TAKEN_BUBBLE:
		trials[0] = figures[FIGURE_TARGETS].trial;
		trials[0].size = searches[FIGURE_TARGETS].from;
		return fit->results[FIGURE_TARGETS].known && searches[FIGURE_FAST_TARGETS].found;
	default:
		return 0;
	}
}

/* Sets a figure to what is left of a trial's cycles, all of which it may be. */
static void set_rest(struct fit *fit, enum figure_id id, const struct trial *trial, double others)
{
	fit_set_known(fit, id, trial->cycles - others, trial->low - others, trial->high - others);
}

static void set_derived(struct fit *fit, enum figure_id id, const struct trial trials[TRIALS])
{
	const double store = fit->base->classes[CLASS_STORE].latency;
	const double branch = fit->base->classes[CLASS_BRANCH].latency;

	switch (id) {
	case FIGURE_FORWARD:
		set_rest(fit, id, &trials[0], store);
		break;
	case FIGURE_FORWARD_FAILED:
		if (trials[0].cycles < 1.1 * trials[1].cycles)
			fit_why_not(fit, id, "half of a load's data was forwarded, too");
		else
			set_rest(fit, id, &trials[0], store);
		break;
	case FIGURE_MISPREDICT: {
		/*
		 * Half of the branches are mispredicted; each of these issues a cycle after its
		 * dispatch. The other half takes what all take when they are the same.
		 */
		const double others = 1 + branch;
		const struct trial *random = &trials[BRANCHES_RANDOM];
		const struct trial *taken = &trials[BRANCHES_TAKEN];
		const struct trial *passed = &trials[BRANCHES_PASSED];

		fit_set_known(fit, id,
			      2 * random->cycles - (taken->cycles + passed->cycles) / 2 - others,
			      2 * random->low - (taken->high + passed->high) / 2 - others,
			      2 * random->high - (taken->low + passed->low) / 2 - others);
		break;
	}
	case FIGURE_L2_LATENCY:
		fit->cycles[id] = trials[0].cycles;
		set_rest(fit, id, &trials[0], fit->cycles[FIGURE_LOAD]);
		break;
	case FIGURE_LLC_LATENCY:
		fit->cycles[id] = trials[0].cycles;
		if (fit->results[FIGURE_L2_LATENCY].known)
			set_rest(fit, id, &trials[0], fit->cycles[FIGURE_L2_LATENCY]);
		break;
	case FIGURE_DRAM_LATENCY:
		set_rest(fit, id, &trials[1], trials[0].cycles);
		break;
	case FIGURE_PEER_LATENCY:
		if (fit->results[FIGURE_L2_LATENCY].known)
			set_rest(fit, id, &trials[0], fit->cycles[FIGURE_L2_LATENCY]);
		break;
	case FIGURE_MISSES: {
		const double latency = trials[1].cycles - fit->cycles[FIGURE_LOAD];

		fit_set_known(fit, id, latency / trials[0].cycles, latency / trials[0].high,
			      latency / trials[0].low);
		if (fit->results[id].known &&
		    fit->results[id].value > FIT_DISTINCT * fit->searches[FIGURE_LOADS].fits)
			fit_why_not(fit, id, "not told apart from the load queue");
		break;
	}
	case FIGURE_TLB_LATENCY:
		set_rest(fit, id, &trials[0], fit->searches[FIGURE_DTLB].least.cycles);
		break;
	case FIGURE_WALK_LATENCY:
		if (fit->results[FIGURE_L2_LATENCY].known)
			set_rest(fit, id, &trials[0],
				 fit->searches[FIGURE_TLB].least.cycles +
					 fit->results[FIGURE_L2_LATENCY].value);
		break;
	case FIGURE_TAKEN_BUBBLE:
		set_rest(fit, id, &trials[0],
			 fit_cycles_within(&fit->searches[FIGURE_FAST_TARGETS]));
		break;
	case FIGURE_DECODE_REDIRECT:
		set_rest(fit, id, &trials[0], fit->base->l1i.latency);
		break;
	case FIGURE_L1I_LINE:
		set_rest(fit, id, &trials[0], 0);
		break;
	default:
		break;
	}
	if (!fit->results[id].known && !*fit->results[id].why)
		fit_why_not(fit, id, "a figure that it is computed from is unknown");
}

int fit_derived(struct fit *fit)
{
	struct trial trials[TRIALS * FIGURE_COUNT];
	size_t count = 0;
	size_t first[FIGURE_COUNT], number[FIGURE_COUNT];
	int error;

	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		first[id] = count;
		number[id] = 0;
		if (!fit->needed[id] || figures[id].method != METHOD_DERIVED)
			continue;
		number[id] = derived_trials(fit, id, trials + count);
		count += number[id];
	}
	error = fit_measure(fit, trials, count);
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		bool measured = true;

		if (!fit->needed[id] || figures[id].method != METHOD_DERIVED)
			continue;
		for (size_t i = 0; i < number[id]; i++)
			measured = measured && !isnan(trials[first[id] + i].cycles);
		if (measured && number[id])
			set_derived(fit, id, trials + first[id]);
		else if (measured && id == FIGURE_DECODE_REDIRECT &&
			 fit->results[FIGURE_TARGETS].known)
			fit_why_not(fit, id, "not told apart from %s", figures[FIGURE_L1I].what);
		else if (measured)
			fit_why_not(fit, id, "a figure that it is computed from is unknown");
	}
	return error;
}
