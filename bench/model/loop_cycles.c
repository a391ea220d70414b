/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many cycles the core model takes for one iteration of a loop body, for mca.py to compare:
 *
 *   loop_cycles CORE <BODIES >CYCLES
 *
 * A body is a line of instruction words in hexadecimal, without branches. It is executed as if it
 * stood behind itself for ever. Each of its accesses has an address of its own, the same in every
 * iteration, so that all hit L1D and no load sees a store. A line is printed for each:
 *
 *   CYCLES SLOTS CLASS,CLASS,...     an iteration's cycles and rename slots
 *   - WORD WHY                       a body that is not measured
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define BODY_MAX   128         /* instructions */
#define UNROLLED   256         /* instructions at least: one fetch chunk in many is not full */
#define WARM_UP    8           /* executions of the unrolled body before counting */
#define MEASURED   24          /* executions counted */
#define CODE       0x00400000u /* address of the body */
#define DATA       0x10000000u /* address of its accesses */
#define DATA_APART 64          /* a line each */

struct body {
	struct insn insns[BODY_MAX];
	unsigned count;
};

/* Returns why the cycles of such a loop tell nothing about ports and latencies, or NULL. */
static const char *refusal(const struct core_params *core, const struct insn *insn)
{
	if (insn->branch != BRANCH_NONE)
		return "branch";
	if (core->classes[insn->class].serializes || insn->kinds & (KIND_ISB | KIND_DSB | KIND_DMB))
		return "barrier";
	if (insn->memory & (MEM_EXCLUSIVE | MEM_ACQUIRE | MEM_RELEASE | MEM_ATOMIC))
		return "ordered";
	if (insn->memory & (MEM_GATHER | MEM_ZERO | MEM_TAG | MEM_HIDDEN))
		return "memory";
	switch (insn->class) {
	case CLASS_SYSTEM_READ:
	case CLASS_SYSTEM_WRITE:
	case CLASS_CACHE_MAINTENANCE:
		return "system";
	default:
		return NULL;
	}
}

/* Reads a body from a line. If it is unsuitable, prints why and returns false. */
static bool read_body(const struct core_params *core, char *line, struct body *body)
{
	body->count = 0;
	for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
		char *end;
		unsigned long value = strtoul(word, &end, 16);
		struct insn *insn = &body->insns[body->count];
		const char *why;

		if (*end || value > UINT32_MAX || body->count == BODY_MAX) {
			printf("- %s %s\n", word, *end ? "unreadable" : "long");
			return false;
		}
		if (!insn_decode((uint32_t)value, core->vector_bytes, insn)) {
			printf("- %s unknown\n", word);
			return false;
		}
		why = refusal(core, insn);
		if (why) {
			printf("- %s %s\n", word, why);
			return false;
		}
		body->count++;
	}
	if (!body->count)
		printf("- - empty\n");
	return body->count != 0;
}

/* Writes the body repeatedly; returns how often. */
static unsigned unroll(const struct body *body, struct block *block, struct access *accesses,
		       size_t *access_count)
{
	unsigned times = (UNROLLED + body->count - 1) / body->count;

	block->count = (uint16_t)(times * body->count);
	*access_count = 0;
	for (unsigned i = 0; i < block->count; i++) {
		unsigned at = i % body->count;

		block->insns[i] = body->insns[at];
		if (!(body->insns[at].memory & (MEM_LOAD | MEM_STORE)))
			continue;
		accesses[(*access_count)++] = (struct access){DATA + at * DATA_APART, (uint16_t)i,
							      body->insns[at].access_bytes};
	}
	return times;
}

/* Returns the cycles per iteration in the steady state, or a negative value if out of memory. */
static double measure(const struct core_params *params, const struct body *body)
{
	static struct insn insns[UNROLLED + BODY_MAX];
	static struct access accesses[UNROLLED + BODY_MAX];
	struct block block = {.pc = CODE, .insns = insns};
	struct memory_system *system = memory_system_new(params);
	uint64_t counts[EVENT_COUNT] = {0}, start = 0;
	struct core *core = system ? core_new(params, system, counts) : NULL;
	size_t access_count;
	unsigned times = unroll(body, &block, accesses, &access_count);
	double cycles = -1;

	if (core && core_prepare_block(params, &block)) {
		for (unsigned i = 0; i < WARM_UP + MEASURED; i++) {
			if (i == WARM_UP)
				start = core_cycle(core);
			core_execute(core, &block, block.count, accesses, access_count, block.pc);
		}
		cycles = (double)(core_cycle(core) - start) / (times * MEASURED);
		core_release_block(&block);
	}
	core_free(core);
	memory_system_free(system);
	return cycles;
}

static void report(const struct core_params *params, const struct body *body, double cycles)
{
	unsigned slots = 0;

	for (unsigned i = 0; i < body->count; i++) {
		const struct class_params *class = &params->classes[body->insns[i].class];

		slots += class->operations ? class->operations : 1;
	}
	printf("%.4f %u ", cycles, slots);
	for (unsigned i = 0; i < body->count; i++)
		printf("%s%s", i ? "," : "", insn_class_name(body->insns[i].class));
	putchar('\n');
}

int main(int argc, char **argv)
{
	const struct core_params *params = argc == 2 ? model_core_find(argv[1]) : NULL;
	static struct body body;
	static char line[16 * BODY_MAX];

	if (!params) {
		fprintf(stderr, "usage: loop_cycles CORE <BODIES\n");
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		double cycles;

		if (!read_body(params, line, &body))
			continue;
		cycles = measure(params, &body);
		if (cycles < 0) {
			fprintf(stderr, "loop_cycles: out of memory\n");
			return 1;
		}
		report(params, &body, cycles);
	}
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
