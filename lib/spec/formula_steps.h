/* SPDX-License-Identifier: Apache-2.0 */
/* The postfix program that a formula is compiled to. */
#ifndef SPEC_FORMULA_STEPS_H
#define SPEC_FORMULA_STEPS_H

#include "spec/formula.h"

enum formula_opcode {
	FORMULA_NUMBER,
	FORMULA_EVENT,
	FORMULA_NEGATE,
	FORMULA_ADD,
	FORMULA_SUBTRACT,
	FORMULA_MULTIPLY,
	FORMULA_DIVIDE,
	FORMULA_SHL,
	FORMULA_SHR
};

struct formula_step {
	uint8_t opcode; /* enum formula_opcode */
	uint16_t event;
	double number;
};

struct formula {
	struct plumb_indexes events;
	size_t step_count;
	struct formula_step *steps;
	/* The steps and the event indexes follow in the same allocation. */
};

/* Returns the result of a binary operation, except for FORMULA_DIVIDE by zero. */
double formula_combine(enum formula_opcode opcode, double left, double right);

#endif
