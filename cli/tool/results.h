/* SPDX-License-Identifier: Apache-2.0 */
/* Makes results and diagnoses for the tool. These functions end the process if memory runs out. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include <plumb/count.h>
#include <plumb/diagnosis.h>

#include "tool/memory.h"

/* Returns an empty result of a plan; free it with plumb_result_free(). */
MEMORY_GIVEN struct plumb_result *results_new(const struct plumb_plan *plan);

/* Returns the diagnosis of a result; free it with plumb_diagnosis_free(). */
MEMORY_GIVEN struct plumb_diagnosis *results_diagnose(const struct plumb_result *result);

#endif
