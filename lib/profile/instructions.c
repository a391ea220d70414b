/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions do, by their code, and whether a filter asks for that. */
#include "profile/instructions.h"

#include <endian.h>

#include "spe/filter.h"
#include "symbol/symbolizer.h"

/* Reads the code around a place. */
static void read_code(struct code_reader *reader, struct plumb_symbolizer *symbolizer,
		      const struct plumb_location *location)
{
	const uint64_t address = location->address & ~(uint64_t)(CODE_BYTES - 1);
	uint64_t shown;

	if (reader->file == location->file &&
	    (reader->address == address || reader->address == location->address))
		return;
	reader->file = location->file;
	reader->address = address;
	reader->count = symbolizer_code(symbolizer, location->file, address, reader->words,
					CODE_BYTES, &shown);
	/* A segment may begin within: then only its own code can be read. */
	if (!reader->count) {
		reader->address = location->address;
		reader->count = symbolizer_code(symbolizer, location->file, location->address,
						reader->words, CODE_BYTES, &shown);
	}
}

struct word_operation code_operation(struct code_reader *reader,
				     struct plumb_symbolizer *symbolizer,
				     const struct plumb_location *location)
{
	uint64_t offset;

	if (!location->file)
		return (struct word_operation){.kind = WORD_UNKNOWN};
	read_code(reader, symbolizer, location);
	offset = location->address - reader->address;
	if (offset % sizeof(*reader->words) || offset >= reader->count ||
	    reader->count - offset < sizeof(*reader->words))
		return (struct word_operation){.kind = WORD_UNKNOWN};
	return word_operation(le32toh(reader->words[offset / sizeof(*reader->words)]));
}

bool instructions_decide(const struct plumb_spe_filter *filter)
{
	return filter->kinds || filter->flags;
}

const char *instructions_lack(const struct plumb_spe_filter *filter)
{
	static const char *const addresses[] = {
		[PLUMB_SPE_PC] = NULL,
		[PLUMB_SPE_BRANCH_TARGET] = "branch targets",
		[PLUMB_SPE_DATA_VIRTUAL] = "addresses of data",
		[PLUMB_SPE_DATA_PHYSICAL] = "physical addresses",
		[PLUMB_SPE_PREVIOUS_TARGET] = "branch targets",
	};

	if (filter->all_events || filter->no_events)
		return "events of single operations";
	if (filter->sources.count)
		return "data sources";
	for (unsigned i = 0; i < sizeof(filter->counters) / sizeof(*filter->counters); i++)
		if (filter->counters[i].count)
			return "latencies";
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		if (addresses[i] && filter->addresses[i].count)
			return addresses[i];
	return NULL;
}

bool instructions_match(const struct plumb_spe_filter *filter,
			const struct word_operation *operation)
{
	static const uint8_t kinds[] = {
		[WORD_OTHER] = PLUMB_SPE_KIND_OTHER,
		[WORD_LOAD] = PLUMB_SPE_KIND_LOAD,
		[WORD_STORE] = PLUMB_SPE_KIND_STORE,
		[WORD_BRANCH] = PLUMB_SPE_KIND_BRANCH,
	};
	static const struct {
		uint16_t trait, flag;
	} flags[] = {
		{WORD_CONDITIONAL, PLUMB_SPE_OP_CONDITIONAL},
		{WORD_FP, PLUMB_SPE_OP_FP},
		{WORD_SIMD, PLUMB_SPE_OP_SIMD},
		{WORD_PREDICATED, PLUMB_SPE_OP_PREDICATED},
		{WORD_GATHER_SCATTER, PLUMB_SPE_OP_GATHER_SCATTER},
		{WORD_ATOMIC, PLUMB_SPE_OP_ATOMIC},
		{WORD_EXCLUSIVE, PLUMB_SPE_OP_EXCLUSIVE},
		{WORD_ACQUIRE_RELEASE, PLUMB_SPE_OP_ACQUIRE_RELEASE},
		{WORD_CALL, PLUMB_SPE_OP_LINK},
		{WORD_RETURN, PLUMB_SPE_OP_RETURN},
	};
	unsigned has = 0;

	if (operation->kind == WORD_UNKNOWN)
		return false;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		has |= operation->traits & flags[i].trait ? flags[i].flag : 0;
	return (!filter->kinds || filter->kinds >> kinds[operation->kind] & 1) &&
	       (filter->flags & ~has) == 0;
}
