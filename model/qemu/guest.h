/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What QEMU's plugin interface 1 (up to QEMU 8.2) does not tell: the guest's general registers,
 * from which the addresses of SVE loads and stores, dc zva and tag stores follow.
 *
 * TCG keeps the address of its CPUARMState in one host register all through translated code
 * (rbp on x86-64, x19 on AArch64), and calls a plugin's callbacks straight from there. The
 * trampolines below pass that register on as one more argument. The state begins with the 16
 * AArch32 registers, then x0..x30 and sp, then pc (QEMU 4.0 to 9.2, target/arm/cpu.h). Nothing of
 * this is promised by QEMU, so guest_state_check() compares the program counter, for many blocks;
 * if it does not hold, no register is believed: the accesses stay unknown and are counted as such.
 */
#ifndef MODEL_QEMU_GUEST_H
#define MODEL_QEMU_GUEST_H

#include <stdbool.h>
#include <stdint.h>

/* Only assembly calls it: link-time optimisation would leave it out. */
#if defined(__GNUC__) && !defined(__clang__)
#define CALLED_BY_ASSEMBLY __attribute__((used, externally_visible))
#else
#define CALLED_BY_ASSEMBLY __attribute__((used))
#endif

/* What the trampolines call: defined by plugin.c. `state` is the host register's value. */
CALLED_BY_ASSEMBLY void block_executes(unsigned index, void *user, const void *state);
CALLED_BY_ASSEMBLY void insn_executes(unsigned index, void *user, const void *state);

/* What QEMU calls: callbacks of type qemu_plugin_vcpu_udata_cb. */
void block_trampoline(unsigned vcpu, void *user);
void insn_trampoline(unsigned vcpu, void *user);

/*
 * Is `state` a CPUARMState whose pc is `pc`? Call it at the beginning of a block, when it executes
 * for the first time since it was translated: from block to block QEMU may go without setting pc.
 * Cheap once it has been right often enough.
 */
void guest_state_check(const void *state, uint64_t pc);

/* Has it been, and never been wrong? */
bool guest_state_usable(void);

/* Register `number`: 0..30, or 31 for sp. Only after guest_state_usable() said so. */
uint64_t guest_register(const void *state, unsigned number);

/*
 * Copies `size` bytes, or a string of less than `size`, from the guest's memory, where its
 * addresses are the host's (guest_base 0). Returns false if they cannot be read.
 */
bool guest_read(uint64_t address, void *out, unsigned long size);
bool guest_read_string(uint64_t address, char *out, unsigned long size);

#endif
