/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: the fit, on a machine that is a formula; and the instructions that it assembles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/calibrate.h"
#include "calibrate/fit.h"
#include "calibrate/hardware.h"
#include "calibrate/program.h"

#define MISS 300.0

/* A machine with these figures, whose measurements are off by at most `noise` of themselves. */
struct formula {
	struct bench bench;
	double noise;
	unsigned reorder, registers, l1d;
	unsigned additions, multiplies; /* that wait in issue queues; 0: any number */
	unsigned calls;                 /* that are returned from as predicted */
	unsigned fast, targets, l1i;    /* target buffers, of jumps; of bytes */
	double chain, stream;
	int stop_after; /* measurements; then it is interrupted */
	int rounds;
};

/* Two misses overlap as long as neither the reorder buffer nor the registers are full between. */
static double window(const struct formula *machine, const struct trial *trial)
{
	unsigned room = machine->reorder - 2 - trial->gap, waiting = 0;

	if (trial->word == (A64_ADD | A64_M4) && machine->registers - 2 < room)
		room = machine->registers - 2;
	if (trial->stride && trial->word == (A64_ADD | A64_M4))
		waiting = machine->additions;
	if (trial->stride && trial->word == (A64_MUL | A64_M4))
		waiting = machine->multiplies;
	room = waiting && waiting < room ? waiting : room;
	return (trial->size <= room ? MISS : 2 * MISS) + trial->size / 2.5;
}

/* Share of misses with so much too many: eight ways, so that those evict as many of others. */
static double missing(double size, double room)
{
	return size <= room ? 0 : fmin(1, 9 * (size - room) / size);
}

/* 64 jumps are followed two per cycle, unless a barrier is before each. */
static double jump(const struct formula *machine, const struct trial *trial)
{
	double cycles = trial->word ? 13 : trial->size <= 64 ? 0.5 : 1;
	double in_line = trial->word ? 1 : 16;

	return cycles + missing(trial->size, machine->fast) +
	       3 * missing(trial->size, machine->targets) +
	       9 / in_line * missing((double)trial->size * trial->stride, machine->l1i);
}

static double cycles(const struct formula *machine, const struct trial *trial)
{
	double lines = trial->size / 64.0, room = machine->l1d / 64.0;

	switch (trial->kernel) {
	case KERNEL_CHAIN:
		return machine->chain;
	case KERNEL_STREAM:
		return machine->stream;
	case KERNEL_WINDOW:
		return window(machine, trial);
	case KERNEL_CHASE: /* four ways: a line too many misses with the others of its set */
		return 4 + (lines <= room ? 0 : fmin(1, 5 * (lines - room) / lines)) * 8;
	case KERNEL_JUMPS:
		return jump(machine, trial);
	case KERNEL_CALLS:
		return 4 + (trial->size > machine->calls ? 1 : 0);
	case KERNEL_FORWARD:
		return 6;
	default:
		return 10;
	}
}

static int measure(struct bench *bench, struct trial *trials, size_t count,
		   struct plumb_diagnostics *diagnostics)
{
	struct formula *machine = (struct formula *)bench;
	static unsigned random = 1;

	(void)diagnostics;
	machine->rounds++;
	for (size_t i = 0; i < count; i++) {
		double truth = cycles(machine, &trials[i]), off = machine->noise * truth;

		random = random * 1103515245 + 12345;
		trials[i].cycles = truth + off * ((random >> 16) % 201 / 100.0 - 1);
		trials[i].low = trials[i].cycles - off;
		trials[i].high = trials[i].cycles + off;
		if (machine->stop_after && machine->rounds > machine->stop_after)
			trials[i].cycles = trials[i].low = trials[i].high = NAN;
	}
	return machine->stop_after && machine->rounds > machine->stop_after ? PLUMB_ERR_INTERRUPTED
									    : 0;
}

static const struct formula usual = {
	.bench = {.measure = measure},
	.reorder = 217,
	.registers = 143,
	.l1d = 48 << 10,
	.calls = 28,
	.fast = 2048,
	.targets = 8192,
	.l1i = 64 << 10,
	.chain = 3,
	.stream = 0.5,
};

static struct calibrated results[FIGURE_COUNT];

static int fit_like(const char *core, struct formula machine, enum figure_id a, enum figure_id b)
{
	memset(results, 0, sizeof(results));
	results[a].asked = results[b].asked = true;
	return calibrate_fit(&machine.bench, model_core_find(core), results, NULL);
}

static int fit(struct formula machine, enum figure_id a, enum figure_id b)
{
	return fit_like("neoverse-n3", machine, a, b);
}

