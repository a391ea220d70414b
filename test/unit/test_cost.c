/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c: the costs of instructions, beside what model/cores/neoverse-n3.json says of their
 * classes. */
#include "check.h"

#include <plumb/cost.h>

#define N3 0x410fd8e0

static void expect(uint32_t word, const char *name, unsigned operations, unsigned latency,
		   const char *ports)
{
	struct plumb_cost cost;

	assert_true(plumb_cost_of(plumb_cost_core(N3), word, &cost));
	assert_string_equal(name, cost.name);
	assert_int_equal(operations, cost.operations);
	assert_int_equal(latency, cost.latency);
	assert_string_equal(ports, cost.ports);
}

static void costs(void **state)
{
	struct plumb_cost cost;

	(void)state;
	expect(0xd503201f, "NOP", 1, 1, "");
	expect(0x9ac10800, "INT_DIV64", 1, 7, "M0/7"); /* udiv x0, x0, x1 */
	expect(0x14000001, "BRANCH", 1, 1, "B01");     /* b */
	expect(0xf9400000, "LOAD", 1, 4, "L012");      /* ldr x0, [x0] */
	assert_false(plumb_cost_of(plumb_cost_core(N3), 0xffffffff, &cost));
	assert_null(cost.name);
}

static void cores(void **state)
{
	(void)state;
	assert_string_equal("neoverse-n3", plumb_cost_core_name(plumb_cost_core(N3)));
	/* r1p2 */
	assert_ptr_equal(plumb_cost_core(N3), plumb_cost_core(0x411fd8e2));
	assert_string_equal("neoverse-v2", plumb_cost_core_name(plumb_cost_core(0x410fd4f0)));
	assert_null(plumb_cost_core(0));
	assert_true(plumb_cost_mispredict(plumb_cost_core(N3)) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs),
		cmocka_unit_test(cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
