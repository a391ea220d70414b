/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/exact.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "events.h"

#define CONTEXT_USER    ((uint64_t)-512) /* PERF_CONTEXT_USER */
#define CONFIG_NO_EVENT 0x10000          /* above the codes of PMU events */

/* "exact/NAME/" */
static const char *const names[EXACT_COUNT] = {
#define EXACT_EVENT(name)       [EXACT_##name] = "exact/" #name "/",
#define EXACT_SLOTS(name, text) [EXACT_SLOTS_##name] = "exact/" text "/",
#include "exact.def"
#undef EXACT_EVENT
#undef EXACT_SLOTS
};

void exact_set_up(struct record_setup *setup, const struct source_record_job *job)
{
	for (unsigned e = 0; e < EXACT_COUNT; e++) {
		struct plumb_event_attr *attr = &setup->events[e].attr;

		attr->type = RECORD_TYPE_EXACT;
		attr->config = exact_events[e] == EVENT_COUNT ? CONFIG_NO_EVENT + e
							      : model_event_codes[exact_events[e]];
		attr->sample_type =
			record_common_type(job) | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
		record_set_common(setup, job, e, names[e]);
	}
	setup->recording.event_count = EXACT_COUNT;
}

void exact_read_context(struct model_frames *f, unsigned slot, const char *body, size_t size)
{
	struct exact_chain *chain = &f->chains[slot];
	struct model_frame_context context;

	memcpy(&context, body, sizeof(context));
	if (context.depth > MODEL_CHAIN_MAX ||
	    context.depth * sizeof(chain->addresses[0]) > size - sizeof(context))
		return;
	chain->depth = (uint32_t)context.depth;
	memcpy(chain->addresses, body + sizeof(context),
	       context.depth * sizeof(chain->addresses[0]));
}

static void write_sample(struct model_frames *f, const struct model_frame *frame, unsigned slot,
			 uint64_t ip, const struct model_cost *cost)
{
	const struct exact_chain *chain = &f->chains[slot];
	uint64_t type = f->setup->events[cost->event].attr.sample_type;

	record_begin(&f->out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_u64(&f->out, f->setup->ids[cost->event]);
	record_u64(&f->out, ip);
	record_u32(&f->out, frame->pid);
	record_u32(&f->out, frame->tid);
	if (type & PERF_SAMPLE_TIME)
		record_u64(&f->out, frame->time);
	if (type & PERF_SAMPLE_CPU)
		record_u64(&f->out, slot);
	record_u64(&f->out, cost->count);
	record_u64(&f->out, 2 + chain->depth);
	record_u64(&f->out, CONTEXT_USER);
	record_u64(&f->out, ip);
	for (uint32_t i = 0; i < chain->depth; i++)
		record_u64(&f->out, chain->addresses[i]);
	record_close(&f->out);
	f->samples++;
}

void exact_read_cost(struct model_frames *f, const struct model_frame *frame, unsigned slot,
		     const char *body, size_t size)
{
	struct model_frame_cost head;

	memcpy(&head, body, sizeof(head));
	body += sizeof(head);
	size -= sizeof(head);
	if (head.count > size / sizeof(struct model_cost))
		return;
	for (uint64_t i = 0; i < head.count; i++) {
		struct model_cost cost;

		memcpy(&cost, body + i * sizeof(cost), sizeof(cost));
		if (cost.event < EXACT_COUNT)
			write_sample(f, frame, slot, head.ip, &cost);
	}
}

void exact_warn(const struct model_sampling *sampling, struct plumb_diagnostics *found)
{
	uint64_t deep = atomic_load(&sampling->calls_too_deep);
	uint64_t many = atomic_load(&sampling->calls_too_many);

	if (atomic_load(&sampling->exact_failed))
		plumb_diagnostics_add(found, PLUMB_WARNING, "exact-incomplete", NULL,
				      "the profile is incomplete: out of memory");
	if (deep)
		plumb_diagnostics_add(found, PLUMB_WARNING, "deep-calls", NULL,
				      "%" PRIu64 " call sites are more than %d calls deep: they "
				      "count for their caller's context",
				      deep, CONTEXT_DEPTH_MAX);
	if (many)
		plumb_diagnostics_add(found, PLUMB_WARNING, "many-contexts", NULL,
				      "the program has more than %u calling contexts: %" PRIu64
				      " call sites count for their caller's context",
				      CONTEXTS_MAX, many);
}
