/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a long test runs. Under a sanitizer, and on an emulated machine, each step takes
 * about ten times as long, so only a part of them is taken there: every second, fifth or tenth.
 * What the steps are is the same, and a compiler's own build takes all of them.
 */
#ifndef TEST_THOROUGH_H
#define TEST_THOROUGH_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STEPS_ARE_SLOW 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(TEST_EMULATED)
#define STEPS_ARE_SLOW 1
#endif

/* The distance from step to step: 1, or `n` where steps are slow. */
#ifdef STEPS_ARE_SLOW
#define ONE_IN(n) (n)
#else
#define ONE_IN(n) (1)
#endif

#endif
