/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains give latencies at once. A size is where an iteration begins to take longer: each round
 * measures some sizes between the largest that fits and the smallest that does not. The rest is
 * computed from these, with further trials at sizes that they tell.
 */
#include "calibrate/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS        6 /* sizes measured in a round */
#define ROUNDS_MAX    12
#define EXACT_BELOW   64 /* smaller sizes are found to the unit, larger ones to within: */
#define PRECISION     0.012
#define EARLIER       0.03 /* a size may be smaller than the last that fits by this share */
#define STEP_LEAST    1.06 /* the rise from the least size to the most, at least */
#define KNOWN_WIDTH   0.2  /* an interval wider than this share of the figure is not known */
#define LINES_IN_PAGE 64
#define LINE_BYTES    64
#define DISTINCT      0.95 /* a limit is known only if it is this share of others, at most */

struct search {
	enum figure_id id;
	struct trial least, most;
	uint32_t fits, exceeds; /* sizes: the largest that does, the smallest that does */
	double threshold;
	bool active, found;
	uint32_t fits_again; /* the largest that fits although a smaller one does not; or 0 */
};

struct fit {
	struct bench *bench;
	const struct core_params *base;
	struct calibrated *results;
	struct plumb_diagnostics *diagnostics;
	bool needed[FIGURE_COUNT];
	double cycles[FIGURE_COUNT]; /* of latencies, not rounded */
	struct search searches[FIGURE_COUNT];
};

static void why_not(struct fit *fit, enum figure_id id, const char *format, ...) PLUMB_PRINTF(3, 4);

static void why_not(struct fit *fit, enum figure_id id, const char *format, ...)
{
	struct calibrated *result = &fit->results[id];
	va_list args;

	va_start(args, format);
	vsnprintf(result->why, sizeof(result->why), format, args);
	va_end(args);
	result->known = false;
}

static void set_known(struct fit *fit, enum figure_id id, double value, double low, double high)
{
	struct calibrated *result = &fit->results[id];

	if (!(value >= 0.5) && !(value > -0.5 && low > -0.5)) {
		why_not(fit, id, "no difference was measured");
		return;
	}
	result->value = (uint32_t)lround(fmax(value, 0));
	result->low = (uint32_t)lround(fmax(fmin(low, value), 0));
	result->high = (uint32_t)lround(fmax(fmax(high, value), 0));
	result->known = result->high - result->low <= fmax(1, KNOWN_WIDTH * result->value);
	if (!result->known)
		why_not(fit, id, "measured only as %u to %u", result->low, result->high);
}

static int measure(struct fit *fit, struct trial *trials, size_t count)
{
	return count ? fit->bench->measure(fit->bench, trials, count, fit->diagnostics) : 0;
}

/* ---- latencies ---------------------------------------------------------------------------- */

static void set_latency(struct fit *fit, enum figure_id id, const struct trial *chain,
			const struct trial *stream)
{
	if (isnan(chain->cycles) || isnan(stream->cycles))
		return;
	fit->cycles[id] = chain->cycles;
	if (stream->cycles > 0.97 * chain->cycles)
		why_not(fit, id, "independent ones take as long: %.1f cycles", stream->cycles);
	else if (fabs(chain->cycles - round(chain->cycles)) > 0.2)
		why_not(fit, id, "takes %.2f cycles, not a whole number", chain->cycles);
	else
		set_known(fit, id, chain->cycles, chain->low, chain->high);
}

static int fit_latencies(struct fit *fit)
{
	struct trial trials[2 * FIGURE_COUNT];
	enum figure_id ids[FIGURE_COUNT];
	size_t count = 0;
	int error;

	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		if (!fit->needed[id] || figures[id].method != METHOD_LATENCY)
			continue;
		ids[count / 2] = id;
		trials[count++] = figures[id].trial;
		trials[count] = figures[id].trial;
		trials[count++].kernel = KERNEL_STREAM;
	}
	error = measure(fit, trials, count);
	for (size_t i = 0; i < count; i += 2)
		set_latency(fit, ids[i / 2], &trials[i], &trials[i + 1]);
	return error;
}

/* ---- sizes -------------------------------------------------------------------------------- */

