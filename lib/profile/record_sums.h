/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over SPE records. They are whole numbers, so the order in which records come, and in how
 * many parts, changes nothing.
 *
 * Estimates need the steps between neighbours: for each two that follow each other in a lane, the
 * square of the difference of their values, where a record of another row counts as 0. Most of that
 * is known without looking at neighbours:
 *
 *     sum of (x[i] - x[i-1])^2 = 2 * sum of x[i]^2 - x[first]^2 - x[last]^2 - 2 * sum of
 * x[i]*x[i-1]
 *
 * The last sum has terms only where both neighbours are in the same row. So a record changes the
 * sums of its own row alone.
 */
#ifndef PROFILE_RECORD_SUMS_H
#define PROFILE_RECORD_SUMS_H

#include <plumb/spe.h>

/* Counters of 12 bits stop here: PMSIDR_EL1.CountSize. A larger value means that they have 16. */
#define COUNTER_MAX 4095

/* What a record tells beside its row. The flags are 0 or 1. */
struct record_values {
	uint32_t latency; /* 0 without one */
	uint8_t has_latency, accesses, misses, branches, mispredictions;
};

/* What the formula above subtracts, for a mean's values above the line and below it. */
struct less_sums {
	uint64_t above, both, below;
};

/* ... of the means of a row: of latencies, L1D misses and mispredictions. */
struct row_less {
	struct less_sums latency, misses, mispredictions;
};

struct record_sums {
	/* Of records added in batches: each is 1 above the line. The formula subtracts `together`.
	 */
	uint64_t samples, together;
	uint64_t latencies, latency, latency_squares;
	uint64_t latency_cubes[2]; /* low and high half */
	uint64_t accesses, misses, branches, mispredictions;
	uint64_t at_most, beyond; /* total latencies of COUNTER_MAX, and bits of those above it */
	struct row_less less;
};

/*
 * What most records change of a row, in one line of the cache, on its way into record_sums; and
 * what the others change.
 */
typedef uint32_t tally_lanes __attribute__((vector_size(16)));
struct tally_row {
	union {
		struct {
			uint32_t samples, latencies, accesses, misses;
			uint32_t branches, mispredictions, together, latency_cubes_high;
		};
		tally_lanes lanes[2]; /* the same, to add to several at once */
	};
	uint64_t latency, latency_squares, latency_cubes;
	uint32_t at_most, beyond;
};
/* A record adds 2 at most to 32 bits. */
#define TALLIES_MAX (UINT32_MAX / 2)

struct tallies {
	struct tally_row *rows; /* in `memory`, aligned to lines */
	void *memory;
	struct row_less *less;
	size_t room;
	uint64_t records; /* added since they were empty */
};

static inline struct record_values record_values(const struct plumb_spe_record *spe)
{
	const uint64_t events = spe->has & PLUMB_SPE_HAS_EVENTS ? spe->events : 0;
	const uint8_t missed = events >> PLUMB_SPE_EV_L1D_REFILL & 1;
	/* A branch of a wrong path was not predicted wrongly: it was not to be there. */
	const uint8_t branch = ((spe->has & PLUMB_SPE_HAS_OPERATION) != 0) &
			       (spe->op_class == PLUMB_SPE_BRANCH) &
			       (events >> PLUMB_SPE_EV_RETIRED & 1);
	const uint8_t has_latency = (spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY) != 0;

	return (struct record_values){
		.latency = has_latency ? spe->counters[PLUMB_SPE_TOTAL_LATENCY] : 0,
		.has_latency = has_latency,
		.accesses = missed | (events >> PLUMB_SPE_EV_L1D_ACCESS & 1),
		.misses = missed,
		.branches = branch,
		.mispredictions = branch & (events >> PLUMB_SPE_EV_MISPREDICTED & 1),
	};
}

static inline void add_record_values(struct record_sums *sums, const struct record_values *of)
{
	const uint64_t latency = of->latency, square = latency * latency, cube = square * latency;

	sums->latencies += of->has_latency;
	sums->latency += latency;
	sums->latency_squares += square;
	sums->latency_cubes[0] += cube;
	sums->latency_cubes[1] += sums->latency_cubes[0] < cube;
	sums->accesses += of->accesses;
	sums->misses += of->misses;
	sums->branches += of->branches;
	sums->mispredictions += of->mispredictions;
	sums->at_most += of->latency == COUNTER_MAX;
	sums->beyond |= of->latency & ~COUNTER_MAX;
}

