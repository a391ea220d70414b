/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes to standard output what a sample would have copied of it at a point deep in calls, and the
 * return addresses that the compiler's own unwinder finds there: 64-bit words, the number of
 * registers, the registers in the order of perf_regs.h, the size of the stack's copy, the copy, the
 * number of return addresses, these.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define STACK_MAX  32768
#define FRAMES_MAX 64

static uint64_t registers[33];
static uint8_t stack[STACK_MAX];
static uint64_t frames[FRAMES_MAX + 1];
static char *stack_end;
static volatile unsigned sink;

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *unused)
{
	(void)unused;
	if (frames[0] == FRAMES_MAX)
		return _URC_END_OF_STACK;
	frames[++frames[0]] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static void put(const void *bytes, size_t size)
{
	if (write(1, bytes, size) != (ssize_t)size)
		_exit(1);
}

__attribute__((noinline)) static void take(void)
{
	uint64_t size, count = 33;

	_Unwind_Backtrace(note, NULL);
	__asm__ volatile(
		"stp x0, x1, [%0]\n\tstp x2, x3, [%0, 16]\n\tstp x4, x5, [%0, 32]\n\t"
		"stp x6, x7, [%0, 48]\n\tstp x8, x9, [%0, 64]\n\tstp x10, x11, [%0, 80]\n\t"
		"stp x12, x13, [%0, 96]\n\tstp x14, x15, [%0, 112]\n\tstp x16, x17, [%0, 128]\n\t"
		"stp x18, x19, [%0, 144]\n\tstp x20, x21, [%0, 160]\n\tstp x22, x23, [%0, 176]\n\t"
		"stp x24, x25, [%0, 192]\n\tstp x26, x27, [%0, 208]\n\tstp x28, x29, [%0, 224]\n\t"
		"mov x9, sp\n\tstp x30, x9, [%0, 240]\n\tadr x9, .\n\tstr x9, [%0, 256]"
		:
		: "r"(registers)
		: "x9", "memory");
	size = (uint64_t)(stack_end - (char *)(uintptr_t)registers[31]);
	if (size > STACK_MAX)
		size = STACK_MAX;
	memcpy(stack, (void *)(uintptr_t)registers[31], size);
	put(&count, 8);
	put(registers, sizeof(registers));
	put(&size, 8);
	put(stack, size);
	put(frames, 8 + 8 * frames[0]);
}

__attribute__((noinline)) static void with_much_on_the_stack(unsigned depth)
{
	volatile char block[3000];

	block[depth] = 1;
	take();
	sink += (unsigned)block[depth];
}

__attribute__((noinline)) static void of_variable_size(unsigned depth)
{
	volatile char *block = __builtin_alloca(16 * depth + 16);

	block[depth] = 1;
	with_much_on_the_stack(depth);
	sink += (unsigned)block[depth];
}

__attribute__((noinline)) static int calls_back(const void *a, const void *b)
{
	static unsigned calls;

	if (calls++ == 0)
		of_variable_size(7);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void recurses(unsigned depth)
{
	int numbers[] = {3, 2, 1};

	if (depth)
		recurses(depth - 1);
	else
		qsort(numbers, 3, sizeof(*numbers), calls_back);
	sink += (unsigned)numbers[0];
}

int main(int count, char **arguments)
{
	(void)count;
	stack_end = (char *)arguments;
	recurses(5);
	return 0;
}
