/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols: which name an address gets, from tables made here and from this program. */
#include "check.h"

#include <elf.h>
#include <linux/perf_event.h>

#include "symbol/files.h"

/* ---- Tables ------------------------------------------------------------------------------------
 */

static void put(struct symbol_table *table, uint64_t start, uint64_t size, unsigned binding,
		const char *name)
{
	struct plumb_symbol symbol = {
		.start = start, .end = start + size, .binding = (uint8_t)binding, .name = name};

	assert_int_equal(symbol_table_add(table, &symbol), 0);
}

static const char *at(struct symbol_table *table, uint64_t address)
{
	const struct plumb_symbol *symbol = symbol_table_find(table, address);

	return symbol ? symbol->name : "-";
}

static void test_sizes(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	put(&table, 0x300, 0, STB_LOCAL, "last");
	put(&table, 0x100, 0, STB_LOCAL, "no_size");
	put(&table, 0x200, 0x10, STB_LOCAL, "sixteen");
	assert_int_equal(symbol_table_finish(&table, false), 0);
	assert_string_equal(at(&table, 0xff), "-");
	assert_string_equal(at(&table, 0x100), "no_size");
	assert_string_equal(at(&table, 0x1ff), "no_size");
	assert_string_equal(at(&table, 0x20f), "sixteen");
	assert_string_equal(at(&table, 0x210), "-");
	/* The last symbol reaches the end of its page and the next page. */
	assert_string_equal(at(&table, 0x1fff), "last");
	assert_string_equal(at(&table, 0x2000), "-");
	symbol_table_free(&table);
}

static void test_nested(void **state)
{
	struct symbol_table table = {0};

	(void)state;
	put(&table, 0x100, 0x100, STB_GLOBAL, "outer");
	put(&table, 0x120, 0x10, STB_GLOBAL, "inner");
	assert_int_equal(symbol_table_finish(&table, false), 0);
	assert_string_equal(at(&table, 0x12f), "inner");
	assert_string_equal(at(&table, 0x130), "outer");
	assert_string_equal(at(&table, 0x200), "-");
	symbol_table_free(&table);
}

/* Two symbols at one address, in either order: the same one must win. */
static void check_better(const char *better, unsigned better_binding, uint64_t better_size,
			 const char *worse, unsigned worse_binding, uint64_t worse_size)
{
	for (int order = 0; order < 2; order++) {
		struct symbol_table table = {0};

		/* Another symbol follows; otherwise one without a size would be the last. */
		put(&table, 0x100, 0x100, STB_GLOBAL, "next");
		if (order == 0)
			put(&table, 0x10, better_size, better_binding, better);
		put(&table, 0x10, worse_size, worse_binding, worse);
		if (order == 1)
			put(&table, 0x10, better_size, better_binding, better);
		assert_int_equal(symbol_table_finish(&table, false), 0);
		assert_string_equal(at(&table, 0x10), better);
		symbol_table_free(&table);
	}
}

static void test_aliases(void **state)
{
	(void)state;
	check_better("strong", STB_LOCAL, 8, "weak_and_long", STB_WEAK, 8);
	check_better("global", STB_GLOBAL, 8, "local_and_long", STB_LOCAL, 8);
	check_better("open", STB_GLOBAL, 8, "__open", STB_GLOBAL, 8);
	check_better("longer", STB_GLOBAL, 8, "short", STB_GLOBAL, 8);
	/* Names are compared as they are printed: "ab" is shorter than "first". */
	check_better("first", STB_GLOBAL, 8, "_Z2abv", STB_GLOBAL, 8);
	check_better("sys_fork", STB_GLOBAL, 8, "SyS_fork", STB_GLOBAL, 8);
}

