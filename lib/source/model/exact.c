/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/exact.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "lines.h"

#define CONTEXT_USER ((uint64_t)-512) /* PERF_CONTEXT_USER */

void exact_read_context(struct exact_chain *chain, const char *body, size_t size)
{
	struct model_frame_context context;

	memcpy(&context, body, sizeof(context));
	if (context.depth > MODEL_CHAIN_MAX ||
	    context.depth * sizeof(chain->addresses[0]) > size - sizeof(context))
		return;
	chain->profile = context.profile;
	chain->context = context.context;
	chain->depth = (uint32_t)context.depth;
	memcpy(chain->addresses, body + sizeof(context),
	       context.depth * sizeof(chain->addresses[0]));
}

/* Returns where its period is in `out`. */
static size_t write_sample(struct record_writer *out, const struct record_setup *setup,
			   const struct exact_chain *chain, const struct model_frame *frame,
			   unsigned slot, uint64_t ip, const struct model_cost *cost)
{
	uint64_t type = setup->events[cost->event].attr.sample_type;
	size_t period;

	record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_u64(out, setup->ids[cost->event]);
	record_u64(out, ip);
	record_u32(out, frame->pid);
	record_u32(out, frame->tid);
	if (type & PERF_SAMPLE_TIME)
		record_u64(out, frame->time);
	if (type & PERF_SAMPLE_CPU)
		record_u64(out, slot);
	period = out->size;
	record_u64(out, cost->count);
	record_u64(out, 2 + chain->depth);
	record_u64(out, CONTEXT_USER);
	record_u64(out, ip);
	for (uint32_t i = 0; i < chain->depth; i++)
		record_u64(out, chain->addresses[i]);
	record_close(out);
	return period;
}

/* Adds a count to the sum of its sample, which it writes if it is the first. Returns whether. */
static bool add_cost(struct record_writer *out, const struct record_setup *setup,
		     struct exact_sums *sums, const struct exact_chain *chain,
		     const struct model_frame *frame, unsigned slot, uint64_t ip,
		     const struct model_cost *cost)
{
	const struct exact_key key = {ip, chain->profile, chain->context, cost->event};
	const struct model_cost none = {.event = cost->event};
	uint64_t begin = sums->position(sums->user);
	struct exact_sum *sum = exact_sums_add(sums, &key, cost->count);

	if (!sum) {
		out->error = PLUMB_ERR_NO_MEMORY;
		return false;
	}
	if (sum->position)
		return false;
	/* Closing the sample may hand it over: that place is its own all the same. */
	sum->position = begin + write_sample(out, setup, chain, frame, slot, ip, &none);
	return true;
}

uint64_t exact_read_cost(struct record_writer *out, const struct record_setup *setup,
			 struct exact_sums *sums, const struct exact_chain *chain,
			 const struct model_frame *frame, unsigned slot, const char *body,
			 size_t size)
{
	struct model_frame_cost head;
	uint64_t written = 0;

	memcpy(&head, body, sizeof(head));
	body += sizeof(head);
	size -= sizeof(head);
	if (head.count > size / sizeof(struct model_cost))
		return 0;
	for (uint64_t i = 0; i < head.count; i++) {
		struct model_cost cost;

		memcpy(&cost, body + i * sizeof(cost), sizeof(cost));
		if (cost.event >= EXACT_COUNT)
			continue;
		if (sums) {
			written += add_cost(out, setup, sums, chain, frame, slot, head.ip, &cost);
			continue;
		}
		write_sample(out, setup, chain, frame, slot, head.ip, &cost);
		written++;
	}
	return written;
}

/* union perf_mem_data_src; its other parts are not known, or meaningless. */
static uint64_t data_source(const struct model_frame_line *line, bool moved)
{
	const uint64_t op = line->access == LINES_LOAD    ? PERF_MEM_OP_LOAD
			    : line->access == LINES_STORE ? PERF_MEM_OP_STORE
							  : PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE;

	return op << PERF_MEM_OP_SHIFT |
	       (moved ? PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1 : PERF_MEM_LVL_NA)
		       << PERF_MEM_LVL_SHIFT |
	       (moved ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_NA) << PERF_MEM_SNOOP_SHIFT |
	       (uint64_t)PERF_MEM_LOCK_NA << PERF_MEM_LOCK_SHIFT |
	       (uint64_t)PERF_MEM_TLB_NA << PERF_MEM_TLB_SHIFT;
}

static void write_line(struct record_writer *out, const struct record_setup *setup,
		       const struct model_frame *frame, unsigned slot,
		       const struct model_frame_line *line, bool moved)
{
	const unsigned event = moved ? EXACT_LINE_MOVES : EXACT_LINE_ACCESSES;
	const uint64_t type = setup->events[event].attr.sample_type;

	record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_u64(out, setup->ids[event]);
	record_u64(out, line->ip);
	record_u32(out, frame->pid);
	record_u32(out, frame->tid);
	if (type & PERF_SAMPLE_TIME)
		record_u64(out, frame->time);
	record_u64(out, line->address);
	if (type & PERF_SAMPLE_CPU)
		record_u64(out, slot);
	record_u64(out, moved ? line->moves : line->accesses);
	record_u32(out, sizeof(line->bytes)); /* raw data */
	record_u32(out, line->bytes);
	record_u64(out, data_source(line, moved));
	record_close(out);
}

uint64_t exact_read_line(struct record_writer *out, const struct record_setup *setup,
			 const struct model_frame *frame, unsigned slot, const char *body)
{
	struct model_frame_line line;

	memcpy(&line, body, sizeof(line));
	write_line(out, setup, frame, slot, &line, false);
	if (!line.moves)
		return 1;
	write_line(out, setup, frame, slot, &line, true);
	return 2;
}

void exact_warn(const struct model_sampling *sampling, struct plumb_diagnostics *diagnostics)
{
	uint64_t deep = atomic_load(&sampling->calls_too_deep);
	uint64_t many = atomic_load(&sampling->calls_too_many);
	uint32_t lost = atomic_load(&sampling->profiles_lost);

	if (atomic_load(&sampling->exact_failed))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "exact-incomplete", NULL,
				      "the profile is incomplete: out of memory");
	if (lost)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "profiles-lost", NULL,
				      "the profile is incomplete: %" PRIu32 " %s before delivering "
				      "what it had counted",
				      lost,
				      lost == 1 ? "thread was killed" : "threads were each killed");
	if (atomic_load(&sampling->lines_incomplete))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "lines-incomplete", NULL,
				      "threads share more cache lines than the model follows: "
				      "some of their accesses are missing");
	if (deep)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "deep-calls", NULL,
				      "%" PRIu64 " call sites are more than %d calls deep: they "
				      "count for their caller's context",
				      deep, CONTEXT_DEPTH_MAX);
	if (many)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "many-contexts", NULL,
				      "the program has more than %u calling contexts: %" PRIu64
				      " call sites count for their caller's context",
				      CONTEXTS_MAX, many);
}
