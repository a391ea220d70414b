/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information: the rules of the C library's functions are those that libdw finds, and
 * what a hostile file says ends within its bounds.
 */
#include "symbol/cfi_file.h"

#include "check.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

/* ---- Beside libdw ---------------------------------------------------------------------------- */

static void check_cfa(const struct cfi_row *row, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t count;

	assert_int_equal(0, dwarf_frame_cfa(frame, &ops, &count));
	assert_true(count > 0);
	if (row->cfa.kind == CFI_REGISTER) {
		assert_int_equal(1, count);
		if (ops[0].atom == DW_OP_bregx) {
			assert_int_equal(ops[0].number, row->cfa.number);
			assert_int_equal(ops[0].number2, row->cfa.offset);
		} else {
			assert_int_equal(ops[0].atom - DW_OP_breg0, row->cfa.number);
			assert_int_equal(ops[0].number, row->cfa.offset);
		}
	} else {
		assert_int_equal(CFI_VALUE_EXPRESSION, row->cfa.kind);
		assert_true(count > 1 || ops[0].number2 == 0);
	}
}

/* libdw gives operations for each kind of rule. */
static void check_register(const struct cfi_rule *rule, Dwarf_Frame *frame, int number)
{
	Dwarf_Op memory[3], *ops;
	size_t count;
	bool value;

	assert_int_equal(0, dwarf_frame_register(frame, number, memory, &ops, &count));
	value = count && ops[count - 1].atom == DW_OP_stack_value;
	switch (rule->kind) {
	case CFI_UNSPECIFIED: /* what the ABI says, which may be an offset of the stack pointer's */
		assert_true(count == 0 || value);
		break;
	case CFI_UNDEFINED:
		assert_int_equal(0, count);
		assert_non_null(ops);
		break;
	case CFI_SAME:
		assert_int_equal(0, count);
		assert_null(ops);
		break;
	case CFI_AT_OFFSET:
	case CFI_OFFSET:
		assert_int_equal(DW_OP_call_frame_cfa, ops[0].atom);
		assert_int_equal(value, rule->kind == CFI_OFFSET);
		assert_int_equal((rule->offset ? 2 : 1) + value, count);
		assert_int_equal(rule->offset, rule->offset ? ops[1].number : 0);
		break;
	case CFI_REGISTER:
		assert_int_equal(1, count);
		break;
	default:
		assert_true(count > 1);
	}
}

static void check_row(const struct cfi *cfi, Dwarf_CFI *reference, uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	struct cfi_row row;
	bool interrupted;

	if (dwarf_cfi_addrframe(reference, address, &frame) != 0) {
		assert_false(cfi_find(cfi, address, &row));
		return;
	}
	assert_true(cfi_find(cfi, address, &row));
	assert_int_equal(dwarf_frame_info(frame, NULL, NULL, &interrupted), row.return_register);
	assert_int_equal(interrupted, row.interrupted);
	check_cfa(&row, frame);
	for (int i = 0; i < CFI_REGISTERS; i++)
		check_register(&row.registers[i], frame, i);
	free(frame);
}

/* Opens a copy of a file that has only program headers. */
static void open_stripped(int fd, struct elf_file *stripped)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *bytes = malloc((size_t)size);
	Elf64_Ehdr *header = (void *)bytes;

	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
	header->e_shoff = header->e_shnum = header->e_shstrndx = 0;
	assert_int_equal(elf_file_open_memory(stripped, bytes, (size_t)size), 0);
	stripped->bytes = bytes;
}

/*
 * Looks at `every`-th address of a file's code, by its sections and, if it has the header of
 * .eh_frame, without them.
 */
static void check_file(const char *path, bool has_header, uint64_t every)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file file, stripped;
	struct cfi *cfi, *again;
	Elf_Scn *section = NULL;
	Dwarf_CFI *reference;
	GElf_Shdr header;
	Elf *elf;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	reference = dwarf_getcfi_elf(elf);
	assert_non_null(reference);
	assert_int_equal(elf_file_open(&file, path), 0);
	assert_int_equal(cfi_open_eh_frame(&file, &cfi), 0);
	assert_non_null(cfi);
	open_stripped(fd, &stripped);
	assert_int_equal(cfi_open_eh_frame(&stripped, &again), 0);
	assert_int_equal(again != NULL, has_header);
	while ((section = elf_nextscn(elf, section))) {
		gelf_getshdr(section, &header);
		if (!(header.sh_flags & SHF_EXECINSTR))
			continue;
		for (uint64_t at = 0; at < header.sh_size; at += every) {
			check_row(cfi, reference, header.sh_addr + at);
			if (again)
				check_row(again, reference, header.sh_addr + at);
		}
	}
	cfi_free(again);
	cfi_free(cfi);
	elf_file_close(&stripped);
	elf_file_close(&file);
	dwarf_cfi_end(reference);
	elf_end(elf);
	close(fd);
}

