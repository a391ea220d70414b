/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of samples that are made here. Their estimates must equal those of whole tallies, to
 * which every sample is added for every row. test/interop/report_vs_perf.py compares with perf.
 */
#include "profile_fixture.h"

#define PLACES 5

struct wanted {
	struct tally own, children, latency, misses, mispredictions;
};

/* Adds one sample to the whole tallies of all places. `spe` may be NULL. */
static void add_whole(struct wanted *wanted, const bool *below, uint64_t place, double period,
		      const struct plumb_spe_record *spe)
{
	const bool timed = spe && spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY;
	const bool branch = spe && spe->op_class == PLUMB_SPE_BRANCH && spe->events & 1 << 1;
	const bool accessed = spe && spe->events & (1 << 2);

	for (uint64_t i = 0; i < PLACES; i++) {
		const bool mine = i == place;

		tally_add(&wanted[i].own, mine ? period : 0, period);
		tally_add(&wanted[i].children, mine || below[i] ? period : 0, period);
		tally_add(&wanted[i].latency, mine && timed ? spe->counters[0] : 0, mine && timed);
		tally_add(&wanted[i].misses, mine && accessed && spe->events & 1 << 3,
			  mine && accessed);
		tally_add(&wanted[i].mispredictions, mine && branch && spe->events & 1 << 7,
			  mine && branch);
	}
}

/* Makes a record that is a branch, or an access that may miss. */
static void make_spe(struct fixture *f, uint64_t place)
{
	const bool branch = chance(f, 3) == 0;

	f->spe = (struct plumb_spe_record){
		.has = PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION,
		.op_class = branch ? PLUMB_SPE_BRANCH : PLUMB_SPE_LOAD_STORE,
		.counters = {(uint16_t)(5 + chance(f, 40) * (place + 1))},
	};
	if (chance(f, 4))
		f->spe.has |= PLUMB_SPE_HAS_TOTAL_LATENCY;
	f->spe.events = branch ? chance(f, 2) << 7 | chance(f, 2) << 1 : 1 << 2 | chance(f, 2) << 3;
}

static uint64_t place_of(const struct plumb_profile *profile, size_t row)
{
	char room[PLUMB_PROFILE_TEXT];

	return strtoull(plumb_profile_text(profile, 0, row, 0, room), NULL, 16) / 16 - 1;
}

/* Adds samples with phases, of several lanes in turn, and compares the estimates of every row. */
static void compare_estimates(bool spe)
{
	struct plumb_profile_options options = plain;
	static struct wanted wanted[LANES][PLACES];
	/* Without AUX data, the recording does not say how far apart samples are. */
	const struct sampling sampling = {0};
	struct plumb_profile_row row;
	size_t rows = 0;
	struct fixture f;

	memset(wanted, 0, sizeof(wanted));
	options.children = true;
	begin(&f, &options);
	for (int i = 0; i < 3000; i++) {
		const uint32_t lane = (uint32_t)chance(&f, LANES);
		const uint64_t place = chance(&f, i / 500 % 2 ? 2 : PLACES);
		const uint64_t period = spe ? 1 : chance(&f, 1000);
		const size_t callers = spe ? 0 : chance(&f, 4);
		bool below[PLACES] = {false};

		make_spe(&f, place);
		for (size_t c = 0; c < callers; c++) {
			const uint64_t caller = chance(&f, PLACES);

			f.chain[c] = 16 * (caller + 1);
			below[caller] = true;
		}
		add(&f, &events[spe ? 0 : 1], 16 * (place + 1), period, lane, callers);
		add_whole(wanted[lane], below, place, (double)period, spe ? &f.spe : NULL);
	}
	for (int lane = 1; lane < LANES; lane++)
		for (int i = 0; i < PLACES; i++) {
			tally_join(&wanted[0][i].own, &wanted[lane][i].own, false);
			tally_join(&wanted[0][i].children, &wanted[lane][i].children, false);
			tally_join(&wanted[0][i].latency, &wanted[lane][i].latency, false);
			tally_join(&wanted[0][i].misses, &wanted[lane][i].misses, false);
			tally_join(&wanted[0][i].mispredictions, &wanted[lane][i].mispredictions,
				   false);
		}
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	for (; plumb_profile_row(f.profile, 0, rows, &row); rows++) {
		const uint64_t place = place_of(f.profile, rows);

		assert_true(place < PLACES);
		assert_estimate(row.share, estimate_share(&wanted[0][place].own, &sampling));
		assert_estimate(row.children,
				estimate_share(&wanted[0][place].children, &sampling));
		assert_true(row.share.low < row.share.value && row.share.value < row.share.high);
		if (spe) {
			const struct wanted *w = &wanted[0][place];

			assert_estimate(row.latency, estimate_mean(&w->latency, &sampling));
			assert_estimate(row.l1d_misses, estimate_share(&w->misses, &sampling));
			assert_estimate(row.mispredictions,
					estimate_share(&w->mispredictions, &sampling));
		} else {
			assert_true(isnan(row.latency.value) && isnan(row.mispredictions.value));
		}
	}
	assert_int_equal(rows, PLACES);
	end(&f);
}

