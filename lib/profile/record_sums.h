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
			uint32_t branches, mispredictions, together, unused;
		};
		/* The same. They are only changed as a whole: the processor can read a vector that
		 * was just written at once, but not if a part of it was. */
		tally_lanes lanes[2];
	};
	uint64_t latency, latency_squares, latency_cubes;
	uint32_t at_most;
	/* Bits of latencies, which have 16, and how often the cubes passed 64 bits. */
	uint16_t beyond, latency_cubes_high;
};
/* A record adds 2 at most to 32 bits. */
#define TALLIES_MAX (UINT32_MAX / 2)

/*
 * What becomes row_less. Lanes are of misses, accesses, mispredictions and branches. A pair of
 * neighbours adds 2 where both have the same, and 2 where the first has one and the second has the
 * other of misses and accesses, or of mispredictions and branches; an end of a lane adds half.
 */
struct tally_less {
	tally_lanes alike, crossed;
	uint64_t latency_above, latency_both;
	uint32_t latency_below;
};

struct tallies {
	struct tally_row *rows; /* aligned to lines of the cache */
	struct tally_less *less;
	size_t room;      /* rows that may be used */
	size_t space;     /* rows that there is memory for */
	uint64_t records; /* added since they were empty */
};

/* Tells whether a record says that its operation did not retire. */
static inline bool is_not_retired(const struct plumb_spe_record *spe)
{
	return spe->has & PLUMB_SPE_HAS_EVENTS &&
	       !(spe->events & PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED));
}

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
#define RECORD_KINDS 128
enum {
	KIND_MISPREDICTED = 1 << 3,
	KIND_BRANCH = 1 << 4,
	KIND_LATENCY = 1 << 5,
	KIND_EVENTS = 1 << 6
};

struct record_kind {
	tally_lanes lanes[2]; /* what it adds to a row's */
	tally_lanes flags;    /* 2 or 0: see tally_less */
	struct record_values values;
	bool not_retired;
};

/* A record has zeros where it has no packet: no events, and no branch. */
static inline unsigned record_kind(const struct plumb_spe_record *spe)
{
	_Static_assert(PLUMB_SPE_EV_RETIRED == 1 && PLUMB_SPE_EV_L1D_ACCESS == 2 &&
			       PLUMB_SPE_EV_L1D_REFILL == 3 && PLUMB_SPE_EV_MISPREDICTED == 7,
		       "a kind has these bits in sequence");
	_Static_assert((int)PLUMB_SPE_HAS_TOTAL_LATENCY == KIND_LATENCY &&
			       (int)PLUMB_SPE_HAS_EVENTS == KIND_EVENTS << 2,
		       "bits of .has are moved to where a kind has them");
	const unsigned events = (unsigned)spe->events;

	return (events >> 1 & 7) | (events >> 4 & KIND_MISPREDICTED) |
	       (spe->op_class == PLUMB_SPE_BRANCH ? KIND_BRANCH : 0) | (spe->has & KIND_LATENCY) |
	       (spe->has >> 2 & KIND_EVENTS);
}

static inline tally_lanes tally_flags(const struct record_values *of)
{
	return (tally_lanes){of->misses, of->accesses, of->mispredictions, of->branches} * 2;
}

static inline void record_kinds_begin(struct record_kind kinds[RECORD_KINDS])
{
	for (unsigned kind = 0; kind < RECORD_KINDS; kind++) {
		const struct plumb_spe_record spe = {
			.has = PLUMB_SPE_HAS_OPERATION |
			       (kind & KIND_EVENTS ? PLUMB_SPE_HAS_EVENTS : 0) |
			       (kind & KIND_LATENCY ? PLUMB_SPE_HAS_TOTAL_LATENCY : 0),
			.events = (kind & 7) << PLUMB_SPE_EV_RETIRED |
				  (kind & KIND_MISPREDICTED ? 1u : 0) << PLUMB_SPE_EV_MISPREDICTED,
			.op_class = kind & KIND_BRANCH ? PLUMB_SPE_BRANCH : PLUMB_SPE_OTHER,
		};
		const struct record_values values = record_values(&spe);

		kinds[kind] = (struct record_kind){
			.lanes = {{1, values.has_latency, values.accesses, values.misses},
				  {values.branches, values.mispredictions, 0, 0}},
			.flags = tally_flags(&values),
			.values = values,
			.not_retired = is_not_retired(&spe),
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

/* Adds a number to tally_row.together. */
static inline void tally_together(struct tally_row *row, uint32_t ends)
{
	row->lanes[1] += (tally_lanes){0, 0, ends, 0};
}

static inline tally_lanes crossed_flags(tally_lanes a, tally_lanes b)
{
	return a & (tally_lanes){b[1], b[0], b[3], b[2]};
}

/* Adds what two neighbours of the same row have in common. A latency is 0 where there is none. */
static inline void tally_neighbours(struct tallies *tallies, size_t row, tally_lanes a_flags,
				    uint32_t a_latency, tally_lanes b_flags, uint32_t b_latency,
				    bool latencies)
{
	struct tally_less *less = &tallies->less[row];

	tally_together(&tallies->rows[row], 2);
	less->alike += a_flags & b_flags;
	less->crossed += crossed_flags(a_flags, b_flags);
	less->latency_above += 2 * (uint64_t)a_latency * b_latency;
	less->latency_both += latencies ? (uint64_t)a_latency + b_latency : 0;
	less->latency_below += latencies ? 2 : 0;
}

/* Adds a record that is the first of its lane. */
static inline void tally_end(struct tallies *tallies, size_t row, const struct record_kind *kind,
			     uint32_t latency)
{
	struct tally_less *less = &tallies->less[row];

	tally_together(&tallies->rows[row], 1);
	less->alike += kind->flags / 2;
	less->crossed += crossed_flags(kind->flags, kind->flags) / 2;
	less->latency_above += (uint64_t)latency * latency;
	less->latency_both += latency;
	less->latency_below += kind->values.has_latency;
}

#endif
