/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/guest.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define STATE_XREGS 64ul                /* behind 16 registers of 4 bytes */
#define STATE_PC    (STATE_XREGS + 256) /* behind 32 of 8 */
#define ENOUGH      64 /* blocks whose pc agreed, after which it is looked at no more */

/* The second argument's successor is the third: rdx, x2. */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl block_trampoline\n.hidden block_trampoline\n.type block_trampoline,@function\n"
	"block_trampoline:\n\tmovq %rbp, %rdx\n\tjmp block_executes\n"
	".globl insn_trampoline\n.hidden insn_trampoline\n.type insn_trampoline,@function\n"
	"insn_trampoline:\n\tmovq %rbp, %rdx\n\tjmp insn_executes\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl block_trampoline\n.hidden block_trampoline\n.type block_trampoline,%function\n"
	"block_trampoline:\n\thint #34\n\tmov x2, x19\n\tb block_executes\n"
	".globl insn_trampoline\n.hidden insn_trampoline\n.type insn_trampoline,%function\n"
	"insn_trampoline:\n\thint #34\n\tmov x2, x19\n\tb insn_executes\n");
#else
void block_trampoline(unsigned vcpu, void *user)
{
	block_executes(vcpu, user, NULL);
}

void insn_trampoline(unsigned vcpu, void *user)
{
	insn_executes(vcpu, user, NULL);
}
#endif

bool guest_read(uint64_t address, void *out, unsigned long size)
{
	struct iovec to = {out, size}, from = {(void *)(uintptr_t)address, size};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

bool guest_read_string(uint64_t address, char *out, unsigned long size)
{
	for (unsigned long i = 0; i < size; i++) {
		if (!guest_read(address + i, out + i, 1))
			return false;
		if (!out[i])
			return true;
	}
	return false;
}

static _Atomic unsigned agreed;
static _Atomic bool refuted;

void guest_state_check(const void *state, uint64_t pc)
{
	uint64_t seen;

	if (atomic_load_explicit(&agreed, memory_order_relaxed) >= ENOUGH || !state)
		return;
	/* Not yet known to be an address at all: have the kernel read it. */
	if (guest_read((uintptr_t)state + STATE_PC, &seen, sizeof(seen)) && seen == pc)
		atomic_fetch_add_explicit(&agreed, 1, memory_order_relaxed);
	else
		atomic_store_explicit(&refuted, true, memory_order_relaxed);
}

bool guest_state_usable(void)
{
	return atomic_load_explicit(&agreed, memory_order_relaxed) &&
	       !atomic_load_explicit(&refuted, memory_order_relaxed);
}

uint64_t guest_register(const void *state, unsigned number)
{
	uint64_t value;

	memcpy(&value, (const char *)state + STATE_XREGS + 8ul * (number & 31), sizeof(value));
	return value;
}