static void test_beside_libdw(void **state)
{
	char path[4096];
	Dl_info libc;

	(void)state;
	assert_true(dladdr((void *)(uintptr_t)abort, &libc));
	check_file(libc.dli_fname, true, 101);
	check_file("/usr/aarch64-linux-gnu/lib/libc.so.6", true, 100);
	snprintf(path, sizeof(path), "%s/symbols/walk-aarch64", getenv("PLUMB_TEST_DATA"));
	check_file(path, false, 4);
	snprintf(path, sizeof(path), "%s/symbols/walk-x86_64", getenv("PLUMB_TEST_DATA"));
	check_file(path, false, 1);
}

/* ---- Sections written here ------------------------------------------------------------------- */

#define START 0x1000
#define SIZE  0x100

struct section {
	uint8_t bytes[1 << 18];
	size_t size;
};

static void put(struct section *section, const void *bytes, size_t size)
{
	assert_true(section->size + size <= sizeof(section->bytes));
	memcpy(section->bytes + section->size, bytes, size);
	section->size += size;
}

static void put_word(struct section *section, uint32_t word)
{
	put(section, &word, sizeof(word));
}

/* A CIE, with addresses of 4 bytes and the return address in register 30, and a function. */
static void build(struct section *section, const void *common, size_t common_size,
		  const void *program, size_t size)
{
	/* Version, augmentation, factors of 1 and -8, return register; one byte of data. */
	static const uint8_t head[] = {1, 'z', 'R', 0, 1, 0x78, 30, 1, DW_EH_PE_udata4};

	section->size = 0;
	put_word(section, (uint32_t)(4 + sizeof(head) + common_size));
	put_word(section, 0);
	put(section, head, sizeof(head));
	put(section, common, common_size);
	put_word(section, (uint32_t)(4 + 8 + 1 + size));
	put_word(section, (uint32_t)section->size);
	put_word(section, START);
	put_word(section, SIZE);
	put(section, "", 1);
	put(section, program, size);
}

static bool find(const struct section *section, uint64_t address, struct cfi_row *row)
{
	struct cfi *cfi;
	bool found;
	/* So that what is read beyond the end is noticed. */
	uint8_t *bytes = malloc(section->size ? section->size : 1);

	assert_non_null(bytes);
	memcpy(bytes, section->bytes, section->size);
	assert_int_equal(0, cfi_new(bytes, section->size, 0, true, &cfi));
	found = cfi_find(cfi, address, row);
	cfi_free(cfi);
	free(bytes);
	return found;
}

static struct section section;

#define FIND(address, row, ...)                                                         \
	(build(&section, (const uint8_t[]){DW_CFA_def_cfa, 31, 0}, 3,                   \
	       (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})), \
	 find(&section, address, row))

static void test_rows(void **state)
{
	struct cfi_row row;

	(void)state;
	/* From START + 4 on, the frame has 32 bytes, with the link register at its bottom. */
	assert_true(FIND(START + 3, &row, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 32,
			 DW_CFA_offset | 30, 4));
	assert_int_equal(CFI_REGISTER, row.cfa.kind);
	assert_int_equal(31, row.cfa.number);
	assert_int_equal(0, row.cfa.offset);
	assert_int_equal(CFI_UNSPECIFIED, row.registers[30].kind);
	assert_true(FIND(START + 4, &row, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 32,
			 DW_CFA_offset | 30, 4));
	assert_int_equal(32, row.cfa.offset);
	assert_int_equal(CFI_AT_OFFSET, row.registers[30].kind);
	assert_int_equal(-32, row.registers[30].offset);
	assert_int_equal(30, row.return_register);
	assert_false(row.interrupted);
	/* And no longer after the second instruction of the epilogue. */
	assert_true(FIND(START + 8, &row, DW_CFA_remember_state, DW_CFA_offset | 30, 4,
			 DW_CFA_advance_loc | 8, DW_CFA_restore_state));
	assert_int_equal(CFI_UNSPECIFIED, row.registers[30].kind);
	assert_false(FIND(START - 1, &row, DW_CFA_nop));
	assert_true(FIND(START + SIZE - 1, &row, DW_CFA_nop));
	assert_false(FIND(START + SIZE, &row, DW_CFA_nop));
}

