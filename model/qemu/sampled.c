/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/sampled.h"

#include <math.h>
#include <string.h>

#include "exact.h"
#include "qemu/entries.h"
#include "qemu/reach.h"
#include "qemu/registers.h"
#include "qemu/settle.h"
#include "qemu/timeline.h"
#include "qemu/window.h"
#include "ties.h"
#include "warm.h"

#define NOTE_INSTRUCTIONS 65536 /* how far the shared count may lag */
#define BARE_SETTLES      1000000
#define END_ROOM          65536 /* instructions before the last one that counts, at least */
#define UNREPORTED_PART   256   /* of the instructions: more accesses than that matter */
#define MISPREDICTED_ONE  256   /* a mispredicted branch in a window */
#define MISPREDICTED_MAX  ((uint64_t)MISPREDICTED_ONE * SAMPLED_WINDOW)
#define PACE_MAX          (64ull * WARM_PACE_ONE)
#define REACH_PART        8 /* of the error asked for: what a short way to windows may change */

enum phase {
	PHASE_FIRST,   /* the first stretch, modelled in full */
	PHASE_BARE,    /* without the model */
	PHASE_TOUCHES, /* only caches and TLBs see what it accesses */
	PHASE_WARMS,   /* between windows */
	PHASE_ENTRY,   /* the same, but in detail, because the program gets to another loop */
	PHASE_BEFORE,  /* in detail, so that a window begins with a full pipeline */
	PHASE_WINDOW,
	PHASE_NEW,  /* in full, because code executes for the first time */
	PHASE_LEFT, /* everything is modelled for good */
	PHASE_OVER, /* nothing counts any more */
};

static bool active;
static bool after_asked; /* how long the first stretch is */
static struct model_sampled *sampled;
static void (*sum_counts)(uint64_t counts[MODEL_COUNTS]);
static double wanted; /* relative error of the cycles */
static uint64_t random_state;

/* Only the thread that runs alone uses these. */
static enum phase phase;
static uint64_t position; /* instructions executed so far */
static uint64_t next;     /* position at which the phase ends */
static uint64_t noted;    /* position at which the shared count was updated */
static uint64_t base;     /* position at which the first unit began */
static uint64_t window_at;
static uint64_t window_counts[MODEL_COUNTS]; /* so far */
static unsigned window_group;
static uint64_t lead;     /* instructions in detail before it */
static uint64_t new_from; /* position from which what is new is counted */
static bool translated;   /* a block that is about to execute */
static uint64_t counts_before[MODEL_COUNTS];
static uint32_t pace = WARM_PACE_ONE;
static uint32_t mispredicted; /* in the last few windows, in parts of MISPREDICTED_ONE */
static uint64_t seeking;      /* instructions in which one is looked for, to begin detail behind */
static uint64_t warms_until;  /* position at which warming was to end, while a loop is entered */
static struct warmer warmer;
static uint64_t touching;       /* instructions before a window that caches see, at least */
static uint64_t warming;        /* those of them that warm the core */
static uint64_t measuring_from; /* position from which misses before the window are counted ... */
static uint64_t misses_before;  /* ... and what they had cost, in cycles; UINT64_MAX: not yet */
static double measured_cost = NAN; /* of those before the window, as a part of all cycles; or NaN */
static bool may_be_bare;           /* nothing is lost by it */
static void (*translate_anew)(void);
static void (*when_charged)(struct core *core, unsigned group, uint64_t weight);
static void (*when_watched)(struct core *core, enum sampled_watch what, uint64_t pc);
static uint64_t fixed_unit;  /* instructions; 0: units are joined when the error allows it */
static uint64_t unit_number; /* then, of the next window */
static uint64_t kept_of, kept_number; /* then: one of so many windows is kept, and which */
static uint64_t following;            /* address of the next block */
static uint64_t numbered; /* windows, also of those that were dropped when units were joined */
static uint8_t dealt[SAMPLED_GROUPS]; /* the groups, in the order in which windows get them */
static unsigned first_index;          /* of the thread that runs alone */
static bool begun;                    /* it has */
/* Position from which the core sees each block, so that the run can end after any instruction. */
static uint64_t bare_until;
static bool entered;      /* a stretch without the model begins at the next block */
static uint64_t bare_for; /* instructions of the stretch that are not yet in `position` */
/* Of them; below 0: each block is the model's. The engine's if it counts them down by itself. */
static int64_t *left = &sampled_left;

