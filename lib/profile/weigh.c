/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/weigh.h"

#include <string.h>

#include <plumb/profile.h>

static const struct weigh_cause causes[] = {
#define CAUSE(name, exact, spe) {#name, exact, WEIGH_##spe},
#include "profile/causes.def"
};

const struct weigh_cause *weigh_cause(const char *name)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (strcmp(causes[i].name, name) == 0)
			return &causes[i];
	return NULL;
}

/* Returns the length of the event's own name, after "exact/"; 0: it is no event of that kind. */
static size_t own_name(const char *event, const char **name)
{
	static const char start[] = "exact/";

	if (!event || strncmp(event, start, sizeof(start) - 1) != 0)
		return 0;
	*name = event + sizeof(start) - 1;
	return strcspn(*name, "/");
}

bool weigh_exact(const struct weigh_cause *cause, const char *event)
{
	const char *name, *at = cause->exact;
	const size_t length = own_name(event, &name);

	while (length && *at) {
		const size_t wanted = strcspn(at, ",");
		const bool all = at[wanted - 1] == '_';

		if ((all ? length > wanted : length == wanted) && strncmp(at, name, wanted) == 0)
			return true;
		at += wanted + (at[wanted] == ',');
	}
	return false;
}

static bool happened(const struct plumb_spe_record *spe, unsigned event)
{
	return spe->has & PLUMB_SPE_HAS_EVENTS && spe->events & PLUMB_SPE_EVENT_BIT(event);
}

static double cycles(const struct plumb_spe_record *spe)
{
	const unsigned total = spe->counters[PLUMB_SPE_TOTAL_LATENCY];
	const unsigned issue =
		spe->has & PLUMB_SPE_HAS_ISSUE_LATENCY ? spe->counters[PLUMB_SPE_ISSUE_LATENCY] : 0;

	if (!(spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY))
		return 1;
	return total > issue ? total - issue : 1;
}

static bool is_store(const struct plumb_spe_record *spe)
{
	return plumb_spe_operation(spe->op_class, spe->operation).kind == PLUMB_SPE_KIND_STORE;
}

/* Returns whether the data came from another core, by perf's reading of the data source. */
static bool is_shared(const struct plumb_samples_item *item)
{
	const char *source =
		item->spe->has & PLUMB_SPE_HAS_DATA_SOURCE
			? plumb_spe_data_source_name(item->midr, item->spe->data_source)
			: NULL;

	return happened(item->spe, PLUMB_SPE_EV_DATA_SNOOPED) ||
	       (source && (strstr(source, "peer") || strstr(source, "cluster")));
}

/*
 * Returns whether a store got its line from beyond L1D, but not from memory. SPE does not say where
 * from, and its latency ends before: where cores share lines, it is taken to wait as loads do.
 */
static bool is_moving_store(const struct plumb_spe_record *spe)
{
	return is_store(spe) && happened(spe, PLUMB_SPE_EV_L1D_REFILL) &&
	       !happened(spe, PLUMB_SPE_EV_LLC_MISS) && !(spe->has & PLUMB_SPE_HAS_DATA_SOURCE);
}

double weigh_spe(enum weigh weigh, const struct plumb_samples_item *item)
{
	const struct plumb_spe_record *spe = item->spe;
	const bool access =
		spe->has & PLUMB_SPE_HAS_OPERATION && spe->op_class == PLUMB_SPE_LOAD_STORE;
	const bool branch = spe->has & PLUMB_SPE_HAS_OPERATION && spe->op_class == PLUMB_SPE_BRANCH;

	if (spe->has & PLUMB_SPE_HAS_EVENTS && !happened(spe, PLUMB_SPE_EV_RETIRED))
		return 0;
	switch (weigh) {
	case WEIGH_OPERATIONS:
		return branch ? 0 : cycles(spe);
	case WEIGH_ACCESSES:
		return access ? cycles(spe) : 0;
	case WEIGH_LOADS:
		return access && !is_store(spe) ? cycles(spe) : 0;
	case WEIGH_MISSES:
		return access && !is_store(spe) && happened(spe, PLUMB_SPE_EV_L1D_REFILL)
			       ? cycles(spe)
			       : 0;
	case WEIGH_STORES:
		return access && is_store(spe);
	case WEIGH_WALKS:
		if (!access || !happened(spe, PLUMB_SPE_EV_TLB_WALK))
			return 0;
		return spe->has & PLUMB_SPE_HAS_TRANSLATION_LATENCY
			       ? spe->counters[PLUMB_SPE_TRANSLATION_LATENCY]
			       : 1;
	case WEIGH_MISPREDICTIONS:
		return branch && happened(spe, PLUMB_SPE_EV_MISPREDICTED);
	case WEIGH_SHARED:
		return access && (is_shared(item) || is_moving_store(spe)) ? cycles(spe) : 0;
	default:
		return 0;
	}
}

/* Returns whether it weighs a latency that is unknown, because its counters were too small. */
static bool is_capped(enum weigh weigh, const struct plumb_spe_record *spe)
{
	const bool by_latency = weigh == WEIGH_OPERATIONS || weigh == WEIGH_ACCESSES ||
				weigh == WEIGH_LOADS || weigh == WEIGH_MISSES ||
				weigh == WEIGH_SHARED;

	return by_latency && spe->has & PLUMB_SPE_HAS_ISSUE_LATENCY &&
	       spe->counters[PLUMB_SPE_ISSUE_LATENCY] >= PLUMB_PROFILE_SATURATED;
}

double weigh_spe_mean(struct weigh_mean *mean, enum weigh weigh,
		      const struct plumb_samples_item *item)
{
	const double weight = weigh_spe(weigh, item);

	if (!(weight > 0))
		return weight;
	if (is_capped(weigh, item->spe) || (weigh == WEIGH_SHARED && !is_shared(item)))
		return mean->count > 0 ? mean->sum / mean->count : weight;
	mean->sum += weight;
	mean->count++;
	return weight;
}

const char *weigh_basis(enum weigh weigh)
{
	static const char *const names[] = {
		[WEIGH_NONE] = "samples",
		[WEIGH_OPERATIONS] = "operations' latency",
		[WEIGH_ACCESSES] = "accesses' latency",
		[WEIGH_LOADS] = "loads' latency",
		[WEIGH_MISSES] = "latency of loads that missed L1D",
		[WEIGH_STORES] = "stores",
		[WEIGH_WALKS] = "translations' latency",
		[WEIGH_MISPREDICTIONS] = "mispredictions",
		[WEIGH_SHARED] = "latency of lines from other cores",
	};

	return names[weigh];
}

const char *weigh_exact_basis(const struct weigh_cause *cause)
{
	if (strcmp(cause->exact, "line_moves") == 0)
		return "moves of lines between cores";
	if (strcmp(cause->exact, "OP_RETIRED") == 0)
		return "retired operations";
	return strncmp(cause->exact, "slots_", 6) == 0 ? "lost slots" : "stalled cycles";
}