static void equals_whole_tallies(void **state)
{
	(void)state;
	compare_estimates(true);
	compare_estimates(false);
}

static void counts_callers_once(void **state)
{
	struct plumb_profile_options options = plain;
	struct plumb_profile_row row;
	struct fixture f;

	(void)state;
	options.children = true;
	begin(&f, &options);
	/* main calls itself twice, and then a leaf, which is sampled. */
	f.chain[0] = PLUMB_CONTEXT_USER;
	f.chain[1] = 0x10;
	f.chain[2] = f.chain[3] = 0x20;
	add(&f, &events[1], 0x10, 30, 0, 4);
	add(&f, &events[1], 0x20, 10, 0, 0);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_true(plumb_profile_row(f.profile, 0, 0, &row));
	assert_int_equal(place_of(f.profile, 0), 1);
	assert_int_equal(row.children_period, 40);
	assert_int_equal(row.children_samples, 2);
	assert_int_equal(row.period, 10);
	assert_true(row.children.value == 1 && row.share.value == 0.25);
	assert_true(plumb_profile_row(f.profile, 0, 1, &row));
	assert_int_equal(row.children_period, 30);
	assert_int_equal(row.period, 30);
	assert_false(plumb_profile_row(f.profile, 0, 2, &row));
	assert_false(plumb_profile_row(f.profile, 1, 0, &row));
	end(&f);
}

static void limits_memory(void **state)
{
	struct plumb_profile_options options = plain;
	struct plumb_profile_event event;
	struct plumb_profile_row row;
	uint64_t sum = 0;
	struct fixture f;

	(void)state;
	options.rows_max = 600;
	options.nodes_max = 100;
	options.paths = PLUMB_PATHS_CALLEE;
	begin(&f, &options);
	for (uint64_t i = 0; i < 20000; i++) {
		f.chain[0] = 0x1000 + i;
		add(&f, &events[1], i % 4 == 0 ? 0x10 : 0x100000 + 16 * i, 3, 0, 1);
	}
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_true(plumb_profile_event(f.profile, 0, &event));
	assert_int_equal(event.samples, 20000);
	assert_int_equal(event.period, 60000);
	assert_true(event.row_count <= 600);
	assert_true(event.given_up > 0 && event.cut_off > 0);
	for (size_t i = 0; plumb_profile_row(f.profile, 0, i, &row); i++)
		sum += row.period;
	assert_int_equal(sum + event.given_up, event.period);
	/* The frequent one is still there, and complete but for what the event says. */
	plumb_profile_row(f.profile, 0, 0, &row);
	assert_int_equal(place_of(f.profile, 0), 0);
	assert_true(row.period + event.given_up_most >= 15000);
	assert_true(row.period > 14000);
	end(&f);
}