static void test_demangled(void **state)
{
	struct symbol_table table = {0}, raw = {.raw_names = true}, full = {.signatures = true};

	(void)state;
	put(&table, 0, 8, STB_GLOBAL, "_ZN3foo3barIiEEvT_");
	put(&raw, 0, 8, STB_GLOBAL, "_ZN3foo3barIiEEvT_");
	put(&full, 0, 8, STB_GLOBAL, "_ZN3foo3barIiEEvT_");
	put(&table, 8, 8, STB_GLOBAL, "_ZN4core3fmt5write17h01b7c5e1f2c4b2a3E");
	put(&table, 16, 8, STB_GLOBAL, "_Znot_mangled");
	assert_int_equal(symbol_table_finish(&table, false), 0);
	assert_int_equal(symbol_table_finish(&raw, false), 0);
	assert_int_equal(symbol_table_finish(&full, false), 0);
	assert_string_equal(at(&table, 0), "foo::bar<int>");
	assert_string_equal(at(&raw, 0), "_ZN3foo3barIiEEvT_");
	assert_string_equal(at(&full, 0), "void foo::bar<int>(int)");
	assert_string_equal(at(&table, 8), "core::fmt::write");
	assert_string_equal(at(&table, 16), "_Znot_mangled");
	symbol_table_free(&table);
	symbol_table_free(&raw);
	symbol_table_free(&full);
}

/* ---- The kernel's -----------------------------------------------------------------------------
 */

static void write_file(char *path, const char *text)
{
	int descriptor = mkstemp(path);

	assert_true(descriptor >= 0);
	assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
	close(descriptor);
}

static void test_kallsyms(void **state)
{
	char path[] = "/tmp/kallsyms-XXXXXX";
	struct symbol_table table = {0};

	(void)state;
	write_file(path, "0000000000000000 A fixed_percpu_data\n"
			 "ffffffff81000000 T _stext\n"
			 "ffffffff81000100 t do_one_initcall\n"
			 "no line of it\n"
			 "ffffffff81000200 d some_data\n"
			 "ffffffff81000180 T $x\n"
			 "ffffffffc0000000 t hdmi_init\t[snd_hda]\n"
			 "ffffffffc0000040 t hdmi_exit\t[snd_hda]\n"
			 "ffffffffc0000080 T cut_off");
	assert_int_equal(kernel_read_symbols(&table, path), 0);
	assert_string_equal(at(&table, 0), "-");
	assert_string_equal(at(&table, 0xffffffff810000ff), "_stext");
	assert_string_equal(at(&table, 0xffffffff810001ff), "do_one_initcall");
	/* The last symbol before a module ends with the page after its own. */
	assert_string_equal(at(&table, 0xffffffff81001fff), "some_data");
	assert_string_equal(at(&table, 0xffffffff81002000), "-");
	assert_string_equal(at(&table, 0xffffffffc000003f), "hdmi_init");
	assert_string_equal(at(&table, 0xffffffffc0000040), "hdmi_exit");
	symbol_table_free(&table);
	unlink(path);
}

static void test_hidden_kallsyms(void **state)
{
	char path[] = "/tmp/kallsyms-XXXXXX";
	struct symbol_table table = {0};

	(void)state;
	write_file(path, "0000000000000000 T _stext\n0000000000000000 T _text\n");
	assert_int_equal(kernel_read_symbols(&table, path), 0);
	assert_int_equal(table.count, 0);
	symbol_table_free(&table);
	unlink(path);
}

static void test_module_names(void **state)
{
	char name[32];

	(void)state;
	kernel_module_name("/lib/modules/6.1.0/kernel/sound/snd-hda-intel.ko.xz", name,
			   sizeof(name));
	assert_string_equal(name, "[snd_hda_intel]");
	kernel_module_name("[bpf_prog_12]", name, sizeof(name));
	assert_string_equal(name, "[bpf_prog_12]");
}

/* ---- A symbolizer -----------------------------------------------------------------------------
 */

static void add_comm(struct plumb_symbolizer *symbolizer, int pid, int tid, const char *comm)
{
	struct plumb_record record = {.type = PLUMB_RECORD_COMM,
				      .comm = {.pid = pid, .tid = tid, .comm = comm}};

	assert_int_equal(plumb_symbolizer_add(symbolizer, &record), 0);
}

static void add_map(struct plumb_symbolizer *symbolizer, int pid, uint64_t start, uint64_t end,
		    uint64_t offset, const char *path)
{
	struct plumb_record record = {.type = PLUMB_RECORD_MMAP2,
				      .misc = PERF_RECORD_MISC_USER,
				      .mmap = {.pid = pid,
					       .tid = pid,
					       .address = start,
					       .length = end - start,
					       .page_offset = offset,
					       .protection = 4,
					       .path = path}};

	assert_int_equal(plumb_symbolizer_add(symbolizer, &record), 0);
}

