/* SPDX-License-Identifier: Apache-2.0 */
/* What breaks the order of things: signals and their handlers, jumps out of them, code that the
 * program writes and changes. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

static sigjmp_buf out;
static volatile int signals;

static void handle(int number)
{
	signals++;
	if (number == SIGUSR2)
		siglongjmp(out, 1);
}

/*
 * As __clear_cache() does for a line. How many lines it clears depends on the version of
 * QEMU: 7.2's CPU says that they have 32 bytes.
 */
static void clear_line(const uint32_t *code)
{
	__asm__ volatile("dc cvau, %0\n\tdsb ish\n\tic ivau, %0\n\tdsb ish\n\tisb" ::"r"(code)
			 : "memory");
}

/* mov w0, #`value`; ret */
static void write_code(uint32_t *code, unsigned value)
{
	code[0] = 0x52800000 | value << 5;
	code[1] = 0xd65f03c0;
	clear_line(code);
}

static void raise_signals(void)
{
	signal(SIGUSR1, handle);
	signal(SIGUSR2, handle);
	for (volatile int i = 0; i < 200; i++)
		if (!sigsetjmp(out, 1))
			raise(i % 2 ? SIGUSR1 : SIGUSR2);
}

int main(void)
{
	unsigned sum = 0;
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	raise_signals();
	for (unsigned i = 0; i < 200; i++) {
		write_code(code, i);
		sum += ((unsigned (*)(void))(uintptr_t)code)();
	}
	printf("%d %u\n", signals, sum);
	return 0;
}
