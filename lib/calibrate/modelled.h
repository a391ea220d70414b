/* SPDX-License-Identifier: Apache-2.0 */
/* Measures trials in the model, to check the method on a core whose figures are known. */
#ifndef CALIBRATE_MODELLED_H
#define CALIBRATE_MODELLED_H

#include <plumb/model.h>

#include "calibrate/trial.h"
#include "source/cancel.h"

struct core_file;

struct modelled_bench {
	struct bench bench;
	const struct plumb_model_options *options; /* with engines and the folder of plugins */
	const struct core_file *core_file;         /* or NULL */
	struct source_cancel cancel;
};

/* Sets up bench.measure; the caller has set the other members. */
void modelled_bench_set_up(struct modelled_bench *bench);

#endif
