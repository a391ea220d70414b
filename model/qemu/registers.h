/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the guest's registers, from which the model derives the addresses of accesses that QEMU
 * does not report, and what governing predicates switch on.
 *
 * Each plugin links one of two implementations: registers_api.c uses QEMU's own interface, which
 * has registers since 2 (QEMU 9.0); registers_peek.c, for interface 1, looks into QEMU's CPU state
 * and checks what it finds there.
 */
#ifndef MODEL_QEMU_REGISTERS_H
#define MODEL_QEMU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu/qemu_plugin.h"

/* Bytes of the longest vector that is read. */
#define REGISTERS_VECTOR_MAX 64

/* Predicates: p0 to p15, then */
#define REGISTERS_FFR 16

/* The registers of the thread that calls back; valid until the callback returns. */
struct registers;

/*
 * Within a block, interface 1 has valid general registers only after an instruction that accesses
 * memory; vectors and predicates are always valid. Later interfaces have all of them everywhere.
 */
#define REGISTERS_LATE (PLUMB_QEMU_API == 1)

/* Call it when the plugin is loaded. `vector_bytes` is REGISTERS_VECTOR_MAX at most. */
void registers_set_up(qemu_plugin_id_t id, unsigned vector_bytes);

/*
 * Have QEMU call block_executes() at the beginning of a block, which reads registers only if
 * `read`, and insn_executes() before an instruction. Call these from the translation callback.
 */
void registers_on_block(struct qemu_plugin_tb *tb, const void *block, bool read);
/* The same for a block that begins within one of QEMU's, at `insn`. */
void registers_on_inner_block(struct qemu_plugin_insn *insn, const void *block, bool read);
void registers_on_insn(struct qemu_plugin_insn *insn, uintptr_t what);

/* What calls block_executes(), for callbacks that are registered elsewhere. */
void registers_block_callback(unsigned index, void *block);

/* Called from assembly, which link-time optimization does not see. */
#ifdef __clang__
#define REGISTERS_CALLBACK __attribute__((used))
#else
#define REGISTERS_CALLBACK __attribute__((used, externally_visible))
#endif
REGISTERS_CALLBACK void block_executes(unsigned index, void *user,
				       const struct registers *registers);
REGISTERS_CALLBACK void insn_executes(unsigned index, void *user,
				      const struct registers *registers);

/*
 * Call it when the block at `pc` executes for the first time since it was translated: interface 1
 * compares the program counter. Cheap once it has been right often enough.
 */
void registers_check(const struct registers *registers, uint64_t pc);

/* Return whether general registers, and vectors and predicates, can be read. */
bool registers_have_general(const struct registers *registers);
bool registers_have_vectors(const struct registers *registers);

/* Returns x0 to x30, or sp for 31. */
uint64_t registers_general(const struct registers *registers, unsigned number);
/* Returns a predicate: a bit for each byte of a vector. */
uint64_t registers_predicate(const struct registers *registers, unsigned number);
/* Copies z0 to z31: `vector_bytes`. */
void registers_vector(const struct registers *registers, unsigned number, void *out);

/*
 * Sets sp, before the first instruction that this thread executes. Returns false if it cannot:
 * interfaces from 2 on only read.
 */
bool registers_set_sp(const struct registers *registers, uint64_t sp);

/*
 * Has `dc zva` of this thread zero 64 bytes, as on all modelled cores, if it would zero 512: QEMU's
 * CPU that has everything does so. Returns false if it still does: interfaces from 2 on only read.
 */
bool registers_set_zero_block(const struct registers *registers);

/* Frees what is kept for this thread. */
void registers_thread_ended(void);

#endif
