/* SPDX-License-Identifier: Apache-2.0 */
/* A metric's formula as an expression of perf (tools/perf/util/expr.y). */
#ifndef SPEC_PERF_EXPRESSION_H
#define SPEC_PERF_EXPRESSION_H

#include <plumb/spec.h>

/*
 * Puts into `*text`, to be freed, an expression of events and decimal numbers, + - * / and
 * parentheses: what both perf's parser and jevents.py take. It has the value of the formula, the
 * metrics it names written out, and no value where the formula has none (perf gives NaN). Returns
 * 0, NO_MEMORY, or UNSUPPORTED: perf cannot say it, or the formula is wrong.
 */
int perf_expression(const struct plumb_spec *spec, uint16_t metric, char **text);

#endif
