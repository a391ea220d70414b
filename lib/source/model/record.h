/* SPDX-License-Identifier: Apache-2.0 */
/* How struct source calls the model's sampling, and what that shares with counting. */
#ifndef SOURCE_MODEL_RECORD_H
#define SOURCE_MODEL_RECORD_H

#include "source/model/places.h"
#include "source/model/run.h"
#include "source/source.h"

int model_record(const struct source_record_job *job, struct source_record_run *run,
		 struct plumb_diagnostics *diagnostics);

/* Reports what a reader of the run's figures should know. */
void model_warn(const struct model_result *run, struct plumb_diagnostics *diagnostics);

/* Tells what a run counted; run->counts has room for the plan's. Returns 0 or NO_MEMORY. */
int model_tell_counts(const struct model_places *places, const struct model_result *model,
		      struct source_run *run, struct plumb_diagnostics *diagnostics);

#endif
