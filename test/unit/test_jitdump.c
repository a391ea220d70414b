/* SPDX-License-Identifier: Apache-2.0 */
/* Perf maps and jitdumps: which name and line generated code gets, and when. */
#include "check.h"

#include "symbol/files.h"
#include "symbol/jit_places.h"
#include "symbol/jitdump.h"

/* A dump that is being written, in either byte order. */
struct dump {
	uint8_t bytes[4096];
	size_t size;
	bool swapped;
	uint64_t time; /* of the next records */
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

static void begin(struct dump *dump, uint64_t flags)
{
	put(dump, 0x4a695444, 4);
	put(dump, 1, 4);
	put(dump, 40, 4);
	put(dump, 183, 4);               /* AArch64 */
	for (unsigned i = 0; i < 4; i++) /* padding, process, time */
		put(dump, 0, 4);
	put(dump, flags, 8);
}

/* Writes a record's header; end_record() fills in its size. */
static size_t begin_record(struct dump *dump, unsigned type)
{
	size_t at = dump->size;

	put(dump, type, 4);
	put(dump, 0, 4);
	put(dump, dump->time, 8);
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
	for (uint64_t i = 0; i < size && i < 0x100; i++)
		put(dump, i, 1);
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

static const struct jitdump_clock monotonic = {.monotonic = true}, unknown;

static int read_dump(struct dump *dump, size_t size, const struct jitdump_clock *clock,
		     struct jitdump **read)
{
	FILE *in = fmemopen(dump->bytes, size, "r");
	int status;

	assert_non_null(in);
	status = jitdump_read(in, clock, read);
	fclose(in);
	return status;
}

/* Returns the name of the code at an address. */
static const char *at(const struct jitdump *dump, uint64_t address)
{
	static char name[32];
	struct symbol_table table = {0};
	const struct plumb_symbol *symbol = NULL;
	struct jitdump_place place;

	assert_int_equal(jitdump_symbols(dump, &table), 0);
	assert_int_equal(symbol_table_finish(&table, false), 0);
	if (jitdump_locate(dump, address, &place)) {
		assert_true(place.from <= address && address < place.to);
		symbol = symbol_table_find(&table, place.place);
	}
	snprintf(name, sizeof(name), "%s", symbol ? symbol->name : "-");
	symbol_table_free(&table);
	return name;
}

static void check_line(const struct jitdump *dump, uint64_t address, const char *file,
		       unsigned line)
{
	struct plumb_source_frame frame;
	struct jitdump_place place;

	assert_true(jitdump_locate(dump, address, &place));
	assert_true(jitdump_source(dump, place.place, &frame));
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
		struct jitdump_place place;
		struct jitdump *read;
		uint64_t address, left;

		begin(&dump, 0);
		lines(&dump, 0x1000);
		load(&dump, 0x1000, 16, 1, "one");
		load(&dump, 0x2000, 16, 2, "two");
		move(&dump, 0x1000, 0x3000, 16, 1);
		move(&dump, 0x7000, 0x8000, 16, 7); /* of which nothing is known */
		assert_int_equal(read_dump(&dump, dump.size, &monotonic, &read), 0);
		assert_string_equal(at(read, 0xfff), "-");
		assert_string_equal(at(read, 0x1000), "one");
		assert_string_equal(at(read, 0x100f), "one");
		assert_string_equal(at(read, 0x1010), "-");
		assert_string_equal(at(read, 0x2008), "two");
		assert_string_equal(at(read, 0x300f), "one");
		assert_string_equal(at(read, 0x8000), "-");
		check_line(read, 0x1003, "a.js", 11);
		check_line(read, 0x1004, "a.js", 3);
		check_line(read, 0x100b, "a.js", 12);
		check_line(read, 0x100f, "b.js", 5);
		check_line(read, 0x3004, "a.js", 3);
		assert_true(jitdump_locate(read, 0x3004, &place));
		assert_int_equal(dump.bytes[place.place], 4);
		assert_true(jitdump_address(read, place.place, &address, &left));
		assert_int_equal(address, 0x1004);
		assert_int_equal(left, 12);
		assert_true(jitdump_locate(read, 0x2000, &place));
		assert_int_equal(dump.bytes[place.place], 0);
		assert_false(jitdump_source(read, place.place, &frame));
		assert_false(jitdump_address(read, 0, &address, &left));
		assert_true(jitdump_is_a64(read));
		assert_int_equal(jitdump_next_change(read), UINT64_MAX);
		assert_false(jitdump_lacks_times(read));
		jitdump_free(read);
	}
}

/* Memory that is used again belongs to what was loaded last, and the rest to what was there. */
static void test_replaced(void **state)
{
	struct dump dump = {.time = 77};
	struct jitdump *read;

	(void)state;
	begin(&dump, 0);
	load(&dump, 0x1000, 0x100, 1, "old");
	load(&dump, 0x1040, 0x40, 2, "middle");
	load(&dump, 0x10f0, 0x20, 3, "across");
	load(&dump, 0x1050, 0x10, 4, "newest");
	load(&dump, 0x5000, 0x10, 5, "gone");
	load(&dump, 0x5000, 0x10, 6, "there");
	assert_int_equal(read_dump(&dump, dump.size, &unknown, &read), 0);
	assert_true(jitdump_lacks_times(read));
	assert_string_equal(at(read, 0x1000), "old");
	assert_string_equal(at(read, 0x103f), "old");
	assert_string_equal(at(read, 0x1040), "middle");
	assert_string_equal(at(read, 0x1050), "newest");
	assert_string_equal(at(read, 0x105f), "newest");
	assert_string_equal(at(read, 0x1060), "middle");
	assert_string_equal(at(read, 0x1080), "old");
	assert_string_equal(at(read, 0x10ef), "old");
	assert_string_equal(at(read, 0x10f0), "across");
	assert_string_equal(at(read, 0x110f), "across");
	assert_string_equal(at(read, 0x1110), "-");
	assert_string_equal(at(read, 0x5000), "there");
	jitdump_free(read);
}

/* Writes what happens at 0x1000 and 0x2000; the records need not come in the order of time. */
static void write_changes(struct dump *dump)
{
	dump->time = 100;
	load(dump, 0x1000, 16, 1, "one");
	dump->time = 300;
	load(dump, 0x1008, 16, 3, "three");
	dump->time = 200;
	load(dump, 0x2000, 16, 2, "two");
	dump->time = 400;
	move(dump, 0x1000, 0x2008, 8, 1);
}

static void check_changes(struct jitdump *dump, uint64_t unit)
{
	assert_false(jitdump_lacks_times(dump));
	for (unsigned round = 0; round < 2; round++) {
		/* What is the first at its addresses has always been there. */
		assert_string_equal(at(dump, 0x1008), "one");
		assert_string_equal(at(dump, 0x1010), "three");
		assert_string_equal(at(dump, 0x2008), "two");
		assert_int_equal(jitdump_next_change(dump), 300 * unit);
		jitdump_advance(dump, 300 * unit - 1);
		assert_string_equal(at(dump, 0x100f), "one");
		jitdump_advance(dump, 300 * unit);
		assert_string_equal(at(dump, 0x1007), "one");
		assert_string_equal(at(dump, 0x1008), "three");
		assert_string_equal(at(dump, 0x2008), "two");
		assert_int_equal(jitdump_next_change(dump), 400 * unit);
		jitdump_advance(dump, UINT64_MAX - 1);
		assert_string_equal(at(dump, 0x1008), "three");
		assert_string_equal(at(dump, 0x2007), "two");
		assert_string_equal(at(dump, 0x2008), "one");
		assert_string_equal(at(dump, 0x2010), "-");
		assert_int_equal(jitdump_next_change(dump), UINT64_MAX);
		/* It is later than the time to return to, which has been, too. */
		jitdump_return(dump, UINT64_MAX);
		assert_string_equal(at(dump, 0x2008), "one");
		jitdump_return(dump, 300 * unit);
		assert_string_equal(at(dump, 0x1008), "three");
		assert_string_equal(at(dump, 0x2008), "two");
		jitdump_return(dump, 0);
	}
}

static void test_times(void **state)
{
	const struct plumb_time_conv conversion = {.shift = 1, .mult = 4};
	const struct jitdump_clock converted = {.conversion = &conversion};
	struct dump dump = {0}, ticks = {0};
	struct jitdump *read;

	(void)state;
	begin(&dump, 0);
	write_changes(&dump);
	assert_int_equal(read_dump(&dump, dump.size, &monotonic, &read), 0);
	check_changes(read, 1);
	jitdump_free(read);
	/* perf's clock is another one. */
	assert_int_equal(read_dump(&dump, dump.size, &converted, &read), 0);
	assert_true(jitdump_lacks_times(read));
	jitdump_free(read);
	/* Two nanoseconds are a tick: the multiplier is 4, the shift 1. */
	begin(&ticks, 1);
	write_changes(&ticks);
	assert_int_equal(read_dump(&ticks, ticks.size, &converted, &read), 0);
	check_changes(read, 2);
	jitdump_free(read);
	assert_int_equal(read_dump(&ticks, ticks.size, &monotonic, &read), 0);
	assert_true(jitdump_lacks_times(read));
	jitdump_free(read);
}

/* Random code at random times, against an array with the code of each address. */
static void test_random_changes(void **state)
{
	enum { CODES = 60, ADDRESSES = 200 };
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		struct jit_code codes[CODES];
		size_t here[ADDRESSES];
		struct jit_places *places;
		struct jit_place place;

		for (size_t i = 0; i < CODES; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			codes[i].start = (seed >> 33) % (ADDRESSES - 1);
			codes[i].end = codes[i].start + 1 +
				       (seed >> 48) % (ADDRESSES - 1 - codes[i].start);
			codes[i].time = i + 1;
		}
		assert_int_equal(jit_places_new(codes, CODES, &places), 0);
		for (size_t address = 0; address < ADDRESSES; address++) {
			here[address] = SIZE_MAX;
			for (size_t i = CODES; i-- > 0;)
				if (address >= codes[i].start && address < codes[i].end)
					here[address] = i;
		}
		for (size_t now = 0; now < CODES; now++) {
			jit_places_advance(places, codes[now].time);
			for (uint64_t a = codes[now].start; a < codes[now].end; a++)
				here[a] = now;
			for (uint64_t a = 0; a < ADDRESSES; a++) {
				const bool found = jit_places_find(places, a, &place);

				assert_int_equal(found, here[a] != SIZE_MAX);
				if (found)
					assert_int_equal(place.code, here[a]);
				for (uint64_t b = place.from; found && b < place.to; b++)
					assert_int_equal(here[b], here[a]);
			}
		}
		jit_places_free(places);
	}
}

