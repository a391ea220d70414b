/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core's state as words that can be compared: all that a block's execution depends on, if its
 * accesses hit. Each member of struct core that such a block reads is here, or is always up to
 * date, or is one of which only what is over differs.
 */
#include <string.h>

#include "memo.h"
#include "schedule.h"

#define NO_RESUME  1 /* never the address of an instruction */
#define FAR        (1 << 24)
#define LIST_ENDS  UINT32_MAX
#define HELD_ONE   7 /* of each resource, at most, by one operation */
#define HELD_BITS  3
#define HELD_KINDS 21 /* bits of all of them */

/* The places of the first words. */
enum {
	WORD_USED,
	WORD_FLAGS,
	WORD_PREDICTED,
	WORD_SCARCE,
	WORD_OCCUPIED, /* two each */
	WORD_HELD = WORD_OCCUPIED + 2,
	WORD_RESUME = WORD_HELD + 2,
	WORD_CHUNK_END = WORD_RESUME + 2,
	WORD_PREDICT = WORD_CHUNK_END + 2,
	WORD_FETCHED,
	WORD_AVAILABLE,
	WORD_FLUSH_UNTIL,
	WORD_UNSTALLED,
	WORD_TRANSLATED,
	WORD_STORES_GONE,
	WORD_STORE_LEFT,
	WORD_MEMORY_FLOOR,
	WORD_RELEASE_GONE,
	WORD_LAST_RETIRED,
	WORD_LISTS
};

struct writer {
	uint32_t *at, *end;
	uint64_t cycle;
	bool fails;
};

static inline void put(struct writer *to, uint32_t word)
{
	if (likely(to->at < to->end))
		*to->at++ = word;
	else
		to->fails = true;
}

/* A cycle relative to the current one; those before `least` are like that one. */
static inline uint32_t relative(struct writer *to, uint64_t cycle, int64_t least)
{
	int64_t away = (int64_t)(cycle - to->cycle);

	if (cycle < to->cycle && (to->cycle - cycle) > FAR)
		away = -FAR;
	if (away < least)
		away = least;
	to->fails |= away >= FAR || away <= -FAR;
	return (uint32_t)(int32_t)away;
}

static inline void put_two(uint32_t *words, uint64_t value)
{
	words[0] = (uint32_t)value;
	words[1] = (uint32_t)(value >> 32);
}