static inline void add_less(struct less_sums *less, uint64_t above, uint64_t below,
			    uint64_t last_above, uint64_t last_below)
{
	less->above += 2 * above * last_above;
	less->both += above * last_below + last_above * below;
	less->below += 2 * below * last_below;
}

/* Adds what two neighbours of the same row have in common. */
static inline void add_together(struct row_less *less, const struct record_values *a,
				const struct record_values *b)
{
	add_less(&less->latency, a->latency, a->has_latency, b->latency, b->has_latency);
	add_less(&less->misses, a->misses, a->accesses, b->misses, b->accesses);
	add_less(&less->mispredictions, a->mispredictions, a->branches, b->mispredictions,
		 b->branches);
}

static inline void add_end_of(struct less_sums *less, uint64_t above, uint64_t below)
{
	less->above += above * above;
	less->both += above * below;
	less->below += below * below;
}

/* Adds a record that is the first or the last of its lane. */
static inline void add_end(struct row_less *less, const struct record_values *of)
{
	add_end_of(&less->latency, of->latency, of->has_latency);
	add_end_of(&less->misses, of->misses, of->accesses);
	add_end_of(&less->mispredictions, of->mispredictions, of->branches);
}

/*
 * The kind of a record: all that its values depend on but for the latency, in bits. What each kind
 * adds is worked out once.
 */
#define RECORD_KINDS 64
struct record_kind {
	tally_lanes lanes[2]; /* what it adds to a row's */
	struct record_values values;
};

static inline unsigned record_kind(const struct plumb_spe_record *spe)
{
	const uint64_t events = spe->has & PLUMB_SPE_HAS_EVENTS ? spe->events : 0;
	const unsigned branch =
		((spe->has & PLUMB_SPE_HAS_OPERATION) != 0) & (spe->op_class == PLUMB_SPE_BRANCH);
	const unsigned has_latency = (spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY) != 0;

	return (unsigned)(events >> PLUMB_SPE_EV_RETIRED & 7) |
	       (unsigned)(events >> PLUMB_SPE_EV_MISPREDICTED & 1) << 3 | branch << 4 |
	       has_latency << 5;
}

static inline void record_kinds_begin(struct record_kind kinds[RECORD_KINDS])
{
	_Static_assert(PLUMB_SPE_EV_L1D_ACCESS == PLUMB_SPE_EV_RETIRED + 1 &&
			       PLUMB_SPE_EV_L1D_REFILL == PLUMB_SPE_EV_RETIRED + 2,
		       "a kind has these three bits in sequence");
	for (unsigned kind = 0; kind < RECORD_KINDS; kind++) {
		const struct plumb_spe_record spe = {
			.has = PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION |
			       (kind >> 5 ? PLUMB_SPE_HAS_TOTAL_LATENCY : 0),
			.events = (kind & 7) << PLUMB_SPE_EV_RETIRED |
				  (kind >> 3 & 1) << PLUMB_SPE_EV_MISPREDICTED,
			.op_class = kind >> 4 & 1 ? PLUMB_SPE_BRANCH : PLUMB_SPE_OTHER,
		};
		const struct record_values values = record_values(&spe);

		kinds[kind] = (struct record_kind){
			.lanes = {{1, values.has_latency, values.accesses, values.misses},
				  {values.branches, values.mispredictions, 0, 0}},
			.values = values,
		};
	}
}

/* Returns the values of a record of a kind. */
static inline struct record_values record_values_of(const struct record_kind *kind,
						    uint32_t latency)
{
	struct record_values values = kind->values;

	values.latency = latency;
	return values;
}

static inline void tally_record(struct tally_row *row, const struct record_kind *kind,
				uint32_t total_latency)
{
	const uint64_t latency = total_latency, square = latency * latency, cube = square * latency;

	row->lanes[0] += kind->lanes[0];
	row->lanes[1] += kind->lanes[1];
	row->latency += latency;
	row->latency_squares += square;
	row->latency_cubes += cube;
	row->latency_cubes_high += row->latency_cubes < cube;
	if (latency >= COUNTER_MAX) {
		row->at_most += latency == COUNTER_MAX;
		row->beyond |= total_latency & ~(uint32_t)COUNTER_MAX;
	}
}

#endif
