/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions do, by their code. */
#include <endian.h>
#include <stdlib.h>

#include "profile/profile.h"
#include "symbol/symbolizer.h"

/* Reads the code around a place. Returns false if out of memory. */
static bool read_code(struct plumb_profile *profile, const struct plumb_location *location)
{
	const uint64_t address = location->address & ~(uint64_t)(CODE_BYTES - 1);
	struct profile_code *code = profile->code;
	uint64_t shown;

	if (!code)
		code = profile->code = calloc(1, sizeof(*code));
	if (!code)
		return false;
	if (code->file == location->file && code->address == address)
		return true;
	code->file = location->file;
	code->address = address;
	code->count = symbolizer_code(profile->symbolizer, location->file, address, code->words,
				      CODE_BYTES, &shown);
	/* A segment may begin within: then only its own code can be read. */
	if (!code->count) {
		code->address = location->address;
		code->count = symbolizer_code(profile->symbolizer, location->file,
					      location->address, code->words, CODE_BYTES, &shown);
	}
	return true;
}

bool place_decode(struct plumb_profile *profile, struct place *place)
{
	const struct profile_code *code;
	uint64_t offset;

	if (place->decoded)
		return true;
	place->operation = (struct word_operation){WORD_UNKNOWN, NULL};
	place->decoded = true;
	if (!place->location.file)
		return true;
	if (!read_code(profile, &place->location))
		return false;
	code = profile->code;
	offset = place->location.address - code->address;
	if (offset % sizeof(*code->words) == 0 && offset + sizeof(*code->words) <= code->count)
		place->operation =
			word_operation(le32toh(code->words[offset / sizeof(*code->words)]));
	return true;
}
