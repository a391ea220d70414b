/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains give latencies at once. A size is where an iteration begins to take longer: each round
 * measures some sizes between the largest that fits and the smallest that does not.
 */
#include "calibrate/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fitting.h"

#define POINTS        6 /* sizes measured in a round */
#define ROUNDS_MAX    12
#define EXACT_BELOW   64 /* smaller sizes are found to the unit, larger ones to within: */
#define PRECISION     0.012
#define EARLIER       0.03 /* a size may be smaller than the last that fits by this share, */
#define EARLIER_CODE  0.06 /* that of an instruction cache by this one */
#define STEP_LEAST    1.06 /* the rise from the least size to the most, at least */
#define KNOWN_WIDTH   0.2  /* an interval wider than this share of the figure is not known */
#define LINES_IN_PAGE 64
#define LINE_BYTES    64

void fit_why_not(struct fit *fit, enum figure_id id, const char *format, ...)
{
	struct calibrated *result = &fit->results[id];
	va_list args;

	va_start(args, format);
	vsnprintf(result->why, sizeof(result->why), format, args);
	va_end(args);
	result->known = false;
}

void fit_set_known(struct fit *fit, enum figure_id id, double value, double low, double high)
{
	struct calibrated *result = &fit->results[id];

	if (!(value >= 0.5) && !(value > -0.5 && low > -0.5)) {
		fit_why_not(fit, id, "no difference was measured");
		return;
	}
	result->value = (uint32_t)lround(fmax(value, 0));
	result->low = (uint32_t)lround(fmax(fmin(low, value), 0));
	result->high = (uint32_t)lround(fmax(fmax(high, value), 0));
	result->known = result->high - result->low <= fmax(1, KNOWN_WIDTH * result->value);
	if (!result->known)
		fit_why_not(fit, id, "measured only as %u to %u", result->low, result->high);
}

int fit_measure(struct fit *fit, struct trial *trials, size_t count)
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
		fit_why_not(fit, id, "independent ones take as long: %.1f cycles", stream->cycles);
	else if (fabs(chain->cycles - round(chain->cycles)) > 0.2)
		fit_why_not(fit, id, "takes %.2f cycles, not a whole number", chain->cycles);
	else
		fit_set_known(fit, id, chain->cycles, chain->low, chain->high);
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
	error = fit_measure(fit, trials, count);
	for (size_t i = 0; i < count; i += 2)
		set_latency(fit, ids[i / 2], &trials[i], &trials[i + 1]);
	return error;
}

/* ---- sizes -------------------------------------------------------------------------------- */

/* Sizes in bytes are measured in lines. */
static uint32_t unit_of(enum figure_id id)
{
	enum kernel kernel = figures[id].trial.kernel;

	return kernel == KERNEL_CHASE ? 64 : 1;
}

