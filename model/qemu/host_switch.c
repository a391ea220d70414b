/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/host_switch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#define HWCAP2_HAS_FSGSBASE (1u << 1)

/* What host_switch() leaves on a stack, from its pointer on. */
struct saved {
	uint64_t fs_base, r15, r14, r13, r12, rbx, rbp;
	void (*go_on)(void);
};

void host_switch_begin(void);

/* Returns the top of the stack of return addresses that hardware compares with; 0: it does not. */
static uint64_t shadow_stack(void)
{
	uint64_t top = 0;

	__asm__ volatile("rdsspq %0" : "+r"(top)); /* without such stacks, it does nothing */
	return top;
}

bool host_switch_supported(void)
{
	return getauxval(AT_HWCAP2) & HWCAP2_HAS_FSGSBASE && !shadow_stack();
}

void *host_switch_prepare(void *stack, size_t bytes, void (*begin)(void *), void *argument)
{
	struct saved *saved = (struct saved *)((char *)stack + bytes - sizeof(*saved));
	uint64_t fs_base;

	_Static_assert(sizeof(struct saved) % 16 == 0, "functions find the stack aligned");
	__asm__ volatile("rdfsbase %0" : "=r"(fs_base));
	*saved = (struct saved){.fs_base = fs_base,
				.rbx = (uint64_t)(uintptr_t)begin,
				.r12 = (uint64_t)(uintptr_t)argument,
				.go_on = host_switch_begin};
	return saved;
}

/* A system call of which errno learns nothing. */
static void call_kernel(long number, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	register uintptr_t a4 __asm__("r10") = 0;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a1), "S"(a2), "d"(a3), "r"(a4)
			 : "rcx", "r11", "memory");
}

void host_sleep(_Atomic uint32_t *futex, uint32_t value)
{
	call_kernel(SYS_futex, (uintptr_t)futex, FUTEX_WAIT_PRIVATE, value);
}

void host_yield(void)
{
	call_kernel(SYS_sched_yield, 0, 0, 0);
}
#else
bool host_switch_supported(void)
{
	return false;
}

void *host_switch_prepare(void *stack, size_t bytes, void (*begin)(void *), void *argument)
{
	(void)stack, (void)bytes, (void)begin, (void)argument;
	return NULL;
}

void host_switch(void **from, void *to)
{
	(void)from, (void)to;
	abort(); /* nobody calls this where it is not supported */
}

void host_sleep(_Atomic uint32_t *futex, uint32_t value)
{
	(void)futex, (void)value;
	abort();
}

void host_yield(void)
{
	abort();
}
#endif
