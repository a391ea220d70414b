/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the model that are fast, beside plain ones that follow the same rules step by step: what
 * both say about the same random streams must be the same.
 */
#include <string.h>

#include "check.h"

#include "memory_side.h"

#include "direction.h"

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

/* ---- Miss buffers --------------------------------------------------------------------------- */

static void buffers_are_free_in_order(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= MISSES_MAX; count += 1 + count / 4) {
		struct buffers buffers = {0};
		uint64_t plain[MISSES_MAX] = {0}, cycle = 0;

		buffers_set_up(&buffers, count, MISSES_MAX);
		seed = count;
		for (unsigned i = 0; i < 4000; i++) {
			unsigned first = 0;

			for (unsigned k = 1; k < count; k++)
				first = plain[k] < plain[first] ? k : first;
			assert_int_equal(buffers_free(&buffers), plain[first]);
			cycle += draw(4);
			plain[first] = cycle + draw(draw(2) ? 10 : 400);
			buffers_hold(&buffers, plain[first], 0);
		}
	}
}

/* ---- Paths ---------------------------------------------------------------------------------- */

static void stretches_of_a_path_have_whole_lines(void **state)
{
	static const unsigned costs[] = {1, 2, 25, 29, 80, 100, 600, 766, 3200, 3201, 65535};

	(void)state;
	seed = 1;
	for (unsigned i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		static struct bandwidth path;

		bandwidth_set_up(&path, costs[i]);
		for (unsigned k = 0; k < 4000; k++) {
			const uint64_t stretch = ((uint64_t)draw(1u << 30) << 16) >> draw(46);
			const uint64_t begin = 100 * (stretch << STRETCH_LOG2);
			const uint64_t end = begin + (100 << STRETCH_LOG2);

			assert_int_equal(bandwidth_capacity(&path, stretch),
					 end / costs[i] - begin / costs[i]);
		}
	}
}

/* ---- Streams -------------------------------------------------------------------------------- */

#define REACH 64 /* lines from one request of a stream to the next one, at most */

/* What is known of a stream, and when it was used last; 0: never. */
struct plain_stream {
	uint64_t last, used;
	int64_t step;
	unsigned confidence;
};

/* Returns the stream that a line belongs to: the nearest, or the oldest. */
static struct plain_stream *plain_stream_of(struct plain_stream *streams, uint64_t line)
{
	struct plain_stream *nearest = NULL, *oldest = streams;
	uint64_t best = REACH + 1;

	for (struct plain_stream *s = streams; s != streams + STREAM_ENTRIES; s++) {
		uint64_t away = line > s->last ? line - s->last : s->last - line;

		if (s->confidence && s->last + (uint64_t)s->step == line)
			away = 0;
		if (s->used && away < best) {
			best = away;
			nearest = s;
		}
		if (s->used < oldest->used)
			oldest = s;
	}
	if (nearest)
		return nearest;
	*oldest = (struct plain_stream){.last = line};
	return oldest;
}

/* Learns a line; returns whether anything is fetched ahead of it. */
static bool plain_train(struct plain_stream *streams, uint64_t line, uint64_t now)
{
	struct plain_stream *s = plain_stream_of(streams, line);
	const int64_t step = (int64_t)(line - s->last);

	s->used = now;
	s->last = line;
	if (!step)
		return false;
	if (step == s->step) {
		s->confidence += s->confidence < 3;
		return s->confidence >= 2;
	}
	if (s->confidence)
		s->confidence--;
	else
		s->step = step;
	return false;
}

/* Some streams, which begin anew at times, their lines here and there out of order. */
static uint64_t next_line(uint64_t *lines)
{
	const unsigned i = draw(24);

	if (!draw(40))
		lines[i] = draw(2) ? (uint64_t)draw(1u << 20) << draw(30) : lines[draw(24)] + 60;
	lines[i] += i < 4 ? 0ull - i : i % 5 == 4 ? 70 : i % 5;
	return lines[i] + (draw(6) ? 0 : draw(8));
}