/* Sizes in bytes are measured in lines. */
static uint32_t unit_of(enum figure_id id)
{
	enum kernel kernel = figures[id].trial.kernel;

	return kernel == KERNEL_CHASE || kernel == KERNEL_STRAIGHT ? 64 : 1;
}

static bool is_exact(const struct search *search)
{
	uint32_t unit = unit_of(search->id), gap = search->exceeds - search->fits;

	if (gap <= unit)
		return true;
	return search->fits / unit >= EXACT_BELOW && gap <= PRECISION * search->fits;
}

/*
 * Returns the cycles above which an iteration of this size is longer. Between misses, each filler
 * takes its time whether misses overlap or not, but takes less while the window is not full; two
 * misses that do not overlap take twice as long as two that do.
 */
static double threshold_at(const struct search *search, uint32_t size)
{
	double low = search->least.cycles, fillers;

	if (search->least.kernel != KERNEL_WINDOW)
		return search->threshold;
	fillers = (search->most.cycles - 2 * low) / (2.0 * search->most.size);
	return 1.5 * low + fmax(fillers, 0) * (double)size;
}

static void begin_search(struct search *search)
{
	const struct figure *figure = &figures[search->id];
	double low = search->least.cycles, high = search->most.cycles;

	if (isnan(low) || isnan(high))
		return;
	search->threshold =
		figure->rise < 0 ? low - figure->rise * (high - low) : low * (1 + figure->rise);
	search->fits = figure->least;
	search->exceeds = figure->most;
	search->active = search->found = high > threshold_at(search, figure->most) &&
					 high > low * STEP_LEAST &&
					 search->most.low > search->least.high;
}

/* Adds the sizes of a round, in ascending order. Returns their number. */
static size_t choose_sizes(const struct search *search, struct trial *trials)
{
	const uint32_t unit = unit_of(search->id);
	uint32_t last = search->fits;
	size_t count = 0;

	for (unsigned i = 1; i <= POINTS; i++) {
		double size = search->fits *
			      pow((double)search->exceeds / search->fits, (double)i / (POINTS + 1));
		uint32_t whole = (uint32_t)(size / unit + 0.5) * unit;

		/* Small ones are rounded to the same. */
		if (whole <= last)
			whole = last + unit;
		if (whole >= search->exceeds)
			break;
		trials[count] = figures[search->id].trial;
		trials[count++].size = last = whole;
	}
	return count;
}

static void narrow(struct search *search, const struct trial *trials, size_t count)
{
	bool exceeded = false;

	for (size_t i = 0; i < count; i++) {
		if (isnan(trials[i].cycles)) {
			search->active = false; /* what is known stays */
			return;
		}
	}
	for (size_t i = 0; i < count; i++) {
		bool exceeds = trials[i].cycles > threshold_at(search, trials[i].size);

		if (exceeds && !exceeded) {
			search->exceeds = trials[i].size;
			exceeded = true;
		} else if (!exceeds && !exceeded) {
			search->fits = trials[i].size;
		} else if (!exceeds) {
			search->fits_again = trials[i].size > search->fits_again
						     ? trials[i].size
						     : search->fits_again;
		}
	}
	search->active = !is_exact(search);
}

static int search_round(struct fit *fit)
{
	struct trial *trials = calloc((size_t)FIGURE_COUNT * POINTS, sizeof(*trials));
	size_t first[FIGURE_COUNT], number[FIGURE_COUNT], count = 0;
	int error;

	if (!trials)
		return PLUMB_ERR_NO_MEMORY;
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		first[id] = count;
		number[id] = fit->searches[id].active
				     ? choose_sizes(&fit->searches[id], trials + count)
				     : 0;
		count += number[id];
	}
	error = measure(fit, trials, count);
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++)
		if (number[id])
			narrow(&fit->searches[id], trials + first[id], number[id]);
	free(trials);
	return error;
}

static bool any_active(const struct fit *fit)
{
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++)
		if (fit->searches[id].active)
			return true;
	return false;
}

/* Returns the roundest number from `low` to `high`: caches have round sizes. */
static uint32_t roundest(uint32_t low, uint32_t high)
{
	for (uint32_t unit = 1u << 30; unit > 1; unit /= 2)
		if (high / unit * unit >= low && high / unit)
			return high / unit * unit;
	return low;
}

