/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes an executable of the trials' code and memory, and runs it in the model. The program makes a
 * system call that no kernel has before and after each call of a trial's function, and the model
 * tells in which cycle.
 */
#include "calibrate/modelled.h"

#include <elf.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calibrate/program.h"
#include "source/model/qemu.h"
#include "source/model/run.h"

#define CODE_ADDRESS   0x400000u
#define MEMORY_ADDRESS 0x20000000u
#define HEADERS        4096u   /* bytes of the file before the code */
#define MARK_CALL      0x5000u /* no system call of Linux */
#define CALL_EXIT      94u
#define CALL_FUTEX     98u
#define CALL_CLONE     220u
#define MARKS          6u                          /* of a trial: around each of three calls */
#define THREAD_FLAGS   0x50f00u                    /* of clone(2), as pthread_create(3) uses them */
#define SHARED_ADDRESS (MEMORY_ADDRESS - 0x10000u) /* what both threads wait on */
#define TRIALS_MAX     (MODEL_MARKS / MARKS)

/* The state of one run. */
struct running {
	struct modelled_bench *bench;
	struct trial *trials;
	struct trial_code *codes;
	size_t count;
	uint64_t marks[MARKS];
	size_t mark_count;
};

/* Registers of the program, which the trials leave alone. */
enum { SHARED = 19, WORD = 20, CALLED = 21, ITERATIONS = 22, RETURN = 23 };

static void add_system_call(struct code *code, unsigned number)
{
	code_move(code, 8, number);
	code_word(code, 0xd4000001u); /* svc #0 */
}

/* What is in flight belongs to the time before the mark. */
static void add_mark(struct code *code)
{
	code_word(code, A64_ISB);
	add_system_call(code, MARK_CALL);
}

/* ---- the other core ----------------------------------------------------------------------- */

/* Words that both threads see: whose turn it is, and what to write; x19 points to them. */
enum { TURN = 0, FROM = 1, LINES = 2 };

/* Gives the turn to the other thread, and wakes it. */
static void add_pass(struct code *code, unsigned to)
{
	code_word(code, A64_DMB);
	code_move(code, WORD, to);
	code_word(code, A64_STORE_W | a64_offset(TURN) | a64_rn(SHARED) | a64_rd(WORD));
	code_move(code, 0, SHARED_ADDRESS);
	code_move(code, 1, 1); /* FUTEX_WAKE */
	code_move(code, 2, 1);
	add_system_call(code, CALL_FUTEX);
}

/* Waits while the turn is `other`. */
static void add_wait(struct code *code, unsigned other)
{
	size_t again = code->count, test, end;

	code_word(code, A64_LOAD_W | a64_offset(TURN) | a64_rn(SHARED) | a64_rd(WORD));
	test = code->count;
	code_word(code, A64_NOP); /* becomes a branch to the end */
	code_move(code, 0, SHARED_ADDRESS);
	code_move(code, 1, 0); /* FUTEX_WAIT */
	code_move(code, 2, other);
	code_move(code, 3, 0);
	add_system_call(code, CALL_FUTEX);
	code_branch(code, again);
	end = code->count;
	if (code->failed)
		return;
	code->count = test;
	code_branch_zero(code, WORD, other != 0, end);
	code->count = end;
}

/* Adds the other thread: it writes lines when it is its turn, for ever. Returns its first word. */
static size_t add_other_thread(struct code *code)
{
	size_t entry = code->count, again, line;

	code_move(code, SHARED, SHARED_ADDRESS);
	again = code->count;
	add_wait(code, 0);
	code_word(code, A64_LOAD | a64_offset(FROM) | a64_rn(SHARED) | a64_rd(1));
	code_word(code, A64_LOAD | a64_offset(LINES) | a64_rn(SHARED) | a64_rd(2));
	line = code->count;
	code_word(code, A64_STORE | a64_offset(1) | a64_rn(1) | a64_rd(2));
	code_add(code, 1, 1, PROGRAM_LINE);
	code_subtract_flags(code, 2, 2, 1);
	code_branch_not_zero(code, line);
	add_pass(code, 0);
	code_branch(code, again);
	return entry;
}

static bool any_peer(const struct trial_code *codes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i].peer)
			return true;
	return false;
}

