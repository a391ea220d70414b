/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts a compiled formula, which is postfix, to an infix expression with no more parentheses
 * than its value needs. jevents.py limits what is allowed: it has neither signs nor shifts, and
 * fails on an operation between two numbers. Those are evaluated here.
 */
#include "spec/perf_expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "spec/formula_steps.h"

struct node {
	enum formula_opcode opcode; /* a number, an event, or + - * / of two nodes */
	double number;
	uint16_t event;
	uint32_t left, right;
};

struct tree {
	const struct plumb_spec *spec;
	struct node *nodes;
	uint32_t count;
	uint32_t *stack; /* nodes waiting for their operator */
	uint32_t depth;
};

static void push(struct tree *tree, struct node node)
{
	tree->nodes[tree->count] = node;
	tree->stack[tree->depth++] = tree->count++;
}

static void push_number(struct tree *tree, double number)
{
	push(tree, (struct node){.opcode = FORMULA_NUMBER, .number = number});
}

static bool is_number(const struct tree *tree, uint32_t node)
{
	return tree->nodes[node].opcode == FORMULA_NUMBER;
}

/* Keywords of perf's lexer and jevents.py that could also be names of events. */
static bool is_reserved(const char *name)
{
	static const char *const reserved[] = {"if",           "else",      "min",
					       "max",          "NaN",       "d_ratio",
					       "source_count", "has_event", "strcmp_cpuid_str"};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(name, reserved[i]) == 0)
			return true;
	return false;
}

static int push_event(struct tree *tree, uint16_t index)
{
	const struct plumb_event *event = &tree->spec->events[index];

	/* To jevents.py, a name begins with a letter. */
	if (!(event->accesses & PLUMB_ACCESS_PMU) || event->name[0] == '_' ||
	    is_reserved(event->name))
		return PLUMB_ERR_UNSUPPORTED;
	push(tree, (struct node){.opcode = FORMULA_EVENT, .event = index});
	return 0;
}

static int push_operator(struct tree *tree, enum formula_opcode opcode)
{
	uint32_t right = tree->stack[--tree->depth];
	uint32_t left = tree->stack[--tree->depth];
	double number = tree->nodes[right].number;

	if (opcode == FORMULA_SHL || opcode == FORMULA_SHR) {
		double places = trunc(opcode == FORMULA_SHL ? number : -number);

		if (!is_number(tree, right) || fabs(places) > 63)
			return PLUMB_ERR_UNSUPPORTED;
		number = ldexp(1, (int)fabs(places));
		tree->nodes[right].number = number;
		opcode = places < 0 ? FORMULA_DIVIDE : FORMULA_MULTIPLY;
	}
	if (is_number(tree, right) && number == 0 && opcode == FORMULA_DIVIDE)
		return PLUMB_ERR_UNSUPPORTED;
	if (is_number(tree, left) && is_number(tree, right))
		push_number(tree, formula_combine(opcode, tree->nodes[left].number, number));
	else
		push(tree, (struct node){.opcode = opcode, .left = left, .right = right});
	return 0;
}

static int push_step(struct tree *tree, const struct formula_step *step)
{
	uint32_t zero, operand;

	switch ((enum formula_opcode)step->opcode) {
	case FORMULA_NUMBER:
		push_number(tree, step->number);
		return 0;
	case FORMULA_EVENT:
		return push_event(tree, step->event);
	case FORMULA_NEGATE:
		push_number(tree, 0);
		zero = tree->stack[tree->depth - 1];
		operand = tree->stack[tree->depth - 2];
		tree->stack[tree->depth - 2] = zero;
		tree->stack[tree->depth - 1] = operand;
		return push_operator(tree, FORMULA_SUBTRACT);
	default:
		return push_operator(tree, (enum formula_opcode)step->opcode);
	}
}

/* Formats a number in decimal, without an exponent and with a point in any locale. */
static int print_number(FILE *out, double number)
{
	double scaled = fabs(number), power = 1;
	char digits[32];
	int places = 0;

	while (scaled != floor(scaled) && places < 15) {
		places++;
		power *= 10;
		scaled = fabs(number) * power;
	}
	if (!(scaled < 1e19) || scaled / power != fabs(number) || scaled != floor(scaled))
		return PLUMB_ERR_UNSUPPORTED;
	/* Keep at least one digit before the point. */
	snprintf(digits, sizeof(digits), "%0*.0f", places + 1, scaled);
	fprintf(out, "%s%.*s", number < 0 ? "-" : "", (int)strlen(digits) - places, digits);
	if (places > 0)
		fprintf(out, ".%s", digits + strlen(digits) - places);
	return 0;
}