static void test_hostile(void **state)
{
	static uint8_t keeps[(64 << 10) + 1];
	struct cfi_row row;

	(void)state;
	/* Register 2^31 - 1, for which libdw asks for 32 GB, and one of 64 bits. */
	assert_true(FIND(START, &row, DW_CFA_offset_extended, 0xff, 0xff, 0xff, 0xff, 7, 1));
	assert_true(FIND(START, &row, DW_CFA_undefined, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			 0xff, 0xff, 1));
	assert_true(FIND(START, &row, DW_CFA_def_cfa_register, 0xff, 0xff, 0xff, 0xff, 7));
	/* Rows kept: a few, and as many as there is room for in a program. */
	memset(keeps, DW_CFA_remember_state, sizeof(keeps));
	build(&section, "\x0c\x1f", 3, keeps, 16);
	assert_true(find(&section, START, &row));
	build(&section, "\x0c\x1f", 3, keeps, 17);
	assert_false(find(&section, START, &row));
	build(&section, "\x0c\x1f", 3, keeps, sizeof(keeps));
	assert_false(find(&section, START, &row));
	/* A program that is too long, of nothing. */
	memset(keeps, DW_CFA_nop, sizeof(keeps));
	build(&section, "\x0c\x1f", 3, keeps, sizeof(keeps) - 1);
	assert_true(find(&section, START, &row));
	build(&section, "\x0c\x1f", 3, keeps, sizeof(keeps));
	assert_false(find(&section, START, &row));
	/* None kept; the CFA's offset without its register; an expression beyond the end. */
	assert_false(FIND(START, &row, DW_CFA_restore_state));
	assert_false(FIND(START, &row, DW_CFA_def_cfa_expression, 1, DW_OP_lit0,
			  DW_CFA_def_cfa_offset, 8));
	assert_false(FIND(START, &row, DW_CFA_expression, 1, 2, DW_OP_lit0));
	assert_false(FIND(START, &row, DW_CFA_expression, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			  0xff, 0xff, 0xff, 1));
	/* An offset that is the least number there is, of which there is no negative. */
	build(&section, "\x0c\x1f", 3,
	      (const uint8_t[]){DW_CFA_GNU_negative_offset_extended, 1, 0x80, 0x80, 0x80, 0x80,
				0x80, 0x80, 0x80, 0x80, 0x10},
	      11);
	assert_true(find(&section, START, &row));
	assert_int_equal(CFI_AT_OFFSET, row.registers[1].kind);
	assert_int_equal(INT64_MIN, row.registers[1].offset);
	/* A function without a CIE: it points between two entries. */
	build(&section, "\x0c\x1f", 3, "", 1);
	section.bytes[24] ^= 4;
	assert_false(find(&section, START, &row));
}

/* Each byte of a section changed, and each beginning of it: the sanitizers watch. */
static void test_damage(void **state)
{
	static const uint8_t program[] = {DW_CFA_advance_loc | 4,
					  DW_CFA_def_cfa_offset,
					  32,
					  DW_CFA_offset | 30,
					  4,
					  DW_CFA_val_expression,
					  3,
					  1,
					  DW_OP_lit1,
					  DW_CFA_remember_state,
					  DW_CFA_advance_loc1,
					  8,
					  DW_CFA_register,
					  1,
					  2,
					  DW_CFA_restore_state};
	struct cfi_row row;
	size_t size;

	(void)state;
	build(&section, "\x0c\x1f", 3, program, sizeof(program));
	assert_true(find(&section, START + 99, &row));
	size = section.size;
	for (size_t i = 0; i < size; i++) {
		for (unsigned value = 0; value < 256; value++) {
			uint8_t before = section.bytes[i];

			section.bytes[i] = (uint8_t)value;
			(void)find(&section, START + 99, &row);
			section.bytes[i] = before;
		}
	}
	for (section.size = 0; section.size < size; section.size++)
		assert_false(find(&section, START + 99, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beside_libdw),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
