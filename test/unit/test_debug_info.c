/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of source and unwinding, of small programs whose lines are known (test/data/symbols), and
 * of what damage makes of them.
 */
#include "symbol/unwind.h"

#include "check.h"

#include <dwarf.h>
#include <elf.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <plumb/symbol.h>

#define BASE  UINT64_C(0x400000) /* where the programs are linked, and mapped */
#define STACK UINT64_C(0x7fff0000)

struct program {
	uint8_t *bytes;
	size_t size;
};

static struct program read_program(const char *name)
{
	struct program program;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/symbols/%s", getenv("PLUMB_TEST_DATA"), name);
	file = fopen(path, "rb");
	assert_non_null(file);
	program.bytes = malloc(1 << 16);
	assert_non_null(program.bytes);
	program.size = fread(program.bytes, 1, 1 << 16, file);
	fclose(file);
	assert_in_range(program.size, 1000, (1 << 16) - 1);
	return program;
}

/* A process that has mapped a program, in a file of its own. */
struct process {
	struct plumb_symbolizer *symbolizer;
	const struct plumb_task *task;
	int file;
};

static struct process map(const struct program *program)
{
	struct plumb_symbol_paths paths = {.size = sizeof(paths), .root = ""};
	struct plumb_record record = {
		.type = PLUMB_RECORD_MMAP2,
		.misc = PERF_RECORD_MISC_USER,
		.mmap = {.pid = 7, .tid = 7, .address = BASE, .length = 1 << 16, .protection = 4}};
	struct process process;
	char path[64];

	process.file = memfd_create("program", MFD_CLOEXEC);
	assert_int_equal(write(process.file, program->bytes, program->size), program->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", process.file);
	record.mmap.path = path;
	assert_int_equal(plumb_symbolizer_new(&paths, &process.symbolizer), 0);
	assert_int_equal(plumb_symbolizer_add(process.symbolizer, &record), 0);
	process.task = plumb_symbolizer_task(process.symbolizer, 7, 7);
	assert_non_null(process.task);
	return process;
}

static void end(struct process *process)
{
	plumb_symbolizer_free(process->symbolizer);
	close(process->file);
}

static size_t source(struct process *process, uint64_t ip, struct plumb_source_frame *frames)
{
	struct plumb_location location;

	if (!plumb_symbolizer_locate(process->symbolizer, process->task, PLUMB_MODE_USER, ip,
				     &location))
		return 0;
	return plumb_symbolizer_source(process->symbolizer, &location, frames,
				       PLUMB_SOURCE_FRAMES_MAX);
}

static void check_frame(const struct plumb_source_frame *frame, const char *function, unsigned line)
{
	assert_string_equal(frame->function, function);
	assert_string_equal(frame->file + strlen(frame->file) - 6, "walk.c");
	assert_int_equal(frame->line, line);
}

/* As addr2line -fi has them. */
static void test_lines(void **state)
{
	static const struct {
		const char *program;
		uint64_t inlined, plain;
	} cases[] = {{"walk-aarch64", 0x4000f0, 0x4000f4}, {"walk-x86_64", 0x4000ef, 0x4000f3}};
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct program program = read_program(cases[i].program);
		struct process process = map(&program);

		assert_int_equal(source(&process, BASE + 0xe8, frames), 2);
		check_frame(&frames[0], "twice", 8);
		check_frame(&frames[1], "inner", 14);
		assert_int_equal(source(&process, cases[i].inlined, frames), 2);
		assert_string_equal(frames[0].function, "twice");
		assert_int_equal(source(&process, cases[i].plain + 4, frames), 1);
		check_frame(&frames[0], "inner", 17);
		/* The file's headers are not code, and neither is anything after it. */
		assert_int_equal(source(&process, BASE, frames), 0);
		assert_int_equal(source(&process, BASE + 0xf000, frames), 0);
		end(&process);
		free(program.bytes);
	}
}

/*
 * Stopped at the first instruction of inner(), which outer() called; outer() was called by
 * _start(). Offsets in the stack are those of the prologue that objdump shows.
 */
