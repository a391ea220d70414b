/* SPDX-License-Identifier: Apache-2.0 */
/* What keys of rows depend on. */
#include "profile/profile_batch.h"

/* The kinds of plumb_profile_options.latencies that samples_sum_up() leaves. */
#define LATENCIES_OF_SUMS (1u << PLUMB_SPE_TOTAL_LATENCY | 1u << PLUMB_PROFILE_SOURCES)

bool key_is_code(unsigned key)
{
	switch (key) {
	case PLUMB_KEY_SYMBOL:
	case PLUMB_KEY_DSO:
	case PLUMB_KEY_SRCLINE:
	case PLUMB_KEY_SRCFILE:
	case PLUMB_KEY_IP:
	case PLUMB_KEY_INLINE:
		return true;
	default:
		return false;
	}
}

static void add_part(struct parts *parts, unsigned key)
{
	switch (key) {
	case PLUMB_KEY_SRCLINE:
	case PLUMB_KEY_SRCFILE:
	case PLUMB_KEY_INLINE:
		parts->lines = true;
		break;
	case PLUMB_KEY_CACHE_LINE:
		parts->data_mask |= ~UINT64_C(63);
		break;
	case PLUMB_KEY_PAGE:
		parts->data_mask |= ~UINT64_C(4095);
		break;
	case PLUMB_KEY_OFFSET:
		parts->data_mask |= 63;
		break;
	case PLUMB_KEY_SYMBOL_TO:
	case PLUMB_KEY_DSO_TO:
		parts->space = true;
		__attribute__((fallthrough));
	case PLUMB_KEY_BRANCH_TARGET:
		parts->target_mask = UINT64_MAX;
		break;
	case PLUMB_KEY_LATENCY:
	case PLUMB_KEY_LATENCY_RANGE:
		parts->latency_mask = UINT16_MAX;
		break;
	case PLUMB_KEY_OP:
	case PLUMB_KEY_SUBCLASS:
	case PLUMB_KEY_ACCESS: /* BYTES has no value of an SPE record */
		parts->operation_mask = UINT16_MAX;
		break;
	case PLUMB_KEY_DATA_SOURCE:
		parts->source_mask = UINT32_MAX;
		break;
	case PLUMB_KEY_EVENT:
		parts->events_mask = UINT32_MAX;
		break;
	case PLUMB_KEY_GROUP:
		parts->groups_mask = UINT32_MAX;
		break;
	case PLUMB_KEY_CPU:
		parts->cpu = true;
		break;
	case PLUMB_KEY_COMM:
		parts->comm = true;
		break;
	case PLUMB_KEY_PID:
		parts->pid = true;
		break;
	case PLUMB_KEY_TID:
		parts->tid = true;
		break;
	default:
		parts->fit &= key_is_code(key);
	}
}

struct parts parts_of(const struct plumb_profile *profile)
{
	struct parts parts = {.fit = true, .blocks = true};

	for (size_t i = 0; i < profile->options.key_count; i++) {
		add_part(&parts, profile->keys[i]);
		parts.code_keys |= (uint32_t)key_is_code(profile->keys[i]) << i;
		parts.blocks &= !parts.lines && profile->keys[i] != PLUMB_KEY_IP;
	}
	if (parts.data_mask)
		parts.has |= PLUMB_SPE_HAS_DATA_VIRTUAL;
	if (parts.target_mask)
		parts.has |= PLUMB_SPE_HAS_BRANCH_TARGET;
	if (parts.latency_mask)
		parts.has |= PLUMB_SPE_HAS_TOTAL_LATENCY;
	if (parts.operation_mask)
		parts.has |= PLUMB_SPE_HAS_OPERATION;
	if (parts.source_mask)
		parts.has |= PLUMB_SPE_HAS_DATA_SOURCE;
	if (parts.events_mask)
		parts.has |= PLUMB_SPE_HAS_EVENTS;
	parts.addresses = !!parts.data_mask + !!parts.target_mask + !!parts.latency_mask;
	parts.details = !!parts.source_mask + !!parts.events_mask + !!parts.groups_mask;
	parts.fit &= parts.addresses <= 1 && parts.details <= 1;
	parts.plain = parts.fit && !parts.addresses && !parts.has && !parts.details && !parts.cpu;
	parts.sums = parts.fit && !parts.data_mask && !parts.target_mask && !parts.groups_mask &&
		     !(profile->options.latencies & ~LATENCIES_OF_SUMS);
	parts.coded = parts.fit && !parts.cpu && !parts.space;
	return parts;
}
