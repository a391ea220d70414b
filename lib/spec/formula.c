/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas: a recursive-descent parser with bounded depth, which emits a postfix program, and a
 * small machine that runs the program.
 */
#include "spec/formula.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/index_set.h"
#include "spec/formula_steps.h"
#include "spec/lookup.h"
#include "spec/path.h"

/*
 * The maximum number of values on the stack. At each depth, the left operands of one shift, one sum
 * and one product may be waiting for their right operands; the last operand comes on top.
 */
#define STACK_SIZE (3 * (FORMULA_MAX_DEPTH + 1) + 1)

/* The text being read: the formula itself, or that of a metric it uses. */
struct source {
	const char *text;
	size_t length;
	size_t at;
	uint16_t metric; /* PLUMB_NONE for the formula itself */
};

struct compiler {
	const struct plumb_spec *spec;
	const struct place *where;
	struct plumb_diagnostics *diagnostics;
	struct source source;
	size_t outer_at; /* within a metric: the position of its name in the formula itself */
	size_t length;   /* bytes of text read so far, including those of metrics */
	unsigned depth;
	unsigned event_count;
	struct index_set events;  /* events the program uses */
	struct index_set metrics; /* metrics being compiled, to detect cycles */
	struct formula_step *steps;
	size_t step_count;
	size_t step_room;
};

/* ---- findings ----------------------------------------------------------------------------- */

/* Adds a finding about byte `at` of the text being read and returns `error`. */
static PLUMB_PRINTF(5, 6) int fail(struct compiler *c, int error, const char *id, size_t at,
				   const char *format, ...)
{
	struct place place = {0};
	char message[512];
	va_list args;

	if (c->where)
		place = *c->where;
	place.column = (unsigned)(c->source.metric == PLUMB_NONE ? at : c->outer_at) + 1;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	if (c->source.metric == PLUMB_NONE)
		diagnostics_add(c->diagnostics, PLUMB_ERROR, id, &place, "%s", message);
	else
		diagnostics_add(c->diagnostics, PLUMB_ERROR, id, &place,
				"in the formula of metric %.80s: %s",
				c->spec->metrics[c->source.metric].name, message);
	return error;
}

static int fail_syntax(struct compiler *c, const char *expected)
{
	const struct source *s = &c->source;
	unsigned char byte;

	if (s->at == s->length)
		return fail(c, PLUMB_ERR_SYNTAX, "formula-syntax", s->at,
			    "expected %s, but the formula ends", expected);
	byte = (unsigned char)s->text[s->at];
	if (byte > ' ' && byte < 0x7f)
		return fail(c, PLUMB_ERR_SYNTAX, "formula-syntax", s->at, "expected %s, not '%c'",
			    expected, byte);
	return fail(c, PLUMB_ERR_SYNTAX, "formula-syntax", s->at, "expected %s, not byte 0x%02x",
		    expected, byte);
}

static int fail_memory(struct compiler *c)
{
	return fail(c, PLUMB_ERR_NO_MEMORY, "no-memory", c->source.at, "%s",
		    plumb_error_name(PLUMB_ERR_NO_MEMORY));
}

/* ---- the program -------------------------------------------------------------------------- */

static int emit(struct compiler *c, struct formula_step step)
{
	if (c->step_count == FORMULA_MAX_STEPS)
		return fail(c, PLUMB_ERR_LIMIT, "formula-limit", c->source.at,
			    "more than %d steps, including those of the metrics it uses",
			    FORMULA_MAX_STEPS);
	if (c->step_count == c->step_room) {
		size_t room = c->step_room ? 2 * c->step_room : 16;
		struct formula_step *grown = realloc(c->steps, room * sizeof(*grown));

		if (!grown)
			return fail_memory(c);
		c->steps = grown;
		c->step_room = room;
	}
	c->steps[c->step_count++] = step;
	return 0;
}

static int emit_event(struct compiler *c, uint16_t event, size_t at)
{
	if (index_set_add(&c->events, event) && ++c->event_count > FORMULA_MAX_OPERANDS)
		return fail(c, PLUMB_ERR_LIMIT, "formula-limit", at,
			    "more than %d different events", FORMULA_MAX_OPERANDS);
	return emit(c, (struct formula_step){.opcode = FORMULA_EVENT, .event = event});
}

