/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far back before a window caches must have seen accesses. Most programs soon use again what
 * they use again at all, or it is still in the caches of the model, which nothing replaces where
 * the model sees nothing. Then what warms the core is enough, and the rest can execute without the
 * model. Whether it is enough is measured: windows come in pairs, and in some pairs one window, at
 * random, has the long way before it and the other the short one. What misses cost just before both
 * is compared.
 */
#ifndef QEMU_REACH_H
#define QEMU_REACH_H

#include <stdbool.h>
#include <stdint.h>

#define REACH_FEW    24 /* pairs that are compared before the short way is trusted */
#define REACH_PAIRS  64 /* that are remembered */
#define REACH_TRUSTS 8  /* one of so many pairs is compared while the short way is enough ... */
#define REACH_DOUBTS 32 /* ... and while it is not */

/* `tolerated`: how much of the cycles, at 95 % confidence, the short way may change. */
void reach_set_up(double tolerated, uint64_t seed);

/* Deals a way to the next window. */
void reach_choose(void);
/* Whether that is the short one. */
bool reach_is_short(void);

/*
 * What misses cost just before the window that was dealt last, as a part of all cycles, however
 * many overlap; NaN: the short way would have made no difference, or it is not known.
 */
void reach_note(double cost);

#endif
