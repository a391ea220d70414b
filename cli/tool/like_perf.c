/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/like_perf.h"

#include <stddef.h>

#include "tool/complain.h"

const char *const like_perf_versions[] = {"6.1", "6.12", "7.3", NULL};

bool like_perf_read(const char *text, enum plumb_perf_version *version)
{
	const int found = text ? plumb_perf_version(text) : PLUMB_PERF_NEWEST;

	if (found < 0) {
		complain("invalid value '%s' for --like-perf", text);
		advise("supported versions are 6.1, 6.12 and 7.3");
		return false;
	}
	*version = (enum plumb_perf_version)found;
	return true;
}