static void tells_exact(void **state)
{
	struct plumb_profile_event event;
	struct plumb_profile_row row;
	struct fixture f;

	(void)state;
	begin(&f, &plain);
	add(&f, &events[2], 0x10, 3, 0, 0);
	add(&f, &events[2], 0x20, 1, 0, 0);
	add(&f, &events[1], 0x20, 1, 0, 0);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_true(plumb_profile_event(f.profile, 0, &event));
	assert_true(event.exact);
	assert_string_equal(event.name, "exact/CPU_CYCLES/");
	assert_true(plumb_profile_row(f.profile, 0, 0, &row));
	assert_true(row.share.value == 0.75 && isnan(row.share.low) && isnan(row.share.high));
	assert_true(plumb_profile_event(f.profile, 1, &event));
	assert_false(event.exact);
	/* One sample gives a share, and says nothing about its certainty. */
	assert_true(plumb_profile_row(f.profile, 1, 0, &row));
	assert_true(row.share.value == 1 && isnan(row.share.low));
	assert_false(plumb_profile_event(f.profile, 2, &event));
	end(&f);
}

/* The shares of rows, with callees, and of slots have the same interval, from groups of windows. */
static void estimates_from_windows(void **state)
{
	const struct grouping grouping = {.present = 0x7fe, .windows = 155};
	double part[GROUPS_ROOM] = {7}, whole[GROUPS_ROOM] = {16};
	struct plumb_profile_options options = plain;
	struct plumb_profile_topdown *slots;
	struct plumb_profile_event event;
	struct plumb_profile_estimate share;
	struct plumb_profile_row row;
	struct fixture f;
	size_t count;

	(void)state;
	options.children = true;
	begin(&f, &options);
	f.chain[0] = 0x10;
	add(&f, &events[3], 0x20, 9, 0, 1);
	add(&f, &events[3], 0x10, 7, 0, 0);
	for (uint64_t group = 1; group <= 10; group++) {
		f.stream = (10 + group) << 8 | group;
		part[group] = 100.0 + (double)chance(&f, 100);
		whole[group] = part[group] + 50;
		add(&f, &events[3], 0x10, (uint64_t)part[group], 0, 0);
		add(&f, &events[3], 0x20, 50, 0, 1);
	}
	/* There is no such group. */
	f.stream = 1 << 8 | 200;
	add(&f, &events[3], 0x30, 1, 0, 0);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_true(plumb_profile_event(f.profile, 0, &event));
	assert_int_equal(event.windows, 10 * 10 + 55);
	share = groups_share(&grouping, part, whole);
	assert_true(share.low < share.value && share.value < share.high);
	assert_true(plumb_profile_row(f.profile, 0, 0, &row));
	assert_memory_equal(&row.share, &share, sizeof(share));
	/* All but the sample of no group. */
	assert_true(row.children.value == 1);
	assert_int_equal(plumb_profile_topdown(f.profile, &slots, &count), 0);
	assert_true(slots[0].exact && slots[0].retiring.value == 1);
	assert_true(slots[0].share.value == 1 && slots[0].share.high == 1);
	assert_true(slots[0].share.low > 0.97 && slots[0].share.low < 0.98);
	assert_true(slots[1].share.value == 1 - share.value);
	assert_true(fabs(slots[1].share.high - (1 - share.low)) < 1e-9);
	free(slots);
	end(&f);
}

