/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions cost, from the model's tables. */
#include <plumb/cost.h>

#include <stdio.h>
#include <string.h>

#include "params.h"

/* Variant and revision of a MIDR_EL1. */
#define REVISIONS UINT32_C(0x00f0000f)

static const struct core_params *params_of(const struct plumb_cost_core *core)
{
	return (const struct core_params *)(const void *)core;
}

const struct plumb_cost_core *plumb_cost_core(uint32_t midr)
{
	for (size_t i = 0; model_cores[i]; i++)
		if (((model_cores[i]->midr ^ midr) & ~REVISIONS) == 0)
			return (const struct plumb_cost_core *)(const void *)model_cores[i];
	return NULL;
}

const char *plumb_cost_core_name(const struct plumb_cost_core *core)
{
	return params_of(core)->name;
}

unsigned plumb_cost_mispredict(const struct plumb_cost_core *core)
{
	return params_of(core)->mispredict_cycles;
}

/* Appends text, as far as there is room. */
static void append(char *text, size_t size, const char *more)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s", more);
}

/* Appends the names of ports, each a letter and a digit. Those of a letter are "M01". */
static void append_ports(const struct core_params *core, uint32_t mask, char *text, size_t size)
{
	for (unsigned i = 0; i < core->port_count; i++) {
		const char letter[] = {core->port_names[i][0], '\0'};

		if (!(mask >> i & 1))
			continue;
		append(text, size, letter);
		for (int digit = '0'; digit <= '9'; digit++)
			for (unsigned j = i; j < core->port_count; j++) {
				const char *name = core->port_names[j];

				if (!(mask >> j & 1) || name[0] != *letter || name[1] != digit)
					continue;
				append(text, size, name + 1);
				mask &= ~(UINT32_C(1) << j);
			}
	}
}

bool plumb_cost_of(const struct plumb_cost_core *cost_core, uint32_t word, struct plumb_cost *cost)
{
	const struct core_params *core = params_of(cost_core);
	const struct class_params *class;
	struct insn insn;
	char number[16];

	*cost = (struct plumb_cost){0};
	if (!insn_decode(word, core->vector_bytes, &insn) || insn.class >= CLASS_COUNT)
		return false;
	class = &core->classes[insn.class];
	cost->name = insn_class_name(insn.class);
	cost->operations = class->operations;
	cost->latency = class->latency;
	if (insn.memory & MEM_LOAD)
		cost->latency += core->l1d.latency;
	cost->accumulator_latency = class->accumulator_latency;
	for (unsigned i = 0; i < class->piece_count; i++) {
		const struct piece_params *piece = &class->pieces[i];

		if (i)
			append(cost->ports, sizeof(cost->ports), " ");
		snprintf(number, sizeof(number), "%u*", piece->count);
		if (piece->count > 1)
			append(cost->ports, sizeof(cost->ports), number);
		append_ports(core, piece->ports, cost->ports, sizeof(cost->ports));
		snprintf(number, sizeof(number), "/%u", piece->busy);
		if (piece->busy > 1)
			append(cost->ports, sizeof(cost->ports), number);
	}
	return true;
}