static void finds_sizes_to_the_unit(void **state)
{
	(void)state;
	assert_int_equal(fit(usual, FIGURE_REORDER, FIGURE_INT_REGISTERS), 0);
	assert_true(results[FIGURE_REORDER].known);
	assert_in_range(results[FIGURE_REORDER].value, 215, 217);
	assert_in_range(217, results[FIGURE_REORDER].low, results[FIGURE_REORDER].high);
	assert_true(results[FIGURE_INT_REGISTERS].known);
	assert_in_range(143, results[FIGURE_INT_REGISTERS].low, results[FIGURE_INT_REGISTERS].high);
}

static void leaves_out_what_coincides(void **state)
{
	struct formula machine = usual;

	(void)state;
	machine.registers = 400;
	assert_int_equal(fit(machine, FIGURE_REORDER, FIGURE_INT_REGISTERS), 0);
	assert_true(results[FIGURE_REORDER].known);
	assert_false(results[FIGURE_INT_REGISTERS].known);
	assert_string_equal(results[FIGURE_INT_REGISTERS].why,
			    "not told apart from reorder buffer");
}

static void assert_figure(enum figure_id id, uint32_t value)
{
	assert_true(results[id].known);
	assert_int_equal(results[id].value, value);
	assert_in_range(value, results[id].low, results[id].high);
}

/* On N1, additions fill two queues of their name, and that of multiplies as well. */
static void divides_queues_of_pipelines(void **state)
{
	struct formula machine = usual;

	(void)state;
	machine.additions = 2 * 17 + 13;
	machine.multiplies = 13;
	assert_int_equal(fit_like("neoverse-n1", machine, FIGURE_QUEUE_ALU, FIGURE_REORDER), 0);
	assert_figure(FIGURE_QUEUE_ALU, 17);
	assert_figure(FIGURE_QUEUE_MUL, 13);
	assert_in_range(results[FIGURE_REORDER].value, 215, 217);

	/* What the multiplies' queue has is not known: neither is the rest. */
	machine.multiplies = 0;
	assert_int_equal(fit_like("neoverse-n1", machine, FIGURE_QUEUE_ALU, FIGURE_REORDER), 0);
	assert_false(results[FIGURE_QUEUE_ALU].known);
	assert_string_equal(results[FIGURE_QUEUE_ALU].why,
			    "not told apart from queues of other pipelines");

	/* One queue for both: nothing is divided. */
	machine.additions = 41;
	machine.multiplies = 13;
	assert_int_equal(fit(machine, FIGURE_QUEUE_ALU, FIGURE_QUEUE_MUL), 0);
	assert_figure(FIGURE_QUEUE_ALU, 41);
	assert_figure(FIGURE_QUEUE_MUL, 13);
}

static void rounds_caches(void **state)
{
	(void)state;
	assert_int_equal(fit(usual, FIGURE_L1D, FIGURE_L1D), 0);
	assert_true(results[FIGURE_L1D].known);
	assert_int_equal(results[FIGURE_L1D].value, 48 << 10);
	assert_true(results[FIGURE_L1D].low <= 48 << 10 && results[FIGURE_L1D].high >= 48 << 10);
}

static void measures_instruction_caches(void **state)
{
	struct formula machine = usual;

	(void)state;
	machine.fast = 512; /* its bubble is not taken for the cache's misses */
	for (machine.l1i = 48 << 10; machine.l1i <= 128 << 10; machine.l1i += 16 << 10) {
		assert_int_equal(fit(machine, FIGURE_L1I, FIGURE_L1I), 0);
		assert_true(results[FIGURE_L1I].known);
		assert_int_equal(results[FIGURE_L1I].value, machine.l1i);
		assert_in_range(machine.l1i, results[FIGURE_L1I].low, results[FIGURE_L1I].high);
	}
}

static void tells_target_buffers_apart(void **state)
{
	struct formula machine = usual;

	(void)state;
	assert_int_equal(fit(machine, FIGURE_TARGETS, FIGURE_FAST_TARGETS), 0);
	assert_true(results[FIGURE_FAST_TARGETS].known && results[FIGURE_TARGETS].known);
	assert_int_equal(results[FIGURE_FAST_TARGETS].value, 2048);
	assert_int_equal(results[FIGURE_TARGETS].value, 8192);
	assert_int_equal(fit(machine, FIGURE_TAKEN_BUBBLE, FIGURE_DECODE_REDIRECT), 0);
	assert_true(results[FIGURE_TAKEN_BUBBLE].known && results[FIGURE_DECODE_REDIRECT].known);
	assert_int_equal(results[FIGURE_TAKEN_BUBBLE].value, 1);
	/* The larger buffer's jumps all fit L1I, but not those that it lacks. */
	machine.targets = 14336;
	assert_int_equal(fit(machine, FIGURE_TARGETS, FIGURE_DECODE_REDIRECT), 0);
	assert_int_equal(results[FIGURE_TARGETS].value, 14336);
	assert_false(results[FIGURE_DECODE_REDIRECT].known);
	assert_string_equal(results[FIGURE_DECODE_REDIRECT].why,
			    "not told apart from L1 instruction cache");
	/* Nor is a return stack known if its calls fill the fast buffer. */
	assert_int_equal(fit(usual, FIGURE_RETURNS, FIGURE_RETURNS), 0);
	assert_true(results[FIGURE_RETURNS].known && results[FIGURE_RETURNS].value == 28);
	machine.fast = 64;
	assert_int_equal(fit(machine, FIGURE_RETURNS, FIGURE_RETURNS), 0);
	assert_false(results[FIGURE_RETURNS].known);
	machine.fast = usual.fast;
	/* One that holds no more than the fast one has no step of its own, but L1I has. */
	machine.targets = machine.fast;
	assert_int_equal(fit(machine, FIGURE_TARGETS, FIGURE_TAKEN_BUBBLE), 0);
	assert_false(results[FIGURE_TARGETS].known || results[FIGURE_TAKEN_BUBBLE].known);
}

