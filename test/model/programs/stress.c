/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that each stress one part of a core: stress NAME. They have the names of the workloads
 * that Arm publishes as ustress, and stress the same parts; nothing else is theirs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB     1024
#define MIB     (1024 * KIB)
#define LINE    64
#define PAGE    4096
#define ROUNDS  40000
#define NO_LINE __attribute__((noinline))

static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void *allocate(size_t bytes)
{
	void *memory = aligned_alloc(PAGE, bytes);

	if (!memory)
		abort();
	return memory;
}

/* `text` eight times a round. */
#define REPEAT(rounds, text, ...)                                                 \
	do {                                                                      \
		for (int round = 0; round < (rounds); round++)                    \
			__asm__ volatile(".rept 8\n" text "\n.endr" __VA_ARGS__); \
	} while (0)

/* Branches whose directions are random. */
static void branch_direct(void)
{
	for (int i = 0; i < 100000; i++) {
		uint64_t random = random_number();

		__asm__ volatile("tbz %0, #0, 1f\nnop\n1: tbz %0, #9, 1f\nnop\n1:" ::"r"(random));
	}
}

NO_LINE static uint64_t add(uint64_t value)
{
	return value + 3;
}

NO_LINE static uint64_t invert(uint64_t value)
{
	return ~value;
}

NO_LINE static uint64_t turn(uint64_t value)
{
	return value << 1;
}

NO_LINE static uint64_t halve(uint64_t value)
{
	return value >> 1;
}

/* Calls of functions that are chosen at random. */
static void branch_indirect(void)
{
	uint64_t (*const functions[])(uint64_t) = {add, invert, turn, halve};
	volatile uint64_t value = 1;

	for (int i = 0; i < 100000; i++)
		value = functions[random_number() >> 20 & 3](value);
}

/* Calls within calls, deeper than a stack of return addresses, from places chosen at random. */
NO_LINE static uint64_t descend(unsigned depth)
{
	if (!depth)
		return 1;
	if (random_number() >> 20 & 1)
		return descend(depth - 1) + 1;
	return descend(depth - 1) * 3;
}

static void call_return(void)
{
	volatile uint64_t sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += descend(100);
}

static void div32(void)
{
	REPEAT(ROUNDS, "udiv w9, w9, w10", ::: "x9");
}

static void div64(void)
{
	REPEAT(ROUNDS, "udiv x9, x9, x10", ::: "x9");
}

static void double2int(void)
{
	REPEAT(ROUNDS, "fcvtzs x9, d0\nfmov d0, x9", ::: "x9", "v0");
}

static void int2double(void)
{
	REPEAT(ROUNDS, "scvtf d0, x9\nfmov x9, d0", ::: "x9", "v0");
}

static void fpdiv(void)
{
	REPEAT(ROUNDS, "fdiv d0, d0, d1", ::: "v0");
}

static void fpmac(void)
{
	REPEAT(ROUNDS, "fmadd d0, d0, d1, d2", ::: "v0");
}

static void fpmul(void)
{
	REPEAT(ROUNDS, "fmul d0, d0, d1", ::: "v0");
}

static void fpsqrt(void)
{
	REPEAT(ROUNDS, "fsqrt d0, d0", ::: "v0");
}

static void isb(void)
{
	REPEAT(ROUNDS / 4, "isb", ::: "memory");
}

static void mac32(void)
{
	REPEAT(ROUNDS, "madd w9, w9, w10, w11", ::: "x9");
}

static void mac64(void)
{
	REPEAT(ROUNDS, "madd x9, x9, x10, x11", ::: "x9");
}

static void mul32(void)
{
	REPEAT(ROUNDS, "mul w9, w9, w10", ::: "x9");
}

static void mul64(void)
{
	REPEAT(ROUNDS, "mul x9, x9, x10", ::: "x9");
}

