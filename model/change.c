/* SPDX-License-Identifier: Apache-2.0 */
#include "change.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sets.h"
#include "target.h"
#include "tlb.h"

struct parameter {
	const char *name;
	uint32_t offset, size;
	struct core_range range;
	unsigned units; /* kept per one of the figure's: 100, or 0 for whole numbers */
};

#define FIELD(name, least, most)                                                       \
	{                                                                              \
#name, offsetof(struct core_params, name),                             \
			sizeof(((struct core_params *)0)->name), {(least), (most) }, 0 \
	}
#define HUNDREDTHS(name)                                                           \
	{                                                                          \
#name, offsetof(struct core_params, name),                         \
			sizeof(((struct core_params *)0)->name), {0.01, 600 }, 100 \
	}
#define CACHE(name)                                                                               \
	FIELD(name.bytes, 1024, 1u << 30), FIELD(name.ways, 1, 64), FIELD(name.latency, 0, 2000), \
		FIELD(name.misses, 1, 128), HUNDREDTHS(name.cycles_per_line)
#define TLB(name) \
	FIELD(name.entries, 1, 60000), FIELD(name.ways, 0, 64), FIELD(name.latency, 0, 2000)

/*
 * What can be changed, and the values with which the model works. What other parts of the program
 * take from the core by its name cannot: the specification, slots, frequency, vectors and lines.
 */
static const struct parameter parameters[] = {
	FIELD(fetch_bytes, 4, 64),
	FIELD(fetch_queue, 8, 250),
	FIELD(fetch_ahead, 1, 250),
	FIELD(predict_chunks, 1, 8),
	FIELD(frontend_cycles, 1, 60),
	FIELD(mispredict_cycles, 1, 120),
	FIELD(recovery_cycles, 0, 10),
	FIELD(reorder_entries, 16, 448),
	FIELD(rename_width, 1, 60),
	FIELD(rename_group, 1, 60),
	FIELD(fused_compares, FUSED_NONE, FUSED_TESTS),
	FIELD(retire_width, 1, 60),
	FIELD(int_registers, 8, 240),
	FIELD(vector_registers, 8, 240),
	FIELD(flag_registers, 8, 240),
	FIELD(predicate_registers, 8, 240),
	FIELD(load_entries, 8, 240),
	FIELD(store_entries, 8, 240),
	FIELD(store_buffer_entries, 1, 1000),
	FIELD(forward_latency, 1, 120),
	FIELD(forward_failed, 1, 120),
	FIELD(forward_failed_lines, 1, 120),
	FIELD(load_line_cycles, 0, 120),
	FIELD(load_page_cycles, 0, 120),
	FIELD(store_page_cycles, 0, 120),
	CACHE(l1i),
	CACHE(l1d),
	CACHE(l2),
	CACHE(llc),
	FIELD(dram_latency, 0, 10000),
	HUNDREDTHS(dram_cycles_per_line),
	HUNDREDTHS(socket.llc_cycles_per_line),
	HUNDREDTHS(socket.dram_cycles_per_line),
	FIELD(peer_latency, 2, 10000),
	FIELD(line_hold, 0, 1000),
	FIELD(l1i_tlb.entries, 1, 128),
	FIELD(l1d_tlb.entries, 1, 128),
	TLB(l2_tlb),
	TLB(walk_cache),
	FIELD(walk_latency, 0, 1000),
	FIELD(walkers, 1, 8),
	FIELD(prefetch_streams, 0, 60),
	FIELD(prefetch_distance, 0, 60),
	FIELD(l2_prefetch_lines, 0, 60),
	FIELD(l2_prefetch_distance, 0, 120),
	FIELD(write_stream_lines, 0, 1000),
	FIELD(predictor.target_entries, 16, 1u << 20),
	FIELD(predictor.target_ways, 1, 64),
	FIELD(predictor.fast_target_entries, 16, 1u << 20),
	FIELD(predictor.pair_target_entries, 0, 1u << 12),
	FIELD(predictor.return_entries, 1, 250),
	FIELD(predictor.taken_bubble, 0, 60),
	FIELD(predictor.decode_redirect, 0, 60),
};

static struct core_change change_of(const struct parameter *parameter, uint64_t value)
{
	return (struct core_change){parameter->offset, parameter->size, (uint32_t)value};
}

/* Returns the parameter of a queue or a class, whose names have three parts. */
static bool find_nested(const struct core_params *base, const char *name,
			struct parameter *parameter)
{
	char wanted[80];

	for (unsigned q = 0; q < base->queue_count; q++) {
		snprintf(wanted, sizeof(wanted), "queues.%s.entries", base->queue_names[q]);
		if (strcmp(wanted, name) == 0) {
			*parameter = (struct parameter)FIELD(queue_entries[0], 8, 127);
			parameter->offset += q * parameter->size;
			return true;
		}
	}
	for (unsigned c = 0; c < CLASS_COUNT; c++) {
		snprintf(wanted, sizeof(wanted), "classes.%s.latency", insn_class_name(c));
		if (strcmp(wanted, name) == 0) {
			*parameter = (struct parameter)FIELD(classes[0].latency, 0, 200);
			parameter->offset += c * (uint32_t)sizeof(base->classes[0]);
			return true;
		}
	}
	return false;
}

