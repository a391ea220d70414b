/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/builtin.h"

#include <pthread.h>

#include "spec/builtin_tables.h"

static const char *text(uint32_t offset)
{
	return offset ? builtin_text + offset : NULL;
}

static const uint16_t *index_array(struct packed_list list)
{
	return list.count ? builtin_indexes + list.first : NULL;
}

static struct plumb_indexes indexes(struct packed_list list)
{
	return (struct plumb_indexes){index_array(list), list.count};
}

static const struct plumb_event *events(struct packed_list list)
{
	struct plumb_event *room = builtin_event_room + list.first;

	if (!list.count)
		return NULL;
	for (size_t i = 0; i < list.count && !room[i].name; i++) {
		const struct packed_event *event = &builtin_events[list.first + i];

		room[i] = (struct plumb_event){
			.name = text(event->name),
			.title = text(event->title),
			.description = text(event->description),
			.code = event->code,
			.accesses = event->accesses,
			.architecture_defined = event->architecture_defined,
			.product_defined = event->product_defined,
			.has_attributes = event->has_attributes,
			.debug = event->debug,
		};
	}
	return room;
}

static const struct plumb_metric *metrics(struct packed_list list)
{
	struct plumb_metric *room = builtin_metric_room + list.first;

	if (!list.count)
		return NULL;
	for (size_t i = 0; i < list.count && !room[i].name; i++) {
		const struct packed_metric *metric = &builtin_metrics[list.first + i];

		room[i] = (struct plumb_metric){
			.name = text(metric->name),
			.title = text(metric->title),
			.description = text(metric->description),
			.formula = text(metric->formula),
			.units = text(metric->units),
			.events = indexes(metric->events),
			.sample_events = indexes(metric->sample_events),
		};
	}
	return room;
}

static const struct plumb_metric_group *metric_groups(struct packed_list list)
{
	struct plumb_metric_group *room = builtin_metric_group_room + list.first;

	if (!list.count)
		return NULL;
	for (size_t i = 0; i < list.count && !room[i].name; i++) {
		const struct packed_group *group = &builtin_metric_groups[list.first + i];

		room[i] = (struct plumb_metric_group){
			.name = text(group->name),
			.title = text(group->title),
			.description = text(group->description),
			.metrics = indexes(group->members),
		};
	}
	return room;
}

static const struct plumb_functional_group *functional_groups(struct packed_list list)
{
	struct plumb_functional_group *room = builtin_functional_group_room + list.first;

	if (!list.count)
		return NULL;
	for (size_t i = 0; i < list.count && !room[i].name; i++) {
		const struct packed_group *group = &builtin_functional_groups[list.first + i];

		room[i] = (struct plumb_functional_group){
			.name = text(group->name),
			.title = text(group->title),
			.description = text(group->description),
			.events = indexes(group->members),
		};
	}
	return room;
}

static const struct plumb_stage *stages(struct packed_list list)
{
	struct plumb_stage *room = builtin_stage_room + list.first;

	if (!list.count)
		return NULL;
	for (size_t i = 0; i < list.count && !room[i].name; i++) {
		const struct packed_stage *stage = &builtin_stages[list.first + i];

		room[i] = (struct plumb_stage){text(stage->name), indexes(stage->groups)};
	}
	return room;
}

static const struct plumb_node *nodes(struct packed_list list)
{
	struct plumb_node *room = builtin_node_room + list.first;
	bool *is_made = builtin_node_is_made + list.first;

	if (!list.count)
		return NULL;
	for (size_t i = 0; i < list.count && !is_made[i]; i++) {
		const struct packed_node *node = &builtin_nodes[list.first + i];

		room[i] = (struct plumb_node){
			.metric = node->metric,
			.group = node->group,
			.next_item_count = node->next_items.count,
			.next_items = node->next_items.count
					      ? builtin_next_items + node->next_items.first
					      : NULL,
			.sample_events = indexes(node->sample_events),
		};
		is_made[i] = true;
	}
	return room;
}

static const struct plumb_methodology *methodologies(struct packed_list list)
{
	struct plumb_methodology *room = builtin_methodology_room + list.first;

	if (!list.count)
		return NULL;
	for (size_t i = 0; i < list.count && !room[i].name; i++) {
		const struct packed_methodology *of = &builtin_methodologies[list.first + i];

		room[i] = (struct plumb_methodology){
			.name = text(of->name),
			.title = text(of->title),
			.description = text(of->description),
			.stages = stages(of->stages),
			.stage_count = of->stages.count,
			.nodes = nodes(of->nodes),
			.node_count = of->nodes.count,
			.roots = indexes(of->roots),
		};
	}
	return room;
}

static struct plumb_product product(const struct packed_product *of)
{
	return (struct plumb_product){
		.name = text(of->name),
		.architecture = text(of->architecture),
		.pmu_architecture = text(of->pmu_architecture),
		.implementer = of->implementer,
		.part = of->part,
		.major_revision = of->major_revision,
		.minor_revision = of->minor_revision,
		.slots = of->slots,
		.bus_slots = of->bus_slots,
		.counters = of->counters,
	};
}

static struct plumb_document document(const struct packed_document *of)
{
	return (struct plumb_document){
		.timestamp = text(of->timestamp),
		.copyright = text(of->copyright),
		.quality = text(of->quality),
		.license = text(of->license),
		.description = text(of->description),
		.revision = text(of->revision),
		.sha1 = text(of->sha1),
		.confidential = of->confidential,
	};
}

static void make(const struct packed_spec *of, struct plumb_spec *spec)
{
	*spec = (struct plumb_spec){
		.id = text(of->id),
		.product = product(&of->product),
		.document = document(&of->document),
		.events = events(of->events),
		.metrics = metrics(of->metrics),
		.metric_groups = metric_groups(of->metric_groups),
		.functional_groups = functional_groups(of->functional_groups),
		.methodologies = methodologies(of->methodologies),
		.event_count = of->events.count,
		.metric_count = of->metrics.count,
		.metric_group_count = of->metric_groups.count,
		.functional_group_count = of->functional_groups.count,
		.methodology_count = of->methodologies.count,
		.events_by_name = index_array(of->events_by_name),
		.events_by_code = index_array(of->events_by_code),
		.metrics_by_name = index_array(of->metrics_by_name),
	};
}

const struct plumb_spec *builtin_spec(size_t i)
{
	/* Specifications share arrays, so only one is made at a time. */
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

	if (!atomic_load_explicit(&builtin_spec_is_made[i], memory_order_acquire)) {
		pthread_mutex_lock(&making);
		if (!atomic_load_explicit(&builtin_spec_is_made[i], memory_order_relaxed)) {
			make(&builtin_specs[i], &builtin_spec_room[i]);
			atomic_store_explicit(&builtin_spec_is_made[i], true, memory_order_release);
		}
		pthread_mutex_unlock(&making);
	}
	return &builtin_spec_room[i];
}

struct builtin_name builtin_name(size_t i)
{
	const struct packed_product *of = &builtin_specs[i].product;

	return (struct builtin_name){text(builtin_specs[i].id), text(of->name), of->major_revision,
				     of->minor_revision};
}