/* Whether many accesses are unreported, by what was modelled since the window before the last. */
static bool unreported;
static uint64_t unreported_before, seen_before;

int64_t sampled_left = SAMPLED_IDLE;
uint64_t sampled_unreported;
struct memory *sampled_touches;

/* Returns the next random number: SplitMix64. */
static uint64_t random_number(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Whether blocks execute without the core. */
static bool is_bare(void)
{
	return phase == PHASE_BARE || phase == PHASE_TOUCHES;
}

/* ---- without the model -------------------------------------------------------------------- */

#if PLUMB_QEMU_API >= 3
/*
 * NULL before windows are chosen, when code is translated as without sampling, and once there are
 * other threads: QEMU stops all threads to make room for another one here, also those that wait for
 * it to begin.
 */
static struct qemu_plugin_scoreboard *scoreboard;

/* Counts down the instructions that are left, and calls back when there are none. */
bool sampled_on_block(struct qemu_plugin_tb *tb, const struct block *block)
{
	const qemu_plugin_u64 entry = {scoreboard, 0};

	if (!scoreboard)
		return false;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, entry,
							  -(uint64_t)block->count);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, registers_block_callback,
						  QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_COND_GE,
						  entry, 1ull << 63, (void *)(uintptr_t)block);
	return true;
}

void sampled_begins_anew(void)
{
	if (phase == PHASE_LEFT) {
		if (scoreboard)
			qemu_plugin_scoreboard_free(scoreboard);
		scoreboard = NULL;
		left = &sampled_left;
	} else if (!scoreboard) {
		scoreboard = qemu_plugin_scoreboard_new(sizeof(*left));
		left = qemu_plugin_scoreboard_find(scoreboard, first_index);
		*left = sampled_left;
	}
	sampled_left = SAMPLED_IDLE;
}
#else
bool sampled_on_block(struct qemu_plugin_tb *tb, const struct block *block)
{
	(void)tb, (void)block;
	return false;
}

void sampled_begins_anew(void)
{
}
#endif

void sampled_begin(unsigned index)
{
	if (!begun)
		first_index = index;
	begun = true;
}

void sampled_set_up(struct model_shared *shared, const struct sampled_request *request,
		    void (*sum)(uint64_t counts[MODEL_COUNTS]))
{
	const uint32_t error = request->error;

	active = error != 0;
	if (!active)
		return;
	sampled = &shared->sampled;
	translate_anew = request->translate_anew;
	/* Pages are touched first wherever they are. */
	bare_until = request->most ? (request->most > END_ROOM ? request->most - END_ROOM : 0)
				   : UINT64_MAX;
	may_be_bare = !request->page_faults && !request->in_order;
	when_charged = request->charged;
	timeline_set_up(shared, request->interval);
	when_watched = request->watch;
	fixed_unit = request->watch ? request->unit : 0;
	/* Another program goes on with the units of the one before. */
	kept_of = fixed_unit && sampled->unit > fixed_unit ? sampled->unit / fixed_unit : 1;
	if (sampled->unit)
		timeline_begin_units(sampled->begins, sampled->unit);
	sum_counts = sum;
	wanted = (double)error / SAMPLED_ERROR_PARTS;
	touching = SAMPLED_TOUCH;
	if (error > SAMPLED_ERROR_PARTS / 50)
		touching = SAMPLED_TOUCH * (uint64_t)(SAMPLED_ERROR_PARTS / 50) / error;
	warming = touching / SAMPLED_WARM_PART;
	reach_set_up(wanted / REACH_PART, request->seed);
	settle_set_up();
	entries_set_up();
	for (unsigned group = 0; group <= SAMPLED_GROUPS; group++)
		numbered += sampled->group_windows[group];
	for (unsigned i = 0; i < SAMPLED_GROUPS; i++)
		dealt[i] = (uint8_t)(1 + i);
	random_state = request->seed + atomic_load(&sampled->count);
	sum_counts(counts_before);
	position = noted = counts_before[EVENT_INST_RETIRED];
	seen_before = position - sampled->bare;
	base = sampled->begins;
	if (fixed_unit && position > base)
		unit_number = (position - base) / fixed_unit;
	if (atomic_load(&sampled->left)) {
		phase = PHASE_LEFT;
		return;
	}
	after_asked = request->after != 0;
	phase = PHASE_FIRST;
	next = after_asked ? request->after : SAMPLED_FIRST;
	/* A run that ends by then is not sampled. */
	if (request->most && next >= request->most)
		next = UINT64_MAX;
}

