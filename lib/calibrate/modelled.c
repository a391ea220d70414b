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
#define MARKS          3u /* of a trial */
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

static void add_mark(struct code *code)
{
	code_move(code, 8, MARK_CALL);
	code_word(code, 0xd4000001u); /* svc #0 */
}

static void add_call(struct code *code, size_t entry, uint32_t iterations)
{
	code_move(code, 0, iterations);
	code_call(code, entry);
}

/* Adds the program that calls the trials. Returns its first word. */
static size_t add_start(struct code *code, const struct trial_code *codes, size_t count)
{
	size_t start;

	code_align(code, PROGRAM_LINE, A64_NOP);
	start = code->count;
	for (size_t i = 0; i < count; i++) {
		add_call(code, codes[i].entry, codes[i].warm);
		add_mark(code);
		add_call(code, codes[i].entry, codes[i].first);
		add_mark(code);
		add_call(code, codes[i].entry, codes[i].second);
		add_mark(code);
	}
	code_move(code, 0, 0);
	code_move(code, 8, CALL_EXIT);
	code_word(code, 0xd4000001u);
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
		.e_phnum = 2,
	};
	const Elf64_Phdr segments[2] = {
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
	first = running->marks[1] - running->marks[0];
	second = running->marks[2] - running->marks[1];
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

static int run(struct running *running, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_window window = {.size = sizeof(window)};
	size_t size = program_memory_needed(running->trials, running->count);
	struct model_result *result = malloc(sizeof(*result));
	int fd = make_program(running, size), error = PLUMB_ERR_NO_MEMORY;
	char path[64];
	struct model_job job = {
		.options = running->bench->options,
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
	if (fd >= 0 && result)
		error = model_run(&job, result, diagnostics);
	/* Ctrl-C on a terminal goes to QEMU as well. */
	if (error == 0 && qemu_was_interrupted(result->signal))
		error = PLUMB_ERR_INTERRUPTED;
	if (error == 0 && (result->signal || result->exit_status || result->unknown_instructions)) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-trials", NULL,
				      "the microbenchmarks ended with status %d in the model",
				      result->exit_status);
		error = PLUMB_ERR_MACHINE;
	}
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
