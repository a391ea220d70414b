/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microbenchmarks whose code is written when they run, since its size is what they are about:
 * generated WHAT [NUMBER]... What is between the functions measure() and measured() counts. Prints
 * how many operations that is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure.h"

#define LINE       64
#define PAGE       4096
#define CODE_BYTES (64 << 20)

/* Instructions; X() makes a register operand. */
#define NOP       0xd503201fu
#define RET       0xd65f03c0u
#define SUBS_1    0xf1000400u /* subs x0, x0, #1 */
#define BRANCH    0x14000000u /* b */
#define BRANCH_NE 0x54000001u /* b.ne */
#define CALL      0x94000000u /* bl */
#define PUSH_LINK 0xf81f0ffeu /* str x30, [sp, #-16]! */
#define POP_LINK  0xf84107feu /* ldr x30, [sp], #16 */
#define NEAR      (1 << 17)   /* instructions that b.ne can go back */
#define OFFSET26  0x3ffffffu
#define OFFSET19  0x7ffffu

static uint32_t *code, *end;

static void *allocate(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory)
		abort();
	return memory;
}

static void put(uint32_t instruction)
{
	*end++ = instruction;
}

/* A branch from here to `target`. */
static void put_branch(uint32_t instruction, const uint32_t *target)
{
	uint32_t offset = (uint32_t)(target - end);

	put(instruction == BRANCH_NE ? instruction | (offset & OFFSET19) << 5
				     : instruction | (offset & OFFSET26));
}

static void skip_to(uint32_t *place)
{
	while (end < place)
		put(NOP);
}

static uint64_t random_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return state >> 33;
}

/* Makes the code visible to fetch. To do so takes long, so do it before anything is measured. */
static void make_visible(void)
{
	static const uint32_t *visible;

	if (visible != end)
		__builtin___clear_cache((char *)code, (char *)end);
	visible = end;
}

/* The code: rounds in x0, memory in x1, a multiplier and an increment in x3 and x4, two zeroes in
 * x5 and x6. */
