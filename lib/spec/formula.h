/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metric formulas: text is compiled once to a small postfix program, then evaluated without
 * allocation.
 *
 *     formula := sum (("<<" | ">>") sum)*           shifts bind least, as in C
 *     sum     := term (("+" | "-") term)*
 *     term    := factor (("*" | "/") factor)*
 *     factor  := ("-" | "+") factor | NUMBER | NAME | "(" formula ")"
 *
 * NUMBER is decimal, with an optional fraction and exponent, or hexadecimal after 0x. NAME is an
 * event or a metric: letters, digits and '_', not beginning with a digit. All arithmetic is in
 * double; a shift by n multiplies or divides by 2^n, with n truncated towards zero. The formula has
 * no value if it divides by zero, if an operand has no value, or if the result is not finite.
 */
#ifndef SPEC_FORMULA_H
#define SPEC_FORMULA_H

#include <plumb/spec.h>

#include "base/diagnostics.h"

/* Limits. Exceeding one is PLUMB_ERR_LIMIT. */
#define FORMULA_MAX_LENGTH   65536 /* bytes of text, including that of metrics it uses */
#define FORMULA_MAX_NAME     256   /* bytes of one name or number */
#define FORMULA_MAX_DEPTH    64    /* nested parentheses, signs and metrics */
#define FORMULA_MAX_STEPS    8192  /* operands and operations, including those of metrics */
#define FORMULA_MAX_OPERANDS 256   /* distinct events */

/* A compiled formula. Never changes; any thread may use it. */
struct formula;

/*
 * Compiles `text` (`length` bytes, no NUL needed). A name is looked up in `spec`, first as an
 * event, then as a metric, whose own formula is then compiled in its place. Returns 0 and a formula
 * to be freed with formula_free(), or sets `*formula` to NULL and returns an error:
 *
 *     PLUMB_ERR_SYNTAX     formula-syntax        does not follow the grammar above
 *     PLUMB_ERR_NOT_FOUND  formula-unknown-name  a name is neither an event nor a metric
 *     PLUMB_ERR_INVALID    formula-cycle         a metric refers to itself
 *     PLUMB_ERR_LIMIT      formula-limit         exceeds a limit above, or a number is out of range
 *     PLUMB_ERR_NO_MEMORY  no-memory
 *
 * An error adds one finding, with the id given above, to `diagnostics` (may be NULL). Its column is
 * the byte of `text` at fault, or the name of the metric at fault; the rest of its place is `where`
 * (may be NULL).
 */
int formula_compile(const char *text, size_t length, const struct plumb_spec *spec,
		    const struct place *where, struct formula **formula,
		    struct plumb_diagnostics *diagnostics);

/*
 * Compiles the formula of metric `metric` of `spec`, as above; findings have the metric's JSON
 * path. Returns PLUMB_ERR_ARGUMENT, without a finding, if there is no such metric.
 */
int formula_compile_metric(const struct plumb_spec *spec, uint16_t metric, struct formula **formula,
			   struct plumb_diagnostics *diagnostics);

void formula_free(struct formula *formula);

/* Returns its distinct events: ascending indexes into plumb_spec.events, owned by `formula`. */
struct plumb_indexes formula_events(const struct formula *formula);

/*
 * Computes the value from the counts of events: `counts[e]` for event index e, NaN if not counted.
 * Reads only those that formula_events() lists. Returns false, and leaves `*value` alone, if
 * there is no value. Never allocates; takes time linear in the formula's length.
 */
bool formula_evaluate(const struct formula *formula, const double *counts, double *value);

#endif