static int precedence(enum formula_opcode opcode)
{
	switch (opcode) {
	case FORMULA_ADD:
	case FORMULA_SUBTRACT:
		return 1;
	case FORMULA_MULTIPLY:
	case FORMULA_DIVIDE:
		return 2;
	default:
		return 3;
	}
}

/* A stack of what is still to be printed: a text, or else a node. */
struct pending {
	const char *text;
	uint32_t node;
};

static size_t add_operand(struct pending *pending, size_t count, uint32_t node, bool parentheses)
{
	if (parentheses)
		pending[count++] = (struct pending){.text = ")"};
	pending[count++] = (struct pending){.node = node};
	if (parentheses)
		pending[count++] = (struct pending){.text = "("};
	return count;
}

static int print_tree(const struct tree *tree, struct pending *pending, FILE *out)
{
	static const char *const operators[] = {
		[FORMULA_ADD] = " + ",
		[FORMULA_SUBTRACT] = " - ",
		[FORMULA_MULTIPLY] = " * ",
		[FORMULA_DIVIDE] = " / ",
	};
	size_t count = add_operand(pending, 0, tree->stack[0], false);

	while (count > 0) {
		const struct pending next = pending[--count];
		const struct node *nodes = tree->nodes, *node = &nodes[next.node];

		if (next.text) {
			fputs(next.text, out);
		} else if (node->opcode == FORMULA_NUMBER) {
			int result = print_number(out, node->number);

			if (result)
				return result;
		} else if (node->opcode == FORMULA_EVENT) {
			fputs(tree->spec->events[node->event].name, out);
		} else {
			int binds = precedence(node->opcode);

			/* With equal precedence, the left operand needs no parentheses. */
			count = add_operand(pending, count, node->right,
					    precedence(nodes[node->right].opcode) <= binds);
			pending[count++] = (struct pending){.text = operators[node->opcode]};
			count = add_operand(pending, count, node->left,
					    precedence(nodes[node->left].opcode) < binds);
		}
	}
	return 0;
}

/* Enough for a tree of `count` nodes: expanding a node leaves at most 7 entries pending. */
static int print(const struct tree *tree, char **text)
{
	struct pending *pending = calloc(7 * (size_t)tree->count + 1, sizeof(*pending));
	size_t size = 0;
	FILE *out = pending ? text_stream(text, &size) : NULL;
	int result = PLUMB_ERR_NO_MEMORY;

	if (out) {
		result = print_tree(tree, pending, out);
		if ((fclose(out) != 0 || !*text) && !result)
			result = PLUMB_ERR_NO_MEMORY;
		if (result) {
			free(*text);
			*text = NULL;
		}
	}
	free(pending);
	return result;
}

/* A step makes one node; a sign makes two. */
static int translate(const struct plumb_spec *spec, const struct formula *formula, char **text)
{
	struct tree tree = {.spec = spec};
	int result = 0;

	tree.nodes = calloc(2 * formula->step_count, sizeof(*tree.nodes));
	tree.stack = calloc(2 * formula->step_count, sizeof(*tree.stack));
	if (!tree.nodes || !tree.stack)
		result = PLUMB_ERR_NO_MEMORY;
	for (size_t i = 0; !result && i < formula->step_count; i++)
		result = push_step(&tree, &formula->steps[i]);
	if (!result)
		result = print(&tree, text);
	free(tree.nodes);
	free(tree.stack);
	return result;
}

int perf_expression(const struct plumb_spec *spec, uint16_t metric, char **text)
{
	struct formula *formula;
	int result = formula_compile_metric(spec, metric, &formula, NULL);

	*text = NULL;
	if (result)
		return result == PLUMB_ERR_NO_MEMORY ? result : PLUMB_ERR_UNSUPPORTED;
	result = translate(spec, formula, text);
	formula_free(formula);
	return result;
}