bool sampled_asked(void)
{
	return active;
}

void sampled_pass(uint64_t executed)
{
	position += executed;
}

uint64_t sampled_room(void)
{
	if (!active)
		return UINT64_MAX;
	return phase == PHASE_FIRST && next > position ? next - position : 0;
}

bool sampled_leaves_limits(void)
{
	return !active || (after_asked && atomic_load(&sampled->state) == SAMPLED_ALL);
}

/* Adds to the position what of a stretch has executed. */
static void add_bare(struct core *core, uint64_t executed)
{
	const uint64_t time = executed * pace + warmer.fraction;

	warm_skip(core, executed);
	sampled->bare += executed;
	window_pass(executed);
	warmer.cycle += time / WARM_PACE_ONE;
	warmer.paced += time / WARM_PACE_ONE;
	warmer.retired += time / WARM_PACE_ONE;
	warmer.fraction = time % WARM_PACE_ONE;
	position += executed;
}

static void read_counts(struct core *core, uint64_t counts[MODEL_COUNTS])
{
	core_counts(core);
	sum_counts(counts);
}

bool sampled_counts_all(void)
{
	if (phase == PHASE_FIRST)
		return !active || atomic_load(&sampled->state) == SAMPLED_ALL;
	return phase == PHASE_NEW || phase == PHASE_LEFT;
}

bool sampled_sums_are_whole(void)
{
	return !active || phase == PHASE_LEFT ||
	       (phase == PHASE_FIRST && atomic_load(&sampled->state) == SAMPLED_ALL);
}

static void charge(struct core *core, unsigned group, uint64_t weight)
{
	if (when_charged)
		when_charged(core, group, weight);
}

static void watch(struct core *core, enum sampled_watch what, uint64_t pc)
{
	if (when_watched)
		when_watched(core, what, pc);
}

/* Adds what was counted since `counts_before` to what was counted in full. */
static void end_new(struct core *core)
{
	uint64_t counts[MODEL_COUNTS];

	read_counts(core, counts);
	charge(core, 0, 1);
	for (unsigned e = 0; e < MODEL_COUNTS; e++) {
		counts[e] -= counts_before[e];
		sampled->first[e] += counts[e];
	}
	timeline_counted(counts, new_from, position);
	new_from = position;
}

void sampled_settle(struct core *core)
{
	/* The program may be about to end. */
	if (phase == PHASE_NEW) {
		end_new(core);
		read_counts(core, counts_before);
	}
	if (!active || !is_bare() || entered)
		return;
	add_bare(core, bare_for - (uint64_t)*left);
	bare_for = (uint64_t)*left;
}