/* Follows `count` links between `places` places `step` bytes apart, in a random order. */
static void follow(size_t places, size_t step, int count)
{
	size_t *order = allocate(places * sizeof(*order));
	char *memory = allocate(places * step);
	void *at;

	for (size_t i = 0; i < places; i++)
		order[i] = i;
	for (size_t i = places - 1; i > 0; i--) {
		size_t other = random_number() % i, kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	for (size_t i = 0; i < places; i++)
		*(void **)(memory + order[i] * step) = memory + order[(i + 1) % places] * step;
	at = memory;
	for (int i = 0; i < count; i++)
		at = *(void *volatile *)at;
	free(order);
	free(memory);
}

/* Larger than L1D, and within L2. */
static void l1d_cache(void)
{
	follow(256 * KIB / LINE, LINE, 100000);
}

/* More pages than the TLBs know, of one line each. */
static void l1d_tlb(void)
{
	follow(4000, PAGE + LINE, 50000);
}

/* Larger than L2. */
static void l2d_cache(void)
{
	follow(2 * MIB / LINE, LINE, 50000);
}

/* Code larger than L1I: a jump in each line, over 128 KiB. */
static void l1i_cache(void)
{
	for (int i = 0; i < 100; i++)
		__asm__ volatile(".balign 64\n.rept 2048\nb . + 64\n.skip 60\n.endr");
}

/* Loads of what was stored just before. */
static void load_after_store(void)
{
	uint64_t memory[2] = {0};

	REPEAT(ROUNDS, "str x9, [%0]\nldr x9, [%0]", ::"r"(memory) : "x9", "memory");
}

/* The same, of other bytes than were stored at once, so that the store must reach the cache first.
 */
static void load_after_part(void)
{
	uint64_t memory[2] = {0};

	REPEAT(ROUNDS / 4, "str w9, [%0]\nldr x9, [%0]", ::"r"(memory) : "x9", "memory");
}

/* Copies of memory, larger than L2. */
static void copy(void)
{
	const size_t bytes = 4 * MIB;
	char *from = allocate(bytes), *to = allocate(bytes);

	for (size_t i = 0; i < bytes; i += PAGE)
		from[i] = to[i] = 1;
	for (int i = 0; i < 2; i++) {
		memcpy(to, from, bytes);
		__asm__ volatile("" ::: "memory");
	}
	free(from);
	free(to);
}

/* Stores to lines at random, more than L1D has: they retire faster than L2 sends lines. */
static void store_buffer_full(void)
{
	const size_t bytes = 128 * KIB;
	char *memory = allocate(bytes);
	uint64_t place = 1;

	for (int i = 0; i < 150000; i++) {
		place = place * 6364136223846793005 + 1442695040888963407;
		*(volatile uint64_t *)(memory + ((place >> 20) & (bytes - LINE))) = place;
		*(volatile uint64_t *)(memory + ((place >> 34) & (bytes - LINE))) = place;
		*(volatile uint64_t *)(memory + ((place >> 47) & (bytes - LINE))) = place;
	}
	free(memory);
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{"branch_direct", branch_direct},
		{"branch_indirect", branch_indirect},
		{"call_return", call_return},
		{"div32", div32},
		{"div64", div64},
		{"double2int", double2int},
		{"fpdiv", fpdiv},
		{"fpmac", fpmac},
		{"fpmul", fpmul},
		{"fpsqrt", fpsqrt},
		{"int2double", int2double},
		{"isb", isb},
		{"l1d_cache", l1d_cache},
		{"l1d_tlb", l1d_tlb},
		{"l1i_cache", l1i_cache},
		{"l2d_cache", l2d_cache},
		{"load_after_part", load_after_part},
		{"load_after_store", load_after_store},
		{"mac32", mac32},
		{"mac64", mac64},
		{"memcpy", copy},
		{"mul32", mul32},
		{"mul64", mul64},
		{"store_buffer_full", store_buffer_full},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (count == 2 && strcmp(arguments[1], all[i].name) == 0) {
			all[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: stress NAME\n");
	return 2;
}