static void add_fork(struct plumb_symbolizer *symbolizer, int pid, int tid, int parent_pid,
		     int parent_tid)
{
	struct plumb_record record = {.type = PLUMB_RECORD_FORK,
				      .task = {.pid = pid,
					       .tid = tid,
					       .parent_pid = parent_pid,
					       .parent_tid = parent_tid}};

	assert_int_equal(plumb_symbolizer_add(symbolizer, &record), 0);
}

static const char *comm(struct plumb_symbolizer *symbolizer, int pid, int tid)
{
	return plumb_symbolizer_task(symbolizer, pid, tid)->comm;
}

static const char *file_at(struct plumb_symbolizer *symbolizer, int pid, int tid, uint64_t ip)
{
	struct plumb_location location;

	if (!plumb_symbolizer_locate(symbolizer, plumb_symbolizer_task(symbolizer, pid, tid),
				     PLUMB_MODE_USER, ip, &location))
		return "-";
	return plumb_symbol_file_name(location.file);
}

static struct plumb_symbolizer *new_symbolizer(const struct plumb_symbol_paths *paths)
{
	struct plumb_symbolizer *symbolizer;

	assert_int_equal(plumb_symbolizer_new(paths, &symbolizer), 0);
	return symbolizer;
}

/* A caller compiled with other headers. */
static void test_size_of_paths(void **state)
{
	struct {
		struct plumb_symbol_paths known;
		const char *newer;
	} paths = {.known = {.size = sizeof(paths), .root = "/nowhere"}};
	struct plumb_symbolizer *symbolizer;

	(void)state;
	assert_int_equal(plumb_symbolizer_new(&paths.known, &symbolizer), 0);
	plumb_symbolizer_free(symbolizer);
	paths.newer = "what this version does not know";
	assert_int_equal(plumb_symbolizer_new(&paths.known, &symbolizer), PLUMB_ERR_ARGUMENT);
	assert_null(symbolizer);
	paths.known.size = 0;
	assert_int_equal(plumb_symbolizer_new(&paths.known, &symbolizer), PLUMB_ERR_ARGUMENT);
	assert_null(symbolizer);
}

static void test_tasks(void **state)
{
	struct plumb_symbolizer *symbolizer = new_symbolizer(NULL);

	(void)state;
	assert_string_equal(comm(symbolizer, 0, 0), "swapper");
	assert_string_equal(comm(symbolizer, 7, 7), ":7");
	add_comm(symbolizer, 7, 7, "seven");
	add_map(symbolizer, 7, 0x1000, 0x2000, 0, "/seven");
	add_fork(symbolizer, 7, 8, 7, 7); /* a thread of it */
	add_fork(symbolizer, 9, 9, 7, 7); /* a process of its own */
	assert_string_equal(comm(symbolizer, 7, 8), "seven");
	assert_string_equal(comm(symbolizer, 9, 9), "seven");
	add_comm(symbolizer, 9, 9, "nine");
	add_map(symbolizer, 9, 0x1000, 0x1800, 0, "/nine");
	add_map(symbolizer, 7, 0x3000, 0x4000, 0, "/late");
	assert_string_equal(comm(symbolizer, 7, 7), "seven");
	assert_string_equal(file_at(symbolizer, 7, 8, 0x1400), "/seven");
	assert_string_equal(file_at(symbolizer, 7, 8, 0x3000), "/late");
	assert_string_equal(file_at(symbolizer, 9, 9, 0x1400), "/nine");
	assert_string_equal(file_at(symbolizer, 9, 9, 0x1800), "/seven");
	assert_string_equal(file_at(symbolizer, 9, 9, 0x3000), "-");
	/* A thread without a record belongs to the process that its sample names. */
	assert_string_equal(file_at(symbolizer, 9, 77, 0x1400), "/nine");
	/* A number that is used again. */
	add_fork(symbolizer, 9, 9, 1, 1);
	assert_string_equal(file_at(symbolizer, 9, 9, 0x1400), "-");
	plumb_symbolizer_free(symbolizer);
}

static int __attribute__((noinline)) somewhere_in_here(int x)
{
	return x * 3 + 1;
}

/* This program's own mappings, as a recording would list them. */
static void add_own_maps(struct plumb_symbolizer *symbolizer)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		char *at, *path;
		uint64_t start = strtoull(line, &at, 16), end = strtoull(at + 1, &at, 16), offset;

		if (strncmp(at, " r-xp ", 6) != 0)
			continue;
		offset = strtoull(at + 6, &at, 16);
		path = strchr(at, '/');
		if (!path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		add_map(symbolizer, 1, start, end, offset, path);
	}
	fclose(maps);
}

