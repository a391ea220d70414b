/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microbenchmarks of figures that have been published of cores: probe WHAT [NUMBER]. What is
 * between the functions measure() and measured() counts. Prints how many operations that is.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define LINE 64

static char *allocate(size_t bytes)
{
	char *memory = aligned_alloc(1 << 16, bytes);

	if (!memory)
		abort();
	return memory;
}

/*
 * Loads of lines at random, each address made of the last one's data, which is 0: a load and an
 * addition. `bytes` is a power of two. What fits the caches is there before.
 */
static uint64_t chase(size_t bytes)
{
	const uint64_t links = 100000;
	char *memory = allocate(bytes);
	uint64_t random = 1, value = 0;

	if (bytes <= 16 << 20)
		for (size_t i = 0; i < bytes; i += LINE)
			*(volatile uint64_t *)(memory + i) = 0;
	measure();
	for (uint64_t i = 0; i < links; i++) {
		char *at;

		random = random * 6364136223846793005 + 1442695040888963407;
		at = memory + ((random >> 20) & (bytes - LINE));
		__asm__ volatile("add %0, %0, %1\nldr %1, [%0]" : "+r"(at), "+r"(value)::"memory");
	}
	measured();
	return links;
}

/*
 * Follows pointers through all lines in an order without a pattern, again and again, so that a
 * level that is too small has none of them. `bytes` is a power of two.
 */
static uint64_t walk(size_t bytes)
{
	const uint64_t lines = bytes / LINE, links = 50000;
	char *memory = allocate(bytes);
	uint64_t line = 0;
	void *at = memory;

	for (uint64_t i = 0; i < lines; i++) {
		uint64_t next = (line * 1664525 + 1013904223) & (lines - 1);

		*(void **)(memory + line * LINE) = memory + next * LINE;
		line = next;
	}
	for (uint64_t i = 0; i < links + lines; i++) {
		if (i == lines)
			measure();
		__asm__ volatile("ldr %0, [%0]" : "+r"(at)::"memory");
	}
	measured();
	return links;
}

