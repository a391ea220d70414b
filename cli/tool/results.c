/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/results.h"

struct plumb_result *results_new(const struct plumb_plan *plan)
{
	struct plumb_result *result;

	return memory_given(plumb_result_new(plan, &result) == 0 ? result : NULL);
}

struct plumb_diagnosis *results_diagnose(const struct plumb_result *result)
{
	struct plumb_diagnosis *diagnosis;

	return memory_given(plumb_diagnose(result, &diagnosis) == 0 ? diagnosis : NULL);
}
