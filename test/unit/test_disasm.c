/* SPDX-License-Identifier: Apache-2.0 */
/* disasm.c: the module is loaded, or its absence is explained. What LLVM prints is in
 * test/interop/disasm.py. */
#include "check.h"

#include <plumb/disasm.h>
#include <sys/resource.h>

#include "folder.h"

/* Expects that no disassembler can be made with the module in `from`. */
static void refused(const char *from, const char *says, const char *hint)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_disassembler *disassembler;
	const struct plumb_diagnostic *first;

	assert_int_equal(PLUMB_ERR_MACHINE,
			 plumb_disassembler_new(from, &disassembler, diagnostics));
	assert_null(disassembler);
	first = plumb_diagnostics_get(diagnostics, 0);
	assert_non_null(first);
	assert_non_null(strstr(first->message, says));
	assert_non_null(strstr(first->hint, hint));
	assert_null(plumb_diagnostics_get(diagnostics, 1));
	plumb_diagnostics_free(diagnostics);
}

static void says_what_is_missing(void **state)
{
	(void)state;
	refused("/nonexistent", "no disassembler is installed", "llvm-19-dev");
}

static void rejects_what_is_no_module(void **state)
{
	struct rlimit limit, before;
	char module[128];
	FILE *file;

	(void)state;
	snprintf(module, sizeof(module), "%s/plumb-llvm.so", folder);
	file = fopen(module, "w");
	assert_non_null(file);
	fputs("junk", file);
	fclose(file);
	refused(folder, "cannot load the disassembler", "libllvm19");
	/* It cannot even be opened, which no library to install changes. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	refused(folder, "Too many open files", "(ulimit -n)");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	unlink(module);
}

/* The words are from the Arm Architecture Reference Manual's encodings. */
static void disassembles(void **state)
{
	static const struct {
		uint64_t address;
		uint32_t word;
		const char *text;
	} cases[] = {
		{0, 0xd503201f, "nop"},
		{0x1000, 0x14000004, "b\t0x1010"},
		{0x1000, 0x54ffffe1, "b.ne\t0xffc"},
		{0x1004, 0xb0000000, "adrp\tx0, 0x2000"},
		{0x1000, 0x58000040, "ldr\tx0, 0x1008"},
		{0, 0x8b020020, "add\tx0, x1, x2"},
		{0, 0x04a00420, "sub\tz0.s, z1.s, z0.s"},
		{0, 0xd503477f, "smstart"},
	};
	const char *modules = getenv("PLUMB_DISASM_DIR");
	struct plumb_disassembler *disassembler;
	struct plumb_disassembly got;

	(void)state;
	if (!modules)
		skip_because("LLVM's disassembler was not built");
	assert_int_equal(0, plumb_disassembler_new(modules, &disassembler, NULL));
	assert_true(strtol(plumb_disassembler_version(disassembler), NULL, 10) >= 14);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(plumb_disassemble(disassembler, cases[i].address, cases[i].word, &got));
		assert_string_equal(cases[i].text, got.text);
		assert_string_equal("", got.remark);
	}
	/* LLVM 14 prints decimal numbers, later versions hexadecimal ones. */
	assert_true(plumb_disassemble(disassembler, 0, 0x91400400, &got));
	assert_int_equal(0, strncmp(got.text, "add\tx0, x0, #", 13));
	assert_non_null(strstr(got.text, "1, lsl #12"));
	assert_int_equal('=', got.remark[0]);
	assert_int_equal(4096, strtol(got.remark + 1, NULL, 0));
	assert_false(plumb_disassemble(disassembler, 0, 0xffffffff, &got));
	assert_string_equal(".word\t0xffffffff", got.text);
	plumb_disassembler_free(disassembler);
	plumb_disassembler_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(rejects_what_is_no_module),
		cmocka_unit_test(disassembles),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