/* ---- tokens ------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Returns the byte `ahead` of the current one, or NUL past the end, since no token has one. */
static char peek(const struct source *s, size_t ahead)
{
	return ahead < s->length - s->at ? s->text[s->at + ahead] : '\0';
}

static void skip_blanks(struct source *s)
{
	while (peek(s, 0) == ' ' || peek(s, 0) == '\t' || peek(s, 0) == '\n' || peek(s, 0) == '\r')
		s->at++;
}

static bool take(struct source *s, char c)
{
	skip_blanks(s);
	if (peek(s, 0) != c)
		return false;
	s->at++;
	return true;
}

static void skip_digits(struct source *s)
{
	while (is_digit(peek(s, 0)))
		s->at++;
}

/* Skips the longest prefix that is a NUMBER. */
static void skip_number(struct source *s)
{
	if (peek(s, 0) == '0' && (peek(s, 1) == 'x' || peek(s, 1) == 'X') &&
	    is_hex_digit(peek(s, 2))) {
		s->at += 2;
		while (is_hex_digit(peek(s, 0)))
			s->at++;
		return;
	}
	skip_digits(s);
	if (peek(s, 0) == '.' && is_digit(peek(s, 1))) {
		s->at++;
		skip_digits(s);
	}
	if (peek(s, 0) == 'e' || peek(s, 0) == 'E') {
		size_t sign = peek(s, 1) == '+' || peek(s, 1) == '-';

		if (is_digit(peek(s, 1 + sign))) {
			s->at += 1 + sign;
			skip_digits(s);
		}
	}
}

static int compile_number(struct compiler *c)
{
	char digits[FORMULA_MAX_NAME + 1];
	struct source *s = &c->source;
	size_t start = s->at;
	double number;

	skip_number(s);
	if (is_letter(peek(s, 0)) || peek(s, 0) == '.')
		return fail_syntax(c, "an operator");
	if (s->at - start > FORMULA_MAX_NAME)
		return fail(c, PLUMB_ERR_LIMIT, "formula-limit", start,
			    "number longer than %d characters", FORMULA_MAX_NAME);
	memcpy(digits, s->text + start, s->at - start);
	digits[s->at - start] = '\0';

	/* Use the C locale, whatever the program's is: a formula's decimal point is a point. */
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (!c_locale)
		return fail_memory(c);
	number = strtod_l(digits, NULL, c_locale);
	freelocale(c_locale);
	if (!isfinite(number))
		return fail(c, PLUMB_ERR_LIMIT, "formula-limit", start, "number out of range");
	return emit(c, (struct formula_step){.opcode = FORMULA_NUMBER, .number = number});
}

/* ---- the grammar -------------------------------------------------------------------------- */

/* The lowest precedence comes first. */
enum precedence { SHIFT, SUM, TERM, FACTOR };

static int compile_level(struct compiler *c, enum precedence precedence);

/* Goes one level deeper: into parentheses, a sign or the formula of a metric. */
static int deepen(struct compiler *c, size_t at)
{
	if (c->depth == FORMULA_MAX_DEPTH)
		return fail(c, PLUMB_ERR_LIMIT, "formula-limit", at,
			    "nested more than %d levels "
			    "deep",
			    FORMULA_MAX_DEPTH);
	c->depth++;
	return 0;
}

static int compile_whole(struct compiler *c)
{
	int error = compile_level(c, SHIFT);

	if (error)
		return error;
	skip_blanks(&c->source);
	return c->source.at < c->source.length ? fail_syntax(c, "an operator") : 0;
}

/*
 * Reads `text` from now on. All bytes of texts are counted, even blanks: otherwise metrics that use
 * each other many times could keep the parser busy without emitting a step.
 */
static int open_source(struct compiler *c, const char *text, size_t length, uint16_t metric,
		       size_t at)
{
	if (length > FORMULA_MAX_LENGTH - c->length)
		return fail(c, PLUMB_ERR_LIMIT, "formula-limit", at,
			    "more than %d characters, including those of the metrics it uses",
			    FORMULA_MAX_LENGTH);
	c->length += length;
	c->source = (struct source){.text = text, .length = length, .metric = metric};
	return 0;
}

/* A specification built in memory may lack a formula; compile it as an empty one, an error. */
static const char *formula_of(const struct plumb_spec *spec, uint16_t metric)
{
	return spec->metrics[metric].formula ? spec->metrics[metric].formula : "";
}

