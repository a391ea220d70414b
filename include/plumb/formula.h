/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metric formulas: text, compiled once to a small postfix program, evaluated without allocation.
 *
 *     formula := sum (("<<" | ">>") sum)*           as in C, shifts bind least
 *     sum     := term (("+" | "-") term)*
 *     term    := factor (("*" | "/") factor)*
 *     factor  := ("-" | "+") factor | NUMBER | NAME | "(" formula ")"
 *
 * NUMBER is decimal, with an optional fraction and exponent, or hexadecimal after 0x. NAME is an
 * event or a metric: letters, digits and '_', not beginning with a digit. All arithmetic is in
 * double; a shift by n multiplies or divides by 2 to the n, n truncated towards zero. A division
 * by zero, an operand without a value, and a result that is not finite give "no value" for the
 * whole formula.
 */
#ifndef PLUMB_FORMULA_H
#define PLUMB_FORMULA_H

#include <plumb/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits; past them compiling ends with PLUMB_ERR_LIMIT. */
#define PLUMB_FORMULA_MAX_LENGTH   65536 /* bytes of text, those of metrics it names included */
#define PLUMB_FORMULA_MAX_NAME     256   /* bytes of one name or number */
#define PLUMB_FORMULA_MAX_DEPTH    64    /* nested parentheses, signs and metrics */
#define PLUMB_FORMULA_MAX_STEPS    8192  /* operands and operations, those of metrics included */
#define PLUMB_FORMULA_MAX_OPERANDS 256   /* distinct events */

/* A compiled formula. Constant once made; usable from any thread. */
struct plumb_formula;

/*
 * Compiles `text` (`length` bytes, no NUL needed). Names are looked up in `spec`: an event first,
 * then a metric, whose own formula is then compiled in its place. Returns 0 and a formula to be
 * freed with plumb_formula_free(), or, with one finding in `found` (may be NULL) whose column is
 * the byte of `text` at fault (for a fault within a metric, its name) and whose other places are
 * `where`'s (may be NULL):
 *
 *     PLUMB_ERR_SYNTAX     formula-syntax        not of the grammar above
 *     PLUMB_ERR_NOT_FOUND  formula-unknown-name  a name that is neither event nor metric
 *     PLUMB_ERR_INVALID    formula-cycle         a metric that needs itself
 *     PLUMB_ERR_LIMIT      formula-limit         over a limit above, or a number out of range
 *     PLUMB_ERR_NO_MEMORY  no-memory
 *
 * On an error `*formula` is NULL.
 */
PLUMB_API int plumb_formula_compile(const char *text, size_t length, const struct plumb_spec *spec,
				    const struct plumb_place *where, struct plumb_formula **formula,
				    struct plumb_diagnostics *found);

/*
 * The formula of metric `metric` of `spec`; as above, findings under the metric's JSON path.
 * PLUMB_ERR_ARGUMENT, without a finding, if there is no such metric.
 */
PLUMB_API int plumb_spec_compile_metric(const struct plumb_spec *spec, uint16_t metric,
					struct plumb_formula **formula,
					struct plumb_diagnostics *found);

PLUMB_API void plumb_formula_free(struct plumb_formula *formula);

/* The distinct events it needs, ascending indexes into plumb_spec.events; owned by the formula. */
PLUMB_API struct plumb_indexes plumb_formula_events(const struct plumb_formula *formula);

/*
 * The value, given the count of each event: `counts[e]` for event index e, NaN where there is
 * none; only those that plumb_formula_events() lists are read. Returns false, and leaves `*value`
 * alone, when there is no value. Never allocates; cost is linear in the formula's length.
 */
PLUMB_API bool plumb_formula_evaluate(const struct plumb_formula *formula, const double *counts,
				      double *value);

#ifdef __cplusplus
}
#endif

#endif
