#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C program of a thousand lines with one fault planted in it.

    planted.py FAULT >PROGRAM.c

The program reads orders of a made-up shop: it checks, prices, sorts and sums them, in some fifty
functions, all of which run. FAULT says what is wrong with one line of one of them, which has the
mark: list (an index kept as a list that is followed in memory), branch (a decision that is a coin's
toss), divide (a chain of divisions).
"""
import sys

LINES = 1000
HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ORDERS 512

struct order {
	uint32_t number, customer, amount, price, region, flags, day, rank;
};

static struct order orders[ORDERS];
static uint64_t totals[64];
static volatile uint64_t result;
static uint64_t state = 88172645463325252;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void read_orders(void)
{
	for (unsigned i = 0; i < ORDERS; i++) {
		orders[i].number = i;
		orders[i].customer = i * 7 % 100;
		orders[i].amount = i % 12 + 1;
		orders[i].price = i * 31 % 900 + 10;
		orders[i].region = i % 8;
		orders[i].day = i % 365;
	}
}
"""
# Each is a template of a function over all orders, which the compiler makes fast code of.
STEPS = [
    """
/* Adds up what region {n} of the shop sold. */
__attribute__((noinline)) static uint64_t sum_{n}(void)
{{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (unsigned i = 0; i < ORDERS; i += 4) {{
		a += orders[i].amount + {n};
		b += orders[i + 1].amount ^ {n};
		c += orders[i + 2].price + {n};
		d += orders[i + 3].price ^ {n};
	}}
	totals[{n} % 64] += a + b;
	totals[({n} + 1) % 64] += c + d;
	return a + b + c + d;
}}
""",
    """
/* Marks the orders of day {n} and later, without a branch for each. */
__attribute__((noinline)) static uint64_t mark_{n}(void)
{{
	uint64_t marked = 0;

	for (unsigned i = 0; i < ORDERS; i++) {{
		uint32_t late = orders[i].day >= {n};

		orders[i].flags = (orders[i].flags & ~1u) | late;
		marked += late;
	}}
	return marked;
}}
""",
    """
/* Ranks the orders by amount and price, for list {n}. */
__attribute__((noinline)) static uint64_t rank_{n}(void)
{{
	uint64_t best = 0;

	for (unsigned i = 0; i < ORDERS; i++) {{
		uint32_t rank = (orders[i].amount << 3) + (orders[i].price >> 2) + {n};

		orders[i].rank = rank;
		best = best > rank ? best : rank;
	}}
	return best;
}}
""",
    """
/* Discounts what customers bought {n} times or more. */
__attribute__((noinline)) static uint64_t discount_{n}(void)
{{
	uint64_t saved = 0, kept = 0;

	for (unsigned i = 0; i < ORDERS; i++) {{
		uint32_t off = orders[i].amount >= {n} % 12 ? orders[i].price >> 4 : 0;

		saved += off;
		kept += orders[i].price - off;
	}}
	totals[{n} % 64] += saved;
	return kept;
}}
""",
]
FAULTS = {
    "list": """
struct entry {{
	struct entry *next;
	uint64_t amount, filler[14];
}};

#define ENTRIES 40000

static struct entry *entries;

/* The index of customers: its entries lie in memory as they came. */
static void make_index(void)
{{
	entries = malloc(ENTRIES * sizeof(*entries));
	for (uint32_t i = 0; i < ENTRIES; i++) {{
		entries[(uint64_t)i * 17389 % ENTRIES].next =
			&entries[(uint64_t)(i + 1) * 17389 % ENTRIES];
		entries[i].amount = i;
	}}
}}

__attribute__((noinline)) static uint64_t find_customer(uint64_t number)
{{
	const struct entry *at = entries;
	uint64_t steps = number;

	for (unsigned i = 0; i < 40000; i++)
		at = at->next; {mark}
	return steps + at->amount;
}}
""",
    "branch": """
static void make_index(void)
{{
}}

/* Decides by the dice whether an order is looked at. */
__attribute__((noinline)) static uint64_t find_customer(uint64_t number)
{{
	uint64_t found = 0, x = state + number;

	for (unsigned i = 0; i < 30000; i++) {{
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1) {mark}
			found += orders[x >> 40 & (ORDERS - 1)].price;
		else
			__asm__ volatile("eor %0, %0, #1" : "+r"(found));
	}}
	state = x | 1;
	return found;
}}
""",
    "divide": """
static volatile uint64_t buckets = 1009;

static void make_index(void)
{{
}}

/* Finds the bucket of a customer, by division after division. */
__attribute__((noinline)) static uint64_t find_customer(uint64_t number)
{{
	uint64_t key = number * UINT64_C(0x9e3779b97f4a7c15) + 12345, of = buckets;

	for (unsigned i = 0; i < 20000; i++)
		key = (key ^ UINT64_C(0x123456789abcdef)) / of + (of << 40); {mark}
	return key;
}}
""",
}
TAIL_HEAD = """
/* Does all of it. */
int main(void)
{
	uint64_t sum = 0;

	read_orders();
	make_index();
	for (unsigned round = 0; round < 4; round++) {
"""
TAIL_END = """		sum += find_customer(draw() >> 50);
	}
	result = sum;
	return 0;
}
"""


def program(fault):
    """The text: functions up to the fault, the fault, more functions, and main()."""
    text, calls = HEAD, ""
    names = ["sum", "mark", "rank", "discount"]
    count = 0
    # A call takes a line of main(), too.
    fixed = len((HEAD + FAULTS[fault] + TAIL_HEAD + TAIL_END).splitlines())
    planted = False
    while len(text.splitlines()) + len(calls.splitlines()) + fixed < LINES + 60:
        step = count % len(STEPS)
        text += STEPS[step].format(n=count)
        calls += f"\t\tsum += {names[step]}_{count}();\n"
        count += 1
        if not planted and len(text.splitlines()) > LINES / 2:
            text += FAULTS[fault].format(mark="/* guilty */")
            planted = True
    return text + TAIL_HEAD + calls + TAIL_END


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in FAULTS:
        sys.exit(__doc__)
    sys.stdout.write(program(sys.argv[1]))