static void streams_go_on_with_the_nearest_line(void **state)
{
	static struct stream_prefetcher prefetcher;
	struct plain_stream streams[STREAM_ENTRIES] = {0};
	uint64_t lines[24] = {0};
	unsigned ahead = 0;

	(void)state;
	seed = 7;
	stream_set_up(&prefetcher, 2, 16);
	for (uint64_t now = 1; now <= 200000; now++) {
		const uint64_t line = next_line(lines);
		struct prefetch_wish wish;
		const bool is_ahead = plain_train(streams, line, now);

		assert_int_equal(stream_train(&prefetcher, line, &wish), is_ahead);
		if (!is_ahead)
			continue;
		ahead++;
		for (unsigned i = 0; i < wish.count; i++)
			*wish.ahead = wish.first + i * (uint64_t)wish.step;
	}
	assert_in_range(ahead, 1000, 190000);
}

/* ---- TLB ------------------------------------------------------------------------------------ */

#define PAGES 600

/* Pages in the order of their use, the most recent one first. */
struct plain_tlb {
	uint64_t pages[TLB_FIRST_MAX];
	unsigned used, entries;
};

/* Makes the page number `at` the first one, in place of what is there. */
static void to_front(struct plain_tlb *tlb, unsigned at, uint64_t page)
{
	memmove(&tlb->pages[1], tlb->pages, at * sizeof(*tlb->pages));
	tlb->pages[0] = page;
}

/* Returns whether a page is there; if not, takes it in, in place of the one used longest ago. */
static bool plain_access(struct plain_tlb *tlb, uint64_t page)
{
	for (unsigned i = 0; i < tlb->used; i++)
		if (tlb->pages[i] == page) {
			to_front(tlb, i, page);
			return true;
		}
	if (tlb->used < tlb->entries)
		tlb->used++;
	to_front(tlb, tlb->used - 1, page);
	return false;
}

static void plain_remove(struct plain_tlb *tlb, uint64_t first, uint64_t end)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < tlb->used; i++)
		if (tlb->pages[i] < first || tlb->pages[i] >= end)
			tlb->pages[kept++] = tlb->pages[i];
	tlb->used = kept;
}

static void pages_are_replaced_by_age(void **state)
{
	static const unsigned sizes[] = {1, 2, 48, TLB_FIRST_MAX};

	(void)state;
	for (size_t size = 0; size < sizeof(sizes) / sizeof(*sizes); size++) {
		struct plain_tlb plain = {.entries = sizes[size]};
		struct tlb_first tlb;
		unsigned hits = 0, misses = 0;

		seed = 1;
		tlb_first_set_up(&tlb, sizes[size]);
		for (unsigned i = 0; i < 20000; i++) {
			/* Often the same few, and some whose hints are the same. */
			uint64_t page = draw(4) ? draw(3) : draw(PAGES), frame = 0;
			bool found;

			page = draw(8) ? page : page << 8;
			found = tlb_first_find(&tlb, page, &frame);
			assert_int_equal(found, plain_access(&plain, page));
			if (found)
				assert_int_equal(frame, 7 * page);
			else
				tlb_first_insert(&tlb, page, 7 * page);
			hits += found;
			misses += !found;
			if (draw(500) == 0) {
				tlb_first_remove(&tlb, page, page + 100);
				plain_remove(&plain, page, page + 100);
			}
		}
		assert_true(hits > 1000 && misses > 1000);
	}
}

/* ---- Directions ----------------------------------------------------------------------------- */

#define TABLES   8
#define LOG2_MAX 13

struct plain_entry {
	unsigned tag;
	int counter, useful;
};

struct plain_direction {
	const struct predictor_params *params;
	struct plain_entry entries[TABLES][1u << LOG2_MAX];
	int base[1u << 16];
	bool history[256]; /* newest first */
	int trust_new;
	uint32_t random;
};

