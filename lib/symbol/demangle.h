/* SPDX-License-Identifier: Apache-2.0 */
/* Demangles names. */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stdbool.h>

/*
 * Demangles a name of C++ or Rust, with its parameters if `signature` is set. Returns NULL if it is
 * not mangled or memory is short. Free the result with free().
 */
char *demangle(const char *name, bool signature);

#endif