static int compare_values(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* The smallest value with at least this share of the values up to it. */
static uint16_t percentile(const uint16_t *sorted, size_t count, unsigned percent)
{
	return sorted[(count * percent + 99) / 100 - 1];
}

static void assert_near(double got, uint16_t wanted)
{
	assert_true(wanted < 128 ? got == wanted : fabs(got - wanted) <= wanted / 100.0);
}

static void keeps_latencies(void **state)
{
	static uint16_t values[2][3000];
	struct plumb_profile_options options = plain;
	struct plumb_profile_bin bins[PLUMB_PROFILE_BINS];
	struct plumb_profile_latency latency;
	size_t bin_count, bin_sum = 0;
	struct fixture f;

	(void)state;
	options.latencies = 1 << PLUMB_SPE_TOTAL_LATENCY;
	begin(&f, &options);
	for (size_t i = 0; i < 6000; i++) {
		const size_t place = i & 1;
		const uint16_t value = (uint16_t)(chance(&f, 65536) >> chance(&f, 17));

		f.spe = (struct plumb_spe_record){.has = PLUMB_SPE_HAS_TOTAL_LATENCY |
							 PLUMB_SPE_HAS_ISSUE_LATENCY,
						  .counters = {value, 7}};
		values[place][i / 2] = value;
		add(&f, &events[0], 16 * (place + 1), 1, 0, 0);
	}
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	for (size_t row = 0; row < 2; row++) {
		const uint64_t place = place_of(f.profile, row);
		double sum = 0;

		for (size_t i = 0; i < 3000; i++)
			sum += values[place][i];
		qsort(values[place], 3000, sizeof(uint16_t), compare_values);
		assert_true(plumb_profile_latency(f.profile, 0, row, 0, &latency));
		assert_int_equal(latency.samples, 3000);
		assert_true(latency.mean == sum / 3000);
		assert_near(latency.p50, percentile(values[place], 3000, 50));
		assert_near(latency.p90, percentile(values[place], 3000, 90));
		assert_near(latency.p99, percentile(values[place], 3000, 99));
		/* Not asked for, not there. */
		assert_false(plumb_profile_latency(f.profile, 0, row, 1, &latency));
		assert_true(isnan(latency.p50));
	}
	assert_false(plumb_profile_latency(f.profile, 0, 2, 0, &latency));
	assert_int_equal(plumb_profile_histogram(f.profile, 0, 1, bins), 0);
	bin_count = plumb_profile_histogram(f.profile, 0, 0, bins);
	for (size_t b = 0; b < bin_count; b++) {
		uint64_t wanted = 0;

		for (size_t i = 0; i < 6000; i++)
			wanted += values[i & 1][i / 2] >= bins[b].low &&
				  values[i & 1][i / 2] <= bins[b].high;
		assert_int_equal(bins[b].samples, wanted);
		bin_sum += bins[b].samples;
	}
	assert_int_equal(bin_sum, 6000);
	end(&f);
}

/* Adds a record for each latency. */
static void add_latencies(struct fixture *f, const uint16_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		f->spe = (struct plumb_spe_record){.has = PLUMB_SPE_HAS_TOTAL_LATENCY,
						   .counters = {values[i]}};
		add(f, &events[0], 16, 1, 0, 0);
	}
}

/* What counters of 12 bits stop at is told from what those of 16 hold. */
static void marks_where_counters_stop(void **state)
{
	static const uint16_t values[] = {4094, 4095, 4095, 4095, 9, 5000};
	struct plumb_profile_options options = plain;
	struct plumb_profile_latency latency;
	struct plumb_profile_event event;
	struct plumb_profile_row row;
	struct fixture f;

	(void)state;
	options.latencies = 1 << PLUMB_SPE_TOTAL_LATENCY;
	for (size_t wide = 0; wide < 2; wide++) {
		begin(&f, &options);
		add_latencies(&f, values, 5 + wide);
		assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
		assert_true(plumb_profile_event(f.profile, 0, &event));
		assert_true(plumb_profile_row(f.profile, 0, 0, &row));
		assert_true(plumb_profile_latency(f.profile, 0, 0, 0, &latency));
		assert_int_equal(event.saturated, wide ? 0 : 3);
		assert_int_equal(row.saturated, wide ? 0 : 3);
		assert_int_equal(latency.saturated, wide ? 0 : 3);
		assert_true(latency.p50 == 4095);
		end(&f);
	}
}

