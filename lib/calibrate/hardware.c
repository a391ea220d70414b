/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/hardware.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "calibrate/program.h"

#ifdef __aarch64__

#define REPEATS        15
#define SCALE_ROUNDS   2000u
#define SCALE_UNROLLED 256u

/* Code and memory of trials, where they run. */
struct loaded {
	struct calibrate_program program;
	unsigned char *code;
	size_t code_bytes;
};

uint32_t hardware_midr(void)
{
	char path[80], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 sched_getcpu());
	file = fopen(path, "re");
	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
	}
	return (uint32_t)strtoull(text, NULL, 16);
}

/* ---- clocks ------------------------------------------------------------------------------- */

static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t generic_timer(void)
{
	uint64_t time;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(time) : : "memory");
	return time;
}

static uint64_t clock_now(const struct hardware_bench *bench)
{
	uint64_t count;

	if (bench->counter < 0)
		return generic_timer();
	return read(bench->counter, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

/* ---- running ------------------------------------------------------------------------------ */

static void unload(struct loaded *loaded)
{
	if (loaded->code)
		munmap(loaded->code, loaded->code_bytes);
	if (loaded->program.memory.bytes)
		munmap(loaded->program.memory.bytes, loaded->program.memory.size);
	code_free(&loaded->program.code);
}

static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Makes the trials' code executable. Returns false if that is impossible. */
static bool load_code(struct loaded *loaded)
{
	const struct code *code = &loaded->program.code;

	loaded->code_bytes = code->count * sizeof(*code->words);
	loaded->code = map(loaded->code_bytes);
	if (!loaded->code)
		return false;
	memcpy(loaded->code, code->words, loaded->code_bytes);
	__builtin___clear_cache((char *)loaded->code, (char *)loaded->code + loaded->code_bytes);
	return mprotect(loaded->code, loaded->code_bytes, PROT_READ | PROT_EXEC) == 0;
}

static bool load(struct loaded *loaded, const struct trial *trials, struct trial_code *codes,
		 size_t count, bool huge)
{
	struct calibrate_program *program = &loaded->program;

	memset(loaded, 0, sizeof(*loaded));
	program->random = 0x9e3779b97f4a7c15u;
	program->memory.size = program_memory_needed(trials, count);
	program->memory.bytes = map(program->memory.size);
	if (!program->memory.bytes)
		return false;
	program->memory.address = (uint64_t)(uintptr_t)program->memory.bytes;
	/* Only a wish: without huge pages, a chase page by page rarely misses the TLB. */
	madvise(program->memory.bytes, program->memory.size,
		huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (size_t i = 0; i < count; i++)
		if (!program_add(program, &trials[i], &codes[i]))
			return false;
	return load_code(loaded);
}

/* Removes memory from all caches. */
static void flush(uint64_t at, uint64_t bytes)
{
	for (uint64_t line = at; line < at + bytes; line += PROGRAM_LINE)
		__asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
	__asm__ volatile("dsb sy\n\tisb" : : : "memory");
}

/* What a thread on the other CPU writes. */
struct writing {
	uint64_t at, bytes;
	int cpu;
};

static void *write_lines(void *user)
{
	const struct writing *writing = user;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(writing->cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
		return user;
	for (uint64_t line = writing->at; line < writing->at + writing->bytes; line += PROGRAM_LINE)
		((volatile uint64_t *)(uintptr_t)line)[1] = line;
	return NULL;
}

/* Has the other CPU write memory, and waits until it has. Returns whether it did. */
static bool write_elsewhere(const struct hardware_bench *bench, const struct trial_code *code)
{
	struct writing writing = {code->peer, code->peer_bytes, bench->other_cpu};
	pthread_t thread;
	void *failed;

	if (bench->other_cpu < 0 || pthread_create(&thread, NULL, write_lines, &writing))
		return false;
	return pthread_join(thread, &failed) == 0 && !failed;
}

static uint64_t time_call(const struct hardware_bench *bench, const struct loaded *loaded,
			  const struct trial_code *code, uint32_t iterations)
{
	void (*call)(uint64_t) = NULL;
	void *entry = loaded->code + code->entry * sizeof(uint32_t);
	uint64_t before;

	memcpy(&call, &entry, sizeof(call));
	flush(code->far, code->far_bytes);
	before = clock_now(bench);
	call(iterations);
	return clock_now(bench) - before;
}

static void run_trial(const struct hardware_bench *bench, const struct loaded *loaded,
		      struct trial *trial, const struct trial_code *code)
{
	uint64_t first[REPEATS], second[REPEATS];

	time_call(bench, loaded, code, code->warm);
	for (unsigned i = 0; i < REPEATS; i++) {
		if (code->peer && !write_elsewhere(bench, code))
			return; /* there is no other CPU */
		first[i] = time_call(bench, loaded, code, code->first);
		if (code->peer && !write_elsewhere(bench, code))
			return;
		second[i] = time_call(bench, loaded, code, code->second);
	}
	trial_set_result(trial, code, bench->scale, first, second, REPEATS);
}

/* Runs a group of trials. Returns 0, INTERRUPTED or NO_MEMORY. */
static int run_trials(const struct hardware_bench *bench, struct trial *const *chosen, size_t count,
		      bool huge, size_t *done, size_t all)
{
	struct trial *trials = calloc(count + 1, sizeof(*trials));
	struct trial_code *codes = calloc(count + 1, sizeof(*codes));
	struct loaded loaded = {0};
	int error = PLUMB_ERR_NO_MEMORY;

	for (size_t i = 0; trials && i < count; i++)
		trials[i] = *chosen[i];
	if (trials && codes && load(&loaded, trials, codes, count, huge))
		error = 0;
	for (size_t i = 0; error == 0 && i < count; i++) {
		run_trial(bench, &loaded, chosen[i], &codes[i]);
		if (bench->bench.progress)
			bench->bench.progress(bench->bench.user, ++*done, all);
		if (bench->stopped && bench->stopped(bench->bench.user))
			error = PLUMB_ERR_INTERRUPTED;
	}
	unload(&loaded);
	free(codes);
	free(trials);
	return error;
}

/* Trials through pages require pages of the size that they assume; the others large ones. */
static int measure(struct bench *bench, struct trial *trials, size_t count,
		   struct plumb_diagnostics *diagnostics)
{
	const bool small = sysconf(_SC_PAGESIZE) == PROGRAM_PAGE;
	struct trial **chosen = calloc(count + 1, sizeof(struct trial *));
	int error = chosen ? 0 : PLUMB_ERR_NO_MEMORY;
	size_t done = 0;

	for (size_t i = 0; i < count; i++)
		trials[i].cycles = trials[i].low = trials[i].high = NAN;
	for (unsigned huge = 0; error == 0 && huge < 2; huge++) {
		size_t number = 0;

		for (size_t i = 0; i < count; i++)
			if ((trials[i].kernel != KERNEL_PAGES) == huge)
				chosen[number++] = &trials[i];
		if (huge || small)
			error = run_trials((const struct hardware_bench *)bench, chosen, number,
					   huge, &done, count);
	}
	if (error == PLUMB_ERR_NO_MEMORY)
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-trials", NULL,
				      "cannot map memory for the microbenchmarks: %s",
				      strerror(errno));
	free(chosen);
	return error;
}

/* ---- setting up ---------------------------------------------------------------------------- */

/* Finds out how many cycles a tick of the generic timer is: a chain of additions takes one each. */
static double cycles_per_tick(struct hardware_bench *bench)
{
	struct loaded loaded = {0};
	struct code *code = &loaded.program.code;
	const struct trial_code all = {0};
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < SCALE_UNROLLED; i++)
		code_add(code, 3, 3, 1);
	code_subtract_flags(code, 0, 0, 1);
	code_branch_not_zero(code, 0);
	code_word(code, A64_RET);
	if (!code->failed && load_code(&loaded))
		for (unsigned i = 0; i < REPEATS; i++) {
			uint64_t ticks = time_call(bench, &loaded, &all, SCALE_ROUNDS);

			least = ticks < least ? ticks : least;
		}
	unload(&loaded);
	return least == UINT64_MAX || least < 100
		       ? 0
		       : (double)SCALE_ROUNDS * SCALE_UNROLLED / (double)least;
}

/* Returns a CPU that this process may use beside `cpu`, or -1. */
static int find_other_cpu(int cpu)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (int other = 0; other < CPU_SETSIZE; other++)
		if (other != cpu && CPU_ISSET(other, &set))
			return other;
	return -1;
}

int hardware_bench_open(struct hardware_bench *bench, struct plumb_diagnostics *diagnostics)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	bench->bench.measure = measure;
	bench->other_cpu = find_other_cpu(cpu < 0 ? 0 : cpu);
	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "not-pinned", NULL,
				      "cannot stay on one CPU: %s", strerror(errno));
	bench->counter = open_counter();
	bench->scale = 1;
	bench->clock = "the cycle counter";
	if (bench->counter >= 0)
		return 0;
	bench->scale = cycles_per_tick(bench);
	bench->clock = "the generic timer, scaled by a chain of additions";
	if (bench->scale > 0)
		return 0;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-clock", NULL,
			      "this machine has no cycle counter, and its timer is too coarse");
	return PLUMB_ERR_MACHINE;
}

void hardware_bench_close(struct hardware_bench *bench)
{
	if (bench->counter >= 0)
		close(bench->counter);
}

#else

uint32_t hardware_midr(void)
{
	return 0;
}

int hardware_bench_open(struct hardware_bench *bench, struct plumb_diagnostics *diagnostics)
{
	(void)bench;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "not-arm", NULL,
			      "calibration requires an Arm machine (AArch64)");
	diagnostics_remedy(diagnostics, "calibrate-model", NULL,
			   "calibrate the model instead, to check the method");
	return PLUMB_ERR_MACHINE;
}

void hardware_bench_close(struct hardware_bench *bench)
{
	(void)bench;
}

#endif