static void test_this_program(void **state)
{
	static const struct plumb_symbol_paths paths = {.size = sizeof(paths),
							.debug_dir = "/usr/lib/debug"};
	struct plumb_symbolizer *symbolizer = new_symbolizer(&paths);
	uint64_t address = (uint64_t)(uintptr_t)somewhere_in_here + 1;
	struct plumb_location location;

	(void)state;
	assert_int_equal(somewhere_in_here(1), 4);
	add_own_maps(symbolizer);
	assert_true(plumb_symbolizer_locate(symbolizer, plumb_symbolizer_task(symbolizer, 1, 1),
					    PLUMB_MODE_USER, address, &location));
	assert_non_null(location.symbol);
	assert_string_equal(plumb_symbol_name(location.symbol), "somewhere_in_here");
	assert_int_equal(location.address - plumb_symbol_start(location.symbol), 1);
	assert_true(location.address < plumb_symbol_end(location.symbol));
	assert_non_null(plumb_symbol_file_path(symbolizer, location.file));
	/* Neither in kernel mode nor in another process. */
	assert_false(plumb_symbolizer_locate(symbolizer, plumb_symbolizer_task(symbolizer, 1, 1),
					     PLUMB_MODE_KERNEL, address, &location));
	assert_false(plumb_symbolizer_locate(symbolizer, plumb_symbolizer_task(symbolizer, 2, 2),
					     PLUMB_MODE_USER, address, &location));
	assert_null(location.file);
	plumb_symbolizer_free(symbolizer);
}

/* The same with a wrong build-id: the file must not be used. */
static void test_other_build_id(void **state)
{
	struct plumb_symbolizer *symbolizer = new_symbolizer(NULL);
	uint8_t id[20] = {1, 2, 3};
	struct plumb_record record = {.type = PLUMB_RECORD_MMAP2,
				      .misc = PERF_RECORD_MISC_USER,
				      .mmap = {.pid = 1,
					       .tid = 1,
					       .address = 0,
					       .length = UINT64_MAX,
					       .protection = 4,
					       .build_id = id,
					       .build_id_size = sizeof(id),
					       .path = "/proc/self/exe"}};
	struct plumb_location location;

	(void)state;
	assert_int_equal(plumb_symbolizer_add(symbolizer, &record), 0);
	for (uint64_t ip = 0; ip < 0x20000; ip += 0x100) {
		assert_true(plumb_symbolizer_locate(symbolizer,
						    plumb_symbolizer_task(symbolizer, 1, 1),
						    PLUMB_MODE_USER, ip, &location));
		assert_null(location.symbol);
	}
	plumb_symbolizer_free(symbolizer);
}

/* Returns the symbol of code that process 1001 made. */
static const char *made_at(struct plumb_symbolizer *symbolizer, int pid, uint64_t ip)
{
	struct plumb_location location;

	if (!plumb_symbolizer_locate(symbolizer, plumb_symbolizer_task(symbolizer, pid, pid),
				     PLUMB_MODE_USER, ip, &location) ||
	    !location.symbol)
		return "-";
	return plumb_symbol_name(location.symbol);
}