static int compile_metric(struct compiler *c, uint16_t metric, size_t at)
{
	const char *text = formula_of(c->spec, metric);
	struct source outer = c->source;
	int error = deepen(c, at);

	if (error)
		return error;
	if (!index_set_add(&c->metrics, metric))
		return fail(c, PLUMB_ERR_INVALID, "formula-cycle", at,
			    "metric %.80s refers to "
			    "itself",
			    c->spec->metrics[metric].name);
	error = open_source(c, text, strnlen(text, FORMULA_MAX_LENGTH + 1), metric, at);
	if (error)
		return error;
	if (outer.metric == PLUMB_NONE)
		c->outer_at = at;
	error = compile_whole(c);
	c->source = outer;
	index_set_remove(&c->metrics, metric);
	c->depth--;
	return error;
}

static int compile_name(struct compiler *c)
{
	struct source *s = &c->source;
	size_t start = s->at, length;
	uint16_t index;

	while (is_letter(peek(s, 0)) || is_digit(peek(s, 0)))
		s->at++;
	length = s->at - start;
	if (length > FORMULA_MAX_NAME)
		return fail(c, PLUMB_ERR_LIMIT, "formula-limit", start,
			    "name longer than %d characters", FORMULA_MAX_NAME);
	index = spec_event_bytes(c->spec, s->text + start, length);
	if (index != PLUMB_NONE)
		return emit_event(c, index, start);
	index = spec_metric_bytes(c->spec, s->text + start, length);
	if (index != PLUMB_NONE)
		return compile_metric(c, index, start);
	return fail(c, PLUMB_ERR_NOT_FOUND, "formula-unknown-name", start,
		    "%.*s is neither an event nor a metric", (int)length, s->text + start);
}

static int compile_factor(struct compiler *c)
{
	struct source *s = &c->source;
	bool negative, positive;
	size_t at;
	int error;

	skip_blanks(s);
	at = s->at;
	if (is_digit(peek(s, 0)))
		return compile_number(c);
	if (is_letter(peek(s, 0)))
		return compile_name(c);

	negative = take(s, '-');
	positive = !negative && take(s, '+');
	if (!negative && !positive && !take(s, '('))
		return fail_syntax(c, "a number, a name or '('");
	error = deepen(c, at);
	if (error)
		return error;
	error = compile_level(c, negative || positive ? FACTOR : SHIFT);
	c->depth--;
	if (error)
		return error;
	if (negative)
		return emit(c, (struct formula_step){.opcode = FORMULA_NEGATE});
	if (!positive && !take(s, ')'))
		return fail_syntax(c, "an operator or ')'");
	return 0;
}

/* Reads an operator of this precedence; returns its opcode, or -1. */
static int take_operator(struct source *s, enum precedence precedence)
{
	skip_blanks(s);
	switch (precedence) {
	case SHIFT:
		if (peek(s, 0) != peek(s, 1) || (peek(s, 0) != '<' && peek(s, 0) != '>'))
			return -1;
		s->at += 2;
		return s->text[s->at - 1] == '<' ? FORMULA_SHL : FORMULA_SHR;
	case SUM:
		return take(s, '+') ? FORMULA_ADD : take(s, '-') ? FORMULA_SUBTRACT : -1;
	case TERM:
		return take(s, '*') ? FORMULA_MULTIPLY : take(s, '/') ? FORMULA_DIVIDE : -1;
	default:
		return -1;
	}
}

static int compile_level(struct compiler *c, enum precedence precedence)
{
	int error, opcode;

	if (precedence == FACTOR)
		return compile_factor(c);
	error = compile_level(c, precedence + 1);
	while (!error && (opcode = take_operator(&c->source, precedence)) >= 0) {
		error = compile_level(c, precedence + 1);
		if (!error)
			error = emit(c, (struct formula_step){.opcode = (uint8_t)opcode});
	}
	return error;
}

/* ---- the result ---------------------------------------------------------------------------- */

static struct formula *make_formula(const struct compiler *c)
{
	size_t steps_size = c->step_count * sizeof(*c->steps);
	struct formula *formula =
		malloc(sizeof(*formula) + steps_size + c->event_count * sizeof(uint16_t));
	uint16_t *events;

