/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and frees a core. Its parameters determine the sizes of its rings. */
#include <stdlib.h>
#include <string.h>

#include "memo.h"
#include "watch.h"
#include "wrong_path.h"

/* Returns the length of a ring: a power of two, for `entries` and a few written ahead. */
static uint32_t ring_length(uint32_t entries)
{
	uint32_t length = 16;

	while (length < entries + 8)
		length *= 2;
	return length;
}

/* Checks limits of queues and rings, and powers of two required by masks. */
static bool fits(const struct core_params *params)
{
	const uint32_t held[] = {params->int_registers,  params->vector_registers,
				 params->flag_registers, params->predicate_registers,
				 params->load_entries,   params->store_entries};

	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		if (held[i] < 8 || held[i] > HOLD_MAX)
			return false;
	for (unsigned i = 0; i < params->queue_count; i++)
		if (!params->queue_entries[i] || params->queue_entries[i] > QUEUE_ENTRIES_MAX)
			return false;
	return params->queue_count && params->queue_count <= QUEUES_MAX && params->rename_width &&
	       params->rename_width <= params->slots && params->rename_group &&
	       params->retire_width && params->reorder_entries >= 16 &&
	       params->reorder_entries <= HOLD_REORDER_MAX && params->fetch_ahead &&
	       params->predict_chunks && params->fetch_bytes >= 4 &&
	       !(params->fetch_bytes & (params->fetch_bytes - 1)) && params->store_buffer_entries &&
	       params->frequency_mhz;
}

/*
 * Where queues belong to ports, checks that all do, and that the operations of each class find room
 * in empty ones.
 */
static bool queues_fit(const struct core_params *params)
{
	uint64_t empty = 0;

	for (unsigned i = 0; i < params->queue_count; i++) {
		if (!params->queue_ports[i] != !params->queue_ports[0])
			return false;
		empty |= (QUEUE_ENTRIES_MAX - params->queue_entries[i]) * QUEUE_ENTRY(i);
	}
	for (unsigned i = 0; i < CLASS_COUNT && params->queue_ports[0]; i++) {
		const struct class_params *class = &params->classes[i];
		struct op op = {.class = (uint16_t)i};
		uint64_t occupied = empty;
		uint32_t ports = 0;

		for (unsigned k = 0; k < class->piece_count && k < PIECES_MAX; k++)
			op.queues[k] = (uint8_t)queues_of(params, &class->pieces[k]);
		if (!queues_take(params, &op, &occupied, &ports))
			return false;
	}
	return true;
}

static bool make_rings(struct core *core, const struct core_params *params)
{
	uint32_t buffer = ring_length(params->store_buffer_entries);
	uint32_t chunks = ring_length(params->fetch_ahead);

	core->buffered = calloc(buffer, sizeof(*core->buffered));
	core->chunks = calloc(chunks, sizeof(*core->chunks));
	core->late = calloc((size_t)QUEUES_MAX * QUEUE_ENTRIES_MAX, sizeof(*core->late));
	core->buffer_mask = buffer - 1;
	core->chunk_mask = chunks - 1;
	return core->buffered && core->chunks && core->late;
}

/* Clears everything but the ends of the rings by sequence, which are long and rarely used. */
static void clear(struct core *core, uint64_t ring)
{
	memset(core, 0, offsetof(struct core, retired));
	memset(core->retired, 0, ring * sizeof(*core->retired));
	memset(core->dispatched, 0, ring * sizeof(*core->dispatched));
	memset(core->holds, 0, ring * sizeof(*core->holds));
	memset(core->waits, 0, ring * sizeof(*core->waits));
	core->reorder_mask = ring - 1;
}