/* Rows that are given up lose their latencies, and no other row. */
static void gives_up_latencies(void **state)
{
	struct plumb_profile_options options = plain;
	struct plumb_profile_latency latency;
	struct fixture f;

	(void)state;
	options.rows_max = 600;
	options.latencies = 1 << PLUMB_SPE_TOTAL_LATENCY;
	begin(&f, &options);
	for (uint64_t i = 0; i < 8000; i++) {
		f.spe = (struct plumb_spe_record){.has = PLUMB_SPE_HAS_TOTAL_LATENCY,
						  .counters = {i % 4 == 0 ? 5 : 90}};
		add(&f, &events[0], i % 4 == 0 ? 0x10 : 0x100000 + 16 * i, 1, 0, 0);
	}
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_int_equal(place_of(f.profile, 0), 0);
	assert_true(plumb_profile_latency(f.profile, 0, 0, 0, &latency));
	assert_true(latency.samples > 1900 && latency.p99 == 5 && latency.mean == 5);
	assert_true(plumb_profile_latency(f.profile, 0, 1, 0, &latency));
	assert_true(latency.samples == 1 && latency.p50 == 90);
	end(&f);
}

/* Sources by their samples, then by number; the smallest of too many are not listed. */
static void lists_sources(void **state)
{
	struct plumb_profile_source sources[PLUMB_PROFILE_SOURCES_MAX];
	struct plumb_profile_options options = plain;
	uint64_t samples;
	struct fixture f;

	(void)state;
	options.latencies = 1 << PLUMB_PROFILE_SOURCES;
	begin(&f, &options);
	for (uint64_t source = 0; source < 20; source++)
		for (uint64_t i = 0; i < (source == 8 ? 9 : source == 13 ? 1 : 3); i++) {
			f.spe = (struct plumb_spe_record){.has = PLUMB_SPE_HAS_DATA_SOURCE,
							  .data_source = source};
			add(&f, &events[0], 0x10, 1, 0, 0);
		}
	f.spe.has = 0;
	add(&f, &events[0], 0x10, 1, 0, 0);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_int_equal(plumb_profile_sources(f.profile, 0, 0, sources, &samples), 16);
	assert_int_equal(samples, 9 + 1 + 18 * 3);
	assert_true(sources[0].number == 8 && sources[0].samples == 9);
	assert_true(sources[1].number == 0 && sources[15].number == 16);
	for (size_t i = 1; i < 16; i++)
		assert_true(sources[i].samples == 3 && sources[i].number != 13);
	assert_int_equal(plumb_profile_sources(f.profile, 0, 1, sources, &samples), 0);
	end(&f);
}

static void needs_keys_for_sharing(void **state)
{
	struct plumb_profile_sharing *shared;
	struct plumb_profile_topdown *rows;
	struct fixture f;
	size_t count;

	(void)state;
	begin(&f, &plain);
	assert_int_equal(plumb_profile_sharing(f.profile, &shared, &count), PLUMB_ERR_ARGUMENT);
	add(&f, &events[2], 0x10, 3, 0, 0);
	assert_int_equal(plumb_profile_topdown(f.profile, &rows, &count), PLUMB_ERR_NOT_FOUND);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_int_equal(plumb_profile_sharing(f.profile, &shared, &count), PLUMB_ERR_ARGUMENT);
	/* Cycles are no slots. */
	assert_int_equal(plumb_profile_topdown(f.profile, &rows, &count), PLUMB_ERR_NOT_FOUND);
	assert_true(!shared && !rows && count == 0);
	end(&f);
}

static bool wants_even(void *user, const struct plumb_samples_item *item,
		       const struct plumb_location *location)
{
	++*(int *)user;
	assert_int_equal(location->ip, item->record->sample.ip);
	return item->record->sample.ip % 32 == 0;
}

/* Events of -e, and their counts by row. */
static bool takes_cycles(void *user, const struct plumb_recorded_event *event)
{
	(void)user;
	return event == &events[2];
}

