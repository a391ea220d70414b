/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit of the Statistical Profiling Extension (Arm ARM, DDI 0487, "The Statistical Profiling
 * Extension"). It chooses operations at an interval, tracks one at a time, filters, and writes
 * records into a buffer. It is independent of the core, which tells it how many operations pass,
 * and what each chosen one did. doc/model.md has the rules.
 *
 *     spe_begin(&unit, &params->spe, &control);
 *     spe_set_buffer(&unit, bytes, size);
 *     for each run of `n` operations:
 *             if (n < unit.left)
 *                     spe_pass(&unit, n);          // none is chosen
 *             else
 *                     spe_pass(&unit, unit.left - 1), and for the next one:
 *                     if (spe_choose(&unit, cycle))
 *                             spe_complete(&unit, &sample);
 *
 * A unit belongs to one thread. Nothing here allocates or fails. Cycles are those of the core.
 */
#ifndef MODEL_SPE_H
#define MODEL_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "params.h"

struct spe_unit;

/* The settings of the unit: the PMS*R_EL1 registers. */
struct spe_control {
	/* PMSIRR_EL1.INTERVAL in operations: low 8 bits ignored, at least 256; or 1, which no unit
	   of hardware can: each instruction has a record, and none collides. */
	uint32_t interval;
	bool random;   /* PMSIRR_EL1.RND */
	uint64_t seed; /* for the random numbers */

	bool timestamps;         /* PMSCR_EL1.TS */
	bool physical_addresses; /* PMSCR_EL1.PA */
	bool contexts;           /* PMSCR_EL1.CX */
	uint32_t context;        /* CONTEXTIDR_EL1 */
	uint64_t timer_zero;     /* the generic timer at cycle 0; it runs at 1 GHz */
	uint32_t frequency_mhz;  /* frequency of the core, for the timer */

	/* Filters. By operation (PMSFCR_EL1): passes any of those set, or all if none is. */
	bool loads, stores, branches;
	uint64_t events_all;  /* PMSEVFR_EL1: events that must all have happened */
	uint64_t events_none; /* PMSNEVFR_EL1: events that must not have happened */
	uint16_t min_latency; /* PMSLATFR_EL1: minimum total latency, in cycles */
	bool discard;         /* PMBLIMITR_EL1.FM: records are counted, not written */

	/*
	 * The buffer management interrupt: the next record does not fit. The handler provides
	 * another buffer with spe_set_buffer(), or the unit stops. May be NULL.
	 */
	void (*full)(void *user, struct spe_unit *unit);
	void *user;
};

#define SPE_INTERVAL_STEP 256 /* PMSIRR_EL1.INTERVAL has bits 31:8 */

/* What one chosen operation did. */
struct spe_sample {
	uint64_t pc;
	uint64_t target;          /* of a taken branch */
	uint64_t previous_target; /* of the previous taken branch; 0 if none */
	uint64_t virtual_address;
	uint64_t physical_address;
	uint64_t events;      /* bits PLUMB_SPE_EV_* */
	uint64_t dispatched;  /* cycle of each step */
	uint64_t issued;      /* 0: never */
	uint64_t completed;   /* or was flushed */
	uint64_t retired;     /* end of tracking */
	uint32_t translation; /* in cycles */
	uint8_t op_class;     /* enum plumb_spe_class, and the operation packet's payload */
	uint8_t operation;
	uint8_t data_source;
	bool load, store; /* for filters: an atomic that returns a value is a load and a store */
	bool taken;       /* is a branch: .target is valid */
	bool has_address; /* .virtual_address, .physical_address and .translation are valid */
	bool has_source;  /* .data_source is valid */
};

/* The unit's PMU events. */
struct spe_counts {
	uint64_t population;      /* SAMPLE_POP */
	uint64_t taken;           /* SAMPLE_FEED */
	uint64_t recorded;        /* SAMPLE_FILTRATE */
	uint64_t collisions;      /* SAMPLE_COLLISION */
	uint64_t branches;        /* SAMPLE_FEED_BR, part of .taken */
	uint64_t loads;           /* SAMPLE_FEED_LD */
	uint64_t stores;          /* SAMPLE_FEED_ST */
	uint64_t right_operation; /* SAMPLE_FEED_OP: passes the operation filter */
	uint64_t right_events;    /* SAMPLE_FEED_EVENT: passes the event filters */
	uint64_t right_latency;   /* SAMPLE_FEED_LAT: has the minimum latency */
};

struct spe_unit {
	uint64_t left;   /* operations until one is chosen: 1 is the next one */
	uint64_t busy;   /* end of tracking, as a cycle */
	uint64_t chance; /* state of the random numbers */
	uint32_t interval;
	uint32_t moved;    /* ERnd: by how much the last sample was moved */
	bool collided;     /* since the flag was cleared: PMBSR_EL1.COLL */
	bool stopped;      /* the buffer is full */
	uint8_t *at, *end; /* the free part of the buffer */
	struct spe_counts counts;
	const struct spe_params *params;
	struct spe_control control;
};

void spe_begin(struct spe_unit *unit, const struct spe_params *params,
	       const struct spe_control *control);

/* Sets the buffer for records. Restarts a stopped unit. */
void spe_set_buffer(struct spe_unit *unit, void *bytes, size_t size);

/*
 * From now on, samples are `interval` operations apart. As large a part of the new interval is left
 * as there is of the old one, so operations before and after have the chances that the two say.
 */
void spe_set_interval(struct spe_unit *unit, uint32_t interval);

/* Passes `count` operations, none of which is chosen. Must be fewer than unit->left. */
static inline void spe_pass(struct spe_unit *unit, uint64_t count)
{
	if (unit->stopped)
		return;
	unit->left -= count;
	unit->counts.population += count;
}

/*
 * Chooses the next operation, dispatched at `cycle`. If it returns true, the operation is tracked,
 * and spe_complete() must follow. Otherwise it collided with the one being tracked.
 */
bool spe_choose(struct spe_unit *unit, uint64_t cycle);

/* Ends tracking: `sample` is what the operation did. */
void spe_complete(struct spe_unit *unit, const struct spe_sample *sample);

/* Returns the mean number of operations between samples, including collided ones. */
double spe_mean_interval(const struct spe_params *params, const struct spe_control *control);

#endif
