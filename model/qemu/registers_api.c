/* SPDX-License-Identifier: Apache-2.0 */
/* Reads registers through QEMU's plugin interface, 2 (QEMU 9.0) or later. */
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/registers.h"
#include "qemu/registers_trampoline.h"

/* Indexes in `handles`: x0 to x30, sp; z0 to z31; p0 to p15, ffr. */
enum { VECTORS = 32, PREDICATES = 64, HANDLES = PREDICATES + REGISTERS_FFR + 1 };

/* QEMU's handles, of which NULL may be one, and which ones it has. */
static struct qemu_plugin_register *handles[HANDLES];
static bool has_handle[HANDLES];
static bool have_general, have_vectors;
static unsigned bytes_of_vector;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread GByteArray *buffer;

/* Returns the index of a register in `handles`, or HANDLES if it is never read. */
static unsigned place_of(const char *name)
{
	static const struct {
		char letter;
		unsigned first, count;
	} files[] = {{'x', 0, 31}, {'z', VECTORS, 32}, {'p', PREDICATES, 16}};
	unsigned long number;
	char *end;

	if (!strcmp(name, "sp"))
		return 31;
	if (!strcmp(name, "ffr"))
		return PREDICATES + REGISTERS_FFR;
	if (!name[0] || !isdigit((unsigned char)name[1]))
		return HANDLES;
	number = strtoul(name + 1, &end, 10);
	for (size_t i = 0; !*end && i < sizeof(files) / sizeof(*files); i++)
		if (name[0] == files[i].letter && number < files[i].count)
			return files[i].first + (unsigned)number;
	return HANDLES;
}

static bool have_all(unsigned from, unsigned to)
{
	while (from < to && has_handle[from])
		from++;
	return from == to;
}

static void learn_handles(void)
{
	GArray *list;

	/* GLib is QEMU's. If QEMU links it statically, neither it nor registers can be used. */
	if (!g_byte_array_new || !g_byte_array_set_size || !g_byte_array_free || !g_array_free)
		return;
	list = qemu_plugin_get_registers();
	for (unsigned i = 0; list && i < list->len; i++) {
		const qemu_plugin_reg_descriptor *descriptor =
			(const qemu_plugin_reg_descriptor *)(const void *)list->data + i;
		unsigned place = descriptor->name ? place_of(descriptor->name) : HANDLES;

		if (place < HANDLES) {
			handles[place] = descriptor->handle;
			has_handle[place] = true;
		}
	}
	if (list)
		g_array_free(list, 1);
	have_general = have_all(0, VECTORS);
	have_vectors = have_all(VECTORS, HANDLES);
}

/* QEMU lists registers when a thread begins; all threads have the same. */
static void thread_begins(qemu_plugin_id_t id, unsigned index)
{
	(void)id, (void)index;
	pthread_once(&once, learn_handles);
}

void registers_set_up(qemu_plugin_id_t id, unsigned vector_bytes)
{
	bytes_of_vector = vector_bytes;
	qemu_plugin_register_vcpu_init_cb(id, thread_begins);
}

/* Blocks are told where QEMU has the registers, for results.h; nothing here looks there. */
#ifdef TRAMPOLINE
TRAMPOLINE("registers_block_callback", "block_executes");
#else
void registers_block_callback(unsigned index, void *block)
{
	block_executes(index, block, NULL);
}
#endif

static void insn_callback(unsigned index, void *what)
{
	insn_executes(index, what, NULL);
}

void registers_on_block(struct qemu_plugin_tb *tb, const void *block, bool read)
{
	qemu_plugin_register_vcpu_tb_exec_cb(tb, registers_block_callback,
					     read ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)block);
}

void registers_on_inner_block(struct qemu_plugin_insn *insn, const void *block, bool read)
{
	qemu_plugin_register_vcpu_insn_exec_cb(
		insn, registers_block_callback,
		read ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)block);
}

void registers_on_insn(struct qemu_plugin_insn *insn, uintptr_t what)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, insn_callback, QEMU_PLUGIN_CB_R_REGS,
					       (void *)what);
}

void registers_check(const struct registers *registers, uint64_t pc)
{
	(void)registers, (void)pc;
}

bool registers_have_general(const struct registers *registers)
{
	(void)registers;
	return have_general;
}

bool registers_have_vectors(const struct registers *registers)
{
	(void)registers;
	return have_vectors;
}

/* Copies the first `size` bytes of a register; fills up with zeros if it is shorter. */
static void read_register(unsigned place, void *out, size_t size)
{
	size_t got;

	if (!buffer)
		buffer = g_byte_array_new();
	g_byte_array_set_size(buffer, 0);
	qemu_plugin_read_register(handles[place], buffer);
	got = buffer->len < size ? buffer->len : size;
	memcpy(out, buffer->data, got);
	memset((char *)out + got, 0, size - got);
}

uint64_t registers_general(const struct registers *registers, unsigned number)
{
	uint64_t value;

	(void)registers;
	read_register(number & 31, &value, sizeof(value));
	return value;
}

uint64_t registers_predicate(const struct registers *registers, unsigned number)
{
	uint64_t value;

	(void)registers;
	read_register(PREDICATES + number, &value, sizeof(value));
	return value;
}

void registers_vector(const struct registers *registers, unsigned number, void *out)
{
	(void)registers;
	read_register(VECTORS + (number & 31), out, bytes_of_vector);
}

bool registers_set_sp(const struct registers *registers, uint64_t sp)
{
	(void)registers, (void)sp;
	return false;
}

bool registers_set_zero_block(const struct registers *registers)
{
	(void)registers;
	return false;
}

void registers_thread_ended(void)
{
	if (buffer)
		g_byte_array_free(buffer, 1);
	buffer = NULL;
}