/* Starts the other thread, whose code is at `entry`; it uses no stack. */
static void add_clone(struct code *code, size_t entry)
{
	code_move(code, 0, THREAD_FLAGS);
	code_move(code, 1, SHARED_ADDRESS + PROGRAM_PAGE);
	for (unsigned i = 2; i < 5; i++)
		code_move(code, i, 0);
	add_system_call(code, CALL_CLONE);
	/* x0 is 0 in the new thread. */
	code_word(code, 0xb5000040u); /* cbnz x0, past the next one */
	code_branch(code, entry);
	code_move(code, SHARED, SHARED_ADDRESS);
}

/* Has the other core write what a trial will read. */
static void add_peer_writes(struct code *code, const struct trial_code *trial)
{
	code_move(code, 1, trial->peer);
	code_move(code, 2, trial->peer_bytes / PROGRAM_LINE);
	code_word(code, A64_STORE | a64_offset(FROM) | a64_rn(SHARED) | a64_rd(1));
	code_word(code, A64_STORE | a64_offset(LINES) | a64_rn(SHARED) | a64_rd(2));
	add_pass(code, 1);
	add_wait(code, 1);
}

/* ---- the program -------------------------------------------------------------------------- */

/*
 * Adds the function that calls the one at x21 with x22 iterations between marks. All calls go
 * through it, so that its own code is in the caches.
 */
static size_t add_timed_call(struct code *code)
{
	size_t entry = code->count;

	code_add(code, RETURN, LINK, 0);
	add_mark(code);
	code_add(code, 0, ITERATIONS, 0);
	code_word(code, 0xd63f0000u | a64_rn(CALLED)); /* blr */
	add_mark(code);
	code_word(code, 0xd65f0000u | a64_rn(RETURN)); /* ret */
	return entry;
}

static void add_call(struct code *code, size_t timed, const struct trial_code *trial,
		     uint32_t iterations)
{
	if (trial->peer)
		add_peer_writes(code, trial);
	code_move(code, CALLED, CODE_ADDRESS + trial->entry * sizeof(*code->words));
	code_move(code, ITERATIONS, iterations);
	code_call(code, timed);
}

/* Adds the program that calls the trials. Returns its first word. */
static size_t add_start(struct code *code, const struct trial_code *codes, size_t count)
{
	const bool peer = any_peer(codes, count);
	size_t start, timed, other = 0;

	code_align(code, PROGRAM_LINE, A64_NOP);
	timed = add_timed_call(code);
	if (peer)
		other = add_other_thread(code);
	start = code->count;
	if (peer)
		add_clone(code, other);
	for (size_t i = 0; i < count; i++) {
		add_call(code, timed, &codes[i], codes[i].warm);
		add_call(code, timed, &codes[i], codes[i].first);
		add_call(code, timed, &codes[i], codes[i].second);
	}
	code_move(code, 0, 0);
	add_system_call(code, CALL_EXIT);
	return start;
}

static void fill_headers(unsigned char *file, const struct code *code, size_t memory_at,
			 size_t memory_size, size_t start)
{
	const size_t code_bytes = code->count * sizeof(*code->words);
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_entry = CODE_ADDRESS + start * sizeof(*code->words),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
	};
	const Elf64_Phdr segments[3] = {
		{
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = HEADERS,
			.p_vaddr = CODE_ADDRESS,
			.p_filesz = code_bytes,
			.p_memsz = code_bytes,
			.p_align = PROGRAM_PAGE,
		},
		{
			/* Zeros. */
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_W,
			.p_offset = memory_at,
			.p_vaddr = SHARED_ADDRESS,
			.p_memsz = PROGRAM_PAGE,
			.p_align = PROGRAM_PAGE,
		},
		{
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_W,
			.p_offset = memory_at,
			.p_vaddr = MEMORY_ADDRESS,
			.p_filesz = memory_size,
			.p_memsz = memory_size,
			.p_align = PROGRAM_PAGE,
		},
	};

	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), segments, sizeof(segments));
}

static bool write_all(int fd, const void *bytes, size_t size, off_t at)
{
	while (size) {
		ssize_t wrote = pwrite(fd, bytes, size, at);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		bytes = (const char *)bytes + wrote;
		size -= (size_t)wrote;
		at += wrote;
	}
	return true;
}

/*
 * Makes the executable, with memory of `size` bytes. Its file is never in a folder, so that nothing
 * is left behind. Returns its descriptor, or -1.
 */