static bool find(const struct core_params *base, const char *name, struct parameter *parameter)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		if (strcmp(parameters[i].name, name) == 0) {
			*parameter = parameters[i];
			return true;
		}
	return find_nested(base, name, parameter);
}

/* Makes `parameter`, a queue's, that of the next queue with its name. */
static bool find_next_queue(const struct core_params *base, struct parameter *parameter)
{
	const uint32_t first = offsetof(struct core_params, queue_entries);
	const uint32_t queue = (parameter->offset - first) / parameter->size;

	if (parameter->offset < first || queue >= base->queue_count)
		return false;
	for (uint32_t q = queue + 1; q < base->queue_count; q++)
		if (strcmp(base->queue_names[q], base->queue_names[queue]) == 0) {
			parameter->offset = first + q * parameter->size;
			return true;
		}
	return false;
}

/* A class that writes its base register back has the latency of the one that does not. */
static bool find_write_back(const struct core_params *base, const char *name,
			    struct parameter *parameter)
{
	static const char end[] = ".latency";
	size_t length = strlen(name);
	char other[80];

	if (length <= strlen(end) || strcmp(name + length - strlen(end), end) != 0)
		return false;
	snprintf(other, sizeof(other), "%.*s_WB%s", (int)(length - strlen(end)), name, end);
	return find_nested(base, other, parameter);
}

enum core_change_error core_change_find(const struct core_params *base, const char *name,
					double value, struct core_change changes[CORE_CHANGE_PARTS],
					unsigned *count, struct core_range *range)
{
	struct parameter parameter;
	uint64_t stored;

	*count = 0;
	if (!find(base, name, &parameter))
		return CORE_CHANGE_UNKNOWN;
	*range = parameter.range;
	if (value < range->least || value > range->most)
		return CORE_CHANGE_RANGE;
	stored = (uint64_t)(parameter.units ? parameter.units * value + 0.5 : value);
	if (!parameter.units && (double)stored != value)
		return CORE_CHANGE_WHOLE;
	changes[(*count)++] = change_of(&parameter, stored);
	while (find_next_queue(base, &parameter))
		changes[(*count)++] = change_of(&parameter, stored);
	if (find_write_back(base, name, &parameter))
		changes[(*count)++] = change_of(&parameter, stored);
	return CORE_CHANGE_OK;
}

bool core_change_apply(struct core_params *params, const struct core_change *changes,
		       unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct core_change *change = &changes[i];

		if (change->size > sizeof(change->value) || change->offset > sizeof(*params) ||
		    change->size > sizeof(*params) - change->offset)
			return false;
		/* Little-endian, as every host of the model. */
		memcpy((char *)params + change->offset, &change->value, change->size);
	}
	return true;
}

uint32_t core_change_old(const struct core_params *params, const struct core_change *change)
{
	uint32_t value = 0;

	memcpy(&value, (const char *)params + change->offset, change->size);
	return value;
}

static struct core_size cache_size(const char *name, const struct cache_params *cache)
{
	const uint32_t row = (uint32_t)cache->ways * cache->line_bytes;

	return (struct core_size){name, cache->bytes, cache->bytes / row * row};
}

static struct core_size sets_size(const char *name, uint32_t entries, unsigned ways, uint32_t most)
{
	ways = ways ? ways : 1;
	return (struct core_size){name, entries, sets_within(entries, ways, most) * ways};
}

bool core_change_size(const struct core_params *params, unsigned i, struct core_size *size)
{
	const struct predictor_params *predictor = &params->predictor;
	const struct core_size sizes[] = {
		cache_size("l1i.bytes", &params->l1i),
		cache_size("l1d.bytes", &params->l1d),
		cache_size("l2.bytes", &params->l2),
		cache_size("llc.bytes", &params->llc),
		sets_size("l2_tlb.entries", params->l2_tlb.entries, params->l2_tlb.ways,
			  TLB_SETS_MAX),
		sets_size("walk_cache.entries", params->walk_cache.entries, params->walk_cache.ways,
			  TLB_SETS_MAX),
		sets_size("predictor.target_entries", predictor->target_entries,
			  predictor->target_ways, TARGET_SETS_MAX),
		sets_size("predictor.fast_target_entries", predictor->fast_target_entries,
			  TARGET_FAST_WAYS, TARGET_SETS_MAX),
	};

	if (i >= sizeof(sizes) / sizeof(*sizes))
		return false;
	*size = sizes[i];
	return true;
}

static bool is_power_of_two(uint32_t number)
{
	return number && !(number & (number - 1));
}

static bool is_possible_cache(const struct cache_params *cache)
{
	return cache->bytes >= (uint32_t)cache->ways * cache->line_bytes;
}

const char *core_change_refusal(const struct core_params *params)
{
	if (!is_power_of_two(params->fetch_bytes))
		return "fetch_bytes is not a power of two";
	if (params->rename_width > params->slots)
		return "rename_width is more than the slots";
	if (!is_possible_cache(&params->l1i) || !is_possible_cache(&params->l1d) ||
	    !is_possible_cache(&params->l2) || !is_possible_cache(&params->llc))
		return "a cache is smaller than a line in each of its ways";
	if (params->l2_tlb.entries < params->l2_tlb.ways ||
	    params->walk_cache.entries < params->walk_cache.ways)
		return "a TLB has fewer entries than ways";
	if (params->predictor.target_entries < params->predictor.target_ways)
		return "the branch target buffer has fewer entries than ways";
	return NULL;
}