/* Returns the smaller of two structures that jumps see one after the other, or FIGURE_NONE. */
static enum figure_id smaller_of(enum figure_id id)
{
	return id == FIGURE_TARGETS ? FIGURE_FAST_TARGETS : FIGURE_NONE;
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

/* Returns the cycles of a size that fits. A few jumps may be followed two per cycle. */
double fit_cycles_within(const struct search *search)
{
	double low = search->least.cycles;

	return search->least.kernel == KERNEL_JUMPS ? fmax(low, 1) : low;
}

static void begin_search(struct search *search)
{
	const struct figure *figure = &figures[search->id];
	double low, high = search->most.cycles;

	if (isnan(search->least.cycles) || isnan(high))
		return;
	low = fit_cycles_within(search);
	search->threshold =
		figure->rise < 0 ? low - figure->rise * (high - low) : low * (1 + figure->rise);
	search->fits = search->from;
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
		trials[count] = search->least;
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
	error = fit_measure(fit, trials, count);
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
		const struct trial *limit = &figures[figure->needs[i]].trial;
		double own = size, limiting = other->fits;

		if (limit->kernel != figure->trial.kernel)
			continue;                    /* a size of another kind */
		if (limit->kernel == KERNEL_JUMPS) { /* in bytes of code */
			own *= figure->trial.stride;
			limiting *= limit->stride;
		}
		if (!other->found || own > FIT_DISTINCT * limiting)
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

/* Returns whether so many calls and their returns may exceed the fast target buffer's sets. */
static bool exceeds_targets(const struct fit *fit, uint32_t calls)
{
	const struct search *targets = &fit->searches[FIGURE_FAST_TARGETS];

	return targets->found && 2 * calls > 0.75 * targets->fits;
}

static void set_size(struct fit *fit, enum figure_id id)
{
	const struct search *search = &fit->searches[id];
	const struct figure *figure = &figures[id];
	enum figure_id limit = limit_of(fit, id);
	const uint32_t scale = (uint32_t)figure->scale;
	uint32_t last = search->exceeds * scale - 1; /* the largest that may fit */

	if (isnan(search->least.cycles) || isnan(search->most.cycles))
		return;
	if (search->fits_again * scale > last)
		last = search->fits_again * scale;
	if (!search->found) {
		fit_why_not(fit, id, "no step between %u and %u", search->from * scale,
			    figure->most * scale);
	} else if (limit) {
		fit_why_not(fit, id, "not told apart from %s", figures[limit].what);
	} else if (id == FIGURE_TLB && exceeds_l2(fit, search->fits * 5 / 4)) {
		fit_why_not(fit, id, "not told apart from L2 cache");
	} else if (id == FIGURE_RETURNS && exceeds_targets(fit, search->fits)) {
		fit_why_not(fit, id, "not told apart from %s", figures[FIGURE_FAST_TARGETS].what);
	} else if (unit_of(id) * scale > 1 || search->fits > EXACT_BELOW * 4) {
		/* The first ones too many evict a few others before the threshold is reached. */
		double earlier = id == FIGURE_L1I ? EARLIER_CODE : EARLIER;
		uint32_t low = (uint32_t)(search->fits * scale * (1 - earlier));

		fit_set_known(fit, id, roundest(low, last), low, last);
	} else {
		const double offset =
			figure->offset + (id == FIGURE_REORDER ? search->least.gap : 0);

		fit_set_known(fit, id, search->fits + offset, search->fits + offset, last + offset);
	}
}

/*
 * Where each pipeline has a queue, what was measured is the sum of all that the operations fill:
 * those of other figures are taken off, and the rest is divided.
 */
static void divide_queues(struct fit *fit, enum figure_id id, const struct figure_queues *queues)
{
	const struct calibrated *other = &fit->results[queues->other];
	const struct calibrated sum = fit->results[id];
	double others[3] = {0}; /* as found, the most, the least */

	if (!sum.known || (queues->own == 1 && !queues->other_count))
		return;
	if (queues->other_count) {
		if (queues->other == FIGURE_NONE || !other->known) {
			fit_why_not(fit, id, "not told apart from queues of other pipelines");
			return;
		}
		others[0] = queues->other_count * (double)other->value;
		others[1] = queues->other_count * (double)other->high;
		others[2] = queues->other_count * (double)other->low;
	}
	fit_set_known(fit, id, (sum.value - others[0]) / queues->own,
		      (sum.low - others[1]) / queues->own, (sum.high - others[2]) / queues->own);
}

static void set_queues(struct fit *fit)
{
	/* First those that depend on no other. */
	for (int dependent = 0; dependent < 2; dependent++) {
		for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
			const struct figure_queues queues = figure_queues(id, fit->base);

			if (fit->needed[id] && queues.own &&
			    (queues.other != FIGURE_NONE) == dependent)
				divide_queues(fit, id, &queues);
		}
	}
}

/* Returns whether a size is to be measured now: `second`, those beyond a smaller one's. */
static bool has_turn(const struct fit *fit, enum figure_id id, bool second)
{
	return fit->needed[id] && figures[id].method == METHOD_SIZE &&
	       (smaller_of(id) != FIGURE_NONE) == second;
}

/* Returns the first size of a search: the smaller structure misses all the time. */
static uint32_t first_size(const struct fit *fit, enum figure_id id)
{
	const struct search *smaller = &fit->searches[smaller_of(id)];
	uint32_t from = smaller->found ? smaller->fits * 3 / 2 : 0;

	if (from < figures[id].least)
		from = figures[id].least;
	return from < figures[id].most ? from : figures[id].most;
}

static struct trial sized_trial(const struct fit *fit, enum figure_id id)
{
	struct trial trial = figures[id].trial;

	if (trial.kernel == KERNEL_WINDOW)
		trial.gap = fit->base->rename_group - 1u;
	return trial;
}

static int measure_ends(struct fit *fit, bool second)
{
	struct trial trials[2 * FIGURE_COUNT];
	size_t count = 0, next = 0;
	int error;

	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		if (!has_turn(fit, id, second))
			continue;
		trials[count] = sized_trial(fit, id);
		trials[count++].size = fit->searches[id].from = first_size(fit, id);
		trials[count] = sized_trial(fit, id);
		trials[count++].size = figures[id].most;
	}
	error = fit_measure(fit, trials, count);
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		struct search *search = &fit->searches[id];

		if (!has_turn(fit, id, second))
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
	int error = 0;

	for (int second = 0; error == 0 && second < 2; second++) {
		error = measure_ends(fit, second);
		for (unsigned round = 0; error == 0 && round < ROUNDS_MAX && any_active(fit);
		     round++)
			error = search_round(fit);
	}
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++)
		if (fit->needed[id] && figures[id].method == METHOD_SIZE)
			set_size(fit, id);
	set_queues(fit);
	return error;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void need(struct fit *fit, enum figure_id id)
{
	if (fit->needed[id])
		return;
	fit->needed[id] = true;
	if (smaller_of(id))
		need(fit, smaller_of(id));
	if (figure_queues(id, fit->base).other)
		need(fit, figure_queues(id, fit->base).other);
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
