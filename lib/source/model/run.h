/* SPDX-License-Identifier: Apache-2.0 */
/* A run of the model that something besides its counts is read of: plumb_model_run(), and more. */
#ifndef SOURCE_MODEL_RUN_H
#define SOURCE_MODEL_RUN_H

#include <plumb/model.h>

/* What samples. */
struct model_sampler {
	int fd;          /* of what the plugin shares (model/sampling.h), from model_run_share() */
	bool predicates; /* events are sampled that model_event_of_predicates() */
	/* Called again and again while the program runs; returns when next, in ms at the latest. */
	int (*drain)(void *user, pid_t pid);
	void *user;
};

/* As plumb_model_run(); `sampler` may be NULL. */
int model_run(const struct plumb_model_options *options, const struct model_sampler *sampler,
	      struct plumb_model_run *result, struct plumb_diagnostics *found);

/*
 * Memory to share with the plugin, zero; its descriptor, out of the way of the program's own, or
 * -1. Its size is sealed: the program could find the descriptor, and who reads beyond the end is
 * killed.
 */
int model_run_share(const char *name, size_t size);

#endif