static int make_program(struct running *running, size_t size)
{
	struct calibrate_program program = {
		.memory = {.address = MEMORY_ADDRESS, .size = size},
		.random = 0x9e3779b97f4a7c15u,
	};
	int fd = memfd_create("plumb-calibrate", MFD_CLOEXEC);
	unsigned char headers[HEADERS] = {0};
	size_t memory_at, start;
	bool made = false;

	/* The code's size is known only at the end, so the memory stands before it for now. */
	if (fd < 0)
		return -1;
	program.memory.bytes =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (program.memory.bytes == MAP_FAILED)
		goto out;
	made = true;
	for (size_t i = 0; made && i < running->count; i++)
		made = program_add(&program, &running->trials[i], &running->codes[i]);
	start = add_start(&program.code, running->codes, running->count);
	code_align(&program.code, PROGRAM_PAGE, A64_NOP);
	memory_at = HEADERS + program.code.count * sizeof(*program.code.words);
	made = made && !program.code.failed;
	if (made) {
		fill_headers(headers, &program.code, memory_at, program.memory.used, start);
		made = write_all(fd, headers, sizeof(headers), 0) &&
		       write_all(fd, program.code.words, memory_at - HEADERS, HEADERS) &&
		       write_all(fd, program.memory.bytes, program.memory.used, (off_t)memory_at);
	}
	munmap(program.memory.bytes, size);
out:
	code_free(&program.code);
	if (made)
		return fd;
	close(fd);
	return -1;
}

/* Takes a mark: with a trial's last one, the trial is done. */
static void on_mark(void *user, uint64_t cycle)
{
	struct running *running = user;
	size_t done = running->mark_count / MARKS;
	const struct bench *bench = &running->bench->bench;
	uint64_t first, second;

	running->marks[running->mark_count++ % MARKS] = cycle;
	if (running->mark_count % MARKS || done >= running->count)
		return;
	first = running->marks[3] - running->marks[2];
	second = running->marks[5] - running->marks[4];
	trial_set_result(&running->trials[done], &running->codes[done], 1, &first, &second, 1);
	if (bench->progress)
		bench->progress(bench->user, done + 1, running->count);
}

/* Lets the caller stop during a long trial, too. */
static void on_tick(void *user, const struct model_counts *counts)
{
	const struct running *running = user;
	const struct bench *bench = &running->bench->bench;

	(void)counts;
	if (bench->progress)
		bench->progress(bench->user, running->mark_count / MARKS, running->count);
}

static int run_program(const struct model_job *job, struct model_result *result,
		       struct plumb_diagnostics *diagnostics)
{
	int error = model_run(job, result, diagnostics);

	/* Ctrl-C on a terminal goes to QEMU as well. */
	if (error == 0 && qemu_was_interrupted(result->signal))
		error = PLUMB_ERR_INTERRUPTED;
	if (error == 0 && (result->signal || result->exit_status || result->unknown_instructions)) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-trials", NULL,
				      "the microbenchmarks ended with status %d in the model",
				      result->exit_status);
		error = PLUMB_ERR_MACHINE;
	}
	return error;
}

static int run(struct running *running, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_window window = {.size = sizeof(window)};
	size_t size = program_memory_needed(running->trials, running->count);
	struct model_result *result = malloc(sizeof(*result));
	int fd = make_program(running, size), error = PLUMB_ERR_NO_MEMORY;
	const int reason = errno;
	char path[64];
	struct model_job job = {
		.options = running->bench->options,
		.core_file = running->bench->core_file,
		.program = path,
		.argv = (char *const[]){path, NULL},
		.mark_call = MARK_CALL,
		.window = &window,
		.cancel = running->bench->cancel,
		.progress = on_tick,
		.mark = on_mark,
		.user = running,
	};

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	if (fd < 0)
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-program", NULL,
				      "cannot keep the microbenchmarks in memory, %zu KiB: %s",
				      size >> 10, strerror(reason));
	if (fd >= 0 && result)
		error = run_program(&job, result, diagnostics);
	if (fd >= 0)
		close(fd);
	free(result);
	return error;
}

static int measure(struct bench *bench, struct trial *trials, size_t count,
		   struct plumb_diagnostics *diagnostics)
{
	int error = 0;

	for (size_t i = 0; i < count; i++)
		trials[i].cycles = trials[i].low = trials[i].high = NAN;
	for (size_t i = 0; error == 0 && i < count; i += TRIALS_MAX) {
		struct running running = {
			.bench = (struct modelled_bench *)bench,
			.trials = trials + i,
			.count = count - i < TRIALS_MAX ? count - i : TRIALS_MAX,
		};

		running.codes = calloc(running.count, sizeof(*running.codes));
		error = running.codes ? run(&running, diagnostics) : PLUMB_ERR_NO_MEMORY;
		free(running.codes);
	}
	return error;
}

void modelled_bench_set_up(struct modelled_bench *bench)
{
	bench->bench.measure = measure;
}