bool sampled_is_bare(const struct block *block)
{
	if (!is_bare())
		return false;
	/* This block's instructions have been subtracted from what was left before. */
	if (entered) {
		entered = false;
		bare_for = next > position ? next - position : 0;
		bare_for = bare_for < BARE_SETTLES ? bare_for : BARE_SETTLES;
		*left = (int64_t)bare_for - block->count;
	}
	return true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier_by(uint64_t at, uint64_t instructions)
{
	return at > instructions ? at - instructions : 0;
}

/* Returns where only caches must see what executes before the window at `window_at`. */
static uint64_t touching_from(void)
{
	const uint64_t part = (fixed_unit ? fixed_unit : sampled->unit) / SAMPLED_TOUCH_PART;
	const uint64_t most = part > touching ? part : touching;
	const uint64_t all = (reach_is_short() && !unreported ? warming : most) + lead + seeking;

	return earlier(earlier_by(window_at, all), bare_until);
}

/* Returns where warming must begin before it. Only the core learns of unreported accesses. */
static uint64_t warming_from(void)
{
	const uint64_t all = warming + lead + seeking;

	if (unreported)
		return touching_from();
	return earlier(earlier_by(window_at, all), bare_until);
}

static void end_touches(void)
{
	if (sampled_touches)
		memory_touch_end(sampled_touches);
	sampled_touches = NULL;
}

/* Goes on with what the way to the window has at this position. */
static void come_nearer(void)
{
	end_touches();
	if (touching_from() > position) {
		phase = PHASE_BARE;
		next = touching_from();
	} else if (warming_from() > position) {
		phase = PHASE_TOUCHES;
		next = warming_from();
		sampled_touches = warm_memory(warmer.core);
	} else {
		phase = PHASE_WARMS;
		next = earlier_by(window_at, lead + seeking);
		entries_begin(position);
	}
}

void sampled_returns(struct core *core, const struct block *block)
{
	if (!active || !is_bare() || entered)
		return;
	/* This block is subtracted, too, but the model's again. */
	*left += block->count;
	sampled_settle(core);
	*left = SAMPLED_IDLE;
	if (position >= next)
		come_nearer();
	if (phase == PHASE_WARMS)
		return;
	warm_note_instructions(&warmer);
	entered = true;
}

/* ---- windows ------------------------------------------------------------------------------ */

/* Keeps one of every two windows, and makes units twice as long. */
static void join_units(void)
{
	const uint32_t half = atomic_load(&sampled->count) / 2;

	for (uint32_t i = 0; i < half; i++) {
		const uint64_t kept = 2ull * i + (random_number() >> 63);

		if (kept != i)
			memcpy(sampled->windows[i], sampled->windows[kept],
			       sizeof(sampled->windows[i]));
	}
	sampled->unit *= 2;
	kept_of *= 2;
	timeline_join_units();
	atomic_store(&sampled->count, half);
}

/*
 * Whether half of the windows would do: the square of the relative error, by the differences of
 * neighbours (doc/statistics.md), is small enough.
 */
static bool half_is_enough(void)
{
	const uint32_t count = atomic_load(&sampled->count);
	double cycles = 0, instructions = 0, squares = 0, before = 0;

	for (uint32_t i = 0; i < count; i++) {
		cycles += sampled->windows[i][EVENT_CPU_CYCLES];
		instructions += sampled->windows[i][EVENT_INST_RETIRED];
	}
	for (uint32_t i = 0; i < count; i++) {
		const double rest = sampled->windows[i][EVENT_CPU_CYCLES] -
				    cycles / instructions * sampled->windows[i][EVENT_INST_RETIRED];

		squares += i ? (rest - before) * (rest - before) : 0;
		before = rest;
	}
	/* The variance of a window is squares / (2 count), that of the mean of half of them four
	 * times that by 2 count; with something to spare, because units get longer. */
	return 4 * squares <= 0.75 * wanted * wanted * cycles * cycles;
}

/*
 * Returns the group of the next window. Of as many windows in a row as there are groups, each
 * belongs to another one, in random order: where a program's period is that of the groups, they
 * would differ as its phases do.
 */
static unsigned deal_group(void)
{
	const unsigned place = numbered++ % SAMPLED_GROUPS;
	const unsigned from = place + (unsigned)(random_number() % (SAMPLED_GROUPS - place));
	const uint8_t group = dealt[from];

	dealt[from] = dealt[place];
	dealt[place] = group;
	return group;
}

/*
 * Adds what was counted since `counts_before` to the window. A profile keeps all windows: one of a
 * longer unit counts more.
 */
static void leave_window(struct core *core)
{
	const uint64_t weight = sampled->unit / SAMPLED_UNIT;
	uint64_t counts[MODEL_COUNTS];

	read_counts(core, counts);
	for (unsigned e = 0; e < MODEL_COUNTS; e++) {
		counts[e] -= counts_before[e];
		window_counts[e] += counts[e];
	}
	charge(core, window_group, weight);
	sampled->group_instructions[window_group] += weight * counts[EVENT_INST_RETIRED];
	watch(core, SAMPLED_WATCH_NOTHING, following);
}

/*
 * Whether the window that ends is kept: with fixed units, there may be no room for all. Then of
 * equally many neighbours one is, at random.
 */
static bool is_kept(void)
{
	const uint64_t number = unit_number++ % kept_of;

	if (!fixed_unit)
		return true;
	if (number == 0)
		kept_number = random_number() % kept_of;
	return number == kept_number;
}

/* Returns whether units are to be joined, now that there are `count` windows. */
static bool joins(uint32_t count)
{
	if (fixed_unit || count < SAMPLED_FEW || count % 64 != 0)
		return count == SAMPLED_MAX;
	return count == SAMPLED_MAX || (half_is_enough() && timeline_may_join());
}

/* Between windows, time passes as in the last few, and branches are mispredicted as often. */
static void follow_window(void)
{
	const uint64_t instructions = window_counts[EVENT_INST_RETIRED];
	uint64_t own;

	if (!instructions)
		return;
	own = window_counts[EVENT_CPU_CYCLES] * WARM_PACE_ONE / instructions;
	pace = (uint32_t)((7ull * pace + earlier(own, PACE_MAX)) / 8);
	own = window_counts[EVENT_BR_MIS_PRED_RETIRED] * SAMPLED_WINDOW * MISPREDICTED_ONE /
	      instructions;
	mispredicted = (uint32_t)((7ull * mispredicted + earlier(own, MISPREDICTED_MAX)) / 8);
}

static void end_window(void)
{
	const uint32_t count = atomic_load(&sampled->count);

	for (unsigned e = 0; e < MODEL_COUNTS; e++)
		sampled->windows[count][e] = (uint32_t)earlier(window_counts[e], UINT32_MAX);
	sampled->group_windows[window_group]++;
	reach_note(measured_cost);
	settle_note(&(struct settle_counts){
		.instructions = window_counts[EVENT_INST_RETIRED],
		.cycles = window_counts[EVENT_CPU_CYCLES],
		.frontend = window_counts[EVENT_STALL_SLOT_FRONTEND],
		.backend = window_counts[EVENT_STALL_SLOT_BACKEND],
		.mispredicted = window_counts[EVENT_BR_MIS_PRED_RETIRED],
	});
	measured_cost = NAN;
	follow_window();
	if (!is_kept())
		return;
	atomic_store(&sampled->count, count + 1);
	if (joins(count + 1))
		join_units();
}

/* Begins the window, or goes on with it behind code that was new. */
static void enter_window(struct core *core)
{
	phase = PHASE_WINDOW;
	next = window_at + SAMPLED_WINDOW;
	watch(core, SAMPLED_WATCH_WINDOW, following);
	charge(core, 0, 0);
	read_counts(core, counts_before);
}

/*
 * Returns how far to look for a mispredicted branch: a little more than there is between two. Fetch
 * begins anew behind one, and may then get ahead of dispatch so slowly that thousands of
 * instructions show how many there have been since: what was in flight in the last window says
 * nothing of that. Where there are hardly any, it goes on with that.
 */
static uint64_t seek_range(void)
{
	const uint64_t range =
		mispredicted ? 5ull * SAMPLED_WINDOW * MISPREDICTED_ONE / (4ull * mispredicted)
			     : UINT64_MAX;

	return range <= SAMPLED_SEEK ? range : 0;
}

/* Chooses the next window, which does not begin before a position. */
static void choose_window(uint64_t from)
{
	const uint64_t unit = fixed_unit ? fixed_unit : sampled->unit;
	const uint64_t number = fixed_unit ? unit_number : atomic_load(&sampled->count);
	uint64_t more;

	/* All of it follows, not only what is left: windows would be shorter in short units, and
	 * what is in them count less than what is in long ones. */
	window_at = later(base + number * unit + random_number() % unit, from);
	window_group = deal_group();
	memset(window_counts, 0, sizeof(window_counts));
	/* Detail begins with a cycle: if it were always as far ahead, windows of a steady loop
	 * would all begin at the same part of one, and end at another; only whole cycles count. */
	lead = earlier(unit / 4, SAMPLED_BEFORE);
	lead = lead > SAMPLED_BEFORE_LESS ? lead : SAMPLED_BEFORE_LESS;
	lead += random_number() % SAMPLED_BEFORE_MORE;
	more = settle_lead(earlier_by(window_at, position));
	lead += more;
	seeking = more ? 0 : seek_range();
	entries_choose(window_at);
	reach_choose();
}

/* Misses are counted in the second half of what warms the core, if there is something to skip. */
static void plan_measuring(void)
{
	const uint64_t end = window_at - lead - seeking;

	misses_before = UINT64_MAX;
	measuring_from = may_be_bare && !unreported && end - position >= 2 * warming
				 ? end - warming / 2
				 : UINT64_MAX;
}

/* Tells what they cost, when the core has been warmed. */
static void end_measuring(const struct core *core)
{
	const double cycles =
		(double)(position - measuring_from) * (double)pace / (double)WARM_PACE_ONE;
	const bool measured = misses_before != UINT64_MAX && cycles > 0;

	measured_cost =
		measured ? (double)(warm_miss_cycles(core) - misses_before) / cycles : (double)NAN;
	measuring_from = misses_before = UINT64_MAX;
}

static void note_unreported(void)
{
	const uint64_t seen = position - sampled->bare;

	unreported =
		(sampled_unreported - unreported_before) * UNREPORTED_PART > seen - seen_before;
	unreported_before = sampled_unreported;
	seen_before = seen;
}

/*
 * Chooses how to get to the window. It ends at a random place, too, or blocks would have an
 * influence on where. If that has passed, it has ended, perhaps without an instruction.
 */
static void seek_window(struct core *core)
{
	while (window_at + SAMPLED_WINDOW <= position) {
		end_window();
		choose_window(window_at + SAMPLED_WINDOW);
	}
	next = window_at;
	translated = false;
	if (window_at <= position) {
		enter_window(core);
	} else if (window_at <= position + lead + seeking) {
		phase = PHASE_BEFORE;
	} else {
		phase = PHASE_WARMS;
		next = window_at - lead - seeking;
		note_unreported();
		plan_measuring();
		warm_begin(&warmer, core);
		/* A short stretch is not worth it. */
		if (may_be_bare && warming_from() > position + warming / 4) {
			come_nearer();
			entered = true;
		}
	}
}

/* Models what executes from here on in full. A window that has begun goes on behind it. */
static void begin_new(struct core *core)
{
	if (phase == PHASE_WARMS)
		warm_end(&warmer);
	if (phase == PHASE_WINDOW)
		leave_window(core);
	phase = PHASE_NEW;
	new_from = position;
	watch(core, SAMPLED_WATCH_ALL, following);
	charge(core, 0, 0);
	read_counts(core, counts_before);
}

static void end_first_stretch(struct core *core)
{
	charge(core, 0, sampled_counts_all());
	watch(core, SAMPLED_WATCH_NOTHING, following);
	if (atomic_load(&sampled->state) == SAMPLED_ALL) {
		read_counts(core, sampled->first);
		sampled->unit = fixed_unit ? fixed_unit : SAMPLED_UNIT;
		base = sampled->begins = sampled->first[EVENT_INST_RETIRED];
		timeline_begin_units(base, SAMPLED_UNIT);
		core_end_limits(core);
		atomic_store(&sampled->state, SAMPLED_WINDOWS);
	}
	if (may_be_bare && translate_anew)
		translate_anew();
	choose_window(0);
	seek_window(core);
}

/*
 * Behind a block that has not executed for a while: from there on, detail shows how the pipeline
 * gets into what follows. It goes on behind further ones, as far as may be, but not beyond where
 * the core is warm. What misses cost meanwhile is not measured, since here they do not cost that.
 */
static void note_entry(uint64_t pc)
{
	if (!entries_note(pc, position) || !entries_wanted(position))
		return;
	if (phase == PHASE_WARMS && !seeking) {
		warm_end(&warmer);
		warms_until = next;
		phase = PHASE_ENTRY;
	}
	if (phase != PHASE_ENTRY)
		return;
	next = earlier(position + ENTRIES_DETAIL, warms_until);
	if (next > measuring_from)
		measuring_from = misses_before = UINT64_MAX;
}

static void leave_entry(struct core *core)
{
	next = warms_until;
	if (position < next) {
		phase = PHASE_WARMS;
		warm_begin(&warmer, core);
		return;
	}
	end_measuring(core);
	phase = PHASE_BEFORE;
	next = window_at;
}

static void end_phase(struct core *core)
{
	switch (phase) {
	case PHASE_FIRST:
		end_first_stretch(core);
		break;
	case PHASE_WARMS:
		end_measuring(core);
		warm_end(&warmer);
		phase = PHASE_BEFORE;
		next = window_at;
		break;
	case PHASE_ENTRY:
		leave_entry(core);
		break;
	case PHASE_BEFORE:
		enter_window(core);
		break;
	case PHASE_WINDOW:
		leave_window(core);
		end_window();
		choose_window(position);
		seek_window(core);
		break;
	case PHASE_NEW:
		end_new(core);
		watch(core, SAMPLED_WATCH_NOTHING, following);
		seek_window(core);
		break;
	default:
		break;
	}
}

void sampled_translated(void)
{
	/* Far from windows, caches are too cold for it. */
	if (!is_bare())
		translated = true;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Whether detail could begin, but is to begin behind a mispredicted branch instead. */
static bool seeks_on(void)
{
	return phase == PHASE_WARMS && !warmer.mispredicted && position + lead < window_at;
}

void sampled_execute(struct core *core, const struct block *block, unsigned executed,
		     const struct access *accesses, size_t access_count, uint64_t next_pc)
{
	if (phase == PHASE_OVER)
		return;
	if (translated && phase != PHASE_FIRST && phase != PHASE_LEFT) {
		translated = false;
		following = block->pc;
		if (phase != PHASE_NEW)
			begin_new(core);
		next = position + SAMPLED_NEW;
	}
	if (active && phase != PHASE_LEFT) {
		timeline_note(block, executed, position);
		note_entry(block->pc);
	}
	if (phase != PHASE_WARMS) {
		core_execute(core, block, executed, accesses, access_count, next_pc);
		/* Other threads come by here. */
		if (phase == PHASE_LEFT)
			return;
		if (phase != PHASE_FIRST && phase != PHASE_NEW)
			sampled->modelled += executed;
		if (phase == PHASE_ENTRY)
			entries_spend(executed);
	} else {
		if (position >= measuring_from && misses_before == UINT64_MAX) {
			measuring_from = position;
			misses_before = warm_miss_cycles(core);
		}
		warm_execute(&warmer, block, executed, accesses, access_count, next_pc, pace);
		if (when_charged)
			exact_passes(core, block, executed, next_pc);
		if (position - noted >= NOTE_INSTRUCTIONS) {
			noted = position;
			warm_note_instructions(&warmer);
		}
	}
	position += executed;
	following = next_pc;
	if (position >= next && !is_bare() && !seeks_on())
		end_phase(core);
}

void sampled_end(struct core *core)
{
	if (!active || phase == PHASE_FIRST || phase == PHASE_LEFT)
		return;
	sampled_settle(core);
	phase = PHASE_OVER;
}

void sampled_forked(void)
{
	sampled_left = SAMPLED_IDLE;
	sampled_touches = NULL;
}

void sampled_leave(struct core *core)
{
	if (!active || phase == PHASE_LEFT)
		return;
	sampled_settle(core);
	if (is_bare())
		*left = SAMPLED_IDLE;
	end_touches();
	if (phase == PHASE_WARMS || is_bare())
		warm_end(&warmer);
	if (phase == PHASE_NEW)
		end_new(core);
	else
		charge(core, 0, sampled_counts_all());
	if (atomic_load(&sampled->state) == SAMPLED_WINDOWS)
		read_counts(core, sampled->before);
	phase = PHASE_LEFT;
	watch(core, SAMPLED_WATCH_ALL, following);
	atomic_store(&sampled->left, 1);
	if (left != &sampled_left)
		translate_anew();
}
