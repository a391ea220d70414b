/* SPDX-License-Identifier: Apache-2.0 */
#include "spe/perf_version.h"

#include <string.h>

int plumb_perf_version(const char *text)
{
	static const struct {
		const char *text;
		enum plumb_perf_version version;
	} versions[] = {
		{"6.1", PLUMB_PERF_6_1},
		{"6.12", PLUMB_PERF_6_12},
		{"7.3", PLUMB_PERF_7_3},
	};

	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
		if (strcmp(text, versions[i].text) == 0)
			return (int)versions[i].version;
	return PLUMB_ERR_NOT_FOUND;
}