static void set_limits(struct core *core, const struct core_params *params)
{
	const uint16_t limits[HOLD_COUNT] = {
		[HOLD_INT] = params->int_registers,
		[HOLD_VECTOR] = params->vector_registers,
		[HOLD_FLAGS] = params->flag_registers,
		[HOLD_PREDICATE] = params->predicate_registers,
		[HOLD_LOAD] = params->load_entries,
		[HOLD_STORE] = params->store_entries,
		[HOLD_REORDER] = params->reorder_entries,
	};

	for (int i = 0; i < HOLD_COUNT; i++)
		core->held += HOLD_FULL(i) - HOLD_ONE(i) * (limits[i] + 1u);
	for (unsigned i = 0; i < params->queue_count; i++)
		core->occupied |= (uint64_t)(QUEUE_ENTRIES_MAX - params->queue_entries[i])
				  << QUEUE_SHIFT(i);
	core->binds = params->queue_ports[0] != 0;
	for (unsigned i = 0; i < params->queue_count; i++)
		core->unqueued |= params->queue_ports[i];
	core->unqueued = ~core->unqueued;
	core->bound = core->unqueued;
	core->held_none = core->held;
	core->occupied_none = core->occupied;
}

/* Adds `ports`, which some operation can use, to the families that they belong to. */
static void join_family(struct core *core, uint32_t ports)
{
	uint32_t family = ports;

	for (unsigned i = 0; i < PORTS_MAX; i++)
		if (ports >> i & 1)
			family |= core->family[i];
	for (unsigned i = 0; i < PORTS_MAX; i++)
		if (family >> i & 1)
			core->family[i] = family;
}

static void make_families(struct core *core, const struct core_params *params)
{
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		for (unsigned k = 0; k < params->classes[i].piece_count; k++)
			join_family(core, params->classes[i].pieces[k].ports);
}

struct core *core_new(const struct core_params *params, struct memory_system *system,
		      uint64_t *counts)
{
	const bool unlimited = params->ideal & IDEAL_ROB;
	struct core *core = NULL;

	if (fits(params) && queues_fit(params))
		core = aligned_alloc(64, sizeof(*core));

	if (!core)
		return NULL;
	clear(core, unlimited ? REORDER_RING_MAX : ring_length(params->reorder_entries + 16u));
	core->memory = memory_new(system, params, counts);
	core->predictor = predictor_new(&params->predictor);
	core->wrong_paths = wrong_paths_new();
	if (params->ideal & IDEAL_PORTS)
		core->extra_ports = calloc(1, sizeof(*core->extra_ports));
	if (!make_rings(core, params) || !core->memory || !core->predictor || !core->wrong_paths ||
	    (params->ideal & IDEAL_PORTS && !core->extra_ports)) {
		core_free(core);
		return NULL;
	}
	core->params = params;
	if (!conditions_set_up(core)) {
		core_free(core);
		return NULL;
	}
	set_limits(core, params);
	make_families(core, params);
	account_set_up(core);
	core->counts = counts;
	core->slots = params->slots;
	core->width = params->rename_width;
	core->group = params->rename_group;
	core->reorder_entries = unlimited ? REORDER_UNLIMITED : params->reorder_entries;
	core->reorder_unlimited = unlimited;
	core->retire_width = params->retire_width;
	core->buffer_entries = params->store_buffer_entries;
	core->fetch_ahead = params->fetch_ahead;
	core->predict_chunks = params->predict_chunks;
	core->fetch_bytes = params->fetch_bytes;
	core->fetch_mask = (uint32_t)later(params->fetch_bytes, params->l1i.line_bytes) - 1;
	core->line_cycles = (params->l1i.cycles_per_line + 50u) / 100;
	core->fetch_queue = params->fetch_queue;
	core->frontend_cycles = params->frontend_cycles;
	core->mispredict_cycles = params->mispredict_cycles;
	core->recovery_cycles = params->recovery_cycles;
	core->fetch_latency = params->l1i.latency;
	core->load_latency = params->classes[CLASS_LOAD].latency;
	for (int i = 0; i < READY_COUNT; i++)
		core->early[i].class = UINT16_MAX;
	for (int i = 0; i < FORWARD_ENTRIES; i++)
		core->forwards[i].granule = UINT64_MAX;
	core->late_sweep = UINT64_MAX;
	core->room = UINT16_MAX;
	core->resume = UINT64_MAX;
	return core;
}

