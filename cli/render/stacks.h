/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's samples by call stack, in the formats of other viewers. Names come from outside,
 * and may contain anything: each stays one frame. plumb-export(1) says what becomes of each value.
 */
#ifndef RENDER_STACKS_H
#define RENDER_STACKS_H

#include "profile/stacks.h"
#include "render/output.h"

/* "comm;main;work 12": a line for each stack with its event's period. Takes stacks by function. */
void stacks_folded(struct output *out, const struct stacks *stacks);

/* speedscope's own format: a profile for each type. Takes stacks by function. */
void stacks_speedscope(struct output *out, const struct stacks *stacks, const char *title);

/* profile.proto, compressed: all types at once. Takes stacks by address, thread and label. */
void stacks_pprof(struct output *out, const struct stacks *stacks,
		  const struct plumb_recording_info *info);

/*
 * Firefox's processed profile: all types of each thread, with times. Takes stacks by address and
 * thread, with times. Sorts the moments, and adds some for values without times.
 */
void stacks_firefox(struct output *out, struct stacks *stacks,
		    const struct plumb_recording_info *info);

/*
 * The page's own form, as JSON: all values, by thread and label, and with their times. Takes stacks
 * by function. Sorts the moments and the details, and adds up near moments if there are too many.
 */
void stacks_page(FILE *stream, struct stacks *stacks);

#endif
