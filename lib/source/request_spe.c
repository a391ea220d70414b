/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SPE unit's terms: those of Linux's arm_spe PMU (perf-arm-spe(1)), and short forms for what
 * is mostly wanted of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/spe.h>

#include "base/near.h"
#include "source/request.h"

/* PMSLATFR.MINLAT has 12 bits. */
#define LATENCY_MAX 4095

enum what { FLAG, LATENCY, MASK };

static const struct {
	const char *key;
	enum what what;
	size_t offset;
} terms[] = {
	{"ts_enable", FLAG, offsetof(struct sampled_spe, ts_enable)},
	{"pa_enable", FLAG, offsetof(struct sampled_spe, pa_enable)},
	{"pct_enable", FLAG, offsetof(struct sampled_spe, pct_enable)},
	{"jitter", FLAG, offsetof(struct sampled_spe, jitter)},
	{"load_filter", FLAG, offsetof(struct sampled_spe, load_filter)},
	{"store_filter", FLAG, offsetof(struct sampled_spe, store_filter)},
	{"branch_filter", FLAG, offsetof(struct sampled_spe, branch_filter)},
	{"simd_filter", FLAG, offsetof(struct sampled_spe, simd_filter)},
	{"float_filter", FLAG, offsetof(struct sampled_spe, float_filter)},
	{"discard", FLAG, offsetof(struct sampled_spe, discard)},
	{"min_latency", LATENCY, offsetof(struct sampled_spe, min_latency)},
	{"event_filter", MASK, offsetof(struct sampled_spe, event_filter)},
	{"inv_event_filter", MASK, offsetof(struct sampled_spe, inv_event_filter)},
};

/* Short forms: a filter by operation, and events that must have happened. */
static const struct {
	const char *key;
	bool load, store, branch, simd, fp;
	uint64_t events;
} shorts[] = {
	{.key = "load", .load = true},
	{.key = "store", .store = true},
	{.key = "branch", .branch = true},
	{.key = "simd", .simd = true},
	{.key = "float", .fp = true},
	{.key = "branch-miss",
	 .branch = true,
	 .events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_MISPREDICTED)},
	{.key = "l1d-miss", .events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_L1D_REFILL)},
	{.key = "tlb-miss", .events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_TLB_WALK)},
	{.key = "llc-miss", .events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_LLC_MISS)},
	{.key = "remote-access", .events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_REMOTE_ACCESS)},
	{.key = "misaligned", .events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_MISALIGNED)},
	{.key = "retired", .events = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_RETIRED)},
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct sampled_spe request_spe_default(void)
{
	return (struct sampled_spe){.ts_enable = true, .jitter = true};
}

int request_number(const char *key, const char *value, uint64_t least, uint64_t most,
		   uint64_t *number, struct plumb_diagnostics *found)
{
	char *end;

	errno = 0;
	if (value && *value >= '0' && *value <= '9') {
		*number = strtoull(value, &end, 0);
		if (!*end && !errno && *number >= least && *number <= most)
			return 0;
	}
	request_wrong(found, PLUMB_ERR_INVALID, key, strlen(key),
		      value ? "bad value '%.60s'" : "a value is needed", value ? value : "");
	if (most == UINT64_MAX)
		plumb_diagnostics_hint(found, "a whole number from %llu on, decimal or with 0x",
				       (unsigned long long)least);
	else
		plumb_diagnostics_hint(found, "%llu to %llu are allowed", (unsigned long long)least,
				       (unsigned long long)most);
	return PLUMB_ERR_INVALID;
}

static int set_term(size_t i, const char *value, struct sampled_spe *spe,
		    struct plumb_diagnostics *found)
{
	char *member = (char *)spe + terms[i].offset;
	uint64_t most = terms[i].what == FLAG      ? 1
			: terms[i].what == LATENCY ? LATENCY_MAX
						   : UINT64_MAX;
	uint64_t number = 1;
	uint16_t latency;
	int error = 0;

	if (value || terms[i].what != FLAG)
		error = request_number(terms[i].key, value, 0, most, &number, found);
	if (error < 0)
		return error;
	if (terms[i].what == FLAG) {
		*(bool *)member = number;
	} else if (terms[i].what == LATENCY) {
		latency = (uint16_t)number;
		memcpy(member, &latency, sizeof(latency));
	} else {
		memcpy(member, &number, sizeof(number));
	}
	return 0;
}

static int unknown(const char *key, struct plumb_diagnostics *found)
{
	struct near near = near_to(key);

	for (size_t i = 0; i < COUNT(terms); i++)
		near_offer(&near, terms[i].key, terms[i].key);
	for (size_t i = 0; i < COUNT(shorts); i++)
		near_offer(&near, shorts[i].key, shorts[i].key);
	near_offer(&near, "period", "period");
	near_offer(&near, "latency", "latency>=N");
	request_wrong(found, PLUMB_ERR_NOT_FOUND, key, strlen(key), "SPE has no such parameter");
	if (near.best)
		plumb_diagnostics_hint(found, "did you mean %s?", near.best);
	else
		plumb_diagnostics_hint(
			found,
			"there are ts_enable, pa_enable, pct_enable, jitter, load_filter, "
			"store_filter, branch_filter, simd_filter, float_filter, discard, "
			"min_latency, event_filter, inv_event_filter, period, name; and load, "
			"store, branch, branch-miss, l1d-miss, tlb-miss, llc-miss, "
			"latency>=N");
	return PLUMB_ERR_NOT_FOUND;
}

/* "latency>" comes with "=100" as its value: the list's '=' stands in the middle of ">=". */
static int set_latency(const char *key, const char *value, struct sampled_spe *spe,
		       struct plumb_diagnostics *found)
{
	const char *text = key + strlen("latency>");
	bool above = *text; /* "latency>99" */
	uint64_t number;
	int error = above && value ? PLUMB_ERR_SYNTAX : 0;

	if (error < 0)
		return unknown(key, found);
	error = request_number("latency", above ? text : value, 0, LATENCY_MAX - above, &number,
			       found);
	if (error == 0)
		spe->min_latency = (uint16_t)(number + above);
	return error;
}

int request_spe_term(const char *key, const char *value, struct sampled_spe *spe,
		     struct plumb_diagnostics *found)
{
	for (size_t i = 0; i < COUNT(terms); i++)
		if (strcmp(key, terms[i].key) == 0)
			return set_term(i, value, spe, found);
	if (strncmp(key, "latency>", strlen("latency>")) == 0)
		return set_latency(key, value, spe, found);
	for (size_t i = 0; i < COUNT(shorts); i++) {
		if (strcmp(key, shorts[i].key) != 0)
			continue;
		if (value)
			return request_wrong(found, PLUMB_ERR_INVALID, key, strlen(key),
					     "it takes no value");
		spe->load_filter |= shorts[i].load;
		spe->store_filter |= shorts[i].store;
		spe->branch_filter |= shorts[i].branch;
		spe->simd_filter |= shorts[i].simd;
		spe->float_filter |= shorts[i].fp;
		spe->event_filter |= shorts[i].events;
		return 0;
	}
	return unknown(key, found);
}