static void adds_up_counts(void **state)
{
	static const uint8_t by_ip[] = {PLUMB_KEY_IP};
	static const char *const names[] = {"BR_RETIRED CPU_*", "CPU_CYCLES", "CPU_CYCLE"};
	struct plumb_profile_options options = {
		.size = sizeof(options), .keys = by_ip, .key_count = 1, .takes = takes_cycles};
	struct plumb_profile_event event;
	struct plumb_profile_counted counted;
	char room[PLUMB_PROFILE_TEXT];
	struct fixture f;

	(void)state;
	begin(&f, &options);
	add(&f, &events[2], 0x4000, 7, 0, 0);
	add(&f, &events[1], 0x4000, 1000, 0, 0);
	add(&f, &events[2], 0x5000, 30, 0, 0);
	add(&f, &events[2], 0x4000, 5, 0, 0);
	assert_int_equal(plumb_profile_counts(f.profile, names, 3, &counted), PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	/* Samples of others are as if not recorded. */
	assert_true(plumb_profile_event(f.profile, 0, &event));
	assert_string_equal(event.name, "exact/CPU_CYCLES/");
	assert_false(plumb_profile_event(f.profile, 1, &event));
	assert_int_equal(plumb_profile_counts(f.profile, names, PLUMB_PROFILE_COUNTS + 1, &counted),
			 PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_profile_counts(f.profile, names, 3, &counted), 0);
	assert_int_equal(counted.row_count, 2);
	assert_int_equal(counted.rows[0].counts[0], 30);
	assert_int_equal(counted.rows[0].counts[1], 30);
	assert_int_equal(counted.rows[0].counts[2], 0);
	assert_string_equal(
		plumb_profile_text(f.profile, counted.rows[0].event, counted.rows[0].row, 0, room),
		"0x5000");
	assert_int_equal(counted.rows[1].counts[1], 12);
	assert_int_equal(counted.total[0], 42);
	assert_int_equal(counted.total[2], 0);
	assert_int_equal(counted.left_out[0], 0);
	assert_int_equal(counted.given_up[0], 0);
	/* No event is named like the last one: its 0 says nothing. */
	assert_true(counted.known[0] && counted.known[1] && !counted.known[2]);
	free(counted.rows);
	end(&f);
	assert_true(plumb_profile_is_named("A slots_*", "exact/slots_backend_mem/"));
	assert_false(plumb_profile_is_named("A slots", "exact/slots_backend_mem/"));
	assert_false(plumb_profile_is_named("CPU_CYCLES", "CPU_CYCLES"));
	assert_false(plumb_profile_is_named("", "exact/CPU_CYCLES/"));
	assert_false(plumb_profile_is_named("*", NULL));
}

static void leaves_out(void **state)
{
	struct plumb_profile_options options = plain;
	struct plumb_profile_event event;
	int asked = 0;
	struct fixture f;

	(void)state;
	options.wants = wants_even;
	options.user = &asked;
	begin(&f, &options);
	for (uint64_t i = 1; i <= 8; i++)
		add(&f, &events[1], 16 * i, 1, 0, 0);
	assert_int_equal(asked, 8);
	assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
	assert_true(plumb_profile_event(f.profile, 0, &event));
	assert_int_equal(event.samples, 4);
	assert_int_equal(event.left_out, 4);
	assert_int_equal(event.row_count, 4);
	end(&f);
}

/* Shares are of all samples, and so are their intervals. */
static void hides(void **state)
{
	struct plumb_profile_row rows[8], row;
	struct plumb_profile_options options = plain;
	struct plumb_profile_event event;
	int asked = 0;
	struct fixture f;
	uint64_t period;

	(void)state;
	for (unsigned hidden = 0; hidden < 2; hidden++) {
		options.shows = hidden ? wants_even : NULL;
		options.user = &asked;
		begin(&f, &options);
		for (uint64_t i = 1; i <= 64; i++)
			add(&f, &events[1], 16 * (i * i % 8 + 1), 1, 0, 0);
		assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
		assert_true(plumb_profile_event(f.profile, 0, &event));
		assert_int_equal(event.samples, 64);
		assert_int_equal(event.left_out, 0);
		for (size_t i = 0; !hidden && i < event.row_count; i++)
			assert_true(plumb_profile_row(f.profile, 0, i, &rows[i]));
		if (hidden)
			assert_int_equal(event.row_count, 1);
		assert_true(plumb_profile_row(f.profile, 0, 0, &row));
		assert_memory_equal(&row.share, &rows[0].share, sizeof(row.share));
		assert_int_equal(plumb_profile_not_shown(f.profile, 0, &period), hidden ? 32 : 0);
		end(&f);
	}
}

/* Without keys, each event has a row: of all samples, or of those that are shown. */
static void adds_up_all(void **state)
{
	struct plumb_profile_options options = {.size = sizeof(options)};
	struct plumb_profile_event event;
	struct plumb_profile_row row;
	int asked = 0;
	struct fixture f;

	(void)state;
	for (unsigned hidden = 0; hidden < 2; hidden++) {
		options.shows = hidden ? wants_even : NULL;
		options.user = &asked;
		begin(&f, &options);
		for (uint64_t i = 1; i <= 8; i++)
			add(&f, &events[1], 16 * i, 1, 0, 0);
		assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
		assert_true(plumb_profile_event(f.profile, 0, &event));
		assert_int_equal(event.row_count, 1);
		assert_true(plumb_profile_row(f.profile, 0, 0, &row));
		assert_int_equal(row.samples, hidden ? 4 : 8);
		assert_float_equal(row.share.value, hidden ? 0.5 : 1, 0);
		end(&f);
	}
}

/* The values of the keys of one SPE record. */
static void tells_keys(void **state)
{
	static const char *const wanted[] = {
		"0x4010", ":11", "10", "11", "5", "load", "RETIRED L1D-REFILL", "0x8"};
	static const uint8_t keys[] = {PLUMB_KEY_SYMBOL, PLUMB_KEY_COMM,       PLUMB_KEY_PID,
				       PLUMB_KEY_TID,    PLUMB_KEY_CPU,        PLUMB_KEY_OP,
				       PLUMB_KEY_EVENT,  PLUMB_KEY_DATA_SOURCE};
	static const uint8_t more[] = {PLUMB_KEY_CACHE_LINE, PLUMB_KEY_PAGE, PLUMB_KEY_DSO,
				       PLUMB_KEY_SRCLINE};
	static const char *const wanted_more[] = {"0x12340", "0x12000", "[unknown]", "0x4010"};
	static const uint8_t new[] = {PLUMB_KEY_OFFSET,        PLUMB_KEY_INLINE,    PLUMB_KEY_GROUP,
				      PLUMB_KEY_BRANCH_TARGET, PLUMB_KEY_SYMBOL_TO, PLUMB_KEY_IP,
				      PLUMB_KEY_LATENCY,       PLUMB_KEY_TIME};
	static const char *const wanted_new[] = {
		"0x5", "0x4010", "l1d-miss tlb-access", "0x8020", "0x8020", "0x4010", "77", "12.3"};
	static const uint8_t newest[] = {PLUMB_KEY_ACCESS, PLUMB_KEY_LATENCY_RANGE};
	static const char *const wanted_newest[] = {"load", "64-127"};
	const uint8_t *const lists[] = {keys, more, new, newest};
	const char *const *const wanted_lists[] = {wanted, wanted_more, wanted_new, wanted_newest};
	struct plumb_profile_options options = {.size = sizeof(options)};
	char room[PLUMB_PROFILE_TEXT];

	(void)state;
	for (int round = 0; round < 4; round++) {
		struct fixture f;

		options.keys = lists[round];
		options.key_count = round == 3 ? 2 : round == 1 ? 4 : 8;
		begin(&f, &options);
		f.spe = (struct plumb_spe_record){
			.has = PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION |
			       PLUMB_SPE_HAS_DATA_SOURCE | PLUMB_SPE_HAS_DATA_VIRTUAL |
			       PLUMB_SPE_HAS_BRANCH_TARGET | PLUMB_SPE_HAS_TOTAL_LATENCY,
			.op_class = PLUMB_SPE_LOAD_STORE,
			.events = 1 << 1 | 1 << 3,
			.data_source = 8,
			.addresses = {[PLUMB_SPE_DATA_VIRTUAL] = 0x12345,
				      [PLUMB_SPE_BRANCH_TARGET] = 0x8020},
			.counters = {77},
		};
		f.groups = PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_L1D_MISS) |
			   PLUMB_SPE_GROUP_BIT(PLUMB_SPE_GROUP_TLB_ACCESS);
		add(&f, &events[0], 0x4010, 1, 5, 0);
		assert_int_equal(plumb_profile_finish(f.profile, NULL), 0);
		for (size_t k = 0; k < options.key_count; k++)
			assert_string_equal(plumb_profile_text(f.profile, 0, 0, k, room),
					    wanted_lists[round][k]);
		assert_null(plumb_profile_text(f.profile, 0, 1, 0, room));
		end(&f);
	}
}

