/* SPDX-License-Identifier: Apache-2.0 */
/* Events by name: those of the kernel's software, of perf's own names, of the CPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/text.h"
#include "source/request.h"

/* PERF_COUNT_SW_*, by their numbers; perf's other name beside them. */
static const struct {
	const char *name, *other;
	uint8_t config;
} software[] = {
	{"cpu-clock", NULL, 0},
	{"task-clock", NULL, 1},
	{"page-faults", "faults", 2},
	{"context-switches", "cs", 3},
	{"cpu-migrations", "migrations", 4},
	{"minor-faults", NULL, 5},
	{"major-faults", NULL, 6},
	{"alignment-faults", NULL, 7},
	{"emulation-faults", NULL, 8},
	{"dummy", NULL, 9},
	{"cgroup-switches", NULL, 11},
};

/*
 * perf's generic names, and what Linux's driver counts for them: armv8_pmuv3_perf_map and
 * armv8_pmuv3_perf_cache_map in its arm_pmuv3.c. The second code is for cores without the first.
 */
static const struct {
	const char *name, *other;
	uint16_t code, instead;
} generic[] = {
	{"cycles", "cpu-cycles", 0x11, 0x11},
	{"instructions", NULL, 0x08, 0x08},
	{"cache-references", NULL, 0x04, 0x04},
	{"cache-misses", NULL, 0x03, 0x03},
	{"branches", "branch-instructions", 0x0c, 0x21},
	{"branch-misses", NULL, 0x10, 0x10},
	{"bus-cycles", NULL, 0x1d, 0x1d},
	{"stalled-cycles-frontend", "idle-cycles-frontend", 0x23, 0x23},
	{"stalled-cycles-backend", "idle-cycles-backend", 0x24, 0x24},
	{"L1-dcache-loads", NULL, 0x04, 0x04},
	{"L1-dcache-load-misses", NULL, 0x03, 0x03},
	{"L1-icache-loads", NULL, 0x14, 0x14},
	{"L1-icache-load-misses", NULL, 0x01, 0x01},
	{"LLC-loads", NULL, 0x36, 0x36},
	{"LLC-load-misses", NULL, 0x37, 0x37},
	{"dTLB-loads", NULL, 0x25, 0x25},
	{"dTLB-load-misses", NULL, 0x05, 0x05},
	{"iTLB-loads", NULL, 0x26, 0x26},
	{"iTLB-load-misses", NULL, 0x02, 0x02},
	{"branch-loads", NULL, 0x12, 0x12},
	{"branch-load-misses", NULL, 0x10, 0x10},
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool is(const char *word, const char *name, const char *other)
{
	return text_compare(word, name) == 0 || (other && text_compare(word, other) == 0);
}

static bool has_code(const struct plumb_spec *spec, uint16_t code)
{
	return plumb_spec_event_by_code(spec, code) != PLUMB_NONE;
}

bool request_code(const char *text, uint16_t *code)
{
	const char *digits = text[0] == 'r' || text[0] == 'R' ? text + 1 : NULL;
	unsigned long value;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		digits = text + 2;
	if (!digits || !*digits || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return false;
	errno = 0;
	value = strtoul(digits, NULL, 16);
	*code = (uint16_t)value;
	return !errno && value <= UINT16_MAX;
}

static int unknown(const char *name, const struct plumb_spec *spec, struct plumb_diagnostics *found)
{
	struct near near = near_to(name);

	for (size_t i = 0; i < COUNT(software); i++)
		near_offer(&near, software[i].name, software[i].name);
	for (size_t i = 0; i < COUNT(generic); i++)
		near_offer(&near, generic[i].name, generic[i].name);
	for (uint16_t i = 0; spec && i < spec->event_count; i++)
		if (spec->events[i].accesses & PLUMB_ACCESS_PMU)
			near_offer(&near, spec->events[i].name, spec->events[i].name);
	near_offer(&near, "spe", "spe");
	request_wrong(found, PLUMB_ERR_NOT_FOUND, name, strlen(name), "there is no such event");
	if (near.best)
		plumb_diagnostics_hint(found, "did you mean %s?", near.best);
	else if (spec)
		plumb_diagnostics_hint(found, "plumb spec list events --cpu %s lists them",
				       spec->id);
	return PLUMB_ERR_NOT_FOUND;
}

int request_name(const char *name, const struct plumb_spec *spec, struct sampled_event *event,
		 struct plumb_diagnostics *found)
{
	uint16_t index, code;
	size_t i = 0;

	for (i = 0; i < COUNT(software); i++) {
		if (is(name, software[i].name, software[i].other)) {
			event->kind = SAMPLED_SOFTWARE;
			event->config = software[i].config;
			return 0;
		}
	}
	event->kind = SAMPLED_PMU;
	/* The CPU's own names go before perf's: no name of one is also one of the other's. */
	index = spec ? plumb_spec_event(spec, name) : PLUMB_NONE;
	if (index != PLUMB_NONE && spec->events[index].accesses & PLUMB_ACCESS_PMU) {
		event->config = spec->events[index].code;
		return 0;
	}
	for (i = 0; i < COUNT(generic); i++)
		if (is(name, generic[i].name, generic[i].other))
			break;
	if (i < COUNT(generic))
		code = spec && has_code(spec, generic[i].code) ? generic[i].code
							       : generic[i].instead;
	else if (!request_code(name, &code))
		return unknown(name, spec, found);
	if (!spec) {
		request_wrong(found, PLUMB_ERR_UNSUPPORTED, name, strlen(name),
			      "there is no Arm PMU here to sample it with");
		plumb_diagnostics_hint(found, "--source model samples it on any machine; software "
					      "events, cpu-clock for one, need no PMU");
		return PLUMB_ERR_UNSUPPORTED;
	}
	event->config = code;
	return 0;
}
