/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads registers with plugin interface 1 (up to QEMU 8.2), which does not have them.
 *
 * Trampolines pass on the address of QEMU's state of the CPU. QEMU promises nothing about what is
 * there, so everything is checked before it is used:
 *
 * - The state begins with the 16 AArch32 registers, then x0..x30 and sp, then pc (QEMU 4.0 to 9.2,
 *   target/arm/cpu.h). pc must be the address of the block that begins, for many blocks.
 * - z0 to z31, 256 bytes each, are followed by p0 to p15 and ffr, 32 bytes each, at VECTORS in QEMU
 *   7.2. Only the bytes within the vector length may be set in predicates, and one must have been
 *   set before any of them counts as empty.
 * - What describes the CPU follows at IDENTITY in QEMU 7.2: MIDR_EL1, CTR_EL0, and the size of the
 *   block that `dc zva` zeroes. This is written only if CTR_EL0 is that of `-cpu max`, and the
 * size, too.
 */
#include <stdatomic.h>
#include <string.h>

#include "qemu/guest.h"
#include "qemu/registers.h"
#include "qemu/registers_trampoline.h"

#define GENERAL    64ul                   /* behind 16 registers of 4 bytes */
#define PC         (GENERAL + 256)        /* behind 32 of 8 */
#define VECTORS    3184ul                 /* QEMU 7.2's */
#define PREDICATES (VECTORS + 32ul * 256) /* behind 32 vectors */
#define PREDICATE  32ul                   /* bytes of one */
#define ENOUGH     64                     /* checks passed, after which there are no more */
#define IDENTITY   79016ul                /* QEMU 7.2's */
#define CTR        (IDENTITY + 16)
#define ZERO_BLOCK (IDENTITY + 232)

/* The results of the checks so far. */
struct belief {
	_Atomic unsigned agreed;
	_Atomic bool refuted;
};

static struct belief general, vectors;
static unsigned bytes_of_vector;

void insn_trampoline(unsigned index, void *what);

#ifdef TRAMPOLINE
TRAMPOLINE("registers_block_callback", "block_executes");
TRAMPOLINE("insn_trampoline", "insn_executes");
#else
void registers_block_callback(unsigned index, void *block)
{
	block_executes(index, block, NULL);
}

void insn_trampoline(unsigned index, void *what)
{
	insn_executes(index, what, NULL);
}
#endif

void registers_set_up(qemu_plugin_id_t id, unsigned vector_bytes)
{
	(void)id;
	bytes_of_vector = vector_bytes;
}

void registers_on_block(struct qemu_plugin_tb *tb, const void *block, bool read)
{
	(void)read;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, registers_block_callback, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)block);
}

void registers_on_inner_block(struct qemu_plugin_insn *insn, const void *block, bool read)
{
	(void)read;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, registers_block_callback,
					       QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)block);
}

void registers_on_insn(struct qemu_plugin_insn *insn, uintptr_t what)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, insn_trampoline, QEMU_PLUGIN_CB_NO_REGS,
					       (void *)what);
}

/* Returns whether a check passed and none failed. */
static bool believed(const struct belief *belief)
{
	return atomic_load_explicit(&belief->agreed, memory_order_relaxed) &&
	       !atomic_load_explicit(&belief->refuted, memory_order_relaxed);
}

static bool settled(const struct belief *belief)
{
	return atomic_load_explicit(&belief->agreed, memory_order_relaxed) >= ENOUGH ||
	       atomic_load_explicit(&belief->refuted, memory_order_relaxed);
}

static void agree(struct belief *belief, bool right)
{
	if (right)
		atomic_fetch_add_explicit(&belief->agreed, 1, memory_order_relaxed);
	else
		atomic_store_explicit(&belief->refuted, true, memory_order_relaxed);
}

void registers_check(const struct registers *registers, uint64_t pc)
{
	uint64_t seen;

	if (!registers || settled(&general))
		return;
	/* It may not be an address at all: let the kernel read it. */
	agree(&general, guest_read((uintptr_t)registers + PC, &seen, sizeof(seen)) && seen == pc);
}

bool registers_have_general(const struct registers *registers)
{
	return registers && believed(&general);
}

/* Checks that the predicates look like predicates. If none is set, that proves nothing. */
static void check_predicates(const struct registers *registers)
{
	uint8_t all[PREDICATE * (REGISTERS_FFR + 1)];
	bool any = false, other = false;

	if (!guest_read((uintptr_t)registers + PREDICATES, all, sizeof(all))) {
		agree(&vectors, false);
		return;
	}
	for (size_t i = 0; i < sizeof(all); i++) {
		if (!all[i])
			continue;
		any = true;
		other |= i % PREDICATE >= bytes_of_vector / 8;
	}
	if (any)
		agree(&vectors, !other);
}

bool registers_have_vectors(const struct registers *registers)
{
	if (!registers_have_general(registers))
		return false;
	if (!settled(&vectors))
		check_predicates(registers);
	return believed(&vectors);
}

static void copy_from(const struct registers *registers, unsigned long at, void *out, size_t size)
{
	memcpy(out, (const char *)registers + at, size);
}

uint64_t registers_general(const struct registers *registers, unsigned number)
{
	uint64_t value;

	copy_from(registers, GENERAL + 8ul * (number & 31), &value, sizeof(value));
	return value;
}

uint64_t registers_predicate(const struct registers *registers, unsigned number)
{
	uint64_t value;

	copy_from(registers, PREDICATES + PREDICATE * number, &value, sizeof(value));
	return value;
}

void registers_vector(const struct registers *registers, unsigned number, void *out)
{
	copy_from(registers, VECTORS + 256ul * (number & 31), out, bytes_of_vector);
}

/* Translated code does not hold sp in a register of the host before its first instruction. */
bool registers_set_sp(const struct registers *registers, uint64_t sp)
{
	if (!registers_have_general(registers))
		return false;
	memcpy((char *)(uintptr_t)registers + GENERAL + 8ul * 31, &sp, sizeof(sp));
	return true;
}

bool registers_set_zero_block(const struct registers *registers)
{
	const uint64_t ctr_of_max = 0x80038003;
	const uint32_t words_512 = 7, words_64 = 4; /* DCZID_EL0: log2 of the words */
	const uintptr_t state = (uintptr_t)registers;
	uint64_t ctr;
	uint32_t words;

	if (!registers || !guest_read(state + CTR, &ctr, sizeof(ctr)) || ctr != ctr_of_max ||
	    !guest_read(state + ZERO_BLOCK, &words, sizeof(words)) || words != words_512)
		return false;
	memcpy((void *)(state + ZERO_BLOCK), &words_64, sizeof(words_64));
	return true;
}

void registers_thread_ended(void)
{
}
