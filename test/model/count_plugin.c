/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An independent count of what a program executes, to hold the model's events to: a plugin of
 * qemu-aarch64 that looks at each instruction's own bits as it executes. All it shares with the
 * model is the program's start (model/qemu/start.h). It knows branches by kind and whether they are
 * taken, and how many accesses loads and stores make (encodings: Arm Architecture Reference Manual,
 * DDI 0487, C4.1). Those of 32 bytes and more are at least one access, and `..._more` says how many
 * more they may be split into; SVE's may also be none at all, as their predicates say, so that they
 * are in `..._more` alone. At the program's end it writes what it counted as a JSON object to the
 * file named by the argument `out`. The argument `features` has those of the core (params.h);
 * without it, another plugin gives the program its start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/qemu_plugin.h"
#include "qemu/registers.h"
#include "qemu/start.h"

#define VCPUS_MAX 1024

/* X(name in the output): what is counted. */
#define COUNTERS(X)                                    \
	X(instructions)                                \
	X(branches_immediate) /* direct: b, bl, cbz */ \
	X(branches_immediate_taken)                    \
	X(branches_indirect)                           \
	X(branches_return)                             \
	X(loads) /* an atomic is both */               \
	X(loads_more)                                  \
	X(stores)                                      \
	X(stores_more)                                 \
	X(supervisor_calls)

enum counter {
#define NAME(name) COUNT_##name,
	COUNTERS(NAME)
#undef NAME
		COUNT_MAX
};

/* What one instruction adds. */
struct kind {
	uint64_t next; /* address behind it */
	uint8_t add[COUNT_MAX];
	bool conditional;
};

static struct vcpu {
	uint64_t counts[COUNT_MAX];
	uint64_t fall_through; /* of the conditional branch before, or 0 */
} vcpus[VCPUS_MAX];

static char out_path[4096], features[1024];
static bool lost;

int qemu_plugin_version = PLUMB_QEMU_API;

static bool is(uint32_t word, uint32_t mask, uint32_t value)
{
	return (word & mask) == value;
}

static unsigned bits(uint32_t word, unsigned from, unsigned count)
{
	return word >> from & ((1u << count) - 1);
}

static void add(struct kind *kind, enum counter counter, unsigned times)
{
	kind->add[counter] = (uint8_t)(kind->add[counter] + times);
}

static void classify_branch(uint32_t word, struct kind *kind)
{
	if (is(word, 0x7c000000, 0x14000000)) { /* b, bl */
		add(kind, COUNT_branches_immediate, 1);
		add(kind, COUNT_branches_immediate_taken, 1);
	} else if (is(word, 0xff000000, 0x54000000) || /* b.cond, bc.cond */
		   is(word, 0x7e000000, 0x34000000) || /* cbz, cbnz */
		   is(word, 0x7e000000, 0x36000000)) { /* tbz, tbnz */
		add(kind, COUNT_branches_immediate, 1);
		kind->conditional = true;
	} else if (is(word, 0xfe000000, 0xd6000000)) {
		switch (bits(word, 21, 4)) {
		case 0: /* br, braaz, brabz */
		case 1: /* blr */
		case 8: /* braa, brab */
		case 9:
			add(kind, COUNT_branches_indirect, 1);
			break;
		case 2: /* ret, retaa, retab */
			add(kind, COUNT_branches_return, 1);
			break;
		default:
			break;
		}
	} else if (is(word, 0xffe0001f, 0xd4000001)) {
		add(kind, COUNT_supervisor_calls, 1);
	}
}

/* Accesses, of which all but one might be part of another. */
static void add_accesses(struct kind *kind, bool load, unsigned count)
{
	add(kind, load ? COUNT_loads : COUNT_stores, 1);
	add(kind, load ? COUNT_loads_more : COUNT_stores_more, count - 1);
}

/* Registers of ld1..ld4 and st1..st4: several structures by bits 15:12, else one lane each. */
static unsigned structure_registers(uint32_t word)
{
	static const uint8_t registers[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};

	if (!bits(word, 24, 1))
		return registers[bits(word, 12, 4)] ? registers[bits(word, 12, 4)] : 1;
	return 1 + bits(word, 13, 1) * 2 + bits(word, 21, 1);
}

static void classify_exclusive(uint32_t word, struct kind *kind)
{
	bool swap = bits(word, 21, 1) && (bits(word, 23, 1) || !bits(word, 31, 1));

	if (swap || bits(word, 22, 1))
		add(kind, COUNT_loads, 1);
	if (swap || !bits(word, 22, 1))
		add(kind, COUNT_stores, 1);
}

/* Loads and stores of one register, by opc (bits 23:22) and V (bit 26). */
static void classify_single(uint32_t word, struct kind *kind)
{
	bool vector = bits(word, 26, 1);
	unsigned opc = bits(word, 22, 2);

	if (!vector && bits(word, 30, 2) == 3 && opc == 2)
		return; /* prfm */
	add(kind,
	    vector ? (opc & 1 ? COUNT_loads : COUNT_stores) : (opc ? COUNT_loads : COUNT_stores),
	    1);
}

