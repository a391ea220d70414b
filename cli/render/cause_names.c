/* SPDX-License-Identifier: Apache-2.0 */
#include "render/cause_names.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *cause, *node; /* model/exact.def; the decision tree */
} nodes[] = {
	{"frontend_flow", "frontend_core_flow"}, {"frontend_flush", "frontend_core_flush"},
	{"frontend_tlb", "frontend_mem_tlb"},    {"frontend_l1i", "frontend_cache_l1i"},
	{"frontend_mem", "frontend_cache_l2i"},  {"backend_l1d", "backend_cache_l1d"},
	{"backend_mem", "backend_cache_l2d"},    {"backend_tlb", "backend_mem_tlb"},
	{"backend_store", "backend_mem_store"},
};

const char *cause_shown(const char *cause)
{
	for (size_t i = 0; cause && i < sizeof(nodes) / sizeof(*nodes); i++)
		if (strcmp(cause, nodes[i].cause) == 0)
			return nodes[i].node;
	return cause;
}