static void bears_noise(void **state)
{
	struct formula machine = usual;

	(void)state;
	machine.noise = 0.01;
	for (int i = 0; i < 50; i++) {
		assert_int_equal(fit(machine, FIGURE_REORDER, FIGURE_L1D), 0);
		assert_true(results[FIGURE_REORDER].known);
		assert_in_range(results[FIGURE_REORDER].value, 214, 220);
		assert_true(results[FIGURE_L1D].known);
		assert_in_range(results[FIGURE_L1D].value, 47 << 10, 49 << 10);
	}
}

static void leaves_out_latencies_that_are_not(void **state)
{
	struct formula machine = usual;

	(void)state;
	assert_int_equal(fit(machine, FIGURE_MUL, FIGURE_FORWARD), 0);
	assert_true(results[FIGURE_MUL].known && results[FIGURE_MUL].value == 3);
	assert_true(results[FIGURE_FORWARD].known && results[FIGURE_FORWARD].value == 5);
	machine.stream = 3; /* a busy port */
	assert_int_equal(fit(machine, FIGURE_MUL, FIGURE_MUL), 0);
	assert_false(results[FIGURE_MUL].known);
	assert_non_null(strstr(results[FIGURE_MUL].why, "independent"));
	machine.stream = 0.5;
	machine.chain = 3.5;
	assert_int_equal(fit(machine, FIGURE_MUL, FIGURE_MUL), 0);
	assert_false(results[FIGURE_MUL].known);
	assert_non_null(strstr(results[FIGURE_MUL].why, "not a whole number"));
}

static void leaves_out_what_has_no_step(void **state)
{
	struct formula machine = usual;

	(void)state;
	machine.l1d = 1 << 30;
	assert_int_equal(fit(machine, FIGURE_L1D, FIGURE_L2_LATENCY), 0);
	assert_false(results[FIGURE_L1D].known || results[FIGURE_L2_LATENCY].known);
	assert_non_null(strstr(results[FIGURE_L1D].why, "no step"));
	assert_non_null(strstr(results[FIGURE_L2_LATENCY].why, "is unknown"));
}

static void keeps_what_was_measured(void **state)
{
	struct formula machine = usual;

	(void)state;
	machine.stop_after = 1; /* the latencies */
	assert_int_equal(fit(machine, FIGURE_MUL, FIGURE_REORDER), PLUMB_ERR_INTERRUPTED);
	assert_true(results[FIGURE_MUL].known);
	assert_false(results[FIGURE_REORDER].known);
	assert_string_equal(results[FIGURE_REORDER].why, "");
}

/* Each chain is of instructions of the class whose latency it measures. */
static void chains_are_of_their_class(void **state)
{
	unsigned checked = 0;

	(void)state;
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		struct insn insn;
		char name[80];

		if (figures[id].method != METHOD_LATENCY)
			continue;
		assert_true(insn_decode(figures[id].trial.word |
						a64_rn(figures[id].trial.vector ? 0 : 3),
					16, &insn));
		snprintf(name, sizeof(name), "classes.%s.latency", insn_class_name(insn.class));
		assert_string_equal(name, figures[id].name);
		checked++;
	}
	assert_true(checked > 15);
}

