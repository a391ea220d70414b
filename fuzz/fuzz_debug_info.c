/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a mapped file: finds source lines at places all over it, and unwinds a stack by its
 * rules. The input is a byte that says which machine it is, 16 bits with the size of the stack, the
 * stack, and the file. Registers hold words of the stack, too.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <plumb/symbol.h>

#include "symbol/unwind.h"

#define MAP   UINT64_C(0x400000)
#define STACK UINT64_C(0x7fff0000)

static void require(bool holds)
{
	if (!holds)
		abort();
}

static size_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

/* Reads everything that was promised, so that missing bytes are noticed. */
static void check_frames(const struct plumb_source_frame *frames, size_t count)
{
	require(count <= PLUMB_SOURCE_FRAMES_MAX);
	for (size_t i = 0; i < count; i++)
		require(length(frames[i].function) + length(frames[i].file) < SIZE_MAX);
}

static void find_lines(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
		       size_t size)
{
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX], again[PLUMB_SOURCE_FRAMES_MAX];
	struct plumb_location location;
	size_t count;

	for (uint64_t at = 0; at < size; at += 4 + size / 64) {
		if (!plumb_symbolizer_locate(symbolizer, task, PLUMB_MODE_USER, MAP + at,
					     &location))
			continue;
		count = plumb_symbolizer_source(symbolizer, &location, frames,
						PLUMB_SOURCE_FRAMES_MAX);
		check_frames(frames, count);
		require(plumb_symbolizer_source(symbolizer, &location, again,
						PLUMB_SOURCE_FRAMES_MAX) == count);
		for (size_t i = 0; i < count; i++)
			require(frames[i].function == again[i].function &&
				frames[i].line == again[i].line);
	}
}

static void unwind(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
		   uint16_t machine, const uint8_t *bytes, size_t size)
{
	uint64_t registers[33] = {0}, chain[64];
	unsigned count = machine == EM_AARCH64 ? 33 : 24;
	unsigned sp = machine == EM_AARCH64 ? 31 : 7, pc = machine == EM_AARCH64 ? 32 : 8;
	struct user_stack stack = {
		.machine = machine,
		.register_mask = (UINT64_C(1) << count) - 1,
		.registers = registers,
		.register_count = count,
		.bytes = bytes,
		.bytes_size = size,
	};

	memcpy(registers, bytes, size < sizeof(registers) ? size : sizeof(registers));
	registers[sp] = STACK;
	registers[pc] = registers[0];
	for (unsigned i = 0; i < 8; i++) {
		require(symbolizer_unwind(symbolizer, task, &stack, chain, 64) <= 64);
		registers[pc] += 4;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_record map = {.type = PLUMB_RECORD_MMAP2, .misc = PLUMB_MODE_USER};
	struct plumb_symbolizer *symbolizer;
	const struct plumb_task *task;
	char path[64];
	size_t stack;
	int file;

	if (size < 3)
		return 0;
	stack = data[1] | (size_t)data[2] << 8;
	if (stack > size - 3)
		return 0;
	file = memfd_create("fuzzed", MFD_CLOEXEC);
	require(file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	size -= 3 + stack;
	require(write(file, data + 3 + stack, size) == (ssize_t)size);
	require(plumb_symbolizer_new(
			&(struct plumb_symbol_paths){.size = sizeof(struct plumb_symbol_paths),
						     .root = ""},
			&symbolizer) == 0);
	map.mmap.pid = map.mmap.tid = 7;
	map.mmap.address = MAP;
	map.mmap.length = size + 4096;
	map.mmap.protection = 4;
	map.mmap.path = path;
	require(plumb_symbolizer_add(symbolizer, &map) == 0);
	task = plumb_symbolizer_task(symbolizer, 7, 7);
	require(task != NULL);
	find_lines(symbolizer, task, size);
	unwind(symbolizer, task, data[0] & 1 ? EM_X86_64 : EM_AARCH64, data + 3, stack);
	plumb_symbolizer_free(symbolizer);
	close(file);
	return 0;
}
