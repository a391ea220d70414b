/* SPDX-License-Identifier: Apache-2.0 */
/* What is mapped at an address: asked about singly as in the list, and without reading the list. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#include "qemu/maps.h"

#define PAGE  4096
#define FILES 2000 /* mapped at a time */

static char own = 1; /* in this program's file */

static uint64_t at(const void *address)
{
	return (uintptr_t)address;
}

static int new_file(const char *name, size_t pages)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_return_code(ftruncate(fd, (off_t)(pages * PAGE)), 0);
	return fd;
}

static char *reserve(size_t pages)
{
	char *place = mmap(NULL, pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(place, MAP_FAILED);
	return place;
}

static void map(char *place, int protection, int fd, size_t page)
{
	const int how = MAP_PRIVATE | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0);

	assert_ptr_equal(mmap(place, PAGE, protection, how, fd, fd < 0 ? 0 : (off_t)(page * PAGE)),
			 place);
}

/* Kernels before 6.11 tell only of all mappings. */
static bool can_ask(void)
{
	struct mapping mapping;

	return maps_ask(at(&own), &mapping) != MAPS_CANNOT_ASK;
}

static void check_equal(const struct mapping *asked, const struct mapping *listed)
{
	assert_int_equal(asked->from, listed->from);
	assert_int_equal(asked->to, listed->to);
	assert_int_equal(asked->offset, listed->offset);
	assert_int_equal(asked->inode, listed->inode);
	assert_int_equal(asked->major, listed->major);
	assert_int_equal(asked->minor, listed->minor);
	assert_int_equal(asked->accessible, listed->accessible);
	assert_string_equal(asked->path, listed->path);
}

static void equal_at(uint64_t address)
{
	struct mapping asked, listed;
	const bool found = maps_read(address, &listed);

	assert_int_equal(maps_ask(address, &asked), found ? MAPS_FOUND : MAPS_NONE);
	if (found)
		check_equal(&asked, &listed);
}

static void test_neighbours(void **state)
{
	const int file = new_file("code", 8);
	char *place = reserve(10);
	struct mapping mapping;

	(void)state;
	/* Four pages go on with each other, though they may be used in different ways. */
	map(place + 1 * PAGE, PROT_READ, file, 1);
	map(place + 2 * PAGE, PROT_READ | PROT_EXEC, file, 2);
	map(place + 3 * PAGE, PROT_READ | PROT_WRITE, file, 3);
	map(place + 4 * PAGE, PROT_READ, file, 4);
	/* These do not: the file's first page, one that may not be used, and memory. */
	map(place + 5 * PAGE, PROT_READ, file, 0);
	map(place + 6 * PAGE, PROT_NONE, file, 1);
	map(place + 7 * PAGE, PROT_READ, -1, 0);
	map(place + 8 * PAGE, PROT_READ | PROT_WRITE, -1, 0);
	assert_true(maps_find(at(place + 3 * PAGE + 20), &mapping));
	assert_int_equal(mapping.from, at(place + PAGE));
	assert_int_equal(mapping.to, at(place + 5 * PAGE));
	assert_int_equal(mapping.offset, PAGE);
	assert_string_equal(mapping.path, "/memfd:code (deleted)");
	assert_true(mapping.accessible);
	assert_true(maps_find(at(place + 6 * PAGE), &mapping));
	assert_int_equal(mapping.to - mapping.from, PAGE);
	assert_false(mapping.accessible);
	assert_true(maps_find(at(place + 8 * PAGE), &mapping));
	assert_int_equal(mapping.from, at(place + 7 * PAGE));
	assert_int_equal(mapping.to, at(place + 9 * PAGE));
	assert_string_equal(mapping.path, MAPS_ANONYMOUS);
	munmap(place + 2 * PAGE, PAGE);
	assert_false(maps_find(at(place + 2 * PAGE), &mapping));
	munmap(place, 10 * (size_t)PAGE);
	close(file);
}

/* All that this program has mapped, the kernel's own and the places between included. */
static void test_both_ways(void **state)
{
	struct mapping mapping = {0};
	uint64_t from, to, ends[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	size_t count = 0;
	char line[8192], *rest;

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps) && count + 2 <= 512) {
		from = strtoull(line, &rest, 16);
		to = strtoull(rest + 1, NULL, 16);
		if (from >> 63) /* x86's [vsyscall] is the kernel's: listed, but not mapped */
			continue;
		ends[count++] = from;
		ends[count++] = to;
	}
	fclose(maps);
	assert_true(count > 10);
	assert_true(maps_find(at(&own), &mapping));
	assert_int_equal(mapping.path[0], '/');
	if (!can_ask())
		skip_because("the kernel tells only of all mappings");
	for (size_t i = 0; i < count; i++) {
		equal_at(ends[i]);
		equal_at(ends[i] - 1);
	}
}

static void check_name(const char *name, bool is_deleted)
{
	char folder[] = "/tmp/plumb-maps-XXXXXX", path[128], expected[160];
	char *place = reserve(3);
	struct mapping mapping;
	int file;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(expected, sizeof(expected), "%s%s", path, is_deleted ? " (deleted)" : "");
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	assert_return_code(ftruncate(file, PAGE), 0);
	map(place + PAGE, PROT_READ, file, 0);
	if (is_deleted)
		unlink(path);
	assert_true(maps_find(at(place + PAGE), &mapping));
	assert_string_equal(mapping.path, expected);
	assert_true(maps_read(at(place + PAGE), &mapping));
	assert_string_equal(mapping.path, expected);
	munmap(place, 3 * (size_t)PAGE);
	close(file);
	unlink(path);
	rmdir(folder);
}

/* The list spells a line break "\012". */
static void test_line_break(void **state)
{
	(void)state;
	check_name("two\nlines", false);
	check_name("two\nlines", true);
	check_name("a\nb\n", false);
	check_name("two\\012lines", false);
}

/* Returns how many bytes this process has read so far, or 0 if the kernel does not count them. */
static uint64_t bytes_read(void)
{
	static const char name[] = "rchar: ";
	FILE *io = fopen("/proc/self/io", "re");
	char line[64] = "";
	uint64_t bytes = 0;

	if (io && fgets(line, sizeof(line), io) && !strncmp(line, name, sizeof(name) - 1))
		bytes = strtoull(line + sizeof(name) - 1, NULL, 10);
	if (io)
		fclose(io);
	return bytes;
}

/* A program that maps thousands of files, each of which is looked up once. */
static void test_reads(void **state)
{
	const uint64_t before = bytes_read();
	char *places = reserve(2 * FILES);
	struct mapping mapping;
	uint64_t read;
	int file;

	(void)state;
	if (!can_ask())
		skip_because("the kernel tells only of all mappings");
	if (!before)
		skip_because("the kernel does not count what is read");
	file = new_file("code", 1);
	for (size_t i = 0; i < FILES; i++) {
		map(places + 2 * i * PAGE, PROT_READ | PROT_EXEC, file, 0);
		assert_true(maps_find(at(places + 2 * i * PAGE), &mapping));
		assert_int_equal(mapping.from, at(places + 2 * i * PAGE));
	}
	read = bytes_read() - before;
	munmap(places, 2 * (size_t)FILES * PAGE);
	close(file);
	/* Nothing but that file with the number itself. */
	assert_in_range(read, 0, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_line_break),
		cmocka_unit_test(test_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
