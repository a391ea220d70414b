/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/host_switch.h"

#include <errno.h>
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
static long call_kernel(long number, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	register uintptr_t a4 __asm__("r10") = 0;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a1), "S"(a2), "d"(a3), "r"(a4)
			 : "rcx", "r11", "memory");
	return number;
}
#elif defined __aarch64__
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define GET_SHADOW_STACK 74 /* PR_GET_SHADOW_STACK_STATUS of newer headers */

/* What host_switch() leaves on a stack, from its pointer on. */
struct saved {
	uint64_t x19_to_x28[10], x29;
	void (*go_on)(void);
	uint64_t d8_to_d15[8], thread_pointer, unused;
};

void host_switch_begin(void);

/* Whether hardware compares return addresses with those on a stack of its own. */
static bool has_shadow_stack(void)
{
	unsigned long status = 0;

	return !prctl(GET_SHADOW_STACK, &status, 0, 0, 0) && status;
}

bool host_switch_supported(void)
{
	return !has_shadow_stack();
}

void *host_switch_prepare(void *stack, size_t bytes, void (*begin)(void *), void *argument)
{
	struct saved *saved = (struct saved *)((char *)stack + bytes - sizeof(*saved));
	uint64_t thread_pointer;

	_Static_assert(sizeof(struct saved) == 176, "what host_switch() saves");
	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread_pointer));
	*saved = (struct saved){
		.x19_to_x28 = {(uint64_t)(uintptr_t)begin, (uint64_t)(uintptr_t)argument},
		.go_on = host_switch_begin,
		.thread_pointer = thread_pointer};
	return saved;
}

/* A system call of which errno learns nothing. */
static long call_kernel(long number, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	register long x8 __asm__("x8") = number;
	register uintptr_t x0 __asm__("x0") = a1, x1 __asm__("x1") = a2, x2 __asm__("x2") = a3;
	register uintptr_t x3 __asm__("x3") = 0;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return (long)x0;
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

bool host_sleep(_Atomic uint32_t *futex, uint32_t value)
{
	(void)futex, (void)value;
	abort();
}

void host_wake(_Atomic uint32_t *futex)
{
	(void)futex;
	abort();
}

void host_yield(void)
{
	abort();
}
#endif

#if defined __x86_64__ || defined __aarch64__
bool host_sleep(_Atomic uint32_t *futex, uint32_t value)
{
	return call_kernel(SYS_futex, (uintptr_t)futex, FUTEX_WAIT_PRIVATE, value) != -EINTR;
}

void host_wake(_Atomic uint32_t *futex)
{
	call_kernel(SYS_futex, (uintptr_t)futex, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

void host_yield(void)
{
	call_kernel(SYS_sched_yield, 0, 0, 0);
}
#endif