/* Complete records count, wherever the file is cut off; other files are invalid. */
static void test_damage(void **state)
{
	struct dump dump = {0};
	struct jitdump *read;
	size_t whole;

	(void)state;
	begin(&dump, 0);
	load(&dump, 0x1000, 16, 1, "one");
	whole = dump.size;
	lines(&dump, 0x2000);
	load(&dump, 0x2000, UINT64_MAX, 2, "endless"); /* the record has less code */
	move(&dump, 0x1000, UINT64_MAX - 7, 16, 1);    /* its end is before its start */
	load(&dump, 0x3000, 16, 3, "three");
	for (size_t size = 1; size <= dump.size; size++) {
		int status = read_dump(&dump, size, &monotonic, &read);

		assert_int_equal(status, size < 40 ? PLUMB_ERR_SYNTAX : 0);
		if (status < 0)
			continue;
		if (size >= whole)
			assert_string_equal(at(read, 0x1008), "one");
		assert_string_equal(at(read, 0x2000), "-");
		assert_string_equal(at(read, UINT64_MAX - 1), "-");
		if (size == dump.size)
			assert_string_equal(at(read, 0x3000), "three");
		jitdump_free(read);
	}
	dump.bytes[0] ^= 1;
	assert_int_equal(read_dump(&dump, dump.size, &monotonic, &read), PLUMB_ERR_SYNTAX);
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

static const char *name_in(struct symbol_table *table, uint64_t address)
{
	const struct plumb_symbol *symbol = symbol_table_find(table, address);

	return symbol ? symbol->name : "-";
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
	assert_string_equal(name_in(&table, 0x100f), "one");
	assert_string_equal(name_in(&table, 0x1010), "-");
	assert_string_equal(name_in(&table, 0x2000), "two with spaces");
	assert_string_equal(name_in(&table, 0x3000), "-");
	assert_string_equal(name_in(&table, 0x4000), "-");
	assert_string_equal(name_in(&table, UINT64_MAX - 1), "last");
	symbol_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_lines), cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_times),           cmocka_unit_test(test_random_changes),
		cmocka_unit_test(test_damage),          cmocka_unit_test(test_file_names),
		cmocka_unit_test(test_perf_map),
	};

	return cmocka_run_group_tests_name("generated code", tests, NULL, NULL);
}