static void test_unwinding(void **state)
{
	/* x86-64: the return address into outer(), its rbx and rbp, the one into _start(). */
	static const uint64_t x86_stack[] = {0x400129, 0, 0, STACK + 64, 0x400147, 0, 0, 0};
	static const uint64_t x86_registers[] = {STACK + 24, STACK, 0x4000e8}; /* bp, sp, ip */
	/* AArch64: outer() has a frame of 32 bytes, its frame record at the stack pointer. */
	static const uint64_t arm_stack[] = {STACK + 32, 0x40014c, 0, 0, 0, 0};
	static const uint64_t arm_registers[] = {STACK, 0x400124, STACK, 0x4000e8};
	const struct {
		const char *program;
		struct user_stack stack;
		uint64_t outer, start;
	} cases[] = {
		{"walk-x86_64",
		 {EM_X86_64, 1u << 6 | 1u << 7 | 1u << 8, x86_registers, 3,
		  (const uint8_t *)x86_stack, sizeof(x86_stack)},
		 0x400128,
		 0x400146},
		{"walk-aarch64",
		 {EM_AARCH64, UINT64_C(15) << 29, arm_registers, 4, (const uint8_t *)arm_stack,
		  sizeof(arm_stack)},
		 0x400123,
		 0x40014b},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct program program = read_program(cases[i].program);
		struct process process = map(&program);
		uint64_t chain[16];
		size_t count = symbolizer_unwind(process.symbolizer, process.task, &cases[i].stack,
						 chain, 16);

		assert_in_range(count, 3, 16);
		assert_int_equal(chain[0], 0x4000e8);
		assert_int_equal(chain[1], cases[i].outer);
		assert_int_equal(chain[2], cases[i].start);
		assert_int_equal(symbolizer_unwind(process.symbolizer, process.task,
						   &cases[i].stack, chain, 2),
				 2);
		end(&process);
		free(program.bytes);
	}
}

/*
 * Removes the section headers, and makes the header of the stack one of .eh_frame, as linkers write
 * it, which has this many functions. `version` is 1 for a header that is valid.
 */
static void strip_sections(struct program *program, uint32_t functions, uint8_t version)
{
	static const uint8_t encodings[] = {DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
					    DW_EH_PE_omit};
	Elf64_Ehdr *header = (void *)program->bytes;
	Elf64_Phdr *segments = (void *)(program->bytes + header->e_phoff);
	const size_t at = (program->size + 7) & ~(size_t)7;
	uint8_t *bytes = program->bytes + at;
	/* From its own place to .eh_frame; readelf -S has that. */
	int32_t offset = 0x160 - (int32_t)(at + 4);

	assert_int_equal(segments[0].p_type, PT_LOAD);
	assert_int_equal(segments[2].p_type, PT_GNU_STACK);
	header->e_shoff = header->e_shnum = header->e_shstrndx = 0;
	bytes[0] = version;
	memcpy(bytes + 1, encodings, sizeof(encodings));
	memcpy(bytes + 4, &offset, 4);
	memcpy(bytes + 8, &functions, 4);
	program->size = at + 12;
	segments[0].p_filesz = segments[0].p_memsz = program->size;
	segments[2] = (Elf64_Phdr){
		.p_type = PT_GNU_EH_FRAME,
		.p_flags = PF_R,
		.p_offset = at,
		.p_vaddr = BASE + at,
		.p_paddr = BASE + at,
		.p_filesz = 12,
		.p_memsz = 12,
		.p_align = 4,
	};
}

