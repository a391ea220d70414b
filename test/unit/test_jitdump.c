/* SPDX-License-Identifier: Apache-2.0 */
/* Perf maps and jitdumps: which name and line generated code gets. */
#include "check.h"

#include "symbol/files.h"
#include "symbol/jitdump.h"

/* A dump that is being written, in either byte order. */
struct dump {
	uint8_t bytes[4096];
	size_t size;
	bool swapped;
};

static void put(struct dump *dump, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		dump->bytes[dump->size++] =
			(uint8_t)(value >> 8 * (dump->swapped ? size - 1 - i : i));
}

static void put_text(struct dump *dump, const char *text)
{
	memcpy(dump->bytes + dump->size, text, strlen(text) + 1);
	dump->size += strlen(text) + 1;
}

static void begin(struct dump *dump)
{
	put(dump, 0x4a695444, 4);
	put(dump, 1, 4);
	put(dump, 40, 4);
	for (unsigned i = 0; i < 7; i++) /* machine, padding, process, time, flags */
		put(dump, 0, 4);
}

/* Writes a record's header; end_record() fills in its size. */
static size_t begin_record(struct dump *dump, unsigned type)
{
	size_t at = dump->size;

	put(dump, type, 4);
	put(dump, 0, 4);
	put(dump, 77, 8);
	return at;
}

static void end_record(struct dump *dump, size_t at)
{
	size_t end = dump->size;

	dump->size = at + 4;
	put(dump, end - at, 4);
	dump->size = end;
}

static void load(struct dump *dump, uint64_t address, uint64_t size, uint64_t number,
		 const char *name)
{
	size_t at = begin_record(dump, 0);

	put(dump, 7, 4);
	put(dump, 7, 4);
	put(dump, address, 8);
	put(dump, address, 8);
	put(dump, size, 8);
	put(dump, number, 8);
	put_text(dump, name);
	for (uint64_t i = 0; i < size && i < 16; i++)
		put(dump, 0x90, 1);
	end_record(dump, at);
}

static void move(struct dump *dump, uint64_t from, uint64_t to, uint64_t size, uint64_t number)
{
	size_t at = begin_record(dump, 1);

	put(dump, 7, 4);
	put(dump, 7, 4);
	put(dump, to, 8);
	put(dump, from, 8);
	put(dump, to, 8);
	put(dump, size, 8);
	put(dump, number, 8);
	end_record(dump, at);
}

static void lines(struct dump *dump, uint64_t address)
{
	static const struct {
		unsigned offset, line;
		const char *file;
	} all[] = {{8, 12, "a.js"}, {0, 11, "a.js"}, {4, 3, "\xff"}, {12, 5, "b.js"}};
	size_t at = begin_record(dump, 2);

	put(dump, address, 8);
	put(dump, sizeof(all) / sizeof(*all), 8);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		put(dump, address + all[i].offset, 8);
		put(dump, all[i].line, 4);
		put(dump, 0, 4);
		put_text(dump, all[i].file);
	}
	end_record(dump, at);
}

static int read_dump(struct dump *dump, size_t size, struct jitdump **read)
{
	FILE *in = fmemopen(dump->bytes, size, "r");
	int status;

	assert_non_null(in);
	status = jitdump_read(in, read);
	fclose(in);
	return status;
}

static const char *at(struct symbol_table *table, uint64_t address)
{
	const struct plumb_symbol *symbol = symbol_table_find(table, address);

	return symbol ? symbol->name : "-";
}

static struct symbol_table names_of(const struct jitdump *dump)
{
	struct symbol_table table = {0};

	assert_int_equal(jitdump_symbols(dump, &table), 0);
	assert_int_equal(symbol_table_finish(&table, false), 0);
	return table;
}

static void check_line(const struct jitdump *dump, uint64_t address, const char *file,
		       unsigned line)
{
	struct plumb_source_frame frame;

	assert_true(jitdump_source(dump, address, &frame));
	assert_string_equal(frame.function, "one");
	assert_string_equal(frame.file, file);
	assert_int_equal(frame.line, line);
}

static void test_names_and_lines(void **state)
{
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct dump dump = {.swapped = swapped};
		struct plumb_source_frame frame;
		struct symbol_table table;
		struct jitdump *read;

		begin(&dump);
		lines(&dump, 0x1000);
		load(&dump, 0x1000, 16, 1, "one");
		load(&dump, 0x2000, 16, 2, "two");
		move(&dump, 0x1000, 0x3000, 16, 1);
		assert_int_equal(read_dump(&dump, dump.size, &read), 0);
		table = names_of(read);
		assert_string_equal(at(&table, 0xfff), "-");
		assert_string_equal(at(&table, 0x1000), "one");
		assert_string_equal(at(&table, 0x100f), "one");
		assert_string_equal(at(&table, 0x1010), "-");
		assert_string_equal(at(&table, 0x2008), "two");
		assert_string_equal(at(&table, 0x300f), "one");
		check_line(read, 0x1003, "a.js", 11);
		check_line(read, 0x1004, "a.js", 3);
		check_line(read, 0x100b, "a.js", 12);
		check_line(read, 0x100f, "b.js", 5);
		check_line(read, 0x3004, "a.js", 3);
		assert_false(jitdump_source(read, 0x2000, &frame));
		assert_false(jitdump_source(read, 0x1010, &frame));
		symbol_table_free(&table);
		jitdump_free(read);
	}
}

