/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions do, by their code. */
#include <stdlib.h>

#include "profile/profile.h"

bool place_decode(struct plumb_profile *profile, struct place *place)
{
	if (place->decoded)
		return true;
	if (!profile->code)
		profile->code = calloc(1, sizeof(*profile->code));
	if (!profile->code)
		return false;
	place->operation = code_operation(profile->code, profile->symbolizer, &place->location);
	place->decoded = true;
	return true;
}