/* Returns the size that ends a search earlier, or FIGURE_NONE. */
static enum figure_id limit_of(const struct fit *fit, enum figure_id id)
{
	const struct figure *figure = &figures[id];
	double size = fit->searches[id].fits;

	for (unsigned i = 0; i < FIGURE_NEEDS && figure->needs[i]; i++) {
		const struct search *other = &fit->searches[figure->needs[i]];

		if (figures[figure->needs[i]].trial.kernel != figure->trial.kernel)
			continue; /* a size of another kind */
		if (!other->found || size > DISTINCT * other->fits)
			return figure->needs[i];
	}
	return FIGURE_NONE;
}

/*
 * Returns whether the lines of a chase through so many pages may not all be in L2. They use some of
 * its sets only, and physical pages spread over these at random, so some sets fill up early.
 */
static bool exceeds_l2(const struct fit *fit, uint32_t pages)
{
	const double used = figures[FIGURE_TLB].trial.stride / (double)LINES_IN_PAGE;
	const struct search *l2 = &fit->searches[FIGURE_L2];

	return !l2->found || pages > 0.5 * used * l2->fits / LINE_BYTES;
}

static void set_size(struct fit *fit, enum figure_id id)
{
	const struct search *search = &fit->searches[id];
	const struct figure *figure = &figures[id];
	enum figure_id limit = limit_of(fit, id);
	uint32_t last = search->exceeds - 1; /* the largest that may fit */

	if (isnan(search->least.cycles) || isnan(search->most.cycles))
		return;
	if (search->fits_again > last)
		last = search->fits_again;
	if (!search->found) {
		why_not(fit, id, "no step between %u and %u", figure->least, figure->most);
	} else if (limit) {
		why_not(fit, id, "not told apart from %s", figures[limit].what);
	} else if (id == FIGURE_TLB && exceeds_l2(fit, search->fits * 5 / 4)) {
		why_not(fit, id, "not told apart from L2 cache");
	} else if (unit_of(id) > 1 || search->fits > EXACT_BELOW * 4) {
		/* The first ones too many evict a few others before the threshold is reached. */
		uint32_t low = (uint32_t)(search->fits * (1 - EARLIER));

		set_known(fit, id, roundest(low, last), low, last);
	} else {
		set_known(fit, id, (double)search->fits + figure->offset,
			  (double)search->fits + figure->offset, (double)last + figure->offset);
	}
}

static int measure_ends(struct fit *fit)
{
	struct trial trials[2 * FIGURE_COUNT];
	size_t count = 0, next = 0;
	int error;

	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		if (!fit->needed[id] || figures[id].method != METHOD_SIZE)
			continue;
		trials[count] = figures[id].trial;
		trials[count++].size = figures[id].least;
		trials[count] = figures[id].trial;
		trials[count++].size = figures[id].most;
	}
	error = measure(fit, trials, count);
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		struct search *search = &fit->searches[id];

		if (!fit->needed[id] || figures[id].method != METHOD_SIZE)
			continue;
		search->id = id;
		search->least = trials[next++];
		search->most = trials[next++];
		begin_search(search);
	}
	return error;
}

static int fit_sizes(struct fit *fit)
{
	int error = measure_ends(fit);

	for (unsigned round = 0; error == 0 && round < ROUNDS_MAX && any_active(fit); round++)
		error = search_round(fit);
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++)
		if (fit->needed[id] && figures[id].method == METHOD_SIZE)
			set_size(fit, id);
	return error;
}

/* ---- what is computed from these ----------------------------------------------------------- */

/* Trials of one derived figure, with their sizes. Returns their number. */
static size_t derived_trials(const struct fit *fit, enum figure_id id, struct trial trials[2])
{
	const struct search *searches = fit->searches;

	trials[0] = trials[1] = (struct trial){0};
	switch (id) {
	case FIGURE_FORWARD:
		trials[0].kernel = KERNEL_FORWARD;
		return 1;
	case FIGURE_FORWARD_FAILED:
		trials[0].kernel = KERNEL_HALVES;
		trials[1].kernel = KERNEL_FORWARD;
		return 2;
	case FIGURE_MISPREDICT:
		trials[0].kernel = trials[1].kernel = KERNEL_BRANCHES;
		trials[0].size = 1;
		return 2;
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
		return searches[FIGURE_TARGETS].found;
	case FIGURE_TAKEN_BUBBLE:
		trials[0] = figures[FIGURE_FAST_TARGETS].trial;
		trials[0].size = searches[FIGURE_FAST_TARGETS].fits * 5 / 3;
		return searches[FIGURE_FAST_TARGETS].found;
	default:
		return 0;
	}
}