/* Every kernel can be assembled, within the memory that it says it needs. */
static void assembles_every_kernel(void **state)
{
	struct trial trials[FIGURE_COUNT + 5];
	struct calibrate_program program = {.random = 1};
	size_t count = 0;

	(void)state;
	for (enum figure_id id = 1; id < FIGURE_COUNT; id++) {
		if (figures[id].method == METHOD_DERIVED || id == FIGURE_LLC)
			continue;
		trials[count] = figures[id].trial;
		if (figures[id].method == METHOD_SIZE)
			trials[count].size = figures[id].most;
		count++;
	}
	trials[count++] = (struct trial){.kernel = KERNEL_FAR};
	trials[count++] = (struct trial){.kernel = KERNEL_MISSES};
	trials[count++] = (struct trial){.kernel = KERNEL_PEER};
	trials[count++] = (struct trial){.kernel = KERNEL_BRANCHES, .size = 1};
	trials[count++] = (struct trial){.kernel = KERNEL_HALVES};
	program.memory.size = program_memory_needed(trials, count);
	program.memory.address = 0x20000000;
	program.memory.bytes = calloc(1, program.memory.size);
	assert_non_null(program.memory.bytes);
	for (size_t i = 0; i < count; i++) {
		struct trial_code code;

		assert_true(program_add(&program, &trials[i], &code));
		assert_true(code.entry < program.code.count && code.first < code.second);
	}
	assert_true(program.memory.used <= program.memory.size);
	code_free(&program.code);
	free(program.memory.bytes);
}

static void medians_and_intervals(void **state)
{
	const struct trial_code code = {.first = 10, .second = 20};
	const uint64_t first[] = {100, 100, 100, 100, 100}, second[] = {740, 1000, 740, 741, 500};
	struct trial trial = {.kernel = KERNEL_CHAIN};

	(void)state;
	trial_set_result(&trial, &code, 1, first, second, 5);
	assert_float_equal(trial.cycles, 1, 1e-9);
	assert_true(trial.low <= 1 && trial.high >= 1);
	assert_float_equal(trial.low, 400 / 640.0, 1e-9);
	trial_set_result(&trial, &code, 1, first, second, 0);
	assert_true(isnan(trial.cycles));
}

static void names_select_figures(void **state)
{
	static struct calibration calibration;
	const char *names[] = {"l2", "reorder_entries"};
	struct calibrate_job job = {.like = "neoverse-v2", .names = names, .name_count = 2};
	size_t asked = 0;

	(void)state;
	assert_int_equal(calibrate_list(&job, &calibration, NULL), 0);
	assert_string_equal(calibration.like, "neoverse-v2");
	for (size_t i = 0; i < calibration.count; i++)
		asked += calibration.figures[i].asked;
	assert_int_equal(asked, 3);
	names[0] = "l2.";
	assert_int_equal(calibrate_list(&job, &calibration, NULL), PLUMB_ERR_NOT_FOUND);
	job.like = "nothing";
	assert_int_equal(calibrate_list(&job, &calibration, NULL), PLUMB_ERR_NOT_FOUND);
}

/* The code runs on an Arm core; elsewhere that is said. */
static void runs_on_arm(void **state)
{
	struct hardware_bench bench = {.counter = -1};
	struct trial trials[] = {
		{.kernel = KERNEL_CHAIN, .word = A64_MUL | A64_M4},
		{.kernel = KERNEL_WINDOW, .word = A64_NOP, .size = 20},
		{.kernel = KERNEL_CHASE, .size = 8192},
		{.kernel = KERNEL_PAGES, .size = 8, .stride = 64},
		{.kernel = KERNEL_CALLS, .size = 8},
		{.kernel = KERNEL_JUMPS, .size = 8, .stride = 64},
		{.kernel = KERNEL_BRANCHES, .size = 1},
		{.kernel = KERNEL_HALVES},
		{.kernel = KERNEL_PEER}, /* last: there may be one CPU only */
	};
	const size_t count = sizeof(trials) / sizeof(*trials);
	int error = hardware_bench_open(&bench, NULL);

	(void)state;
#ifdef __aarch64__
	if (error == PLUMB_ERR_MACHINE)
		skip(); /* no clock */
	assert_int_equal(error, 0);
	assert_int_equal(bench.bench.measure(&bench.bench, trials, count, NULL), 0);
	for (size_t i = 0; i + (bench.other_cpu < 0) < count; i++)
		assert_false(isnan(trials[i].cycles));
#else
	assert_true(count > 0);
	assert_int_equal(error, PLUMB_ERR_MACHINE);
	assert_int_equal(hardware_midr(), 0);
#endif
	hardware_bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_sizes_to_the_unit),
		cmocka_unit_test(leaves_out_what_coincides),
		cmocka_unit_test(divides_queues_of_pipelines),
		cmocka_unit_test(rounds_caches),
		cmocka_unit_test(measures_instruction_caches),
		cmocka_unit_test(tells_target_buffers_apart),
		cmocka_unit_test(bears_noise),
		cmocka_unit_test(leaves_out_latencies_that_are_not),
		cmocka_unit_test(leaves_out_what_has_no_step),
		cmocka_unit_test(keeps_what_was_measured),
		cmocka_unit_test(chains_are_of_their_class),
		cmocka_unit_test(assembles_every_kernel),
		cmocka_unit_test(medians_and_intervals),
		cmocka_unit_test(names_select_figures),
		cmocka_unit_test(runs_on_arm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