static inline uint64_t get_two(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

static inline uint64_t absolute(const struct core *core, uint32_t word)
{
	return core->cycle + (uint64_t)(int64_t)(int32_t)word;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static void read_first(struct writer *to, const struct core *core)
{
	uint32_t *words = to->at;
	const bool goes_on = core->resume != NO_RESUME;

	words[WORD_USED] = (uint32_t)core->used;
	words[WORD_FLAGS] =
		core->pairs | (uint32_t)core->second << 1 | (uint32_t)core->fetch_starve << 2;
	words[WORD_PREDICTED] = goes_on ? core->predicted : 0;
	words[WORD_SCARCE] = core->scarce;
	put_two(&words[WORD_OCCUPIED], core->occupied);
	put_two(&words[WORD_HELD], core->held);
	put_two(&words[WORD_RESUME], core->resume);
	put_two(&words[WORD_CHUNK_END], goes_on ? core->chunk_end : 0);
	words[WORD_PREDICT] = relative(to, core->predict, -FAR);
	words[WORD_FETCHED] = relative(to, core->fetched, -FAR);
	words[WORD_AVAILABLE] = relative(to, core->available, -1);
	words[WORD_FLUSH_UNTIL] = relative(to, core->flush_until, 0);
	words[WORD_UNSTALLED] = relative(to, core->unstalled, 0);
	words[WORD_TRANSLATED] = relative(to, core->translated, 0);
	words[WORD_STORES_GONE] = relative(to, core->stores_gone, 0);
	words[WORD_STORE_LEFT] = relative(to, core->store_left, 0);
	words[WORD_MEMORY_FLOOR] = relative(to, core->memory_floor, 1);
	words[WORD_RELEASE_GONE] = relative(to, core->release_gone, 1);
	words[WORD_LAST_RETIRED] = relative(to, core->last_retired, 0);
	to->at += WORD_LISTS;
}

/* Results that are on their way; and when younger operations may begin, if one has gone alone. */
static void read_results(struct writer *to, const struct core *core)
{
	const uint64_t soon = core->cycle + 1;

	for (unsigned i = 0; i <= READY_ALWAYS; i++) {
		const struct early_result *early = &core->early[i];
		const uint64_t ready = core->ready[i];
		const bool is_early = early->ready == ready && early->class != UINT16_MAX;

		if (likely(ready <= soon))
			continue;
		put(to, i | (uint32_t)is_early << 8);
		put(to, relative(to, ready, 1));
		if (is_early) {
			put(to, early->class);
			put(to, relative(to, early->early, 1));
		}
	}
	put(to, LIST_ENDS);
}

/* Whether anything is in some cycles of the calendar. */
static inline bool is_used(const struct core *core, unsigned first)
{
	uint64_t departed = 0;
	uint32_t taken = 0;

	for (unsigned i = 0; i < CALENDAR_GROUP; i++) {
		departed |= core->departures[first + i];
		taken |= core->taken[first + i];
	}
	return departed | taken;
}

/* The calendar, and when ports are busy. */
static void read_ports(struct writer *to, struct core *core)
{
	/* The slot of the current cycle is over, and may have anything. */
	for (uint64_t rest = marked_from(core, core->cycle); rest; rest &= rest - 1) {
		const uint64_t cycle =
			core->cycle + (uint64_t)__builtin_ctzll(rest) * CALENDAR_GROUP;
		const unsigned group = cycle % CALENDAR_CYCLES / CALENDAR_GROUP;
		const unsigned first = group * CALENDAR_GROUP;

		if (!is_used(core, first)) {
			core->marked &= ~(1ull << group);
			continue;
		}
		for (unsigned at = first; at < first + CALENDAR_GROUP; at++) {
			const unsigned away = (unsigned)(at - core->cycle) % CALENDAR_CYCLES;

			if (!away || !(core->taken[at] | core->departures[at]))
				continue;
			put(to, away);
			put(to, core->taken[at]);
			put(to, (uint32_t)core->departures[at]);
			put(to, (uint32_t)(core->departures[at] >> 32));
		}
	}
	put(to, LIST_ENDS);
	for (unsigned port = 0; port < PORTS_MAX; port++) {
		const struct busy_port *busy = &core->busy[port];

		for (unsigned i = 0; i < busy->count; i++) {
			if (busy->until[i] <= core->cycle)
				continue;
			put(to, port);
			put(to, relative(to, busy->from[i], 0));
			put(to, relative(to, busy->until[i], 0));
		}
	}
	put(to, LIST_ENDS);
}

/*
 * What an operation holds until it retires, in one word; sets `*fails` if it does not fit. Of the
 * counts, which are nine bits apart, three bits each move next to one another: pairs of them first,
 * then pairs of pairs.
 */
static inline uint32_t pack_holds(uint64_t holds, bool *fails)
{
	const uint64_t one = HELD_ONE, even = one | one << 18 | one << 36 | one << 54;
	const uint64_t odd = one << 9 | one << 27 | one << 45;
	const uint64_t pair = 077, pairs = pair | pair << 36, other = pair << 18 | pair << 54;
	uint64_t packed;

	*fails |= (holds & ~(even | odd)) != 0;
	packed = (holds & even) | (holds & odd) >> 6;
	packed = (packed & pairs) | (packed & other) >> 12;
	return (uint32_t)((packed & 07777) | packed >> 24);
}

static inline uint64_t unpack_holds(uint32_t packed)
{
	uint64_t holds = 0;

	for (unsigned i = 0; i < HOLD_COUNT; i++)
		holds |= (uint64_t)(packed >> HELD_BITS * i & HELD_ONE) << HOLD_SHIFT(i);
	return holds;
}

/* What has not retired: when each operation will, what it gives back, and what it waits for. */
static void read_reorder_buffer(struct writer *to, const struct core *core)
{
	const uint64_t count = core->sequence - core->head;
	const bool waits = core->last_wait >= core->head;
	uint64_t before = core->cycle;

	put(to, (uint32_t)count);
	if (to->fails || count > (uint64_t)(to->end - to->at)) {
		to->fails = true;
		return;
	}
	for (uint64_t at = core->head; at != core->sequence; at++) {
		const unsigned i = (unsigned)(at & core->reorder_mask);
		const uint64_t later_by = core->retired[i] - before;

		to->fails |= later_by >> (32 - HELD_KINDS);
		*to->at++ = pack_holds(core->holds[i], &to->fails) | (uint32_t)later_by
									     << HELD_KINDS;
		before = core->retired[i];
	}
	for (uint64_t at = core->head; waits && at != core->sequence; at++) {
		const struct wait *wait = &core->waits[at & core->reorder_mask];

		if (wait->sequence != at)
			continue;
		put(to, (uint32_t)(at - core->head));
		put(to, relative(to, wait->until, 0));
		put(to, wait->first | (uint32_t)wait->then << 8 |
				(uint32_t)wait->unforwarded << 16 | (uint32_t)wait->mixed << 24);
	}
	put(to, LIST_ENDS);
}

/* Stores that have not left, and those that are not in L1D. */
static void read_stores(struct writer *to, const struct core *core)
{
	uint64_t number = core->buffer_sequence;

	put(to, (uint32_t)(core->left_sequence - core->left_head));
	for (uint64_t i = core->left_head; i != core->left_sequence; i++)
		put(to, relative(to, core->left[i % STORE_RING], 0));
	for (unsigned i = 0; number > 0; i++, number--) {
		const struct recent_store *store = &core->recent_stores[number % RECENT_STORES];
		const uint64_t buffered = core->buffered[(number - 1) & core->buffer_mask];
		const bool holds = i < core->buffer_entries && buffered > core->cycle;

		if (store->gone <= core->cycle && !holds)
			break;
		to->fails |= i >= RECENT_STORES - 1 || store->number != number;
		if (to->fails)
			return;
		put(to, relative(to, store->gone, 0));
		put(to, relative(to, store->ready, 1));
		put(to, holds ? relative(to, buffered, 0) : 0);
	}
	put(to, LIST_ENDS);
}

/* When chunks were fetched, and operations dispatched, as far as fetch waits for that. */
static void read_frontend(struct writer *to, const struct core *core)
{
	const uint64_t soon = core->predict ? core->predict - 1 : 0;
	const uint64_t least = later(soon + core->fetch_latency, core->fetched);
	uint32_t *const count = to->at;

	put(to, 0);
	if (to->fails)
		return;
	for (unsigned i = 1; i <= core->fetch_ahead; i++) {
		const uint64_t chunk = core->chunks[(core->chunk_sequence - i) & core->chunk_mask];

		if (chunk <= soon)
			break;
		put(to, relative(to, chunk, -FAR));
		++*count;
	}
	for (unsigned i = 1, next; i <= core->fetch_queue; i = next) {
		const uint64_t cycle = core->dispatched[(core->sequence - i) & core->reorder_mask];

		if (cycle <= least)
			break;
		for (next = i + 1; next <= core->fetch_queue; next++)
			if (core->dispatched[(core->sequence - next) & core->reorder_mask] != cycle)
				break;
		put(to, next - i);
		put(to, relative(to, cycle, -FAR));
	}
	put(to, LIST_ENDS);
}

/* Issue queue entries that become free beyond the calendar. */
static void read_late(struct writer *to, const struct core *core)
{
	put(to, core->late_count);
	if (!core->late_count)
		return;
	put(to, relative(to, core->late_sweep, 0));
	for (unsigned i = 0; i < core->late_count; i++) {
		put(to, relative(to, core->late[i].cycle, 0));
		put(to, (uint32_t)core->late[i].departed);
		put(to, (uint32_t)(core->late[i].departed >> 32));
	}
}

bool state_read(struct core *core, struct state *state)
{
	struct writer to = {state->words, state->words + STATE_WORDS, core->cycle, false};

	give_back(core, core->cycle);
	read_first(&to, core);
	read_results(&to, core);
	read_ports(&to, core);
	read_reorder_buffer(&to, core);
	read_stores(&to, core);
	read_frontend(&to, core);
	read_late(&to, core);
	state->count = (uint32_t)(to.at - state->words);
	return !to.fails;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void write_first(struct core *core, const uint32_t *words)
{
	const uint32_t flags = words[WORD_FLAGS];

	core->used = words[WORD_USED];
	core->pairs = flags & 1;
	core->second = flags >> 1 & 1;
	core->fetch_starve = (uint8_t)(flags >> 2);
	core->predicted = words[WORD_PREDICTED];
	core->scarce = words[WORD_SCARCE];
	core->occupied = get_two(&words[WORD_OCCUPIED]);
	core->held = get_two(&words[WORD_HELD]);
	core->resume = get_two(&words[WORD_RESUME]);
	core->chunk_end = get_two(&words[WORD_CHUNK_END]);
	core->predict = absolute(core, words[WORD_PREDICT]);
	core->fetched = absolute(core, words[WORD_FETCHED]);
	core->available = absolute(core, words[WORD_AVAILABLE]);
	core->flush_until = absolute(core, words[WORD_FLUSH_UNTIL]);
	core->unstalled = absolute(core, words[WORD_UNSTALLED]);
	core->translated = absolute(core, words[WORD_TRANSLATED]);
	core->stores_gone = absolute(core, words[WORD_STORES_GONE]);
	core->store_left = absolute(core, words[WORD_STORE_LEFT]);
}

static const uint32_t *write_results(struct core *core, const uint32_t *words)
{
	for (unsigned i = 0; i <= READY_ALWAYS; i++) {
		core->ready[i] = 0;
		core->early[i].class = UINT16_MAX;
	}
	while (*words != LIST_ENDS) {
		const unsigned i = *words & 0xff;
		const bool is_early = *words >> 8;

		core->ready[i] = absolute(core, words[1]);
		words += 2;
		if (!is_early)
			continue;
		core->early[i] = (struct early_result){core->ready[i], absolute(core, words[1]),
						       (uint16_t)words[0]};
		words += 2;
	}
	return words + 1;
}

static const uint32_t *write_ports(struct core *core, const uint32_t *words)
{
	for (; core->marked; core->marked &= core->marked - 1) {
		const unsigned first = (unsigned)__builtin_ctzll(core->marked) * CALENDAR_GROUP;

		memset(&core->taken[first], 0, CALENDAR_GROUP * sizeof(*core->taken));
		memset(&core->departures[first], 0, CALENDAR_GROUP * sizeof(*core->departures));
	}
	for (; *words != LIST_ENDS; words += 4) {
		const unsigned at = (core->cycle + words[0]) % CALENDAR_CYCLES;

		core->taken[at] = words[1];
		core->departures[at] = get_two(&words[2]);
		mark_cycle(core, at);
	}
	words++;
	for (unsigned port = 0; port < PORTS_MAX; port++)
		core->busy[port].count = 0;
	for (; *words != LIST_ENDS; words += 3) {
		struct busy_port *busy = &core->busy[words[0]];

		busy->from[busy->count] = absolute(core, words[1]);
		busy->until[busy->count++] = absolute(core, words[2]);
	}
	return words + 1;
}

static const uint32_t *write_reorder_buffer(struct core *core, const uint32_t *words)
{
	const uint32_t count = *words++;
	uint64_t retired = core->cycle;

	core->head = core->sequence - count;
	for (uint32_t i = 0; i < count; i++, words++) {
		const unsigned at = (unsigned)((core->head + i) & core->reorder_mask);

		retired += *words >> HELD_KINDS;
		core->retired[at] = retired;
		core->holds[at] = unpack_holds(*words);
	}
	for (; *words != LIST_ENDS; words += 3) {
		const uint64_t sequence = core->head + words[0];

		core->last_wait = sequence;
		core->waits[sequence & core->reorder_mask] = (struct wait){
			.sequence = sequence,
			.until = absolute(core, words[1]),
			.first = (uint8_t)words[2],
			.then = (uint8_t)(words[2] >> 8),
			.unforwarded = words[2] >> 16 & 1,
			.mixed = (uint8_t)(words[2] >> 24),
		};
	}
	return words + 1;
}

static const uint32_t *write_stores(struct core *core, const uint32_t *words)
{
	const uint32_t count = *words++;

	core->left_head = 0;
	core->left_sequence = count;
	for (uint32_t i = 0; i < count; i++)
		core->left[i] = absolute(core, *words++);
	while (*words != LIST_ENDS)
		words += 3; /* these are up to date */
	return words + 1;
}

static const uint32_t *write_frontend(struct core *core, const uint32_t *words)
{
	const uint32_t count = *words++;
	unsigned i;

	core->chunk_sequence = 0;
	for (i = 1; i <= count; i++)
		core->chunks[-(uint64_t)i & core->chunk_mask] = absolute(core, *words++);
	for (; i <= core->fetch_ahead; i++)
		core->chunks[-(uint64_t)i & core->chunk_mask] = 0;
	for (i = 1; *words != LIST_ENDS; words += 2)
		for (uint32_t same = words[0]; same; same--, i++)
			core->dispatched[(core->sequence - i) & core->reorder_mask] =
				absolute(core, words[1]);
	return words + 1;
}

static void write_late(struct core *core, const uint32_t *words)
{
	core->late_count = *words++;
	core->late_sweep = core->late_count ? absolute(core, *words++) : UINT64_MAX;
	for (unsigned i = 0; i < core->late_count; i++, words += 3)
		core->late[i] =
			(struct late_departure){absolute(core, words[0]), get_two(&words[1])};
}

void state_write(struct core *core, const uint32_t *words)
{
	write_first(core, words);
	words = write_results(core, words + WORD_LISTS);
	words = write_ports(core, words);
	words = write_reorder_buffer(core, words);
	words = write_stores(core, words);
	words = write_frontend(core, words);
	write_late(core, words);
}

unsigned state_used(const uint32_t *words)
{
	return words[WORD_USED];
}

uint64_t state_lag(const uint32_t *words)
{
	/* Fetch may lag behind; of two chunks in a cycle, the second one by one more. */
	const int32_t predict = (int32_t)words[WORD_PREDICT] - 1;

	return predict < 0 ? (uint64_t) - (int64_t)predict : 0;
}
