/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Statistical Profiling Extension's unit (Arm ARM, DDI 0487, "The Statistical Profiling
 * Extension"): chooses operations of a population at an interval, tracks one at a time, filters,
 * and writes records into a buffer. It knows nothing of the core that feeds it, which tells it how
 * many operations pass, and what each chosen one did; doc/model.md has the rules.
 *
 *     spe_begin(&unit, &params->spe, &control);
 *     spe_set_buffer(&unit, bytes, size);
 *     for each run of operations, `n` of them:
 *             if (n < unit.left)
 *                     spe_pass(&unit, n);          // none of them is chosen
 *             else
 *                     spe_pass(&unit, unit.left - 1), and of the next one:
 *                     if (spe_choose(&unit, cycle))
 *                             spe_complete(&unit, &sample);
 *
 * A unit belongs to one thread. Nothing here allocates or fails. Cycles are the core's.
 */
#ifndef MODEL_SPE_H
#define MODEL_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "params.h"

struct spe_unit;

/* What software asks of the unit: the PMS*R_EL1 registers. */
struct spe_control {
	uint32_t interval; /* PMSIRR_EL1.INTERVAL in operations: its low 8 bits do not count, and
			      what is less than 256 is 256 */
	bool random;       /* PMSIRR_EL1.RND */
	uint64_t seed;     /* of that chance */

	bool timestamps;         /* PMSCR_EL1.TS */
	bool physical_addresses; /* PMSCR_EL1.PA */
	bool contexts;           /* PMSCR_EL1.CX */
	uint32_t context;        /* CONTEXTIDR_EL1 */
	uint64_t timer_zero;     /* the generic timer at cycle 0, which counts 1 GHz */
	uint32_t frequency_mhz;  /* of the core, for the timer */

	/* Filters, after sampling. Of operations (PMSFCR_EL1): one of those set, if any is. */
	bool loads, stores, branches;
	uint64_t events_all;  /* PMSEVFR_EL1: all of these events must have happened */
	uint64_t events_none; /* PMSNEVFR_EL1: and none of these */
	uint16_t min_latency; /* PMSLATFR_EL1: total, cycles */
	bool discard;         /* PMBLIMITR_EL1.FM: records are counted, not written */

	/*
	 * The buffer management interrupt: another record does not fit. The handler gives the
	 * next buffer with spe_set_buffer(), or else the unit stops. May be NULL.
	 */
	void (*full)(void *user, struct spe_unit *unit);
	void *user;
};

/* What one chosen operation did. */
struct spe_sample {
	uint64_t pc;
	uint64_t target;          /* of a taken branch */
	uint64_t previous_target; /* of the taken branch before; 0: none yet */
	uint64_t virtual_address;
	uint64_t physical_address;
	uint64_t events;      /* bits PLUMB_SPE_EV_* */
	uint64_t dispatched;  /* cycles at which it was */
	uint64_t issued;      /* 0: never */
	uint64_t completed;   /* or was flushed */
	uint64_t retired;     /* it is tracked until then */
	uint32_t translation; /* cycles that it took */
	uint8_t op_class;     /* enum plumb_spe_class, and the operation packet's payload */
	uint8_t operation;
	uint8_t data_source;
	bool load, store; /* for filters: an atomic that returns a value is both */
	bool taken;       /* a branch: .target is one */
	bool has_address; /* .virtual_address, .physical_address and .translation are */
	bool has_source;  /* .data_source is */
};

/* The unit's PMU events. */
struct spe_counts {
	uint64_t population;      /* SAMPLE_POP */
	uint64_t taken;           /* SAMPLE_FEED */
	uint64_t recorded;        /* SAMPLE_FILTRATE */
	uint64_t collisions;      /* SAMPLE_COLLISION */
	uint64_t branches;        /* SAMPLE_FEED_BR, of .taken */
	uint64_t loads;           /* SAMPLE_FEED_LD */
	uint64_t stores;          /* SAMPLE_FEED_ST */
	uint64_t right_operation; /* SAMPLE_FEED_OP: as the operation filter asks */
	uint64_t right_events;    /* SAMPLE_FEED_EVENT: ... the event filters */
	uint64_t right_latency;   /* SAMPLE_FEED_LAT: ... the minimum latency */
};

struct spe_unit {
	uint64_t left;   /* the operation that is so many from now on is chosen: 1 is the next */
	uint64_t busy;   /* one is tracked until this cycle */
	uint64_t chance; /* state of it */
	uint32_t interval;
	uint32_t moved;    /* ERnd: by how much the last sample was */
	bool collided;     /* since the flag was last cleared: PMBSR_EL1.COLL */
	bool stopped;      /* its buffer is full */
	uint8_t *at, *end; /* the buffer's free part */
	struct spe_counts counts;
	const struct spe_params *params;
	struct spe_control control;
};

void spe_begin(struct spe_unit *unit, const struct spe_params *params,
	       const struct spe_control *control);

/* Where records go from now on. Starts a unit that has stopped. */
void spe_set_buffer(struct spe_unit *unit, void *bytes, size_t size);

/* `count` operations are dispatched, none of which is chosen: fewer than unit->left. */
static inline void spe_pass(struct spe_unit *unit, uint64_t count)
{
	if (unit->stopped)
		return;
	unit->left -= count;
	unit->counts.population += count;
}

/*
 * The next operation is chosen; it is dispatched at `cycle`. Returns whether it is tracked: then
 * spe_complete() must follow. Otherwise it collided with the one that is.
 */
bool spe_choose(struct spe_unit *unit, uint64_t cycle);

/* What the tracked operation did. */
void spe_complete(struct spe_unit *unit, const struct spe_sample *sample);

/* Operations from one sample to the next on average, collided ones included. */
double spe_mean_interval(const struct spe_params *params, const struct spe_control *control);

#endif