/* Memory that is used again belongs to what was loaded last, and the rest to what was there. */
static void test_replaced(void **state)
{
	struct dump dump = {0};
	struct symbol_table table;
	struct jitdump *read;

	(void)state;
	begin(&dump);
	load(&dump, 0x1000, 0x100, 1, "old");
	load(&dump, 0x1040, 0x40, 2, "middle");
	load(&dump, 0x10f0, 0x20, 3, "across");
	load(&dump, 0x1050, 0x10, 4, "newest");
	load(&dump, 0x5000, 0x10, 5, "gone");
	load(&dump, 0x5000, 0x10, 6, "there");
	assert_int_equal(read_dump(&dump, dump.size, &read), 0);
	table = names_of(read);
	assert_string_equal(at(&table, 0x1000), "old");
	assert_string_equal(at(&table, 0x103f), "old");
	assert_string_equal(at(&table, 0x1040), "middle");
	assert_string_equal(at(&table, 0x1050), "newest");
	assert_string_equal(at(&table, 0x105f), "newest");
	assert_string_equal(at(&table, 0x1060), "middle");
	assert_string_equal(at(&table, 0x1080), "old");
	assert_string_equal(at(&table, 0x10ef), "old");
	assert_string_equal(at(&table, 0x10f0), "across");
	assert_string_equal(at(&table, 0x110f), "across");
	assert_string_equal(at(&table, 0x1110), "-");
	assert_string_equal(at(&table, 0x5000), "there");
	symbol_table_free(&table);
	jitdump_free(read);
}

/* Complete records count, wherever the file is cut off; other files are invalid. */
static void test_damage(void **state)
{
	struct dump dump = {0};
	struct jitdump *read;
	size_t whole;

	(void)state;
	begin(&dump);
	load(&dump, 0x1000, 16, 1, "one");
	whole = dump.size;
	lines(&dump, 0x2000);
	load(&dump, 0x2000, UINT64_MAX, 2, "endless"); /* its end is before its start */
	load(&dump, 0x3000, 16, 3, "three");
	for (size_t size = 1; size <= dump.size; size++) {
		struct symbol_table table;
		int status = read_dump(&dump, size, &read);

		assert_int_equal(status, size < 40 ? PLUMB_ERR_SYNTAX : 0);
		if (status < 0)
			continue;
		table = names_of(read);
		if (size >= whole)
			assert_string_equal(at(&table, 0x1008), "one");
		assert_string_equal(at(&table, 0x2000), "-");
		if (size == dump.size)
			assert_string_equal(at(&table, 0x3000), "three");
		symbol_table_free(&table);
		jitdump_free(read);
	}
	dump.bytes[0] ^= 1;
	assert_int_equal(read_dump(&dump, dump.size, &read), PLUMB_ERR_SYNTAX);
}

static void test_file_names(void **state)
{
	(void)state;
	assert_true(jitdump_is_named("/home/x/.debug/jit/a/jit-1234.dump"));
	assert_true(jitdump_is_named("jit-1.dump"));
	assert_false(jitdump_is_named("/tmp/jit-.dump"));
	assert_false(jitdump_is_named("/tmp/jit-1.dumped"));
	assert_false(jitdump_is_named("/tmp/jit-1x.dump"));
	assert_false(jitdump_is_named("/tmp/jit-1.dump/x"));
}

static void test_perf_map(void **state)
{
	static char text[] = "1000 10 one\n"
			     "0x2000 0x10 two with spaces\n"
			     "no line of it\n"
			     "3000 10\n"
			     "fffffffffffffff0 20 last\n"
			     "4000 10 being writt";
	struct symbol_table table = {0};
	FILE *in = fmemopen(text, sizeof(text) - 1, "r");

	(void)state;
	assert_non_null(in);
	assert_int_equal(perf_map_read(&table, in), 0);
	fclose(in);
	assert_int_equal(symbol_table_finish(&table, false), 0);
	assert_string_equal(at(&table, 0x100f), "one");
	assert_string_equal(at(&table, 0x1010), "-");
	assert_string_equal(at(&table, 0x2000), "two with spaces");
	assert_string_equal(at(&table, 0x3000), "-");
	assert_string_equal(at(&table, 0x4000), "-");
	assert_string_equal(at(&table, UINT64_MAX - 1), "last");
	symbol_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_lines), cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_damage),          cmocka_unit_test(test_file_names),
		cmocka_unit_test(test_perf_map),
	};

	return cmocka_run_group_tests_name("generated code", tests, NULL, NULL);
}
