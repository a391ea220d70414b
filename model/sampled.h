/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sampled run leaves to the process that started it: part of shared.h. A run begins with a
 * stretch that is modelled in full. From there on it is cut into units of equally many
 * instructions; a window at a random place of each is modelled in detail and counted, and what is
 * between the windows only warms the core (warm.h). In long units, only the last
 * hundreds of thousands of instructions before a window do. Millions before them leave their lines
 * in caches (memory_touch()), unless misses are the same without (reach.h); what is still earlier
 * executes without the model. Where the program gets to other code on the way to a window, some of
 * that is modelled in detail (entries.h). When the error allows it, two units become one, which
 * keeps one of the two windows, so the number of windows is bounded and their places remain
 * random. Code that executes for the first time is slow, and too
 * rare for windows to meet it: between windows where caches are warm, it is modelled and counted in
 * full, like the first stretch. A program that gets a second thread is modelled in full from there
 * on.
 */
#ifndef MODEL_SAMPLED_H
#define MODEL_SAMPLED_H

#include <stdatomic.h>
#include <stdint.h>

#define SAMPLED_FIRST       2000000 /* instructions, modelled in full by default */
#define SAMPLED_WINDOW      5000    /* instructions of a window, and up to a block more */
#define SAMPLED_BEFORE      8000    /* modelled before it, or a quarter of a unit: what is in ... */
#define SAMPLED_BEFORE_LESS 3000    /* flight is as it would be; that many at least ... */
#define SAMPLED_BEFORE_MORE 512     /* and up to that many more, at random */
#define SAMPLED_SEEK        8000    /* look so far for a mispredicted branch to begin behind */
#define SAMPLED_NEW         2000    /* modelled in full after code that executes first */
#define SAMPLED_UNIT        16384   /* at first */
#define SAMPLED_TOUCH       4000000 /* that many warm caches before a window, at 2 % or less */
#define SAMPLED_TOUCH_PART  8       /* or this part of a unit */
#define SAMPLED_WARM_PART   8       /* of them also warm the rest of the core */
#define SAMPLED_MAX         8192    /* windows */
#define SAMPLED_FEW         512     /* windows; with fewer, units are not joined */
#define SAMPLED_EACH        8       /* windows of an interval of a timeline, at least */
#define SAMPLED_CODE        256     /* values that say which code executes */
#define SAMPLED_ERROR_PARTS 1000000
/*
 * In exact profiles, windows are dealt into so many groups, whose differences tell how uncertain a
 * figure is. Group 0 is what was counted in full.
 */
#define SAMPLED_GROUPS 10

enum sampled_state {
	SAMPLED_ALL,    /* everything is modelled: at first, and with threads */
	SAMPLED_WINDOWS /* only the windows are */
};

#endif