/* The model numbers processes by itself; their own numbers are in the names of their maps. */
static void test_perf_map_of_another_number(void **state)
{
	char folder[] = "/tmp/plumb-test-XXXXXX", map_path[96];
	struct plumb_symbol_paths paths = {.size = sizeof(paths)};
	struct plumb_symbolizer *symbolizer;
	FILE *map;

	(void)state;
	assert_non_null(mkdtemp(folder));
	paths.perf_maps_dir = folder;
	symbolizer = new_symbolizer(&paths);
	snprintf(map_path, sizeof(map_path), "%s/perf-77.map", folder);
	map = fopen(map_path, "w");
	assert_non_null(map);
	fputs("5010 20 made\n", map);
	fclose(map);
	add_map(symbolizer, 1001, 0x5000, 0x6000, 0x5000, "/tmp/perf-77.map");
	/* More memory does not change it, nor does another process. */
	add_map(symbolizer, 1001, 0x8000, 0x9000, 0, "//anon");
	add_map(symbolizer, 1002, 0x5000, 0x6000, 0x5000, "/tmp/perf-78.map");
	/* These are names of other files. */
	add_map(symbolizer, 1003, 0x5000, 0x6000, 0, "/tmp/perf-77.mapped");
	add_map(symbolizer, 1004, 0x5000, 0x6000, 0, "/tmp/perf-99999999999.map");
	assert_string_equal(made_at(symbolizer, 1001, 0x502f), "made");
	assert_string_equal(made_at(symbolizer, 1001, 0x5030), "-");
	assert_string_equal(made_at(symbolizer, 1002, 0x5010), "-");
	assert_string_equal(made_at(symbolizer, 1003, 0x5010), "-");
	assert_string_equal(file_at(symbolizer, 1001, 1001, 0x8000), "/tmp/perf-1001.map");
	assert_string_equal(file_at(symbolizer, 1003, 1003, 0x5010), "/tmp/perf-77.mapped");
	assert_string_equal(file_at(symbolizer, 1004, 1004, 0x5010), "/tmp/perf-99999999999.map");
	plumb_symbolizer_free(symbolizer);
	assert_int_equal(remove(map_path), 0);
	assert_int_equal(remove(folder), 0);
}

static void add_exec(struct plumb_symbolizer *symbolizer, int pid)
{
	struct plumb_record record = {.type = PLUMB_RECORD_COMM,
				      .misc = PLUMB_MISC_COMM_EXEC,
				      .comm = {.pid = pid, .tid = pid, .comm = "other"}};

	assert_int_equal(plumb_symbolizer_add(symbolizer, &record), 0);
}

/* Writes a jitdump with one function, of 16 bytes at 0x5010. */
static void write_jitdump(const char *path)
{
	static const struct {
		uint32_t magic, version, size, machine, padding, pid;
		uint64_t time, flags;
		uint32_t type, record_size;
		uint64_t record_time;
		uint32_t of_pid, tid;
		uint64_t vma, address, code_size, number;
		char name[8], code[16];
	} dump = {.magic = 0x4a695444,
		  .version = 1,
		  .size = 40,
		  .machine = 183,
		  .record_size = 16 + 40 + 8 + 16,
		  .vma = 0x5010,
		  .address = 0x5010,
		  .code_size = 16,
		  .name = "made_it"};
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(&dump, sizeof(dump), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

/* Code of a program that a process executed before is not that of the present one. */
static void test_jitdump_before_exec(void **state)
{
	char folder[] = "/tmp/plumb-test-XXXXXX", path[96];
	const struct plumb_symbol_paths paths = {.size = sizeof(paths), .perf_maps_dir = folder};
	struct plumb_symbolizer *symbolizer = new_symbolizer(&paths);

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/jit-7.dump", folder);
	write_jitdump(path);
	add_map(symbolizer, 7, 0x5000, 0x6000, 0, "//anon");
	add_map(symbolizer, 7, 0x9000, 0xa000, 0, path);
	add_map(symbolizer, 8, 0x5000, 0x6000, 0, "//anon");
	add_map(symbolizer, 8, 0x9000, 0xa000, 0, path);
	assert_string_equal(made_at(symbolizer, 7, 0x501f), "made_it");
	/* A new name alone changes nothing. */
	add_comm(symbolizer, 7, 7, "renamed");
	assert_string_equal(made_at(symbolizer, 7, 0x501f), "made_it");
	add_exec(symbolizer, 7);
	add_map(symbolizer, 7, 0x5000, 0x6000, 0, "//anon");
	assert_string_equal(made_at(symbolizer, 7, 0x501f), "-");
	assert_string_equal(file_at(symbolizer, 7, 7, 0x501f), "/tmp/perf-7.map");
	assert_string_equal(made_at(symbolizer, 8, 0x501f), "made_it");
	/* The new program maps one, too. */
	add_map(symbolizer, 7, 0x9000, 0xa000, 0, path);
	assert_string_equal(made_at(symbolizer, 7, 0x501f), "made_it");
	plumb_symbolizer_free(symbolizer);
	assert_int_equal(remove(path), 0);
	assert_int_equal(remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_demangled),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_hidden_kallsyms),
		cmocka_unit_test(test_module_names),
		cmocka_unit_test(test_size_of_paths),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_this_program),
		cmocka_unit_test(test_other_build_id),
		cmocka_unit_test(test_perf_map_of_another_number),
		cmocka_unit_test(test_jitdump_before_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
