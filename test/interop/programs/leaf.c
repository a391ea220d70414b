/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes to standard output what a sample in a leaf function would have with perf record -g: 64-bit
 * words, the program counter, the link register, and the return addresses that frame pointers lead
 * to. With TRAMPOLINE, the link register holds what a signal's handler finds there.
 */
#include <stdint.h>
#include <unistd.h>

#define FRAMES_MAX 16

static uint64_t taken[3]; /* pc, x30, x29 */
static volatile unsigned sink;

__attribute__((noinline)) static void leaf(void)
{
	uint64_t pc;

	__asm__ volatile("adr %0, .\n\tstp %0, x30, [%1]\n\tstr x29, [%1, 16]"
			 : "=&r"(pc)
			 : "r"(taken)
			 : "memory");
	sink++;
}

__attribute__((noinline)) static void calls_leaf(void)
{
	leaf();
	sink++;
}

__attribute__((noinline)) static void calls_more(void)
{
	calls_leaf();
	sink++;
}

/* As in the kernel's [vdso]: its rules begin one instruction early. */
__asm__(".text\n"
	".type before, %function\n"
	"before: ret\n"
	".size before, . - before\n"
	".cfi_startproc\n"
	".cfi_signal_frame\n"
	".cfi_def_cfa x29, 0\n"
	".cfi_offset x29, 0\n"
	".cfi_offset x30, 8\n"
	"nop\n"
	".globl trampoline\n"
	".type trampoline, %function\n"
	"trampoline: mov x8, 139\n"
	"svc 0\n"
	".size trampoline, . - trampoline\n"
	".cfi_endproc\n");
extern const char trampoline[];

int main(void)
{
	uint64_t words[2 + FRAMES_MAX];
	const uint64_t *frame;
	size_t count = 2;

	calls_more();
	words[0] = taken[0];
	words[1] = taken[1];
#ifdef TRAMPOLINE
	words[1] = (uintptr_t)trampoline;
#endif
	/* The frames below main()'s are still on the stack; the last has no caller. */
	for (frame = (const uint64_t *)(uintptr_t)taken[2]; frame && count < 2 + FRAMES_MAX;
	     frame = (const uint64_t *)(uintptr_t)frame[0])
		words[count++] = frame[1];
	return write(1, words, 8 * count) != (ssize_t)(8 * count);
}
