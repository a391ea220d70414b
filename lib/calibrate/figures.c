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

bool figure_is_of_pipelines(enum figure_id id, const struct core_params *base)
{
	return base->queue_ports[0] && strncmp(figures[id].name, queue, strlen(queue)) == 0;
}

void figure_name(enum figure_id id, const struct core_params *base, char *name, size_t size)
{
	const char *text = figures[id].name;

	if (strncmp(text, queue, strlen(queue)) != 0) {
		snprintf(name, size, "%s", text);
		return;
	}
	snprintf(name, size, "queues.unknown.entries");
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		if (strcmp(insn_class_name(c), text + strlen(queue)) == 0)
			snprintf(name, size, "queues.%s.entries",
				 base->queue_names[base->classes[c].queue]);
}