static int between(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

/* Returns the newest `length` bits, in pieces of `width`, one above the other. */
static unsigned fold(const struct plain_direction *d, unsigned length, unsigned width)
{
	unsigned value = 0;

	for (unsigned i = 0; i < length; i++)
		value ^= (unsigned)d->history[i] << i % width;
	return value;
}

static unsigned tag_in(const struct plain_direction *d, unsigned table, uint32_t address)
{
	const unsigned bits = d->params->tag_bits, length = d->params->history[table];

	return (fold(d, length, bits) ^ fold(d, length, bits - 1) << 1 ^ address) &
	       ((1u << bits) - 1);
}

static struct plain_entry *place_in(struct plain_direction *d, unsigned table, uint32_t address)
{
	const unsigned log2 = d->params->tage_log2_entries;
	const unsigned bits = log2 - d->params->tage_bank_bits;
	unsigned folded = fold(d, d->params->history[table], bits | 1);

	folded = (folded ^ folded >> bits) & ((1u << bits) - 1);
	return &d->entries[table]
			  [(address ^ address >> (log2 - table % 4) ^ folded) & ((1u << log2) - 1)];
}

static void plain_allocate(struct plain_direction *d, struct plain_entry **places,
			   const unsigned *tags, unsigned from, bool taken)
{
	unsigned given = 0;

	if (from >= d->params->tage_tables)
		return;
	if (from + 1 < d->params->tage_tables) {
		d->random ^= d->random << 13;
		d->random ^= d->random >> 17;
		d->random ^= d->random << 5;
		from += d->random & 1;
	}
	for (; from < d->params->tage_tables && given < 2; from++) {
		if (places[from]->useful) {
			places[from]->useful--;
			continue;
		}
		*places[from] = (struct plain_entry){tags[from], taken ? 0 : -1, 0};
		given++;
		from++;
	}
}

static bool plain_branch(struct plain_direction *d, uint64_t pc, bool taken)
{
	const uint32_t address = (uint32_t)(pc >> 2);
	int *base = &d->base[address & ((1u << d->params->base_log2_entries) - 1)];
	struct plain_entry *places[TABLES], *provider = NULL, *alternative = NULL;
	unsigned tags[TABLES], after = 0;
	bool first, second, fresh = false, predicted, teach_base;

	for (unsigned i = 0; i < d->params->tage_tables; i++) {
		places[i] = place_in(d, i, address);
		tags[i] = tag_in(d, i, address);
		if (places[i]->tag != tags[i])
			continue;
		alternative = provider;
		provider = places[i];
		after = i + 1;
	}
	first = second = alternative ? alternative->counter >= 0 : *base >= 2;
	if (provider) {
		first = provider->counter >= 0;
		fresh = (provider->counter == 0 || provider->counter == -1) && !provider->useful;
	}
	predicted = fresh && d->trust_new < 0 ? second : first;

	teach_base = !alternative;
	if (provider) {
		const int right = first == taken ? 1 : -1;

		if (first != second) {
			if (fresh)
				d->trust_new = between(d->trust_new + right, -8, 7);
			provider->useful = between(provider->useful + right, 0, 3);
		}
		provider->counter = between(provider->counter + (taken ? 1 : -1), -4, 3);
		teach_base = teach_base && !provider->useful;
		if (alternative && !provider->useful)
			alternative->counter =
				between(alternative->counter + (taken ? 1 : -1), -4, 3);
	}
	if (teach_base)
		*base = between(*base + (taken ? 1 : -1), 0, 3);
	if (predicted != taken)
		plain_allocate(d, places, tags, after, taken);
	memmove(d->history + 1, d->history, sizeof(d->history) - 1);
	d->history[0] = taken;
	return predicted;
}

static void directions_are_those_of_plain_tage(void **state)
{
	static struct plain_direction plain;

	(void)state;
	for (size_t c = 0; model_cores[c]; c++) {
		const struct predictor_params *params = &model_cores[c]->predictor;
		struct direction *direction = direction_new(params);
		unsigned right = 0, wrong = 0;

		assert_non_null(direction);
		assert_in_range(params->tage_log2_entries, 4, LOG2_MAX);
		assert_in_range(params->base_log2_entries, 1, 16);
		plain = (struct plain_direction){.params = params, .random = 0x2545f491};
		for (size_t i = 0; i < sizeof(plain.base) / sizeof(*plain.base); i++)
			plain.base[i] = 1;
		seed = (uint32_t)c;
		/* More than the ring of the history has: regular ones, copies of older ones, random
		 * ones, and unconditional branches, each at its own addresses. */
		for (unsigned i = 0; i < 6000; i++) {
			const unsigned which = draw(40);
			const uint64_t pc = 0x400000 + 4 * (which * which * 37);
			bool predicted, taken = which < 20 ? i / (1 + which) % 2
							   : plain.history[which * 3 % 100];

			if (which > 36)
				taken = draw(2);
			if (draw(10) == 0) {
				direction_note_taken(direction, pc, 8ull * which);
				memmove(plain.history + 1, plain.history,
					sizeof(plain.history) - 1);
				plain.history[0] = (pc >> 2 ^ which) & 1;
			}
			predicted = plain_branch(&plain, pc, taken);
			assert_int_equal(direction_branch(direction, pc, taken), predicted);
			right += predicted == taken;
			wrong += predicted != taken;
		}
		assert_true(right > wrong && wrong > 100);
		direction_free(direction);
	}
}

/* ---- A core that is alone -------------------------------------------------------------------- */

#define SYSTEMS \
	2 /* in the first, a core is alone; in the second, there is another that does nothing */

struct machine {
	struct memory_system *system;
	struct memory *memory, *other;
	uint64_t counts[EVENT_COUNT], other_counts[EVENT_COUNT];
};

/* Makes the same accesses in both, and compares when and from where they get their data. */
static void access_both(struct machine *machines, bool others, unsigned number)
{
	const uint64_t address = 0x10000 + draw(8u << 20) / 8 * 8ull;
	const unsigned kind = draw(3);
	const uint64_t cycle = 25ull * number;
	struct memory_result results[SYSTEMS] = {{0}, {0}};

	for (unsigned i = 0; i < SYSTEMS; i++) {
		struct memory *memory = others ? machines[i].other : machines[i].memory;

		if (kind) {
			memory_load(memory, cycle, 0x1000, address, 8, false, &results[i]);
			continue;
		}
		memory_translate(memory, cycle, address, 8, &results[i]);
		memory_store(memory, cycle, 0x1004, address, 8, false, &results[i]);
	}
	assert_int_equal(results[0].ready, results[1].ready);
	assert_int_equal(results[0].level, results[1].level);
}

/* What one core does without locks, and late, is as if others could have looked at any time. */
static void a_core_alone_does_what_one_of_two_does(void **state)
{
	static struct machine machines[SYSTEMS];
	struct core_params params = *model_cores[0];
	struct memory_busy busy[SYSTEMS];

	(void)state;
	seed = 3;
	params.l2.bytes /= 4; /* so that lines are evicted */
	params.llc.bytes /= 8;
	for (unsigned i = 0; i < SYSTEMS; i++) {
		struct machine *m = &machines[i];

		m->system = memory_system_new(&params);
		m->memory = memory_new(m->system, &params, m->counts);
		assert_non_null(m->memory);
		m->other = i ? memory_new(m->system, &params, m->other_counts) : NULL;
	}
	for (unsigned number = 0; number < 60000; number++) {
		access_both(machines, false, number);
		if (number % 1000)
			continue;
		for (unsigned i = 0; i < SYSTEMS; i++) {
			memory_settle(machines[i].memory, machines[i].counts);
			memory_busy(machines[i].memory, &busy[i]);
		}
		assert_memory_equal(machines[0].counts, machines[1].counts,
				    sizeof(machines[0].counts));
		assert_memory_equal(&busy[0], &busy[1], sizeof(busy[0]));
	}
	assert_true(machines[0].counts[EVENT_L2D_CACHE_WB] > 10000);
	/* Another core comes, and finds all as it is in the other system. */
	machines[0].other = memory_new(machines[0].system, &params, machines[0].other_counts);
	assert_non_null(machines[0].other);
	for (unsigned number = 60000; number < 80000; number++)
		access_both(machines, draw(2), number);
	assert_memory_equal(machines[0].counts, machines[1].counts, sizeof(machines[0].counts));
	for (unsigned i = 0; i < SYSTEMS; i++) {
		memory_free(machines[i].other);
		memory_free(machines[i].memory);
		memory_system_free(machines[i].system);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers_are_free_in_order),
		cmocka_unit_test(stretches_of_a_path_have_whole_lines),
		cmocka_unit_test(streams_go_on_with_the_nearest_line),
		cmocka_unit_test(pages_are_replaced_by_age),
		cmocka_unit_test(directions_are_those_of_plain_tage),
		cmocka_unit_test(a_core_alone_does_what_one_of_two_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
