/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a metric's formula to an expression of perf (tools/perf/util/expr.y). */
#ifndef SPEC_PERF_EXPRESSION_H
#define SPEC_PERF_EXPRESSION_H

#include <plumb/spec.h>

/*
 * Sets `*text`, which the caller frees, to an expression of events, decimal numbers, + - * / and
 * parentheses, as both perf's parser and jevents.py accept. The formulas of metrics are expanded.
 * The expression has the value of the formula, and none (NaN in perf) where the formula has none.
 * Returns 0, NO_MEMORY, or UNSUPPORTED if perf cannot express it or the formula is invalid.
 */
int perf_expression(const struct plumb_spec *spec, uint16_t metric, char **text);

#endif
