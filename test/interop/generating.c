/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generating FOLDER: makes code, runs it, and writes for perf what it is called: two functions into
 * a jitdump in FOLDER with their lines, one into a perf map. The second function is moved, and runs
 * at both places. At a third place, two more functions run one after the other, and then the second
 * one. For x86-64 and AArch64.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef ROUNDS
#define ROUNDS 60000000
#endif

struct header {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t time, flags;
};

struct record {
	uint32_t type, size;
	uint64_t time;
};

struct load {
	struct record record;
	uint32_t pid, tid;
	uint64_t vma, address, size, number;
};

struct move {
	struct record record;
	uint32_t pid, tid;
	uint64_t vma, from, to, size, number;
};

struct line {
	uint64_t address;
	uint32_t line, discriminator;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Counts down from ROUNDS: the loop is the second line. */
static size_t generate(uint8_t *code, size_t *loop)
{
#if defined(__x86_64__)
	/* All of the loop is at multiples of 4, as A64's instructions are. */
	static const uint8_t bytes[] = {0xb9, 0,    0,    0,    0,    0x0f, 0x1f, 0,
					0x48, 0x83, 0xe9, 0x01, 0x75, 0xfa, 0xc3, 0x90};
	const uint32_t rounds = ROUNDS;

	memcpy(code, bytes, sizeof(bytes));
	memcpy(code + 1, &rounds, 4);
	*loop = 8;
	return sizeof(bytes);
#elif defined(__aarch64__)
	const uint32_t words[] = {0x52800000 | (ROUNDS & 0xffff) << 5,
				  0x72a00000 | ROUNDS >> 16 << 5, 0x71000400, 0x54ffffe1,
				  0xd65f03c0};

	memcpy(code, words, sizeof(words));
	*loop = 8;
	return sizeof(words);
#else
	(void)code;
	(void)loop;
	exit(77);
#endif
}

static void run(uint8_t *code, size_t size)
{
	void (*function)(void);

	__builtin___clear_cache((char *)code, (char *)code + size);
	memcpy(&function, &code, sizeof(function));
	function();
}

static void put(FILE *out, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, out) != size)
		exit(1);
}

/* Writes the lines of a function, and the function. */
static void write_load(FILE *out, const uint8_t *code, size_t size, size_t loop, uint64_t number,
		       const char *name)
{
	static const char file[] = "/generated/source.js";
	const struct line lines[] = {{(uintptr_t)code, 10 * (uint32_t)number, 0},
				     {(uintptr_t)code + loop, 10 * (uint32_t)number + 1, 0}};
	const uint64_t what[] = {(uintptr_t)code, 2};
	struct record record = {2, sizeof(record) + sizeof(what) + sizeof(lines) + 2 * sizeof(file),
				now()};
	struct load load = {
		.record = {0, (uint32_t)(sizeof(load) + strlen(name) + 1 + size), now()},
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.vma = (uintptr_t)code,
		.address = (uintptr_t)code,
		.size = size,
		.number = number};

	put(out, &record, sizeof(record));
	put(out, what, sizeof(what));
	for (int i = 0; i < 2; i++) {
		put(out, &lines[i], sizeof(lines[i]));
		put(out, file, sizeof(file));
	}
	put(out, &load, sizeof(load));
	put(out, name, strlen(name) + 1);
	put(out, code, size);
	fflush(out);
}

static void write_move(FILE *out, const uint8_t *from, const uint8_t *to, size_t size,
		       uint64_t number)
{
	const struct move move = {.record = {1, sizeof(move), now()},
				  .pid = (uint32_t)getpid(),
				  .tid = (uint32_t)getpid(),
				  .vma = (uintptr_t)to,
				  .from = (uintptr_t)from,
				  .to = (uintptr_t)to,
				  .size = size,
				  .number = number};

	put(out, &move, sizeof(move));
	fflush(out);
}

int main(int count, char **arguments)
{
	struct header header = {0x4a695444, 1, sizeof(header), 0, 0, (uint32_t)getpid(), now(), 0};
	uint8_t *code = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *moved = code + 0x4000, *again = code + 0x6000, *mapped = code + 0x8000;
	size_t size, loop;
	char path[4096];
	FILE *out;

	if (count != 2 || code == MAP_FAILED)
		return 2;
#if defined(__x86_64__)
	header.machine = 62;
#else
	header.machine = 183;
#endif
	snprintf(path, sizeof(path), "%s/jit-%d.dump", arguments[1], (int)getpid());
	out = fopen(path, "w+");
	if (!out)
		return 1;
	put(out, &header, sizeof(header));
	fflush(out);
	/* The recording names it by this. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0) == MAP_FAILED)
		return 1;

	size = generate(code, &loop);
	write_load(out, code, size, loop, 1, "counts_first");
	run(code, size);
	generate(code + 0x1000, &loop);
	write_load(out, code + 0x1000, size, loop, 2, "counts_second");
	run(code + 0x1000, size);
	memcpy(moved, code + 0x1000, size);
	write_move(out, code + 0x1000, moved, size, 2);
	run(moved, size);
	generate(again, &loop);
	write_load(out, again, size, loop, 3, "counts_third");
	run(again, size);
	write_load(out, again, size, loop, 4, "counts_fourth");
	run(again, size);
	write_move(out, moved, again, size, 2);
	run(again, size);
	fclose(out);

	generate(mapped, &loop);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	out = fopen(path, "w");
	if (!out)
		return 1;
	fprintf(out, "%lx %zx counts_mapped\n", (unsigned long)(uintptr_t)mapped, size);
	fclose(out);
	run(mapped, size);
	return 0;
}
