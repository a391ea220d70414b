/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions do, by their code. */
#include <stdlib.h>

#include "profile/profile.h"

/* Returns where the place's instruction is: of a caller, that of the call. */
static struct plumb_location instruction_at(const struct place *place)
{
	struct plumb_location at = place->location;

	if (!place->returns)
		return at;
	/* With a symbol, the address is that of the call's last byte; else of what follows. */
	if (!at.symbol)
		at.address--;
	at.address &= ~(uint64_t)(sizeof(uint32_t) - 1);
	return at;
}

bool place_decode(struct plumb_profile *profile, struct place *place)
{
	struct plumb_location at;

	if (place->decoded)
		return true;
	if (!profile->code)
		profile->code = calloc(1, sizeof(*profile->code));
	if (!profile->code)
		return false;
	at = instruction_at(place);
	place->operation = code_operation(profile->code, profile->symbolizer, &at);
	place->decoded = true;
	return true;
}