static void run(uint64_t rounds, void *memory)
{
	void (*function)(uint64_t, void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

	make_visible();
	memcpy(&function, &code, sizeof(function));
	function(rounds, memory, 1, 6364136223846793005, 1442695040888963407, 0, 0);
}

/* Ends a loop from the code's beginning. */
static void put_loop_end(void)
{
	put(SUBS_1);
	if (end - code < NEAR) {
		put_branch(BRANCH_NE, code);
	} else {
		put(0x54000040); /* b.eq .+8 */
		put_branch(BRANCH, code);
	}
	put(RET);
}

static void *zeroes(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/*
 * Two chains of loads that miss all caches, with `count` other instructions after each load: both
 * are under way at a time if the core has room for these. `kind` is what they take: any entry of
 * the reorder buffer, or a register, or an entry of a queue, where they wait for the load before.
 */
static uint64_t window(const char *kind, unsigned count)
{
	static const struct {
		const char *kind;
		uint32_t filler, before; /* `before`: once, after the load */
	} all[] = {
		{"any", NOP, 0},
		{"integer_registers", 0x91000549, 0}, /* add x9, x10, #1 */
		{"flag_registers", 0xeb0a013f, 0},    /* cmp x9, x10 */
		{"fp_registers", 0x1e622820, 0},      /* fadd d0, d1, d2 */
		{"loads", 0xf94007e9, 0},             /* ldr x9, [sp, #8] */
		{"stores", 0xf81f03ff, 0},            /* stur xzr, [sp, #-16] */
		{"integer_queue", 0x910004a9, 0},     /* add x9, x5, #1 */
		{"fp_queue", 0x1e672820, 0x9e6700a7}, /* fadd d0, d1, d7; fmov d7, x5 */
		{"load_queue", 0xf8656ba9, 0},        /* ldr x9, [x29, x5] */
	};
	const uint64_t rounds = 400;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(all[i].kind, kind) == 0)
			break;
	if (i == sizeof(all) / sizeof(*all))
		return 0;
	for (uint32_t chain = 5; chain <= 6; chain++) {
		put(0x9b031042);               /* madd x2, x2, x3, x4 */
		put(0xd360c447);               /* ubfx x7, x2, #32, #18 */
		put(0x8b071827);               /* add x7, x1, x7, lsl #6 */
		put(0x8b0000e7 | chain << 16); /* add x7, x7, x5 */
		put(0xf94000e0 | chain);       /* ldr x5, [x7] */
		if (all[i].before)
			put(all[i].before + ((chain - 5) << 5));
		for (unsigned filler = 0; filler < count; filler++)
			put(all[i].filler == 0x910004a9   ? 0x91000409 | chain << 5
			    : all[i].filler == 0xf8656ba9 ? 0xf8606ba9 | chain << 16
							  : all[i].filler);
	}
	put_loop_end();
	char *memory = zeroes((size_t)LINE << 18);

	make_visible();
	measure();
	run(rounds, memory);
	measured();
	return rounds;
}

/* Branches that are always taken, `spacing` bytes apart. */
static uint64_t taken(unsigned count, unsigned spacing)
{
	const uint64_t rounds = 10 + 60000 / count;

	for (unsigned i = 0; i < count - 1; i++) {
		uint32_t *next = end + spacing / 4;

		put_branch(BRANCH, next);
		skip_to(next);
	}
	put_loop_end();
	run(10, NULL);
	measure();
	run(rounds, NULL);
	measured();
	return rounds * count;
}

/* Calls within calls, `depth` of them, and their returns. */
static uint64_t calls(unsigned depth)
{
	const uint64_t rounds = 20000 / depth + 20;

	put(PUSH_LINK);
	put_branch(CALL, code + 6);
	put(SUBS_1);
	put_branch(BRANCH_NE, code + 1);
	put(POP_LINK);
	put(RET);
	for (unsigned i = 1; i < depth; i++) {
		put(PUSH_LINK);
		put_branch(CALL, end + 3);
		put(POP_LINK);
		put(RET);
	}
	put(RET);
	run(20, NULL);
	measure();
	run(rounds, NULL);
	measured();
	return rounds * depth;
}

/* `branches` branches, each taken or not by a random pattern of its own of `length` outcomes. */
static uint64_t patterns(unsigned branches, unsigned length)
{
	const uint64_t rounds = branches == 1 ? 20 : 40;
	uint8_t *outcomes = allocate((size_t)branches * length);

	for (size_t i = 0; i < (size_t)branches * length; i++)
		outcomes[i] = random_number() >> 20 & 1;
	for (unsigned i = 0; i < branches; i++) {
		put(0x38401429); /* ldrb w9, [x1], #1 */
		put(0x34000049); /* cbz w9, .+8 */
		put(NOP);
	}
	put_loop_end();
	for (unsigned round = 0; round < 3 * rounds; round++) {
		if (round == 2 * rounds)
			measure();
		run(length, outcomes);
	}
	measured();
	free(outcomes);
	return rounds * length * branches;
}

/* `branches` indirect branches, each of which goes through `targets` targets in turn. */
static uint64_t indirect(unsigned branches, unsigned targets)
{
	const uint64_t rounds = 40000 / (branches * targets) + 20;
	uint64_t *places = allocate(branches * targets * sizeof(*places));

	for (unsigned i = 0; i < branches; i++) {
		uint32_t *after;

		put(0xf8408429); /* ldr x9, [x1], #8 */
		put(0xd61f0120); /* br x9 */
		after = end + 2 * targets;
		for (unsigned j = 0; j < targets; j++) {
			places[j * branches + i] = (uint64_t)(uintptr_t)end;
			put(NOP);
			put_branch(BRANCH, after);
		}
	}
	put_loop_end();
	for (unsigned round = 0; round < 2 * rounds; round++) {
		if (round == rounds)
			measure();
		run(targets, places);
	}
	measured();
	free(places);
	return rounds * branches * targets;
}

/* One branch in each of `count` pages. */
static uint64_t code_pages(unsigned count)
{
	const uint64_t rounds = 20 + 20000 / count;

	for (unsigned i = 0; i < count - 1; i++) {
		uint32_t *next = code + (i + 1) * (PAGE / 4) + (i + 1) % (PAGE / LINE) * (LINE / 4);

		put_branch(BRANCH, next);
		end = next;
	}
	put_loop_end();
	run(20, NULL);
	measure();
	run(rounds, NULL);
	measured();
	return rounds * count;
}

/* A line in the i-th page, such that the lines of few pages share no set of a cache. */
static char *line_in_page(char *memory, unsigned i)
{
	return memory + (size_t)i * PAGE + (i + i / 32) % (PAGE / LINE) * LINE;
}

/* One load in each of `count` pages, each of which waits for the last. */
static uint64_t data_pages(unsigned count)
{
	const uint64_t rounds = 3 + 20000 / count;
	char *memory = zeroes((size_t)count * PAGE);

	for (unsigned i = 0; i < count; i++)
		*(void **)line_in_page(memory, i) = line_in_page(memory, (i + 1) % count);
	for (unsigned i = 0; i < 16; i++)
		put(0xf9400021); /* ldr x1, [x1] */
	put_loop_end();
	run((count + 15) / 16 * 2, memory);
	measure();
	run(rounds * count / 16 + 1, memory);
	measured();
	return (rounds * count / 16 + 1) * 16;
}

/* Straight code of `bytes` bytes of one instruction. */
static uint64_t straight(const char *kind, unsigned bytes)
{
	const uint64_t rounds = 2 + 2000000 / bytes;
	const uint32_t instruction = strcmp(kind, "nop") == 0    ? NOP
				     : strcmp(kind, "move") == 0 ? 0xaa0a03e9
								 : /* mov x9, x10 */
					     strcmp(kind, "zero") == 0 ? 0xd2800009
								       : /* mov x9, #0 */
					     strcmp(kind, "isb") == 0 ? 0xd5033fdf
				     : strcmp(kind, "madd") == 0      ? 0x9b0c2d49
								      : /* madd x9, x10, x12, x11 */
					     0;

	skip_to(end);
	for (unsigned i = 0; i < bytes / 4 && instruction; i++)
		put(instruction);
	put_loop_end();
	run(1, NULL);
	measure();
	run(rounds, NULL);
	measured();
	return instruction ? rounds * (bytes / 4) : 0;
}

int main(int count, char **arguments)
{
	const char *what = count > 1 ? arguments[1] : "";
	const char *kind = count > 2 ? arguments[2] : "";
	unsigned first = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 0) : 0;
	unsigned second = count > 3 ? (unsigned)strtoul(arguments[3], NULL, 0) : 0;
	uint64_t work = 0;

	code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	end = code;
	if (strcmp(what, "window") == 0)
		work = window(kind, second);
	if (strcmp(what, "taken") == 0)
		work = taken(first, second);
	if (strcmp(what, "calls") == 0)
		work = calls(first);
	if (strcmp(what, "patterns") == 0)
		work = patterns(first, second);
	if (strcmp(what, "indirect") == 0)
		work = indirect(first, second);
	if (strcmp(what, "code_pages") == 0)
		work = code_pages(first);
	if (strcmp(what, "data_pages") == 0)
		work = data_pages(first);
	if (strcmp(what, "straight") == 0)
		work = straight(kind, second);
	printf("%llu\n", (unsigned long long)work);
	return work == 0;
}