void core_free(struct core *core)
{
	struct core *shadow;

	if (!core)
		return;
	while ((shadow = core->shadows)) {
		core->shadows = shadow->shadows;
		shadow->shadows = NULL;
		core_free(shadow);
	}
	free(core->shadow.counts);
	free(core->extra_ports);
	free(core->bounds);
	memo_free(core->memo);
	free(core->wrong_loads);
	free(core->wrong_paths);
	memory_free(core->memory);
	predictor_free(core->predictor);
	free(core->buffered);
	free(core->chunks);
	free(core->late);
	free(core);
}

void core_set_block_finder(struct core *core, core_find_block *find, void *user,
			   const _Atomic uint32_t *made)
{
	for (; core; core = core->shadows) {
		core->find_block = find;
		core->find_user = user;
		core->blocks_made = made;
	}
}

void core_set_activity(struct core *core, const uint8_t *activity)
{
	core->activity = activity;
}

void core_set_moving(struct core *core, uint64_t *cycles)
{
	memory_count_moving(core->memory, cycles);
}

void core_set_unforwarded(struct core *core, uint64_t *cycles)
{
	core->unforwarded = cycles;
}

void core_set_watch(struct core *core, struct watch *watch)
{
	memo_leave(core);
	core->watch = watch && (watch->spe || watch->overflow) ? watch : NULL;
	core->observed = core->exact || core->watch;
}

uint64_t core_cycle(const struct core *core)
{
	return core->cycle;
}

struct core *core_new_shadow(const struct core_params *params, struct memory_system *system)
{
	uint64_t *counts = calloc(EVENT_COUNT, sizeof(*counts));
	struct core *shadow = counts ? core_new(params, system, counts) : NULL;

	if (shadow)
		shadow->shadow.counts = counts;
	else
		free(counts);
	return shadow;
}

void core_add_shadow(struct core *core, struct core *shadow, uint64_t *cycles, uint64_t *latest)
{
	struct core **end = &core->shadows;

	shadow->shadow.cycles = cycles;
	shadow->shadow.latest = latest;
	while (*end)
		end = &(*end)->shadows;
	*end = shadow;
}

uint64_t core_time(const struct core *core)
{
	/* What follows an acquiring load, as in a loop that waits for a lock, comes after it. */
	return memory_time(core->memory, later(core->cycle, core->memory_floor));
}

bool core_has_shadows(const struct core *core)
{
	return core->shadows;
}

void core_note_latest(struct core *core)
{
	for (struct core *shadow = core->shadows; shadow; shadow = shadow->shadows)
		*shadow->shadow.latest = core_time(shadow);
}

/* Finishes what the core has dispatched. Its stores may take longer to leave. */
static void drain(struct core *core)
{
	if (core->last_retired > core->cycle)
		account_starved(core, core->last_retired);
}

/* Brings a cycle to come closer by those in which the core sleeps. */
static inline void sleep_towards(const struct core *core, uint64_t *cycle, uint64_t slept)
{
	if (*cycle > core->cycle)
		*cycle = later(core->cycle, *cycle > slept ? *cycle - slept : 0);
}

/* The core does nothing until `time`, but its stores leave. */
static void sleep_until(struct core *core, uint64_t time)
{
	const uint64_t slept = time - core_time(core);

	sleep_towards(core, &core->store_left, slept);
	sleep_towards(core, &core->stores_gone, slept);
	sleep_towards(core, &core->release_gone, slept);
	for (uint32_t i = 0; i <= core->buffer_mask; i++)
		sleep_towards(core, &core->buffered[i], slept);
	for (uint64_t i = core->left_head; i != core->left_sequence; i++)
		sleep_towards(core, &core->left[i % STORE_RING], slept);
	memory_wait_until(core->memory, core->cycle, time);
}

void core_wait_until(struct core *core, uint64_t time, uint64_t delay)
{
	const bool woken_later = time > core_time(core);

	memo_leave(core);
	drain(core);
	for (struct core *shadow = core->shadows; shadow; shadow = shadow->shadows) {
		drain(shadow);
		sleep_until(shadow,
			    later(core_time(shadow), woken_later ? *shadow->shadow.latest : 0) +
				    delay);
	}
	sleep_until(core, later(core_time(core), time) + delay);
}

uint64_t core_lines_moved(const struct core *core)
{
	return memory_lines_moved(core->memory);
}
