/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/figures.h"

#include <stdio.h>
#include <string.h>

#include "calibrate/assemble.h"

const struct figure figures[FIGURE_COUNT] = {
#define LATENCY(id, parameter, text, instruction, of_vectors) \
	[FIGURE_##id] = {                                     \
		.name = parameter,                            \
		.what = text,                                 \
		.method = METHOD_LATENCY,                     \
		.trial = {.kernel = KERNEL_CHAIN, .word = (instruction), .vector = of_vectors}},
#define SIZE(id, parameter, text, measured_by, instruction, apart, of_vectors, from, to, more, by, \
	     plus, ...)                                                                            \
	[FIGURE_##id] = {.name = parameter,                                                        \
			 .what = text,                                                             \
			 .method = METHOD_SIZE,                                                    \
			 .trial = {.kernel = measured_by,                                          \
				   .word = (instruction),                                          \
				   .stride = apart,                                                \
				   .vector = of_vectors},                                          \
			 .least = from,                                                            \
			 .most = to,                                                               \
			 .rise = more,                                                             \
			 .scale = by,                                                              \
			 .offset = plus,                                                           \
			 .needs = {__VA_ARGS__}},
#define DERIVED(id, parameter, text, ...)          \
	[FIGURE_##id] = {.name = parameter,        \
			 .what = text,             \
			 .method = METHOD_DERIVED, \
			 .needs = {__VA_ARGS__}},
#include "calibrate/figures.def"
#undef LATENCY
#undef SIZE
#undef DERIVED
};

/* Before the class of the operations that wait in a queue. */
static const char queue[] = "queue:";

/* Returns the class whose operations wait in the queue of a figure; CLASS_COUNT: it is no queue's.
 */
static unsigned class_of(enum figure_id id)
{
	const char *text = figures[id].name;

	if (strncmp(text, queue, strlen(queue)) != 0)
		return CLASS_COUNT;
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		if (strcmp(insn_class_name(c), text + strlen(queue)) == 0)
			return c;
	return CLASS_COUNT;
}

static const char *queue_name(const struct core_params *base, unsigned class)
{
	return base->queue_names[base->classes[class].queue];
}

/* Returns the figure of the queues with a name, or FIGURE_NONE. */
static enum figure_id figure_of(const struct core_params *base, const char *name)
{
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		const unsigned class = class_of(id);

		if (class != CLASS_COUNT && strcmp(queue_name(base, class), name) == 0)
			return id;
	}
	return FIGURE_NONE;
}

struct figure_queues figure_queues(enum figure_id id, const struct core_params *base)
{
	const unsigned class = class_of(id);
	struct figure_queues queues = {0};

	if (class == CLASS_COUNT)
		return queues;
	if (!base->queue_ports[0])
		return (struct figure_queues){.own = 1};
	for (unsigned q = 0; q < base->queue_count; q++) {
		if (!(base->queue_ports[q] & base->classes[class].pieces[0].ports))
			continue;
		if (strcmp(base->queue_names[q], queue_name(base, class)) == 0) {
			queues.own++;
		} else {
			queues.other = figure_of(base, base->queue_names[q]);
			queues.other_count++;
		}
	}
	return queues;
}

void figure_name(enum figure_id id, const struct core_params *base, char *name, size_t size)
{
	const unsigned class = class_of(id);

	if (class == CLASS_COUNT)
		snprintf(name, size, "%s", figures[id].name);
	else
		snprintf(name, size, "queues.%s.entries", queue_name(base, class));
}
