/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the figures of a core with microbenchmarks: of this machine's, or of the model's, to
 * check the method on figures that are known.
 */
#ifndef CALIBRATE_CALIBRATE_H
#define CALIBRATE_CALIBRATE_H

#include <stdint.h>

#include <plumb/source.h>

#define CALIBRATION_MAX 80

/* A figure: a parameter of the model's cores. */
struct calibrated_figure {
	char name[64];
	const char *what;
	bool asked;
	bool known;
	uint32_t value, low, high; /* if known; the interval holds 95 of 100 times */
	char why[80];              /* why it is not known; "": it was not reached */
};

struct calibration {
	struct calibrated_figure figures[CALIBRATION_MAX];
	size_t count;
	char like[64];  /* the core that has what was not measured */
	char clock[80]; /* what cycles were counted by */
};

struct calibrate_job {
	struct plumb_source *model; /* the model, opened; NULL: this machine's core */
	const char *like;           /* a core of the model; NULL: the one nearest */
	/* Names of figures, or how they begin; without any, all that do not take minutes. */
	const char *const *names;
	size_t name_count;
	bool all; /* also those that take minutes */
	/* Trials that have been measured, of those that are known to be wanted; may be NULL. */
	void (*progress)(void *user, size_t done, size_t count);
	/* Returns whether to stop; may be NULL. */
	bool (*stop)(void *user);
	void *user;
};

/*
 * Fills in the names of all figures, and which of them `job` asks for. Returns 0, or NOT_FOUND with
 * a finding: no figure has one of the names, or the model no such core.
 */
int calibrate_list(const struct calibrate_job *job, struct calibration *calibration,
		   struct plumb_diagnostics *diagnostics);

/*
 * Measures the figures. Returns 0; INTERRUPTED, with what was measured until then; MACHINE, with a
 * finding: this is no Arm machine, or the model cannot run; or another error of the model.
 */
int calibrate(const struct calibrate_job *job, struct calibration *calibration,
	      struct plumb_diagnostics *diagnostics);

#endif