static void classify_register(uint32_t word, struct kind *kind)
{
	bool vector = bits(word, 26, 1);

	if (bits(word, 24, 1) || !bits(word, 21, 1) || bits(word, 10, 2) == 2) {
		classify_single(word, kind);
	} else if (bits(word, 10, 2) == 0 && !vector) {
		/* Atomics; ldapr among them only loads. */
		add(kind, COUNT_loads, 1);
		if (!is(word, 0x3ffffc00, 0x38bfc000))
			add(kind, COUNT_stores, 1);
	} else if (bits(word, 10, 1) && !vector) {
		add(kind, COUNT_loads, 1); /* ldraa, ldrab */
	}
}

static void classify_memory(uint32_t word, struct kind *kind)
{
	bool vector = bits(word, 26, 1), load = bits(word, 22, 1);

	switch (bits(word, 28, 2)) {
	case 0:
		if (!vector) {
			classify_exclusive(word, kind);
			break;
		}
		add_accesses(kind, load, structure_registers(word));
		break;
	case 1:
		if (is(word, 0xff200000, 0xd9200000)) /* tags */
			add(kind, COUNT_stores_more, 2);
		else if (bits(word, 24, 1))
			add(kind, bits(word, 22, 2) ? COUNT_loads : COUNT_stores, 1);
		else if (!is(word, 0xff000000, 0xd8000000)) /* prfm */
			add(kind, COUNT_loads, 1);
		break;
	case 2:
		add_accesses(kind, load, vector && bits(word, 30, 2) == 2 ? 2 : 1);
		break;
	default:
		classify_register(word, kind);
		break;
	}
}

/* Loads have 100 to 110 at the top, and among them are prefetches; stores have 111. */
static void classify_sve(uint32_t word, struct kind *kind)
{
	add(kind, bits(word, 29, 3) == 7 ? COUNT_stores_more : COUNT_loads_more, 4);
}

static struct kind *classify(uint32_t word, uint64_t address)
{
	struct kind *kind = calloc(1, sizeof(*kind));

	if (!kind)
		return NULL;
	kind->next = address + 4;
	add(kind, COUNT_instructions, 1);
	if (is(word, 0x0a000000, 0x08000000))
		classify_memory(word, kind);
	else if (is(word, 0x9e000000, 0x84000000))
		classify_sve(word, kind);
	else if (is(word, 0xffffffe0, 0xd50b7420)) /* dc zva */
		add(kind, COUNT_stores, 1);
	else
		classify_branch(word, kind);
	return kind;
}

static void executed(unsigned int index, void *user)
{
	const struct kind *kind = user;
	struct vcpu *vcpu = &vcpus[index % VCPUS_MAX];

	if (index >= VCPUS_MAX)
		lost = true;
	if (vcpu->fall_through) {
		vcpu->counts[COUNT_branches_immediate_taken] +=
			vcpu->fall_through + 4 != kind->next;
		vcpu->fall_through = 0;
	}
	for (unsigned i = 0; i < COUNT_MAX; i++)
		vcpu->counts[i] += kind->add[i];
	if (kind->conditional)
		vcpu->fall_through = kind->next;
}

void block_executes(unsigned index, void *user, const struct registers *registers)
{
	(void)index;
	registers_check(registers, (uintptr_t)user);
}

void insn_executes(unsigned index, void *user, const struct registers *registers)
{
	(void)index, (void)user;
	if (!start_program(registers, features))
		lost = true;
}

/* Has QEMU call start_program() before the program's first instruction. */
static void hook_start(struct qemu_plugin_tb *tb)
{
	static bool hooked;

	if (!hooked && *features) {
		registers_on_block(tb, (const void *)(uintptr_t)qemu_plugin_tb_vaddr(tb), true);
		registers_on_insn(qemu_plugin_tb_get_insn(tb, 0), 0);
	}
	hooked = true;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint64_t address = qemu_plugin_tb_vaddr(tb);

	(void)id;
	hook_start(tb);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct kind *kind = classify(qemu_plugin_insn_word(insn), address + 4 * i);

		if (!kind) {
			lost = true;
			return;
		}
		qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_PLUGIN_CB_NO_REGS,
						       kind);
	}
}

static void at_exit(qemu_plugin_id_t id, void *user)
{
	static const char *const names[] = {
#define NAME(name) #name,
		COUNTERS(NAME)
#undef NAME
	};
	FILE *out = fopen(out_path, "w");

	(void)id, (void)user;
	if (!out)
		return;
	fprintf(out, "{\"lost\": %s", lost ? "true" : "false");
	for (unsigned i = 0; i < COUNT_MAX; i++) {
		uint64_t sum = 0;

		for (unsigned v = 0; v < VCPUS_MAX; v++)
			sum += vcpus[v].counts[i];
		fprintf(out, ", \"%s\": %llu", names[i], (unsigned long long)sum);
	}
	fprintf(out, "}\n");
	fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (strcmp(info->target_name, "aarch64") != 0)
		return 1;
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "out=", 4) == 0)
			snprintf(out_path, sizeof(out_path), "%s", argv[i] + 4);
		else if (strncmp(argv[i], "features=", 9) == 0)
			snprintf(features, sizeof(features), "%s", argv[i] + 9);
		else
			return 1;
	registers_set_up(id, 16);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
