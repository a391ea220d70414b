/* SPDX-License-Identifier: Apache-2.0 */
#include "what_if.h"

#include <stdlib.h>

#include "core.h"

struct system {
	struct core_params params;
	struct memory_system *memory;
	uint64_t latest; /* time of the core that is the furthest ahead */
	enum what_if answers;
};

struct what_if_systems {
	unsigned count;
	struct system all[WHAT_IF_COUNT];
};

static bool add_system(struct what_if_systems *systems, const struct core_params *params,
		       enum what_if answers, uint32_t ideal)
{
	struct system *added = &systems->all[systems->count];

	added->params = *params;
	added->params.ideal = (uint16_t)ideal;
	added->answers = answers;
	added->memory = memory_system_new(&added->params);
	if (!added->memory)
		return false;
	systems->count++;
	return true;
}

struct what_if_systems *what_if_new(const struct core_params *params, uint32_t parts)
{
	struct what_if_systems *systems = calloc(1, sizeof(*systems));
	bool good = systems != NULL;

	for (int part = 0; good && part < WHAT_IF_PARTS; part++)
		if (parts & 1u << part)
			good = add_system(systems, params, (enum what_if)part, 1u << part);
	if (good && parts & (parts - 1))
		good = add_system(systems, params, WHAT_IF_TOGETHER, parts & IDEAL_ALL);
	if (good)
		return systems;
	what_if_free(systems);
	return NULL;
}

void what_if_free(struct what_if_systems *systems)
{
	if (!systems)
		return;
	for (unsigned i = 0; i < systems->count; i++)
		memory_system_free(systems->all[i].memory);
	free(systems);
}

bool what_if_attach(struct what_if_systems *systems, struct core *core, uint64_t *cycles)
{
	for (unsigned i = 0; i < systems->count; i++) {
		struct system *system = &systems->all[i];
		struct core *shadow = core_new_shadow(&system->params, system->memory);

		if (!shadow)
			return false;
		core_add_shadow(core, shadow, &cycles[system->answers], &system->latest);
	}
	return true;
}