/* Reads straight on; counts bytes. */
static uint64_t read_through(size_t bytes)
{
	uint64_t rounds = bytes > 4000000 ? 1 : 8000000 / bytes;
	char *memory = allocate(bytes);

	memset(memory, 1, bytes);
	for (uint64_t round = 0; round <= rounds; round++) {
		if (round == 1)
			measure();
		for (size_t i = 0; i < bytes; i += 128)
			__asm__ volatile(
				"ldp q0, q1, [%0]\nldp q2, q3, [%0, #32]\n"
				"ldp q4, q5, [%0, #64]\nldp q6, q7, [%0, #96]" ::"r"(memory + i)
				: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
	}
	measured();
	return rounds * bytes;
}

#define CORES_MAX 128

static struct {
	char *memory;
	size_t bytes; /* of each core */
	int warm;
	pthread_barrier_t begin;
} cores;

static void read_part(const char *memory)
{
	for (size_t i = 0; i < cores.bytes; i += LINE)
		__asm__ volatile("ldp q0, q1, [%0]\nldp q2, q3, [%0, #32]" ::"r"(memory + i)
				 : "v0", "v1", "v2", "v3");
}

static void *read_core(void *me)
{
	const char *memory = cores.memory + (uintptr_t)me * cores.bytes;

	if (cores.warm)
		read_part(memory);
	if (pthread_barrier_wait(&cores.begin) == PTHREAD_BARRIER_SERIAL_THREAD)
		measure();
	pthread_barrier_wait(&cores.begin);
	read_part(memory);
	return NULL;
}

/*
 * On `count` cores at the same time, reads `bytes` straight on, a part on each core; counts bytes.
 * With `warm`, for the second time.
 */
static uint64_t read_cores(size_t bytes, unsigned count, int warm)
{
	pthread_t others[CORES_MAX];

	if (!count || count > CORES_MAX || pthread_barrier_init(&cores.begin, NULL, count))
		abort();
	cores.bytes = bytes / count;
	cores.memory = allocate(bytes);
	cores.warm = warm;
	for (uintptr_t i = 1; i < count; i++)
		if (pthread_create(&others[i], NULL, read_core, (void *)i))
			abort();
	read_core(NULL);
	for (unsigned i = 1; i < count; i++)
		pthread_join(others[i], NULL);
	measured();
	return cores.bytes * count;
}

#define ROUNDS  20000
#define TIMES16 ".rept 16\n"

#define LOOP(text, ...)                                                       \
	do {                                                                  \
		measure();                                                    \
		for (int i = 0; i < ROUNDS; i++)                              \
			__asm__ volatile(TIMES16 text "\n.endr" __VA_ARGS__); \
		measured();                                                   \
		return 16 * ROUNDS;                                           \
	} while (0)

__asm__("probe_return: ret");

static uint64_t call_return(void)
{
	LOOP("bl probe_return", ::: "x30");
}

static uint64_t fp_add(void)
{
	LOOP("fadd d0, d0, d1", ::: "v0");
}

static uint64_t vector_add(void)
{
	LOOP("add v0.4s, v0.4s, v1.4s", ::: "v0");
}

static uint64_t multiply(void)
{
	LOOP("mul x9, x9, x10", ::: "x9");
}

static uint64_t multiplies(void)
{
	LOOP("mul w9, w10, w11\nmul w12, w10, w11", ::: "x9", "x12");
}

static uint64_t adds(void)
{
	LOOP("add x9, x17, x16\nadd x10, x17, x16\nadd x11, x17, x16\nadd x12, x17, x16", ::
		     : "x9", "x10", "x11", "x12");
}

/* Four additions and a branch over nothing. */
static uint64_t adds_branches(void)
{
	LOOP("add x9, x17, x16\nadd x10, x17, x16\nb 1f\n1: add x11, x17, x16\nadd x12, x17, x16",
	     ::
		     : "x9", "x10", "x11", "x12");
}

static uint64_t fp_adds(void)
{
	LOOP("fadd v0.4s, v8.4s, v9.4s\nfadd v1.4s, v8.4s, v9.4s\nfadd v2.4s, v8.4s, v9.4s\n"
	     "fadd v3.4s, v8.4s, v9.4s",
	     ::
		     : "v0", "v1", "v2", "v3");
}

static uint64_t loads(void)
{
	static uint64_t memory[8];

	LOOP("ldr x9, [%0]\nldr x10, [%0, #8]\nldr x11, [%0, #16]\nldr x12, [%0, #24]",
	     ::"r"(memory)
	     : "x9", "x10", "x11", "x12");
}

static uint64_t stores(void)
{
	static uint64_t memory[8];

	LOOP("str x9, [%0]\nstr x9, [%0, #8]\nstr x9, [%0, #16]\nstr x9, [%0, #24]", ::"r"(memory)
	     : "memory");
}

/* Vectors of the core's own length; counts bytes. */
static uint64_t sve_adds(void)
{
	uint64_t bytes;

	__asm__ volatile(".arch_extension sve\nrdvl %0, #1" : "=r"(bytes));
	measure();
	for (int i = 0; i < ROUNDS; i++)
		__asm__ volatile(TIMES16 "fadd z0.s, z8.s, z9.s\nfadd z1.s, z8.s, z9.s\n"
					 "fadd z2.s, z8.s, z9.s\nfadd z3.s, z8.s, z9.s\n.endr" ::
						 : "v0", "v1", "v2", "v3");
	measured();
	return bytes * 64 * ROUNDS;
}

/* A chain through memory: `half` of a 64-bit store, or an overlap that cannot be forwarded. */
static uint64_t forward_half(void)
{
	static uint64_t memory[2];

	LOOP("str x9, [%0]\nldr w9, [%0, #4]", ::"r"(memory) : "x9", "memory");
}

static uint64_t forward_overlap(void)
{
	static uint64_t memory[2];

	LOOP("str x9, [%0]\nldr w9, [%0, #6]", ::"r"(memory) : "x9", "memory");
}

/* Atomics on one line, which acquire and release; each needs the last one's result. */
static uint64_t atomic_add(void)
{
	static uint64_t memory[2];

	LOOP(".arch_extension lse\nldaddal x9, x9, [%0]", ::"r"(memory) : "x9", "memory");
}

static uint64_t compare_swap(void)
{
	static uint64_t memory[2];

	LOOP(".arch_extension lse\ncasal x9, x10, [%0]", ::"r"(memory) : "x9", "x10", "memory");
}

static uint64_t forward_page(void)
{
	char *memory = allocate(8192);

	LOOP("str x9, [%0]\nldr x9, [%0]", ::"r"(memory + 4092) : "x9", "memory");
}

/* A chain through memory: 8 bytes are stored at one offset in a page, and loaded at another one. */
static uint64_t forward(size_t stored, size_t loaded)
{
	char *memory = allocate(8192);

	LOOP("str x9, [%0]\nldr x9, [%1]", ::"r"(memory + stored), "r"(memory + loaded)
	     : "x9", "memory");
}

/* Likewise 16 bytes, of one vector register, or stored from two. */
static uint64_t forward_vector(size_t stored, size_t loaded)
{
	char *memory = allocate(8192);

	LOOP("str q0, [%0]\nldr q0, [%1]", ::"r"(memory + stored), "r"(memory + loaded)
	     : "v0", "memory");
}

static uint64_t forward_vectors(void)
{
	char *memory = allocate(8192);

	LOOP("stp d0, d1, [%0]\nldr q0, [%0]", ::"r"(memory) : "v0", "memory");
}

/* A chain of loads from an offset in a page; loads and stores there, side by side. */
static uint64_t load_at(size_t offset)
{
	char *memory = allocate(8192), *address = memory + offset;
	const char *const itself = address;

	memcpy(address, &itself, sizeof(itself));
	LOOP("ldr %0, [%0]", : "+r"(address)::"memory");
}

static uint64_t loads_at(size_t offset)
{
	char *memory = allocate(8192);

	LOOP("ldr x9, [%0]", ::"r"(memory + offset) : "x9", "memory");
}

static uint64_t stores_at(size_t offset)
{
	char *memory = allocate(8192);

	LOOP("str x9, [%0]", ::"r"(memory + offset) : "x9", "memory");
}

/* A volatile double is divided by a constant, or by another one; one iteration. */
static uint64_t divide_through_memory(size_t volatiles)
{
	static volatile double a = 1e300, b = 1.0000001;

	measure();
	if (volatiles == 1)
		for (int i = 0; i < ROUNDS; i++)
			a = a / 1.0000001;
	else
		for (int i = 0; i < ROUNDS; i++)
			a = a / b;
	measured();
	return ROUNDS;
}

/* Adds to all numbers in `bytes` of memory; counts the bytes read and written. */
static uint64_t update(size_t bytes)
{
	uint64_t rounds = 4000000 / bytes;
	char *memory = allocate(bytes);

	memset(memory, 1, bytes);
	for (uint64_t round = 0; round <= rounds; round++) {
		if (round == 1)
			measure();
		for (size_t i = 0; i < bytes; i += 64)
			__asm__ volatile("ldp q0, q1, [%0]\nldp q2, q3, [%0, #32]\n"
					 "add v0.4s, v0.4s, v7.4s\nadd v1.4s, v1.4s, v7.4s\n"
					 "add v2.4s, v2.4s, v7.4s\nadd v3.4s, v3.4s, v7.4s\n"
					 "stp q0, q1, [%0]\nstp q2, q3, [%0, #32]" ::"r"(memory + i)
					 : "v0", "v1", "v2", "v3", "v7", "memory");
	}
	measured();
	return rounds * bytes * 2;
}

int main(int count, char **arguments)
{
	const char *what = count > 1 ? arguments[1] : "";
	size_t bytes = count > 2 ? strtoul(arguments[2], NULL, 0) : 0;
	unsigned threads = count > 3 ? (unsigned)strtoul(arguments[3], NULL, 0) : 0;
	static const struct {
		const char *name;
		uint64_t (*run)(void);
	} all[] = {
		{"adds", adds},
		{"adds_branches", adds_branches},
		{"fp_adds", fp_adds},
		{"loads", loads},
		{"stores", stores},
		{"sve_adds", sve_adds},
		{"forward_page", forward_page},
		{"forward_vectors", forward_vectors},
		{"atomic_add", atomic_add},
		{"compare_swap", compare_swap},
		{"call_return", call_return},
		{"fp_add", fp_add},
		{"vector_add", vector_add},
		{"multiply", multiply},
		{"multiplies", multiplies},
		{"forward_half", forward_half},
		{"forward_overlap", forward_overlap},
	};
	uint64_t work = 0;

	if (strcmp(what, "chase") == 0)
		work = chase(bytes);
	if (strcmp(what, "walk") == 0)
		work = walk(bytes);
	if (strcmp(what, "read") == 0)
		work = read_through(bytes);
	if (strcmp(what, "read_cores") == 0)
		work = read_cores(bytes, threads, 0);
	if (strcmp(what, "read_cores_again") == 0)
		work = read_cores(bytes, threads, 1);
	if (strcmp(what, "update") == 0)
		work = update(bytes);
	if (strcmp(what, "divide") == 0)
		work = divide_through_memory(bytes);
	if (strcmp(what, "forward") == 0)
		work = forward(bytes, threads);
	if (strcmp(what, "forward_vector") == 0)
		work = forward_vector(bytes, threads);
	if (strcmp(what, "load_at") == 0)
		work = load_at(bytes);
	if (strcmp(what, "loads_at") == 0)
		work = loads_at(bytes);
	if (strcmp(what, "stores_at") == 0)
		work = stores_at(bytes);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(what, all[i].name) == 0)
			work = all[i].run();
	printf("%llu\n", (unsigned long long)work);
	return work == 0;
}