	if (!formula)
		return NULL;
	formula->steps = (struct formula_step *)(formula + 1);
	formula->step_count = c->step_count;
	memcpy(formula->steps, c->steps, steps_size);
	events = (uint16_t *)(formula->steps + c->step_count);
	formula->events = (struct plumb_indexes){.at = events};
	for (unsigned e = 0; formula->events.count < c->event_count; e++)
		if (index_set_has(&c->events, (uint16_t)e))
			events[formula->events.count++] = (uint16_t)e;
	return formula;
}

/* Compiles the current source and cleans up. */
static int finish(struct compiler *c, struct formula **formula)
{
	int error = compile_whole(c);

	if (!error) {
		*formula = make_formula(c);
		if (!*formula)
			error = fail_memory(c);
	}
	free(c->steps);
	return error;
}

int formula_compile(const char *text, size_t length, const struct plumb_spec *spec,
		    const struct place *where, struct formula **formula,
		    struct plumb_diagnostics *diagnostics)
{
	struct compiler c = {.spec = spec, .where = where, .diagnostics = diagnostics};
	int error;

	*formula = NULL;
	c.source.metric = PLUMB_NONE;
	error = open_source(&c, text, length, PLUMB_NONE, 0);
	return error ? error : finish(&c, formula);
}

int formula_compile_metric(const struct plumb_spec *spec, uint16_t metric, struct formula **formula,
			   struct plumb_diagnostics *diagnostics)
{
	struct compiler c = {.spec = spec, .diagnostics = diagnostics};
	struct place where = {.file = spec->file};
	struct path path = {0};
	const char *text;
	int error;

	*formula = NULL;
	if (metric >= spec->metric_count)
		return PLUMB_ERR_ARGUMENT;
	path_enter(&path, "metrics");
	path_enter(&path, spec->metrics[metric].name);
	path_enter(&path, "formula");
	where.path = path.text;
	c.where = &where;
	c.source.metric = PLUMB_NONE;
	index_set_add(&c.metrics, metric);
	text = formula_of(spec, metric);
	error = open_source(&c, text, strnlen(text, FORMULA_MAX_LENGTH + 1), PLUMB_NONE, 0);
	return error ? error : finish(&c, formula);
}

void formula_free(struct formula *formula)
{
	free(formula);
}

struct plumb_indexes formula_events(const struct formula *formula)
{
	return formula->events;
}

/* ---- evaluation --------------------------------------------------------------------------- */

/* Returns `value` * 2^`places`; beyond 5000 places every double is zero or infinite. */
static double shift(double value, double places)
{
	if (!isfinite(places))
		return NAN;
	return ldexp(value, (int)fmin(fmax(places, -5000), 5000));
}

double formula_combine(enum formula_opcode opcode, double left, double right)
{
	switch (opcode) {
	case FORMULA_ADD:
		return left + right;
	case FORMULA_SUBTRACT:
		return left - right;
	case FORMULA_MULTIPLY:
		return left * right;
	case FORMULA_DIVIDE:
		return left / right;
	case FORMULA_SHL:
		return shift(left, right);
	default:
		return shift(left, -right);
	}
}

bool formula_evaluate(const struct formula *formula, const double *counts, double *value)
{
	double stack[STACK_SIZE];
	size_t height = 0;

	for (size_t i = 0; i < formula->step_count; i++) {
		const struct formula_step *step = &formula->steps[i];
		enum formula_opcode opcode = step->opcode;
		double *left, right;

		if (opcode == FORMULA_NUMBER) {
			stack[height++] = step->number;
			continue;
		}
		if (opcode == FORMULA_EVENT) {
			if (isnan(counts[step->event]))
				return false;
			stack[height++] = counts[step->event];
			continue;
		}
		/* The grammar guarantees that every operation finds its operands. */
		assert(height >= (opcode == FORMULA_NEGATE ? 1 : 2));
		if (opcode == FORMULA_NEGATE) {
			stack[height - 1] = -stack[height - 1];
			continue;
		}
		right = stack[--height];
		left = &stack[height - 1];
		if (opcode == FORMULA_DIVIDE && right == 0)
			return false;
		*left = formula_combine(opcode, *left, right);
	}
	assert(height == 1);
	if (!isfinite(stack[0]))
		return false;
	*value = stack[0];
	return true;
}