/* As in test_unwinding(), where frame pointers would miss outer(). */
static void test_unwinding_without_sections(void **state)
{
	static const uint64_t words[] = {0x400129, 0, 0, STACK + 64, 0x400147, 0, 0, 0};
	static const uint64_t registers[] = {STACK + 24, STACK, 0x4000e8};
	static const struct user_stack stack = {
		EM_X86_64, 1u << 6 | 1u << 7 | 1u << 8, registers,
		3,         (const uint8_t *)words,      sizeof(words)};

	(void)state;
	/* A version that is unknown is not used. */
	for (uint8_t version = 1; version <= 2; version++) {
		struct program program = read_program("walk-x86_64");
		struct process process;
		uint64_t chain[16];

		strip_sections(&program, 3, version);
		process = map(&program);
		assert_in_range(
			symbolizer_unwind(process.symbolizer, process.task, &stack, chain, 16), 2,
			16);
		assert_int_equal(chain[0], 0x4000e8);
		assert_int_equal(chain[1], version == 1 ? 0x400128 : 0x400146);
		if (version == 1)
			assert_int_equal(chain[2], 0x400146);
		end(&process);
		free(program.bytes);
	}
}

/* Asks for lines all over the file, and unwinds from there. */
static void use(const struct program *program)
{
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
	struct process process = map(program);
	uint64_t words[8] = {STACK + 16, 0x400124, STACK + 32, 0x400150}, chain[16];
	uint64_t registers[33] = {0};

	for (unsigned machine = 0; machine < 2; machine++) {
		struct user_stack stack = {machine ? EM_X86_64 : EM_AARCH64,
					   machine ? 0xffffff : UINT64_C(0x1ffffffff),
					   registers,
					   machine ? 24 : 33,
					   (const uint8_t *)words,
					   sizeof(words)};

		registers[machine ? 7 : 31] = STACK;
		for (uint64_t at = 0xe8; at < 0x160; at += 12) {
			registers[machine ? 8 : 32] = BASE + at;
			assert_in_range(source(&process, BASE + at, frames), 0,
					PLUMB_SOURCE_FRAMES_MAX);
			assert_in_range(symbolizer_unwind(process.symbolizer, process.task, &stack,
							  chain, 16),
					1, 16);
		}
	}
	end(&process);
}

static void test_damage(void **state)
{
	static const char *const names[] = {"walk-aarch64", "walk-x86_64", "walk-x86_64"};
	uint32_t random = 1;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct program program = read_program(names[i]), cut;

		if (i == 2)
			strip_sections(&program, 3, 1);
		cut = program;
		for (cut.size = 0; cut.size < program.size; cut.size += 61)
			use(&cut);
		for (unsigned turn = 0; turn < 300; turn++) {
			uint8_t *byte, before;

			random = random * 1664525 + 1013904223;
			byte = &program.bytes[(random >> 8) % program.size];
			before = *byte;
			*byte ^= (uint8_t)(1u << (random >> 5 & 7));
			use(&program);
			*byte = before;
		}
		free(program.bytes);
	}
}

static Elf64_Shdr *find_section(const struct program *program, const char *name)
{
	const Elf64_Ehdr *header = (const void *)program->bytes;
	Elf64_Shdr *sections = (void *)(program->bytes + header->e_shoff);
	const char *names = (const char *)program->bytes + sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	fail_msg("no section %s", name);
	abort(); /* fail_msg() does not return, which gcc does not know */
}

/* libdw 0.188 reads beyond the end of such a section. */
static void test_strings_without_an_end(void **state)
{
	static const char *const names[] = {".debug_str", ".debug_line_str"};
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct program program = read_program("walk-aarch64");
		struct process process;

		find_section(&program, names[i])->sh_size--;
		process = map(&program);
		assert_int_equal(source(&process, BASE + 0xe8, frames), 0);
		end(&process);
		free(program.bytes);
	}
}

/* Ends, though following each sibling and each child takes 2^100 steps. */
static void test_siblings_that_are_children(void **state)
{
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
	struct program program = read_program("siblings-x86_64");
	struct process process = map(&program);
	const Elf64_Ehdr *header = (const void *)program.bytes;

	(void)state;
	assert_int_equal(source(&process, header->e_entry, frames), 0);
	end(&process);
	free(program.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_unwinding),
		cmocka_unit_test(test_unwinding_without_sections),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_strings_without_an_end),
		cmocka_unit_test(test_siblings_that_are_children),
	};

	return cmocka_run_group_tests_name("debug information", tests, NULL, NULL);
}