static void knows_names(void **state)
{
	struct plumb_profile_options options = plain;
	struct plumb_profile *profile;
	static const uint8_t wrong[] = {PLUMB_PROFILE_KEYS};

	(void)state;
	for (int i = 0; i < PLUMB_PROFILE_KEYS; i++)
		assert_int_equal(plumb_profile_key_by_name(plumb_profile_key_name((unsigned)i)), i);
	assert_null(plumb_profile_key_name(PLUMB_PROFILE_KEYS));
	assert_int_equal(plumb_profile_key_by_name("sym"), PLUMB_KEY_SYMBOL);
	assert_int_equal(plumb_profile_key_by_name("dcacheline"), PLUMB_KEY_CACHE_LINE);
	assert_int_equal(plumb_profile_key_by_name("mem"), PLUMB_KEY_DATA_SOURCE);
	assert_int_equal(plumb_profile_key_by_name("local_weight"), PLUMB_KEY_LATENCY);
	assert_int_equal(plumb_profile_key_by_name("nothing"), PLUMB_ERR_NOT_FOUND);
	assert_int_equal(plumb_profile_key_by_name("symbol_from"), PLUMB_KEY_SYMBOL);
	assert_int_equal(plumb_profile_key_by_name("addr_to"), PLUMB_KEY_BRANCH_TARGET);
	options.branches = options.children = true;
	assert_int_equal(plumb_profile_new(&options, NULL, NULL, &profile), PLUMB_ERR_ARGUMENT);
	options.children = false;
	options.paths = PLUMB_PATHS_CALLER;
	assert_int_equal(plumb_profile_new(&options, NULL, NULL, &profile), PLUMB_ERR_ARGUMENT);
	options.paths = PLUMB_PATHS_NONE;
	options.keys = wrong;
	assert_int_equal(plumb_profile_new(&options, NULL, NULL, &profile), PLUMB_ERR_ARGUMENT);
	options.keys = by_symbol;
	options.key_count = PLUMB_PROFILE_KEYS_MAX + 1;
	assert_int_equal(plumb_profile_new(&options, NULL, NULL, &profile), PLUMB_ERR_ARGUMENT);
	assert_null(profile);
	plumb_profile_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_whole_tallies),
		cmocka_unit_test(counts_callers_once),
		cmocka_unit_test(limits_memory),
		cmocka_unit_test(tells_exact),
		cmocka_unit_test(estimates_from_windows),
		cmocka_unit_test(leaves_out),
		cmocka_unit_test(hides),
		cmocka_unit_test(adds_up_all),
		cmocka_unit_test(adds_up_counts),
		cmocka_unit_test(tells_keys),
		cmocka_unit_test(knows_names),
		cmocka_unit_test(lists_sources),
		cmocka_unit_test(needs_keys_for_sharing),
		cmocka_unit_test(keeps_latencies),
		cmocka_unit_test(marks_where_counters_stop),
		cmocka_unit_test(gives_up_latencies),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
