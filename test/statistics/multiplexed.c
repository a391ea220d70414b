/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the intervals of multiplexed values hold the truth: programs whose rates of events are
 * known at each tick, counted by groups that take turns as Linux lets them, with the plan of a
 * Neoverse N3. Of each program and of all metrics, at least 90 % of the intervals must hold the
 * value that counting everything all the time would give; and they must not be so wide that they
 * say nothing: on average at most four times the error's own 95 %.
 *
 *     multiplexed [RUNS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <plumb/count.h>

#define TICK_NS    4000000u
#define EVENTS_MAX 256
#define SLICE      26 /* ticks: two turns of each of N3's 13 groups */

/* ---- Random numbers -------------------------------------------------------------------------- */

/* SplitMix64. */
static uint64_t state;

static uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double uniform(void)
{
	return ldexp((double)(draw() >> 11), -53);
}

/* Of mean 0 and variance 1: the sum of twelve uniform numbers, less their mean. */
static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* The rate of an event at a tick, in counts per tick; `phase` and `drift` belong to the run. */
struct moment {
	size_t tick, ticks;
	unsigned phase;
	double slow;  /* noise that changes slowly */
	double burst; /* 1 during one */
};

typedef double rate(const struct moment *m, size_t event);

/* Each event has its own level, and its own reaction to a phase. */
static double level(size_t event, unsigned phase)
{
	const uint64_t hash = (event + 1) * 0x9e3779b97f4a7c15u ^ (phase + 1) * 0xbf58476d1ce4e5b9u;

	return 1e5 * (1 + (double)((hash ^ hash >> 29) * 0x94d049bb133111ebu >> 40 & 1023) / 128);
}

static double steady(const struct moment *m, size_t event)
{
	(void)m;
	return level(event, 0) * fmax(0, 1 + 0.1 * normal());
}

static double slowly(const struct moment *m, size_t event)
{
	return level(event, 0) * fmax(0, 1 + m->slow * (event % 3 ? 1 : -0.5) + 0.02 * normal());
}

static double phases(const struct moment *m, size_t event)
{
	return level(event, m->phase % 3) * fmax(0, 1 + 0.05 * normal());
}

static double ramp(const struct moment *m, size_t event)
{
	const double part = (double)m->tick / (double)m->ticks;

	return (level(event, 0) * (1 - part) + level(event, 1) * part) *
	       fmax(0, 1 + 0.05 * normal());
}

static double bursts(const struct moment *m, size_t event)
{
	return (m->burst > 0 ? level(event, 2) * 3 : level(event, 0)) *
	       fmax(0, 1 + 0.05 * normal());
}

static double periodic(const struct moment *m, size_t event)
{
	return level(event, 0) *
	       (1 + 0.5 * sin(2 * M_PI * (double)m->tick / 9.37 + (double)(event % 5))) *
	       fmax(0, 1 + 0.05 * normal());
}

static const struct program {
	const char *name;
	rate *rate;
} programs[] = {
	{"steady, with noise", steady},
	{"noise that changes slowly", slowly},
	{"phases of half a second", phases},
	{"a ramp", ramp},
	{"bursts in a tenth of the time", bursts},
	{"a period of 37 ms", periodic},
};

/* ---- Counting -------------------------------------------------------------------------------- */

struct trial {
	struct plumb_plan *plan;
	struct plumb_count *true_counts, *counts, *slice;
	double rates[EVENTS_MAX];
};

static void add(struct plumb_count *to, double raw, bool running)
{
	to->enabled_ns += TICK_NS;
	if (!running)
		return;
	to->running_ns += TICK_NS;
	to->count += raw;
}

/* Scales a count as the kernel's reader does. */
static struct plumb_count scaled(struct plumb_count raw)
{
	if (!raw.running_ns)
		raw.count = NAN;
	else
		raw.count *= (double)raw.enabled_ns / (double)raw.running_ns;
	return raw;
}

static void end_slice(const struct trial *t, struct plumb_result *result)
{
	for (size_t i = 0; i < t->plan->place_count; i++)
		t->slice[i] = scaled(t->slice[i]);
	if (plumb_result_add_slice(result, t->slice) < 0)
		abort();
	for (size_t i = 0; i < t->plan->place_count; i++)
		t->slice[i] = (struct plumb_count){0, 0, 0};
}

static void count_tick(struct trial *t, uint16_t running)
{
	for (uint16_t g = 0; g < t->plan->group_count; g++) {
		for (uint16_t i = 0; i < t->plan->groups[g].count; i++) {
			const size_t place = t->plan->groups[g].first + i;
			const double count = t->rates[t->plan->groups[g].events[i]];

			add(&t->true_counts[place], count, true);
			add(&t->counts[place], count, g == running);
			add(&t->slice[place], count, g == running);
		}
	}
}

/* Counts a program once, into the result of multiplexing and the true one. */
static void run(struct trial *t, const struct program *program, size_t ticks,
		struct plumb_result *result, struct plumb_result *truth)
{
	struct moment m = {.ticks = ticks};
	size_t turn = draw() % t->plan->group_count, left = 0;

	for (size_t i = 0; i < t->plan->place_count; i++)
		t->true_counts[i] = t->counts[i] = t->slice[i] = (struct plumb_count){0, 0, 0};
	for (m.tick = 0; m.tick < ticks; m.tick++) {
		if (!left--) {
			m.phase++;
			left = 60 + draw() % 130;
		}
		m.slow = 0.95 * m.slow + 0.06 * normal();
		m.burst = m.burst > 0 ? m.burst - 1 : uniform() < 0.01 ? 10 : 0;
		for (uint16_t e = 0; e < t->plan->event_count; e++)
			t->rates[e] = program->rate(&m, e);
		count_tick(t, (uint16_t)(turn++ % t->plan->group_count));
		if ((m.tick + 1) % SLICE == 0)
			end_slice(t, result);
	}
	for (size_t i = 0; i < t->plan->place_count; i++)
		t->counts[i] = scaled(t->counts[i]);
	plumb_result_add(result, t->counts, true);
	plumb_result_add(truth, t->true_counts, true);
	if (plumb_result_estimate(result) < 0)
		abort();
}

/* ---- Judging --------------------------------------------------------------------------------- */

struct score {
	size_t intervals, held, missing;
	double relative; /* sum over metrics of width by the error's own, for the mean */
	size_t metrics;
};

static void judge(struct trial *t, const struct program *program, unsigned runs, size_t ticks,
		  struct score *score)
{
	const size_t metrics = t->plan->selection->metric_count;
	double *squares = calloc(metrics + 1, sizeof(double));
	double *widths = calloc(metrics + 1, sizeof(double));

	for (unsigned i = 0; i < runs; i++) {
		struct plumb_result *result, *truth;

		if (!squares || !widths || plumb_result_new(t->plan, &result) < 0 ||
		    plumb_result_new(t->plan, &truth) < 0)
			abort();
		run(t, program, ticks, result, truth);
		for (size_t m = 0; m < metrics; m++) {
			static const struct plumb_interval none = {NAN, NAN};
			const struct plumb_interval *interval =
				result->value_intervals ? &result->value_intervals[m] : &none;
			const double value = truth->values[m].value;
			const double error = result->values[m].value - value;

			if (isnan(value))
				continue;
			score->missing += isnan(interval->low);
			if (isnan(interval->low))
				continue;
			score->intervals++;
			score->held += value >= interval->low && value <= interval->high;
			squares[m] += error * error / runs;
			widths[m] += (interval->high - interval->low) / 2 / runs;
		}
		plumb_result_free(result);
		plumb_result_free(truth);
	}
	for (size_t m = 0; m < metrics; m++) {
		if (!(squares[m] > 0))
			continue;
		score->relative += widths[m] / (1.96 * sqrt(squares[m]));
		score->metrics++;
	}
	free(squares);
	free(widths);
}

int main(int count, char **arguments)
{
	const unsigned runs = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 100;
	const struct plumb_plan_options how = {
		.size = sizeof(how), .counters = 6, .cycle_counter = true};
	const struct plumb_request request = {.size = sizeof(request), .stages = ~0u & ~1u};
	static const size_t lengths[] = {280, 2800}; /* 1.1 and 11 seconds */
	struct plumb_selection *selection;
	const struct plumb_spec *spec;
	struct trial t;
	unsigned number = 0;
	bool failed = false;

	if (plumb_spec_find("neoverse-n3", &spec, NULL) < 0 ||
	    plumb_selection_new(spec, &request, &selection) < 0 ||
	    plumb_plan_new(selection, &how, &t.plan, NULL) < 0 || t.plan->event_count > EVENTS_MAX)
		return 1;
	t.true_counts = calloc(t.plan->place_count, sizeof(struct plumb_count));
	t.counts = calloc(t.plan->place_count, sizeof(struct plumb_count));
	t.slice = calloc(t.plan->place_count, sizeof(struct plumb_count));
	for (size_t p = 0; p < sizeof(programs) / sizeof(*programs); p++) {
		for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++) {
			struct score s = {0};
			double held, width;
			bool right;

			state = 1 + 16 * p + l;
			judge(&t, &programs[p], runs, lengths[l], &s);
			held = 100.0 * (double)s.held / (double)s.intervals;
			width = s.relative / (double)s.metrics;
			right = s.missing == 0 && held >= 90 && width <= 4;
			failed |= !right;
			printf("%sok %u - %s, %.1f s: %.1f %% of %zu intervals hold the truth; "
			       "%.2f times as wide as the errors\n",
			       right ? "" : "not ", ++number, programs[p].name,
			       1e-9 * TICK_NS * (double)lengths[l], held, s.intervals, width);
		}
	}
	printf("1..%u\n", number);
	free(t.true_counts);
	free(t.counts);
	free(t.slice);
	plumb_plan_free(t.plan);
	plumb_selection_free(selection);
	return failed;
}