/* Sets a figure to what is left of a trial's cycles, all of which it may be. */
static void set_rest(struct fit *fit, enum figure_id id, const struct trial *trial, double others)
{
	set_known(fit, id, trial->cycles - others, trial->low - others, trial->high - others);
}

static void set_derived(struct fit *fit, enum figure_id id, const struct trial trials[2])
{
	const double store = fit->base->classes[CLASS_STORE].latency;
	const double branch = fit->base->classes[CLASS_BRANCH].latency;
	const struct search *search;

	switch (id) {
	case FIGURE_FORWARD:
		set_rest(fit, id, &trials[0], store);
		break;
	case FIGURE_FORWARD_FAILED:
		if (trials[0].cycles < 1.1 * trials[1].cycles)
			why_not(fit, id, "half of a load's data was forwarded, too");
		else
			set_rest(fit, id, &trials[0], store);
		break;
	case FIGURE_MISPREDICT: {
		/* Half of the branches are mispredicted; each issues a cycle after its dispatch. */
		const double others = 1 + branch;
		const struct trial *steady = &trials[1];

		set_known(fit, id, 2 * (trials[0].cycles - steady->cycles) - others,
			  2 * (trials[0].low - steady->high) - others,
			  2 * (trials[0].high - steady->low) - others);
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

		set_known(fit, id, latency / trials[0].cycles, latency / trials[0].high,
			  latency / trials[0].low);
		if (fit->results[id].known &&
		    fit->results[id].value > DISTINCT * fit->searches[FIGURE_LOADS].fits)
			why_not(fit, id, "not told apart from the load queue");
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
		set_rest(fit, id, &trials[0], fit->searches[FIGURE_FAST_TARGETS].least.cycles);
		break;
	case FIGURE_DECODE_REDIRECT:
		set_rest(fit, id, &trials[0], fit->base->l1i.latency);
		break;
	case FIGURE_L1I_LINE:
		search = &fit->searches[FIGURE_L1I];
		if (search->found)
			set_rest(fit, id, &search->most, 0);
		break;
	default:
		break;
	}
	if (!fit->results[id].known && !*fit->results[id].why)
		why_not(fit, id, "a figure that it is computed from is unknown");
}

static int fit_derived(struct fit *fit)
{
	struct trial trials[2 * FIGURE_COUNT];
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
	error = measure(fit, trials, count);
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		bool measured = true;

		if (!fit->needed[id] || figures[id].method != METHOD_DERIVED)
			continue;
		for (size_t i = 0; i < number[id]; i++)
			measured = measured && !isnan(trials[first[id] + i].cycles);
		if (measured && (number[id] || id == FIGURE_L1I_LINE))
			set_derived(fit, id, trials + first[id]);
		else if (measured)
			why_not(fit, id, "a figure that it is computed from is unknown");
	}
	return error;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void need(struct fit *fit, enum figure_id id)
{
	if (fit->needed[id])
		return;
	fit->needed[id] = true;
	for (unsigned i = 0; i < FIGURE_NEEDS && figures[id].needs[i]; i++)
		need(fit, figures[id].needs[i]);
}

int calibrate_fit(struct bench *bench, const struct core_params *base,
		  struct calibrated results[FIGURE_COUNT], struct plumb_diagnostics *diagnostics)
{
	struct fit *fit = calloc(1, sizeof(*fit));
	int error;

	if (!fit)
		return PLUMB_ERR_NO_MEMORY;
	fit->bench = bench;
	fit->base = base;
	fit->results = results;
	fit->diagnostics = diagnostics;
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		fit->cycles[id] = fit->searches[id].least.cycles = NAN;
		fit->searches[id].most.cycles = NAN;
		if (results[id].asked)
			need(fit, id);
	}
	error = fit_latencies(fit);
	if (error == 0)
		error = fit_sizes(fit);
	if (error == 0)
		error = fit_derived(fit);
	free(fit);
	return error;
}
