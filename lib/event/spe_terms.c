/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the SPE unit's terms: those of Linux's arm_spe PMU (perf-arm-spe(1)), and short forms of
 * common ones.
 */
#include <string.h>

#include <plumb/spe.h>

#include "base/near.h"
#include "event/parse.h"

/* PMSLATFR.MINLAT has 12 bits. */
#define LATENCY_MAX 4095

enum term_type { FLAG, LATENCY, MASK, SOURCES };

static const struct {
	const char *key;
	enum term_type type;
	size_t offset;
} terms[] = {
	{"ts_enable", FLAG, offsetof(struct plumb_event_spe, ts_enable)},
	{"pa_enable", FLAG, offsetof(struct plumb_event_spe, pa_enable)},
	{"pct_enable", FLAG, offsetof(struct plumb_event_spe, pct_enable)},
	{"jitter", FLAG, offsetof(struct plumb_event_spe, jitter)},
	{"load_filter", FLAG, offsetof(struct plumb_event_spe, load_filter)},
	{"store_filter", FLAG, offsetof(struct plumb_event_spe, store_filter)},
	{"branch_filter", FLAG, offsetof(struct plumb_event_spe, branch_filter)},
	{"simd_filter", FLAG, offsetof(struct plumb_event_spe, simd_filter)},
	{"float_filter", FLAG, offsetof(struct plumb_event_spe, float_filter)},
	{"discard", FLAG, offsetof(struct plumb_event_spe, discard)},
	{"min_latency", LATENCY, offsetof(struct plumb_event_spe, min_latency)},
	{"event_filter", MASK, offsetof(struct plumb_event_spe, event_filter)},
	{"inv_event_filter", MASK, offsetof(struct plumb_event_spe, inv_event_filter)},
	{"load_filter_mask", FLAG, offsetof(struct plumb_event_spe, load_filter_mask)},
	{"store_filter_mask", FLAG, offsetof(struct plumb_event_spe, store_filter_mask)},
	{"branch_filter_mask", FLAG, offsetof(struct plumb_event_spe, branch_filter_mask)},
	{"simd_filter_mask", FLAG, offsetof(struct plumb_event_spe, simd_filter_mask)},
	{"float_filter_mask", FLAG, offsetof(struct plumb_event_spe, float_filter_mask)},
	{"inv_data_src_filter", MASK, offsetof(struct plumb_event_spe, inv_data_src_filter)},
	{"data_source", SOURCES, offsetof(struct plumb_event_spe, data_source)},
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

struct plumb_event_spe event_spe_default(void)
{
	return (struct plumb_event_spe){.ts_enable = true, .jitter = true};
}

static int set_term(const struct event_reader *reader, size_t i, const char *key, const char *value,
		    struct plumb_event_spe *spe)
{
	char *member = (char *)spe + terms[i].offset;
	uint64_t most = terms[i].type == FLAG      ? 1
			: terms[i].type == LATENCY ? LATENCY_MAX
						   : UINT64_MAX;
	uint64_t number = 1;
	uint16_t latency;
	int error = 0;

	if (terms[i].type == SOURCES) {
		if (!value || !*value)
			return event_refuse(reader, PLUMB_ERR_INVALID,
					    (struct event_word){key, strlen(key)},
					    "requires a value");
		/* Only loads have a source on most cores. */
		spe->load_filter = true;
		spe->data_source = value;
		return 0;
	}
	if (value || terms[i].type != FLAG)
		error = event_term_number(reader, terms[i].key, value, 0, most, &number);
	if (error < 0)
		return error;
	if (terms[i].type == FLAG) {
		*(bool *)member = number;
	} else if (terms[i].type == LATENCY) {
		latency = (uint16_t)number;
		memcpy(member, &latency, sizeof(latency));
	} else {
		memcpy(member, &number, sizeof(number));
	}
	return 0;
}

static int unknown(const struct event_reader *reader, const char *key)
{
	struct near near = near_to(key);

	for (size_t i = 0; i < COUNT(terms); i++)
		near_offer(&near, terms[i].key, terms[i].key);
	for (size_t i = 0; i < COUNT(shorts); i++)
		near_offer(&near, shorts[i].key, shorts[i].key);
	near_offer(&near, "period", "period");
	near_offer(&near, "latency", "latency>=N");
	event_refuse(reader, PLUMB_ERR_NOT_FOUND, (struct event_word){key, strlen(key)},
		     "unknown SPE term");
	if (near.best)
		plumb_diagnostics_hint(reader->diagnostics, "did you mean %s?", near.best);
	else
		plumb_diagnostics_hint(
			reader->diagnostics,
			"use ts_enable, pa_enable, pct_enable, jitter, load_filter, store_filter, "
			"branch_filter, simd_filter, float_filter, discard, min_latency, "
			"event_filter, inv_event_filter, load_filter_mask and the other masks, "
			"inv_data_src_filter, period, name, or the short forms load, store, "
			"branch, simd, float, branch-miss, l1d-miss, tlb-miss, llc-miss, "
			"remote-access, misaligned, retired, latency>=N, data_source=NAME");
	return PLUMB_ERR_NOT_FOUND;
}

/* Reads latency>=N and latency>N. The term's '=' splits ">=", so `key` may end in '>'. */
static int set_latency(const struct event_reader *reader, const char *key, const char *value,
		       struct plumb_event_spe *spe)
{
	const char *text = key + strlen("latency>");
	bool above = *text; /* "latency>99" */
	uint64_t number;
	int error;

	if (above && value)
		return unknown(reader, key);
	error = event_term_number(reader, "latency", above ? text : value, 0, LATENCY_MAX - above,
				  &number);
	if (error == 0)
		spe->min_latency = (uint16_t)(number + above);
	return error;
}

int event_spe_term(const struct event_reader *reader, const char *key, const char *value,
		   struct plumb_event_spe *spe)
{
	for (size_t i = 0; i < COUNT(terms); i++)
		if (strcmp(key, terms[i].key) == 0)
			return set_term(reader, i, key, value, spe);
	if (strncmp(key, "latency>", strlen("latency>")) == 0)
		return set_latency(reader, key, value, spe);
	for (size_t i = 0; i < COUNT(shorts); i++) {
		if (strcmp(key, shorts[i].key) != 0)
			continue;
		if (value)
			return event_refuse(reader, PLUMB_ERR_INVALID,
					    (struct event_word){key, strlen(key)},
					    "takes no value");
		spe->load_filter |= shorts[i].load;
		spe->store_filter |= shorts[i].store;
		spe->branch_filter |= shorts[i].branch;
		spe->simd_filter |= shorts[i].simd;
		spe->float_filter |= shorts[i].fp;
		spe->event_filter |= shorts[i].events;
		return 0;
	}
	return unknown(reader, key);
}
