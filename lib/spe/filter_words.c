/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/filter_words.h"

#include "base/text.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static const struct filter_word words[] = {
	{.name = "load", .kinds = 1u << PLUMB_SPE_KIND_LOAD},
	{.name = "store", .kinds = 1u << PLUMB_SPE_KIND_STORE},
	{.name = "memory", .kinds = 1u << PLUMB_SPE_KIND_LOAD | 1u << PLUMB_SPE_KIND_STORE},
	{.name = "branch", .kinds = 1u << PLUMB_SPE_KIND_BRANCH},
	{.name = "other", .kinds = 1u << PLUMB_SPE_KIND_OTHER},
	{.name = "simd", .flags = PLUMB_SPE_OP_SIMD},
	{.name = "float", .flags = PLUMB_SPE_OP_FP},
	{.name = "conditional", .flags = PLUMB_SPE_OP_CONDITIONAL},
	{.name = "predicated", .flags = PLUMB_SPE_OP_PREDICATED},
	{.name = "gather-scatter", .flags = PLUMB_SPE_OP_GATHER_SCATTER},
	{.name = "atomic", .flags = PLUMB_SPE_OP_ATOMIC},
	{.name = "exclusive", .flags = PLUMB_SPE_OP_EXCLUSIVE},
	{.name = "acquire-release", .flags = PLUMB_SPE_OP_ACQUIRE_RELEASE},
	{.name = "call", .flags = PLUMB_SPE_OP_LINK},
	{.name = "return", .flags = PLUMB_SPE_OP_RETURN},
	{.name = "gcs", .flags = PLUMB_SPE_OP_GCS},
	{.name = "gcs-common", .flags = PLUMB_SPE_OP_COMMON},
	{.name = "user", .levels = 1 << 0},
	{.name = "kernel", .levels = 1 << 1 | 1 << 2},
};

/* Names beside perf's own, which plumb_spe_event_name() has: those of its groups, and Arm's. */
static const struct {
	const char *name;
	uint8_t bit;
} events[] = {
	{"exception", PLUMB_SPE_EV_EXCEPTION},
	{"retired", PLUMB_SPE_EV_RETIRED},
	{"l1d-access", PLUMB_SPE_EV_L1D_ACCESS},
	{"l1d-miss", PLUMB_SPE_EV_L1D_REFILL},
	{"l1d-refill", PLUMB_SPE_EV_L1D_REFILL},
	{"tlb-access", PLUMB_SPE_EV_TLB_ACCESS},
	{"tlb-miss", PLUMB_SPE_EV_TLB_WALK},
	{"tlb-walk", PLUMB_SPE_EV_TLB_WALK},
	{"not-taken", PLUMB_SPE_EV_NOT_TAKEN},
	{"branch-miss", PLUMB_SPE_EV_MISPREDICTED},
	{"mispredicted", PLUMB_SPE_EV_MISPREDICTED},
	{"llc-access", PLUMB_SPE_EV_LLC_ACCESS},
	{"llc-miss", PLUMB_SPE_EV_LLC_MISS},
	{"remote-access", PLUMB_SPE_EV_REMOTE_ACCESS},
	{"misaligned", PLUMB_SPE_EV_MISALIGNED},
	{"late-prefetch", PLUMB_SPE_EV_LATE_PREFETCH},
	{"transactional", PLUMB_SPE_EV_TRANSACTIONAL},
	{"partial-predicate", PLUMB_SPE_EV_PARTIAL_PREDICATE},
	{"empty-predicate", PLUMB_SPE_EV_EMPTY_PREDICATE},
	{"l2d-access", PLUMB_SPE_EV_L2D_ACCESS},
	{"l2d-miss", PLUMB_SPE_EV_L2D_MISS},
	{"data-modified", PLUMB_SPE_EV_CACHE_DATA_MODIFIED},
	{"recently-fetched", PLUMB_SPE_EV_RECENTLY_FETCHED},
	{"data-snooped", PLUMB_SPE_EV_DATA_SNOOPED},
	{"streaming-sve", PLUMB_SPE_EV_STREAMING_SVE},
	{"shared-sme", PLUMB_SPE_EV_SHARED_SME},
};

const struct filter_word *filter_word(const char *name)
{
	for (size_t i = 0; i < LENGTH(words); i++)
		if (text_compare(name, words[i].name) == 0)
			return &words[i];
	return NULL;
}

void filter_offer_words(struct near *near)
{
	for (size_t i = 0; i < LENGTH(words); i++)
		near_offer(near, words[i].name, words[i].name);
}

void filter_offer_events(struct near *near)
{
	for (size_t i = 0; i < LENGTH(events); i++)
		near_offer(near, events[i].name, events[i].name);
}

int spe_event_by_name(const char *name)
{
	for (size_t i = 0; i < LENGTH(events); i++)
		if (text_compare(name, events[i].name) == 0)
			return events[i].bit;
	for (int bit = 0; bit < 64; bit++) {
		const char *perfs = plumb_spe_event_name(0, (unsigned)bit);

		if (perfs && text_compare(name, perfs) == 0)
			return bit;
	}
	return PLUMB_ERR_NOT_FOUND;
}
