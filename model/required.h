/* SPDX-License-Identifier: Apache-2.0 */
/* The features of the architecture that instructions require. */
#ifndef MODEL_REQUIRED_H
#define MODEL_REQUIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the feature that an instruction requires, by Linux's name for it in /proc/cpuinfo:
 * "sve2". NULL: one that all modelled cores have, or none. Static storage.
 */
const char *insn_feature(uint32_t word);

/*
 * Tells whether a core executes the instructions of a feature: one that Linux lists of it, or one
 * of `.unlisted_features`.
 */
struct core_params;
bool core_has_feature(const struct core_params *params, const char *name);

/* Tells whether `features`, names with a space between them, has one of them. */
bool features_have(const char *features, const char *name);

#endif
