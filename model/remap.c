/* SPDX-License-Identifier: Apache-2.0 */
/* What system calls do to the pages of a program, on a core and its shadows. */
#include "memo.h"

/* The kernel's dsb after it has ended translations: nothing is forwarded from stores before. */
static void await_stores(struct core *core)
{
	memo_leave(core);
	core->memory_floor = later(core->memory_floor, core->stores_gone);
}

void core_unmap(struct core *core, uint64_t from, uint64_t bytes)
{
	for (; core; core = core->shadows)
		if (memory_unmap(core->memory, from, bytes))
			await_stores(core);
}

void core_protect(struct core *core, uint64_t from, uint64_t bytes)
{
	for (; core; core = core->shadows)
		memory_protect(core->memory, from, bytes);
}

void core_move(struct core *core, uint64_t from, uint64_t to, uint64_t bytes)
{
	for (; core; core = core->shadows) {
		memory_move(core->memory, from, to, bytes);
		await_stores(core);
	}
}

void core_catch_up(struct core *core)
{
	for (; core; core = core->shadows)
		memory_catch_up(core->memory);
}
